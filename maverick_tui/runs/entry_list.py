"""The entries of a run in their order, and what has changed of them since somebody last asked."""

from __future__ import annotations

from maverick_tui.runs.entries import Entry, ToolEntry


class EntryList:
    """What a subagent does stands below its call, so an entry may come to stand before others."""

    def __init__(self) -> None:
        self.items: list[Entry] = []
        self._changed: dict[int, Entry] = {}
        self._moved: int | None = None
        self._last_number = 0

    def number(self) -> int:
        """A number that no entry has yet."""
        self._last_number += 1
        return self._last_number

    def add(self, entry: Entry, owner: ToolEntry | None = None) -> None:
        """Put it at the end, or below what its owner has done already."""
        index = len(self.items) if owner is None else self._index_below(owner)
        if index < len(self.items):
            self._order_changed(index)
        self.items.insert(index, entry)
        self.touch(entry)

    def move(self, entry: Entry, owner: ToolEntry | None) -> None:
        """Put it where it belongs after all."""
        index = self.items.index(entry)
        del self.items[index]
        self._order_changed(index)
        self.add(entry, owner)

    def touch(self, entry: Entry) -> None:
        """It looks different now."""
        entry.version += 1
        self._changed[entry.number] = entry

    def take_changes(self) -> tuple[list[Entry], int | None]:
        """Entries that look different since the last call, and from which index on the order has changed."""
        changed, moved = list(self._changed.values()), self._moved
        self._changed, self._moved = {}, None
        return changed, moved

    def _order_changed(self, index: int) -> None:
        self._moved = index if self._moved is None else min(self._moved, index)

    def _index_below(self, owner: ToolEntry) -> int:
        items = self.items
        index = len(items)
        while index and items[index - 1] is not owner:
            index -= 1
        if index == 0:
            return len(items)
        family = {owner.call}
        while index < len(items) and items[index].parent in family:
            below = items[index]
            if isinstance(below, ToolEntry) and below.call:
                family.add(below.call)
            index += 1
        return index
