"""What the history asks the index, and what it is told."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from maverick_tui.history.filters import Filter, match_expression
from maverick_tui.history.index import RunIndex
from maverick_tui.history.listed import ListedRun
from maverick_tui.history.totals import Totals
from maverick_tui.ui.history.rows import Found

FIRST = 300
"""Runs that are listed at once; the others follow."""
_MORE = 3_000
_A_MOMENT = 0.25
"""Seconds that may go into reading sessions of Claude Code each time: whoever asks something else waits so long."""
MOST_PLACES = 200
"""Places that are searched for: nobody reads on after so many."""


@dataclass(slots=True)
class Looking:
    """What a person looks at, so that it is there again when they come back."""

    view: str = "runs"
    text: str = ""
    order_by: str = "time"
    measure: str = "cost"
    key: str = ""
    """The row that is highlighted."""
    marked: dict[str, ListedRun] = field(default_factory=dict)
    """Runs that are deleted when the history is left for good; to open another run is no such leaving."""


class Listing(NamedTuple):
    """Runs, as many as have been read."""

    runs: list[ListedRun]
    is_whole: bool
    total: int
    """How many there are, whatever is wanted."""


class Refreshed(NamedTuple):
    """How many runs have changed, and how many seconds it took to find out."""

    changed: int
    seconds: float
    unread: int = 0
    """Sessions of Claude Code that are still to be read."""


def ask_runs(index: RunIndex, wanted: Filter, order_by: str, least: int = FIRST) -> Iterator[Listing]:
    """The runs in an order: at least so many at first, and then more and more."""
    total, found = index.count(), index.runs(wanted, least, order_by=order_by)
    is_whole = len(found) < least
    yield Listing(found, is_whole, total)
    while not is_whole:
        more = index.runs(wanted, _MORE, len(found), order_by)
        found, is_whole = [*found, *more], len(more) < _MORE
        yield Listing(found, is_whole, total)


def ask_search(index: RunIndex, wanted: Filter) -> Iterator[list[Found]]:
    """Where the words were said or done; nowhere if there are none."""
    hits = index.search(wanted, MOST_PLACES) if match_expression(wanted.words) else []
    runs = {run_id: index.run(run_id) for run_id in {hit.run_id for hit in hits}}
    yield [Found(hit, runs[hit.run_id]) for hit in hits]


def ask_totals(index: RunIndex, wanted: Filter) -> Iterator[Totals]:
    """What the runs have used."""
    yield index.totals(wanted)


def ask_refresh(index: RunIndex) -> Iterator[Refreshed]:
    """Have the index take in what has come."""
    began = time.monotonic()
    changed = index.refresh()
    yield Refreshed(changed, time.monotonic() - began, index.unread_sessions)


def ask_sessions(index: RunIndex) -> Iterator[int]:
    """Have the index read some more of the sessions of Claude Code; how many are left."""
    index.read_sessions(_A_MOMENT)
    yield index.unread_sessions
