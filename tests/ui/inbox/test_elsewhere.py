"""Questions of runs in other processes: seen and answered in the inbox, and left alone when it is left."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from maverick_tui.host.remote import RemoteRun
from maverick_tui.runs.commands import AnswerPermission
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.inbox.screen import InboxScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.open_questions import ARMED_AFTER
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.widgets.run_header import RunHeader
from tests.host.served_run import RUN, Served, serving
from tests.support.runs import PARAGRAPH, Tape
from tests.ui.running import watching
from tests.ui.waiting import until


def asking(*, length: int = 1) -> Tape:
    tape = Tape(at=time.time() - 100).connect().prompt("Tidy up").say(PARAGRAPH * length, chunk=12)
    return tape.ask("Bash", {"command": "rm -rf build"})


async def with_inbox(app: MaverickApp, pilot: Pilot[Any], run: Served, readers: int = 1) -> InboxScreen:
    """Open it, and wait for the question."""
    await until(pilot, lambda: isinstance(app.screen, PickerScreen), "the picker")
    await pilot.press("alt+i")
    await until(pilot, lambda: isinstance(app.screen, InboxScreen) and app.screen.questions.rows, "the question")
    assert isinstance(app.screen, InboxScreen)
    assert run.server.readers == readers
    return app.screen


def application() -> MaverickApp:
    return MaverickApp(Launch(Path.cwd()), preferences=Preferences())


async def test_a_question_of_another_process_is_answered_and_the_run_is_left() -> None:
    tape = asking(length=5)  # its past is taken in as a whole
    async with serving(tape.events) as run:
        app = application()
        async with app.run_test(size=(100, 30)) as pilot:
            inbox = await with_inbox(app, pilot, run)
            assert inbox.questions.rows[0].run.agent == "reviewer"
            assert not app.board.runs, "it is no run of this application"
            while not run.commands:  # a new question takes no key for a moment
                await pilot.press("ctrl+y")
                await pilot.pause(2 * ARMED_AFTER)
            (answer,) = run.commands
            assert isinstance(answer, AnswerPermission)
            assert answer.decision == "once"
            run.tell([ev.PermissionSettled(time.time(), "ask-call-1", "call-1", "once")])
            await until(pilot, lambda: not inbox.questions.rows, "it is answered")
            assert run.server.readers == 1
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, PickerScreen), "back")
            await until(pilot, lambda: not run.server.readers, "nobody reads it any more")
        run.events.close()
    assert len(run.commands) == 1


async def test_enter_goes_to_the_run_of_another_process_which_then_is_one_of_ours() -> None:
    async with serving(asking().events) as run:
        app = application()
        async with app.run_test(size=(100, 30)) as pilot:
            await with_inbox(app, pilot, run)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.run.run_id == RUN, "the run")
            assert list(app.board.runs) == [RUN]
            assert run.server.readers == 1
            run.tell([ev.PermissionSettled(time.time(), "ask-call-1", "call-1", "deny", by="pts/7")])
            await until(pilot, lambda: not app.board.runs[RUN].store.questions, "it is followed on")
        run.events.close()


async def test_one_key_goes_to_a_run_of_another_process_that_needs_a_person() -> None:
    async with serving(asking().events) as run:
        app = application()
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, PickerScreen), "the picker")
            await pilot.press("alt+n")
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.run.run_id == RUN, "the run")
        run.events.close()


async def test_who_looks_at_a_question_is_told_who_else_has_answered_it() -> None:
    async with serving(asking().events) as run:
        app, other = application(), RemoteRun(RUN, name="pts/7")
        reading = asyncio.create_task(other.serve())
        async with app.run_test(size=(100, 30)) as pilot:
            await until(pilot, lambda: other.hello is not None, "the other one reads")
            inbox = await with_inbox(app, pilot, run, readers=2)
            await until(pilot, lambda: inbox.pane.is_open, "it is shown")
            other.send(AnswerPermission("ask-call-1", "deny", "not now"))
            await until(pilot, lambda: run.commands, "it has come")
            (answer,) = run.commands
            assert isinstance(answer, AnswerPermission)
            assert answer.by == "pts/7"
            run.tell([ev.PermissionSettled(time.time(), "ask-call-1", "call-1", "deny", "not now", by=answer.by)])
            await until(
                pilot, lambda: any("denied by pts/7" in one.message for one in app._notifications), "that is told"
            )
        run.events.close()
        await reading


async def test_the_header_of_a_run_says_that_one_of_another_process_needs_a_person(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("maverick_tui.ui.inbox.asking_elsewhere.LOOK_EVERY", 0.05)
    async with serving(asking().events) as run, watching(Tape().connect().prompt("Go")) as (app, pilot):
        header = app.run_screen.query_one(RunHeader)
        await until(pilot, lambda: "⚑ 1 needs you" in header.render_line(0).text, "it is told")
        run.tell([ev.PermissionSettled(time.time(), "ask-call-1", "call-1", "deny")])
        await until(pilot, lambda: "needs you" not in header.render_line(0).text, "it is answered")
        assert not run.server.readers, "nobody reads it for that"
        run.events.close()


async def test_a_run_that_was_opened_is_not_counted_as_another_one_that_needs_a_person(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("maverick_tui.ui.inbox.asking_elsewhere.LOOK_EVERY", 3600)
    async with serving(asking().events) as run, watching(Tape().connect().prompt("Go")) as (app, pilot):
        first = app.run_screen
        await until(pilot, lambda: "⚑ 1 needs you" in first.query_one(RunHeader).render_line(0).text, "it is told")
        await pilot.press("alt+n")
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.run.run_id == RUN, "the run")
        await until(pilot, lambda: app.run_screen.store.questions, "its question")
        assert [one.board_position() for one in app.board.runs.values()] == [(1, 2, 1), (2, 2, 0)]
        run.events.close()


async def test_what_was_answered_meanwhile_is_not_counted_when_a_run_is_on_the_screen_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("maverick_tui.ui.inbox.asking_elsewhere.LOOK_EVERY", 3600)
    async with serving(asking().events) as run, watching(Tape().connect().prompt("Go")) as (app, pilot):
        header = app.run_screen.query_one(RunHeader)
        await until(pilot, lambda: "⚑ 1 needs you" in header.render_line(0).text, "it is told")
        await pilot.press("alt+i")
        await until(pilot, lambda: isinstance(app.screen, InboxScreen) and app.screen.questions.rows, "the question")
        run.tell([ev.PermissionSettled(time.time(), "ask-call-1", "call-1", "once")])
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "back")
        await until(pilot, lambda: "needs you" not in header.render_line(0).text, "it is answered")
        run.events.close()
