"""AgentsPane: the filter, and below it the rows that match."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message

from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.filter_line import FilterLine
from maverick_tui.ui.picker.items import Item, rows_of

READING = "reading agents …"
NOTHING = "There are no agents. Put one into .maverick/agents, then press Ctrl+R."


class AgentsPane(Vertical):
    """Filters its items by what is typed; the best match is highlighted."""

    class Filtered(Message):
        """Another text is filtered by."""

    class Moved(Message):
        """Another item is highlighted, or none."""

        def __init__(self, item: Item | None) -> None:
            super().__init__()
            self.item = item

    class Chosen(Message):
        """This item was clicked a second time."""

        def __init__(self, item: Item) -> None:
            super().__init__()
            self.item = item

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.border_title = "Agents"
        self.filter = FilterLine(id="filter")
        self.list = AgentList(id="list")
        self._items: Sequence[Item] = ()
        self._is_reading = True
        self._failure = ""

    def compose(self) -> ComposeResult:
        """One above the other."""
        yield self.filter
        yield self.list

    def show(self, items: Sequence[Item], *, is_reading: bool, failure: str = "") -> None:
        """Show other items; the same one stays highlighted if it is still there."""
        self._items, self._is_reading, self._failure = items, is_reading, failure
        self.list.measure(items)
        self._show_rows(jump=False)

    @on(FilterLine.Changed)
    def _change(self, event: FilterLine.Changed) -> None:
        event.stop()
        self._show_rows(jump=bool(self._query))
        self.post_message(self.Filtered())

    @on(AgentList.Moved)
    def _move(self, event: AgentList.Moved) -> None:
        # What this pane makes the list say ends here, so the pane says it again.
        event.stop()
        self.post_message(self.Moved(event.item))

    @on(AgentList.Chosen)
    def _choose(self, event: AgentList.Chosen) -> None:
        event.stop()
        self.post_message(self.Chosen(event.item))

    @property
    def _query(self) -> str:
        return self.filter.text.strip()

    def _show_rows(self, *, jump: bool) -> None:
        before = self.list.item
        rows, best = rows_of(self._items, self._query)
        same = (index for index, row in enumerate(rows) if row.item and before and row.item.key == before.key)
        self.list.notice = self._nothing()
        self.list.show(rows, best if jump else next(same, best))
        self.filter.count = self._count(sum(row.item is not None for row in rows))

    def _count(self, matching: int) -> str:
        if self._is_reading:
            return "reading …" if self._items else ""
        agents = sum(not item.run_id for item in self._items)
        if self._query:
            return f"{matching} of {len(self._items)}"
        return "" if not agents else "1 agent" if agents == 1 else f"{agents} agents"

    def _nothing(self) -> str:
        """What stands in place of rows."""
        if self._failure or self._is_reading:
            return self._failure or READING
        return f"No agent matches {self._query!r}. Esc clears." if self._query else NOTHING
