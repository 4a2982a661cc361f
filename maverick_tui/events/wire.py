"""Values that can travel: frozen dataclasses with a tag, to JSON and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, TypeVar

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


def from_json(data: Mapping[str, Any], known: Mapping[str, type[T]], nested: Mapping[str, type[Any]]) -> T:
    """The value that a JSON object stands for; `nested` names the fields that hold dataclasses themselves."""
    kind = known.get(str(data.get("type")))
    if kind is None:
        raise ValueError(f"{data.get('type')!r} is not one of {', '.join(sorted(known))}.")
    values: dict[str, Any] = {}
    for name in _names(kind):
        if name in data:
            inner = data[name]
            if name in nested and isinstance(inner, Mapping):
                kept = _names(nested[name])  # a newer version may have written more
                inner = nested[name](**{part: _thaw(item) for part, item in inner.items() if part in kept})
            values[name] = _thaw(inner) if name not in ("arguments", "detail") else inner
    return kind(**values)


def _thaw(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
