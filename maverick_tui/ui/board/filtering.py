"""What is typed on the board, and which runs it leaves."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Region
from textual.strip import Strip

from maverick_tui.runs.card import RunCard
from maverick_tui.ui.picker.agents_pane import FilterLine
from maverick_tui.ui.picker.matching import match
from maverick_tui.ui.textual_private.painting import Painter


class BoardFilter(FilterLine):
    """What is typed is seen before the rows follow it."""

    def __init__(self, changed: Callable[[], None], placeholder: str) -> None:
        super().__init__(changed, placeholder)
        self.painter = Painter(self, super().render_lines)

    def watch_text(self) -> None:
        """Show it at once, and tell the list."""
        self.painter.paint_for_key()
        super().watch_text()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Rows for Textual."""
        rows = super().render_lines(crop)
        self.painter.saw(crop, rows)
        return rows


def matches(query: str, card: RunCard, now: float) -> bool:
    """Whether what is typed is about this run."""
    state = card.state(now)
    tags = " ".join(f"#{tag}" for tag in card.tags)
    said = f"{card.agent} {card.prompt} {state.word} {card.machine} {tags} {card.about}"
    return match(query, card.name or card.agent, said) is not None
