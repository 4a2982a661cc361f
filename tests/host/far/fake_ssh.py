"""Programs that stand for ssh, so that what it says can be chosen."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

THERE = "there"
GATEWAY = f"exec {shlex.quote(sys.executable)} -m maverick_tui host --stdio"
"""Leads to a gateway on this machine, with this test's own folders: the shortest line that there is."""

AWAY = "[ ! -e away ] || { echo 'ssh: connect to host there: No route to host' >&2; exit 255; }"
"""Before the rest: nobody is reached while there is a file of that name."""


def fake_ssh(monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Have Maverick reach other machines by this shell script, in the folder of the test; where it stands."""
    path = Path.cwd().parent / "fake-ssh"
    path.write_text(f"#!/bin/sh\ncd {shlex.quote(str(Path.cwd()))}\n{script}\n")
    path.chmod(0o755)
    monkeypatch.setenv("MAVERICK_SSH", shlex.quote(str(path)))
    return path
