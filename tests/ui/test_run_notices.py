"""What is shown of runs that are not on the screen, also where many of them are done at once."""

from __future__ import annotations

from typing import Any

import pytest
from textual.app import App

from maverick_tui.ui import run_notices
from maverick_tui.ui.run_notices import MOST_LINES, RunNotices
from tests.ui.waiting import until


class Told(App[None]):
    """Keeps what is to be shown."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[tuple[str, str]] = []

    def notify(self, message: str, *, title: str = "", **_: Any) -> None:
        self.shown.append((title, message))


async def test_the_first_is_shown_at_once_and_what_is_done_right_after_it_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_notices, "TOGETHER", 0.01)
    app = Told()
    async with app.run_test() as pilot:
        notices = RunNotices(app)
        for number in range(MOST_LINES + 3):
            notices.tell_done(f"run-{number}", f"agent-{number}", "done in 2.0 s")
        notices.tell_done("run-1", "agent-1", "done in 9.0 s")  # once more
        notices.tell("asker", "needs you")
        assert app.shown == [("agent-0", "done in 2.0 s"), ("asker", "needs you")], "that does not wait"
        await until(pilot, lambda: len(app.shown) == 3)
        title, text = app.shown[-1]
        assert title == f"{MOST_LINES + 2} runs are done"
        lines = text.split("\n")
        assert (lines[0], lines[1], lines[-1]) == ("agent-1: done in 9.0 s", "agent-2: done in 2.0 s", "and 2 more")
        await until(pilot, lambda: not notices._is_gathering, "nothing waits for ever")
        notices.tell_done("run-x", "late", "done in 1.0 s")
        notices.tell_done("run-y", "later", "done in 1.0 s")
        assert app.shown[-1] == ("late", "done in 1.0 s")
        await until(pilot, lambda: app.shown[-1] == ("later", "done in 1.0 s"), "one alone is told as ever")
