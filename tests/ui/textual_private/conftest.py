"""Painting as if the application had just been started, and with Textual doing it all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from maverick_tui.ui.textual_private import names


@pytest.fixture(autouse=True)
def colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """All colours, for all tests: a style remembers its codes, and themes share theirs for as long as we run."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Find out anew whether painting is plain, and forget it afterwards."""
    monkeypatch.delenv(names.PLAIN, raising=False)
    names.is_plain.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    names.is_plain.cache_clear()
    names._owner.cache_clear()


@pytest.fixture
def plain(fresh: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Textual paints."""
    fresh.setenv(names.PLAIN, "1")
    return fresh
