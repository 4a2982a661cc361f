"""The rows of the history: runs below their days, and places that were found below their runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import NamedTuple, TypeAlias

from maverick_tui.history.days import day_name, time_text
from maverick_tui.history.listed import Hit, ListedRun
from maverick_tui.history.money import cost_of_all, unread_of
from maverick_tui.inert import one_line
from maverick_tui.ui.lines import Line, Span

GLYPHS = {
    "asks": ("⚑", "warning"),
    "running": ("●", "accent"),
    "queued": ("‖", "muted"),
    "ready": ("○", "muted"),
    "done": ("✔", "success"),
    "failed": ("✘", "error"),
    "interrupted": ("■", "warning"),
    "ended": ("○", "muted"),
    "unread": ("·", "muted"),
}
"""States of runs: a glyph, and the role of its look."""
UNKNOWN = ("?", "muted")


class Heading(NamedTuple):
    """A line above rows that belong together; it cannot be highlighted."""

    line: Line


class Found(NamedTuple):
    """A place where the words were found."""

    hit: Hit
    run: ListedRun


Row: TypeAlias = Heading | ListedRun | Found
GAP = Heading(())


def key_of(row: Row) -> str:
    """By what a row is known again when it is listed once more."""
    if isinstance(row, Found):
        return f"{row.run.run_id} {row.hit.number}"
    return "" if isinstance(row, Heading) else row.run_id


def run_of(row: Row | None) -> ListedRun | None:
    """The run that a row is about."""
    if isinstance(row, Found):
        return row.run
    return row if isinstance(row, ListedRun) else None


def run_rows(runs: Iterable[ListedRun], order_by: str, today: date) -> list[Row]:
    """The runs below headings: live ones, and then those of each day or agent, or all others."""

    def title(run: ListedRun) -> str:
        if run.is_live:
            return "live"
        if order_by == "time":
            return day_name(run.about.last_at, today)
        return one_line(run.about.agent) if order_by == "agent" else f"by {order_by}"

    rows: list[Row] = []
    for name, group in groupby(runs, title):
        members = list(group)
        rows += [*([GAP] if rows else []), _heading(name, members), *members]
    return rows


def _heading(name: str, members: Sequence[ListedRun]) -> Heading:
    about = "  ".join(filter(None, (counted(len(members), "run"), cost_of_all(members), unread_of(members))))
    return Heading(((name.upper(), "caption"), (f"  {about}", "faint")))


def found_rows(hits: Iterable[Found]) -> list[Row]:
    """The places, those of one run together, the run with the best place first."""
    by_run: dict[str, list[Found]] = {}
    for found in hits:
        by_run.setdefault(found.run.run_id, []).append(found)
    rows: list[Row] = []
    for places in by_run.values():
        rows += [Heading(tuple(_about_run(places[0].run))), *places]
    return rows


def _about_run(run: ListedRun) -> Iterator[Span]:
    glyph, role = GLYPHS.get(run.phase, UNKNOWN)
    yield f"{glyph} ", role
    yield f"{time_text(run.about.last_at, '%Y-%m-%d %H:%M')}  {one_line(run.about.agent)}  ", "muted"
    yield run.heading, "strong"


def counted(number: int, what: str) -> str:
    """1 run, 2 runs."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
