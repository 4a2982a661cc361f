"""Declared inputs: what an agent needs to be told before it runs, and how that fills in its prompts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from maverick_tui.exceptions import did_you_mean
from maverick_tui.shown import shown

if TYPE_CHECKING:
    from maverick_tui.agent.catalog.yaml_nodes import Json

InputType = Literal["string", "integer", "number", "boolean"]
Value: TypeAlias = str | int | float | bool

TYPES: tuple[str, ...] = get_args(InputType)
KEYS = ("type", "description", "default", "choices", "required")
RESERVED = "prompt"
"""The key of a context's `extra` that holds the task itself."""

MAX_INPUTS = 20
MAX_CHOICES = 50
MAX_LENGTH = 1_000_000
MAX_NUMBER = 10**18
"""The most inputs, choices of one, and characters of a text; and what a number must be below."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_PLACE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
"""What no text has; the line endings of all systems and form feeds do occur in files that are pasted."""
_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_WANTED = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}
_SHAPE = "Write it as name: {type: string, description: ..., default: ...}."


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One input that an agent declares."""

    name: str
    type: InputType = "string"
    description: str = ""
    default: Value | None = None
    choices: tuple[Value, ...] = ()
    required: bool = True

    def declaration(self) -> dict[str, Json]:
        """What is below its name in a file."""
        return {key: value for key, value in self.to_json().items() if key != "name" and value not in (None, [], "")}

    def to_json(self) -> dict[str, Json]:
        """The same as a JSON object."""
        return {**asdict(self), "choices": list(self.choices)}


class Mistake(NamedTuple):
    """What is wrong with a declaration; `at` leads to it: the input's name, then its key."""

    at: tuple[int | str, ...]
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Values for every declared input, None for one that is left out; or what is wrong, by name."""

    values: dict[str, Value | None] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def parse_inputs(declared: object) -> tuple[tuple[InputSpec, ...], list[Mistake]]:
    """The inputs of a map of names to declarations, without those that are wrong, and what is wrong."""
    if not isinstance(declared, Mapping):
        return (), [Mistake((), "inputs must be a map of names.", _SHAPE)]
    if len(declared) > MAX_INPUTS:
        return (), [Mistake((), f"inputs has {len(declared):,} entries, {MAX_INPUTS} are allowed.", "Remove some.")]
    specs: list[InputSpec] = []
    mistakes: list[Mistake] = []
    for name, entry in declared.items():
        given = _without_nothing(entry)
        found = list(_wrong_name(name)) or list(_wrong_entry(name, given))
        mistakes += found
        if not found and isinstance(given, Mapping):
            specs.append(_spec(name, given))
    return tuple(specs), mistakes


def fill(text: str, values: Mapping[str, Value | None]) -> str:
    """The text with `${name}` and `${name:-default}` filled for each name in values; anything else stays as it is."""

    def filled(place: re.Match[str]) -> str:
        if place["name"] not in values:
            return place[0]
        value = as_text(values[place["name"]])
        return value or place["default"] or ""

    return _PLACE.sub(filled, text)


def places(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, start and end of each `${name}` in the text, declared or not."""
    yield from ((place["name"], *place.span()) for place in _PLACE.finditer(text))


def validate(specs: Sequence[InputSpec], raw: Mapping[str, object]) -> Checked:
    """Read each value by its type: text as a form or a command line gives it, or the value itself.

    What is not given has its default. Empty text counts as nothing, even where there is a default.
    """
    checked = Checked()
    names = [spec.name for spec in specs]
    for name in raw:
        if name not in names:
            meant = did_you_mean(name, names)
            checked.problems[name] = "is not an input of this agent" + (f" (d{meant[1:]})" if meant else "")
    for spec in specs:
        given = raw.get(spec.name, spec.default)
        is_nothing = given is None or (isinstance(given, str) and not given.strip())
        value = None if is_nothing else _read(spec.type, given)
        if isinstance(value, _Wrong):
            checked.problems[spec.name] = f"must be {value.wanted}"
        elif value is None and spec.required:
            checked.problems[spec.name] = "is needed"
        elif value is not None and spec.choices and value not in spec.choices:
            checked.problems[spec.name] = f"must be one of {_listed(spec.choices)}"
        else:
            checked.values[spec.name] = value
    return checked


