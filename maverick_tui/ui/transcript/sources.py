"""The text of entries as it is copied and searched: never what it looks like, but what it says."""

from __future__ import annotations

import json

from maverick_tui.inert import inert
from maverick_tui.runs.entries import Entry, FailureEntry, NoticeEntry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.tool_text import result_text


def source(entry: Entry) -> str:
    """The text of an entry as it is copied, searched and exported: never what it looks like, but what it says."""
    if isinstance(entry, PromptEntry | TextEntry | NoticeEntry):
        return entry.text
    if isinstance(entry, ToolEntry):
        arguments = json.dumps(entry.arguments, ensure_ascii=False, indent=2, default=str)
        shown = (
            inert(entry.arguments["command"]) if isinstance(entry.arguments.get("command"), str) else inert(arguments)
        )
        return f"{inert(entry.name)}\n{shown}\n\n{inert(result_text(entry.output))}".rstrip()
    if isinstance(entry, FailureEntry):
        return inert("\n".join([entry.failure.message, *entry.failure.causes, entry.failure.hint]))
    return ""


def answer_of_turn(store: RunStore, turn: int) -> list[str]:
    """What the agent itself has said in a turn, block by block."""
    return [
        entry.text
        for entry in store.entries
        if isinstance(entry, TextEntry) and entry.turn == turn and entry.kind == "text" and not entry.parent
        if entry.text.strip()
    ]
