"""RunStore under any sequence of events, also such as no run would ever send."""

from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import EVENTS, Event
from maverick_tui.runs.entries import Entry, TextEntry, ToolEntry
from maverick_tui.runs.status import headline, run_status
from maverick_tui.runs.store import RunStore
from tests.runs.story import picture, through_json
from tests.support.sampling import examples

TIMES = st.floats(0, 4e9, allow_nan=False)
NAMES = st.sampled_from(["", "a", "b", "c", "d"])
TOOLS = st.sampled_from(["Bash", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "mcp__x__y", ""])
WORDS = st.text(max_size=12) | st.sampled_from(["Task #1", "\x1b[2J", "\u202e", "running", "completed", "rejected"])
COUNTS = st.integers(0, 10**9)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | COUNTS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)
TODOS = st.fixed_dictionaries({"todos": st.lists(JSON | st.fixed_dictionaries({"status": WORDS, "content": WORDS}))})
TASKS = st.fixed_dictionaries({"taskId": st.just("1"), "status": st.sampled_from(["completed", "deleted", ""])})
ARGUMENTS = st.dictionaries(WORDS, JSON, max_size=3) | TODOS | TASKS
JOBS = st.fixed_dictionaries({"prompt": WORDS, "when": WORDS, "next_at": st.none() | TIMES})
ITEMS = st.lists(st.dictionaries(WORDS, JSON, max_size=3) | JOBS, max_size=3).map(tuple)
FAILURES = st.builds(
    ev.Failure, WORDS, WORDS, WORDS, causes=st.lists(WORDS, max_size=2).map(tuple), retry_at=st.none() | TIMES
)
USAGES = st.builds(ev.Usage, COUNTS, COUNTS, COUNTS, COUNTS, st.none() | st.floats(0, 1e6), COUNTS)
MARKS = st.fixed_dictionaries(
    {
        "argument": st.sampled_from(["command", ""]),
        "start": st.integers(-1, 3),
        "end": st.integers(0, 3),
        "size": COUNTS,
    }
)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "value": st.none() | st.dictionaries(st.text(max_size=3), st.integers()),
    "at": TIMES,
    "call": NAMES,
    "parent": NAMES,
    "request": NAMES,
    "message": NAMES,
    "prompt_id": NAMES,
    "name": TOOLS,
    "tool": TOOLS,
    "arguments": ARGUMENTS,
    "detail": JSON,
    "items": ITEMS,
    "jobs": ITEMS,
    "counts": st.just(()),
    "fuses": st.just(()) | st.just(({"scope": "run", "unit": "usd", "most": 2.0, "others": 0.0, "extended": 0.0},)),
    "since": TIMES,
    "tools": st.none() | st.just(("Read",)),
    "prompt_ids": st.lists(NAMES, max_size=2).map(tuple),
    "is_cut": st.booleans(),
    "code": st.none() | st.integers(0, 2),
    "held": st.lists(NAMES, max_size=2).map(tuple),
    "urgent": st.lists(NAMES, max_size=2).map(tuple),
    "grants": st.lists(WORDS, max_size=2).map(tuple),
    "rules": st.lists(WORDS, max_size=2).map(tuple),
    "marks": st.lists(MARKS, max_size=2).map(tuple),
    "reaches": st.none() | st.just(("server a 1",)),
    "limits": st.none() | st.just({"max_cost_usd": 1.5}),
    "forked_turn": st.integers(0, 3),
    "failure": FAILURES,
    "usage": USAGES,
    "uncounted": USAGES,
    "block": st.integers(0, 3),
    "turn": st.integers(0, 3),
    "when": st.sampled_from(["start", "turn", "call", "done", "end"]),
    "calls": st.lists(WORDS, max_size=2).map(tuple),
    "late": st.lists(WORDS, max_size=2).map(tuple),
    "kind": st.sampled_from(["text", "thinking", "tool"]),
    "decision": st.sampled_from(["once", "run", "deny", "withdrawn"]),
    "origin": st.sampled_from(["person", "agent", "background"]),
    "outcome": st.sampled_from(["done", "interrupted", "failed"]),
    "schema": st.just(ev.SCHEMA),
    "max_turns": st.none() | COUNTS,
    "context_size": st.none() | COUNTS,
    "resets_at": st.none() | st.floats(0, 1e300),
    "due": st.floats(0, 1e300),
    "utilization": st.none() | st.floats(0, 1),
    "delay": st.floats(0, 1e9),
    "cost_usd": st.none() | st.floats(0, 1e6),
    **dict.fromkeys(("is_offline", "has_own_prompt", "again", "is_error", "is_estimate", "is_command"), st.booleans()),
    **dict.fromkeys(
        "steps api_ms input_tokens output_tokens cache_read_tokens cache_write_tokens".split()
        + "tokens tool_uses attempt limit status total number files added deleted".split(),
        COUNTS,
    ),
}


