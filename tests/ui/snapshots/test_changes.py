"""What a run has changed: the diff in one column and in two, what an undo would do, and why there is nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.review import committed
from maverick_tui.ui.changes import visiting
from maverick_tui.ui.changes.screen import ChangesScreen
from tests.support.runs import Tape
from tests.ui.changes.told_review import PROMPT, ToldReview, shop
from tests.ui.snapshots.conftest import Drive, RunShot
from tests.ui.snapshots.story import FOLDER, NARROW, WIDE, settled
from tests.ui.waiting import on_screen, until


def tape() -> Tape:
    return Tape("implementer", FOLDER).connect().prompt(PROMPT).say("Done.").done()


def changes(review: ToldReview, monkeypatch: pytest.MonkeyPatch, *keys: str) -> Drive:
    """Go to the changes, and press these keys."""
    monkeypatch.setattr(visiting, "open_review", lambda _run_id: review.as_review())

    async def drive(pilot: Pilot[Any]) -> None:
        await pilot.press("alt+c")
        app = pilot.app
        await until(pilot, lambda: isinstance(app.screen, ChangesScreen) and app.screen.looking.seen, "it is read")
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return drive


@pytest.mark.explore
def test_in_a_small_terminal_with_a_comment(run_shot: RunShot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(committed, "committed_files", lambda _root, _files: frozenset({"shop/invoice.py"}))
    monkeypatch.setattr(committed, "committed_hunks", lambda *_: frozenset({0}))
    keys = (*["down"] * 6, "c", *"Why 2?", "enter")
    assert run_shot(tape(), NARROW, changes(shop(), monkeypatch, *keys))


@pytest.mark.explore
def test_of_several_authors_side_by_side(run_shot: RunShot, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = changes(shop(), monkeypatch, "v", "n", "space")
    assert run_shot(tape(), WIDE, drive, theme="maverick-light")


@pytest.mark.explore
def test_with_files_beside_it_and_others_among_them(run_shot: RunShot, monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    review.about["shop/logo.png"] = {"status": "renamed", "was": "logo.png", "permissions": (0o644, 0o755)}
    drive = changes(review, monkeypatch, "a", "right_square_bracket", "right_square_bracket", "tab")
    assert run_shot(tape(), WIDE, drive)


def test_what_an_undo_would_do(run_shot: RunShot, monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    review.refused = {"README.md": "Translate the README has changed it, too", "shop/cart.py": "it has changed since"}
    seen = changes(review, monkeypatch, "u")

    async def drive(pilot: Pilot[Any]) -> None:
        await seen(pilot)
        await until(pilot, lambda: "left as they are" in on_screen(pilot), "the plan")
        await settled(pilot)

    assert run_shot(tape(), NARROW, drive)


def test_why_there_is_nothing(run_shot: RunShot, monkeypatch: pytest.MonkeyPatch) -> None:
    review = ToldReview({}, {})
    review.root, review.untracked = Path(), "the folder is your home directory."
    assert run_shot(tape(), NARROW, changes(review, monkeypatch), theme="maverick-ansi")
