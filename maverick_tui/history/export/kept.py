"""A kept run, as it is exported: masked once more, and with a word on how far it had come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from maverick_tui.events.kinds import Event, RunEnded
from maverick_tui.history.reading import read_run, unreadable
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.journal.lines import Decoder, Encoder
from maverick_tui.runs.store import RunStore

State = Literal["running", "interrupted", "done", "failed", "ended"]
_LINES_AT_ONCE = 1_000
_LIVE = "This run was still going on when it was exported: it ends here for now."
_AT_REST = "This run was open, and at rest, when it was exported: it may go on."
_INTERRUPTED = "This run was interrupted: its process was gone before it ended. What had come by then is here."


class KeptRun(NamedTuple):
    """What is exported of a run."""

    run_id: str
    events: Sequence[Event]
    store: RunStore
    state: State
    note: str = ""
    """What a reader has to know about its end; empty for a run that has ended by itself."""


def open_kept(run_id: str, *, is_raw: bool = False) -> KeptRun:
    """The run of that id. Its journal is masked already; unless `is_raw`, it is again, by what is known by now."""
    path = journal_of(run_id)
    was_alive = is_alive(path)  # asked first: a run that ends meanwhile has its end in what is read then
    reading = read_run(run_id)
    if not reading.events:
        raise unreadable(run_id, reading.problem)
    events = reading.events if is_raw else masked(reading.events)
    return kept_run(run_id, events, was_alive=was_alive, problem=reading.problem, is_cut=reading.is_cut)


def kept_run(
    run_id: str, events: Sequence[Event], *, was_alive: bool = False, problem: str = "", is_cut: bool = False
) -> KeptRun:
    """The run that these events tell; without an end of its own it is running, or was interrupted."""
    store = RunStore()
    for event in events:
        store.apply(event)
    if store.is_ended:
        state: State = "ended" if store.last_outcome is None else store.last_outcome
        note = ""
    elif was_alive and store.last_outcome is not None and store.phase == store.last_outcome and not store.queue:
        state, note = store.last_outcome, _AT_REST
    elif was_alive:
        state, note = "running", _LIVE
    else:
        state, note = "interrupted", "" if is_cut else _INTERRUPTED
        store.apply(RunEnded(events[-1].at, "interrupted"))  # what is open breaks off here
    return KeptRun(run_id, events, store, state, one_line(f"{note} {problem}".strip()))


def masked(events: Sequence[Event]) -> list[Event]:
    """The events without what is known to be a secret now, also where one is spread over several of them."""
    encoder, decoder = Encoder(), Decoder()
    # An end, so that nothing is held back as the possible beginning of a secret.
    told = [*events, RunEnded(events[-1].at)] if events else []
    for first in range(0, len(told), _LINES_AT_ONCE):
        decoder.add(encoder.lines(first, told[first : first + _LINES_AT_ONCE]).splitlines())
    return decoder.events[: len(events)]
