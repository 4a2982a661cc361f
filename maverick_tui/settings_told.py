"""The settings told to a person: what each means, what it is, where that comes from, and a file to write them into."""

from __future__ import annotations

import ast
import inspect
import json
import os
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic_settings import EnvSettingsSource

from maverick_tui.config import OTHER_TABLES, PREFIX, MaverickConfig, UserFile, config_file
from maverick_tui.executor.model import DEFAULT_MODEL
from maverick_tui.masking.redact import redact_data
from maverick_tui.modes import DEFAULT_PERMISSION_MODE

Origin = Literal["default", "file", "environment"]
_WIDTH = 79
_HEAD = """\
# Settings of Maverick. A line that begins with # does not count.
# A variable wins over this file: MAVERICK_TIMEOUT, for example.
# `maverick config show` tells what counts, and why."""
_KEYS = """\
# Keys of the interface, by the names that its help tells; several with commas.
# This part has to stay at the end.
# [keys]
# "run.verbosity" = "alt+v\""""
_EXAMPLES: Mapping[str, str] = {
    "model": '"claude-opus-4-5"',
    "permission_mode": '"plan"',
    "max_budget_usd": "5.0",
    "tasks_url": '"postgresql+psycopg://me@localhost/tasks"',
    "hosts": '["buildbox", "me@laptop"]',
    "cli_path": '"/usr/local/bin/claude"',
    "notify_command": '["notify-send", "{title}", "{text}"]',
    "fuses": "{ run = { usd = 2.0, minutes = 30 }, day = { usd = 20.0 } }",
    "env": '{ HTTPS_PROXY = "http://proxy.example:3128" }',
    "setting_sources": '["user"]',
}
"""Values for settings that have none, so that one sees how they are written."""
_OF_AGENTS: Mapping[str, str] = {"model": DEFAULT_MODEL, "permission_mode": DEFAULT_PERMISSION_MODE}
"""What agents have that name none, where no setting does."""


class SettingTold(NamedTuple):
    """One setting, without secrets."""

    name: str
    value: Any
    """The one that counts; None if there is none."""
    origin: Origin
    source: str
    """The variable or the file; empty for a default."""
    meaning: str


def settings_told() -> list[SettingTold]:
    """All that count; the variables in `env` one by one, since a file and the environment may both have some."""
    settings = redact_data(MaverickConfig.load().model_dump(mode="json"))
    variables, written = EnvSettingsSource(MaverickConfig)(), UserFile(MaverickConfig, config_file())()
    told = []
    for name, value in settings.items():
        parts = {f"env.{one}": one for one in value} if name == "env" and value else {name: ""}
        for shown, part in parts.items():
            origin, source = _origin(name, part, variables, written)
            counts = value[part] if part else _OF_AGENTS.get(name) if value is None else value
            told.append(SettingTold(shown, counts, origin, source, meanings()[name]))
    return told


def _origin(name: str, part: str, variables: Mapping[str, Any], written: Mapping[str, Any]) -> tuple[Origin, str]:
    if name in variables and (not part or part in variables[name]):
        wanted = f"{PREFIX}{name}".upper()
        return "environment", next(one for one in os.environ if one.upper() == wanted)
    return ("file", str(config_file())) if name in written else ("default", "")


def tables_beside(file: Path) -> dict[str, int]:
    """What else is in a file of settings that can be read, and how much: the interface's keys."""
    if not file.is_file():
        return {}
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: len(data[name]) if isinstance(data[name], dict) else 1 for name in OTHER_TABLES if name in data}


@cache
def meanings() -> Mapping[str, str]:
    """What each setting means, as it is documented where it is defined."""
    (definition,) = ast.parse(inspect.getsource(MaverickConfig)).body
    assert isinstance(definition, ast.ClassDef)
    found = {}
    for field, after in pairwise(definition.body):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                found[name] = text
    return found


def new_file() -> str:
    """A file of settings to begin with: each is there with its meaning, and none counts yet."""
    return "\n\n".join((_HEAD, *_settings(), _KEYS)) + "\n"


def _settings() -> Iterator[str]:
    for name, field in MaverickConfig.model_fields.items():
        value = _EXAMPLES.get(name) or json.dumps(field.get_default(call_default_factory=True))
        yield "\n".join(
            [
                *textwrap.wrap(meanings()[name], _WIDTH, initial_indent="# ", subsequent_indent="# "),
                f"# {name} = {value}",
            ]
        )
