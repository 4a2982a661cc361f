"""The inbox: questions of all runs in one list, each seen in full before it is answered, and answered as in its run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle, islice
from math import inf
from typing import Any

import pytest
from textual.events import Event, Key, MouseDown, MouseUp
from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from maverick_tui.host.live import LiveRun
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.commands import AnswerPermission, Command
from maverick_tui.runs.own_questions import FUSE
from maverick_tui.runs.reader_names import Reader
from maverick_tui.ui.inbox.guests import Guests
from maverick_tui.ui.inbox.screen import LOOKING, NOTHING, InboxScreen
from maverick_tui.ui.picker import elsewhere
from maverick_tui.ui.picker.edges import KeyHints
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import FedApp, Kept, watching
from tests.ui.waiting import on_screen, until

ASKED = {"questions": [{"question": "Which one?", "options": [{"label": "Red"}, {"label": "Blue"}]}]}


def another(app: FedApp, name: str) -> RunModel:
    """A further run of the application, that nobody looks at."""
    run = RunModel(name, name, app.board)
    app.board.add(run)
    run.connect(Kept())
    return run


def sent(run: RunModel) -> list[Command]:
    assert isinstance(run.handle, Kept)
    return run.handle.take()


def inbox(app: FedApp) -> InboxScreen:
    assert isinstance(app.screen, InboxScreen), app.top
    return app.screen


def pane_text(app: FedApp) -> str:
    transcript = inbox(app).pane.transcript
    region = transcript.scrollable_content_region.reset_offset
    return "\n".join(strip.text.rstrip() for strip in transcript.render_lines(region))


def list_text(app: FedApp) -> str:
    rows = inbox(app).questions
    return "\n".join(rows.render_line(y).text.rstrip() for y in range(len(rows.rows)))


def is_seen(app: FedApp) -> bool:
    pane = inbox(app).pane
    since = pane.transcript.questions_seen.whole_since(pane.question) if pane.question is not None else None
    return since is not None and since < inf


async def seen(app: FedApp, pilot: Pilot[Any]) -> None:
    """Wait until all of the question has been on the screen, and for long enough."""
    await until(pilot, lambda: is_seen(app), "the question was seen")
    app.now += 1


@asynccontextmanager
async def asked_by_two(
    *, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[FedApp, Pilot[Any], RunModel, Tape]]:
    """The inbox with a question of the run below it, and an older one of another run."""
    grants = ("Bash: rm -rf build", "every Bash command")
    tape = Tape().connect().prompt("Go").wait(5).ask("Bash", {"command": "rm -rf build"}, grants=grants).wait(1)
    async with watching(tape, size=size) as (app, pilot):
        run = another(app, "tester")
        later = app.now
        other = Tape("tester").connect().prompt("Test").ask("AskUserQuestion", ASKED)
        app.tell(other, run)
        app.now = later
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and inbox(app).questions.rows, "the inbox")
        yield app, pilot, run, other


async def test_all_questions_stand_in_one_list_and_are_answered_one_after_the_other() -> None:
    async with asked_by_two() as (app, pilot, run, other):
        assert [row.run.agent for row in inbox(app).questions.rows] == ["tester", "reviewer"], "the oldest first"
        assert "rm -rf build" in list_text(app)
        await seen(app, pilot)
        assert "Which one?" in pane_text(app)
        await pilot.press("2")
        assert inbox(app).pane.prompt.has_focus, "what is typed is an answer, where words are wanted"
        await pilot.press("enter")
        (answer,) = sent(run)
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "Blue"}
        now = app.now
        app.tell(other.decide("once"), run)
        app.now = now
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "the next question")
        assert inbox(app).questions.has_focus
        await seen(app, pilot)
        await pilot.press("alt+a", "ctrl+y")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert (answer.request, answer.decision) == ("ask-call-1", "once"), "more than the call is wanted twice"
        assert sent(run) == []


async def test_it_does_not_say_that_nothing_waits_before_it_has_looked(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = asyncio.Event()

    async def listed(_known: object) -> list[LiveRun]:
        await answers.wait()
        return []

    monkeypatch.setattr(elsewhere, "live_elsewhere", listed)
    async with watching(Tape().connect()) as (app, pilot):
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and LOOKING in on_screen(pilot), "it looks")
        assert NOTHING not in on_screen(pilot)
        answers.set()
        await until(pilot, lambda: NOTHING in on_screen(pilot), "it has looked")
        assert LOOKING not in on_screen(pilot)
        with monkeypatch.context() as patched:
            patched.setattr(Guests, "are_read", False)  # one has come to ask that has not told what yet
            inbox(app).runs_changed()
            await until(pilot, lambda: LOOKING in on_screen(pilot), "it is read")


async def test_the_oldest_is_highlighted_until_somebody_does_something() -> None:
    tape = Tape().connect().prompt("Go").wait(5).ask("Bash", {"command": "rm -rf build"}).wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and inbox(app).questions.rows, "the inbox")
        inbox(app).questions.begins = True  # however long that took
        later, run = app.now, another(app, "tester")
        fuse = {"questions": [{"question": "The fuse of this run is at $2.10 of $2.00. What now?", "options": []}]}
        older = Tape("tester").connect().prompt("Test")
        app.tell(older.put(ev.PermissionAsked(older.at, "ask-f", f"{FUSE}1", "AskUserQuestion", fuse)), run)
        app.now = later
        await until(pilot, lambda: len(inbox(app).questions.rows) == 2)
        assert inbox(app).questions.row == inbox(app).questions.rows[0]
        assert "fuse  The fuse of this run is at $2.10 of $2.00." in list_text(app)
        assert inbox(app).pane.run is run
        await pilot.press("home")
        oldest = Tape("eldest", at=older.at - 30).connect().prompt("Test").ask("Bash", {"command": "ls"})
        app.tell(oldest, another(app, "eldest"))
        app.now = later
        await until(pilot, lambda: len(inbox(app).questions.rows) == 3)
        assert inbox(app).pane.run is run, "it stays where somebody is"
        shown = inbox(app).query_one(KeyHints)
        await until(pilot, lambda: "Tab type an answer" in shown.render_line(0).text)
        await pilot.press("tab")
        await until(pilot, lambda: "Tab to the list" in shown.render_line(0).text, "while one types")
        assert "type an answer" not in shown.render_line(0).text
        await seen(app, pilot)
        await pilot.press(*"maybe", "enter")
        assert sent(run) == [], "a fuse can do nothing with that"
        assert inbox(app).pane.prompt.text == "maybe"
        await pilot.press("ctrl+u", *"+2.50", "enter")
        (answer,) = sent(run)
        assert isinstance(answer, AnswerPermission)
        assert [*(answer.answers or {}).values()] == ["+2.50"]


async def test_a_key_that_comes_with_a_question_does_not_answer_it() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        await pilot.press("down")
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "the other question")
        await pilot.press("ctrl+y", "ctrl+x", "ctrl+t")
        assert (app.kept.take(), sent(run)) == ([], [])


async def test_a_question_counts_as_read_only_when_all_of_its_rows_were_on_the_screen() -> None:
    command = "\n".join(f"echo {number}" for number in range(60))
    tape = Tape().connect().prompt("Go").ask("Bash", {"command": command}).wait(1)
    async with watching(tape) as (app, pilot):
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and "echo 3" in pane_text(app), "the question")
        app.now += 1
        await pilot.press("ctrl+y")
        assert app.kept.take() == []
        app.clear_notifications()  # what lies below a notice has not been seen
        await until(pilot, lambda: not app.screen.query("Toast"), "nothing covers it")
        for key in islice(cycle(["pagedown"] * 12 + ["pageup"] * 12), 480):  # what is scrolled by unpainted is not seen
            if is_seen(app):
                break
            await pilot.press(key)
            await pilot.pause(0.1)
        await seen(app, pilot)
        await pilot.press("ctrl+y")
        assert [type(one) for one in app.kept.take()] == [AnswerPermission]


async def test_a_reason_is_typed_in_the_inbox_and_stays_when_its_question_goes() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        await pilot.press("end")
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "the question")
        await seen(app, pilot)
        await pilot.press("ctrl+r", *"not now")
        pane = inbox(app).pane
        assert (pane.prompt.text, pane.prompt.has_focus) == ("not now", True)
        app.run_model.store.reader = Reader("pts/1")
        tape = Tape(at=app.now)
        tape.events.clear()
        app.tell(tape.put(ev.PermissionSettled(app.now, "ask-call-1", "call-1", "deny", by="pts/7")))
        await until(pilot, lambda: "denied by pts/7" in pane_text(app), "what became of it is told")
        assert pane.prompt.text == "not now", "the next question does not come up under typing fingers"
        await pilot.press("enter")
        assert (app.kept.take(), sent(run)) == ([], [])
        await pilot.press("escape")
        await until(pilot, lambda: "Which one?" in pane_text(app), "the next question")
        assert pane.prompt.text == ""
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen", "back")
        await until(pilot, lambda: app.run_screen.prompt.text == "not now", "it waits in the run's own prompt")


async def test_a_denial_with_a_reason_is_sent_to_the_run_that_asks() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        await pilot.press("end")
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "the question")
        await seen(app, pilot)
        await pilot.press("ctrl+r", *"no", "enter")
        (answer,) = app.kept.take()
        assert isinstance(answer, AnswerPermission)
        assert (answer.decision, answer.reason) == ("deny", "no")
        assert sent(run) == []


async def test_enter_goes_to_the_run_and_the_prompt_below_is_as_it_was() -> None:
    async with watching(Tape().connect().prompt("Go")) as (app, pilot):
        await pilot.press(*"half a")
        run = another(app, "tester")
        app.tell(Tape("tester").connect().prompt("Test").ask("Bash", {"command": "make"}), run)
        await pilot.press(*" thought")
        assert app.run_screen.prompt.text == "half a thought", "a question of another run takes no key"
        await pilot.press("alt+i")
        await until(pilot, lambda: app.top == "InboxScreen" and inbox(app).questions.rows, "the inbox")
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is run, "the run")
        await pilot.press("ctrl+pagedown")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is app.run_model, "the first")
        assert app.run_screen.prompt.text == "half a thought"


async def test_one_key_goes_to_the_next_run_that_needs_a_person() -> None:
    async with watching(Tape().connect().prompt("Go")) as (app, pilot):
        runs = [another(app, name) for name in ("tester", "writer", "idle")]
        for seconds, run in ((9, runs[0]), (3, runs[1])):
            app.tell(Tape(run.agent).connect().prompt("Go").wait(seconds).ask("Bash", {"command": "make"}), run)
        for run in (runs[1], runs[0], runs[1]):
            await pilot.press("alt+n")
            await until(pilot, lambda run=run: app.top == "RunScreen" and app.run_screen.run is run, run.agent)  # type: ignore[misc]
        await pilot.press("alt+i", "alt+n")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is not app.run_model, "from the inbox")
        assert len(app.screen_stack) == 1


CLICK = MouseDown(None, 5, 2, 0, 0, 1, False, False, False, 5, 2)


@pytest.mark.parametrize("away", sampled([Key("up", None), Key("k", "k"), CLICK], 3, ["arrow", "letter", "click"]))
async def test_a_key_that_answers_does_not_overtake_what_goes_to_another_question(away: Event) -> None:
    async with asked_by_two() as (app, pilot, run, _):
        await pilot.press("end")
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "the question of the run below")
        await seen(app, pilot)
        await pilot.press("home")
        await until(pilot, lambda: "Which one?" in pane_text(app), "the other one")
        await seen(app, pilot)
        await pilot.press("end")
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "and back")
        await seen(app, pilot)
        for event in (away, Key("ctrl+y", None)):  # both before anybody has heard of the first
            app.post_message(event)
        if away is CLICK:
            app.post_message(MouseUp(None, 5, 2, 0, 0, 1, False, False, False, 5, 2))
        await until(pilot, lambda: "Which one?" in pane_text(app), "the highlight has moved")
        assert (app.kept.take(), sent(run)) == ([], [])


async def test_a_key_does_not_answer_the_question_that_comes_in_place_of_the_one_it_was_for() -> None:
    async with asked_by_two() as (app, pilot, run, other):
        await pilot.press("end")
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "the question of the run below")
        await seen(app, pilot)
        await pilot.press("home")
        await until(pilot, lambda: "Which one?" in pane_text(app), "the other one")
        await seen(app, pilot)
        now = app.now
        app.tell(other.decide("once"), run)  # by somebody else
        app.now = now
        await until(pilot, lambda: "rm -rf build" in pane_text(app), "the next one, which was seen before")
        for _ in range(9):  # a key that is held down
            await pilot.press("ctrl+y")
            app.now += 0.05
        assert app.kept.take() == []
        app.now += 1
        await pilot.press("ctrl+y")
        assert [type(command) for command in app.kept.take()] == [AnswerPermission]


async def test_a_question_that_came_behind_the_help_is_answered_at_once_when_it_has_been_read() -> None:
    async with asked_by_two() as (app, pilot, run, other):
        pane, now = inbox(app).pane, app.now
        await pilot.press("f1")
        await until(pilot, lambda: app.top == "HelpScreen", "it covers the inbox")
        app.tell(other.decide("once"), run)  # by somebody else
        app.now = now + 60
        await until(pilot, lambda: pane.question is not None and pane.question.tool == "Bash", "the next one")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "InboxScreen" and is_seen(app), "it can be read")
        app.now += 1
        await pilot.press("ctrl+y")
        assert [type(command) for command in app.kept.take()] == [AnswerPermission]


async def test_the_answer_goes_to_a_run_that_was_left_and_is_followed_anew() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        pane, again = inbox(app).pane, RunModel(run.run_id, "tester", app.board)
        again.connect(Kept())
        pane.show(None)
        for event in Tape("tester").connect().prompt("Test").ask("AskUserQuestion", ASKED).events:
            again.store.apply(event)
        pane.show(again)
        await seen(app, pilot)
        await pilot.press("2", "enter")
        assert sent(run) == []
        assert [type(command) for command in sent(again)] == [AnswerPermission]


async def test_an_option_is_chosen_by_a_click() -> None:
    async with asked_by_two() as (app, pilot, run, _):
        await seen(app, pilot)
        row = next(y for y, line in enumerate(pane_text(app).splitlines()) if "2. Blue" in line)
        x = pane_text(app).splitlines()[row].index("2. Blue") + 1
        await pilot.click(inbox(app).pane.transcript, offset=(x, row))
        await until(pilot, lambda: isinstance(run.handle, Kept) and run.handle.commands, "an answer")
        (answer,) = sent(run)
        assert isinstance(answer, AnswerPermission)
        assert answer.answers == {"Which one?": "Blue"}
