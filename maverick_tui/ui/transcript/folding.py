"""Folding: what of a run is shown in full, in one line, or not at all."""

from __future__ import annotations

from maverick_tui.runs.entries import PERSONS_OWN, Entry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.preferences import Verbosity

_DIFFS = ("Edit", "Write", "NotebookEdit")
_MOST_SHOWN = 40
"""Lines of a change that is shown without being asked for."""


class Folding:
    """What the verbosity says, and what the person has opened or closed in spite of it."""

    def __init__(self, store: RunStore, verbosity: Verbosity) -> None:
        self.verbosity = verbosity
        self._store = store
        self._chosen: dict[int, bool] = {}

    def set_verbosity(self, verbosity: Verbosity) -> None:
        """A new verbosity holds for everything."""
        self.verbosity = verbosity
        self._chosen.clear()

    def can_fold(self, entry: Entry) -> bool:
        """Whether there is more to it than one line."""
        if isinstance(entry, ToolEntry):
            return entry.name != "TodoWrite"
        return (isinstance(entry, TextEntry) and entry.kind == "thinking") or (
            isinstance(entry, PromptEntry) and bool(entry.sent)
        )

    def toggle(self, entry: Entry) -> bool:
        """Open what is closed, close what is open; whether there was anything to do."""
        if not self.can_fold(entry):
            return False
        self._chosen[entry.number] = not self.is_expanded(entry)
        return True

    def over(self, store: RunStore) -> Folding:
        """The same, for another store that has the same entries and more."""
        other = Folding(store, self.verbosity)
        other._chosen = self._chosen
        return other

    def is_expanded(self, entry: Entry) -> bool:
        """Whether all of it is shown."""
        if entry.number in self._chosen:
            return self._chosen[entry.number]
        if self.verbosity == "full":
            return not isinstance(entry, PromptEntry)
        if self.verbosity == "quiet" or not isinstance(entry, ToolEntry):
            return False
        if entry.name in _DIFFS and entry.state == "done":
            arguments = entry.arguments
            text = f"{arguments.get('old_string', '')}\n{arguments.get('new_string') or arguments.get('content', '')}"
            return text.count("\n") <= _MOST_SHOWN
        return False

    def shows_beginning(self, entry: Entry) -> bool:
        """Whether the first rows of what it says are seen while it is closed: who runs a command wants to see that."""
        is_own = isinstance(entry, ToolEntry) and entry.name == PERSONS_OWN and not entry.is_open
        return is_own and self.verbosity != "quiet" and not self.is_expanded(entry)

    def is_hidden(self, entry: Entry) -> bool:
        """Whether it is not shown at all; what waits for an answer always is."""
        if isinstance(entry, ToolEntry) and entry.state == "asking":
            return False
        if isinstance(entry, TextEntry):
            if self.verbosity == "quiet" and entry.kind == "thinking":
                return True
            if not entry.parts or not any(part.strip() for part in entry.parts):
                return entry.kind == "text" or not entry.is_open
        return bool(entry.parent) and self._is_below_closed(entry)

    def _is_below_closed(self, entry: Entry) -> bool:
        """Whether the subagent that it belongs to, or one above, is closed."""
        parent, seen = self._store.calls.get(entry.parent), {entry.number}
        while parent is not None and parent.number not in seen:  # no run has such a circle, but a journal may
            if not self._shows_children(parent):
                return True
            seen.add(parent.number)
            parent = self._store.calls.get(parent.parent) if parent.parent else None
        return False

    def _shows_children(self, entry: ToolEntry) -> bool:
        if entry.number in self._chosen:
            return self._chosen[entry.number]
        return self.verbosity != "quiet"
