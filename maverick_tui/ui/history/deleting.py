"""Deletions: runs that are to go when the history is left, and not before."""

from __future__ import annotations

from collections.abc import Callable

from maverick_tui.exceptions import MaverickError
from maverick_tui.history.listed import ListedRun
from maverick_tui.journal.claude_sessions import session_file
from maverick_tui.journal.folders import delete_run
from maverick_tui.ui.rendering.wrap import cut

_LONGEST_NAME = 40


class Deletions:
    """Kept in memory only: if we are killed, nothing is lost."""

    def __init__(self, is_open: Callable[[str], bool], marked: dict[str, ListedRun]) -> None:
        """`is_open` says whether a run is one of this application's; `marked` is what was marked before."""
        self._is_open = is_open
        self.marked = marked
        self.failures: list[str] = []
        """What could not be deleted in the end, or only here, and why."""

    def mark(self, run: ListedRun) -> str:
        """Have the run go; why not, if it cannot."""
        if self._is_open(run.run_id):
            return "This run is open here. Close it first, on its screen or in the picker."
        if run.is_live:
            return "This run is at work in another process. End it there first."
        if run.is_foreign:
            return "This is a session of Claude Code, which keeps and removes it itself."
        self.marked[run.run_id] = run
        return ""

    def take_back(self, run_id: str) -> None:
        """Have the run stay."""
        del self.marked[run_id]

    def take_back_last(self) -> ListedRun | None:
        """Have the run stay that was marked last; which one that is."""
        return self.marked.popitem()[1] if self.marked else None

    def carry_out(self) -> None:
        """Delete what is marked, except what has come to life, or has gone on, meanwhile."""
        deleted: list[str] = []
        for run_id, run in self.marked.items():
            name = cut(run.heading, _LONGEST_NAME)
            try:
                if self._is_open(run_id):
                    self.failures.append(f"{name} was kept: it is open here.")
                elif why := run.why_it_stays:
                    self.failures.append(f"{name} was kept: {why}.")
                else:
                    delete_run(run_id)
                    deleted.append(run_id)
                    if session_file(run_id) is not None:
                        self.failures.append(f"{name} is deleted here; the session of Claude Code stays.")
            except FileNotFoundError:
                continue  # somebody else was faster
            except OSError as error:
                self.failures.append(f"{name} cannot be deleted: {error.strerror or error}.")
            except MaverickError as error:  # its journal is gone, and what is left of it is not ours
                self.failures.append(error.message)
        self.marked.clear()
        if deleted:
            from maverick_tui.history.index import RunIndex
            from maverick_tui.review.removing import release_snapshots

            release_snapshots(deleted)
            with RunIndex() as index:
                index.let_go_of_words()
