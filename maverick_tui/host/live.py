"""All runs that are alive, with a host or without."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from maverick_tui.events.background import behind_of
from maverick_tui.events.typed import fitting
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.reading import read_told
from maverick_tui.host.asking import ask_hosts
from maverick_tui.host.lines import HostHello, ToldState
from maverick_tui.host.memory import memory_of
from maverick_tui.host.places import has_host, hosted_runs
from maverick_tui.host.state import NEEDS_PERSON, LiveState
from maverick_tui.journal.folders import is_alive, is_run_id, journal_of, kept_runs
from maverick_tui.masking.redact import redact_fields
from maverick_tui.runs.digest import digest_from_json
from maverick_tui.runs.store import fork_words

GLYPHS = {"asks": "⚑", "failed": "✘", "working": "●", "waits": "‖", "queued": "‖", "done": "✔", "interrupted": "■"}
"""Signs for what a run is about; for anything else there is another one."""
OTHER_GLYPH = "○"
LONGEST_READ = 2_000_000
"""Bytes of a journal that is read again and again for a list."""


class LiveRun(NamedTuple):
    """A run that is alive; its texts are as they were told, and not inert."""

    run_id: str
    state: Mapping[str, Any]
    """As `LiveState` tells it."""
    started_at: float | None
    """When its host, or without one the run, has begun."""
    has_host: bool
    host: HostHello | None = None
    """What the host says of itself; None if there is none, or it does not answer."""
    memory: int | None = None
    """Bytes of the host and of what it has started, where the system tells."""
    machine: str = ""
    """Where it is, if that is not this machine."""

    @property
    def is_silent(self) -> bool:
        """Whether its host does not answer."""
        return self.has_host and self.host is None

    @property
    def phase(self) -> str:
        """What it is about, as far as anybody knows."""
        return str(self.state.get("phase", ""))

    @property
    def glyph(self) -> str:
        """A sign for that."""
        return "?" if self.is_silent else GLYPHS.get(self.phase, OTHER_GLYPH)

    @property
    def needs_person(self) -> bool:
        """Whether nothing happens until somebody comes."""
        return self.phase in NEEDS_PERSON

    @property
    def title(self) -> str:
        """What it is called, or was asked first; a fork that was asked nothing yet is one of another run."""
        state = self.state
        title = str(state.get("name") or state.get("first_prompt") or "")
        return title or fork_words(str(state.get("forked_from") or ""), state.get("forked_turn") or 0)

    def to_json(self) -> dict[str, Any]:
        """As the command line prints it, and other machines are told: without secrets."""
        host = self.host
        told = {
            "machine": self.machine,
            "run_id": self.run_id,
            "title": self.title,
            "read_by": [],
            "told_at": None,
            **self.state,
            **self._looked_at(),
            "needs_person": self.needs_person,
            "started_at": self.started_at,
            "has_host": self.has_host,
            "answers": not self.is_silent,
            "pid": host.pid if host is not None else None,
            "version": host.maverick if host is not None else None,
            "readers": host.readers if host is not None else None,
            "memory": self.memory,
        }
        return redact_fields(told)

    def _looked_at(self) -> dict[str, object]:
        """What nobody has looked at yet of what it has told: another machine tells anything, nested however deep."""
        looked: dict[str, object] = {}
        if "away" in self.state:
            away = digest_from_json(self.state["away"])
            looked["away"] = away.to_json() if away is not None else None
        if "background" in self.state:
            looked["background"] = [task._asdict() for task in behind_of(self.state["background"])]
        return looked


class _Told(NamedTuple):
    """What another machine tells of a run, beside its state."""

    run_id: str = ""
    agent: str = ""
    started_at: float | None = None
    has_host: bool = False
    answers: bool = False
    pid: int | None = None
    version: str | None = None
    readers: int | None = None
    memory: int | None = None


def live_from_json(data: Mapping[str, Any], machine: str) -> LiveRun | None:
    """A run of another machine, as far as what that tells makes sense; None if it has no id that a run can have."""
    told = _Told(**fitting(_Told, data))
    if not is_run_id(told.run_id):
        return None
    hello = None
    if told.has_host and told.answers:
        hello = HostHello(
            told.run_id,
            told.agent,
            pid=told.pid or 0,
            maverick=told.version or "",
            schema=0,
            events=0,
            started=told.started_at or 0.0,
            readers=told.readers or 0,
        )
    return LiveRun(
        told.run_id,
        fitting(ToldState, data),
        told.started_at,
        has_host=told.has_host,
        host=hello,
        memory=told.memory,
        machine=machine,
    )


async def live_runs() -> list[LiveRun]:
    """All runs that are alive: those that need a person, the newest, and who waits, in the order of asking."""
    hosted, kept = await asyncio.gather(ask_hosts(hosted_runs()), asyncio.to_thread(_alive))
    memory = await asyncio.to_thread(memory_of, [hello.pid for hello in hosted.values() if hello is not None])
    found = [
        LiveRun(run_id, hello.state, hello.started, has_host=True, host=hello, memory=memory.get(hello.pid))
        if hello is not None
        else await asyncio.to_thread(_by_its_journal, run_id)
        for run_id, hello in hosted.items()
    ]
    found += [await asyncio.to_thread(_by_its_journal, run_id) for run_id in kept if run_id not in hosted]
    return sorted(found, key=_place)


async def hosted_now(run_ids: Iterable[str]) -> list[LiveRun]:
    """Those of these runs whose hosts live, in the same order, at little cost: no journal is read, nothing measured."""
    hosted = await ask_hosts(run_ids)
    found = [
        LiveRun(run_id, hello.state, hello.started, has_host=True, host=hello)
        if hello is not None
        else LiveRun(run_id, {}, None, has_host=True)
        for run_id, hello in hosted.items()
    ]
    return sorted(found, key=_place)


def hostless_runs(known: Container[str]) -> list[LiveRun]:
    """Runs that are alive without a host and not among these, by their journals; of a long one little is known.

    In a thread, for it reads files.
    """
    return [_by_its_journal(run_id, LONGEST_READ) for run_id in _alive() if run_id not in known]


def _place(run: LiveRun) -> tuple[bool, bool, float, float, str]:
    queued_at = run.state.get("queued_at") or 0.0  # of all others none, so that they stand before those who wait
    return not run.needs_person, not run.is_silent, queued_at, -(run.started_at or 0.0), run.run_id


def _alive() -> list[str]:
    return [run_id for run_id in kept_runs() if is_alive(journal_of(run_id))]


def _by_its_journal(run_id: str, longest: float = math.inf) -> LiveRun:
    """What is known of a run that nobody could be asked about, unless its journal is longer than that."""
    state, began = LiveState(), None
    try:
        if journal_of(run_id).stat().st_size > longest:
            return LiveRun(run_id, {"phase": "working"}, None, has_host=has_host(run_id))
    except OSError:
        pass  # it is not kept any more
    try:
        events = read_told(run_id).events
    except ConfigError:  # it is not kept, or nobody can read it; it is alive all the same
        events = []
    for event in events:
        began = event.at if began is None else began
        state.take(event)
    return LiveRun(run_id, state.to_json(), began, has_host=has_host(run_id))
