"""Events and commands travel as JSON, all of them, with everything in them."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from maverick_tui.events.kinds import EVENTS, SCHEMA, Failure, Usage, event_from_json
from maverick_tui.events.wire import to_json
from maverick_tui.runs.commands import COMMANDS, command_from_json

VALUES: dict[str, Any] = {
    "usage": Usage(1, 2, 3, 4, 0.5, 6),
    "failure": Failure("E", "network", "what", "next", ("A: b", "C: d"), "raw", "err", 529, -9, True, 1.5),
    "arguments": {"a": [1, {"b": None}], "c": "ü"},
    "detail": [{"lines": ["-a", "+b"]}],
    "answers": {"Which?": "blue"},
    "schema": SCHEMA,
}
BY_TYPE: dict[str, Any] = {"str": "text", "float": 1.5, "int": 7, "bool": True}


def filled(kind: type[Any]) -> Any:
    """One with no field left at its default."""
    values = {}
    for field in fields(kind):
        name = str(field.type).removesuffix(" | None")
        values[field.name] = VALUES[field.name] if field.name in VALUES else BY_TYPE.get(name, "once")
    return kind(**values)


@pytest.mark.parametrize("kind", EVENTS.values(), ids=EVENTS)
def test_every_event_comes_back_as_it_was(kind: type[Any]) -> None:
    event = filled(kind)
    assert event_from_json(json.loads(json.dumps(to_json(event)))) == event


@pytest.mark.parametrize("kind", COMMANDS.values(), ids=COMMANDS)
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
