"""A journal is written before anybody reads, by one process, for its user alone; what goes wrong ends nothing."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal import writing
from maverick_tui.journal.folders import delete_run, find_run, is_alive, journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from maverick_tui.journal.writing import Journal
from maverick_tui.runs.log import EventLog
from tests.runs.test_store import EVERYTHING
from tests.support.hosts import PATIENCE


@pytest.fixture
def path() -> Path:
    return journal_of("7f3a00c0ffee")


@pytest.fixture
def troubles() -> list[str]:
    return []


@pytest.fixture
def journal(path: Path, troubles: list[str]) -> Iterator[Journal]:
    one = Journal(path, troubles.append)
    yield one
    one.close()


def test_what_was_written_is_there_at_once_and_for_its_user_alone(journal: Journal, path: Path) -> None:
    journal.write(0, EVERYTHING[:5])
    journal.write(5, EVERYTHING[5:])
    assert read_journal(path).events == EVERYTHING
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_a_run_is_alive_until_its_journal_is_closed(journal: Journal, path: Path) -> None:
    assert not is_alive(path)
    journal.write(0, EVERYTHING[:1])
    assert is_alive(path)
    journal.close()
    assert not is_alive(path)


def test_a_killed_process_leaves_a_journal_that_can_be_read(path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from maverick_tui.journal.writing import Journal;"
        "from maverick_tui.events.kinds import RunStarted; journal = Journal(Path(sys.argv[1]), print);"
        "journal.write(0, [RunStarted(1, 'r', 'a')]); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-P", "-c", code, path], check=False)
    assert read_journal(path).events == [ev.RunStarted(1, "r", "a")]
    assert not is_alive(path)


@pytest.mark.parametrize("cut", [1, 7, 40])
def test_a_torn_end_is_cut_off(journal: Journal, path: Path, cut: int) -> None:
    journal.write(0, EVERYTHING)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    reading = read_journal(path)
    assert reading.events == EVERYTHING[:-1]
    assert whole[reading.size - 1 : reading.size] == b"\n"
    assert not reading.problem


@pytest.mark.parametrize("bad", [1, 3])
def test_damage_is_told_and_all_else_is_there_by_its_number(journal: Journal, path: Path, bad: int) -> None:
    for number, event in enumerate(EVERYTHING):
        journal.write(number, [event])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join((*lines[:4], *[b"\0\0\0\n"] * bad, *lines[4 + bad :])))
    reading = read_journal(path)
    assert reading.events[:4] == EVERYTHING[:4]
    assert reading.events[4 + bad :] == EVERYTHING[4 + bad :]
    assert reading.events[4].type == "noticed"
    assert "damaged after 4 events" in reading.problem
    assert f"{bad} line" in reading.problem
    assert not reading.is_cut


def test_no_number_makes_a_journal_longer_than_it_is(journal: Journal, path: Path) -> None:
    journal.write(0, EVERYTHING[:3])
    path.write_bytes(path.read_bytes() + b'x\n{"seq":999999999999,"type":"run_ended","at":1}\n')
    reading = read_journal(path)
    assert reading.events == EVERYTHING[:3]
    assert reading.is_cut


def test_a_journal_is_read_from_any_line_on(journal: Journal, path: Path) -> None:
    for number, event in enumerate(EVERYTHING):
        journal.write(number, [event])
    offset = 0
    for line in path.read_bytes().splitlines(keepends=True):
        first = json.loads(line).get("seq")
        if first is not None:
            reading = read_journal(path, offset, first)
            assert reading.events[-1:] == EVERYTHING[-1:]
            assert len(reading.events) == len(EVERYTHING) - first
            assert (reading.size, reading.problem) == (path.stat().st_size, "")
        offset += len(line)
    wrong = read_journal(path, 0, 3)
    assert "damaged after 3 events" in wrong.problem, "who knows another journal by this place is told"


def test_no_journal_and_a_newer_one_are_said_to_be_so(path: Path) -> None:
    with pytest.raises(ConfigError, match="no journal"):
        read_journal(path)
    path.parent.mkdir(parents=True)
    path.write_text('{"seq":0,"type":"run_started","at":1,"run_id":"r","agent":"a","schema":99}\n')
    with pytest.raises(ConfigError, match="schema 99") as told:
        read_journal(path)
    assert "Update Maverick" in told.value.hint


# -- a disk that takes nothing -----------------------------------------------------------------------------------------


def test_a_full_disk_is_told_once_and_everything_is_written_when_there_is_room(
    journal: Journal, path: Path, troubles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "TRY_AGAIN", 0.0)
    journal.write(0, EVERYTHING[:3])
    write, room = os.write, 10

    def full(descriptor: int, data: bytes) -> int:
        nonlocal room
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken, room = room, 0
        return write(descriptor, data[:taken])

    monkeypatch.setattr(os, "write", full)
    for number in range(3, 9):
        journal.write(number, [EVERYTHING[number]])
    (told,) = troubles
    assert "No space left" in told
    assert "Make room" in told
    assert read_journal(path).events == EVERYTHING[:3], "what is torn is cut off"
    monkeypatch.setattr(os, "write", write)
    journal.write(9, EVERYTHING[9:])
    assert read_journal(path).events == EVERYTHING
    assert "kept again" in troubles[1]


async def test_a_disk_that_has_room_again_is_written_to_though_nothing_comes(
    journal: Journal, path: Path, troubles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "TRY_AGAIN", 0.01)
    write, attempts = os.write, 0

    def full(_descriptor: int, _data: bytes) -> int:
        nonlocal attempts
        attempts += 1
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    journal.write(0, EVERYTHING)
    async with asyncio.timeout(PATIENCE):
        while attempts < 3:
            await asyncio.sleep(0.01)
        monkeypatch.setattr(os, "write", write)
        while len(troubles) < 2:
            await asyncio.sleep(0.01)
    assert read_journal(path).events == EVERYTHING
    assert ["kept again" in told for told in troubles] == [False, True]


@pytest.mark.parametrize("is_at_once", [True, False], ids=["while the other one works", "after it has ended"])
def test_what_another_process_has_told_of_the_run_meanwhile_is_not_cut_off(
    journal: Journal, path: Path, troubles: list[str], monkeypatch: pytest.MonkeyPatch, is_at_once: bool
) -> None:
    monkeypatch.setattr(writing, "TRY_AGAIN", 0.0)
    journal.write(0, EVERYTHING[:3])
    journal.close()
    with path.open("ab") as torn:
        torn.write(b'{"seq":3,"ty')
    size = read_journal(path).size
    other, ours = (Journal(path, troubles.append, size=size) for _ in range(2))
    other.write(3, EVERYTHING[3:5])
    if is_at_once:
        ours.write(3, EVERYTHING[3:4])
        assert "in another process" in troubles.pop()
    other.write(5, EVERYTHING[5:7])
    other.close()
    for _ in range(2):
        ours.write(3, EVERYTHING[3:4])
    ours.close()
    assert read_journal(path).events == EVERYTHING[:7]
    (told,) = troubles
    assert "has gone on in another process meanwhile" in told


def test_a_state_folder_that_is_no_folder_is_told(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = home / "state"
    file.touch()
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(file))
    troubles: list[str] = []
    journal = Journal(journal_of("7f3a00c0ffee"), troubles.append)
    journal.write(0, EVERYTHING)
    journal.close()
    (told,) = troubles
    assert str(file) in told


# -- with the log ------------------------------------------------------------------------------------------------------


class Reads:
    """A journal that looks whether somebody could read before it wrote."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.written: list[Event] = []
        self.batches: list[int] = []

    def write(self, first: int, events: Sequence[Event], /) -> None:
        assert first == len(self.written) == len(self.log)
        self.written += events
        self.batches.append(len(events))

    def close(self) -> None:
        self.batches.append(0)


