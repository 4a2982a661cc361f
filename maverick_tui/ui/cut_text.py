"""CutText: what was cut in a line, which Ctrl+Y brings back as in a shell, though that key allows a call elsewhere."""

from __future__ import annotations

import math
import time
from typing import Protocol, runtime_checkable

BROUGHT_BACK_FOR = 5.0
"""Seconds after words were cut in which the key that brings them back is meant for the text, whatever else it does."""


@runtime_checkable
class EditedText(Protocol):
    """A text that may have the focus, and keys of its own which answer a question otherwise."""

    @property
    def selected_text(self) -> str:
        """What is selected, and would be cut."""

    @property
    def is_redoing(self) -> bool:
        """Whether the key that brings something back is meant for it."""


class CutText:
    """Remembers what was cut last."""

    def __init__(self) -> None:
        self._text = ""
        self._until = -math.inf

    def keep(self, text: str) -> None:
        """This was cut."""
        if text:
            self._text, self._until = text, time.monotonic() + BROUGHT_BACK_FOR

    def bring_back(self) -> str:
        """What was cut last; it may be wanted again."""
        self.keep(self._text)
        return self._text

    @property
    def is_awaited(self) -> bool:
        """Whether somebody may be about to bring it back."""
        return time.monotonic() < self._until
