"""Marks: the parts of a call that a person should look at before they allow it. Light, for those who draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

OUTSIDE = "outside of this folder"


class Mark(NamedTuple):
    """A part of an argument, and why it is marked; one without a reason only parts other things.

    Its text is told by the argument alone: what is secret there is masked by what stands around it.
    """

    argument: str
    start: int
    end: int
    size: int
    """Characters of the whole argument: in a journal, where secrets are masked, it may be another one."""
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """As an event tells it."""
        return self._asdict()


class Part(NamedTuple):
    """What is marked."""

    argument: str
    start: int
    text: str
    why: str


def marks_of(told: Iterable[Mapping[str, Any]], arguments: Mapping[str, Any]) -> list[Part]:
    """What an event marks of these arguments, as far as they are those that it was told of."""
    found = []
    for one in told:
        name, start, end, why = (one.get(key) for key in ("argument", "start", "end", "why"))
        value = arguments.get(name) if isinstance(name, str) else None
        if (
            not isinstance(value, str)
            or len(value) != one.get("size")
            or type(start) is not int
            or type(end) is not int
        ):
            continue
        if 0 <= start < end <= len(value):
            found.append(Part(str(name), start, value[start:end], str(why or "")))
    return found