async def test_nothing_is_read_before_it_is_written_and_deltas_are_told_together() -> None:
    log = EventLog()
    kept = Reads(log)
    log.keep_in(kept)
    log.emit(ev.BlockStarted(1, 1, "text"))
    for number in range(50):
        log.emit(ev.BlockGrew(2 + number, 1, "word "))
        assert len(log) == len(kept.written)
    assert kept.batches == [1, 1], "the first word does not wait"
    await log.wait(51 - 1)
    assert kept.batches == [1, 1, 49]
    log.emit(ev.BlockGrew(99, 1, "last"))
    log.emit(ev.BlockEnded(99, 1))
    assert kept.batches[3:] == [2]
    log.close()
    assert kept.written == log.since(0)
    assert kept.batches[-1] == 0


async def test_what_was_told_before_there_is_a_journal_is_written_first() -> None:
    log = EventLog()
    for event in EVERYTHING[:6]:
        log.emit(event)
    written: list[tuple[int, int]] = []

    class Notes:
        def write(self, first: int, events: Sequence[Event], /) -> None:
            written.append((first, len(events)))

        def close(self) -> None:
            pass

    log.keep_in(Notes())
    log.emit(EVERYTHING[6])
    assert written == [(0, 6), (6, 1)]


async def test_the_disk_is_asked_at_the_end_of_a_turn(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = threading.Event()
    monkeypatch.setattr(os, "fsync", lambda _descriptor: synced.set())
    monkeypatch.setattr(writing, "SYNC_EVERY", 1_000.0)
    journal.write(0, [ev.RequestStarted(1)])
    journal.write(1, [ev.TurnEnded(2, 1, "done", ev.Usage())])
    assert await asyncio.to_thread(synced.wait, 60)


# -- ids ---------------------------------------------------------------------------------------------------------------


def test_an_id_may_be_shortened_to_what_is_unique() -> None:
    assert [*kept_runs()] == []
    for run_id in ("7f3a00c0ffee", "7f3b00c0ffee", "a00000000000"):
        journal_of(run_id).parent.mkdir(parents=True)
        journal_of(run_id).touch()
    assert sorted(kept_runs()) == ["7f3a00c0ffee", "7f3b00c0ffee", "a00000000000"]
    assert find_run("7f3a") == "7f3a00c0ffee"
    assert find_run("a") == "a00000000000"
    for start, why in (("7f3", "2 runs"), ("b", "No run"), ("", "No run")):
        with pytest.raises(ConfigError, match=why):
            find_run(start)
    delete_run("a00000000000")
    assert sorted(kept_runs()) == ["7f3a00c0ffee", "7f3b00c0ffee"]


@pytest.mark.parametrize("run_id", ["../../etc", "a/b", "", ".", "..", "-rf", "A" * 12])
def test_what_is_no_id_names_no_folder(run_id: str) -> None:
    with pytest.raises(ConfigError, match="not the id of a run"):
        journal_of(run_id)
