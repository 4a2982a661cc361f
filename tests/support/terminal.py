"""A terminal that tests can look at, cell by cell, and a driver that writes to it without a pty."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pyte
from pyte.charsets import LAT1_MAP
from pyte.modes import IRM
from pyte.screens import Char
from textual.drivers.headless_driver import HeadlessDriver
from wcwidth import wcwidth

# What sets up the terminal itself and puts nothing on the screen; pyte would show some of it as text.
_SETUP = re.compile(r"\x1b\[[<=>?][0-9;]*[$ ]?[a-zA-Z](?<![hl])|\x1b\[[0-9;]*[$ ][a-zA-Z]|\x1b\[[0-9]*t|\x1b\[6n")
# Characters without a width that stand alone: pyte would leave out all that follows them.
_HIDDEN = re.compile("[\u200b-\u200f\u2028\u2029\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_SYNCHRONISED = 2026 << 5  # how pyte keeps a private mode
_ALTERNATE = 1049
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*)?\Z")
# Places and colours are most of what is written, and pyte looks at each of their characters for itself.
_PLACE_OR_COLOURS = re.compile(r"\x1b\[([0-9;]*)([Hm])")
_STEERS = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class _Screen(pyte.Screen):
    """pyte leaves out what is dim; here it is what blinks, which nothing does.

    It also has one screen alone: the last frame of a program would stay for ever, though the program has left.
    """

    _below: Any = None
    """What is shown again when a program leaves that has all of the screen."""

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """Turn modes on; who takes all of the screen begins with an empty one."""
        super().set_mode(*modes, **kwargs)
        if kwargs.get("private") and _ALTERNATE in modes and self._below is None:
            self.save_cursor()
            self._below = self.buffer.copy()
            self.buffer.clear()
            self.dirty.update(range(self.lines))

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """Turn modes off; what was there before comes back."""
        super().reset_mode(*modes, **kwargs)
        if kwargs.get("private") and _ALTERNATE in modes and self._below is not None:
            self.buffer, self._below = self._below, None
            self.restore_cursor()
            self.dirty.update(range(self.lines))

    def select_graphic_rendition(self, *attributes: int) -> None:
        """Take the colours and attributes that follow."""
        super().select_graphic_rendition(*_with_dim(attributes))

    def draw(self, data: str) -> None:
        """Put text where the cursor is: if it is simple and fits, without a look at each character."""
        cursor = self.cursor
        is_simple = not self.charset and self.g0_charset is LAT1_MAP and IRM not in self.mode
        cells = _cells(cursor.attrs)
        try:
            row = [cells[character] for character in data]
        except KeyError:
            row = []
        if not row or not is_simple or cursor.x + len(row) > self.columns:
            super().draw(data)
            return
        self.buffer[cursor.y].update(enumerate(row, cursor.x))
        cursor.x += len(row)
        self.dirty.add(cursor.y)


class _Cells(dict[str, Char]):
    """Cells that look the same, by their character; there is none for what is not one cell wide."""

    def __init__(self, look: Char) -> None:
        self._look = look

    def __missing__(self, character: str) -> Char:
        if wcwidth(character) != 1:
            raise KeyError(character)
        cell = self[character] = self._look._replace(data=character)
        return cell


_cells = cache(_Cells)


@cache
def _seen(cell: Char) -> Char:
    is_ground = cell.data == " " and not (cell.reverse or cell.underscore or cell.strikethrough)
    return Char(" ", bg=cell.bg) if is_ground else cell


@cache
def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number or 0) for number in text.split(";"))


@cache
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
        shown, start = _HIDDEN.sub("", _SETUP.sub("", text[:cut])), 0
        for found in _PLACE_OR_COLOURS.finditer(shown):
            self._draw(shown[start : found.start()])
            if found[2] == "H":
                self._screen.cursor_position(*_numbers(found[1]))
            else:
                self._screen.select_graphic_rendition(*_numbers(found[1]))
            start = found.end()
        self._draw(shown[start:])

    def _draw(self, text: str) -> None:
        if _STEERS.search(text):
            self._stream.feed(text)
        elif text:
            self._screen.draw(text)

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
        """Every cell as it is seen: of a blank that has no line in it only the background is."""
        screen = self._screen
        return [[_seen(screen.buffer[y][x]) for x in range(screen.columns)] for y in range(screen.lines)]

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
