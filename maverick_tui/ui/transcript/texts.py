"""What is copied and searched: the text of entries (what they say, not how they look), the last answer, a word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from rich.cells import cell_len

from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.inert import inert
from maverick_tui.markup.json_text import readable_json
from maverick_tui.runs.entries import Entry, FailureEntry, NoticeEntry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore

if TYPE_CHECKING:
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.rendering.row import Row

_WORD = re.compile(r"""[^\s"'`()\[\]{}<>,;│]+""")
"""Paths, links and names are one word; brackets and quotes around them are not part of it."""


def source(entry: Entry) -> str:
    """The text of an entry as it is copied, searched and exported: never what it looks like, but what it says."""
    if isinstance(entry, PromptEntry | TextEntry | NoticeEntry):
        return entry.text
    if isinstance(entry, ToolEntry):
        arguments = readable_json(entry.arguments)
        shown = (
            inert(entry.arguments["command"]) if isinstance(entry.arguments.get("command"), str) else inert(arguments)
        )
        return f"{inert(entry.name)}\n{shown}\n\n{inert(result_text(entry.output))}".rstrip()
    if isinstance(entry, FailureEntry):
        return inert("\n".join([entry.failure.message, *entry.failure.causes, entry.failure.hint]))
    return ""


def answer_of_turn(store: RunStore, turn: int) -> list[str]:
    """What the agent itself has said in a turn, block by block."""
    return [entry.text for entry in store.entries if entry.turn == turn and _is_said(entry)]


def last_answer(store: RunStore) -> list[str]:
    """What the agent itself has said after its last call, as it is printed without a terminal; block by block.

    Where it has called something and said nothing since, what it said before that is the last one.
    """
    found: list[str] = []
    for entry in reversed(store.entries):
        is_end = isinstance(entry, PromptEntry) or (isinstance(entry, ToolEntry) and not entry.parent)
        if is_end and found:
            break
        if _is_said(entry):
            found.insert(0, source(entry))
    return found


def last_turn(store: RunStore) -> list[str]:
    """All that the agent itself has said in the last turn in which it has said something, block by block."""
    said = next((entry for entry in reversed(store.entries) if _is_said(entry)), None)
    return answer_of_turn(store, said.turn) if said is not None else []


def _is_said(entry: Entry) -> TypeGuard[TextEntry]:
    return isinstance(entry, TextEntry) and entry.kind == "text" and not entry.parent and bool(entry.text.strip())


def word_at(text: str, cell: int) -> tuple[int, int]:
    """First character of the word at a cell, and the one after its last; of blanks, nothing."""
    for word in _WORD.finditer(text):
        start = cell_len(text[: word.start()])
        if start <= cell < start + cell_len(word[0]):
            return word.span()
    return 0, 0


class Match(NamedTuple):
    """The number of an entry, and which of the matches in it this is."""

    entry: int
    ordinal: int


class Search:
    """Looks for a text in the entries, or for any of several; small letters find capitals, too, capitals only
    themselves.
    """

    def __init__(self, sources: Callable[[], list[tuple[int, str]]]) -> None:
        self.needle = ""
        """What the person sees as looked for."""
        self.needles: tuple[str, ...] = ()
        """What is looked for: that, or each of its words."""
        self._sources = sources
        self._found: list[Match] = []
        self.at = 0

    @property
    def total(self) -> int:
        """How many matches there are."""
        return len(self._found)

    def start(
        self, needle: str, is_ahead: Callable[[Match], bool] = lambda _: False, words: tuple[str, ...] = ()
    ) -> int:
        """Look for something else; the first match ahead is the first to be visited, else the last there is.

        With `words`, any of these is a match.
        """
        self.needle, self.needles = needle, words or (needle,)
        self._found = self._matches()
        ahead = (at for at, match in enumerate(self._found) if is_ahead(match))
        self.at = next(ahead, max(0, len(self._found) - 1))
        return len(self._found)

    def step(self, direction: int) -> Match | None:
        """The next match; it goes round at the ends, and finds what has come meanwhile."""
        current = self._found[self.at] if self._found else None
        if current is None:
            return self._found[self.at] if direction and self.start(self.needle, words=self.needles) else None
        if direction:
            self.renew()
        if not self._found:
            return None
        self.at = (self.at + direction) % len(self._found)
        return self._found[self.at]

    def renew(self) -> None:
        """Look once more, for there may be more to find; the current match stays the current one."""
        current = self.current
        self._found = self._matches()
        if current in self._found:
            self.at = self._found.index(current)
        elif not self._found:
            self.at = 0
        else:
            self.at = min(self.at, len(self._found) - 1)

    @property
    def current(self) -> Match | None:
        """The match that is visited."""
        return self._found[self.at] if self._found else None

    def _matches(self) -> list[Match]:
        if not self.needle:
            return []
        return [
            Match(number, ordinal)
            for number, text in self._sources()
            for ordinal, _ in enumerate(_spans(text, self.needles))
        ]


def _spans(text: str, needles: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First character of each match, and the one after its last; where one could begin with several, the longest is."""
    if any(needles):
        longest_first = sorted(needles, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest_first))
        yield from (found.span() for found in re.finditer(pattern, folded(text, "".join(needles))))


def folded(text: str, needle: str) -> str:
    """The text as it is compared; of the same length, so that places in it are places in the text."""
    if needle != needle.lower():
        return text
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)


def places(row: Row, *needles: str) -> Iterator[tuple[int, int]]:
    """First and last cell of each match in a row; what only decorates the row is not looked at."""
    text = row.text
    for first, last in _spans(text, needles):
        start = cell_len(text[:first])
        if start >= row.indent:
            yield start, start + cell_len(text[first:last])


def highlighted(row: Row, needles: Sequence[str], palette: Palette, current: int = -1) -> Row:
    """The row with every match highlighted; the `current` one of them stands out."""
    for ordinal, (start, end) in enumerate(list(places(row, *needles))):
        row = row.marked(start, end, palette.current_match if ordinal == current else palette.match)
    return row
