"""Values that can travel: frozen dataclasses with a tag, to JSON and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, TypeVar

from maverick_tui.events.typed import made_of

T = TypeVar("T", bound="Tagged")


class Tagged:
    """Base of what travels between a run and whoever watches it; subclasses are frozen dataclasses."""

    __slots__ = ()
    type: ClassVar[str]
    """The name of the class in snake case."""

    def __init_subclass__(cls) -> None:
        cls.type = re.sub("(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()


def kinds_of(base: type[T]) -> dict[str, type[T]]:
    """All that is derived from a base so far, by tag. A class with slots is made twice, and the second one counts."""
    return {kind.type: kind for kind in base.__subclasses__()}


def to_json(value: Tagged) -> dict[str, Any]:
    """The value as a JSON object, its tag under `type`."""
    return {"type": value.type, **_fields(value)}


def _fields(value: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in _names(type(value)):
        inner = getattr(value, name)
        if not isinstance(inner, str | int | float):  # nearly all of it is
            if is_dataclass(inner):
                inner = _fields(inner)
            elif isinstance(inner, tuple):
                inner = list(inner)
        out[name] = inner
    return out


def _names(kind: type[Any]) -> tuple[str, ...]:
    """The names of its fields: to look them up each time takes longer than all the rest."""
    if (names := _known_names.get(kind)) is None:
        names = _known_names[kind] = tuple(field.name for field in fields(kind))
    return names


_known_names: dict[type[Any], tuple[str, ...]] = {}


def from_json(data: Mapping[str, Any], known: Mapping[str, type[T]]) -> T:
    """The value that a JSON object stands for. ValueError if it is of no known kind, or a field is not what it must be;
    TypeError if one is missing.
    """
    kind = known.get(str(data.get("type")))
    if kind is None:
        raise ValueError(f"{data.get('type')!r} is not one of {', '.join(sorted(known))}.")
    return made_of(kind, data)
