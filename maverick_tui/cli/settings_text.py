"""What `maverick config show` prints."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from maverick_tui.cli.layout import Paper, count, cut, display_path, pad, terminal_width, wrap
from maverick_tui.inert import one_line

if TYPE_CHECKING:
    from maverick_tui.settings_told import SettingTold

_INDENT = "    "
_WIDEST = 28
_TABLE = "Keys of the interface."


def write_settings(file: Path, told: Sequence[SettingTold], tables: Mapping[str, int]) -> None:
    """The file, each setting with its origin, value and meaning, and what else is in the file."""
    paper = Paper(sys.stdout, terminal_width())
    paper.line((display_path(str(file)), "bold"))
    if not file.exists():
        paper.line(("There is none yet: maverick config edit makes it.", "dim"))
    rows = [(one.name, _source(one), _value(one.value), one.meaning) for one in told]
    rows += [(f"[{table}]", "file", count(size, "line"), _TABLE) for table, size in tables.items()]
    names, sources = (min(max(cell_len(row[at]) for row in rows), _WIDEST) for at in (0, 1))
    shown_before = ""
    for name, source, value, meaning in rows:
        is_changed = source != "default"
        margin = " " * (names + sources + 4)
        first, *rest = wrap(value, margin, margin, paper.width)
        paper.line("")
        paper.line(
            (pad(cut(one_line(name), names), names), *(["bold"] if is_changed else [])),
            "  ",
            (pad(cut(source, sources), sources), "yellow" if is_changed else "dim"),
            "  ",
            first[len(margin) :],
        )
        for line in rest:
            paper.line(line)
        if meaning != shown_before:
            for line in wrap(meaning, _INDENT, _INDENT, paper.width):
                paper.line((line, "dim"))
        shown_before = meaning


def _source(one: SettingTold) -> str:
    return one.source if one.origin == "environment" else one.origin


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
