"""What the picker's tests stand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui import paths


@pytest.fixture(autouse=True)
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No shipped agents but those that a test writes into this folder; the stylesheets are the real ones."""
    agents, real = tmp_path / "shipped", paths.shipped("styles")
    agents.mkdir()
    monkeypatch.setattr(paths, "shipped", lambda kind: agents if kind == "agents" else real)
    return agents
