"""How a run, or a place that was found, stands on its row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from rich.cells import cell_len

from maverick_tui.history.days import time_text
from maverick_tui.history.listed import ListedRun
from maverick_tui.history.money import cost_of
from maverick_tui.inert import one_line
from maverick_tui.runs.status import StatusText, clock
from maverick_tui.ui.history.rows import GLYPHS, UNKNOWN, Found, Heading, Row
from maverick_tui.ui.lines import Line, Span
from maverick_tui.ui.rendering.wrap import cut, pad

_WIDEST_AGENT = 14
_WHEN, _COST, _TOOK = 6, 9, 9
_LEAST_TITLE = 12
"""Columns of the title, for which agent, price and time give way: by it runs are told apart."""
_FROM_WIDTH = 100
"""Columns from which a row tells how long the run has taken."""
_KIND = 9

Status = Callable[[str], StatusText | None]
"""What a run of this application is doing; None for those of others."""


class RowDrawing:
    """Draws rows, with the words that were typed marked."""

    def __init__(self, now: Callable[[], float], status: Status) -> None:
        """By this clock."""
        self._now = now
        self._status = status
        self.words: tuple[str, ...] = ()
        self.order_by = "time"
        self._agent_width = 0

    def measure(self, runs: Iterable[ListedRun]) -> None:
        """Make the column of the agents wide enough for these."""
        widest = max((cell_len(one_line(agent)) for agent in {run.about.agent for run in runs}), default=0)
        self._agent_width = min(max(widest, self._agent_width), _WIDEST_AGENT)

    def draw(self, row: Row, width: int) -> Line:
        """A row for a width."""
        if isinstance(row, Heading):
            return row.line
        return tuple(self._found(row, width) if isinstance(row, Found) else self._run(row, width))

    def _run(self, run: ListedRun, width: int) -> Iterator[Span]:
        glyph, role = GLYPHS.get(run.phase, UNKNOWN)
        about, status = run.about, self._status(run.run_id) if run.is_live else None
        took = clock(run.duration(self._now() if run.is_live else None))
        when = took if run.is_live else time_text(about.last_at, "%H:%M" if self.order_by == "time" else "%d %b")
        begun, agent = f"{when:<{_WHEN}} ", f"{pad(one_line(about.agent), self._agent_width)}  "
        right = list(self._right(run, took, width))

        def left() -> int:
            return width - 2 - cell_len(begun + agent) - sum(cell_len(text) for text, _ in right)

        if left() < _LEAST_TITLE:
            agent = ""
        if left() < _LEAST_TITLE:
            right = []
        if left() < _LEAST_TITLE:
            begun = ""
        word = f"{status.word}  " if status is not None else ""
        if left() - cell_len(word) < _LEAST_TITLE:  # the glyph says it, too
            word = ""
        yield f"{status.glyph if status is not None else glyph} ", role
        yield begun, "muted"
        yield from marked(agent[:-2], self.words, "muted" if run.is_foreign else "text")
        yield agent[-2:], "text"
        if word:
            yield word, "accent"
        yield from marked(pad(run.heading, max(left() - cell_len(word), 0)), self.words, "text")
        yield from right

    def _right(self, run: ListedRun, took: str, width: int) -> Iterator[Span]:
        """What stands at the right edge; the title is more important than tags."""
        if run.about.problem:
            yield f"  {cut(one_line(run.about.problem), width // 3)}", "error"
        tags = " ".join(f"#{one_line(tag)}" for tag in run.tags)
        if tags:
            yield f"  {cut(tags, width // 5)}", "accent"
        if self.order_by == "duration" or width >= _FROM_WIDTH:
            yield f"{'' if run.is_live or run.is_unread else took:>{_TOOK}}", "muted"
        yield f"{cost_of(run):>{_COST}}", "muted"

    def _found(self, found: Found, width: int) -> Iterator[Span]:
        hit = found.hit
        place = f"turn {hit.turn}" if hit.turn is not None else "before"
        head = f"{place:<8} {hit.kind:<{_KIND}} "
        yield head, "muted"
        yield from ((part, "match" if at % 2 else "text") for at, part in enumerate(hit.fitting(width - len(head))))


def marked(text: str, words: Sequence[str], role: str) -> Iterator[Span]:
    """The text, with those of the words that are in it set apart."""
    pattern = _pattern(tuple(words))
    for at, part in enumerate(pattern.split(text) if pattern else (text,)):
        if part:
            yield part, "match" if at % 2 else role


@lru_cache(16)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    return re.compile(f"({'|'.join(map(re.escape, words))})", re.IGNORECASE) if any(words) else None
