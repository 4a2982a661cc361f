"""Values out of JSON as the annotations of a class want them. What came from another process may be anything.

How a field is read is found out once for each class: of a long run thousands of events are read at once.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from math import isfinite
from typing import Any, Literal, TypeVar

T = TypeVar("T")
Reader = Callable[[Any], Any]
"""Makes the value of a field of what JSON has; ValueError, which says why, if it is none."""

MOST = 2**63
"""No whole number is as large: beyond it, whoever calculates with it or stores it may fail."""


class UnknownValueError(ValueError):
    """Of a field that has one of a few values, another one: a newer version may know more of them."""


def made_of(kind: type[T], data: Mapping[str, Any]) -> T:
    """A dataclass or named tuple of its fields; others, which a newer version may tell, are passed over.

    ValueError for what a field cannot be, an `UnknownValueError` if it may be known to others, TypeError if one is
    missing.
    """
    values: dict[str, Any] = {}
    for name, read in _readers(kind):
        if name in data:
            try:
                values[name] = read(data[name])
            except UnknownValueError as error:
                raise UnknownValueError(f"{name} {error}") from error
            except ValueError as error:
                raise ValueError(f"{name} {error}") from error
    return kind(**values)


def fitting(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass or named tuple that are what they must be; what is anything else is left out."""
    found: dict[str, Any] = {}
    for name, read in _readers(kind):
        if name in data:
            with suppress(ValueError):
                read(data[name])
                found[name] = data[name]
    return found


def _readers(kind: type[Any]) -> tuple[tuple[str, Reader], ...]:
    if (readers := _known_readers.get(kind)) is None:
        names = kind.__dataclass_fields__ if is_dataclass(kind) else kind._fields
        hints = typing.get_type_hints(kind)
        readers = _known_readers[kind] = tuple((name, _reader(hints[name])) for name in names)
    return readers


_known_readers: dict[type[Any], tuple[tuple[str, Reader], ...]] = {}


def _reader(hint: Any) -> Reader:
    if (plain := _PLAIN.get(hint)) is not None:
        return plain
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return _one_of(inner)
    if origin in (typing.Union, types.UnionType):
        return _optional(_reader(next(part for part in inner if part is not types.NoneType)))
    if origin is tuple:
        return _tuple_of(_reader(inner[0]))
    if origin in (dict, Mapping):
        return _object_of(_reader(inner[1]))
    if isinstance(hint, type) and is_dataclass(hint):
        return lambda value: made_of(hint, _object(value))
    raise TypeError(f"Nobody knows how {hint} is read.")


def text(value: Any) -> str:
    """A string."""
    if type(value) is str:
        return value
    raise _wrong(value, "text")


def number(value: Any) -> float:
    """A number that can be calculated with."""
    if (type(value) is float and isfinite(value)) or (type(value) is int and -MOST < value < MOST):
        return value
    raise _wrong(value, "a number")


def whole(value: Any) -> int:
    """A whole number; 12.0 is 12."""
    if -MOST < (found := int(number(value))) < MOST:
        return found
    raise _wrong(value, "a number")


def _truth(value: Any) -> bool:
    if type(value) is bool:
        return value
    raise _wrong(value, "true or false")


def _object(value: Any) -> dict[str, Any]:
    if type(value) is dict:
        return value
    raise _wrong(value, "an object")


def _one_of(known: tuple[str, ...]) -> Reader:
    def read(value: Any) -> Any:
        if type(value) is str and value in known:
            return value
        kind = UnknownValueError if type(value) is str else ValueError
        raise kind(f"is not one of {', '.join(known)}")

    return read


def _optional(read: Reader) -> Reader:
    return lambda value: None if value is None else read(value)


def _tuple_of(read: Reader) -> Reader:
    def all_of(value: Any) -> tuple[Any, ...]:
        if type(value) in (list, tuple):
            return tuple(map(read, value))
        raise _wrong(value, "a list")

    return all_of


def _object_of(read: Reader) -> Reader:
    def all_of(value: Any) -> dict[str, Any]:
        return {name: read(item) for name, item in _object(value).items()} if read is not _any else _object(value)

    return all_of


def _any(value: Any) -> Any:
    return value


def _wrong(value: Any, wanted: str) -> ValueError:
    """What it is, and not its content: that may be long, or a secret."""
    told = {str: "text", int: "a number", float: "a number", bool: "true or false", dict: "an object", list: "a list"}
    is_number = wanted == "a number" and type(value) in (int, float)
    return ValueError("is no number that can be" if is_number else f"is {told.get(type(value), 'null')}, not {wanted}")


_PLAIN: Mapping[Any, Reader] = {str: text, int: whole, float: number, bool: _truth, Any: _any, dict[str, Any]: _object}
