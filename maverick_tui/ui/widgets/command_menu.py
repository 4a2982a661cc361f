"""What is typed in the prompt may become one of several things: commands are chosen here, and a menu shows a choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from textual import events

from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import cells_of, cut, pad
from maverick_tui.ui.widgets.painted import Painted

_BEGUN = re.compile(r"/([A-Za-z][\w-]*)?")
"""A command of which only the name has been typed so far; a path soon has a second slash, or a dot."""
_NAMES = 10
"""Columns of the names."""
_LEAST, _PART = 2, 3
"""The part of the screen's rows that it may take, and how many it has at least."""


class Choice(Protocol):
    """What a menu shows: names of which one is marked, and what the prompt's keys do with them."""

    names: tuple[str, ...]
    at: int
    """The place of the marked one."""

    @property
    def columns(self) -> int:
        """Room for the names, where something stands beside them."""
        ...

    def rows(self) -> list[tuple[str, str]]:
        """Each as it is shown, and what it is."""
        ...

    def step(self, by: int) -> None:
        """Mark the next one, or the one before."""
        ...

    def refuse(self) -> None:
        """The person does not want to choose."""
        ...

    def close(self) -> None:
        """There is nothing to choose."""
        ...


class CommandChoice:
    """Open while the text is the beginning of a command; it holds for the text it has seen, and no other."""

    columns = _NAMES

    def __init__(self, commands: Mapping[str, str], take_words: Collection[str], on_change: Callable[[], None]) -> None:
        """`commands` are names and what they do, some `take_words`; `on_change` hears that others are to be shown."""
        self._commands = commands
        self._take_words = take_words
        self._on_change = on_change
        self._text = ""
        self._is_refused = False
        """Whether the person has closed it: it stays closed until the text is no longer a command."""
        self.names: tuple[str, ...] = ()
        self.at = 0
        """The place of the marked one."""

    def rows(self) -> list[tuple[str, str]]:
        """Names and what they do, of those that fit."""
        return [(f"/{name}", self._commands[name]) for name in self.names]

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


class ChoiceMenu(Painted):
    """Made when it is first needed; the prompt keeps the focus, and its keys move the mark."""

    def __init__(self, choice: Choice, take: Callable[[int], None]) -> None:
        """Show what there is to choose, and `take` what is clicked, by its place."""
        super().__init__()
        self._choice = choice
        self._take = take
        self._first = 0

    def refresh_choice(self) -> None:
        """Show what there is to choose now, if anything."""
        most = max(_LEAST, self.screen.size.height // _PART)
        count = min(len(self._choice.names), most)
        self._first = min(max(self._first, self._choice.at - count + 1, 0), self._choice.at)
        self.display = count > 0
        if count and self.size.height != count:
            self.styles.height = count
        self.fill()

    def fill(self) -> None:
        """The rows from the first one in sight on, in the room that there is."""
        width = self.size.width or self.screen.size.width
        rows = list(enumerate(self._choice.rows()))[self._first :]
        self.paint([self._row(at == self._choice.at, name, about, width) for at, (name, about) in rows])

    def on_click(self, event: events.Click) -> None:
        """Take what was clicked."""
        event.stop()
        at = self._first + event.y
        if at < len(self._choice.names):
            self._take(at)

    def _row(self, is_marked: bool, name: str, about: str, width: int) -> Line:
        mark, columns = "▸" if is_marked else " ", self._choice.columns
        shown = pad(name, columns) if columns else _end_of(name, max(width - 4, 1))
        start = f" {mark} {shown}"
        return ((start, "mode" if is_marked else "accent"), (cut(about, max(width - len(start) - 1, 1)), "text"))


class CommandMenu(ChoiceMenu):
    """The menu of commands."""


def _end_of(name: str, width: int) -> str:
    """The end of a name that is too long: that is what tells files apart."""
    if cells_of(name) <= width:
        return name
    shown = name[-width + 1 :]
    while cells_of(shown) > width - 1:
        shown = shown[1:]
    return f"…{shown}"
