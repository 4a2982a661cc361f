"""Spacing: how much room there is between two entries."""

from __future__ import annotations

from typing import NamedTuple

from maverick_tui.runs.entries import Entry, ToolEntry


class Gap(NamedTuple):
    """Blank rows above an entry, and how many guides of subagents go through them."""

    rows: int = 0
    guides: int = 0


def gap_between(before: Entry | None, entry: Entry) -> Gap:
    """The room between an entry and what stands before it: things of a kind stand together."""
    if before is None or not _is_apart(before.kind, entry):
        return Gap()
    return Gap(1, min(before.depth, entry.depth))


def _is_apart(last: str, entry: Entry) -> bool:
    if isinstance(entry, ToolEntry) and (entry.state == "asking" or entry.name == "TodoWrite"):
        return True
    if entry.kind == "tool":
        return last not in ("tool", "text", "thinking", "notice")
    return entry.kind not in ("end", "notice") and not (entry.kind == last == "thinking")
