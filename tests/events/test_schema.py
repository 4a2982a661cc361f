"""The schema of events is what programs rely on: it changes by additions, or with the number of the schema."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from maverick_tui.events.schema import event_schema
from maverick_tui.runs.log import numbered
from tests.events.stored_schema import STORED, breaks
from tests.runs.test_store import EVERYTHING

schema_now = cache(event_schema)


def test_it_is_the_stored_one() -> None:
    assert schema_now() == json.loads(STORED.read_text()), "python -m tests.events.stored_schema writes it anew"


def test_every_event_fits_it_and_what_is_none_does_not() -> None:
    Draft202012Validator.check_schema(schema_now())
    validator = Draft202012Validator(schema_now())
    for number, event in enumerate(EVERYTHING):
        validator.validate(json.loads(json.dumps(numbered(number, event))))
    ended = numbered(3, EVERYTHING[-1])
    for wrong in ({**ended, "type": "run_flown"}, {**ended, "seq": -1}, {"seq": 0, "type": "run_started"}):
        assert not validator.is_valid(wrong)


def changed(way: str) -> dict[str, Any]:
    """The schema after somebody has changed a class."""
    schema = copy.deepcopy(schema_now())
    ended = schema["$defs"]["TurnEnded"]
    if way == "a field is gone":
        del ended["properties"]["steps"]
    elif way == "a field is called otherwise":
        ended["properties"]["calls"] = ended["properties"].pop("steps")
    elif way == "a field is something else":
        ended["properties"]["steps"] = {"type": "string"}
    elif way == "a value is gone":
        ended["properties"]["outcome"]["enum"].remove("failed")
    elif way == "a field must be there":
        ended["required"].append("steps")
    elif way == "a field is left out":
        ended["required"].remove("usage")
    elif way == "a kind is gone":
        del schema["$defs"]["TurnEnded"]
        schema["oneOf"].remove({"$ref": "#/$defs/TurnEnded"})
    return schema


@pytest.mark.parametrize(
    "way",
    [
        "a field is gone", "a field is called otherwise", "a field is something else", "a value is gone",
        "a field must be there", "a field is left out", "a kind is gone",
    ],
)  # fmt: skip
def test_what_would_break_a_reader_needs_another_number(way: str) -> None:
    assert breaks(schema_now(), changed(way))
    assert not breaks(schema_now(), {**changed(way), "x-schema": schema_now()["x-schema"] + 1})


def test_additions_need_none() -> None:
    schema = copy.deepcopy(schema_now())
    schema["$defs"]["TurnEnded"]["properties"]["mood"] = {"type": "string", "default": ""}
    schema["$defs"]["TurnEnded"]["properties"]["outcome"]["enum"].append("postponed")
    schema["$defs"]["RunSlept"] = {"type": "object", "properties": {}, "required": ["seq"]}
    schema["oneOf"].append({"$ref": "#/$defs/RunSlept"})
    assert not breaks(schema_now(), schema)
