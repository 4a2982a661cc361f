"""Runs told in a few words: lists of events, and the store that follows from them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event, event_from_json
from maverick_tui.events.wire import to_json
from maverick_tui.runs.admission import WAITS_FOR_TURN
from maverick_tui.runs.calls import RunCalls
from maverick_tui.runs.entries import Entry, ToolEntry
from maverick_tui.runs.entry_list import EntryList
from maverick_tui.runs.figures import Figures
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.todos import Todos

START = ev.RunStarted(0.0, "run-1", "reviewer")
LOADED = ev.AgentLoaded(0.0, "reviewer", "/work/shop", "main", "sonnet", "acceptEdits", max_turns=30)
IN_LINE = ev.Noticed(1.0, WAITS_FOR_TURN, "It waits for its turn: 1 before it (max_runs is 1).")
OPEN: tuple[Event, ...] = (START, LOADED, ev.Connecting(0.1), ev.Connected(0.5))
NETWORK = ev.Failure("StreamingError", "network", "The stream broke.", "Try again.", ("OSError: closed",))


def told(*events: Event) -> RunStore:
    """The store after these events."""
    store = RunStore()
    for event in events:
        store.apply(event)
    return store


def asked(*events: Event, at: float = 1.0) -> RunStore:
    """The store in its first turn, after these events."""
    return told(*OPEN, ev.TurnStarted(at, 1, "Look", "p1"), *events)


def text(block: int, *parts: str, at: float = 2.0, kind: ev.BlockKind = "text", parent: str = "") -> list[Event]:
    """A block that has grown by these parts and is still open."""
    return [ev.BlockStarted(at, block, kind, parent), *(ev.BlockGrew(at, block, part) for part in parts)]


def call(
    name: str, arguments: dict[str, Any] | None = None, *, id: str = "c1", at: float = 3.0, parent: str = ""
) -> Event:
    """A tool call."""
    return ev.ToolCalled(at, id, name, arguments or {}, parent)


def began(call: str = "c1", *, at: float = 3.0) -> Event:
    """A call runs."""
    return ev.ToolBegan(at, call)


def ask(call: str = "c1", tool: str = "Bash", *, request: str = "q1", at: float = 4.0) -> ev.PermissionAsked:
    """A question about a call."""
    return ev.PermissionAsked(at, request, call, tool, {"command": "rm x"})


def end(
    outcome: ev.Outcome = "done",
    *,
    at: float = 9.0,
    turn: int = 1,
    usage: ev.Usage | None = None,
    failure: ev.Failure | None = None,
    steps: int = 1,
    is_estimate: bool = False,
) -> ev.TurnEnded:
    """The end of a turn."""
    used = usage or ev.Usage(100, 20, 30, 40, 0.05, 8000)
    return ev.TurnEnded(at, turn, outcome, used, 5000, steps, is_estimate, failure)


def tool(store: RunStore, call: str = "c1") -> ToolEntry:
    """The entry of a call."""
    found = [entry for entry in store.entries if isinstance(entry, ToolEntry) and entry.call == call]
    assert len(found) == 1, f"{call} is there {len(found)} times"
    return found[0]


def kinds(store: RunStore) -> list[str]:
    """What stands in the transcript, from top to bottom."""
    return [entry.kind for entry in store.entries]


def through_json(events: Iterable[Event]) -> list[Event]:
    """The events as they come out of a journal."""
    return [event_from_json(json.loads(json.dumps(to_json(event)))) for event in events]


def picture(store: RunStore) -> dict[str, Any]:
    """Everything that the store holds, as plain values that can be compared."""
    return {name: _plain(value) for name, value in vars(store).items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Entry):
        names = {name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())}
        return type(value).__name__, {name: _plain(getattr(value, name)) for name in sorted(names)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, RunCalls | EntryList | Figures | Todos):
        return {name: _plain(item) for name, item in vars(value).items()}
    return value
