"""The command line in this process: much faster than a program for each command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from maverick_tui.cli import main


class Ran(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def command_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `maverick` with arguments."""

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["maverick", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        captured = capsys.readouterr()
        code = left.value.code
        assert isinstance(code, int)
        return Ran(code, captured.out, captured.err)

    return run
