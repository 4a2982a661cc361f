"""So many runs work at once; the others wait in the order of asking, whoever is killed meanwhile."""

from __future__ import annotations

import asyncio
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.host.live import LiveRun, _place
from maverick_tui.host.places import runtime_folder
from maverick_tui.host.state import LiveState
from maverick_tui.host.waiting_line import WaitingLine
from maverick_tui.interpreter import python_environment
from maverick_tui.runs.admission import TURN_COMES, WAITS_FOR_TURN
from maverick_tui.runs.commands import CloseRun, Interrupt, ReleasePrompts
from maverick_tui.runs.log import EventLog
from tests.host.served_run import until
from tests.runs.pretending import Pretended, Pretender
from tests.runs.watching import Watched, check_well_formed

IDS = [f"{number:012x}" for number in range(1, 7)]


def line(run_id: str, most: int = 2) -> tuple[WaitingLine, EventLog]:
    events = EventLog(is_batched=False)
    return WaitingLine(run_id, most, events), events


def notices(events: EventLog) -> list[str]:
    return [event.text for event in events.since(0) if isinstance(event, ev.Noticed)]


def state(events: EventLog) -> dict[str, Any]:
    told = LiveState()
    for event in events.since(0):
        told.take(event)
    return told.to_json()


def phase(events: EventLog) -> str:
    return str(state(events)["phase"])


async def test_those_above_the_limit_wait_in_the_order_of_asking_and_know_how_many_are_before_them() -> None:
    (one, first), (two, _), (three, third), (four, fourth) = map(line, IDS[:4])
    assert [each.try_enter() for each in (one, two, four, three)] == [True, True, False, False]
    assert notices(fourth) == ["It waits for its turn: 1 before it (max_runs is 2)."]
    assert notices(third) == ["It waits for its turn: 2 before it (max_runs is 2)."]
    assert (phase(third), notices(first)) == ("queued", [])
    third.emit(ev.PromptQueued(0.0, "p1", "Fix the cart"))
    assert state(third)["first_prompt"] == "Fix the cart", "it was asked something, though nobody has begun with it"
    entering = asyncio.create_task(three.enter())
    two.leave()
    await until(lambda: len(notices(third)) == 2, "it has moved up")
    assert four.try_enter(), "it has asked before"
    four.leave()
    await entering
    assert notices(third)[1:] == ["It waits for its turn: 1 before it (max_runs is 2).", "It is its turn."]
    assert phase(third) != "queued"
    assert not two.try_enter(), "who comes back asks anew"
    for each in (one, two, three):
        each.leave()
    assert [*runtime_folder().iterdir()] == []


async def test_without_a_limit_nobody_waits_and_everybody_counts() -> None:
    free, strict = line(IDS[0], 0)[0], line(IDS[1], 1)[0]
    assert (free.try_enter(), strict.try_enter(), line(IDS[2], 0)[0].try_enter()) == (True, False, True)


async def test_one_that_rests_makes_room_and_has_to_ask_again() -> None:
    is_idle = False
    (one, _), (two, _) = line(IDS[0], 1), line(IDS[1], 1)
    assert one.try_enter()
    giving_way = asyncio.create_task(one.give_way(lambda: is_idle))
    waiting = asyncio.create_task(two.enter())
    await asyncio.sleep(0)
    assert not waiting.done()
    is_idle = True
    await waiting
    assert not one.try_enter()
    giving_way.cancel()


HOLDER = """
import asyncio, sys
from maverick_tui.host.waiting_line import WaitingLine
from maverick_tui.runs.log import EventLog
async def main():
    print(WaitingLine(sys.argv[1], 1, EventLog()).try_enter(), flush=True)
    await asyncio.sleep(300)
asyncio.run(main())
"""


