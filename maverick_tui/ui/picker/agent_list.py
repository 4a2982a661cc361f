"""AgentList: the rows of the picker, drawn as they come into view."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.reactive import reactive
from textual.strip import Strip

from maverick_tui.ui.lines import ScrolledLines
from maverick_tui.ui.picker.items import Item, ListRow
from maverick_tui.ui.rendering.wrap import cut, pad, wrap_words

MARKER = "▸"

_NAME_LEAST, _NAME_MOST = 10, 26
_TOOLS = 8
_LEAST_TEXT, _LEAST_MARK, _LEAST_OF_RUN = 16, 11, 7
"""Columns that a description, or a word about a problem, needs to be of use; and what tells a run from others, such as
its time.
"""


class AgentList(ScrolledLines):
    """Rows below headings, one of them highlighted; `notice` stands in their place when there are none."""

    highlighted: reactive[int | None] = reactive(None, repaint=False)
    notice: reactive[str] = reactive("")

    def __init__(self, moved: Callable[[Item | None], None], chosen: Callable[[Item], None]) -> None:
        """`moved` hears what is highlighted, and `chosen` that it was clicked once more."""
        super().__init__(id="list")
        self._moved = moved
        self._chosen = chosen
        self.rows: Sequence[ListRow] = ()
        self._lines: list[int | None] = []
        """The row on each line, None for a blank one."""
        self._widths = (_NAME_LEAST, 0)

    @property
    def item(self) -> Item | None:
        """What is highlighted."""
        return None if self.highlighted is None else self.rows[self.highlighted].item

    def measure(self, items: Sequence[Item]) -> None:
        """Make the columns wide enough for all of these, so that filtering does not move them."""
        longest = max((cell_len(item.name) for item in items), default=0)
        models = max((cell_len(item.model) for item in items), default=0)
        self._widths = (min(max(longest, _NAME_LEAST), _NAME_MOST), models)

    def show(self, rows: Sequence[ListRow], highlighted: int | None) -> None:
        """Show other rows."""
        before = self.item
        self.rows = rows
        self.set_reactive(AgentList.highlighted, highlighted)
        self._place()
        self.refresh()
        if self.item is not before:
            self._moved(self.item)

    def _place(self) -> None:
        """Put the rows on lines, with a blank one between groups if there is room for all of them."""
        headings = [index for index, row in enumerate(self.rows) if row.item is None][1:]
        self._lines = list(range(len(self.rows)))
        if len(self.rows) + len(headings) <= self.page:
            for heading in reversed(headings):
                self._lines.insert(heading, None)
        self.top = self.validate_top(self.top)
        self._keep_in_view()

    def move(self, by: int) -> None:
        """Move the highlight by that many items, as far as there are any."""
        places = [index for index, row in enumerate(self.rows) if row.item is not None]
        if places and self.highlighted is not None:
            at = places.index(self.highlighted) + by
            self.highlighted = places[min(max(at, 0), len(places) - 1)]

    @property
    def line_count(self) -> int:
        """How many lines there are, also of what stands there instead of rows."""
        return len(self._lines) if self.rows else len(wrap_words(self.notice, self.room))

    def watch_highlighted(self, before: int | None, after: int | None) -> None:
        """Draw the two rows that have changed."""
        for index in (before, after):
            if index in self._lines and index is not None:
                self.refresh(Region(0, self._lines.index(index) - self.top, self.size.width, 1))
        self._keep_in_view()
        self._moved(self.item)

    def _keep_in_view(self) -> None:
        if self.highlighted is None:
            return
        line = self._lines.index(self.highlighted)
        # The heading above a group's first row belongs to it.
        first = line - (self.highlighted > 0 and self.rows[self.highlighted - 1].item is None)
        self.bring_into_view(first, line)

    def on_resize(self, _event: events.Resize) -> None:
        """Use the room that there is, and keep the highlight in view."""
        self._place()

    def on_click(self, event: events.Click) -> None:
        """Highlight the row; choose it if it is highlighted already."""
        offset = event.get_content_offset(self)
        line = len(self._lines) if offset is None or self._is_bar(event) else self.top + offset.y
        index = self._lines[line] if line < len(self._lines) else None
        item = None if index is None else self.rows[index].item
        if item is None:
            return
        event.stop()
        if index == self.highlighted:
            self._chosen(item)
        else:
            self.highlighted = index

    # -- drawing -----------------------------------------------------------------------------------------------------

    def draw_line(self, index: int, width: int) -> Strip:
        """One line: a heading, a row, or what stands there when there are no rows."""
        if not self.rows:
            return Strip([Segment(wrap_words(self.notice, width)[index], self.look("muted"))])
        at = self._lines[index]
        if at is None:
            return Strip([])
        row, is_marked = self.rows[at], at == self.highlighted
        segments = self._heading(row) if row.item is None else self._row(row, row.item, is_marked, width)
        return Strip(segments).crop_extend(0, width, self.look("highlight") if is_marked else self.look())

    def _heading(self, row: ListRow) -> Iterator[Segment]:
        yield Segment(row.group.title, self.look("caption"))
        if row.group.place:
            yield Segment(f"  {row.group.place}", self.look("faint"))

    def _row(self, row: ListRow, item: Item, is_marked: bool, width: int) -> Iterator[Segment]:
        name_width = min(self._widths[0], max(width // 2, _NAME_LEAST))
        yield Segment(f"{MARKER if is_marked else ' '} ", self._part("text", is_marked))
        yield from self._matched(pad(item.name, name_width), row.match.in_name, "text", is_marked)
        left = width - 2 - name_width
        for text, role, positions in self._cells(row, item, left):
            yield from self._matched(text, positions, role, is_marked)

    def _cells(self, row: ListRow, item: Item, left: int) -> Iterator[tuple[str, str, frozenset[int]]]:
        """What follows the name: model and tools, what is wrong, and the description if it fits."""
        nothing = frozenset[int]()
        if item.model and not item.refusal:
            needed = sum(2 + min(cell_len(text), _LEAST_MARK) for text, _ in item.marks)
            for text, role in self._facts(item):
                if cell_len(text) > left - needed:
                    break
                yield text, role, nothing
                left -= cell_len(text)
        for text, role in item.marks:
            # Where there is no room for words, the glyph says that there is something to be read.
            shown = cut(text, left - 2) if left - 2 >= _LEAST_MARK else text[: max(left - 2, 0)][:1]
            yield f"  {shown}", role, nothing
            left -= cell_len(shown) + 2
        if left >= (_LEAST_OF_RUN if item.run_id else _LEAST_TEXT) and item.description and not item.refusal:
            yield "  ", "muted", nothing
            yield cut(item.description, left - 2), "muted", row.match.in_description

    def _facts(self, item: Item) -> Iterator[tuple[str, str]]:
        yield f"  {pad(item.model, self._widths[1])}", "text" if item.has_own_model else "muted"
        yield f"  {item.tools:<{_TOOLS}}", "muted"

    def _matched(self, text: str, positions: frozenset[int], role: str, is_marked: bool) -> Iterator[Segment]:
        """The text with the characters that match set apart."""
        style = self._part(role, is_marked)
        if not positions:
            yield Segment(text, style)
            return
        match = self._part("match", is_marked)
        for index, character in enumerate(text):
            yield Segment(character, match if index in positions else style)

    def _part(self, role: str, is_marked: bool) -> Style:
        if not is_marked:
            return self.look(role)
        return self.look({"muted": "highlight-muted", "match": "highlight-match"}.get(role, "highlight"))
