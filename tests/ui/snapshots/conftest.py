"""What snapshots stand on: a time zone, a home that is always called the same, and `shot`, which compares."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, Protocol

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.runs import Tape
from tests.ui.snapshots.story import StoryApp, settled, story

Drive = Callable[[Pilot[Any]], Awaitable[None]]


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The same time on every machine."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same colours and no editor of the developer's."""
    for name in ("NO_COLOR", "TERM_PROGRAM", "VISUAL", "EDITOR", "TEXTUAL_THEME", "TMUX", "SSH_TTY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    # A cursor that blinks is in a picture or not, as it happens.
    monkeypatch.setattr(Input, "_toggle_cursor", lambda _self: None)


class Shot(Protocol):
    """The `shot` fixture: whether the application looks as it did."""

    def __call__(self, app: StoryApp, size: tuple[int, int], drive: Drive | None = None) -> bool: ...


@pytest.fixture
def shot(snap_compare: Callable[..., bool]) -> Shot:
    """Compares a picture of the application with the one that was accepted, when it has come to rest."""

    def compare(app: StoryApp, size: tuple[int, int], drive: Drive | None = None) -> bool:
        async def before(pilot: Pilot[Any]) -> None:
            await settled(pilot)
            if drive is not None:
                await drive(pilot)
                await settled(pilot)

        return snap_compare(app, terminal_size=size, run_before=before)

    return compare


class RunShot(Protocol):
    """The `run_shot` fixture: the same for the screen of a run."""

    def __call__(
        self, tape: Tape, size: tuple[int, int], drive: Drive | None = None, *, later: float = 0.0, **preferences: Any
    ) -> bool: ...


@pytest.fixture
def run_shot(shot: Shot) -> RunShot:
    """Plays a tape and compares what it looks like `later`."""

    def compare(
        tape: Tape, size: tuple[int, int], drive: Drive | None = None, *, later: float = 0.0, **preferences: Any
    ) -> bool:
        app = story(tape, later=later, **preferences)

        async def play(pilot: Pilot[Any]) -> None:
            app.play(app.first, tape.events)
            await settled(pilot)
            if drive is not None:
                await drive(pilot)

        return shot(app, size, play)

    return compare
