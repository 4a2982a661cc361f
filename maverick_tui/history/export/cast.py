"""A run as asciicast v2: what a terminal would have shown, in the run's own rhythm, for asciinema and its players."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TextIO

from maverick_tui.events import kinds as ev
from maverick_tui.history.export.heading import title
from maverick_tui.history.export.kept import KeptRun
from maverick_tui.inert import one_line
from maverick_tui.runs.failure_words import title as failure_title
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.runs.tool_text import describe, key_argument

COLUMNS, ROWS = 100, 30
LONGEST_PAUSE = 2.0
"""Seconds that a player waits at most, however long the run did."""
_DECIDED = {"once": "allowed", "run": "allowed for this run", "deny": "denied", "withdrawn": "withdrawn"}


class Printer(Protocol):
    """What prints the events of a run, as it does on a terminal: nothing of what it is given steers one."""

    def prompt(self, text: str) -> None:
        """Show what the agent is asked."""

    def take(self, event: ev.Event) -> None:
        """Show the next event."""

    def note(self, text: str, *styles: str) -> None:
        """Show a line of its own, once the sentence has ended."""

    def close(self) -> None:
        """Leave no line and no call open."""


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
    screen = _Screen(run, printer_on(paper, COLUMNS))
    now, before = 0.0, run.events[0].at
    for event in run.events:
        screen.take(event)
        now += min(max(0.0, event.at - before), LONGEST_PAUSE)
        before = event.at
        yield from _written(now, paper)
    screen.end()
    yield from _written(now, paper)


def _written(now: float, paper: io.StringIO) -> Iterator[str]:
    if text := paper.getvalue():
        paper.seek(0)
        paper.truncate()
        yield _line([round(now, 3), "o", text.replace("\n", "\r\n")])


def _line(data: Mapping[str, Any] | list[Any]) -> str:
    return json.dumps(data, separators=(",", ":")) + "\n"


class _Screen:
    """Tells a printer what it does not know by itself: prompts, questions, and how turns end."""

    def __init__(self, run: KeptRun, printer: Printer) -> None:
        self._run, self._printer = run, printer
        self._folder = run.store.loaded.cwd if run.store.loaded else ""

    def take(self, event: ev.Event) -> None:
        printer = self._printer
        match event:
            case ev.TurnStarted() if event.text:
                printer.prompt(event.text)
            case ev.PermissionAsked():
                about = key_argument(event.tool, event.arguments, self._folder)
                printer.note(f"⚑ asks: {describe(event.tool)}  {about}", "yellow")
            case ev.PermissionSettled():
                why = f": {one_line(event.reason)}" if event.reason else ""
                printer.note(f"⚑ {_DECIDED.get(event.decision, event.decision)}{why}", "yellow")
            case ev.Noticed() if not event.parent:
                printer.note(one_line(event.text), "dim")
            case ev.ConnectFailed():
                self._fail(event.failure)
            case ev.TurnEnded():
                printer.close()
                self._end_turn(event)
            case _:
                printer.take(event)

    def end(self) -> None:
        """Say how it stands, if it has no end of its own."""
        self._printer.close()
        if self._run.note:
            self._printer.note(self._run.note, "yellow")

    def _end_turn(self, event: ev.TurnEnded) -> None:
        if event.failure is not None:
            self._fail(event.failure)
        used = event.usage
        parts = [event.outcome, f"{used.input_tokens:,} tokens in", f"{used.output_tokens:,} out"]
        parts += [] if used.cost_usd is None else [dollars(used.cost_usd)]
        self._printer.note(" · ".join([*parts, clock(used.duration_ms / 1000)]), "dim")

    def _fail(self, failure: ev.Failure) -> None:
        for text in (f"✘ {failure_title(failure)}", failure.message, failure.hint):
            if text:
                self._printer.note(one_line(text), "red")
