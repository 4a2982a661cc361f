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


class PastedRest:
    """Looks at all that comes from the terminal, in the order in which it comes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._ends = 0.0

    def meant(self, message: Message) -> Message | None:
        """What it is: itself, more of what was pasted, or nothing."""
        now = self._clock()
        if isinstance(message, events.Paste):
            self._ends = now + BREATH
        elif now < self._ends and isinstance(message, events.Key | events.MouseDown):
            self._ends = now + BREATH
            text = _text_of(message) if isinstance(message, events.Key) else ""
            return events.Paste(text) if text else None
        return message


def _text_of(key: events.Key) -> str:
    if key.key in ("enter", "ctrl+j"):
        return "\n"
    return key.character if key.is_printable and key.character else ""
