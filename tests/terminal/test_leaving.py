"""How it ends: asked, told, hung up on or killed. The terminal is as before, and nothing is left running."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.support.processes import marked, wait_until_gone
from tests.support.pty_program import PATIENCE
from tests.terminal.application import CTRL_C, CTRL_Q, ESCAPE, Application
from tests.terminal.conftest import Maverick

pytestmark = pytest.mark.slow

FOR_EVER = "tail -f /dev/null"
WORKING = [{"answers": [["I wait.", {"tool": "Bash", "input": {"command": FOR_EVER}}]]}]
_PROCESSES = ("maverick --agent", "offline serve", "keeper.py", "_bundled/claude", FOR_EVER)
TALKING = [{"answers": [{"steps": ["A line of the answer.\n\n" * 5_000], "pace": {"tokens_per_second": 400}}]}]


def start_working(maverick: Maverick, handyman: str, mark: str) -> Application:
    """An application whose agent runs a tool that does not end by itself; model, keeper and CLI run, too."""
    app = maverick("--agent", handyman, "--prompt", "go", scenes=WORKING)
    app.allow("Bash")
    until = time.monotonic() + PATIENCE
    while missing := [part for part in _PROCESSES if not any(part in command for command in marked(mark).values())]:
        assert time.monotonic() < until, f"missing: {missing}\n{app.look().text}"
        time.sleep(0.05)
    return app


def assert_left_as_found(app: Application) -> None:
    assert app.output.is_as_before
    assert app.attributes == app.attributes_before


def test_quitting_asks_while_an_agent_works_and_then_leaves_nothing(
    maverick: Maverick, handyman: str, mark: str, temporary: Path
) -> None:
    app = start_working(maverick, handyman, mark)
    app.send(CTRL_Q)
    app.see("handyman is still running")
    app.send(ESCAPE)
    app.until(lambda glass: "still running" not in glass.text)
    app.send(CTRL_C)
    app.see("Press Ctrl+C again to quit.")
    app.send(CTRL_C)
    app.see("handyman is still running")
    app.send("y")
    assert app.wait() == 0
    assert_left_as_found(app)
    assert wait_until_gone(mark) == {}
    assert list(temporary.iterdir()) == []


def test_told_to_end_it_ends_in_good_order(maverick: Maverick, handyman: str, mark: str, temporary: Path) -> None:
    app = start_working(maverick, handyman, mark)
    os.kill(app.pid, signal.SIGTERM)
    assert app.wait() == 128 + signal.SIGTERM
    assert_left_as_found(app)
    assert wait_until_gone(mark) == {}
    assert list(temporary.iterdir()) == []


def test_it_ends_with_its_terminal_in_the_middle_of_an_answer(
    maverick: Maverick, handyman: str, mark: str, temporary: Path
) -> None:
    app = maverick("--agent", handyman, "--prompt", "go", scenes=TALKING)
    app.see("A line of the answer.")
    app.hang_up()
    assert app.wait() == 128 + signal.SIGHUP
    assert wait_until_gone(mark) == {}
    assert list(temporary.iterdir()) == []


def test_killed_it_leaves_no_process_behind(maverick: Maverick, handyman: str, mark: str) -> None:
    app = start_working(maverick, handyman, mark)
    os.kill(app.pid, signal.SIGKILL)
    assert app.wait() == -signal.SIGKILL
    assert wait_until_gone(mark, 15.0) == {}
