"""Frames: when what has changed in a run is drawn, and how much of it before keys get their turn."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from maverick_tui.runs.entries import Entry, TextEntry, ToolEntry
from maverick_tui.ui.transcript.blocks import Block
from maverick_tui.ui.transcript.page import Page
from maverick_tui.ui.transcript.viewport import Viewport

log = logging.getLogger(__name__)

FRAME = 1 / 15
SHORTEST = 1 / 60
"""Seconds between two frames: while text streams, and at least."""
BUDGET = 0.008
"""Seconds of drawing before keys get their turn."""


class Frames:
    """Draws changes at most so often, and in slices; what a frame shows is somebody else's matter."""

    def __init__(self, changes: Changes, can_draw: Callable[[], bool], show: Callable[[], None]) -> None:
        """Draw these changes while `can_draw` says so, and `show` what was drawn."""
        self._changes = changes
        self._can_draw = can_draw
        self._show = show
        self._due: asyncio.TimerHandle | None = None
        self._last = self._cost = 0.0

    @property
    def is_due(self) -> bool:
        """Whether a frame is due already, so that one more change makes no difference."""
        return self._due is not None

    def wake(self, *, at_once: bool = False) -> None:
        """Something has changed: draw it soon, but not more often than frames are worth it."""
        if self._due is not None and not at_once:
            return
        loop = asyncio.get_running_loop()
        pause = SHORTEST if at_once else max(FRAME, 4 * self._cost)  # a longer pause after an expensive frame
        moment = max(loop.time() + 0.001, self._last + pause)
        if self._due is not None:
            if self._due.when() <= moment:
                return
            self._due.cancel()
        self._due = loop.call_at(moment, self.draw)

    def draw(self) -> None:
        """Draw and show what has changed; the rest in a slice to come, with keys in between."""
        self._due = None
        if not self._can_draw():
            return
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            has_more = self._changes.draw(time.perf_counter() + BUDGET)
            if not has_more or began - self._last >= FRAME:
                self._show()
                self._last = began
        except Exception:  # a frame that cannot be drawn must not end the application; the next one may succeed
            log.exception("A frame of the transcript could not be drawn")
            return
        self._cost = 0.0 if has_more else loop.time() - began
        if has_more:
            self._due = loop.call_later(0.001, self.draw)


class Changes:
    """What has changed in the store and has not been drawn yet."""

    def __init__(self, page: Page, viewport: Viewport) -> None:
        """Nothing has."""
        self._page = page
        self._viewport = viewport
        self._reader = page.store.changes()
        self._stale: dict[int, None] = {}
        self._first_request = ""

    @property
    def are_drawn(self) -> bool:
        """Whether nothing waits to be drawn."""
        return not self._stale

    def add(self, *numbers: int) -> None:
        """Entries no longer look as they are drawn."""
        self._stale.update(dict.fromkeys(numbers))

    def tick(self) -> None:
        """A second has gone by: what is running shows how long it has been running."""
        store = self._page.store
        if isinstance(store.streaming, TextEntry) and store.streaming.kind == "thinking":
            self.add(store.streaming.number)
        behind = (task for task in store.tasks.values() if task.is_task_alive)
        self.add(*(entry.number for entry in (*store.running.values(), *store.shells.values(), *behind)))
        if (banner := store.current_failure) is not None and banner.failure.retry_at is not None:
            self.add(banner.number)  # what it says to wait for may be over

    def draw(self, until: float) -> bool:
        """Take what has changed in the store, and draw it; whether some of it has to wait for the next slice."""
        page, blocks, store = self._page, self._page.blocks, self._page.store
        changed, moved = self._reader.take()
        entries = store.entries
        if store.loaded is not None and page.is_ready and page.entry_rows.look.folder != store.loaded.cwd:
            page.entry_rows.look.folder = store.loaded.cwd
            # A fork has calls to show before its agent is loaded.
            drawn = (block.entry for block in blocks if block.is_measured)
            self.add(*(entry.number for entry in drawn if isinstance(entry, ToolEntry)))
        if moved is not None:
            first = min(moved, len(blocks))  # what came before it may be new as well
            self._reorder(first, entries[first:])
        for entry in entries[len(blocks) :]:
            blocks.append(Block(entry, 0))
        self.add(*(entry.number for entry in changed))
        self._look_for_questions()
        while self._stale:
            number = next(iter(self._stale))
            block = blocks.get(number)
            if block is not None and self._viewport.draw(blocks.index(block), until):
                return True
            del self._stale[number]
            if time.perf_counter() > until:
                break
        blocks.forget_old()
        return bool(self._stale)

    def begin_anew(self, *, keeps_guesses: bool) -> None:
        """Take the store as it is; every block is drawn when it is looked at. A guess may still be as good."""
        self._reader = self._page.store.changes()
        self._reader.skip()
        self._page.blocks.reorder(0, self._page.store.entries, 0)
        self._look_for_questions()
        self._stale.clear()
        if keeps_guesses:
            self._page.forget_rows(lambda block: block.is_measured or not block.height)
        else:
            self._page.forget_rows()

    def _reorder(self, first: int, entries: list[Entry]) -> None:
        """What a subagent does stands below its call, and so above other things; what is in view stays there."""
        anchor = None if self._viewport.is_following else self._viewport.anchor()
        self._page.blocks.reorder(first, entries, 0)
        for index in range(first, len(self._page.blocks)):
            self._page.regap(index)
        self._viewport.hold(anchor)

    def _look_for_questions(self) -> None:
        """Keys answer the first question only; where they are named is drawn anew when that is another one."""
        store = self._page.store
        question = next(iter(store.questions.values()), None)
        call = store.calls.get(question.call) if question is not None else None
        number = call.number if call is not None else 0
        request = question.request if question is not None else ""
        if request != self._first_request:
            self._first_request = request
            self._viewport.hold_question(number)
        if self._page.is_ready and (look := self._page.entry_rows.look).asking != number:
            self.add(*(one for one in (look.asking, number) if one))
            look.asking = number
