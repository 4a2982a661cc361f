"""RunReview: what one run has changed, who else was at it, and the way back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from maverick_tui.markup.hunks import CONTEXT
from maverick_tui.review.kinds import START, ChangedFile, ChangedHunk, Scope, Texts, TurnChanges
from maverick_tui.snapshots.planning import Step
from maverick_tui.snapshots.undoing import Undone


@dataclass(frozen=True, slots=True)
class LastUndo:
    """What `redo` would give back: the paths, and when they were taken back."""

    paths: tuple[str, ...]
    at: float


class RunReview:
    """What a run has changed. Everything here takes its time, and is called in threads, one call after the other.

    Whatever needs the snapshots raises a ConfigError (NotTrackedError) if there are none: see `untracked`.
    """

    def __init__(self, run_id: str) -> None:
        """Read the run's journal. ConfigError if there is none."""
        self.run_id = run_id
        self.root = Path()
        """The folder that its changes are tracked in; paths are relative to it. Empty until there is a snapshot."""
        self.untracked = ""
        """Why its changes are not tracked (any more), if they are not; ends the sentence that begins with "because"."""
        self.turns: list[TurnChanges] = []
        """Its turns, the first one first; those of the run that it was forked from are not among them."""
        raise NotImplementedError

    def refresh(self) -> bool:
        """Read what is new in the journals; whether anything is. What is told afterwards goes by it."""
        raise NotImplementedError

    @property
    def is_alive(self) -> bool:
        """Whether a process still works on the run."""
        raise NotImplementedError

    @property
    def is_at_work(self) -> bool:
        """Whether calls of it that may write are running at this moment."""
        raise NotImplementedError

    def files(self, scope: Scope = START, *, with_others: bool = False) -> list[ChangedFile]:
        """The files that the run's calls have changed in this part of it, in the order of their paths.

        With others, also those that only you or other runs have changed meanwhile.
        """
        raise NotImplementedError

    def hunks(self, scope: Scope, path: str, context: int = CONTEXT) -> list[ChangedHunk]:
        """What has changed in one of those files, with whose each hunk and each line is; nothing of a binary one."""
        raise NotImplementedError

    def texts(self, scope: Scope, path: str) -> Texts:
        """What was in one of those files before and afterwards. The bytes of a link are where it leads."""
        raise NotImplementedError

    def plan(self, scope: Scope = START, paths: Collection[str] | None = None) -> list[Step]:
        """What `undo` will do with every path, or why one is left as it is. Nothing is changed."""
        raise NotImplementedError

    def undo(self, scope: Scope = START, paths: Collection[str] | None = None) -> Undone:
        """Take back what the run's calls have changed in this part of it: all of it, or these paths alone.

        What you or another run may have changed, too, or since, is refused path by path, with who it was.
        NotRestoredError if something goes wrong: then all is as it was.
        """
        raise NotImplementedError

    def reject(self, scope: Scope, path: str, hunks: Sequence[ChangedHunk]) -> Undone:
        """Take back only these hunks of a file; lines in them that are not the run's alone stay as they are."""
        raise NotImplementedError

    @property
    def last_undo(self) -> LastUndo | None:
        """What `redo` would give back, also after a crash, or if another process has taken it back."""
        raise NotImplementedError

    def redo(self) -> Undone:
        """Have back what was taken back last, where nobody has changed it since. ConfigError if there is nothing."""
        raise NotImplementedError

    def tree_after(self, turn: int) -> str:
        """The snapshot at the end of a turn; empty if there is none. It is one of the folder `root`."""
        raise NotImplementedError
