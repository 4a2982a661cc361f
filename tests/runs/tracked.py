"""What runs tell of the snapshots of their folder, and who has written what by it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from maverick_tui import MaverickConfig
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.snapshots.attribution import YOU, Attribution, Link, Writer, trace
from maverick_tui.snapshots.shadow import Shadow, root_of
from tests.runs.watching import Watched

RUN = "run-1"
"""The id of a run: snapshots are kept under it."""


def tracked(**more: object) -> MaverickConfig:
    """The settings of a run whose folder is kept, which tests else do without."""
    return MaverickConfig.load(**{"track_changes": True, **more})


def taken(run: Watched) -> list[tuple[str, int, list[str]]]:
    """When snapshots were taken, in which turn, and which calls were at work, by what they were called with."""
    names = named(run.events)
    return [(one.when, one.turn, [names[call] for call in one.calls]) for one in run.all(ev.SnapshotTaken)]


def named(events: Sequence[Event]) -> dict[str, str]:
    """The calls by their ids: a command as it is, all else by its tool."""
    called = [event for event in events if isinstance(event, ev.ToolCalled)]
    return {event.call: str(event.arguments.get("command") or event.name) for event in called}


def traced(events: Sequence[Event], cwd: Path) -> tuple[Shadow, list[Link], Attribution]:
    """Who has written what, as the snapshots say that the events tell of; writers by what they were called with."""
    shadow, names = Shadow(root_of(cwd)), named(events)
    told = [event for event in events if isinstance(event, ev.SnapshotTaken)]
    chain = [
        Link(shadow.read(one.snapshot), tuple(Writer(names[call]) for call in one.calls) or (YOU,)) for one in told
    ]
    return shadow, chain, trace(shadow, chain)


def touched(run: Watched, cwd: Path) -> dict[str, list[list[str]]]:
    """Each file that has changed, and who has changed it, in turn; of several at once, it was one of them."""
    _, _, found = traced(run.events, cwd)
    paths = {path for path in found._touched if path}
    return {path: [[writer.id for writer in by] for by in found.touched(path)] for path in sorted(paths)}
