"""Runs are closed, named and told apart: on their screen, and in the picker."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.widgets import Button, Static

from maverick_tui.events.kinds import PromptQueued, PromptsHeld, RunNamed, ShellEnded, ShellStarted
from maverick_tui.runs.board import Attachment, RunModel
from maverick_tui.runs.commands import CloseRun, Interrupt
from maverick_tui.threads import may_be_stopped, to_the_end
from maverick_tui.ui import following
from maverick_tui.ui.dialogs.leaving import Asked, LeavingScreen
from maverick_tui.ui.picker.items import Group, Item, rows_of, run_item
from maverick_tui.ui.picker.screen import PickerScreen
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import FedApp, Kept, watching
from tests.ui.waiting import on_screen, until


def another(app: FedApp, prompt: str) -> RunModel:
    """A second run, which has answered a prompt."""
    run = app._new_run("explorer")
    run.connect(Kept())
    app.tell(Tape("explorer").connect().prompt(prompt).say("Here.").done(), run)
    return run


def words(app: FedApp) -> str:
    return " ".join(str(one.render()) for one in app.screen.query(Static))


async def test_a_run_without_an_answer_is_closed_by_a_key_and_the_one_beside_it_is_shown() -> None:
    async with watching(Tape().connect()) as (app, pilot):
        first, second = app.run_model, another(app, "Look around")
        app._suggest(first, "Review\r\nthe \x1b[1mbranch")
        assert app.run_screen.prompt.text, "which nobody has typed"
        await pilot.press("f9")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is second)
        assert list(app.board.runs.values()) == [second]
        assert isinstance(first.handle, Kept)
        assert [type(one) for one in first.handle.take()] == [CloseRun]
        await until(pilot, lambda: app.run_screen.is_mounted)
        await pilot.press("f9")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        await pilot.press("y")
        await until(pilot, lambda: app.top == "PickerScreen")
        assert not app.board.runs


async def test_quitting_while_a_commit_is_made_asks_and_ends_it() -> None:
    stop, worked = threading.Event(), threading.Event()

    def commit() -> None:
        stop.wait(60)
        worked.set()

    thread = threading.Thread(target=lambda: to_the_end(commit, stop))
    thread.start()
    try:
        async with watching(Tape().connect()) as (app, pilot):
            await until(pilot, may_be_stopped)
            await pilot.press("ctrl+q")
            await until(pilot, lambda: app.top == "ConfirmScreen")
            assert "Quit while a commit is being made?" in words(app)
            await pilot.press("n")
            await until(pilot, lambda: app.top == "RunScreen")
            assert not stop.is_set()
            await pilot.press("ctrl+q")
            await until(pilot, lambda: app.top == "ConfirmScreen")
            await pilot.press("y")
            await until(pilot, stop.is_set)
    finally:
        stop.set()
        thread.join()
    assert worked.is_set()


async def test_an_answer_or_a_draft_is_not_lost_unasked() -> None:
    async with watching(Tape().connect()) as (app, pilot):
        await pilot.press(*"abc", "f9")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        assert "What you have typed and not sent is lost." in words(app)
        await pilot.press("n")
        await until(pilot, lambda: app.top == "RunScreen")
        assert app.run_screen.prompt.text == "abc"
        second = another(app, "Look around")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen" and app.screen.is_mounted)
        for keys, is_draft in ((("delete",), True), (("down", "delete"), False)):
            await pilot.press(*keys)
            await until(pilot, lambda: app.top == "ConfirmScreen")
            assert ("typed" in words(app)) == is_draft, "the first has a draft, the second has answered"
            await pilot.press("n")
            await until(pilot, lambda: app.top == "PickerScreen")
        assert second.run_id in app.board.runs
        assert len(app.board.runs) == 2


async def test_a_run_at_work_is_closed_only_after_a_question() -> None:
    tape = Tape().connect().prompt("Go").say("Half", is_open=True)
    async with watching(tape.put(RunNamed(tape.at, "cart"))) as (app, pilot):
        for key, is_closed in (("n", False), ("y", True)):
            await pilot.press("f9")
            await until(pilot, lambda: app.top == "ConfirmScreen")
            assert str(app.screen.query_one(".dialog--title", Static).render()) == "Close cart while it is at work?"
            await pilot.press(key)
            await until(pilot, lambda: app.top != "ConfirmScreen")
            assert (not app.board.runs) == is_closed


def hosted(run: RunModel, *, is_read_only: bool = False) -> list[str]:
    """Let it have a process of its own; what is left of it stands in the list."""
    left: list[str] = []

    async def heard() -> None:
        left.append("heard")

    run.attached, run.is_read_only = Attachment(lambda: left.append("left"), heard), is_read_only
    return left


@pytest.mark.parametrize(
    ("key", "wanted", "is_left"),
    [("enter", [], True), ("i", [Interrupt], True), ("e", [CloseRun], False)],
    ids=["leave", "interrupt", "end"],
)
async def test_quitting_asks_what_becomes_of_an_agent_that_can_do_without_us(
    key: str, wanted: list[type], is_left: bool
) -> None:
    async with watching(Tape().connect().prompt("Go").say("Half", is_open=True)) as (app, pilot):
        left = hosted(app.run_model)
        at_rest, seen = another(app, "Look around"), another(app, "Whose is this")
        hosted(at_rest)
        hosted(seen, is_read_only=True)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "LeavingScreen")
        await pilot.press("escape", "ctrl+q")
        await until(pilot, lambda: app.top == "LeavingScreen")
        await pilot.press(key)
        await until(pilot, lambda: app._exit)
        assert [type(one) for one in app.kept.take()] == wanted
        assert (left == ["heard", "left"]) == is_left
        assert isinstance(at_rest.handle, Kept)
        assert at_rest.handle.take() == [CloseRun(if_unused=True)]
        assert isinstance(seen.handle, Kept)
        assert seen.handle.take() == [], "we only look on"
        words = {"enter": "is still at work", "i": "waits for you"}.get(key)
        told = [f"reviewer {words}: maverick attach {app.run_model.run_id}"] if words else []
        assert app.farewell == told


async def test_closing_one_at_rest_ends_nothing_that_is_on_its_way_to_it() -> None:
    async with watching(Tape().connect().prompt("Go").say("Done.").done()) as (app, pilot):
        run, kept = app.run_model, app.kept
        hosted(run)
        assert run.attached is not None
        run.attached = run.attached._replace(unsent=lambda: {"p1": "And now?"})
        await pilot.press("f9")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        await pilot.press("y")
        await until(pilot, lambda: run.run_id not in app.board.runs)
        await until(pilot, lambda: kept.take() == [CloseRun(if_unused=True)])


def cut_off(run: RunModel, *, is_known: bool) -> None:
    """Let it be on another machine to which nothing gets through."""
    hosted(run)
    assert run.attached is not None
    run.machine = "box"
    run.attached = run.attached._replace(heard=asyncio.Event().wait, machine="box", is_broken=is_known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "told"),
    sampled([("i", "could not be interrupted"), ("e", "could not be told to end")], 2, ["interrupt", "end"]),
)
async def test_an_agent_that_does_not_hear_is_not_said_to_have_stopped(
    key: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "HEARD_WITHIN", 0.01)
    async with watching(Tape().connect().prompt("Go").say("Half", is_open=True)) as (app, pilot):
        cut_off(app.run_model, is_known=False)
        second = another(app, "Look around")
        app.tell(Tape("explorer").prompt("More").say("Half", is_open=True), second)
        cut_off(second, is_known=False)
        app._leaving._forget(second, "interrupt" if key == "i" else "end")
        expected = f"{told}, and may still be at work: maverick attach box:"
        await until(pilot, lambda: any(expected in one.message for one in app._notifications), "that is told")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "LeavingScreen")
        await pilot.press(key)
        await until(pilot, lambda: app._exit)
        assert app.farewell == [f"reviewer {expected}{app.run_model.run_id}"]
    assert app.return_value == 1


@pytest.mark.explore
async def test_what_cannot_be_done_over_a_broken_line_is_not_offered() -> None:
    async with watching(Tape().connect().prompt("Go").say("Half", is_open=True)) as (app, pilot):
        run = app.run_model
        cut_off(run, is_known=True)
        for key in ("f9", "ctrl+q"):
            await pilot.press(key)
            await until(pilot, lambda: app.top == "LeavingScreen" and app.screen.is_mounted)
            why = "box is not reached at the moment: reviewer can be left at work there, but neither be interrupted nor"
            assert why in words(app)
            assert "it stops" not in words(app)
            assert [button.id for button in app.screen.query(Button) if button.display] == ["leave", "stay"]
            await pilot.press("i", "e")
            assert app.top == "LeavingScreen"
            await pilot.press("escape")
            await until(pilot, lambda: app.top == "RunScreen")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "LeavingScreen" and app.screen.is_mounted)
        assert run.attached is not None
        run.attached = run.attached._replace(is_broken=False)
        await until(pilot, lambda: "Interrupt: it stops" in words(app), "the line is there again")


async def test_an_answer_that_becomes_longer_is_shown_in_full() -> None:
    asked = Asked("Quit?", "It is on its way.", "Quit", may_stop=False)
    async with watching(Tape().connect()) as (app, pilot):
        _ = app.push_screen(LeavingScreen(lambda: asked))
        await until(pilot, lambda: "l  Quit" in on_screen(pilot))
        asked = Asked("Quit?", "It is at work.")
        await until(pilot, lambda: "It is at work." in on_screen(pilot), "it has arrived")
        await until(pilot, lambda: "l  Leave at work" in on_screen(pilot), "there is room for it")


@pytest.mark.explore
@pytest.mark.parametrize(
    ("is_hosted", "screen", "told"),
    [
        (True, "LeavingScreen", "Interrupt: it stops, and its run waits for you.\nEnd: its run stops, too,"),
        (False, "ConfirmScreen", "Quitting stops that; what is on the screen is lost."),
    ],
    ids=["hosted", "here"],
)
async def test_a_command_of_the_persons_own_is_not_left_behind_unasked(is_hosted: bool, screen: str, told: str) -> None:
    tape = Tape().connect().prompt("Go").say("All").done()
    async with watching(tape.put(ShellStarted(tape.at, "s1", "exec sleep\n512"))) as (app, pilot):
        if is_hosted:
            hosted(app.run_model)
        for key, what in (("f9", "Close reviewer"), ("ctrl+q", "Quit")):
            await pilot.press(key)
            await until(pilot, lambda: app.top == screen and app.screen.is_mounted)
            assert str(app.screen.query_one(".dialog--title", Static).render()) == f"{what} while a command runs?"
            assert 'In reviewer your command "exec sleep 512" still runs.' in words(app)
            assert (told in words(app)) or key == "f9"
            await pilot.press("n")
            await until(pilot, lambda: app.top == "RunScreen")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == screen and app.screen.is_mounted)
        app.tell(tape.put(ShellEnded(tape.at, "s1", "", 0)))
        await until(pilot, lambda: "Nothing is at work any more" in words(app))
        app.tell(tape.put(ShellStarted(tape.at, "s2", "make")))
        await until(pilot, lambda: '"make" still runs' in words(app))
        await pilot.press("i" if is_hosted else "y")
        await until(pilot, lambda: app._exit)
        assert [type(one) for one in app.kept.take()] == [Interrupt if is_hosted else CloseRun]


async def test_the_question_says_of_each_run_whether_it_can_go_on_once_it_is_ended() -> None:
    async with watching(Tape().connect().prompt("Go").say("Half", is_open=True)) as (app, pilot):
        run = app.run_model
        hosted(run)
        loaded = run.store.loaded
        assert loaded is not None
        assert run.attached is not None

        async def said() -> str:
            await pilot.press("f9")
            await until(pilot, lambda: app.top == "LeavingScreen")
            told = words(app)
            await pilot.press("escape")
            await until(pilot, lambda: app.top == "RunScreen")
            return told

        assert "End: it stops, and cannot go on later.\n" in (told := await said())
        assert "What is not kept is gone" in told
        run.has_journal = True
        assert "End: it stops, and can go on later from the history." in await said()
        run.store.loaded = replace(loaded, is_offline=True)
        assert "End: it stops, and cannot go on later: a script plays it." in await said()
        run.has_journal, run.machine = False, "there"
        assert "End: it stops; what is kept of it is on there." in (told := await said())
        assert "not kept" not in told


def _is_whole(app: FedApp) -> bool:
    box = app.screen.query_one(".dialog--box").content_region
    return all(button.region and box.contains_region(button.region) for button in app.screen.query(Button))


@pytest.mark.explore
async def test_the_question_goes_with_what_happens_behind_it() -> None:
    tape = Tape().connect().prompt("Go").say("Half")
    async with watching(tape, size=(57, 30)) as (app, pilot):
        hosted(app.run_model)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "LeavingScreen" and app.screen.is_mounted)
        assert "reviewer is still running." in words(app)
        await until(pilot, lambda: _is_whole(app), "nothing is cut off")
        app.tell(tape.ask("Bash", {"command": "make"}))
        await until(pilot, lambda: "reviewer asks you something." in words(app))
        assert "its question waits for you" in words(app)
        server = f"call-{tape._call}"
        app.tell(tape.decide("once").progress(server, "running").answer(server, "It runs.").done())
        await until(pilot, lambda: "reviewer is done, 1 command in the background." in words(app))
        title = app.screen.query_one(".dialog--title", Static)
        assert str(title.render()) == "Quit while something runs in the background?"
        assert "Interrupt: what is in the background goes on all the same." in words(app)
        app.tell(tape.progress(server, "completed"))
        await until(pilot, lambda: "reviewer is done." in words(app))
        assert str(app.screen.query_one(".dialog--title", Static).render()) == "Quit?"
        assert "still" not in words(app)
        assert [button.id for button in app.screen.query(Button) if button.display] == ["leave", "stay"]
        await pilot.press("i", "e")
        assert app.top == "LeavingScreen", "there is nothing to interrupt or to end"
        app.tell(tape.prompt("And then").say("More", is_open=True))  # somebody else has asked it
        await until(pilot, lambda: "still running" in words(app))
        await pilot.press("i")
        await until(pilot, lambda: app._exit)
        assert [type(one) for one in app.kept.take()] == [Interrupt]


async def test_a_question_about_a_run_of_this_window_goes_with_it_too() -> None:
    tape = Tape().connect().prompt("Go").say("Half")
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "ConfirmScreen" and app.screen.is_mounted)
        assert "still running" in words(app)
        app.tell(tape.done())
        await until(pilot, lambda: "Nothing is at work any more" in words(app))
        await pilot.press("n")
        await until(pilot, lambda: app.top == "RunScreen")


async def test_an_interrupted_run_waits_for_whoever_has_quit() -> None:
    async with watching(Tape().connect().prompt("Go").say("Half").done("interrupted")) as (app, pilot):
        left = hosted(app.run_model)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)
        assert app.kept.take() == [], "it was stopped on its way, and is not done"
        assert left == ["heard", "left"]
        assert app.farewell == [f"reviewer waits for you: maverick attach {app.run_model.run_id}"]


async def test_closing_an_agent_at_work_may_leave_it_there() -> None:
    async with watching(Tape().connect().prompt("Go").say("Half", is_open=True)) as (app, pilot):
        run, left = app.run_model, hosted(app.run_model)
        await pilot.press("f9")
        await until(pilot, lambda: app.top == "LeavingScreen")
        await pilot.press("l")
        await until(pilot, lambda: left == ["heard", "left"])
        assert run.run_id not in app.board.runs
        await until(pilot, lambda: any(f"maverick attach {run.run_id}" in one.message for one in app._notifications))


async def test_quitting_asks_about_what_was_typed_or_queued_and_names_it() -> None:
    tape = Tape().connect().prompt("Go").say("Half")
    tape.put(PromptQueued(tape.at, "q", "And then the [receipt]")).put(PromptsHeld(tape.at, ("q",)))
    async with watching(tape.done("interrupted")) as (app, pilot):
        prompt_of = app._navigation.prompt_of
        second = prompt_of(another(app, "Look around"))
        second.draft, second.suggestion = "Suggested", "Suggested"
        prompt_of(another(app, "Look around\n")).draft = "Look around"
        prompt_of(
            another(app, "Look around")
        ).draft = "Written and left, in a prompt that is longer than anybody wants to read"
        await pilot.press(*"abc", "ctrl+q")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        assert str(app.screen.query_one(".dialog--title", Static).render()) == "Quit without sending this?"
        for part in (
            '"And then the [receipt]" (reviewer, queued)',
            '"abc" (reviewer, typed)',
            '"Written and left, in a prompt that is l…" (explorer, typed)',
        ):
            assert part in words(app)
        assert "Suggested" not in words(app), "which nobody has typed"
        assert "Look" not in words(app), "which was sent"
        assert "running" not in words(app)
        await pilot.press("n")
        await until(pilot, lambda: app.top == "RunScreen")
        assert app.run_screen.prompt.text == "abc"
        await pilot.press("ctrl+q", "y")
        await until(pilot, lambda: app._exit)


async def test_the_picker_shows_the_first_prompt_and_closes_the_highlighted_run() -> None:
    async with watching(Tape().connect().prompt("Go").done()) as (app, pilot):
        second = another(app, "Look around in the cart")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen" and app.screen.is_mounted)
        assert isinstance(app.screen, PickerScreen)
        titles = [run.description.partition(" · ")[0] for run in app.screen.runs]
        assert titles == ["Go", "Look around in the cart"]
        await pilot.press("down", "delete")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        await pilot.press("y")
        await until(pilot, lambda: second.run_id not in app.board.runs)
        assert app.top == "PickerScreen"


def test_the_name_of_an_agent_means_a_new_run_of_it() -> None:
    run = run_item("r1", "reviewer", "done", "✔", "4 s", "Look at the cart")
    agent = Item(key="agent:reviewer", group=Group("SHIPPED"), name="reviewer", description="Reads the diff")
    rows, best = rows_of([run, agent], "reviewer")
    assert best is not None
    assert rows[best].item is agent
    rows, best = rows_of([run, agent], "cart")
    assert best is not None
    assert rows[best].item is run, "by what it was asked"


async def test_what_is_typed_while_we_leave_is_for_the_shell() -> None:
    async with watching(Tape().connect().prompt("Go").say("All").done()) as (app, pilot):
        await pilot.press("tab")
        for is_leaving in (False, True):
            if is_leaving:
                app._leaving.begun.set()
            await app.on_event(events.Key("f1", None))
            if is_leaving:
                await pilot.pause()
                assert app.top == "RunScreen"
            else:
                await until(pilot, lambda: app.top == "HelpScreen")
                await pilot.press("escape")
                await until(pilot, lambda: app.top == "RunScreen")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_whoever_does_not_come_to_an_end_is_ended_but_not_before_a_commit_is_made(tmp_path: Path) -> None:
    script = """
import pathlib, sys, threading, time
from maverick_tui.threads import to_the_end
from maverick_tui.ui.leaving import end_whatever_waits
begun = threading.Event()
def commit():
    begun.set()
    time.sleep(0.2)
    pathlib.Path(sys.argv[1]).touch()
threading.Thread(target=to_the_end, args=(commit,)).start()
begun.wait()
end_whatever_waits()
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "made")], check=False)
    assert (done.returncode, (tmp_path / "made").exists()) == (-signal.SIGKILL, True)
