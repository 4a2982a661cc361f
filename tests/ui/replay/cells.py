"""The cells of a run's screen, live or replayed, at the moment that it is at."""

from __future__ import annotations

from typing import Any, NamedTuple

from rich.style import Style
from textual.pilot import Pilot
from textual.strip import Strip

from maverick_tui.ui.replay.screen import ReplayScreen
from maverick_tui.ui.run.screen import RunScreen
from tests.ui.waiting import until

Cell = tuple[str, Style | None]


class Cells(NamedTuple):
    """What is on the screen, all but the prompt or the time line: row by row, each character with its look."""

    transcript: list[list[Cell]]
    around: dict[str, list[list[Cell]]]

    def unlike(self, other: Cells) -> list[str]:
        """The rows that differ, as text; where only the look does, it is named."""
        found: list[str] = []
        mine, theirs = {"transcript": self.transcript, **self.around}, {"transcript": other.transcript, **other.around}
        for part, rows in mine.items():
            others = theirs.get(part, [])
            if len(rows) != len(others):
                found.append(f"{part}: {len(rows)} rows, {len(others)}")
            for y, (row, another) in enumerate(zip(rows, others, strict=False)):
                if row != another:
                    found += [f"{part} {y}", f"  live   {_text(row)}", f"  replay {_text(another)}"]
                    looks = [
                        (x, a, b) for x, (a, b) in enumerate(zip(row, another, strict=False)) if a != b and a[0] == b[0]
                    ]
                    found += [f"  look {looks[0]}"] if looks else []
        return found


def _text(row: list[Cell]) -> str:
    return "".join(character for character, _ in row).rstrip()


def _cells(strips: list[Strip]) -> list[list[Cell]]:
    return [
        [(letter, _look(letter, segment.style)) for segment in strip for letter in segment.text] for strip in strips
    ]


def _look(letter: str, style: Style | None) -> Style | None:
    """The style as it can be seen: of a blank, nobody sees the colour that a letter would have there."""
    if letter != " " or style is None or style.reverse or style.underline or style.strike:
        return style
    return style.background_style


async def cells_of(screen: RunScreen | ReplayScreen, pilot: Pilot[Any]) -> Cells:
    """Draw all that has happened, at the time that the screen's clock says, and look."""
    transcript = screen.transcript
    lines = screen._status if isinstance(screen, RunScreen) else screen.status
    lines.refresh()
    await pilot.pause()
    await until(pilot, lambda: transcript.shown.is_settled or not transcript.page.is_ready, "the layout is there")
    transcript.tick()
    transcript.shown.frames.draw()
    while transcript.shown.frames.is_due:
        transcript.shown.frames.draw()
    lines.refresh()
    region = transcript.scrollable_content_region.reset_offset
    around = {
        type(widget).__name__: _cells(widget.render_lines(widget.region.reset_offset))
        for widget in (lines.header, lines.panel, lines.usage, lines.queue, lines.line)
        if widget.display
    }
    return Cells(_cells(transcript.render_lines(region)), around)
