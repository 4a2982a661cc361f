"""What is copied and searched: the text of entries (what they say, not how they look), the last answer, a word."""

from __future__ import annotations

import json
import re
from typing import TypeGuard

from rich.cells import cell_len

from maverick_tui.inert import inert
from maverick_tui.runs.entries import Entry, FailureEntry, NoticeEntry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.tool_text import result_text

_WORD = re.compile(r"""[^\s"'`()\[\]{}<>,;│]+""")
"""Paths, links and names are one word; brackets and quotes around them are not part of it."""


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
    return [entry.text for entry in store.entries if entry.turn == turn and _is_said(entry)]


def last_answer(store: RunStore) -> list[str]:
    """What the agent itself has said after its last call, as it is printed without a terminal; block by block.

    Where it has called something and said nothing since, what it said before that is the last one.
    """
    found: list[str] = []
    for entry in reversed(store.entries):
        is_end = isinstance(entry, PromptEntry) or (isinstance(entry, ToolEntry) and not entry.parent)
        if is_end and found:
            break
        if _is_said(entry):
            found.insert(0, source(entry))
    return found


def last_turn(store: RunStore) -> list[str]:
    """All that the agent itself has said in the last turn in which it has said something, block by block."""
    said = next((entry for entry in reversed(store.entries) if _is_said(entry)), None)
    return answer_of_turn(store, said.turn) if said is not None else []


def _is_said(entry: Entry) -> TypeGuard[TextEntry]:
    return isinstance(entry, TextEntry) and entry.kind == "text" and not entry.parent and bool(entry.text.strip())


def word_at(text: str, cell: int) -> tuple[int, int]:
    """First character of the word at a cell, and the one after its last; of blanks, nothing."""
    for word in _WORD.finditer(text):
        start = cell_len(text[: word.start()])
        if start <= cell < start + cell_len(word[0]):
            return word.span()
    return 0, 0
