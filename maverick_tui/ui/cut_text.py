"""CutText: what was cut in a text, which Ctrl+Y brings back as in a shell, though that key allows a call elsewhere."""

from __future__ import annotations

import math
import time
from typing import Any, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from textual.app import App

REDOES_FOR = 1.5
"""Seconds after an undo or a redo in which the key that redoes is meant for the text, whatever else it may do."""
BROUGHT_BACK_FOR = 10.0
"""The same after words were cut, which that key brings back as in a shell, and after each key until then."""
LONGEST = 60.0
"""Seconds after which the key is meant for the question again, however much is typed meanwhile."""


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
    """Remembers what was cut last, in whichever text of an application: it may be brought back in another one."""

    def __init__(self) -> None:
        self._text = ""
        self._cut_at = self._until = -math.inf
        self._is_back = False
        """Whether it was brought back since."""

    def keep(self, text: str) -> None:
        """This was cut."""
        if text:
            self._text, self._cut_at, self._is_back = text, time.monotonic(), False
            self._until = self._cut_at + BROUGHT_BACK_FOR

    def bring_back(self) -> str:
        """What was cut last; it may be wanted again."""
        self._until, self._is_back = time.monotonic() + REDOES_FOR, True
        return self._text

    def go_on(self) -> None:
        """A key was pressed: whoever cuts words, to say something else first, brings them back only after that."""
        if self.is_awaited and not self._is_back:
            self._until = min(time.monotonic() + BROUGHT_BACK_FOR, self._cut_at + LONGEST)

    def forget(self) -> None:
        """Something was undone since."""
        self._text, self._until = "", -math.inf

    @property
    def is_awaited(self) -> bool:
        """Whether somebody may be about to bring it back."""
        return time.monotonic() < self._until


_of: WeakKeyDictionary[App[Any], CutText] = WeakKeyDictionary()


def cut_in(app: App[Any]) -> CutText:
    """What was cut in an application."""
    return _of.setdefault(app, CutText())
