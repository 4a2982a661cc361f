"""What files of Claude Code's own settings have it run unasked, where it goes by them: hooks, helpers, variables.

It is read as widely as Claude Code might read it: what is there and cannot be read by us may be read by that.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.agent.permissions.started import commands_of
from maverick_tui.bounded import read_whole

_LARGEST = 16 << 20


class LoadedSettings(NamedTuple):
    """The commands that they name, the variables that programs get, and whether that is all."""

    commands: list[str]
    environments: list[dict[str, str]]
    is_all: bool


def loaded_settings(files: Iterable[Path]) -> LoadedSettings:
    """As they are now; a file that is not there has none."""
    found = LoadedSettings([], [], is_all=True)
    for file in files:
        try:
            settings = _read(file)
        except FileNotFoundError:
            continue
        except (OSError, RecursionError):
            found = found._replace(is_all=False)
            continue
        if isinstance(settings, dict):
            found.commands.extend(commands_of(settings.get("hooks"), settings))
            variables = settings.get("env")
            if isinstance(variables, dict):
                found.environments.append({name: str(value) for name, value in variables.items()})
    return found


def _read(file: Path) -> Any:
    """What it says; nothing if it is no JSON, which nobody reads. A pipe would keep us waiting."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise OSError("It is no file")
    data = read_whole(file, _LARGEST)
    try:
        text: str | bytes = data.decode(json.detect_encoding(data))
    except UnicodeDecodeError:
        text = data.decode("utf-8-sig", errors="replace")
    try:
        return json.loads(text, parse_int=str, parse_float=str)  # of an integer Python only reads so many digits
    except ValueError:
        return None
