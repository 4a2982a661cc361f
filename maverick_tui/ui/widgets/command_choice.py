"""CommandChoice: which commands what is typed may become, and which of them is marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

_BEGUN = re.compile(r"/([A-Za-z][\w-]*)?")
"""A command of which no more than its name has been typed; a path soon has a second slash, or a dot."""


class CommandChoice:
    """Open while the text is the beginning of a command. It counts for the text that it has seen, and for no other."""

    def __init__(self, commands: Mapping[str, str], take_words: Collection[str], on_change: Callable[[], None]) -> None:
        """`commands` are names and what they do, some `take_words`; `on_change` hears that others are to be shown."""
        self._commands = commands
        self._take_words = take_words
        self._on_change = on_change
        self._text = ""
        self._is_refused = False
        """Whether the person has closed it: it stays closed until the text is no command any more."""
        self.names: tuple[str, ...] = ()
        self.at = 0
        """The place of the marked one."""

    def rows(self) -> list[tuple[str, str]]:
        """Names and what they do, of those that fit."""
        return [(name, self._commands[name]) for name in self.names]

    def look(self, text: str) -> None:
        """Find what the text, as it has been typed, may become."""
        begun = _BEGUN.fullmatch(text)
        self._is_refused = self._is_refused and begun is not None
        word = (begun[1] or "").lower() if begun else None
        fitting = () if word is None or self._is_refused else (one for one in self._commands if one.startswith(word))
        self._text = text
        self._show(tuple(fitting))

    def is_open(self, text: str) -> bool:
        """Whether there is something to choose for this text."""
        return bool(self.names) and text == self._text

    def step(self, by: int) -> None:
        """Mark the next one, or the one before, going round."""
        self.at = (self.at + by) % len(self.names)
        self._on_change()

    def completion(self, text: str, at: int | None = None) -> str | None:
        """What the text becomes by the marked command, or by the one at a place; None if it is that already."""
        if not self.is_open(text):
            return None
        name = self.names[self.at if at is None else at]
        if text.lower() == f"/{name}":
            return None
        return f"/{name}{' ' if name in self._take_words else ''}"

    def refuse(self) -> None:
        """The person does not want to choose."""
        self._is_refused = True
        self._show(())

    def close(self) -> None:
        """There is nothing to choose: the text has not been typed, or is another one."""
        self._is_refused = False
        self._show(())

    def _show(self, names: tuple[str, ...]) -> None:
        if names != self.names:
            self.names, self.at = names, 0
            self._on_change()
