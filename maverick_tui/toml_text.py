"""TOML of files that may be anybody's."""

from __future__ import annotations

from typing import Any

_MOST_DOTS = 500
"""In one line: a name of many parts takes the square of their number, in time and in memory."""


def read_toml(text: str) -> dict[str, Any]:
    """What it says. ValueError if it is wrong, nested too deeply, or would take far more than its size."""
    import tomllib

    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS:
            raise ValueError(f"line {number} has more than {_MOST_DOTS} points")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
