"""PastedRest: what comes in one breath with a paste is text of it, whatever key or click it would be.

Text that somebody made may have the sign in it by which a terminal ends a paste. Most terminals take that out, and
tmux does not. What stands behind it would press keys: allow what the agent asks about, or run a command.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import events
from textual.message import Message

BREATH = 0.05
"""Seconds: nobody presses a key that soon after a paste, and again that soon after the key."""
_LONGEST_PAUSE = 2.0
"""Seconds that may pass on a busy machine before the rest is read that was there all along."""


class PastedRest:
    """Looks at all that comes from the terminal, in the order in which it comes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends = 0.0
        self._is_open = False
        self._has_more = False

    def look(self, *, has_more: bool = False) -> None:
        """To be called before what was read at once is looked at, with whether there is more to be read behind it."""
        pause = _LONGEST_PAUSE if self._has_more else 0.0
        self._is_open = self._is_open and self._clock() < self._ends + pause
        self._has_more = has_more

    def meant(self, message: Message) -> Message | None:
        """What it is: itself, more of what was pasted, or nothing."""
        is_pasted = self._is_open and isinstance(message, events.Key | events.MouseDown)
        self._is_open = self._is_open or isinstance(message, events.Paste)
        if is_pasted or isinstance(message, events.Paste):
            self._ends = self._clock() + BREATH
        if not is_pasted:
            return message
        text = _text_of(message) if isinstance(message, events.Key) else ""
        return events.Paste(text) if text else None


def _text_of(key: events.Key) -> str:
    if key.key in ("enter", "ctrl+j"):
        return "\n"
    return key.character if key.is_printable and key.character else ""
