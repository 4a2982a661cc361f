"""The application on the changes of a run, of which a review was told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from maverick_tui.review import commit_preview
from maverick_tui.review.commit_preview import Preview, Whole
from maverick_tui.review.committing import Head, Shown
from maverick_tui.review.kinds import ChangedFile, Scope
from maverick_tui.review.run_review import RunReview
from maverick_tui.ui.changes import visiting
from maverick_tui.ui.changes.screen import ChangesScreen
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.lines import ReadLines
from tests.support.runs import Tape
from tests.ui.changes.told_review import ToldReview
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until


def screen_of(app: FedApp) -> ChangesScreen:
    assert isinstance(app.screen, ChangesScreen)
    return app.screen


SHOWN = Shown(Head("c0ffee", "refs/heads/main"))


def is_seen(app: App[Any]) -> bool:
    """Whether all lines that a dialog asks about have been on the screen, and it takes an answer."""
    lines = [one for one in app.screen.query("ReadLines") if isinstance(one, ReadLines)]
    is_armed = not isinstance(app.screen, ArmedDialog) or app.screen.is_armed
    return app.screen.is_mounted and is_armed and all(one.first_unread is None for one in lines)


def edited() -> Tape:
    """A run that has made one call, which the hunks are by."""
    tape = Tape("implementer").connect().prompt("Round the total once, at the end")
    tape.say("I round it.\n\n" * 30).tool("Edit", {"file_path": "shop/cart.py"})
    return tape.say("Done.\n\n" * 30).done()


def _as_shown(_review: RunReview, _scope: Scope, files: Sequence[ChangedFile], _parts: Sequence[str]) -> Preview:
    return Preview({one.path: Whole(one.added, one.deleted, one.is_binary) for one in files}, (), SHOWN)


@asynccontextmanager
async def reviewing(
    review: ToldReview, monkeypatch: pytest.MonkeyPatch, tape: Tape | None = None, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[FedApp, Pilot[Any]]]:
    """The changes of a run, on the screen."""
    monkeypatch.setattr(visiting, "open_review", lambda _run_id: review.as_review())
    monkeypatch.setattr(commit_preview, "preview", _as_shown)
    monkeypatch.setattr(commit_preview, "what_runs", lambda *_: ())
    async with watching(tape or edited(), size=size) as (app, pilot):
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).looking.seen is not None, "it is read")
        yield app, pilot


async def at_file(pilot: Pilot[Any], app: FedApp, path: str) -> None:
    """Wait for the diff of a file."""
    view = screen_of(app).diff
    await until(pilot, lambda: view.diff is not None and view.diff.file.path == path, f"the diff of {path}")
