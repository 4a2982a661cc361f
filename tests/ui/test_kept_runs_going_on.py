"""Kept runs in the application: gone on with."""

from __future__ import annotations

import fcntl
import threading
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from maverick_tui.events import kinds as ev
from maverick_tui.history.reading import read_run
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.writing import Journal
from maverick_tui.runs import commands
from maverick_tui.runs.board import Rest, RunModel
from maverick_tui.runs.log import EventLog
from maverick_tui.ui import kept_runs
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.dialogs.path import PathScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from tests.history.kept import AT, begun, ended, keep, keep_run, turn
from tests.history.sessions.stored import ID, Session
from tests.support.runs import STREAM_BROKE
from tests.ui.kept_app import FAILURE, RUN, KeptApp, opened, send
from tests.ui.waiting import until


async def test_a_run_that_a_limit_had_stopped_can_go_on_by_itself(tmp_path: Path) -> None:
    limit = ev.Failure("NetworkError", "rate_limit", "Too much.", retry_at=AT + 3600)
    stopped = [ev.TurnStarted(AT, 1, "Look"), ev.TurnEnded(AT, 1, "failed", ev.Usage(), failure=limit)]
    keep(RUN, [*begun(cwd=str(tmp_path)), *stopped, ev.RunEnded(AT, "closed")])
    async with opened() as (app, pilot):
        await pilot.press("alt+g")
        await until(pilot, lambda: app.gone_on, "the run goes on")
        assert app.kept.take() == [commands.PlanContinue()]


async def test_a_limit_that_has_reset_meanwhile_is_not_waited_for(tmp_path: Path) -> None:
    limit = ev.Failure("NetworkError", "rate_limit", "Too much.", hint="Wait until it resets.", retry_at=AT + 30)
    stopped = [ev.TurnStarted(AT, 1, "Look"), ev.TurnEnded(AT, 1, "failed", ev.Usage(), failure=limit)]
    keep(RUN, [*begun(cwd=str(tmp_path)), *stopped, ev.RunEnded(AT, "closed")])
    async with opened() as (app, pilot):
        assert "It should have reset at" in app.shown()
        assert "retry the prompt" in app.shown()
        assert "go on by itself" not in app.shown()
        assert "Wait" not in app.shown()
        await pilot.press("alt+g")
        assert app.run_model.rest is not None


async def test_a_prompt_makes_it_go_on_from_where_it_was(tmp_path: Path) -> None:
    keep_run(RUN, cwd=str(tmp_path))
    async with opened() as (app, pilot):
        await send(pilot, "And now?")
        await until(pilot, lambda: app.gone_on, "it goes on")
        (past,) = app.gone_on
        assert (past.agent, past.folder) == ("reviewer", tmp_path)
        (asked,) = app.kept.take()
        assert isinstance(asked, commands.SendPrompt)
        assert asked.text == "And now?"
        assert app.run_model.rest is None
        assert "I see." in app.shown()
        app.board.receive(app.run_model, ev.RunReopened(AT + 61))
        app.board.receive(app.run_model, ev.TurnStarted(AT + 62, 2, "And now?", asked.prompt_id))
        await until(pilot, lambda: "And now?" in app.shown(), "what comes is shown below what was")
        assert not app.run_model.store.queue


async def test_the_keys_of_a_banner_make_it_go_on(tmp_path: Path) -> None:
    told = turn(prompt="Look", outcome="failed", failure=FAILURE)
    keep(RUN, [*begun(cwd=str(tmp_path)), *told, *ended()])
    async with opened() as (app, pilot):
        await pilot.press("f5")
        await until(pilot, lambda: app.gone_on)
        assert [command.text for command in app.kept.take()] == ["Look"]  # type: ignore[attr-defined]


@pytest.mark.explore
async def test_a_folder_that_is_gone_is_told_and_another_one_taken(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    keep_run(RUN, cwd=str(gone))
    async with opened() as (app, pilot):
        await send(pilot, "Go on")
        await until(pilot, lambda: app.top == "PathScreen" and app.screen.is_mounted, "it asks")
        assert isinstance(app.screen, PathScreen)
        assert app.screen.query_one(Input).value == "/nowhere/shop"
        await pilot.press("enter")
        assert app.top == "PathScreen", "that one is not there either"
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen")
        assert app.run_screen.prompt.text == "Go on", "nothing that was typed is lost"
        assert not app.run_model.store.queue
        assert not app.gone_on
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "PathScreen" and app.screen.is_mounted)
        app.screen.query_one(Input).value = str(tmp_path)
        await pilot.press("enter")
        await until(pilot, lambda: app.gone_on)
        assert app.gone_on[0].folder == tmp_path


async def test_a_run_that_a_script_played_cannot_go_on() -> None:
    keep_run(RUN, is_offline=True)
    async with opened() as (app, pilot):
        assert "A script played this run" in app.run_screen.prompt.placeholder.plain  # type: ignore[union-attr]
        await send(pilot, "Go on")
        await until(pilot, lambda: app.notes)
        assert "not continued" in app.notes[0]
        assert app.run_screen.prompt.text == "Go on"
        await pilot.press("f9", "y")
        await until(pilot, lambda: app.top == "PickerScreen")


async def test_the_banner_of_one_that_cannot_go_on_has_no_keys_that_only_refuse() -> None:
    keep_run(RUN, is_offline=True, outcome="failed", failure=STREAM_BROKE)
    async with opened() as (app, pilot):

        def shown() -> str:
            return "\n".join(strip.text for strip in app.screen._compositor.render_strips())

        await until(pilot, lambda: "F8 details" in shown())
        assert "F5" not in shown()
        assert "F6" not in shown()
        await pilot.press("f5", "f6")
        assert not app.notes


