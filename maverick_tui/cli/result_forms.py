"""How a run without a terminal is written: its way on standard error, its result on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from maverick_tui.cli.layout import Paper, say_error
from maverick_tui.cli.printer import Printer
from maverick_tui.cli.verdict import verdict_of
from maverick_tui.events.kinds import ContinuePlanned, Event, Noticed, RunStarted
from maverick_tui.inert import inert
from maverick_tui.journal.lines import as_line
from maverick_tui.journal.masked_events import MaskedEvents
from maverick_tui.runs.continuing import STAYS
from maverick_tui.runs.log import EventLog, numbered
from maverick_tui.runs.moments import moment
from maverick_tui.runs.status import clock
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.runs.unattended import Unattended

Form = Literal["text", "json", "stream-json"]


class Way:
    """Shows what an agent does, as far as somebody looks on; what goes wrong is said in any case."""

    def __init__(self, paper: Paper, cwd: Path, *, is_shown: bool, keeps_answer: bool) -> None:
        self.paper = paper
        self._printer = Printer(paper.stream, paper.width, cwd=cwd, keeps_answer=keeps_answer) if is_shown else None

    def begin(self, prompt: str) -> None:
        """Show what the agent is asked."""
        if self._printer is not None and prompt:
            self._printer.prompt(prompt)

    def take(self, event: Event) -> None:
        """Show the next event."""
        if isinstance(event, Noticed) and event.kind == "journal":
            say_error(event.text, "", self.paper.stream)
        if isinstance(event, ContinuePlanned):
            self._tell_waiting(event)
        elif isinstance(event, Noticed) and event.kind == STAYS:
            self._tell(event.text)
        elif self._printer is not None:
            self._printer.take(event)

    def _tell_waiting(self, planned: ContinuePlanned) -> None:
        """Say what is waited for, also in a log: it may take hours."""
        seconds = planned.due - planned.at
        text = f"A limit has stopped it. It goes on at {moment(planned.due, planned.at)}, in {clock(seconds)}."
        self._tell(text, " Ctrl+C ends it.")

    def _tell(self, text: str, to_those_who_look_on: str = "") -> None:
        if self._printer is not None:
            self._printer.note(f"{text}{to_those_who_look_on}", "yellow")
        else:
            self.paper.line(f"maverick: {text}")

    def end(self, run: Unattended, *, is_written: bool) -> None:
        """Say how it has ended; `is_written` says that the answer stands elsewhere."""
        verdict, printer = verdict_of(run), self._printer
        if printer is None:
            if verdict.code:
                say_error(verdict.message, verdict.hint, self.paper.stream)
            return
        if is_written:
            printer.leave_out(run.result)
        if run.failure is not None and not run.cut:
            printer.fail(run.failure)
            return
        printer.finish()
        if verdict.code:
            self.paper.line()
            say_error(verdict.message, verdict.hint, self.paper.stream)


class Result:
    """Writes the result of a run on a stream, in a form; None where all of it is part of the way."""

    def __init__(self, form: Form, stream: TextIO | None) -> None:
        self._form = form
        self._stream = stream

    @property
    def is_written(self) -> bool:
        """Whether it has the answer as a text of its own."""
        return self._form == "text" and self._stream is not None

    async def follow(self, log: EventLog, way: Way, since: int = 0) -> None:
        """Write what comes from that event on, as it comes. A slow reader of ours holds neither run nor signals up.

        The first event of all, which says which run it is, is always written.
        """
        reader, lines_of = log.reader(since), EventLines(since)
        if self._form == "stream-json" and since:
            await in_thread(self._write, EventLines().add(0, [_beginning(log.since(0)[:since])]))
        while await log.wait(reader.number):
            first, events = reader.number, reader.take()
            for event in events:
                way.take(event)
            if self._form == "stream-json" and (lines := lines_of.add(first, events)):
                await in_thread(self._write, lines)

    def end(self, run: Unattended) -> None:
        """Write what came of it."""
        if self._form == "json":
            self._write(json.dumps(summary_of(run)) + "\n")
        elif self._form == "text" and run.result.strip():
            self._write(f"{inert(run.result)}\n")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
            self._stream.flush()


class EventLines:
    """Events as lines of JSON, numbered, and masked as in a journal: what may begin a secret waits."""

    def __init__(self, first: int = 0) -> None:
        """`first` is the number of the first event that comes."""
        self._masked = MaskedEvents(first)

    def add(self, first: int, events: Sequence[Event]) -> str:
        """The lines that are complete with these events, the first of which has that number."""
        number = self._masked.given
        complete = self._masked.add(first, events)
        return b"".join(as_line(numbered(at, event)) for at, event in enumerate(complete, number)).decode("ascii")


def summary_of(run: Unattended) -> dict[str, Any]:
    """What came of a run, as one object."""
    verdict, usage = verdict_of(run), run.usage
    return {
        "run_id": run.run_id,
        "result": run.result,
        "ok": not verdict.code,
        "error": verdict.error,
        "usage": {
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "cost": usage.cost_usd,
        "turns": run.figures.steps,
        "duration": round(run.seconds, 3),
        "session": run.session,
    }


def standard_forms(form: Form, output: TextIO, cwd: Path, width: int, *, always_shows: bool) -> tuple[Way, Result]:
    """What is written where by this process, whose standard output that is.

    Where both streams are terminals somebody looks on: then the answer is shown while it comes.
    """
    is_seen = sys.stderr.isatty()
    is_watched = is_seen and output.isatty()
    is_shown = always_shows or (is_seen and not (is_watched and form == "stream-json"))
    result = Result(form, None if is_watched and form == "text" else output)
    return Way(Paper(sys.stderr, width), cwd, is_shown=is_shown, keeps_answer=result.is_written), result


def _beginning(past: Sequence[Event]) -> Event:
    """The beginning of a run that goes on; a fork begins where it leaves what it has inherited."""
    began = past[0]
    return replace(began, at=past[-1].at) if isinstance(began, RunStarted) and began.forked_from else began
