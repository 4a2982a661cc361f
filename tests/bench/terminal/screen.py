"""A terminal to look at: what a program wrote, as it would be seen on a screen."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import pyte

COLUMNS, LINES = 120, 40
SYNCHRONISED = 2026 << 5
"""Mode 2026 as pyte keeps private modes: while it is set the terminal shows nothing new."""

# What pyte would take for text or stumble over; none of it puts characters on the screen.
_IGNORED = re.compile(
    r"\x1b[P_^X].*?\x1b\\"  # strings for the terminal itself
    r"|\x1b\[[<=>][0-?]*[ -/]*[@-~]|\x1b\[[0-?]*[ -/]+[@-~]"  # keyboard modes, queries, the cursor's shape
    r"|\x1b\[\?[0-9;:]*[^0-9;:hlJK]"
    r"|\x1b\[[0-9;]*:[0-9;:]*m",  # colours and underlines in their newer spelling
    re.DOTALL,
)
_INCOMPLETE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[P_^X](?:[^\x1b]|\x1b(?!\\))*|[()#%])?\Z")
_MORE = {"S": "scroll_up", "T": "scroll_down", "b": "repeat", "s": "save_cursor", "u": "restore_cursor"}


class _Stream(pyte.Stream):
    """pyte's parser, and the movements of whole regions that it lacks."""

    csi = {**pyte.Stream.csi, **_MORE}


class _Screen(pyte.Screen):
    _last = " "

    def draw(self, data: str) -> None:
        super().draw(data)
        self._last = data[-1:] or self._last

    def repeat(self, count: int = 1) -> None:
        """The last character again (REP)."""
        self.draw(self._last * max(count, 1))

    def scroll_up(self, count: int = 1) -> None:
        """The lines between the margins go up (SU)."""
        self._scroll(max(count, 1), up=True)

    def scroll_down(self, count: int = 1) -> None:
        """The lines between the margins go down (SD)."""
        self._scroll(max(count, 1), up=False)

    def _scroll(self, count: int, *, up: bool) -> None:
        top, bottom = self.margins or (0, self.lines - 1)
        at, self.cursor.y = self.cursor.y, bottom if up else top
        for _ in range(min(count, self.lines)):
            self.index() if up else self.reverse_index()
        self.cursor.y = at


class Terminal:
    """Takes the bytes of a program in the pieces they were read in."""

    def __init__(self, columns: int = COLUMNS, lines: int = LINES) -> None:
        self._screen = _Screen(columns, lines)
        self._stream = _Stream(self._screen, strict=False)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> None:
        """Take the next piece; an escape sequence that is not complete waits for its end."""
        text = self._rest + self._decoder.decode(data)
        cut = found.start() if (found := _INCOMPLETE.search(text)) else len(text)
        text, self._rest = text[:cut], text[cut:]
        self._stream.feed(_IGNORED.sub("", text))

    @property
    def is_shown(self) -> bool:
        """Whether what was written is visible, and not part of an update that is still going on."""
        return SYNCHRONISED not in self._screen.mode

    def take_changed(self) -> set[int]:
        """The numbers of the rows that were touched since the last time."""
        changed = set(self._screen.dirty)
        self._screen.dirty.clear()
        return changed

    def row(self, number: int) -> str:
        """One row as text."""
        line = self._screen.buffer[number]
        return "".join(line[column].data for column in range(self._screen.columns)).rstrip()

    @property
    def rows(self) -> list[str]:
        """The whole screen as text."""
        return [self.row(number) for number in range(self._screen.lines)]


@dataclass
class Shown:
    """Waits until all of some patterns are on the screen, each in a row of its own or not."""

    patterns: Sequence[re.Pattern[str]]
    moment: float | None = None

    def look(self, rows: Sequence[str], moment: float) -> None:
        """See a frame."""
        if self.moment is None and all(any(map(pattern.search, rows)) for pattern in self.patterns):
            self.moment = moment


@dataclass(frozen=True)
class Key:
    """A key that was typed: when, and what the prompt holds after it."""

    moment: float
    expected: str


@dataclass
class Echoes:
    """Waits for keys to show up in the prompt, the last row that the pattern matches."""

    prompt: re.Pattern[str]
    keys: Sequence[Key]
    delays: list[float] = field(default_factory=list)

    @property
    def lost(self) -> int:
        """How many keys were never seen."""
        return len(self.keys) - len(self.delays)

    def look(self, rows: Sequence[str], moment: float) -> None:
        """See a frame."""
        pending = self.keys[len(self.delays) :]
        if not pending or pending[0].moment > moment:
            return
        found = next(filter(None, map(self.prompt.search, reversed(rows))), None)
        if found is None:
            return
        typed = found[1].strip()
        for number, key in enumerate(pending):
            if key.moment > moment:
                return
            if key.expected == typed:  # and so were all before it, if the program drew several at once
                self.delays += [moment - earlier.moment for earlier in pending[: number + 1]]
                return


def replay(chunks: Sequence[tuple[float, bytes]], *watches: Shown | Echoes) -> Terminal:
    """Feed what was recorded, show every frame to the watches, and return the terminal as it was left."""
    terminal = Terminal()
    rows = terminal.rows
    changed: set[int] = set()
    for moment, data in chunks:
        terminal.feed(data)
        changed.update(terminal.take_changed())
        if changed and terminal.is_shown:
            for number in changed:
                rows[number] = terminal.row(number)
            for watch in watches:
                watch.look(rows, moment)
            changed.clear()
    return terminal
