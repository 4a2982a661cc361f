"""Situations for checks, in a few words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maverick_tui.doctor.checks import situation_here
from maverick_tui.doctor.findings import Check, Finding, Situation
from maverick_tui.doctor.terminal_questions import TerminalAnswers


def here() -> Situation:
    """This folder and these settings, with a terminal that was not asked."""
    return situation_here(TerminalAnswers(not_asked="a test"))


def found(look: Any) -> Finding:
    """What a check that finds one thing has found here."""
    (finding,) = Check("It", look).look(here())
    return finding


def program(path: Path, text: str) -> Path:
    """A program of the shell."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path
