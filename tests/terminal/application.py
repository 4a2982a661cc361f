"""The `maverick` command in a terminal: keys, the mouse, and what stands where."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from tests.support.pty_program import PATIENCE, PtyProgram
from tests.support.terminal import Glass
from tests.terminal.grammar import Written, parse, without_half

MAVERICK = str(Path(sys.executable).parent / "maverick")

ENTER, ESCAPE, TAB, SHIFT_TAB, SPACE, BACKSPACE = "\r", "\x1b", "\t", "\x1b[Z", " ", "\x7f"
UP, DOWN, PAGE_UP, PAGE_DOWN, CTRL_END = "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "\x1b[1;5F"
F1, F4, F8, F11, F12 = "\x1bOP", "\x1bOS", "\x1b[19~", "\x1b[23~", "\x1b[24~"
CTRL_B, CTRL_C, CTRL_E, CTRL_F, CTRL_G, CTRL_J, CTRL_N, CTRL_O, CTRL_P, CTRL_Q, CTRL_U, CTRL_X, CTRL_Y, CTRL_Z = (
    chr(ord(letter) - ord("a") + 1) for letter in "bcefgjnopquxyz"
)
# What the shell and the editors of the tests write (between [ and ] is what they were told to say), and marks.
_FAREWELL = rb"(?:handyman is still at work: maverick attach [0-9a-f]+\r\n)+$"
_STOPPED = rb"(?:\r\n\[1\]\+  Stopped[^\r]*\r\n)?\[[a-z0-9 ]+\]\r\n(?:\r\n)?"
_OTHERS = re.compile(rb"|".join((_FAREWELL, rb"\x1b\]7777;[^\x07]*\x07", _STOPPED)))
_PROMPT_ROW = re.compile(r"^\s*│ (.*?)\s*│$")
WHEEL_UP, WHEEL_DOWN = 64, 65
SIZE = (100, 30)
"""Columns and lines of a terminal, if nothing else is said."""
_CELL = (10, 20)  # pixels
_MOVED = 32


def pasted(text: str) -> str:
    """What a terminal sends when text is pasted."""
    return f"\x1b[200~{text}\x1b[201~"


@lru_cache(maxsize=1)  # a test asks for one thing after another, of a megabyte
def _read(written: bytes, *, is_whole: bool) -> Written:
    own = _OTHERS.sub(b"", written)
    return parse(own if is_whole else without_half(own))


class Application(PtyProgram):
    """Maverick, as a person has it before them."""

    @property
    def output(self) -> Written:
        """What the application itself has written; all of it must be of its grammar."""
        # While it runs, and where it was killed or has lost its terminal, it may be in the middle of a word.
        return _read(self.written, is_whole=self.code == 0)

    def type_line(self, text: str) -> None:
        """Write into the prompt, and send it once it stands there."""
        self.send(text)
        self.until(lambda glass: prompt_of(glass) == text)
        self.send(ENTER)

    def row_of(self, text: str) -> int:
        """The number of the first row that has this text; it is waited for."""
        self.see(text)
        return next(number for number, row in enumerate(self.glass.rows) if text in row)

    def mouse(self, button: int, column: int, row: int, *, is_release: bool = False) -> None:
        """Something the mouse does; columns and rows are counted from 0."""
        self.send(f"\x1b[<{button};{column + 1};{row + 1}{'m' if is_release else 'M'}")

    def click(self, column: int, row: int) -> None:
        """Press and release."""
        self.mouse(0, column, row)
        self.mouse(0, column, row, is_release=True)

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Press, move and release."""
        self.mouse(0, *start)
        for column in range(start[0], end[0] + 1) if start[1] == end[1] else (start[0], end[0]):
            self.mouse(_MOVED, column, start[1])
        self.mouse(_MOVED, *end)
        self.mouse(0, *end, is_release=True)

    def until_pressed(self, keys: str, is_shown: Callable[[Glass], object]) -> None:
        """Press keys until the terminal shows it: a new question takes none for a moment, and neither does a dialog.

        Each time it is waited for longer: keys that were heard must not be pressed again before that shows.
        """
        until, pause = time.monotonic() + PATIENCE, 0.2
        while not is_shown(self.look()):
            assert time.monotonic() < until, self.state
            self.send(keys)
            heard = time.monotonic() + pause
            while time.monotonic() < heard and not is_shown(self.look()):
                time.sleep(0.02)
            pause *= 2

    def allow(self, tool: str) -> None:
        """Allow the call that waits."""
        self.see("waiting for you")
        self.until_pressed(CTRL_Y, lambda glass: f"● {tool}" in glass.text or f"✔ {tool}" in glass.text)

    def answer(self, dialog: str, key: str) -> None:
        """Answer a dialog, which is known by these words."""
        self.see(dialog)
        self.until_pressed(key, lambda glass: dialog not in glass.text)

    def see_editor(self, times: int = 1) -> None:
        """Wait until an editor has been there so often, and the application has the terminal again."""
        at = 0
        for _ in range(times):
            at = self.read(b"[editor]", at)
        self.read(b"\x1b[?7l", at)

    def quit(self, *, loses_draft: bool = False) -> int:
        """Quit, when nothing is running; the exit code."""
        self.send(CTRL_Q)
        if loses_draft:
            self.answer("Quit without sending this?", "y")
        return self.wait()


class ModernApplication(Application):
    """In a terminal that tells of its size by itself, and of the mouse in pixels; it begins with the usual size."""

    REPLIES = {
        **Application.REPLIES,
        b"\x1b[?2048$p": b"\x1b[?2048;2$y",
        b"\x1b[?2048h": f"\x1b[48;{SIZE[1]};{SIZE[0]};{SIZE[1] * _CELL[1]};{SIZE[0] * _CELL[0]}t".encode(),
    }

    def resize(self, columns: int, lines: int) -> None:
        """Tell the size among the keys, too."""
        super().resize(columns, lines)
        self.send(f"\x1b[48;{lines};{columns};{lines * _CELL[1]};{columns * _CELL[0]}t")

    def mouse(self, button: int, column: int, row: int, *, is_release: bool = False) -> None:
        """Something the mouse does, in the middle of a cell."""
        across, down = (at * size + size // 2 for at, size in zip((column, row), _CELL, strict=True))
        super().mouse(button, across, down, is_release=is_release)


def prompt_of(glass: Glass) -> str:
    """What stands in the last line of the prompt."""
    found = next(filter(None, map(_PROMPT_ROW.match, reversed(glass.rows))), None)
    return found[1] if found else ""
