"""How somebody looks at the changes of a run: kept while the screen is left, to come back to it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field

from maverick_tui.review.kinds import START, ChangedHunk
from maverick_tui.ui.changes.comments import Comments
from maverick_tui.ui.changes.diff_view import Place
from maverick_tui.ui.changes.reading import Reviewing, Seen, Wanted, look

_ALL = Wanted(START)

Mark = tuple[int, tuple[str, ...]]
"""A hunk that is chosen, by its place before and its lines: the same lines may have changed in two places."""


def mark_of(hunk: ChangedHunk) -> Mark:
    """What a hunk is known by while others come and go above it."""
    return hunk.hunk.old_start, hunk.hunk.lines


@dataclass
class Looking:
    """How somebody looks at the changes of a run, to come back to it."""

    reviewing: Reviewing
    comments: Comments
    wanted: Wanted = _ALL
    seen: Seen | None = None
    place: Place | None = None
    is_split: bool = False
    marks: dict[str, frozenset[Mark] | None] = field(default_factory=dict)
    """What is chosen for a commit: files, whole (None) or only some hunks."""
    committing: threading.Event | None = None
    """What ends the commit that is being made."""
    begun: asyncio.Future[Seen] | None = None
    """What is read while the screen comes up."""

    def begin(self) -> None:
        """Read what is there already, if nothing has been seen yet."""
        if self.seen is None:
            self.begun = asyncio.ensure_future(self.read(is_fresh=False))

    async def read(self, *, is_fresh: bool) -> Seen:
        """What there is to be seen."""
        wanted = self.wanted
        return await self.reviewing.ask(lambda review: look(review, wanted, is_fresh=is_fresh))
