"""A command line in this process, and an agent that asks for trust."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui import paths
from tests.cli.agent_files import PYTHON, write
from tests.support.command_line import Run, command_line


@pytest.fixture
def maverick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, without the agents that we ship."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "styles").symlink_to(paths.shipped("styles"))  # screens that are imported here serve later tests, too
    monkeypatch.setattr(paths, "PACKAGE", package)
    monkeypatch.setenv("COLUMNS", "80")
    return command_line(monkeypatch, capsys)


@pytest.fixture
def pilot() -> Path:
    return write(".maverick/agents/pilot.py", PYTHON)
