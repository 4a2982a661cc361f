"""XRayPanel: looks into the highlighted agent in a thread, and shows what is found."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message
from textual.timer import Timer

from maverick_tui.ui.lines.view import LineView
from maverick_tui.ui.picker import reading
from maverick_tui.ui.picker.items import Item
from maverick_tui.ui.picker.xray_lines import Subject

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.xray import XRay

SETTLED_AFTER = 0.06
"""Seconds that a row must stay highlighted before its agent is looked into."""


class XRayPanel(LineView):
    """What is shown stays until there is something else, so nothing flickers while the highlight moves."""

    class Failed(Message):
        """An agent could not be looked into."""

        def __init__(self, reason: str) -> None:
            super().__init__()
            self.reason = reason

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cwd = Path("/")
        """Paths are shown as they are seen from here."""
        self._known: dict[str, XRay] = {}
        self._item: Item | None = None
        self._shown = ""
        self._settling: Timer | None = None

    def forget(self) -> None:
        """Look into every agent again when it is next highlighted."""
        self._known.clear()
        self.workers.cancel_node(self)  # a look that is under way would bring back what is forgotten

    def look_at(self, item: Item | None, listing: AgentListing | None, hides: Sequence[AgentListing]) -> None:
        """Show the row's agent: at once if it is known, else when the row has stayed highlighted."""
        self._item = item
        if self._settling is not None:
            self._settling.stop()
        if item is None:
            self.show(lambda _: [])
            return
        if listing is None or item.agent in self._known:
            self._draw(item, hides)
        self._settling = self.set_timer(SETTLED_AFTER, lambda: self._settle(item, listing, hides))

    def _settle(self, item: Item, listing: AgentListing | None, hides: Sequence[AgentListing]) -> None:
        if listing is not None and item.agent not in self._known:
            self._look_into(item, listing, hides)

    @work(exclusive=True, exit_on_error=False)
    async def _look_into(self, item: Item, listing: AgentListing, hides: Sequence[AgentListing]) -> None:
        try:
            self._known[item.agent] = await asyncio.to_thread(reading.read_xray, listing)
        except Exception as error:  # settings that are wrong, a list of trusted files that is broken
            self.post_message(self.Failed(str(error)))
        if self._item is not None and item.key == self._item.key:  # the row may have been read again meanwhile
            self._draw(self._item, hides)

    def _draw(self, item: Item, hides: Sequence[AgentListing]) -> None:
        subject = Subject(item, self._known.get(item.agent), self.cwd, hides)
        self.show(subject.lines, keep_place=item.key == self._shown)
        self._shown = item.key
