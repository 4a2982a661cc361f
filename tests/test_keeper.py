"""The keeper: nothing that it runs outlives it, or us. Real processes."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from maverick_tui import keeper
from maverick_tui.kept import tell_to_end
from tests.support.processes import PAUSE, kill_marked, marked, wait_until_gone

KEEP = keeper.keeper_command()
PATIENCE = 60.0
pytestmark = pytest.mark.skipif(os.name != "posix", reason="there is no keeper without POSIX processes")


def keep(script: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*KEEP, "/bin/sh", "-c", script], text=True, stdin=pipe, stdout=pipe, stderr=pipe)


@pytest.mark.parametrize("code", [0, 1, 42, 143])
def test_the_exit_code_is_passed_on(code: int, mark: str) -> None:
    with keep(f"exit {code}") as process:
        assert process.wait() == code


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_death_by_signal_is_passed_on(number: signal.Signals, mark: str) -> None:
    with keep(f"kill -{number.value} $$") as process:
        assert process.wait() == -number


def test_the_pipes_are_the_commands_own(mark: str) -> None:
    with keep("cat; echo to-stderr >&2") as process:
        out, err = process.communicate("hello")
    assert (out, err) == ("hello", "to-stderr\n")


def test_the_end_of_its_output_is_seen_at_once(mark: str) -> None:
    with keep("exec 1>&-; sleep 30") as process:
        assert process.stdout is not None
        assert process.stdout.read() == "", "the keeper must not hold the pipe open"
        process.terminate()


def test_what_cannot_be_executed_is_said(mark: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    done = subprocess.run([*KEEP, str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 126
    assert "Permission denied" in done.stderr


LEFT_BEHIND = f"{sys.executable} -c 'import os, time; os.setsid(); print(1, flush=True); time.sleep(300)' & "


def test_what_the_command_leaves_behind_is_ended(mark: str) -> None:
    with keep(f"{LEFT_BEHIND} read line; exit 3") as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        process.stdin.write("go\n")
        process.stdin.flush()
        assert process.wait() == 3
        assert marked(mark) == {}


STOPS_ITS_KEEPERS = """
import os, signal, subprocess, sys
from pathlib import Path
nowhere = subprocess.DEVNULL
left = subprocess.Popen(["sleep", "300"], env={}, start_new_session=True, stdin=nowhere, stdout=nowhere, stderr=nowhere)
print(left.pid, flush=True)
inner = os.getppid()
outer = int(Path(f"/proc/{inner}/stat").read_text().rpartition(")")[2].split()[1])
for keeper in (outer, inner):
    os.kill(keeper, signal.SIGSTOP)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nowhere else are those found that have cleared their environment")
def test_a_command_that_stops_both_keepers_is_ended_with_all_that_it_has_started(mark: str) -> None:
    with keep(f"exec {sys.executable} -c {shlex.quote(STOPS_ITS_KEEPERS)}") as process:
        assert process.stdout is not None
        left = int(process.stdout.readline())
        while keeper.Status(process.pid).state != b"T":
            time.sleep(PAUSE)
        tell_to_end(process)
        try:
            process.wait(keeper.LONGEST + PATIENCE)
        finally:
            kill_marked(mark)
    assert marked(mark) == {}
    assert not Path(f"/proc/{left}").exists(), "nor what nobody could find by its mark"


def test_a_command_that_ignores_us_is_killed(mark: str) -> None:
    with keep("trap '' TERM; echo ready; while :; do sleep 0.1; done") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.terminate()
        assert process.wait(keeper.GRACE + 3) == -signal.SIGKILL
        assert marked(mark) == {}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_when_its_parent_dies_everything_ends(number: signal.Signals, mark: str) -> None:
    # It is kept for this one, and not for us.
    code = (
        "import subprocess, time; from maverick_tui.keeper import keeper_command\n"
        f"subprocess.Popen([*keeper_command(), '/bin/sh', '-c', {LEFT_BEHIND + 'wait'!r}]); time.sleep(60)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"1\n", f"it has ended with {parent.poll()}"
        assert len(marked(mark)) >= 3
        parent.send_signal(number)
        parent.wait()
        assert wait_until_gone(mark, keeper.GRACE + 3) == {}
    finally:
        parent.kill()
        parent.communicate()
