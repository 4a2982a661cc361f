"""UsagePanel and UsageLine: what a run has used, beside the transcript or in one line below it."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.geometry import Size
from textual.message import Message

from maverick_tui.runs.store import RunStore
from maverick_tui.ui.lines.wrapping import Line
from maverick_tui.ui.widgets.painted import Painted, row_width
from maverick_tui.ui.widgets.usage_figures import Moment, duration, short
from maverick_tui.ui.widgets.usage_rows import panel_rows


class UsageView(Painted):
    """Takes the figures of a moment, and draws only what is new of them."""

    class ToggleRequested(Message):
        """The person wants the figures in the other shape."""

    def __init__(self, store: RunStore, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._store = store
        self._moment: Moment | None = None
        self._size_drawn: Size | None = None
        self._now = 0.0

    def refresh_figures(self, now: float) -> None:
        """Show what there is now; it costs next to nothing while that looks the same."""
        self._now = now
        if not self.display:
            return
        moment, size = Moment.of(self._store, now), self.content_size
        if moment != self._moment or size != self._size_drawn:
            self._moment, self._size_drawn = moment, size
            self.paint(self.rows(moment, size))

    def rows(self, moment: Moment, size: Size) -> Sequence[Line]:
        """What is shown of a moment in this room."""
        raise NotImplementedError

    def fill(self) -> None:
        """The same in the room that there is now."""
        self.refresh_figures(self._now)

    def on_click(self, event: events.Click) -> None:
        """A click asks for the other shape."""
        event.stop()
        self.post_message(self.ToggleRequested())


class UsagePanel(UsageView):
    """Every figure in full, then subagents and todos."""

    def rows(self, moment: Moment, size: Size) -> Sequence[Line]:
        """As much as the panel can hold."""
        return panel_rows(moment, size.width, size.height)


class UsageLine(UsageView):
    """The same in one line; what matters least is left out where it is narrow."""

    def rows(self, moment: Moment, size: Size) -> Sequence[Line]:
        """One row."""
        parts = _parts(moment)
        while parts and row_width(row := _joined(parts)) > size.width:
            parts.remove(min(parts))
        return [row] if parts else []


Part = tuple[int, int, str, str]
"""Weight, place, label and figure."""


def _parts(moment: Moment) -> list[Part]:
    cache, context = moment.cache_share, moment.context_share
    sign, written = moment.written
    done = sum(todo.state == "completed" for todo in moment.todos)
    filled = f"{context} %" if context is not None else f"{short(moment.context_used)} of ?"
    parts = [
        (6, 0, "in", short(moment.input_tokens)),
        (7, 1, "out", f"{sign}{short(written)}"),
        (4, 2, "cache", "" if cache is None else f"{cache} %"),
        (9, 3, "cost" if moment.cost is None else "", moment.price),
        (8, 4, "", duration(moment.seconds)),
        (5, 5, "ctx", filled if moment.context_used else ""),
        (3, 6, "todos", f"{done}/{len(moment.todos)}" if moment.todos else ""),
        (2, 7, "tok/s", f"~{moment.speed}" if any(moment.rates) else ""),
    ]
    return [part for part in parts if part[3]]


def _joined(parts: Sequence[Part]) -> Line:
    row: list[tuple[str, str]] = []
    for index, (_, _, label, figure) in enumerate(parts):
        row += [(" · " if index else "", "muted"), (f"{label} " if label else "", "muted"), (figure, "text")]
    return tuple(row)
