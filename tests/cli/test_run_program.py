"""`maverick run` as a program: in pipes and odd places, and when it is told to end. Engines are tested elsewhere."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import is_alive, journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from maverick_tui.snapshots.shadow import all_shadows, shadows_folder
from tests.runs.grammar import check_well_formed
from tests.support.command_line import command_line
from tests.support.cook import COOK, write_cook
from tests.support.sampling import sampled

MAVERICK = [sys.executable, "-m", "maverick_tui"]
PATIENCE = 120.0
RUN = ["run", "cook"]


@pytest.fixture(autouse=True)
def cook(home: Path, mark: str) -> None:
    """An agent of the user's, which needs no engine."""
    write_cook(home)


@pytest.fixture
def cook_of_breakfast(home: Path) -> None:
    """The same agent, with a prompt of its own."""
    own = COOK.replace("system_prompt =", 'initial_prompt = "breakfast"\n    system_prompt =')
    (home / ".config" / "maverick" / "agents" / "cook.py").write_text(own)


def ran(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [*MAVERICK, *RUN, *arguments]
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, **options)


def kept() -> list[ev.Event]:
    """All that is kept of the only run."""
    (run_id,) = kept_runs()
    assert not is_alive(journal_of(run_id))
    return read_journal(journal_of(run_id)).events


