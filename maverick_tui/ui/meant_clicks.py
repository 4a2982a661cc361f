"""MeantClicks: only the left button, by itself, clicks. Another one pastes, or opens a menu, in most terminals."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable
from typing import Any

from textual import events
from textual.screen import Screen

TWICE_WITHIN = 0.5
"""Seconds between two presses that may be a double click: a screen that comes with the first is not meant by it."""
NEAR = 3
"""Cells between them at most."""
_LEFT = 1


class MeantClicks:
    """Tells which presses of the mouse are for us; for Textual any button clicks, whatever is held down with it."""

    def __init__(self) -> None:
        self._is_passed_over = False
        """Whether the left button was pressed for nothing here: so is its release."""
        self._screen: Callable[[], Screen[Any] | None] = lambda: None
        self._pressed_at, self._place = -math.inf, (0.0, 0.0)
        """Where and when the left button was pressed last."""

    def passes_over(self, event: events.Event, screen: Screen[Any]) -> bool:
        """Whether an event is a press of the mouse, or its end, by which nothing on this screen is meant."""
        if not isinstance(event, events.MouseDown | events.MouseUp) or event.is_forwarded:
            return False
        if event.button == _LEFT and isinstance(event, events.MouseDown):
            x, y = self._place
            is_near = abs(event.screen_x - x) <= NEAR and abs(event.screen_y - y) <= NEAR
            is_second = screen is not self._screen() and is_near and event.time - self._pressed_at < TWICE_WITHIN
            self._is_passed_over = is_second or event.shift or event.meta or event.ctrl
            if not is_second:
                self._screen = weakref.ref(screen)
            self._pressed_at, self._place = event.time, (event.screen_x, event.screen_y)
        return event.button != _LEFT or self._is_passed_over
