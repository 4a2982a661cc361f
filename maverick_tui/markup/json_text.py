"""JSON to be read: indented, as long as that makes it easier to read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_DEEPEST = 20
"""Levels; each bracket of a deeper one would be a line of blanks."""
_MOST_LINES = 2_000


def readable_json(data: Any) -> str:
    """Data as JSON, with a line for each item; in one line where that would be far more than there is to read."""
    if not _is_deep(data):
        text = json.dumps(data, ensure_ascii=False, indent=2, default=str)
        if text.count("\n") <= _MOST_LINES:
            return text
    return json.dumps(data, ensure_ascii=False, default=str)


def _is_deep(data: Any) -> bool:
    level = [data]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in _within(one)]
        if not level:
            return False
    return True


def _within(data: Any) -> list[Any]:
    return [*data.values()] if isinstance(data, Mapping) else [*data] if isinstance(data, list | tuple) else []