async def test_one_that_is_killed_leaves_no_gap_whether_it_works_or_waits(mark: str) -> None:
    killed = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", HOLDER, run_id], stdout=subprocess.PIPE, env=python_environment(), text=True
        )
        for run_id in IDS[:2]
    ]
    try:
        said = []
        for one in killed:  # in their order
            assert one.stdout is not None
            said.append(await asyncio.to_thread(one.stdout.readline))
        last, events = line(IDS[2], 1)
        assert not last.try_enter()
        before = notices(events)
    finally:
        for one in killed:
            one.send_signal(signal.SIGKILL)
            one.communicate()
    assert sorted(said) == ["False\n", "True\n"]
    assert before == ["It waits for its turn: 2 before it (max_runs is 1)."]
    await last.enter()
    assert [path.suffix for path in runtime_folder().iterdir()] == [".turn"], "what the killed have left is removed"


async def test_a_folder_that_the_system_has_removed_takes_nobody_s_place() -> None:
    one, two, three = (line(run_id, 1)[0] for run_id in IDS[:3])
    assert (one.try_enter(), two.try_enter(), three.try_enter()) == (True, False, False)
    staying = asyncio.create_task(one.give_way(lambda: False))
    shutil.rmtree(runtime_folder())
    await until(lambda: runtime_folder().exists() and [*runtime_folder().iterdir()], "its number is back")
    assert (three.try_enter(), two.try_enter()) == (False, False)
    staying.cancel()
    one.leave()
    assert (three.try_enter(), two.try_enter()) == (False, True), "their order is what it was"


async def test_where_nobody_can_draw_a_number_runs_work_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    runtime_folder().symlink_to(Path.cwd())
    assert line(IDS[0], 1)[0].try_enter()
    assert "turn" in caplog.text


# -- a run in the line -------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[Pretended]:
    monkeypatch.setattr(Pretender, "sessions", [])
    return Pretender.sessions


async def test_a_run_waits_before_it_connects_and_before_each_prompt_and_what_is_sent_meanwhile_waits(
    sessions: list[Pretended],
) -> None:
    other = line(IDS[0], 1)[0]
    assert other.try_enter()
    run = Watched(Pretender)
    run.run.admission = own = WaitingLine(IDS[1], 1, run.run.events)
    serving = run.start()
    run.prompt("one")
    await run.until(ev.Noticed)
    assert (sessions, run.all(ev.Connecting), run.run.is_idle, phase(run.run.events)) == ([], [], False, "queued")
    other.leave()
    assert (await run.until(ev.TurnEnded)).outcome == "done"
    own.leave()  # it rests
    assert other.try_enter()
    run.prompt("two")
    run.send(Interrupt())
    await run.until(ev.PromptsHeld)
    run.send(ReleasePrompts())
    assert phase(run.run.events) == "queued"
    other.leave()
    await run.until(ev.TurnEnded, 2)
    own.leave()
    assert other.try_enter()
    run.prompt("three")
    run.send(CloseRun())
    await serving
    assert [turn.text for turn in run.all(ev.TurnStarted)] == ["one", "two"]
    assert len(sessions) == 1
    other.leave()
    assert [*runtime_folder().iterdir()] == []
    check_well_formed(run.events)


def test_a_list_has_those_that_wait_in_the_order_of_asking() -> None:
    def run(name: str, started: float, *events: ev.Event) -> LiveRun:
        state = LiveState()
        for event in (ev.RunStarted(started, name, "explorer"), ev.Connected(started), *events):
            state.take(event)
        return LiveRun(name, state.to_json(), started, has_host=False)

    def waits(at: float) -> ev.Noticed:
        return ev.Noticed(at, WAITS_FOR_TURN, "It waits for its turn.")

    runs = [
        run("old", 1.0),
        run("second", 2.0, waits(6.0)),
        run("first", 3.0, waits(5.0), waits(7.0)),  # it is told again as others go
        run("third", 4.0, waits(3.0), ev.Noticed(4.0, TURN_COMES, "It is its turn."), waits(8.0)),
        run("new", 5.0),
        run("asks", 0.5, ev.PermissionAsked(1.0, "q", "c", "Bash", {})),
    ]
    assert [one.run_id for one in sorted(runs, key=_place)] == ["asks", "new", "old", "first", "second", "third"]
