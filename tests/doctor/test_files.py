"""Files that checks look at: settings, agents, the folder, and journals in every state that they can be in."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path

import pytest

from maverick_tui import paths
from maverick_tui.config import config_file
from maverick_tui.doctor import files
from maverick_tui.doctor.files import check_agents, check_folder, check_kept_runs, check_settings, check_state_folder
from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import journal_of, make_folder, runs_folder
from maverick_tui.journal.lines import Encoder
from tests.cli.agent_files import write_agent
from tests.doctor.situations import found
from tests.runs.test_store import EVERYTHING


def settings(text: str, mode: int = 0o600) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text)
    config_file().chmod(mode)


# -- settings, agents, the folder --------------------------------------------------------------------------------------


def test_settings_that_are_right_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(check_settings).fact.startswith("all at their defaults")
    settings("timeout = 20\n", 0o644)
    monkeypatch.setenv("MAVERICK_MODEL", "opus")
    told = found(check_settings)
    assert (told.state, told.details["changed"]) == ("fine", ["model", "timeout"])


@pytest.mark.parametrize(
    ("text", "mode", "state", "says"),
    [
        ("timout = 3\n", 0o600, "wrong", "Did you mean 'timeout'?"),
        ('[keys]\n"run.verbosty" = "f5"\n', 0o600, "warning", "run.verbosty"),
        ('[env]\nMY_TOKEN = "opensesame-1"\n', 0o640, "warning", "others can read it"),
        ('tasks_url = "postgresql://me:opensesame-1@db/tasks"\n', 0o604, "warning", "others can read it"),
        ('[env]\nMY_TOKEN = "opensesame-1"\n', 0o600, "fine", "env.MY_TOKEN"),
    ],
)
def test_settings_that_are_not_say_why(text: str, mode: int, state: str, says: str) -> None:
    settings(text, mode)
    told = found(check_settings)
    assert told.state == state, told
    assert says in told.fact
    assert "opensesame" not in json.dumps(told.to_json())


def test_agents_with_problems_are_named() -> None:
    assert found(check_agents).state == "fine"
    write_agent("careful", "model:")
    warned = found(check_agents)
    assert (warned.state, warned.hint) == ("warning", "Run: maverick agents check")
    Path(".claude/agents/broken.md").write_text("---\nname: [\n---\n")
    told = found(check_agents)
    assert told.state == "wrong"
    assert "broken.md" in told.fact


def test_a_home_directory_is_no_place_for_agents(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(check_folder).state == "fine"
    monkeypatch.chdir(home)
    told = found(check_folder)
    assert told.state == "warning"
    assert told.fact.startswith("This is your home directory")
    assert told.hint == "Start Maverick in a project's folder instead."


# -- what is kept ------------------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(files, "_READING", request.param)


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
