"""The first line of the board: how many runs there are of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from maverick_tui.runs.card import Place, RunCard
from maverick_tui.ui.lines import Span, role_look

TITLE = "Board"


class BoardHeader(Widget):
    """What needs a person is set apart; what there is none of is left out."""

    counts: reactive[tuple[Span, ...]] = reactive(())

    def render_line(self, y: int) -> Strip:
        """All of it on one line."""
        width = self.size.width
        if y:
            return Strip.blank(width, self.rich_style)
        segments, used = [Segment(TITLE, role_look(self, "accent"))], len(TITLE)
        for text, role in self.counts:
            if used + cell_len(text) + 3 > width:
                break
            segments.append(Segment(f"   {text}", role_look(self, role)))
            used += cell_len(text) + 3
        return Strip(segments).crop_extend(0, width, self.rich_style)


def counted(cards: Sequence[RunCard], now: float) -> tuple[Span, ...]:
    """How many runs stand where."""
    places = Counter(card.place(now) for card in cards)
    needs = places[Place.NEEDS_YOU]
    told = (
        (needs, f"⚑ {needs} {'needs' if needs == 1 else 'need'} you", "warning"),
        (places[Place.IN_TROUBLE], f"✘ {places[Place.IN_TROUBLE]} in trouble", "error"),
        (places[Place.AT_WORK], f"● {places[Place.AT_WORK]} at work", "text"),
        (places[Place.WAITS], f"‖ {places[Place.WAITS]} waiting", "muted"),
        (places[Place.AT_REST], f"○ {places[Place.AT_REST]} at rest", "muted"),
    )
    return tuple((text, role) for count, text, role in told if count)
