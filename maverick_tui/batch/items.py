"""Items: the prompts of a batch, as a file has them: one a line, as JSON or as plain text."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.bounded import read_whole
from maverick_tui.exceptions import ConfigError, did_you_mean
from maverick_tui.inert import one_line

_FIELDS = ("prompt", "id", "inputs", "model")
_MOST_BYTES = 200_000_000
_MOST_TOLD = 10
"""Lines that are wrong of which each is told."""


class Item(NamedTuple):
    """One prompt."""

    line: int
    item_id: str
    """As the file says; else the number of its line."""
    prompt: str | None
    """None for what the agent's author wrote."""
    inputs: dict[str, Any]
    model: str
    key: str
    """By what it is known again, also where lines were added before it: what it says, and which of those that say so
    it is.
    """


class BrokenLine(NamedTuple):
    """A line that is no prompt, and why."""

    line: int
    why: str


def broken_input(path: Path, broken: list[BrokenLine]) -> ConfigError:
    """What is wrong with a file, each line with its number."""
    count = "1 line" if len(broken) == 1 else f"{len(broken)} lines"
    told = [f"line {line}: {one_line(why)}" for line, why in broken[:_MOST_TOLD]]
    more = [f"and {len(broken) - _MOST_TOLD} more"] if len(broken) > _MOST_TOLD else []
    return ConfigError(
        "\n".join([f"{count} of {path} cannot be used; nothing was started.", *told, *more]),
        hint="Correct the file, and start it again.",
    )


def read_items(path: Path, *, is_jsonl: bool) -> list[Item]:
    """The prompts of a file; empty lines are passed over. ConfigError for lines that are none."""
    try:
        lines = read_whole(path, _MOST_BYTES).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    except OSError as error:
        raise ConfigError(
            f"The prompts in {path} cannot be read: {error.strerror or error}.", hint="Name another file."
        ) from error
    items, broken = list[Item](), list[BrokenLine]()
    seen, numbers = dict[str, int](), Counter[str]()
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8").rstrip("\r")
            if not text.strip():
                continue
            item = _item(number, json.loads(text) if is_jsonl else {"prompt": text})
            if item.item_id in seen:
                raise _WrongError(f"the id {item.item_id!r} is that of line {seen[item.item_id]}")
            seen[item.item_id] = number
            numbers[item.key] += 1
            items.append(item._replace(key=f"{item.key}-{numbers[item.key]}"))
        except UnicodeDecodeError:
            broken.append(BrokenLine(number, "it is not UTF-8"))
        except json.JSONDecodeError as error:
            broken.append(BrokenLine(number, f"it is not JSON: {error.msg} at column {error.colno}"))
        except RecursionError:
            broken.append(BrokenLine(number, "it is nested too deeply"))
        except ValueError as error:  # what it says makes no prompt, or has a number of too many digits
            broken.append(BrokenLine(number, str(error)))
    if broken:
        raise broken_input(path, broken)
    if not items:
        raise ConfigError(f"There is no prompt in {path}.", hint="Write one a line.")
    return items


class _WrongError(ValueError):
    """A line says something that makes no prompt; the text says what."""


def _item(line: int, said: Any) -> Item:
    given = {"prompt": said} if isinstance(said, str) else said
    if not isinstance(given, dict):
        raise _WrongError('it is neither an object nor a text: write {"prompt": "..."}')
    for name in given:
        if name not in _FIELDS:
            known = did_you_mean(name, _FIELDS) or f"Known are {', '.join(_FIELDS)}."
            raise _WrongError(f"it has a field {name!r}. {known}")
    prompt, inputs, model, item_id = (given.get(name) for name in ("prompt", "inputs", "model", "id"))
    if prompt is not None and not (isinstance(prompt, str) and prompt.strip()):
        raise _WrongError("its prompt is empty" if isinstance(prompt, str) else "its prompt is not a text")
    if inputs is not None and not isinstance(inputs, dict):
        raise _WrongError("its inputs are not an object")
    if model is not None and not (isinstance(model, str) and model.strip()):
        raise _WrongError("its model is not a name")
    if item_id is not None and (isinstance(item_id, bool) or not isinstance(item_id, str | int) or item_id == ""):
        raise _WrongError("its id is neither a text nor a number")
    content = json.dumps([item_id, prompt, inputs or {}, model or ""], sort_keys=True)
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    return Item(line, str(item_id) if item_id is not None else str(line), prompt, inputs or {}, model or "", key)
