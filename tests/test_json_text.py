"""JSON to be read: indented, but never by the square of its depth."""

from __future__ import annotations

import json
from typing import Any

from maverick_tui.markup.json_text import readable_json


def test_each_item_has_a_line() -> None:
    assert readable_json({"a": ["é", {"b": 1}]}) == '{\n  "a": [\n    "é",\n    {\n      "b": 1\n    }\n  ]\n}'


def test_what_is_deep_or_long_is_all_there_and_takes_no_more_than_it_says() -> None:
    deep: Any = [[]] * 10_000
    for _ in range(400):
        deep = [deep]
    for data in ({"x": deep}, {"x": list(range(50_000))}):
        text = readable_json(data)
        assert json.loads(text) == data
        assert len(text) < 2 * len(json.dumps(data))
