"""A run as asciicast v2: what a terminal would have shown, in the run's own rhythm, for asciinema and its players."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TextIO

from maverick_tui.history.export.heading import title
from maverick_tui.history.export.kept import KeptRun
from maverick_tui.history.telling import Printer, Teller

COLUMNS, ROWS = 100, 30
LONGEST_PAUSE = 2.0
"""Seconds that a player waits at most, however long the run did."""


PrinterOn = Callable[[TextIO, int], Printer]
"""Makes a printer that writes on a stream, in so many columns and in colours."""


def as_cast(run: KeptRun, printer_on: PrinterOn) -> Iterator[str]:
    """The lines of the recording: its head, and then what was written, each with its time."""
    yield _line(
        {
            "version": 2,
            "width": COLUMNS,
            "height": ROWS,
            "timestamp": int(run.events[0].at),
            "title": title(run.store),
            "env": {"TERM": "xterm-256color"},
        }
    )
    paper = io.StringIO()
    teller = Teller(printer_on(paper, COLUMNS))
    now, before = 0.0, run.events[0].at
    for event in run.events:
        teller.take(event)
        now += min(max(0.0, event.at - before), LONGEST_PAUSE)
        before = event.at
        yield from _written(now, paper)
    teller.end(run.note)
    yield from _written(now, paper)


def _written(now: float, paper: io.StringIO) -> Iterator[str]:
    if text := paper.getvalue():
        paper.seek(0)
        paper.truncate()
        yield _line([round(now, 3), "o", text.replace("\n", "\r\n")])


def _line(data: Mapping[str, Any] | list[Any]) -> str:
    return json.dumps(data, separators=(",", ":")) + "\n"
