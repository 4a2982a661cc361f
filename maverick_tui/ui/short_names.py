"""Paths and names of models, as short as they can be told apart."""

from __future__ import annotations

import os
import re
from pathlib import Path

from maverick_tui.inert import one_line

_MODEL = re.compile(
    r"(?:(?P<before>\d+(?:-\d)?)-)?(?P<family>opus|sonnet|haiku)(?:-(?P<after>\d{1,2}(?:-\d{1,2})?)(?!\d))?"
)
_DATE = re.compile(r"-\d{8}$")


def short_model(model: str, room: int | None = None) -> str:
    """A model by its family and version: `sonnet 4.5` for claude-sonnet-4-5-20250929; others are cut to the room."""
    if found := _MODEL.search(model):
        version = (found["after"] or found["before"] or "").replace("-", ".")
        return f"{found['family']} {version}".rstrip()
    text = _DATE.sub("", one_line(model)).removeprefix("claude-")
    return text if room is None or len(text) <= room else f"{text[: room - 1]}…"


def short_path(path: str | Path, cwd: Path | None = None) -> str:
    """The path as it is best read: below the working directory, if one is given, or below the home directory."""
    text = os.fspath(path)
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where nobody knows it
    for folder, short in ((str(cwd or ""), ""), (home, "~/")):
        if folder.strip("/") and text.startswith(f"{folder}/"):
            return one_line(short + text.removeprefix(f"{folder}/"))
    return one_line("~" if text == home else text)
