"""Units: the pieces that Markdown is drawn in, each of them final by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from maverick_tui.markup import grammar

if TYPE_CHECKING:
    from markdown_it.token import Token

FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`\n]*$)|~{3,})(.*)$", re.MULTILINE)
LONGEST_OPENER = 1_000
"""Characters of the line that opens a block of code; what is longer is no such line, but text."""
BLANK_LINES = re.compile(r"(?:[ \t]*\n)+")


@dataclass(slots=True)
class Unit:
    """A top-level block, an item of a top-level list, a fence, a table, or text that could not be parsed.

    `lines` is the text that its tokens refer to, `start` and `end` say which of the lines are its own.
    """

    kind: Literal["block", "item", "fence", "table", "plain"]
    lines: Sequence[str]
    start: int
    end: int
    tokens: Sequence[Token] = ()
    code: Sequence[str] = ()
    info: str = ""
    number: int | None = None
    is_spaced: bool = True
    """Whether a blank row stands above it."""
    goes_on: bool = False
    """Whether it is an item of the list that the unit before it belongs to."""
    table: OpenTable | None = None
    """The table that was open before, if it was."""


@dataclass(slots=True)
class OpenFence:
    """A block of code whose end has not come; its lines are final, but not their colours."""

    info: str
    is_spaced: bool
    indent: int
    marker: str
    closing: re.Pattern[str]
    lines: list[str] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add complete lines."""
        if text:
            self.lines.extend(self.inside(line) for line in text.removesuffix("\n").split("\n"))

    def inside(self, line: str) -> str:
        """A line without the indentation of the fence."""
        return line[min(self.indent, len(line) - len(line.lstrip(" "))) :] if self.indent else line


@dataclass(slots=True)
class OpenTable:
    """A table to which rows may be added."""

    head: str
    is_spaced: bool
    tokens: list[Token] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tokens.extend(grammar.blocks(self.head)[:-1])  # the last one closes the table
        self.lines.extend(self.head.split("\n")[:2])

    def rows(self, chunk: str) -> list[list[Token]]:
        """The rows that a text begins with, one for each line that continues the table."""
        rows: list[list[Token]] = []
        row: list[Token] = []
        for token in grammar.blocks(self.head + chunk) if chunk else ():
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                row = []
            row.append(token)
            if token.type == "tr_close":
                rows.append(row)
        return rows[1:]


def fence_of(found: re.Match[str], *, is_spaced: bool) -> OpenFence:
    """The block of code that a match of `FENCE` opens."""
    indent, marker, info = found.groups()
    closing = re.compile(rf"^ {{0,3}}{re.escape(marker[0])}{{{len(marker)},}}[ \t]*$", re.MULTILINE)
    return OpenFence(info.strip(), is_spaced, len(indent), marker, closing)


class Units:
    """Makes units of tokens, and remembers what the first of the next ones depends on."""

    def __init__(self) -> None:
        self.is_spaced = False
        self._number: int | None = None
        self._goes_on = False
        self._has_begun = False

    def of(self, tokens: list[Token], lines: list[str]) -> list[Unit]:
        """The units of a text that begins where the last `hand_over` or `pass_by` has left off."""
        units: list[Unit] = []
        index = 0
        while index < len(tokens):
            end = _end(tokens, index)
            kind = tokens[index].type
            if kind in ("bullet_list_open", "ordered_list_open"):
                units.extend(self._items(tokens[index:end], lines, is_first=not units))
            elif kind == "fence":
                units.append(_fence_unit(tokens[index], lines))
            else:
                units.append(_unit("table" if kind == "table_open" else "block", tokens[index:end], lines))
            index = end
        if units:
            units[0].is_spaced = self.is_spaced
        return units

    def hand_over(self, unit: Unit | None) -> None:
        """The next text begins with this unit, or with one that has not begun."""
        if unit is None:
            self.pass_by()
            return
        self.is_spaced, self._number, self._goes_on = unit.is_spaced, unit.number, unit.goes_on
        self._has_begun = True

    def pass_by(self, *, is_cut: bool = False) -> bool:
        """A unit was made by other means, or cut, so that the next one is its other part; says whether it is spaced."""
        was_spaced = self.is_spaced
        self.is_spaced, self._number, self._goes_on = not is_cut, None, False
        self._has_begun = True
        return was_spaced

    def pass_blank(self) -> None:
        """Blank lines stand before the next unit."""
        self.is_spaced = self._has_begun

    def _items(self, tokens: list[Token], lines: list[str], *, is_first: bool) -> Iterator[Unit]:
        goes_on = is_first and self._goes_on
        number: int | None = None
        if tokens[0].type == "ordered_list_open":
            number = self._number if goes_on else int(tokens[0].attrs.get("start", 1))
        index = 1
        while index < len(tokens) - 1:
            end = _end(tokens, index)
            unit = _unit("item", tokens[index:end], lines)
            unit.number, unit.goes_on = number, goes_on or index > 1
            if index > 1:
                unit.is_spaced = not lines[unit.start - 1].strip()
            if number is not None:
                number += 1
            yield unit
            index = end


def _unit(kind: Literal["block", "item", "table"], tokens: list[Token], lines: list[str]) -> Unit:
    start, end = tokens[0].map or (0, len(lines))
    return Unit(kind, lines, start, end, tokens)


def _fence_unit(token: Token, lines: list[str]) -> Unit:
    start, end = token.map or (0, len(lines))
    found = FENCE.match(lines[start])
    if found is None or len(lines[start]) > LONGEST_OPENER:
        return Unit("plain", lines, start, end)
    fence = fence_of(found, is_spaced=True)
    body = lines[start + 1 : end]
    if body and fence.closing.fullmatch(body[-1]):
        body.pop()
    fence.lines.extend(map(fence.inside, body))
    return Unit("fence", lines, start, end, code=fence.lines, info=fence.info)


def _end(tokens: list[Token], index: int) -> int:
    """The index behind a block's last token."""
    token = tokens[index]
    if token.nesting != 1:
        return index + 1
    level = token.level
    for end in range(index + 1, len(tokens)):
        if tokens[end].level == level and tokens[end].nesting == -1:
            return end + 1
    return len(tokens)
