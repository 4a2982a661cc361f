"""RunNotices: what a person is shown of runs that are not on the screen. Many that are done at once are one notice."""

from __future__ import annotations

from typing import Any

from textual.app import App

from maverick_tui.inert import one_line

TOGETHER = 0.3
"""Seconds after a notice in which others that can wait are gathered: each of them is a layout of the whole screen."""
MOST_LINES = 6


class RunNotices:
    """Shows notices of runs: the first one at once, and those that follow right after it together."""

    def __init__(self, app: App[Any]) -> None:
        """Nothing waits yet."""
        self._app = app
        self._waiting: dict[str, tuple[str, str]] = {}
        """Name and words of runs that are done, by id."""
        self._is_gathering = False

    def tell(self, title: str, text: str) -> None:
        """Show what somebody has to hear now."""
        self._app.notify(text, title=one_line(title), markup=False)

    def tell_done(self, run_id: str, title: str, text: str) -> None:
        """Show that a run is done, perhaps with others."""
        if self._is_gathering:
            self._waiting[run_id] = title, text
            return
        self.tell(title, text)
        self._gather()

    def _gather(self) -> None:
        self._is_gathering = True
        self._app.set_timer(TOGETHER, self._tell_gathered)

    def _tell_gathered(self) -> None:
        self._is_gathering = False
        waiting, self._waiting = list(self._waiting.values()), {}
        if not waiting:
            return
        if len(waiting) == 1:
            self.tell(*waiting[0])
        else:
            lines = [f"{one_line(title)}: {text}" for title, text in waiting[:MOST_LINES]]
            more = [f"and {len(waiting) - MOST_LINES} more"] if len(waiting) > MOST_LINES else []
            self._app.notify("\n".join([*lines, *more]), title=f"{len(waiting)} runs are done", markup=False)
        self._gather()
