"""The thread that has the index: it never keeps anybody waiting, and ends with the history."""

from __future__ import annotations

import sqlite3
import threading
import time

import pytest

from maverick_tui.history.updating import Progress
from maverick_tui.ui.history.questions import Looking
from tests.ui.history.host import Host, keep_some, opened
from tests.ui.waiting import PATIENCE, until


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "maverick-history"]


async def test_whoever_leaves_does_not_wait_for_an_index_that_is_being_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(_connection: sqlite3.Connection, on_progress: Progress | None) -> int:
        assert on_progress is not None
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            on_progress(334, 600)
            time.sleep(0.01)
        return 0

    monkeypatch.setattr("maverick_tui.history.index.update", endless)
    app = Host(Looking())
    async with app.run_test() as pilot:
        await until(pilot, lambda: "Reading runs … 334 of 600" in app.text, "it is told how far it has come")
        await pilot.press("f3")
        await until(pilot, lambda: not app.history.is_attached and not threads(), "it was left, and all has ended")


async def test_it_ends_with_the_history() -> None:
    keep_some()
    async with opened() as (app, pilot):
        assert len(threads()) == 1
        await pilot.press("escape")
        await until(pilot, lambda: not app.history.is_attached and not threads(), "it was left, and all has ended")
