"""What a host or a gateway of another machine tells that nobody could go on with: it must not be the end of a run."""

from __future__ import annotations

import json

import pytest

from maverick_tui.events.kinds import TurnEnded
from maverick_tui.host.lines import MOST_NESTED, ProtocolError, events_of, object_of, object_told
from maverick_tui.masking.redact import redact_fields
from tests.support.cases import each

ENDED = '{"type": "turn_ended", "at": 1, "turn": 1, "outcome": "done", "usage": {}, "value": %s}'
DEEP = "[" * 900 + "]" * 900


@each("value", [DEEP, f'{{"a": {DEEP}}}', "NaN", "[-Infinity]", "1e999", '{"a": [1e999, 1]}'])
def test_a_value_that_nobody_can_go_on_with_is_a_text_in_its_place(value: str) -> None:
    text = (ENDED % value).encode()
    (ended,) = events_of(object_told(text))
    assert isinstance(ended, TurnEnded)
    assert ended.outcome == "done"
    json.dumps(redact_fields({"output": ended.value}), allow_nan=False)
    with pytest.raises(ProtocolError):  # a command would be another one by that
        object_of(text)


def test_all_else_is_told_as_it_is() -> None:
    deep = '[[{"a": 1.5}, -0.0, 1e300, "NaN"], ' + "[" * (MOST_NESTED - 5) + "]" * (MOST_NESTED - 5) + "]"
    (ended,) = events_of(object_told((ENDED % deep).encode()))
    assert isinstance(ended, TurnEnded)
    assert ended.value == json.loads(deep)
    with pytest.raises(ProtocolError):
        object_told(b"[" * 100_000)
