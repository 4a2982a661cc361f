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
_WIDEST_NAME = 24


def write_settings(file: Path, told: Sequence[SettingTold], tables: Mapping[str, int]) -> None:
    """The file, each setting with its value, origin and meaning, and what else is in the file."""
    paper = Paper(sys.stdout, terminal_width())
    missing = "" if file.exists() else " (there is none yet: maverick config edit makes it)"
    paper.line((display_path(str(file)), "bold"), missing)
    names = min(max(cell_len(one.name) for one in told), _WIDEST_NAME)
    values = max(min(max(cell_len(_value(one.value)) for one in told), paper.width - names - 24), 12)
    meaning = ""
    for one in told:
        paper.line("")
        is_changed = one.origin != "default"
        name, value = pad(cut(one_line(one.name), names), names), _value(one.value)
        source = one.source if one.origin == "environment" else one.origin
        paper.line(
            (name, "bold") if is_changed else name,
            "  ",
            (pad(cut(value, values), values), "cyan") if is_changed else pad(cut(value, values), values),
            "  ",
            (source, "yellow") if is_changed else (source, "dim"),
        )
        if one.meaning != meaning:
            for line in wrap(one.meaning, _INDENT, _INDENT):
                paper.line((line, "dim"))
        meaning = one.meaning
    for table, size in tables.items():
        paper.line("")
        paper.line(
            (pad(f"[{table}]", names), "bold"), f"  {count(size, 'line')} for the interface", ("  file", "yellow")
        )


def _value(value: Any) -> str:
    if value is None:
        return "none"
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
