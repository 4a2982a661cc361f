"""The command line in this process: much faster than a program for each command."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest
import typer.main

from maverick_tui.cli import main


class Ran(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]

_made_once = functools.cache(typer.main.get_command)
"""All of them once: to make even the one that is asked for, for each of hundreds, takes longer than they do."""


def command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `maverick` with arguments."""
    monkeypatch.setattr(typer.main, "get_command", _made_once)
    monkeypatch.setattr("maverick_tui.cli.asked_for.asked_for", lambda app, arguments: app)
    monkeypatch.setattr("maverick_tui.cli.log_lines.tell_log_lines", lambda: None)  # what pytest is told stays its own

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["maverick", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        code = left.value.code
        assert isinstance(code, int)
        return Ran(code, captured.out, captured.err)

    return run
