"""Drawn: when the terminal has drawn what was written to it, which is later than that over a slow line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import App
from textual.timer import Timer

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
    """Has things done once all that was written is on the screen. A terminal that never answers draws at once.

    It is asked again only when it has answered: one answer more or less would be taken for that to another question.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._is_answering = False
        self._asked: list[Callable[[], None]] = []
        """What is to be done at the answer that is waited for."""
        self._next: list[Callable[[], None]] = []
        """What has come since, and has to wait for another one."""
        self._given_up: Timer | None = None

    def then(self, act: Callable[[], None]) -> None:
        """Do something once what is being drawn now can be seen."""
        if not self._is_answering:
            act()
        elif self._asked:
            self._next.append(act)
        else:
            self._ask([act])

    def _ask(self, acts: list[Callable[[], None]]) -> None:
        self._asked = acts
        self._app.call_after_refresh(write_beside, self._app, ASKS)
        self._given_up = self._app.set_timer(ANSWERS_WITHIN, self._give_up)

    def answered(self) -> None:
        """The terminal has answered: also at the start, when nothing waits."""
        self._is_answering = True
        acts, self._next, coming = self._taken(), [], self._next
        for act in acts:
            act()
        if coming:
            if self._asked:  # one of those that were done asks already
                self._next = [*coming, *self._next]
            else:
                self._ask(coming)

    def begin_anew(self) -> None:
        """Somebody else has had the terminal, and perhaps the answers: what waits is drawn again anyway."""
        acts, self._next = [*self._taken(), *self._next], []
        for act in acts:
            act()

    def _taken(self) -> list[Callable[[], None]]:
        """What waited for an answer, and does no longer."""
        if self._given_up is not None:
            self._given_up.stop()
        acts, self._asked = self._asked, []
        return acts

    def _give_up(self) -> None:
        self._is_answering = False  # until it does again
        self.begin_anew()