def as_text(value: Value | None) -> str:
    """The value as it appears in a prompt and in a form."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


class _Wrong(NamedTuple):
    wanted: str


def _read(kind: InputType, given: object) -> Value | _Wrong:
    """The value of a type, from itself or from text."""
    value: Value | None = None
    text = given.strip() if isinstance(given, str) else ""
    if kind == "string":
        if isinstance(given, str) and (len(given) > MAX_LENGTH or _CONTROL.search(given)):
            return _Wrong(f"text of at most {MAX_LENGTH:,} characters, without control characters")
        value = given if isinstance(given, str) else None
    elif kind == "boolean":
        value = given if isinstance(given, bool) else _TRUTH.get(text.lower())
    elif isinstance(given, (int, float)) and not isinstance(given, bool):
        value = given
    elif _WHOLE.fullmatch(text):
        value = int(text)
    elif kind == "number":
        value = _decimal(text)
    if kind == "integer" and isinstance(value, float):
        value = None
    if isinstance(value, (int, float)) and not abs(value) < MAX_NUMBER:  # so that NaN is refused as well
        value = None
    return _Wrong(_WANTED[kind]) if value is None else value


def _decimal(text: str) -> float | None:
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def _without_nothing(entry: object) -> object:
    """The entry without keys that have no value; an input of which only the name is given has no keys."""
    if isinstance(entry, Mapping):
        return {key: value for key, value in entry.items() if value is not None}
    return {} if entry is None else entry


def _wrong_name(name: object) -> Iterator[Mistake]:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        message = f"inputs: {shown(name)} cannot be a name."
        yield Mistake((str(name),), message, "Use letters, digits and _, and start with a letter.")
    elif name == RESERVED:
        yield Mistake((name,), f"inputs: {name!r} is the task itself.", "Give the input another name.")


def _wrong_entry(name: str, entry: object) -> Iterator[Mistake]:
    if not isinstance(entry, Mapping):
        message = f"inputs: {name!r} must be a map, not {shown(entry)}."
        yield Mistake((name,), message, f"Write {name}: {{description: ..., default: ...}}.")
        return
    for key in entry:
        if key not in KEYS:
            hint = did_you_mean(str(key), KEYS) or f"There are: {', '.join(KEYS)}."
            yield Mistake((name, str(key)), f"inputs: {name!r} has no field {shown(key)}.", hint)
    kind = entry.get("type", "string")
    if kind not in TYPES:
        hint = f"{did_you_mean(str(kind), TYPES)} Choose one of: {', '.join(TYPES)}.".strip()
        yield Mistake((name, "type"), f"inputs: type of {name!r} cannot be {shown(kind)}.", hint)
        return
    if not isinstance(entry.get("description", ""), str):
        yield Mistake((name, "description"), f"inputs: description of {name!r} must be text.", "Quote it.")
    if not isinstance(entry.get("required", True), bool):
        yield Mistake(
            (name, "required"), f"inputs: required of {name!r} must be true or false.", "Write true or false."
        )
    yield from _wrong_values(name, kind, entry)


def _wrong_values(name: str, kind: InputType, entry: Mapping[str, object]) -> Iterator[Mistake]:
    """What is wrong with the choices and the default."""
    choices, default = entry.get("choices"), entry.get("default")
    if choices is not None:
        if kind == "boolean" or not isinstance(choices, (list, tuple)) or not 0 < len(choices) <= MAX_CHOICES:
            hint = "Remove it." if kind == "boolean" else "Write choices: [one, two]."
            wanted = "not be there for a boolean" if kind == "boolean" else f"be a list of 1 to {MAX_CHOICES} values"
            yield Mistake((name, "choices"), f"inputs: choices of {name!r} must {wanted}.", hint)
            return
        for choice in choices:
            if not _is_value(kind, choice):
                message = f"inputs: a choice of {name!r} must be {_WANTED[kind]}, not {shown(choice)}."
                yield Mistake((name, "choices"), message, _quoting(kind, choice))
    if default is None:
        return
    if not _is_value(kind, default):
        message = f"inputs: default of {name!r} must be {_WANTED[kind]}, not {shown(default)}."
        yield Mistake((name, "default"), message, _quoting(kind, default))
    elif isinstance(choices, (list, tuple)) and default not in choices:
        message = f"inputs: default of {name!r} is {shown(default)}, which is not one of its choices."
        yield Mistake((name, "default"), message, f"Choose one of: {_listed(choices)}.")


def _is_value(kind: InputType, value: object) -> bool:
    """Whether it is of the type as it is, without reading text, and fits into a field of a form."""
    if isinstance(value, str) != (kind == "string"):
        return False
    is_one_line = not isinstance(value, str) or (bool(value.strip()) and len(value.splitlines()) == 1)
    return is_one_line and not isinstance(_read(kind, value), _Wrong)


def _spec(name: str, entry: Mapping[str, object]) -> InputSpec:
    """The input of a declaration in which nothing is wrong."""
    default, choices = entry.get("default"), entry.get("choices") or ()
    return InputSpec(
        name=name,
        type=entry.get("type", "string"),  # type: ignore[arg-type]
        description=str(entry.get("description", "")).strip(),
        default=default,  # type: ignore[arg-type]
        choices=tuple(choices),  # type: ignore[arg-type]
        required=bool(entry.get("required", default is None)),
    )


def _listed(values: Collection[object]) -> str:
    return ", ".join(as_text(value) if isinstance(value, (str, int, float)) else shown(value) for value in values)


def _quoting(kind: InputType, value: object) -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return "Quote it." if kind == "string" and is_number else f"Write {_WANTED[kind]}, or give it another type."
