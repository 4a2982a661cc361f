"""CommitMarks: has a screen of changes show what is committed by now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maverick_tui.ui.changes.reading import read_committed
from maverick_tui.ui.told_work import told_if_it_fails

if TYPE_CHECKING:
    from maverick_tui.ui.changes.screen import ChangesScreen


class CommitMarks:
    """Asks once all else is on the screen, and not again before git has answered: it may be slow."""

    def __init__(self, screen: ChangesScreen) -> None:
        self._screen = screen
        self._is_due = False
        self._is_asking = False

    def look(self) -> None:
        """Mark what is committed of what is shown now."""
        self._is_due = True
        if not self._is_asking:
            self._is_asking = True
            told = told_if_it_fails(self._screen.app, self._mark(), "Changes")
            self._screen.run_worker(told, group="commits", exit_on_error=False)

    async def _mark(self) -> None:
        screen = self._screen
        try:
            while self._is_due:
                self._is_due = False
                await screen.painted()
                seen, diff = screen.looking.seen, screen.diff.diff
                if seen is None or diff is None:
                    continue
                screen.files.committed, diff.committed = await read_committed(screen.looking.reviewing, seen, diff)
                screen.files.refresh()
                screen.diff.refresh()
        finally:
            self._is_asking = False
