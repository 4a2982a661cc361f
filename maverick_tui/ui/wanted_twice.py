"""WantedTwice: what only two presses of a key may do. One that is held down comes again and again, and is one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from textual.widget import Widget

AGAIN_WITHIN = 3.0
"""Seconds in which it is to be wanted again; so long it is told what that would do."""
APART = 0.3
"""Seconds between the two: nobody has read before that what is told, and a key that is held down comes sooner."""
STILL_FOR = 0.2
"""Seconds without a key after the second: behind the first that a held key sends, there is another one."""


class WantedTwice:
    """Knows what was wanted by the key before, and does it if it is wanted again."""

    def __init__(self, clock: Callable[[], float], on: Widget, *, at_once: bool) -> None:
        """With `at_once` it is to be wanted again by the very next key, and soon; else after anything, at any time.

        Nothing is done any more once the widget `on` is gone, or another screen before it.
        """
        self._clock = clock
        self._on = on
        self._at_once = at_once
        self._before: tuple[object, int, float] | None = None

    def press(self, what: object, act: Callable[[], None]) -> Literal["first", "too soon", "second"]:
        """A key wants something; by its second press that will be done unless more keys follow right behind it."""
        before, now = self._before, self._clock()
        wanted = self._before = (what, self._pressed, now)
        if before is None or before[0] != what:
            return "first"
        if self._at_once and (self._pressed - before[1] > 1 or now - before[2] > AGAIN_WITHIN):
            return "first"
        if now - before[2] < APART:
            return "too soon"
        _ = self._on.set_timer(STILL_FOR, partial(self._act_if_still, wanted, act))
        return "second"

    def forget(self) -> None:
        """Nothing is wanted any more."""
        self._before = None

    def _act_if_still(self, wanted: tuple[object, int, float], act: Callable[[], None]) -> None:
        if self._before is wanted and wanted[1] == self._pressed and self._on.screen.is_active:
            self._before = None
            act()

    @property
    def _pressed(self) -> int:
        return int(getattr(self._on.app, "keys_pressed", 0))
