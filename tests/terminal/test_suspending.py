"""Ctrl+Z and `fg` in a shell: the terminal is the shell's while the application is stopped, and then ours again."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.terminal.application import CTRL_Q, CTRL_Z, ENTER, MAVERICK, prompt_of
from tests.terminal.conftest import OURS_ALONE, Maverick

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("bash"), reason="jobs are a matter of the shell"),
    OURS_ALONE,
]

# A shell with jobs, as a person has it: without one the system stops nobody, since nobody could continue it.
_STOPPED_TWICE = (
    'set -m; "$@"; echo "[stopped]"; read -r _; fg >/dev/null; echo "[stopped again]"; read -r _; fg >/dev/null'
    '; echo "[ended $?]"'
)
SHELL = ("bash", "--norc", "-c", _STOPPED_TWICE, "shell")
# One with a line to type in has the terminal its own way then, and nobody has told the application.
_TAKEN = 'set -m; "$@"; stty sane; echo "[stopped]"; read -r _; fg >/dev/null; echo "[ended $?]"'
AS_MAKE_DOES = ("bash", "--norc", "-c", '"$@"; exit $?', "make")
"""Starts a program and waits for it: all of the job has to be stopped, or the shell waits on."""
LINE_COUNT = 60
LINES = "".join(f"This is line {number} of the answer.\n\n" for number in range(1, LINE_COUNT + 1))
ANSWER = [{"answers": [{"steps": [LINES, "The end of it."], "pace": {"tokens_per_second": 250}}]}]


def test_the_terminal_is_handed_over_and_the_answer_goes_on(maverick: Maverick, teller: str) -> None:
    program = (*SHELL, *AS_MAKE_DOES, MAVERICK)
    app = maverick("--agent", teller, "--prompt", "go", scenes=ANSWER, is_ours=True, program=program)
    app.see("This is line")
    app.send(CTRL_Z)
    stopped = app.read(b"[stopped]\r\n")
    assert app.output.left_behind == {}
    # On a busy machine the answer may have come to its end before the key.
    assert app.output.title in ("● teller: running - Maverick", "✔ teller: done - Maverick")
    assert app.attributes == app.attributes_before
    app.send(ENTER)
    resumed = app.read(b"\x1b[?1049h", stopped)
    app.see("The end of it.")
    app.see("✔ done in")
    assert b"This is line" not in app.written[stopped:resumed]
    rows = [row for row in app.glass.rows if "This is line" in row]
    numbers = [int(row.split("This is line ")[1].split()[0]) for row in rows]
    assert numbers == list(range(LINE_COUNT + 1 - len(numbers), LINE_COUNT + 1))
    app.send(CTRL_Z)
    stopped = app.read(b"[stopped again]\r\n")
    assert app.output.title == "✔ teller: done - Maverick"
    app.look()
    app.send(ENTER)
    app.read(b"\x1b[?1049h", stopped)
    app.see("The end of it.")  # though nothing has changed meanwhile
    app.send("still here")
    app.until(lambda glass: prompt_of(glass) == "still here")
    app.send(CTRL_Q)
    app.answer("Quit without sending this?", "y")
    app.read(b"[ended 0]")
    app.wait()
    assert app.attributes == app.attributes_before
    assert app.output.left_behind == {}


@pytest.mark.explore
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="Linux tells which processes a shell has")
def test_stopped_from_elsewhere_it_has_keys_and_screen_again_after_fg(maverick: Maverick, teller: str) -> None:
    program = (*SHELL[:3], _TAKEN, "shell", MAVERICK)
    app = maverick("--agent", teller, scenes=[{"answers": ["Done."]}], is_ours=True, program=program)
    app.see("What shall it do?")
    os.kill(int(Path(f"/proc/{app.pid}/task/{app.pid}/children").read_text()), signal.SIGSTOP)
    at = app.read(b"[stopped]\r\n")
    app.send(ENTER)
    app.read(b"\x1b[?1049h", at)
    app.see("What shall it do?")
    app.send("still here")
    app.until(lambda glass: prompt_of(glass) == "still here")
    app.send(CTRL_Q)
    app.answer("Quit without sending this?", "y")
    app.read(b"[ended 0]")
    app.wait()
    assert app.output.left_behind == {}
