"""Settings of ruff that name others: it quotes whatever is found there and is none."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from maverick_tui.agent.permissions.places import Places
from maverick_tui.toml_text import read_toml

SETTINGS = frozenset({"ruff.toml", ".ruff.toml", "pyproject.toml"})
_MOST_BYTES = 1_000_000
_MOST_STEPS = 10


def why_extending_asks(folders: Iterable[Path], places: Places) -> str:
    """Why settings in these folders, or above them, are not for a checker to read."""
    above = {str(one) for folder in folders for one in (folder, *folder.parents)}
    files = (f"{folder}/{name}" for folder in sorted(above) for name in sorted(SETTINGS))
    return next(filter(None, (why_not_to_extend(file, places) for file in files)), "")


def why_not_to_extend(file: str, places: Places) -> str:
    """Why what a file of settings extends is not to be read, or what that extends."""
    for _ in range(_MOST_STEPS):
        extended = _extended(file)
        if extended == "":
            return ""
        whole = os.path.expandvars(os.path.expanduser(extended)) if extended is not None else "$"  # noqa: PTH111
        folder = Path(file).parent
        if "$" in whole:
            return f"Which settings {file} extends is not known."
        if reason := places.why_not_to_read(whole, folder):
            return f"{file} extends settings with what is no such file. {reason}"
        file = os.path.join(folder, whole)  # noqa: PTH118 - pathlib would drop a `..` behind a link
    return f"Which settings {file} extends is not known."


def _extended(file: str) -> str | None:
    """What a file of settings extends; empty if nothing, and None if that cannot be told."""
    try:
        if not os.path.isfile(file):  # noqa: PTH113 - a pipe would be waited for
            return ""
        with open(file, "rb") as opened:  # noqa: PTH123
            raw = opened.read(_MOST_BYTES + 1)
    except (OSError, ValueError):
        return ""
    if len(raw) > _MOST_BYTES:  # it may stand further on
        return None
    if b"extend" not in raw and b"\\" not in raw:  # by which a name may be spelled otherwise
        return ""
    try:
        found: object = read_toml(raw.decode())
    except ValueError:
        return None
    if os.path.basename(file) == "pyproject.toml":  # noqa: PTH119
        found = _value(_value(found, "tool"), "ruff")
    said = _value(found, "extend")
    return said if isinstance(said, str) else ""


def _value(table: object, name: str) -> object:
    return table.get(name) if isinstance(table, dict) else None
