"""Reads a script from YAML; mistakes are reported with their lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from maverick_tui.agent.catalog.yaml_nodes import Node, YamlRefused, read_yaml
from maverick_tui.exceptions import ConfigError, did_you_mean
from maverick_tui.offline.script import Answer, Scene, Script, ScriptedUsage, When

MAX_BYTES = 5_000_000
MAX_EVENTS = 200_000

_KNOWN = sorted({name for part in (Script, Scene, Answer, When, ScriptedUsage) for name in part.model_fields})


def load_script(path: Path | str) -> Script:
    """The script in a file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise _error(path, [(None, f"is too large: more than {MAX_BYTES:,} bytes")])
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise _error(path, [(None, f"cannot be read: {error.strerror or error}")]) from error
    except UnicodeDecodeError as error:
        raise _error(path, [(None, f"is not UTF-8: byte {error.start}")]) from error
    except ConfigError:
        raise
    except ValueError as error:  # a name with a NUL
        raise _error(repr(str(path)), [(None, f"cannot be read: {error}")]) from error
    return parse_script(text, path)


def parse_script(text: str, path: Path | str = "script") -> Script:
    """The script in a text; `path` is what it is called in errors."""
    try:
        root, duplicates = read_yaml(text.replace("\r\n", "\n"), first_line=1, max_events=MAX_EVENTS)
    except YamlRefused as refusal:
        raise _error(path, [(refusal.line, f"{refusal.message} {refusal.hint}")]) from refusal
    if duplicates:
        raise _error(path, [(again.line, f"the field {again.key!r} is there twice") for again in duplicates])
    if not isinstance(root.value, dict):
        raise _error(path, [(1, "is not a map with scenes")])
    try:
        return Script.model_validate(root.to_json())
    except ValidationError as error:
        found = [_mistake(root, item["loc"], item["type"], item["msg"]) for item in error.errors()]
        raise _error(path, sorted({mistake for mistake in found if mistake is not None})) from error


def _mistake(root: Node, location: tuple[int | str, ...], kind: str, message: str) -> tuple[int, str] | None:
    """The line of the innermost node that the location leads to, and what is wrong there."""
    node, names = root, list[str]()
    for number, step in enumerate(location):
        value = node.value
        is_last = number == len(location) - 1
        if isinstance(value, dict) and step in value and (is_last or isinstance(value[str(step)].value, dict | tuple)):
            node = value[str(step)]
        elif isinstance(value, tuple) and isinstance(step, int) and step < len(value):
            node = value[step]
        elif not is_last:
            continue  # the name of a kind, or what a short form leaves out
        if names[-1:] != [str(step)]:
            names.append(str(step))
    where = ".".join(names) or "script"
    if kind == "too_short" and node.value:
        return None  # what is in the list was refused already
    if kind == "extra_forbidden":
        return node.line, f"{where}: there is no such field. {did_you_mean(names[-1], _KNOWN)}".strip()
    message = message.removeprefix("Value error, ")
    return node.line, f"{where}: {message[:1].lower()}{message[1:]}"


def _error(path: Path | str, mistakes: Sequence[tuple[int | None, str]]) -> ConfigError:
    lines = [f"{path}{'' if line is None else f':{line}'}: {text}" for line, text in mistakes]
    return ConfigError(
        "The script cannot be used:\n" + "\n".join(lines) + "\n",
        path=str(path),
        line=mistakes[0][0],
        hint="Correct it, then look at it with: maverick offline check FILE",
    )
