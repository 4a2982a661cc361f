"""A tool's call and its result as texts, each with the language that it is in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.inert import inert, one_line
from maverick_tui.markup.hunks import Hunk, hunks_between, hunks_of_patch
from maverick_tui.markup.json_text import readable_json
from maverick_tui.runs import tool_text
from maverick_tui.runs.choosing import parts_of
from maverick_tui.runs.entries import ToolEntry

GLYPHS = {"done": "✔", "failed": "✘", "denied": "⊘", "cut": "╌", "asking": "⚑", "running": "●"}
_EDITS = {"Edit": "old_string", "NotebookEdit": "new_source", "Write": "content"}
"""Tools that change files, and an argument without which they change nothing."""
_EDITED = frozenset("file_path notebook_path old_string new_string content new_source".split())
_SPOKEN = {"Agent": ("prompt", "markdown"), "Bash": ("command", "bash"), "ExitPlanMode": ("plan", "markdown"),
           "Task": ("prompt", "markdown")}  # fmt: skip
"""Tools with one argument that says it all, and the language of that."""
_TODO_MARKS = {"completed": "[x]", "in_progress": "[-]"}
_STATES = {"asking": "waiting for an answer", "waiting": "waiting", "writing": "being written", "running": "running"}


WORDS = "words"
"""The language of a remark on one line."""


class Part(NamedTuple):
    """A text, inert, and what it is written in: a lexer's name, `markdown`, `words` or nothing."""

    language: str
    text: str


def about(entry: ToolEntry, folder: str) -> str:
    """What the call is about, on one line."""
    if entry.name in ("AskUserQuestion", "ExitPlanMode", "TodoWrite"):
        return ""  # their arguments are shown, and would only be repeated
    return tool_text.key_argument(entry.name, entry.arguments, folder)


def outcome(entry: ToolEntry) -> str:
    """What came of the call, on one line."""
    if entry.state == "denied":
        return f"denied: {one_line(entry.reason)}" if entry.reason else "denied"
    if entry.state == "cut":
        return entry.cut_words
    if entry.state in _STATES:
        return _STATES[entry.state]
    text = result_text(entry.output)
    what, size = tool_text.summary(entry.name, entry.arguments, text, failed=entry.state == "failed")
    allowed = {"once": "  allowed", "run": "  allowed for this run"}.get(entry.decision, "")
    return f"{what}{f' ({size})' if size else ''}{allowed}"


def input_parts(entry: ToolEntry, arguments: Mapping[str, Any]) -> list[Part]:
    """What the tool was given, if `about` does not say it all; the arguments are the entry's own, perhaps masked."""
    if entry.name in _EDITS and (diff := _diff(entry, arguments)):
        return [Part("diff", diff), *_others(arguments, _EDITED)]
    key, language = _SPOKEN.get(entry.name, ("", ""))
    if isinstance(text := arguments.get(key), str):
        said = one_line(str(arguments.get("description") or ""))
        words = [Part(WORDS, f"the agent says: {said}")] if said and entry.name == "Bash" else []
        return [*words, Part(language, inert(text)), *_others(arguments, {key, "description"})]
    if entry.name == "AskUserQuestion" and (asked := _asked(arguments)):
        return [Part("", asked)]
    todos = list(tool_text.todo_lines(arguments)) if entry.name == "TodoWrite" else []
    if todos:
        return [Part("", "\n".join(f"{_TODO_MARKS.get(state, '[ ]')} {text}" for state, text in todos))]
    return [] if _is_told(entry.name, arguments) else _others(arguments, ())


def _is_told(tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether all of the arguments stands in the line that says what the call is about."""
    key = tool_text.key_name(tool)
    value = arguments.get(key)
    return len(arguments) == 1 and isinstance(value, str) and value == one_line(value)


def output_part(entry: ToolEntry) -> Part | None:
    """What the tool has answered; that an edit was made is said by its diff already."""
    text = inert(result_text(entry.output))
    if not text.strip() or (entry.state == "done" and entry.name in (*_EDITS, "TodoWrite")):
        return None
    if entry.state == "done" and entry.name in ("Agent", "Task"):
        return Part("markdown", text)
    return Part("diff" if text.startswith("diff --git ") else "", text)


def _others(arguments: Mapping[str, Any], shown: Any) -> list[Part]:
    rest = {name: value for name, value in arguments.items() if name not in shown}
    return [Part("json", inert(readable_json(rest)))] if rest else []


def _diff(entry: ToolEntry, arguments: Mapping[str, Any]) -> str:
    patch = entry.detail.get("structuredPatch") if isinstance(entry.detail, dict) else None
    if isinstance(patch, list) and (hunks := hunks_of_patch(patch)):
        return "\n".join(line for hunk in hunks for line in (_place(hunk), *map(inert, hunk.lines)))
    if not isinstance(arguments.get(_EDITS[entry.name]), str):
        return ""
    old = arguments.get("old_string") if entry.name == "Edit" else ""
    new = arguments.get("new_string" if entry.name == "Edit" else _EDITS[entry.name])
    hunks = hunks_between(str(old or ""), str(new or ""), show=inert)
    # On which lines of the file it is, is not known here.
    return "\n".join(line for number, hunk in enumerate(hunks) for line in (*(["@@ @@"] * bool(number)), *hunk.lines))


def _place(hunk: Hunk) -> str:
    old, new = (sum(not line.startswith((sign, "\\")) for line in hunk.lines) for sign in "+-")
    return f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@"


def _asked(arguments: Mapping[str, Any]) -> str:
    lines = []
    for part in parts_of(arguments):
        lines.append(one_line(part.question))
        lines += [
            f"  {number}. {one_line(label)}{f': {one_line(words)}' if words else ''}"
            for number, (label, words) in enumerate(part.options, 1)
        ]
    return "\n".join(lines)
