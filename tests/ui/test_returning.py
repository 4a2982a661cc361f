"""Runs at rest that somebody else has go on: they are followed again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from maverick_tui.runs.board import Board, Rest, RunModel
from maverick_tui.runs.commands import SendPrompt, SetModel
from maverick_tui.ui import returning
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.dialogs.short_questions import ConfirmScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.returning import Returning
from maverick_tui.ui.run.screen import RunScreen
from tests.history.kept import keep
from tests.host.served_run import RUN, serving
from tests.support.runs import BEGAN, Tape
from tests.support.sampling import sampled
from tests.ui.test_attached import shown
from tests.ui.waiting import until


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returning, "LOOK_EVERY", 0.01)


def ended(turns: int = 1) -> Tape:
    tape = Tape().connect()
    for number in range(turns):
        tape.prompt(f"Go {number}").say("The first answer.").done()
    return tape.put(ev.RunEnded(BEGAN + 60, "closed"))


def gone_on(tape: Tape) -> Tape:
    """The same run, in a new process."""
    return deepcopy(tape).put(ev.RunReopened(BEGAN + 61)).prompt("More").say("The second answer.")


@asynccontextmanager
async def at_rest(tape: Tape) -> AsyncIterator[tuple[MaverickApp, Pilot[Any], RunModel]]:
    """The application with a kept run on the screen."""
    keep(RUN, tape.events)
    app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        app.open_kept(RUN)
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and "The first answer." in shown(app))
        yield app, pilot, app.board.runs[RUN]


@pytest.mark.parametrize("turns", sampled([1, 120], 2, ["a short one", "a long one"]))
async def test_what_it_tells_and_asks_in_its_new_process_is_there(turns: int) -> None:
    tape = ended(turns)
    async with at_rest(tape) as (app, pilot, run):
        await until(pilot, lambda: run.rest is not None and not app._kept._opening, "it is read")
        await pilot.press(*"typed meanwhile")
        async with serving(gone_on(tape).ask("Bash", {"command": "ls"}).events) as served:
            await until(pilot, lambda: "wants permission" in shown(app), "its question is shown")
            assert shown(app).count("The second answer.") == 1
            assert isinstance(app.screen, RunScreen)
            assert app.screen.prompt.text == "typed meanwhile"
            assert app.board.position(run) == (1, 1, 0)
            await pilot.press("ctrl+n")
            await until(pilot, lambda: isinstance(app.screen, PickerScreen) and app.screen.is_mounted)
            await pilot.press("alt+n")
            await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen.is_mounted, "it needs you")
            assert app.screen.prompt.text == "typed meanwhile"
            await pilot.press("enter")
            await until(pilot, lambda: served.commands, "what is sent goes there")
            served.events.close()
    assert [command.text for command in served.commands if isinstance(command, SendPrompt)] == ["typed meanwhile"]


async def test_what_counts_once_it_goes_on_counts_whoever_has_it_go_on() -> None:
    tape = ended()
    async with at_rest(tape) as (app, pilot, run):
        run.set_model("opus")
        run.name("by the cook")
        async with serving(gone_on(tape).events) as served:
            await until(pilot, lambda: served.commands)
            await until(pilot, lambda: "The second answer." in shown(app))
            assert run.title == "by the cook"
            served.events.close()
    assert served.commands == [SetModel("opus")]


async def test_who_only_reads_goes_on_to() -> None:
    tape = ended()
    async with at_rest(tape) as (app, pilot, run):
        run.is_read_only = True
        async with serving(gone_on(tape).events) as served:
            await until(pilot, lambda: "The second answer." in shown(app))
            assert run.is_only_watched
            served.events.close()


async def test_a_dialog_goes_on_to_ask_about_a_run_at_rest() -> None:
    tape = ended()
    async with at_rest(tape) as (app, pilot, _run):
        await pilot.press(*"typed", "f9")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen), "it asks")
        async with serving(gone_on(tape).events) as served:
            assert await Returning(app.board, app._kept._can_follow).found() == []
            assert not served.server.readers
            await pilot.press("escape")
            await until(pilot, lambda: "The second answer." in shown(app), "it is followed once nothing is asked")
            served.events.close()


async def test_a_host_that_is_about_to_go_is_none_and_each_is_followed_once() -> None:
    board = Board(lambda *_: None)
    run = RunModel(RUN, "reviewer", board)
    board.add(run)
    looking = Returning(board, lambda _run: True)
    tape = ended()
    async with serving(tape.events) as served:
        assert await looking.found() == [], "it is served"
        run.rest = Rest("It has ended")
        assert await looking.found() == [], "its process goes"
        served.tell(gone_on(tape).events[len(tape.events) :])
        assert await looking.found() == [run]
        assert await looking.found() == [], "it was left, and is not tried again and again"
        run.machine = "kitchen"
        assert await Returning(board, lambda _run: True).found() == [], "that of another machine is none of ours"
        served.events.close()
