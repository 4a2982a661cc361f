"""Drawn: when the terminal has drawn what was written to it, which is later than that over a slow line."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from textual.app import App

from maverick_tui.ui.textual_private.asking import write_beside

ASKS = "\x1b[?2026$p"
"""Asks for a mode, as Textual does at its start, and reads the answer; it comes after all that was written before."""
ANSWERS_WITHIN = 60.0
"""Seconds after which no answer is waited for: over a slow line one may take long, or it has got lost."""


def when_drawn(app: App[Any], act: Callable[[], None]) -> None:
    """Do something once the terminal has drawn what it was sent, where the application knows when that is."""
    then: Callable[[Callable[[], None]], None] | None = getattr(app, "when_drawn", None)
    if then is None:
        act()
    else:
        then(act)


class Drawn:
    """Has things done once all that was written is on the screen. A terminal that never answers draws at once."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._is_answering = False
        self._waiting: deque[Callable[[], None] | None] = deque()
        """What is to be done at each answer; nothing for those that were given up, and may come still."""

    def then(self, act: Callable[[], None]) -> None:
        """Do something once what is being drawn now can be seen."""
        if not self._is_answering:
            act()
            return
        self._waiting.append(act)
        self._app.call_after_refresh(write_beside, self._app, ASKS)
        self._app.set_timer(ANSWERS_WITHIN, lambda: self._give_up(act))

    def answered(self) -> None:
        """The terminal has answered: also at the start, when nothing waits."""
        self._is_answering = True
        if self._waiting and (act := self._waiting.popleft()) is not None:
            act()

    def begin_anew(self) -> None:
        """Somebody else has had the terminal, and perhaps the answers: what waits is drawn again anyway."""
        waiting, self._waiting = self._waiting, deque()
        for act in waiting:
            if act is not None:
                act()

    def _give_up(self, act: Callable[[], None]) -> None:
        if act in self._waiting:
            self._is_answering = False  # until it does again
            self._waiting[self._waiting.index(act)] = None
            act()
