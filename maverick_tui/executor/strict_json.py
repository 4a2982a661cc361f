"""JSON as the model's side reads and writes it: what Python accepts beyond that could be sent in no request."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

MOST_NESTED = 100
"""Levels of lists and objects. Python follows some hundreds more, fewer the deeper it is called from."""


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError(f"{digits} is beyond any number")
    return number


STRICT_JSON = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
"""Accepts neither NaN and Infinity nor what Python would make infinite (`1e999`)."""


def read_strictly(text: str, most: int = MOST_NESTED) -> Any:
    """What it says. ValueError if it is no JSON, or nested deeper than anybody means it."""
    return read_from(text, most=most)[0]


def read_from(text: str, start: int | None = None, most: int = MOST_NESTED) -> tuple[Any, int]:
    """The same of the value that begins at a place, with where that ends; without one it must be all of the text."""
    try:
        value, end = (STRICT_JSON.decode(text), len(text)) if start is None else STRICT_JSON.raw_decode(text, start)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if text.count("[", start) + text.count("{", start) <= most:
        return value, end
    level = [value]
    for _ in range(most):
        level = [inner for one in level if isinstance(one, dict | list) for inner in _within(one)]
        if not level:
            return value, end
    raise ValueError("it is nested too deeply")


def _within(value: dict[str, Any] | list[Any]) -> Any:
    return value.values() if isinstance(value, dict) else value


def sendable(text: str) -> str:
    """The text without half characters, which a model may write and a file name may contain, but JSON cannot."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def sendable_value(value: Any) -> Any:
    """The same of all texts in it."""
    return json.loads(sendable(json.dumps(value, ensure_ascii=False)))
