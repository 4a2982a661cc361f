"""The palette of commands, which can be left while it looks for some: its list is gone then, and its search failed."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from textual.command import CommandPalette
from textual.css.query import NoMatches
from textual.worker import Worker

_SEARCH: Any = getattr(getattr(CommandPalette, "_gather_commands", None), "__wrapped__", None)
"""What Textual's worker does; None where another Textual has no such worker, and it searches in its own way."""
_GROUP = getattr(CommandPalette, "_GATHER_COMMANDS_GROUP", "default")


class LeavablePalette(CommandPalette):
    """A palette that may be left at any moment."""

    if _SEARCH is not None:

        def _gather_commands(self, search_value: str) -> Worker[None] | None:  # type: ignore[override]
            """Look for commands, unless what was typed comes after it was left."""
            if not self.is_active:
                return None
            return self.run_worker(partial(self._search, search_value), group=_GROUP, exclusive=True)

    async def _search(self, search_value: str) -> None:
        with suppress(NoMatches):
            await _SEARCH(self, search_value)
