"""What is typed for a question on another screen than its run's: it is kept, comes back there, or in the run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.commands import RunShell
from maverick_tui.ui import drafts as ui_drafts
from maverick_tui.ui.board.side_by_side import SideBySideScreen
from maverick_tui.ui.board.side_pane import SidePane
from maverick_tui.ui.widgets.pastes import still_prompt
from tests.support.runs import BEGAN, Tape
from tests.support.sampling import sampled
from tests.ui.board.test_screen import opened, working
from tests.ui.inbox.test_screen import another, asked_by_two, inbox, pane_text, seen, sent
from tests.ui.running import FedApp, watching
from tests.ui.test_drafts import as_kept, end
from tests.ui.waiting import until


@pytest.fixture(autouse=True)
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_drafts, "AFTER_TYPING", 0.01)
    as_kept(monkeypatch)


def folder_of(run: RunModel) -> Path:
    folder = journal_of(run.run_id).parent
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def kept_of(folder: Path) -> list[tuple[str, dict[str, str]]]:
    found = [json.loads(file.read_text()) for file in folder.glob("draft.*")]
    return [(draft["text"], draft["reasons"]) for draft in found]


async def at_the_call(app: FedApp, pilot: Pilot[Any]) -> None:
    """Go to the question about a call, and see all of it."""
    await pilot.press("end")
    await until(pilot, lambda: "rm -rf build" in pane_text(app), "the question")
    await seen(app, pilot)


async def test_an_answer_that_was_begun_is_kept_and_comes_back_in_the_inbox_and_in_its_run() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        folder = folder_of(run)
        await seen(app, pilot)
        await pilot.press(*"neither")
        await until(pilot, lambda: kept_of(folder) == [("neither", {})], "on disk")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.top == "RunScreen", "back")
        assert app.run_screen.prompt.text == "", "it is for another run"
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and "Which one?" in pane_text(app), "the question")
        assert inbox(app).pane.prompt.text == "neither"
        await until(pilot, lambda: kept_of(folder) == [("neither", {})], "on disk as before")
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is run, "the run")
        await until(pilot, lambda: app.run_screen.prompt.text == "neither", "in its prompt")
        await until(pilot, lambda: kept_of(folder) == [("neither", {})], "once")


async def test_an_answer_is_no_command_when_it_comes_into_the_prompt_of_its_run() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        folder = folder_of(run)
        await seen(app, pilot)
        await pilot.press(*"!id")
        await until(pilot, lambda: kept_of(folder) == [(still_prompt("!id"), {})], "on disk")
        await pilot.press("escape", "enter")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is run, "the run")
        await until(pilot, lambda: "id" in app.run_screen.prompt.text, "in its prompt")
        await pilot.press("enter")
        assert not [command for command in sent(run) if isinstance(command, RunShell)]


async def test_what_was_sent_is_kept_no_longer() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        folder = folder_of(run)
        await seen(app, pilot)
        await pilot.press(*"neither")
        await until(pilot, lambda: bool(kept_of(folder)), "on disk")
        await pilot.press("enter")
        assert len(sent(run)) == 1
        await until(pilot, lambda: not kept_of(folder), "nothing is left to be sent")


@pytest.mark.parametrize("code", sampled([129, 0], 2))
async def test_a_reason_that_was_begun_is_kept_when_the_window_goes(code: int) -> None:
    async with asked_by_two() as (app, pilot, _, _):
        folder = folder_of(app.run_model)
        await at_the_call(app, pilot)
        await pilot.press("ctrl+r", *"because")
        await until(pilot, lambda: kept_of(folder) == [("", {"ask-call-1": "because"})], "on disk")
        await end(app, pilot, code)
    assert kept_of(folder) == ([("", {"ask-call-1": "because"})] if code else []), "whoever quits was asked"


async def test_what_is_being_typed_for_a_question_that_goes_stays_on_disk() -> None:
    async with asked_by_two() as (app, pilot, _, _):
        folder = folder_of(app.run_model)
        await at_the_call(app, pilot)
        await pilot.press("ctrl+r", *"because")
        await until(pilot, lambda: bool(kept_of(folder)), "on disk")
        tape = Tape(at=app.now)
        tape.events.clear()
        app.tell(tape.put(ev.PermissionSettled(app.now, "ask-call-1", "call-1", "deny", by="pts/7")))
        await until(pilot, lambda: "denied by pts/7" in pane_text(app), "what became of it is told")
        await end(app, pilot, 129)
    ((text, reasons),) = kept_of(folder)
    assert "because" in (text, *reasons.values())


@pytest.mark.explore
async def test_a_reason_comes_back_with_its_key_in_the_run_below() -> None:
    async with asked_by_two() as (app, pilot, _, _):
        await at_the_call(app, pilot)
        await pilot.press("ctrl+r", *"because", "escape", "escape")
        await until(pilot, lambda: app.top == "RunScreen", "back")
        (question,) = app.run_model.store.questions.values()
        shown = app.run_screen.transcript.questions_seen
        await until(pilot, lambda: shown.whole_since(question) is not None, "it was seen there")
        app.now += 5
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.run_screen.prompt.text == "because", "with its key")


async def test_a_reason_is_no_prompt_in_the_run_that_it_was_typed_for() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        await seen(app, pilot)
        await pilot.press("ctrl+r", *"because", "escape", "enter")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is run, "the run")
        (question,) = run.store.questions.values()
        shown = app.run_screen.transcript.questions_seen
        await until(pilot, lambda: shown.whole_since(question) is not None, "it was seen there")
        app.now += 5
        assert app.run_screen.prompt.text == ""
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.run_screen.prompt.text == "because", "with its key")


async def test_whoever_quits_is_told_what_was_typed_elsewhere() -> None:
    async with asked_by_two() as (app, pilot, _, _):
        await seen(app, pilot)
        await pilot.press(*"neither", "ctrl+q")
        await until(pilot, lambda: app.top in ("ConfirmScreen", "LeavingScreen"), "the question")
        assert "neither" in "\n".join(str(widget.render()) for widget in app.screen.query("Static"))


@pytest.mark.explore
async def test_what_is_typed_side_by_side_is_kept_and_comes_back_there() -> None:
    tapes = {name * 12: working(name, BEGAN + number) for number, name in enumerate("ab")}
    async with opened(tapes) as (app, pilot):
        two = app.board.runs["b" * 12]
        folder = folder_of(two)
        await pilot.press("insert", "insert", "f4")
        await until(pilot, lambda: app.top == "SideBySideScreen" and app.screen.focused, "they are shown")
        app.tell(tapes[two.run_id].ask("Bash", {"command": "make"}), two)
        await pilot.press("tab")
        await answer_armed(app, pilot, two)
        await pilot.press("ctrl+r", *"because")
        await until(pilot, lambda: [*kept_of(folder)[:1]] == [("", {"ask-call-1": "because"})], "on disk")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.top == "BoardScreen", "back to the board")
        await pilot.press("f4")
        await until(pilot, lambda: app.top == "SideBySideScreen" and app.screen.focused, "they are shown again")
        await pilot.press("tab")
        await answer_armed(app, pilot, two)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: panes_of(app)[1].prompt.text == "because", "with its key")


def panes_of(app: FedApp) -> list[SidePane]:
    assert isinstance(app.screen, SideBySideScreen)
    return app.screen.panes


async def answer_armed(app: FedApp, pilot: Pilot[Any], run: RunModel) -> None:
    """Wait until all of its question has been on the screen for long enough."""
    seen = panes_of(app)[1].shown.transcript.questions_seen
    (question,) = run.store.questions.values()
    await until(pilot, lambda: panes_of(app)[1].is_current and seen.whole_since(question) is not None, "it was seen")
    app.now += 5


@pytest.mark.explore
async def test_the_prompt_of_a_run_is_as_it_was_after_a_way_over_several_screens() -> None:
    async with watching(Tape().connect().prompt("Go")) as (app, pilot):
        run = another(app, "tester")
        app.tell(Tape("tester").connect().prompt("Test").ask("Bash", {"command": "make"}), run)
        await pilot.press(*"half", "ctrl+s")
        await until(pilot, lambda: app.top == "BoardScreen", "the board")
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and inbox(app).questions.rows, "the inbox above it")
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is run, "the run that asks")
        await pilot.press("ctrl+pagedown")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is app.run_model, "the first")
        assert app.run_screen.prompt.text == "half"


async def test_what_is_answered_of_several_questions_is_answered_on_every_screen() -> None:
    asked = {"questions": [{"question": name, "options": [{"label": "Red"}, {"label": "Blue"}]} for name in ("A", "B")]}
    async with watching(Tape().connect().prompt("Go").ask("AskUserQuestion", asked).wait(1)) as (app, pilot):
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and inbox(app).questions.rows, "the inbox")
        await seen(app, pilot)
        await pilot.press("2", "enter", *"other", "escape", "enter")
        await until(pilot, lambda: app.top == "RunScreen", "the run")
        await until(pilot, lambda: app.run_screen.prompt.text == "other", "what was typed for the second")
        choice = app.run_screen._answering.questions.choice
        assert choice is not None
        assert choice.answers == {"A": "Blue"}
