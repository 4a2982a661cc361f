"""What is pasted is text, whatever key or click it would be: it allows nothing, and runs no command.

Text that somebody made may have Escape in it, behind which Textual takes the next characters for keys, also in the
middle of a paste; or all of the sign by which a terminal ends a paste. Most terminals take that out, and tmux does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from textual import constants, events
from textual.message import Message

BREATH = 0.05
"""Seconds: nobody presses a key that soon after a paste, and again that soon after the key."""
_BEGINS, _ENDS = "\x1b[200~", "\x1b[201~"
_LONGEST_PAUSE = 2.0
"""Seconds that may pass on a busy machine before the rest is read that was there all along."""


class PastedEscapes:
    """Takes Escape out of what is pasted; it gets all that comes from the terminal, in pieces of any length."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._is_within = False
        self._before, self._came_at = "", 0.0
        """What came last, in which a paste may have begun to begin, and when."""
        self._kept = ""
        """What may be the beginning of a paste's end, or of its beginning."""

    def taken_out(self, text: str) -> str:
        """The text, as far as it can be told yet."""
        found, rest, self._kept = "", self._kept + text, ""
        while rest:
            taken, rest = self._pasted(rest) if self._is_within else self._typed(rest)
            found += taken
        return found

    def _typed(self, text: str) -> tuple[str, str]:
        seen = self._before + text
        self._is_within = _BEGINS in seen
        if self._is_within:
            until, early, self._before = seen.index(_BEGINS) + len(_BEGINS), len(self._before), ""
            is_late = until - len(_BEGINS) < early and self._clock() - self._came_at >= constants.ESCAPE_DELAY
            # The first of it was taken for keys by then, on a slow line.
            return _BEGINS if is_late else seen[early:until], seen[until:]
        # Not the first two characters alone: those may be all, of Escape or of Alt+[.
        half = next((size for size in range(len(_BEGINS) - 1, 2, -1) if text.endswith(_BEGINS[:size])), 0)
        taken, self._kept = text[: len(text) - half], text[len(text) - half :]
        self._before, self._came_at = (self._before + taken)[1 - len(_BEGINS) :], self._clock()
        return taken, ""

    def _pasted(self, text: str) -> tuple[str, str]:
        plain, escape, behind = text.partition(_ENDS[0])
        sign = escape + behind
        if sign.startswith(_ENDS):
            self._is_within = False
            return plain + _ENDS, sign[len(_ENDS) :]
        if _ENDS.startswith(sign):
            self._kept = sign
            return plain, ""
        return plain, behind


class PastedRest:
    """Makes what comes in one breath with a paste text of it. It looks at all that comes, in its order."""

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
