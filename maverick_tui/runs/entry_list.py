"""The entries of a run in their order, and what has changed of them, for any number of readers."""

from __future__ import annotations

from bisect import bisect_right

from maverick_tui.runs.entries import Entry, ToolEntry


class EntryList:
    """What a subagent does stands below its call, so an entry may come to stand before others."""

    def __init__(self, last_number: int = 0) -> None:
        """The first entry has the number after `last_number`."""
        self.items: list[Entry] = []
        self.change = 0
        """How often anything has changed."""
        self._changed: dict[int, tuple[int, Entry]] = {}
        """Each entry with its last change, by number; the one that has changed last is the last one."""
        self._moved_at: list[int] = []
        self._moved: list[int] = []
        """When the order has changed and from which index on: only what no later change reaches back behind."""
        self._last_number = last_number

    def number(self) -> int:
        """A number that no entry has yet."""
        self._last_number += 1
        return self._last_number

    def renumber(self, by: int) -> None:
        """Count on from another number, so that its entries are those of another list that begins or ends alike."""
        if not by:
            return
        for entry in self.items:
            entry.number += by
        self._changed = {number + by: change for number, change in self._changed.items()}
        self._last_number += by

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
        self.change += 1
        self._changed.pop(entry.number, None)
        self._changed[entry.number] = (self.change, entry)

    def changed_since(self, change: int) -> list[Entry]:
        """Entries that look different since that change, those first that are there for longest."""
        found: list[Entry] = []
        for at, entry in reversed(self._changed.values()):
            if at <= change:
                break
            found.append(entry)
        return sorted(found, key=lambda entry: entry.number)

    def moved_since(self, change: int) -> int | None:
        """From which index on the order is another one than at that change."""
        place = bisect_right(self._moved_at, change)
        return self._moved[place] if place < len(self._moved) else None

    def _order_changed(self, index: int) -> None:
        self.change += 1
        while self._moved and self._moved[-1] >= index:
            self._moved.pop()
            self._moved_at.pop()
        self._moved.append(index)
        self._moved_at.append(self.change)

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


class ChangeReader:
    """One reader's place among the changes."""

    def __init__(self, entries: EntryList) -> None:
        self._list = entries
        self._seen = 0

    def skip(self) -> None:
        """Take nothing of what has changed until now."""
        self._seen = self._list.change

    def take(self) -> tuple[list[Entry], int | None]:
        """Entries that look different since the last call, and from which index on the order has changed."""
        seen, self._seen = self._seen, self._list.change
        return self._list.changed_since(seen), self._list.moved_since(seen)
