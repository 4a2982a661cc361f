"""A kept run as it was: its state, made of its events, for those who want to read it.

To make it of a hundred thousand events takes a second. So there is a part of a long run that can be looked at before,
and what was looked at is found again in the whole by where the two are known to be the same: at `OpenedRun.entry`.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from typing import NamedTuple, cast

from maverick_tui.agent.engine.prices import estimate
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.index import RunIndex
from maverick_tui.history.labels import read_labels
from maverick_tui.history.listed import ListedRun
from maverick_tui.history.reading import read_told, unreadable
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.runs.entries import Entry
from maverick_tui.runs.past import past_of
from maverick_tui.runs.store import GONE, RunStore
from maverick_tui.usage import Usage

_SMALL = 300_000
"""Bytes of a journal that is read as a whole in no time."""
_BEYOND = 1_000
"""Events that are read beyond the one that is wanted."""


class OpenedRun(NamedTuple):
    """The state of a kept run; of one that is alive, as far as it has come."""

    run_id: str
    agent: str
    store: RunStore
    is_alive: bool
    """Whether another process writes to it."""
    events: int
    """How many there are of the run, also where only a part of them is in the store."""
    problem: str = ""
    """Why there is no more of it, where that is not its end."""
    entry: Entry | None = None
    """What the wanted event has become, or else the last entry."""


def open_run(run_id: str, number: int | None = None) -> OpenedRun:
    """The run as it stands, and what the event with that number has become. ConfigError if it cannot be read."""
    told = read_told(run_id)
    reading, events = told.reading, told.events
    if not events:
        raise unreadable(run_id, reading.problem)
    store, entry = store_of(run_id, events, number)
    named = (event.agent for event in events if isinstance(event, ev.RunStarted | ev.AgentLoaded))
    agent = next(named, "")
    if told.is_alive:
        _look(store)
    return OpenedRun(run_id, agent, store, told.is_alive, len(reading.events), reading.problem, entry)


def open_part(run_id: str, number: int | None = None) -> OpenedRun | None:
    """What is looked at first of a long run: its end, or what is around that event.

    None if it is not a long one, or if the index cannot tell.
    """
    path = journal_of(run_id)
    if not path.exists() or path.stat().st_size <= _SMALL:
        return None
    was_alive = is_alive(path)
    try:
        with RunIndex() as index:
            listed = index.run(run_id)
            reading = index.end_of(run_id) if number is None else index.around(run_id, number, _BEYOND)
    except (ConfigError, sqlite3.Error):  # an index that is busy need not know the run, whose journal tells all of it
        return None
    if not reading.events or reading.problem or not reading.first:
        return None
    about = listed.about
    loaded = ev.AgentLoaded(about.started_at, about.agent, about.folder, about.branch, about.model, engine=about.engine)
    store = RunStore(last_number=about.events)  # no more entries than events came before
    store.apply(loaded)
    entry = fill(store, _with_end(reading.events, listed), None if number is None else number - reading.first)
    store.name, store.first_prompt = one_line(listed.name), one_line(about.first_prompt)
    store.last_outcome = cast("ev.Outcome", about.outcome) if about.outcome != "ended" else None
    store.figures.amount_to(_used(listed), about.turns)
    if was_alive:
        _look(store)
    return OpenedRun(run_id, about.agent, store, was_alive, about.events, entry=entry)


def store_of(run_id: str, events: Sequence[Event], number: int | None = None) -> tuple[RunStore, Entry | None]:
    """The state of a kept run, by the name that it has, and what the event with that number has become."""
    store = RunStore()
    entry = fill(store, events, number)
    named_at = next((event.at for event in reversed(events) if isinstance(event, ev.RunNamed)), 0.0)
    labels = read_labels(journal_of(run_id).parent)
    if labels.named_at >= named_at and labels.named_at:
        store.name = one_line(labels.name)
    return store, entry


def fill(store: RunStore, events: Sequence[Event], number: int | None = None) -> Entry | None:
    """Have the store take these events; the entry that the one at that place belongs to, or else the last one."""
    before = len(events) if number is None else number
    for event in events[:before]:
        store.apply(event)
    changes = store.changes()
    changes.take()
    for event in events[before : before + 1]:
        store.apply(event)
    touched = [entry for entry in changes.take()[0] if entry.kind != "end"] or store.entries
    found = touched[-1] if touched else None
    for event in events[before + 1 :]:
        store.apply(event)
    return found


def _with_end(events: Sequence[Event], listed: ListedRun) -> list[Event]:
    """A part of a run, closed with what the run came to; it need not be its last part."""
    past, about = past_of(events, price=estimate), listed.about  # what it has used is known, so no tables are read
    if past.kept == len(past.events):
        return past.events
    end = ev.RunEnded(about.last_at, GONE) if about.ended_at is None else ev.RunEnded(about.ended_at)
    return [*past.events[:-1], end]


def _used(listed: ListedRun) -> Usage:
    about = listed.about
    return Usage(
        about.input_tokens,
        about.output_tokens,
        about.cache_read_tokens,
        about.cache_write_tokens,
        about.cost_usd,
        round(listed.duration() * 1000),
    )


def _look(store: RunStore) -> None:
    """It goes on elsewhere: what it asks there cannot be answered here, and so is not offered."""
    store.looked_at = time.time()
    for asked in store.questions.values():
        if (call := store.calls.get(asked.call)) is not None:
            call.state, call.question = "waiting", None
    store.questions.clear()
