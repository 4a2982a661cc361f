"""LookingOn: the live transcript of one run on a screen of others, below a line that says which it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.ui.lines import inert_strip, role_look
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.run.answering import ANSWERS
from maverick_tui.ui.transcript.view import Transcript

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.card import RunCard
    from maverick_tui.ui.preferences import Verbosity
    from maverick_tui.ui.rendering.palette import Palette


class RunTitle(Widget):
    """One line: which run this is, what it does, and what it was asked."""

    words: reactive[tuple[str, str, str]] = reactive(("", "", ""))
    """Its state, its name, and what it was asked."""
    is_current: reactive[bool] = reactive(False)

    def render_line(self, y: int) -> Strip:
        """All of it on one line, as far as that goes."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        state, name, asked = self.words
        segments = []
        for text, role in ((name, "accent" if self.is_current else "strong"), (state, "text"), (asked, "muted")):
            if text and width > 3:
                shown = cut(text, width - 2)
                segments.append(Segment(f"{shown}  ", role_look(self, role)))
                width -= cell_len(shown) + 2
        return inert_strip(Strip(segments)).crop_extend(0, self.size.width, self.rich_style)


class LookingOn(Vertical):
    """Follows the end of a run, until somebody scrolls away from it."""

    def __init__(
        self,
        run: RunModel,
        card: RunCard,
        palette: Callable[[], Palette],
        clock: Callable[[], float],
        verbosity: Verbosity = "normal",
    ) -> None:
        """`run` tells what comes, and `card` what it is called."""
        super().__init__()
        self.run = run
        self.card = card
        self._clock = clock
        self._title = RunTitle()
        self.transcript = Transcript(
            run.store, palette=palette, moved=lambda _is_at_end, _unseen: None, verbosity=verbosity, clock=clock
        )

    def compose(self) -> ComposeResult:
        """The line, and the transcript."""
        yield self._title
        yield self.transcript

    def on_mount(self) -> None:
        """Say which run it is; no key answers its questions here, and none is named."""
        self.transcript.set_keys({f"approval.{action}": "•" for action in ANSWERS})
        self.show_card(self.card)

    def show_card(self, card: RunCard) -> None:
        """The run as it stands now."""
        self.card = card
        now = card.state(self._clock())
        name = card.name or card.agent or card.run_id
        where = f"{card.machine}:" if card.machine else ""
        state = " · ".join(filter(None, (f"{now.glyph} {now.word}", now.detail)))
        self._title.words = (state, f"{where}{name}", card.prompt)

    def set_current(self, is_current: bool) -> None:
        """Whether keys act on this one."""
        self._title.is_current = is_current

    def event_applied(self, event: Event) -> None:
        """The store has changed; nothing is drawn here."""
        is_growth = event.type == "block_grew"
        if not (is_growth and self.transcript.is_waking):
            self.transcript.wake(at_once=not is_growth)

    def reread(self) -> None:
        """The store is another one, without having been told event by event."""
        if self.is_attached and self.transcript.is_mounted:
            self.transcript.read_anew()

    def tick(self) -> None:
        """Another second is over."""
        self.transcript.tick()
