"""Markdown that is still being written: what is finished is drawn once, only what is open is drawn again."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from time import perf_counter

from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.reader import MarkdownReader
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.table import Table
from maverick_tui.ui.rendering.units import OpenFence, OpenTable, Unit

log = logging.getLogger(__name__)


class LiveMarkdown:
    """A text that grows. `feed` it, `advance` it once a frame, and show `frozen` followed by `tail`."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._reader = MarkdownReader()
        self._parts: list[str] = []
        self._fresh: list[str] = []
        self._is_idle = True
        self._is_plain = False
        self._units: deque[Unit] = deque()
        self._fence: _LiveFence | None = None
        self._closing: _Closing | None = None
        self._table: _LiveTable | None = None
        self.frozen: list[Row] = []
        """Rows that stay, until a block of code among them is closed and gets its final colours."""
        self.tail: list[Row] = []
        """Rows of what is still open."""

    @property
    def source(self) -> str:
        """The whole text."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def feed(self, text: str) -> None:
        """Append text; nothing is drawn before `advance`."""
        if text:
            self._parts.append(text)
            self._fresh.append(text)
            self._is_idle = False

    def advance(self, budget: float) -> bool:
        """Draw what has come, for about `budget` seconds. True if that was not enough: call it again soon."""
        if self._is_idle:
            return False
        self._is_idle = not self._draw(perf_counter() + budget, closed=False)
        return not self._is_idle

    def finish(self) -> None:
        """Nothing will follow: everything is final, and there is no tail."""
        self._draw(float("inf"), closed=True)
        self._is_idle = True

    # -- work -------------------------------------------------------------------------------------------------------

    def _draw(self, deadline: float, *, closed: bool) -> bool:
        """Work until the deadline; whether something is left to do."""
        fresh, self._fresh = "".join(self._fresh), []
        if not self._is_plain:
            try:
                self._reader.feed(fresh)
                return self._draw_markdown(deadline, closed=closed)
            except Exception:
                # Nothing in a text may end the application, and no text is lost.
                log.exception("A Markdown text cannot be drawn.")
                self._is_plain = True
        before = [*self.frozen, *self.tail]
        self.frozen, self.tail = self._renderer.plain(self.source, self._renderer.palette.base), []
        _reuse(before, self.frozen)
        return False

    def _draw_markdown(self, deadline: float, *, closed: bool) -> bool:
        before, tail = len(self.frozen), self.tail
        is_late = False
        while not is_late and self._work(closed=closed):
            is_late = perf_counter() > deadline
        if is_late:
            if len(self.frozen) > before:
                self.tail = []
        else:
            self.tail = self._open_rows()
        self._keep_same(before, tail)
        return is_late

    def _work(self, *, closed: bool) -> bool:
        """A piece of work; False if there is none."""
        if self._closing is not None:
            if self._closing.advance():
                self._replace(self._closing.start, self._closing.rows)
                self._closing = None
            return True
        if self._units:
            self._freeze(self._units.popleft())
            return True
        if self._fence is not None and self._fence.is_behind:
            self.frozen.extend(self._fence.next_rows(self._renderer))
            return True
        units = self._reader.step(closed=closed)
        if units is None:
            return False
        self._units.extend(units)
        if not units:
            self._follow()
        return True

    def _follow(self) -> None:
        """Keep up with a fence or a table that is open in the reader."""
        fence, table = self._reader.fence, self._reader.table
        if fence is not None and self._fence is None:
            self._fence = _LiveFence(fence, len(self.frozen))
            if fence.is_spaced:
                self.frozen.append(self._renderer.canvas.blank)
        if table is not None:
            if self._table is None:
                if table.is_spaced:
                    self.frozen.append(self._renderer.canvas.blank)
                self._table = _LiveTable(table, self._renderer)
            self._table.update(self._renderer)
            self.frozen.extend(self._table.table.take())

    def _freeze(self, unit: Unit) -> None:
        if unit.kind == "fence":
            start = len(self.frozen) if self._fence is None else self._fence.start
            self._closing, self._fence = _Closing(start, self._renderer.unit(unit)), None
        elif unit.table is not None and self._table is not None:
            self._table.update(self._renderer)
            self.frozen.extend(self._table.table.take())
            self.frozen.extend(self._table.table.rows())
            self._table = None
        else:
            self.frozen.extend(self._renderer.unit(unit))

    def _open_rows(self) -> list[Row]:
        if self._fence is not None:
            return self._fence.open_rows(self._renderer, self._reader.rest)
        if self._table is not None:
            # A row of a table is shown when it is complete: the columns would jump with every letter.
            return list(self._table.table.rows())
        return [row for unit in self._reader.open for row in self._renderer.unit(unit)]

    # -- rows that have not changed ---------------------------------------------------------------------------------

    def _replace(self, start: int, rows: list[Row]) -> None:
        """Put the final rows of a block of code in the place of its first ones."""
        _reuse(self.frozen[start:], rows)
        self.frozen[start:] = rows

    def _keep_same(self, before: int, tail: list[Row]) -> None:
        """Rows that look as before are the objects that they were before."""
        new = self.frozen[before : before + len(tail)]
        frozen = len(new)
        new += self.tail[: len(tail) - frozen]
        _reuse(tail, new)
        self.frozen[before : before + frozen] = new[:frozen]
        self.tail[: len(new) - frozen] = new[frozen:]


def _reuse(old: list[Row], new: list[Row]) -> None:
    """Put old rows in the place of new ones that are the same."""
    for index, (one, other) in enumerate(zip(old, new, strict=False)):
        if one is other or one.is_same(other):
            new[index] = one


class _LiveFence:
    """An open block of code: each line is coloured by itself as soon as it is complete."""

    def __init__(self, fence: OpenFence, start: int) -> None:
        self._fence = fence
        self._shown = 0
        self.start = start

    @property
    def is_behind(self) -> bool:
        return self._shown < len(self._fence.lines)

    def next_rows(self, renderer: Renderer) -> Iterator[Row]:
        line = self._fence.lines[self._shown]
        self._shown += 1
        return renderer.fence([line], self._fence.info)

    def open_rows(self, renderer: Renderer, rest: str) -> list[Row]:
        """The row of the line that is being written, unless it looks like the end of the block."""
        is_end = bool(rest.strip()) and not rest.strip().strip(self._fence.marker[0])
        if (not rest and self._shown) or is_end:
            return []
        return list(renderer.fence([self._fence.inside(rest)], self._fence.info))


class _Closing:
    """The final rows of a block of code, made a few at a time."""

    def __init__(self, start: int, source: Iterator[Row]) -> None:
        self.start = start
        self.rows: list[Row] = []
        self._source = source

    def advance(self) -> bool:
        """Make some rows; whether those were all."""
        for row in self._source:
            self.rows.append(row)
            if len(self.rows) % 16 == 0:
                return False
        return True


class _LiveTable:
    """An open table. It lets go of what it has taken from its source, which adds up in a long one."""

    def __init__(self, source: OpenTable, renderer: Renderer) -> None:
        self._source = source
        self.table: Table = renderer.blocks.table(source.tokens)
        source.tokens.clear()

    def update(self, renderer: Renderer) -> None:
        for cells in renderer.blocks.cells(self._source.tokens):
            self.table.add(cells)
        self._source.tokens.clear()
