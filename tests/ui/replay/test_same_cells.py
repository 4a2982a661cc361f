"""Replay is the run: scenes of the demo, played live by the real engines, have the same cells when they play again."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.events.kinds import Event, ListShown, PermissionAsked, RunEnded, TurnEnded
from maverick_tui.git import head
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.writing import Journal
from maverick_tui.offline.demo.tour import TOUR, Stop
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.runs.log import EventLog
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.replay.screen import ReplayScreen
from maverick_tui.ui.run.screen import RunScreen
from tests.support.runs import Tape
from tests.support.sampling import examples
from tests.ui.replay.cells import Cells, cells_of
from tests.ui.waiting import PATIENCE, until

MOMENTS = examples(4, 20)
KIND = tuple(stop for stop in TOUR if stop.agent == "implementer")
"""It thinks, plans, runs commands and edits; what is drawn is drawn of events, whichever engine tells them."""
SIZES = ((120, 40), (80, 24))


class WatchedApp(MaverickApp):
    """The demo, whose clock says when the last event was."""

    def __init__(self) -> None:
        self.now = 0.0
        launch = Launch(Path.cwd(), is_demo=True, is_fast=True)
        super().__init__(launch, preferences=Preferences(), clock=lambda: self.now)


async def play_live(app: WatchedApp, stop: Stop, pilot: Pilot[Any]) -> tuple[RunModel, EventLog]:
    """A scene of the demo by the real CLI, to the end of its turn. Its screen is there, and shows nothing of it yet."""
    run = app._new_run(stop.agent)
    told: asyncio.Future[EventLog] = asyncio.get_running_loop().create_future()

    async def follow(events: EventLog, since: int = 0) -> None:
        async for event in events.reader():
            if isinstance(event, PermissionAsked):
                run.answer(event.request, "once")
            elif isinstance(event, TurnEnded):
                run.close()
        told.set_result(events)

    run.follow = follow  # type: ignore[method-assign]
    app._navigation.show_run(run)
    await until(pilot, lambda: app._navigation.shown_run is run and app.screen.is_mounted, "its screen is there")
    app._serving.start(run, stop.agent, {}, None)
    await until(pilot, lambda: run.handle is not None, "the run is there")
    run.ask(stop.prompt)  # not before: what waits for a run to be there is shown, but has not been told yet
    return run, await asyncio.wait_for(told, PATIENCE)


async def tell_by_hand(app: WatchedApp, pilot: Pilot[Any]) -> tuple[RunModel, list[Event]]:
    """A run that shows a list, as the to-do assistant does in the demo, without an engine: its journal is there."""
    run, tape = app._new_run("tasks"), Tape("tasks", at=app.now + 1.0)
    items = tuple({"text": f"Task {number}", "is_done": number < 2, "detail": "today"} for number in range(4))
    tape.connect().prompt("What is to be done?").tool("list_tasks", {}, "4 tasks")
    for shown in (items[:1], items):
        tape.wait(1.0).put(ListShown(tape.at, "Tasks", shown, 9)).say("Here they are.")
    tape.done().put(RunEnded(tape.at, "closed"))
    journal = Journal(journal_of(run.run_id), print)
    journal.write(0, tape.events)
    journal.close()
    app._navigation.show_run(run)
    await until(pilot, lambda: app._navigation.shown_run is run and app.screen.is_mounted, "its screen is there")
    return run, tape.events


async def watched(
    app: WatchedApp, run: RunModel, events: list[Event], moments: set[int], pilot: Pilot[Any]
) -> dict[int, Cells]:
    """What is on the screen of the run when so many of its events have come to it, one by one as they were told."""
    seen: dict[int, Cells] = {}
    screen = app.screen
    assert isinstance(screen, RunScreen)
    screen._status.queue.set_keys({})  # nothing can be done to the queue of a replay
    for count, event in enumerate(events, 1):
        app.now = max(app.now, event.at)
        app.board.receive(run, event)
        if count in moments:
            seen[count] = await cells_of(screen, pilot)
    return seen


async def replayed(app: WatchedApp, run_id: str, moments: list[int], pilot: Pilot[Any]) -> dict[int, Cells]:
    """What is on the screen when its journal plays again, at these moments in any order."""
    app.replay_run(run_id)
    await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player, "it plays")
    screen = app.screen
    assert isinstance(screen, ReplayScreen)
    player = screen.player
    assert player is not None
    player.pause()
    assert len(player.recording) == max(moments)
    seen: dict[int, Cells] = {}
    for count in moments:
        player.go_to_event(count)
        await until(pilot, lambda: not player.is_seeking, "the moment is reached")
        seen[count] = await cells_of(screen, pilot)
    await pilot.press("escape")
    await until(pilot, lambda: isinstance(app.screen, RunScreen), "it is left")
    return seen


async def compare(
    app: WatchedApp, run: RunModel, events: list[Event], chance: random.Random, pilot: Pilot[Any]
) -> list[str]:
    """What is different between the run and its replay, at some moments; the end is one of them."""
    moments = [len(events), *chance.sample(range(1, len(events)), MOMENTS)]
    live = await watched(app, run, events, set(moments), pilot)
    again = await replayed(app, run.run_id, moments, pilot)
    found = {count: live[count].unlike(again[count]) for count in moments}
    return [f"event {count}: {words}" for count, unlike in found.items() for words in unlike]


@pytest.mark.slow
@pytest.mark.parametrize(
    "stops", [pytest.param(KIND, id="one kind"), pytest.param(TOUR, id="all", marks=pytest.mark.explore)]
)
@pytest.mark.explore  # `test_screen.py` has what is seen of it
async def test_a_journal_replayed_has_the_cells_of_the_live_run(
    stops: tuple[Stop, ...], mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(head, "read_checkout", lambda _: None)  # what git says later is nothing that the run has told
    monkeypatch.setattr(Board, "position", lambda *_: (1, 1, 0))  # nor is which run of how many it is
    seed = random.SystemRandom().random() if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else 1
    chance, app = random.Random(seed), WatchedApp()
    async with app.run_test(size=SIZES[0]) as pilot:
        try:
            for number, stop in enumerate(stops):
                await pilot.resize_terminal(*SIZES[number % len(SIZES)])
                run, log = await play_live(app, stop, pilot)
                unlike = await compare(app, run, log.since(0), chance, pilot)
                assert run.store.last_outcome == ("failed" if stop.breaks else "done")
                assert not unlike, "\n".join([f"{stop.agent}, seed {seed}", *unlike])
            run, events = await tell_by_hand(app, pilot)
            assert not (unlike := await compare(app, run, events, chance, pilot)), "\n".join(unlike)
            assert isinstance(app.screen, RunScreen)
            shown = (await cells_of(app.screen, pilot)).around.values()
            assert any("Task 3" in "".join(letter for letter, _ in row) for rows in shown for row in rows)
        finally:
            app._leaving.end_now(0)
            await until(pilot, lambda: app._exit, "everything is tidied up")
