"""Structured output: what the model is told about its form, and how its answer is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json, to_jsonable_python

from maverick_tui.executor import time_limit
from maverick_tui.executor.definition import OutputConfig
from maverick_tui.executor.strict_json import read_from, read_strictly
from maverick_tui.masking.redact import beginning
from maverick_tui.shown import located

_FENCE = re.compile(r"```[A-Za-z0-9_-]*[ \t]*\n(.*?)\n[ \t]*```", re.DOTALL)
_APART = re.compile(r"^[ \t]*[{\[]|:[ \t]*\{", re.MULTILINE)
"""Where JSON that is set apart may begin: at the start of a line, or, if it is an object, after a colon."""
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
"""A bracket, or a string, in which brackets do not count."""
_BEGINNING = re.compile(r"\s*(```[A-Za-z0-9_-]*[ \t]*\n\s*)?")
"""What may come before an output that stands alone."""
_MOST_ERRORS = 10
_LONGEST = 300
"""Errors that the model is told, and characters of each."""
_MOST_TRIES = 100
"""Brackets at which JSON is looked for: each costs up to the length of the answer."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """An answer that was read; `errors` says why it does not fit, in which case `value` is None."""

    value: Any = None
    errors: tuple[str, ...] = ()


class OutputReader:
    """Reads answers by one schema."""

    def __init__(self, config: OutputConfig) -> None:
        self._config = config
        self.repair_turns = config.repair_turns

    @cached_property
    def json_schema(self) -> dict[str, Any]:
        """The schema that the model is given."""
        schema = self._config.schema_
        return schema.model_json_schema() if isinstance(schema, type) else dict(schema)

    @property
    def _model(self) -> type[BaseModel] | None:
        schema = self._config.schema_
        return schema if isinstance(schema, type) else None

    @property
    def instructions(self) -> str:
        """What is added to the system prompt."""
        schema = json.dumps(self.json_schema, ensure_ascii=False)
        return (
            f"When you are done, your last message must be the {self._config.output_name} and nothing else: "
            f"one JSON value that fits this JSON schema, without any text around it.\n{schema}"
        )

    def complaint(self, errors: tuple[str, ...]) -> str:
        """What the model is told about an answer that does not fit."""
        return (
            f"That is not a valid {self._config.output_name}: {'; '.join(errors)}. "
            "Answer again with the JSON alone, and correct what is wrong."
        )

    def read(self, text: str) -> Parsed:
        """The value that an answer is, or that it sets apart: a fenced block, or JSON on lines of its own.

        What is only part of a sentence may be an example or a footnote; if two values fit, either of them may be one.
        """
        return self._in_time(lambda: self._read(text))

    def _in_time(self, work: Callable[[], Parsed]) -> Parsed:
        """What comes of it, unless a schema that anybody may have written takes too long; a model class is code."""
        if self._model is not None:
            return work()
        try:
            with time_limit.at_most(time_limit.SECONDS):
                return work()
        except time_limit.TookTooLongError:
            return Parsed(errors=("it takes too long to hold it against the schema",))

    def _read(self, text: str) -> Parsed:
        errors: tuple[str, ...] = ()
        fitting: list[Any] = []
        for candidate in _candidates(text):
            parsed = self._validate(candidate)
            if not parsed.errors and parsed.value not in fitting:
                fitting.append(parsed.value)
            errors = errors or parsed.errors
        if len(fitting) == 1:
            return Parsed(fitting[0])
        if fitting:
            return Parsed(errors=(f"it contains {len(fitting)} different values that fit",))
        return Parsed(errors=errors or ("it contains no JSON that stands by itself",))

    def check(self, value: Any) -> Parsed:
        """What a tool handed in as the output: a value that fits, or text that is read like an answer."""
        return self._in_time(lambda: self._check(value))

    def _check(self, value: Any) -> Parsed:
        parsed = self._validate(value if self._model is not None else to_jsonable_python(value))
        if parsed.errors and isinstance(value, str):
            read = self._read(value)
            return parsed if read.errors else read
        if parsed.errors and self._model is not None:
            plain = self._validate(to_jsonable_python(value))
            return parsed if plain.errors else plain
        return parsed

    def _validate(self, value: Any) -> Parsed:
        model = self._model
        if model is not None:
            try:
                return Parsed(model.model_validate(value))
            except ValidationError as error:
                return Parsed(
                    errors=tuple(
                        located(item["loc"], beginning(item["msg"], _LONGEST)) for item in error.errors()[:_MOST_ERRORS]
                    )
                )
            except Exception as error:  # an author's validator may raise anything
                return Parsed(errors=(f"{type(error).__name__}: {error}",))
        import jsonschema
        from referencing import Registry

        try:
            # An empty registry, so that no reference is looked up on the network.
            kind = jsonschema.validators.validator_for(self.json_schema)
            validator = kind(self.json_schema, registry=Registry())
            found = [
                located(error.absolute_path, beginning(error.message, _LONGEST))
                for error in validator.iter_errors(value)
            ]
        except time_limit.TookTooLongError:
            raise
        except Exception as error:  # a reference that leads nowhere
            return Parsed(errors=(f"the schema cannot be used: {type(error).__name__}: {error}",))
        return Parsed(errors=tuple(found[:_MOST_ERRORS])) if found else Parsed(value)


class Draft:
    """The model's last words, what was read in them, and what a tool handed in to end the execution."""

    def __init__(self, reader: OutputReader | None, *, repairs: int = 0) -> None:
        self._reader = reader
        self.repairs = repairs
        self.content = ""
        self.parsed: Parsed | None = None
        self.handed_in: tuple[Any] | None = None
        self.is_final = False

    @property
    def output(self) -> Any:
        """What is returned: the value that fits the schema, what a tool handed in, or the text."""
        if self._reader is not None:
            return self.parsed.value if self.parsed is not None and self.is_final else None
        if self.handed_in is not None:
            return self.handed_in[0]
        return self.content if self.is_final else None

    def complaint(self, handed_in: tuple[Any] | None = None, *, is_last_turn: bool) -> str:
        """Read it; returns what to tell the model about it, as often as repairs are allowed. Empty if it is done."""
        reader = self._reader
        if reader is None:
            return ""
        self.parsed = reader.read(self.content) if handed_in is None else reader.check(handed_in[0])
        if not self.parsed.errors or self.repairs >= reader.repair_turns or is_last_turn:
            return ""
        self.repairs += 1
        return reader.complaint(self.parsed.errors)


def read_begun(text: str) -> Any:
    """What can be read of a JSON value that is still arriving; None if nothing can."""
    begun = _BEGINNING.sub("", text, count=1)
    if not begun.startswith(("{", "[")):
        return None
    try:
        return from_json(begun, allow_inf_nan=False, allow_partial="trailing-strings")
    except ValueError:
        return None


def _candidates(text: str) -> Iterator[Any]:
    stripped = text.strip()
    with suppress(ValueError):
        yield read_strictly(stripped)
        return
    for fenced in _FENCE.finditer(text):
        with suppress(ValueError):
            yield read_strictly(fenced[1].strip())
    tried, end = 0, 0
    for opening in _APART.finditer(stripped):
        start = opening.end() - 1
        if start < end:  # inside the one before
            continue
        if (tried := tried + 1) > _MOST_TRIES:
            return
        try:
            value, end = read_from(stripped, start)
        except ValueError:
            end = _closing(stripped, start)  # what is inside is part of a broken answer, and not the answer
            continue
        if not stripped[end:].partition("\n")[0].strip():
            yield value


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens at `start` has been closed; the end of the text if it never is."""
    depth = 0
    for found in _BRACKET.finditer(text, start):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(text)