def until(is_so: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [*MAVERICK, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        try:
            yield program
        finally:
            program.kill()


def said_until(program: subprocess.Popen[bytes], kind: str) -> list[dict[str, Any]]:
    """The events that were printed, up to the first one of that kind."""
    assert program.stdout is not None
    lines: list[dict[str, Any]] = []
    while not lines or lines[-1]["type"] != kind:
        line = program.stdout.readline()
        assert line, program.stderr and program.stderr.read()
        lines.append(json.loads(line))
    return lines


# -- pipes and places --------------------------------------------------------------------------------------------------


@pytest.mark.explore  # so it is in `test_program.py` for every command
def test_a_reader_that_has_seen_enough_ends_the_run_in_good_order() -> None:
    command = f"{shlex.join([*MAVERICK, *RUN])} stuck --output stream-json | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["type"] == "run_started"
    check_well_formed(kept())


def test_without_an_output_nothing_is_run() -> None:
    command = f"{shlex.join([*MAVERICK, *RUN])} go >&-"
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"maverick: The output cannot be written: standard output is closed.\n"
    assert list(kept_runs()) == []


@pytest.mark.explore
def test_where_nobody_wants_to_know_what_is_wrong_the_result_is_written() -> None:
    command = f"{shlex.join([*MAVERICK, *RUN])} go 2>&-"
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (0, b"You say go\n")


@pytest.mark.parametrize("form", ["json", "stream-json"])
def test_what_an_authors_code_prints_is_not_amid_the_json(home: Path, form: str) -> None:
    loud = 'print("printed"); import os; os.write(1, b"written\\n"); os.system("echo started")'
    loaded = 'import atexit, os\nos.system("echo loading")\natexit.register(os.system, "echo leaving")\n'
    loaded += 'atexit.register(print, "left")\n'
    asks = "async def ask(self, prompt):\n"
    code = COOK.replace(asks, f"{asks}        {loud}\n") + loaded
    (home / ".config" / "maverick" / "agents" / "cook.py").write_text(code)
    done = ran("go", "--output", form)
    assert done.returncode == 0
    assert all(json.loads(line) for line in done.stdout.splitlines())
    assert sorted(done.stderr.split()) == [b"leaving", b"left", b"loading", b"printed", b"started", b"written"]


@pytest.mark.explore  # so it is in `test_program.py` for every command
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_an_output_that_is_full_is_one_line_and_the_run_is_kept() -> None:
    with Path("/dev/full").open("wb") as full:
        done = ran("go", stdout=full)
    assert (done.returncode, done.stderr) == (1, b"maverick: The output cannot be written: No space left on device.\n")
    check_well_formed(kept())


@pytest.mark.explore
def test_letters_arrive_without_a_home_and_elsewhere_where_nothing_is_utf_8_and_no_colour_is_wanted(
    home: Path, tmp_path: Path
) -> None:
    folders = {"XDG_CONFIG_HOME": str(home / ".config"), "XDG_STATE_HOME": str(home / ".local/state")}
    odd = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "NO_COLOR": "1", "TERM": "dumb"}
    place = tmp_path / "place"
    place.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    done = ran("Grüße", "--output", "json", "--cwd", str(place), env={**environment, **folders, **odd})
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["result"] == "You say Grüße"
    events = kept()
    assert [event.text for event in events if isinstance(event, ev.TurnStarted)] == ["Grüße"]
    assert [event.cwd for event in events if isinstance(event, ev.AgentLoaded)] == [str(place)]


def test_what_is_not_to_be_kept_is_not(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(monkeypatch, capsys)("run", "cook", "go", "--no-keep") == (0, "You say go\n", "")
    assert list(kept_runs()) == []


@pytest.mark.parametrize(
    ("piped", "arguments", "said"),
    [
        (b"lunch\n", (), "lunch"),
        (b" \n", (), "breakfast"),
        (None, (), "breakfast"),
        (b"lunch", ("dinner",), "dinner"),
    ],
    ids=["a pipe", "an empty pipe", "no pipe", "a pipe and a prompt"],
)
def test_what_is_piped_in_is_the_prompt_unless_one_is_given(
    piped: bytes | None,
    arguments: tuple[str, ...],
    said: str,
    cook_of_breakfast: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    reads, writes = os.pipe()
    os.write(writes, piped or b"")
    if not arguments:  # else nobody may wait for its end
        os.close(writes)
    with Path(os.devnull).open() if piped is None else os.fdopen(reads) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        ran = command_line(monkeypatch, capsys)("run", "cook", *arguments)
    assert ran == (0, f"You say {said}\n", "")


# -- ends --------------------------------------------------------------------------------------------------------------


@pytest.mark.explore
def test_a_run_that_is_killed_leaves_all_that_was_printed() -> None:
    with started(*RUN, "stuck", "--output", "stream-json") as program:
        printed = said_until(program, "block_grew")
        program.kill()
        program.wait(PATIENCE)
    events = kept()
    assert [ev.event_from_json(line) for line in printed] == events[: len(printed)]
    assert not any(isinstance(event, ev.RunEnded) for event in events)


@pytest.mark.parametrize("command", sampled(["runs delete", "run"], 2))
def test_what_a_run_that_was_not_kept_has_left_goes_a_day_after_it_was_killed(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, home: Path
) -> None:
    writes = COOK.replace("system_prompt =", 'allowed_tools = ["Write"]\n    system_prompt =')
    (home / ".config" / "maverick" / "agents" / "cook.py").write_text(writes)
    monkeypatch.setenv("MAVERICK_TRACK_CHANGES", "true")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    ran("go")
    with started(*RUN, "stuck", "--no-keep", "--output", "stream-json") as program:
        said_until(program, "snapshot_taken")
        program.kill()
        program.wait(PATIENCE)
    (shadow,) = all_shadows()
    (kept_run,) = kept_runs()
    (owner,) = set(shadow.owners()) - {kept_run}
    ago = time.time() - 2 * 86_400
    os.utime(shadow.git.repository / "refs" / "kept" / owner, (ago, ago))
    (shadows_folder() / "tidied").unlink(missing_ok=True)
    code = "import os, maverick_tui.folder_locks as locks\nwith locks.scratch_folder('left'): os._exit(0)"
    subprocess.run([sys.executable, "-c", code], check=True)
    if command == "run":
        with started(*RUN, "stuck", "--no-keep"):
            until(lambda: not list(tmp_path.glob("maverick-left-*")), "scratch goes")
            until(lambda: owner not in shadow.owners(), "snapshots go")
    else:
        assert command_line(monkeypatch, capsys)("runs", "delete", kept_run, "--yes").code == 0
        assert not list(all_shadows())


def test_ctrl_c_writes_what_has_come_and_keeps_a_whole_journal() -> None:
    def has_begun() -> bool:
        return any(
            isinstance(event, ev.BlockGrew) for run in kept_runs() for event in read_journal(journal_of(run)).events
        )

    with started(*RUN, "stuck") as program:
        until(has_begun, "it speaks")
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=PATIENCE)
    assert program.returncode == 130
    assert out.startswith(b"You say stuck")
    assert err == b"maverick: It was interrupted.\n"
    check_well_formed(kept())


@pytest.mark.explore
def test_a_second_ctrl_c_ends_it_at_once() -> None:
    with started(*RUN, "stubborn", "--output", "stream-json") as program:
        said_until(program, "turn_started")
        program.send_signal(signal.SIGINT)
        said_until(program, "interrupt_requested")
        program.send_signal(signal.SIGINT)
        program.wait(PATIENCE)
    assert program.returncode == -signal.SIGINT
    assert not any(isinstance(event, ev.RunEnded) for event in kept())
