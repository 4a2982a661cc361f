"""So many runs work at once; the others wait in the order of asking, whoever is killed meanwhile."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.host import waiting_line
from maverick_tui.host.leftovers import left_behind, tidy_up
from maverick_tui.host.live import LiveRun, _place
from maverick_tui.host.places import make_runtime_folder, runtime_folder
from maverick_tui.host.state import LiveState
from maverick_tui.host.waiting_line import WaitingLine, numbers_folder
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
    assert [*numbers_folder().iterdir()] == []


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
from maverick_tui.host.waiting_line import WaitingLine, numbers_folder
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
    assert [path.suffix for path in numbers_folder().iterdir()] == [".turn"], "what the killed have left is removed"


@pytest.mark.parametrize("comes_back", [True, False])
def test_nobody_loses_their_place_when_the_system_removes_its_runtime_folder(
    comes_back: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    of_system = tmp_path / "run"
    of_system.mkdir(mode=0o700)
    monkeypatch.delenv("MAVERICK_RUNTIME_DIR")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(of_system))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where it is without that of the system
    make_runtime_folder()
    one, two, three = (line(run_id, 1)[0] for run_id in IDS[:3])
    assert (one.try_enter(), two.try_enter(), three.try_enter()) == (True, False, False)
    shutil.rmtree(of_system)
    if comes_back:
        of_system.mkdir(mode=0o700)
    new = line(IDS[3], 1)[0]
    assert (three.try_enter(), new.try_enter(), two.try_enter()) == (False, False, False), "the first one works"
    one.leave()
    assert (new.try_enter(), three.try_enter(), two.try_enter()) == (False, False, True), "their order is what it was"
    for each in (two, three, new):
        each.leave()


def test_hosts_of_older_versions_which_draw_beside_the_sockets_come_first() -> None:
    left, number = (make_runtime_folder() / f"{value:012d}.turn" for value in (3, 7))
    left.touch()
    held = os.open(number, os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    new, events = line(IDS[0], 1)
    assert not new.try_enter()
    assert notices(events) == ["It waits for its turn: 1 before it (max_runs is 1)."]
    assert [*runtime_folder().iterdir()] == [number]
    os.close(held)
    assert new.try_enter(), "it was killed"
    new.leave()


def test_machines_that_share_a_home_directory_count_their_own_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert line(IDS[0], 1)[0].try_enter()
    monkeypatch.setattr(waiting_line, "_MACHINE", other := tmp_path / "machine-id")
    other.write_text("fedcba9876543210\n")
    assert line(IDS[1], 1)[0].try_enter()
    assert not line(IDS[2], 1)[0].try_enter()


def test_a_number_of_one_that_was_killed_is_left_over() -> None:
    one = line(IDS[0])[0]
    assert one.try_enter()
    number = numbers_folder() / "000000000009.turn"
    number.touch()
    assert left_behind() == [number], "also without a folder for sockets"
    tidy_up()
    assert [path.name for path in numbers_folder().iterdir()] == ["000000000001.turn"]
    one.leave()


def test_where_the_state_folder_has_no_locks_numbers_are_beside_the_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    flock = fcntl.flock

    def without_locks(descriptor: int, operation: int) -> None:
        if Path(f"/dev/fd/{descriptor}").resolve().is_relative_to(numbers_folder()):
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", without_locks)
    (one, _), (two, _) = line(IDS[0], 1), line(IDS[1], 1)
    assert (one.try_enter(), two.try_enter()) == (True, False)
    one.leave()
    assert two.try_enter()
    two.leave()
    assert [*numbers_folder().iterdir()] == [*runtime_folder().iterdir()] == []


def test_where_nobody_can_draw_a_number_runs_work_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    numbers_folder().parent.parent.mkdir(parents=True)
    numbers_folder().parent.touch()
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
    assert [*numbers_folder().iterdir()] == []
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