def any_event(kind: type[Any]) -> st.SearchStrategy[Event]:
    fields = {field.name: FIELDS.get(field.name, WORDS) for field in dataclasses.fields(kind)}
    if kind is ev.Noticed:
        fields["kind"] = WORDS
    if kind is ev.CallStopping:
        fields["state"] = st.sampled_from(["asked", "stopped", "failed"])
    if kind is ev.TurnEnded:
        fields["failure"] = st.none() | FAILURES
    if kind is ev.RateLimited:
        fields["status"] = st.sampled_from(["allowed", "allowed_warning", "rejected"])
    return st.builds(kind, **fields)


ANY_EVENT = st.one_of([any_event(kind) for kind in EVENTS.values()])
WITHOUT_END = st.one_of([any_event(kind) for kind in EVENTS.values() if kind is not ev.RunEnded])


def is_open(entry: Entry) -> bool:
    return isinstance(entry, TextEntry | ToolEntry) and entry.is_open


@settings(deadline=None, max_examples=examples(60, 120))
@given(st.lists(ANY_EVENT, max_size=40), TIMES)
def test_no_sequence_of_events_raises_and_each_gives_the_same_store_from_the_journal(
    events: list[Event], now: float
) -> None:
    store, again = RunStore(), RunStore()
    for event, same in zip(events, through_json(events), strict=True):
        store.apply(event)
        again.apply(same)
        for moment in (event.at, now):
            assert run_status(store, moment).word
            assert headline(store).word
            assert len(store.figures.rates(moment, 20)) == 20
            assert store.figures.seconds(moment) >= 0
            spent = store.figures.spent_until(moment, store.phase, store.phase_since)
            assert min(spent.model, spent.tools, spent.person) >= 0
    assert picture(store) == picture(again)


@settings(deadline=None, max_examples=examples(50, 100))
@given(st.lists(st.tuples(WITHOUT_END, st.booleans()), max_size=40), st.booleans())
def test_who_draws_can_follow(events: list[tuple[Event, bool]], is_slow: bool) -> None:
    store = RunStore()
    reader = store.changes()
    drawn: list[Entry] = []
    versions: dict[int, int] = {}
    for event, is_read in events:
        store.apply(event)
        if is_slow and not is_read:
            continue
        changed, moved = reader.take()
        kept = len(drawn) if moved is None else moved
        assert store.entries[:kept] == drawn[:kept], "what stands above the named index has not moved"
        versions |= {entry.number: entry.version for entry in changed}
        assert versions == {entry.number: entry.version for entry in store.entries}, "each change is told"
        drawn = list(store.entries)


@settings(deadline=None, max_examples=examples(50, 100))
@given(st.lists(WITHOUT_END, max_size=40), st.sampled_from(["done", "interrupted", "failed"]))
def test_nothing_hangs_after_the_end(events: list[Event], outcome: ev.Outcome) -> None:
    store = RunStore()
    for event in events:
        store.apply(event)
        assert (store.phase == "asking") == (bool(store.questions) and store.phase != "interrupting")
    store.apply(ev.TurnEnded(1.0, 1, outcome, ev.Usage()))
    assert (store.is_running, store.running, store.streaming) == (False, {}, None)
    own = list(store.shells.values())  # commands of the person's go on
    assert not any(is_open(entry) and not entry.parent and entry not in own for entry in store.entries)
    store.apply(ev.RunEnded(2.0))
    assert store.phase == "ended"
    assert store.questions == {}
    assert not any(is_open(entry) for entry in store.entries)
    assert not any(task.is_task_alive for task in store.tasks.values())
    assert store.figures.seconds(1e9) == store.figures.seconds(2e9)


@settings(deadline=None, max_examples=examples(50, 100))
@given(st.lists(any_event(ev.UsageReported) | any_event(ev.TurnEnded) | any_event(ev.TurnStarted), max_size=30))
def test_tokens_are_the_settled_ones_and_the_reported_ones(events: list[Event]) -> None:
    store = RunStore()
    settled, reported, counted, live, is_open = 0, dict[str, int](), dict[str, int](), 0, False
    for event in events:
        store.apply(event)
        if isinstance(event, ev.TurnEnded) or (isinstance(event, ev.TurnStarted) and is_open):
            settled += event.usage.output_tokens if isinstance(event, ev.TurnEnded) else live  # it has told no end
            reported, counted = {}, reported
        elif isinstance(event, ev.UsageReported):
            reported[event.message] = event.output_tokens
        is_open = isinstance(event, ev.TurnStarted) or (is_open and not isinstance(event, ev.TurnEnded))
        live = sum(tokens - counted.get(message, 0) for message, tokens in reported.items())
        assert store.figures.usage.output_tokens == settled + live
