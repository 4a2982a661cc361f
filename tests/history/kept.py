"""Runs that are kept, in a few words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.journal.folders import journal_of, make_folder
from maverick_tui.journal.lines import Encoder

AT = 1_790_000_000.0
"""A moment in the past."""


def begun(run_id: str = "7f3a00c0ffee", at: float = AT, **values: Any) -> list[Event]:
    """The beginning of a run."""
    about = {"agent": "reviewer", "cwd": "/shop", "branch": "main", "model": "sonnet", "repository": "/shop", **values}
    return [ev.RunStarted(at, run_id, about["agent"]), ev.AgentLoaded(at, **about), ev.Connected(at)]


def turn(
    number: int = 1, prompt: str = "Look", answer: str = "I see.", at: float = AT, outcome: str = "done", **values: Any
) -> list[Event]:
    """A turn with an answer, and what it has cost."""
    return [
        ev.TurnStarted(at + 1, number, prompt),
        *ev.whole_block(number, "text", answer, at + 2),
        ev.TurnEnded(at + 3, number, outcome, ev.Usage(10, 5, 0, 0, 0.25, 2_000), **values),  # type: ignore[arg-type]
    ]


def ended(at: float = AT, reason: str = "closed") -> list[Event]:
    """The end of a run."""
    return [ev.RunEnded(at + 9, reason)]


def keep(run_id: str, events: Sequence[Event], at_once: int = 3) -> Path:
    """Write a journal as a run would, so many events at once."""
    path = journal_of(run_id)
    make_folder(path)
    path.write_bytes(lines(events, at_once))
    return path


def lines(events: Sequence[Event], at_once: int = 3) -> bytes:
    """The lines of a run's events."""
    encoder = Encoder()
    return b"".join(encoder.lines(at, events[at : at + at_once]) for at in range(0, len(events), at_once))


def keep_run(run_id: str = "7f3a00c0ffee", at: float = AT, **values: Any) -> Path:
    """A run with one turn that has ended."""
    told = {name: values.pop(name) for name in ("prompt", "answer", "outcome", "failure") if name in values}
    return keep(run_id, [*begun(run_id, at, **values), *turn(at=at, **told), *ended(at)])
