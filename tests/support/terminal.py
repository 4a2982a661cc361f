"""A terminal that tests can look at, cell by cell, and a driver that writes to it without a pty."""

from __future__ import annotations

import re

import pyte
from pyte.screens import Char
from textual.drivers.headless_driver import HeadlessDriver

# What sets up the terminal itself and puts nothing on the screen; pyte would show some of it as text.
_SETUP = re.compile(r"\x1b\[[<=>?][0-9;]*[$ ]?[a-zA-Z](?<![hl])|\x1b\[[0-9;]*[$ ][a-zA-Z]|\x1b\[[0-9]*t|\x1b\[6n")
# Characters without a width that stand alone: pyte would leave out all that follows them.
_HIDDEN = re.compile("[\u200b-\u200f\u2028\u2029\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_SYNCHRONISED = 2026 << 5  # how pyte keeps a private mode
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*)?\Z")


class _Screen(pyte.Screen):
    """pyte leaves out what is dim; here it is what blinks, which nothing does."""

    def select_graphic_rendition(self, *attributes: int) -> None:
        """Take the colours and attributes that follow."""
        super().select_graphic_rendition(*_with_dim(attributes))


def _with_dim(attributes: tuple[int, ...]) -> list[int]:
    out: list[int] = []
    rest = list(attributes)
    while rest:
        first = rest.pop(0)
        if first in (_FOREGROUND, _BACKGROUND) and rest:
            taken = 4 if rest[0] == _TRUE_COLOUR else 2
            out += [first, *rest[:taken]]
            del rest[:taken]
        elif first == _DIM:
            out.append(_BLINK)
        elif first == _NEITHER_BOLD_NOR_DIM:
            out += [first, _NO_BLINK]
        else:
            out.append(first)
    return out


_DIM, _BLINK, _NEITHER_BOLD_NOR_DIM, _NO_BLINK = 2, 5, 22, 25
_FOREGROUND, _BACKGROUND, _TRUE_COLOUR = 38, 48, 2


class Glass:
    """What the terminal shows: characters with their colours."""

    def __init__(self, columns: int = 80, lines: int = 24) -> None:
        self._screen = _Screen(columns, lines)
        self._stream = pyte.Stream(self._screen)
        self._rest = ""
        self._rows: dict[int, str] = {}

    def feed(self, text: str) -> None:
        """Take what was written; a sequence that is not complete waits for its end."""
        text = self._rest + text
        cut = found.start() if (found := _UNFINISHED.search(text)) else len(text)
        self._rest = text[cut:]
        self._stream.feed(_HIDDEN.sub("", _SETUP.sub("", text[:cut])))

    @property
    def is_whole(self) -> bool:
        """Whether what was written is shown, and not part of an update that is still going on."""
        return _SYNCHRONISED not in self._screen.mode

    def differences(self, before: list[list[Char]]) -> list[str]:
        """Where the cells are not what they were, and how."""
        return [
            f"row {y}, column {x}: {old} became {new}"
            for y, (old_row, new_row) in enumerate(zip(before, self.cells, strict=True))
            for x, (old, new) in enumerate(zip(old_row, new_row, strict=True))
            if old != new
        ]

    def resize(self, columns: int, lines: int) -> None:
        """Become larger or smaller."""
        self._screen.resize(lines, columns)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        return self._screen.columns, self._screen.lines

    @property
    def cells(self) -> list[list[Char]]:
        """Every cell."""
        return [[self._screen.buffer[y][x] for x in range(self._screen.columns)] for y in range(self._screen.lines)]

    @property
    def rows(self) -> list[str]:
        """The screen as text."""
        screen = self._screen
        for y in screen.dirty:
            line = screen.buffer[y]
            self._rows[y] = "".join([line[x].data for x in range(screen.columns)]).rstrip()
        screen.dirty.clear()
        return [self._rows[y] for y in range(screen.lines)]

    @property
    def text(self) -> str:
        """The screen as one text."""
        return "\n".join(self.rows)


class GlassDriver(HeadlessDriver):
    """Keeps what the application writes; to the application it is a terminal."""

    written: str = ""

    @property
    def is_headless(self) -> bool:
        """It says no, or nothing would be written."""
        return False

    @property
    def can_suspend(self) -> bool:
        """There is nothing to leave and to come back to."""
        return True

    def write(self, data: str) -> None:
        """Keep it."""
        self.written += data

    def take(self) -> str:
        """What was written since the last time."""
        written, self.written = self.written, ""
        return written