async def test_a_prompt_that_was_changed_in_vain_is_not_sent_as_it_was(tmp_path: Path) -> None:
    keep_run(RUN, cwd=str(tmp_path))
    async with opened() as (app, pilot):
        run = app.run_model
        run.store.queue["p1"] = "Old words"
        run.come_back([])
        run.edit_prompt("p1", "New words")
        app._kept._lay_down_again(run, Rest("Its agent cannot be loaded"))
        assert app.run_screen.prompt.text == "New words"
        assert not run.store.queue
        await pilot.press("enter")
        await until(pilot, lambda: app.gone_on, "it goes on")
        dropped, sent = app.kept.take()
        assert dropped == commands.DropPrompt("p1")
        assert isinstance(sent, commands.SendPrompt)
        assert sent.text == "New words"


async def test_one_that_has_come_to_life_elsewhere_does_not_go_on_here(tmp_path: Path) -> None:
    path = keep_run(RUN, cwd=str(tmp_path))
    async with opened() as (app, pilot):
        with path.open("rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            await send(pilot, "Go on")
            await until(pilot, lambda: app.notes)
        assert "is still going on" in app.notes[0]
        assert app.run_screen.prompt.text == "Go on"
        await pilot.press("enter")
        await until(pilot, lambda: app.gone_on, "later it does")


@pytest.mark.explore
async def test_closing_it_while_it_comes_back_keeps_it_from_going_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_closed, read = threading.Event(), kept_runs._to_go_on

    def read_slowly(run_id: str) -> Any:
        assert is_closed.wait(60)
        return read(run_id)

    monkeypatch.setattr(kept_runs, "_to_go_on", read_slowly)
    keep_run(RUN, cwd=str(tmp_path))
    async with opened() as (app, pilot):
        await send(pilot, "Go on")
        await pilot.press("f9")
        await until(pilot, lambda: app.top == "ConfirmScreen", "it asks")
        assert app.run_model.is_kept
        await pilot.press("y")
        await until(pilot, lambda: not app.board.runs)
        is_closed.set()
        await until(pilot, lambda: not any(one.group == "kept" and one.is_running for one in app.workers), "it is over")
        assert not app.gone_on


@pytest.mark.explore
async def test_a_run_that_goes_on_while_it_is_opened_again_stays_in_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, read = threading.Event(), kept_runs._open_run
    keep_run(RUN, cwd=str(tmp_path))
    async with opened() as (app, pilot):

        def read_slowly(*asked: Any) -> Any:
            assert goes_on.wait(60)
            return read(*asked)

        monkeypatch.setattr(kept_runs, "_open_run", read_slowly)
        app.open_kept(RUN)
        await send(pilot, "Go on")
        await until(pilot, lambda: app.gone_on, "it goes on")
        served = app.run_model.handle
        goes_on.set()
        await until(pilot, lambda: not any(one.group == "kept" and one.is_running for one in app.workers), "it is read")
        assert app.run_model.handle is served
        assert app.run_model.rest is None
        app.kept.take()
        app.run_model.interrupt()
        assert app.kept.take() == [commands.Interrupt()]


@pytest.mark.parametrize("agent", ["implementer", "Claude Code"])
async def test_a_session_goes_on_with_the_agent_that_was_named(tmp_path: Path, agent: str) -> None:
    Session(cwd=str(tmp_path)).ask("Go").answer("Yes").write()
    app = KeptApp(Launch(tmp_path, agent, resumes=ID))
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.gone_on, "it goes on")
        assert [one.agent for one in app.gone_on] == [agent]


async def test_an_agent_that_is_gone_is_told_as_for_any_run(tmp_path: Path) -> None:
    keep_run(RUN, agent="nobody-any-more", cwd=str(tmp_path))
    app = MaverickApp(Launch(tmp_path), preferences=Preferences())
    async with app.run_test(size=(100, 40)) as pilot:
        app.open_kept(RUN)
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.is_mounted)
        await send(pilot, "Go on")
        (run,) = app.board.runs.values()
        await until(pilot, lambda: run.store.failure is not None, "it is told")
        assert run.store.failure is not None
        assert "nobody-any-more" in run.store.failure.message
        assert list(run.store.queue.values()) == ["Go on"], "it waits for the agent to come back"
        assert run.is_kept
        app._leaving.end_now(0)
        await until(pilot, lambda: app._exit)
    assert [type(event) for event in read_run(RUN).events[8:12]] == [
        ev.RunEnded,
        ev.RunReopened,
        ev.PromptQueued,
        ev.Connecting,
    ]


class Crashing:
    """A run that ends by itself while it is looked at."""

    def __init__(self, run: RunModel, folder: Path) -> None:
        self.events = EventLog()
        self.events.keep_in(Journal(journal_of(run.run_id), print))
        self.told = [*begun(run.run_id, cwd=str(folder)), *turn(), *ended(reason="RuntimeError: it broke")]

    def send(self, command: commands.Command) -> None:
        raise AssertionError(f"nobody hears {command}")

    async def serve(self) -> None:
        for event in self.told:
            self.events.emit(event)
        self.events.close()


async def test_a_run_that_has_ended_by_itself_goes_on_when_something_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maverick_tui.ui.in_process.make_run", lambda _app, run, *_: Crashing(run, tmp_path))
    app = KeptApp()
    async with app.run_test(size=(100, 30)) as pilot:
        run = app._new_run("reviewer")
        app._navigation.show_run(run)
        app.run_worker(app._serving._serve(run, "reviewer", {}, None), exit_on_error=False)
        await until(pilot, lambda: run.rest is not None, "it has ended")
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted)
        await send(pilot, "Go on")
        await until(pilot, lambda: app.gone_on, "it goes on")
        assert len(app.gone_on[0].past.events) == len(read_run(run.run_id).events)
