"""A Pilot that does not wait longer than it must; a test file or folder has it by importing it."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def quick_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look whether the application is idle every few milliseconds, and not every 20: there are thousands of keys."""
    monkeypatch.setattr("textual._wait.SLEEP_GRANULARITY", 0.004)
    monkeypatch.setattr("textual._wait.SLEEP_IDLE", 0.002)
