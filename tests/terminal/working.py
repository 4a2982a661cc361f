"""An application whose agent runs a tool that does not end by itself, and what is to be left of it at its end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.support.processes import marked, wait_until_gone
from tests.support.pty_program import PATIENCE
from tests.terminal.application import Application

_FOR_EVER = "tail -f /dev/null"
WORKS: list[Any] = [["I wait.", {"tool": "Bash", "input": {"command": _FOR_EVER}}]]
"""The answers of a model that starts it."""
_PROCESSES = ("maverick --agent", "keeper.py", "_bundled/claude", _FOR_EVER)


def until_working(app: Application, mark: str) -> None:
    """Allow the tool, and wait until it runs; keeper and CLI run, too."""
    app.allow("Bash")
    until = time.monotonic() + PATIENCE
    while missing := [part for part in _PROCESSES if not any(part in command for command in marked(mark).values())]:
        assert time.monotonic() < until, f"missing: {missing}\n{app.look().text}"
        time.sleep(0.05)


def assert_nothing_is_left(app: Application, mark: str, temporary: Path) -> None:
    """The terminal is as before, no process runs, and no file is left."""
    assert app.output.left_behind == {}
    assert app.attributes == app.attributes_before
    assert wait_until_gone(mark) == {}
    assert list(temporary.iterdir()) == []
