"""Events and commands travel as JSON, all of them, with everything in them."""

from __future__ import annotations

import json
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import EVENTS, SCHEMA, Failure, Usage, event_from_json
from maverick_tui.events.wire import to_json
from maverick_tui.host.lines import events_of
from maverick_tui.host.state import LiveState
from maverick_tui.journal.lines import Decoder, Encoder
from maverick_tui.runs.commands import COMMANDS, command_from_json
from maverick_tui.runs.store import RunStore
from tests.support.cases import each

VALUES: dict[str, Any] = {
    "usage": Usage(1, 2, 3, 4, 0.5, 6),
    "uncounted": Usage(0, 1, 0, 0, 0.25, 0),
    "failure": Failure("E", "network", "what", "next", ("A: b", "C: d"), "raw", "err", 529, -9, True, 1.5),
    "arguments": {"a": [1, {"b": None}], "c": "ü"},
    "detail": [{"lines": ["-a", "+b"]}],
    "answers": {"Which?": "blue"},
    "value": {"title": "ü", "points": [1, 2]},
    "schema": SCHEMA,
}
BY_TYPE: dict[Any, Any] = {
    str: "text", float: 1.5, int: 7, bool: True,
    tuple[str, ...]: ("a", "b"), tuple[dict[str, Any], ...]: ({"a": [1]},), dict[str, Any]: {"a": [1]},
    dict[str, str]: {"a": "b"},
}  # fmt: skip
WRONG: tuple[Any, ...] = (None, True, 10**400, 1e300, float("nan"), "text", [1], [None], {"a": 1})
"""One of each kind that JSON has: to most fields most of them mean nothing."""


def filled(kind: type[Any]) -> Any:
    """One with no field left at its default."""
    values = {}
    for name, hint in get_type_hints(kind).items():
        if get_origin(hint) is not ClassVar:
            plain = next((part for part in get_args(hint) if part in BY_TYPE), hint)
            one_of = get_args(hint)[0] if get_origin(hint) is Literal else None
            values[name] = VALUES[name] if name in VALUES else one_of or BY_TYPE[plain if hint not in BY_TYPE else hint]
    return kind(**values)


@each("kind", EVENTS.values(), ids=EVENTS)
def test_every_event_comes_back_as_it_was(kind: type[Any]) -> None:
    event = filled(kind)
    assert event_from_json(json.loads(json.dumps(to_json(event)))) == event


@each("kind", COMMANDS.values(), ids=COMMANDS)
def test_every_command_comes_back_as_it_was(kind: type[Any]) -> None:
    command = filled(kind)
    assert command_from_json(json.loads(json.dumps(to_json(command)))) == command


def test_what_is_not_given_has_its_default_and_what_is_unknown_is_passed_over() -> None:
    command = command_from_json({"type": "answer_permission", "request": "q", "decision": "deny", "newer": 1})
    assert to_json(command)["reason"] == ""


@pytest.mark.parametrize("data", [{}, {"type": "no such thing"}, {"type": ["interrupt"]}])
def test_an_unknown_tag_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is not one of"):
        command_from_json(data)


def test_a_run_in_a_newer_schema_is_refused() -> None:
    with pytest.raises(ValueError, match=f"schema {SCHEMA + 1}; {SCHEMA} can be read"):
        event_from_json({"type": "run_started", "at": 1.0, "run_id": "r", "agent": "a", "schema": SCHEMA + 1})


@pytest.mark.parametrize(("field", "value", "why"), [
    ("decision", "deny_and_stop", "decision is not one of once, run, deny"), ("decision", None, "is not one of"),
    ("reason", {"a": 1}, "reason is an object, not text"), ("answers", {"Which?": 1}, "answers is a number, not text"),
    ("grant", 10**400, "grant is no number that can be"), ("grant", True, "grant is true or false, not a number"),
])  # fmt: skip
def test_a_command_with_a_field_that_is_something_else_is_refused(field: str, value: object, why: str) -> None:
    data = {"type": "answer_permission", "request": "q", "decision": "deny", field: value}
    with pytest.raises(ValueError, match=why):
        command_from_json(data)


def test_whatever_a_field_holds_an_event_is_told_that_can_be_shown_and_kept() -> None:
    store, state, encoder, decoder = RunStore(), LiveState(), Encoder(), Decoder()
    count = 0
    for kind in EVENTS.values():
        good = json.loads(json.dumps(to_json(filled(kind))))
        for field in good:
            for value in WRONG:
                (event,) = events_of({**good, field: value})
                store.apply(event)
                state.take(event)
                decoder.add(encoder.lines(count, [event]).splitlines())
                count += 1
    assert len(decoder.events) == count > 1_000, "and read again"


@pytest.mark.parametrize("change", [
    {"text": ["a", {}]}, {"ms": [0, None]}, {"ms": [0, 10**400]}, {"ms": 0}, {"ms": [0]}, {"block": "1"},
    {"at": float("inf")}, {"at": 1e300}, {"ms": [0, 2**62]},
])  # fmt: skip
def test_pieces_of_a_block_that_are_something_else_are_not_known(change: dict[str, Any]) -> None:
    good = {"seq": 0, "type": "block_grew", "at": 1.0, "block": 1, "ms": [0, 250], "text": ["a", "b"]}
    assert events_of(good) == [ev.BlockGrew(1.0, 1, "a"), ev.BlockGrew(1.25, 1, "b")]
    (told,) = events_of({**good, **change})
    assert isinstance(told, ev.Noticed)
