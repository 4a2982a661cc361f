"""What is kept, as checks find it: journals in every state that they can be in, and the index of them."""

from __future__ import annotations

import fcntl
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.doctor import kept
from maverick_tui.doctor.kept import check_index, check_kept_runs, check_state_folder
from maverick_tui.events import kinds as ev
from maverick_tui.history.database import index_file
from maverick_tui.history.index import RunIndex
from maverick_tui.journal.folders import journal_of, make_folder, runs_folder
from maverick_tui.journal.lines import Encoder
from tests.doctor.situations import found
from tests.runs.test_store import EVERYTHING


def keep(run_id: str, *events: ev.Event, cut: int = 0, mode: int = 0o600) -> Path:
    """A journal with these events, without its last bytes."""
    journal = journal_of(run_id)
    make_folder(journal)
    lines = Encoder().lines(0, events)
    journal.write_bytes(lines[: len(lines) - cut])
    journal.chmod(mode)
    return journal


STARTED = next(event for event in EVERYTHING if isinstance(event, ev.RunStarted))
ENDED = next(event for event in EVERYTHING if isinstance(event, ev.RunEnded))
WORDS = ev.BlockGrew(5, 1, "Hello")


@pytest.fixture(params=[60.0, 0.0], ids=["read as a whole", "by both ends"])
def reading(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_READING", request.param)


def test_runs_are_counted_and_those_that_were_interrupted_too(reading: None) -> None:
    keep("run-ended", STARTED, WORDS, ENDED)
    keep("run-torn", STARTED, WORDS, ENDED, cut=3)
    keep("run-killed", STARTED, WORDS)
    held = keep("run-alive", STARTED)
    with held.open("rb") as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        runs = found(check_kept_runs)
    assert runs.state == "fine", runs
    assert found(check_state_folder).state == "fine"
    assert (runs.details["runs"], runs.details["interrupted"]) == (4, 2)
    assert runs.details["bytes"] == sum(journal.stat().st_size for journal in runs_folder().glob("*/*"))


@pytest.mark.parametrize(
    ("first", "state", "says"),
    [(b"not json\n", "wrong", "1 cannot be read"), (None, "warning", "1 of a newer Maverick")],
    ids=["damaged", "newer"],
)
def test_a_run_that_cannot_be_read_is_said_to_be(reading: None, first: bytes | None, state: str, says: str) -> None:
    keep("run-fine", STARTED, ENDED)
    journal = keep("run-bad", STARTED, ENDED)
    lines = journal.read_bytes().splitlines(keepends=True)
    newer = json.dumps({**json.loads(lines[0]), "schema": 99}).encode() + b"\n"
    journal.write_bytes(b"".join([first or newer, *lines[1:]]))
    told = found(check_kept_runs)
    assert (told.state, says in told.fact) == (state, True), told


def test_damage_in_the_middle_is_found_where_there_is_time() -> None:
    journal = keep("run-bad", STARTED, WORDS, ENDED)
    journal.write_bytes(journal.read_bytes().replace(b'"Hello"', b'"Hel'))
    told = found(check_kept_runs)
    assert told.state == "wrong"
    assert str(journal.parent) in told.hint


def test_what_others_can_read_is_a_warning() -> None:
    keep("run-open", STARTED, ENDED, mode=0o644)
    runs = found(check_kept_runs)
    assert (runs.state, runs.hint) == ("warning", f"Run: chmod -R go= {runs_folder()}")
    runs_folder().chmod(0o755)
    assert found(check_state_folder).state == "warning"
    runs_folder().parent.chmod(0o770)
    folder = found(check_state_folder)
    assert (folder.state, folder.hint) == ("warning", f"Run: chmod go-w {runs_folder().parent}")


def test_a_state_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(tmp_path / "file"))
    for told in (found(check_state_folder), found(check_kept_runs)):
        assert told.state == "wrong"
        assert str(tmp_path / "file") in told.fact
        assert "MAVERICK_STATE_DIR" in told.hint


def test_nothing_is_made_by_looking() -> None:
    folder = found(check_state_folder)
    assert (folder.state, folder.details["exists"]) == ("fine", False)
    assert found(check_kept_runs).fact == "none yet"
    assert found(check_index).fact.startswith("none yet")
    assert not paths.user_state().exists()


def test_a_full_disk_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    for free, state in ((500 << 20, "warning"), (1 << 20, "wrong")):
        usage = type("Usage", (), {"free": free})
        monkeypatch.setattr("shutil.disk_usage", lambda _, usage=usage: usage)
        folder = found(check_state_folder)
        assert (folder.state, folder.fact.endswith("MB of room are left")) == (state, True)


def test_runs_that_are_not_kept_are_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAVERICK_KEEP_RUNS", "false")
    told = found(check_kept_runs)
    assert "keep_runs" in told.fact


# -- the index ---------------------------------------------------------------------------------------------------------


def test_an_index_is_looked_at_and_not_touched() -> None:
    keep("run-one", STARTED, WORDS, ENDED)
    with RunIndex():
        pass
    before = sorted((file.name, file.stat().st_size) for file in index_file().parent.iterdir())
    told = found(check_index)
    assert (told.state, told.details["runs"], told.fact[:6]) == ("fine", 1, "1 run,")
    with RunIndex():  # somebody has it open
        assert found(check_index).details["runs"] == 1
    assert sorted((file.name, file.stat().st_size) for file in index_file().parent.iterdir()) == before
    index_file().chmod(0o644)
    told = found(check_index)
    assert (told.state, told.hint) == ("warning", f"Run: chmod go= {index_file()}")


@pytest.mark.parametrize("damage", ["no database", "another version", "a page is gone"])
def test_a_bad_index_is_to_be_made_anew(damage: str) -> None:
    for number in range(40):
        keep(f"run-{number}", STARTED, WORDS, ENDED)
    with RunIndex():
        pass
    if damage == "no database":
        index_file().write_bytes(b"not a database" * 1_000)
    elif damage == "another version":
        with closing(sqlite3.connect(index_file())) as connection:
            connection.execute("PRAGMA user_version = 99")
    else:
        content = bytearray(index_file().read_bytes())
        content[8_192:] = bytes(len(content) - 8_192)
        index_file().write_bytes(content)
    told = found(check_index)
    assert (told.state, told.hint) == ("warning", "Make it anew: maverick runs reindex")
