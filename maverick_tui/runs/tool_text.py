"""A tool's call and its result, each in one line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from maverick_tui.inert import inert, one_line
from maverick_tui.markup.hunks import hunks_between
from maverick_tui.runs.entries import PERSONS_OWN

_KEY_ARGUMENTS = {
    "Agent": "description",
    "Bash": "command",
    "Edit": "file_path",
    "Glob": "pattern",
    "Grep": "pattern",
    "LSP": "filePath",
    "NotebookEdit": "notebook_path",
    "Read": "file_path",
    "Skill": "skill",
    "Task": "description",
    "WebFetch": "url",
    "WebSearch": "query",
    "Write": "file_path",
}
WRITING_TOOLS = {"Edit": "file_path", "MultiEdit": "file_path", "Write": "file_path", "NotebookEdit": "notebook_path"}
"""Tools that write to a file, and which of their arguments says to which."""
_EXIT_CODE = re.compile(r"Exit code (\d+)\n?")
_TOO_LARGE = re.compile(r"^Output too large \(([\d.]+) ?([A-Za-z]+)\)\. Full output saved to: ", re.MULTILINE)
_HEAD = 400
"""Characters within which the CLI tells that what follows is only the beginning."""
_NUMBERED = re.compile(r"\s*\d+[\t→]")
_HAS_WORD = re.compile(r"\w")
_MOST_CHANGES = 12
_MOST_PAIRS = 200_000
"""Of equal lines: a tenth of a second, for it is looked at while the screen is drawn."""


def key_name(tool: str) -> str:
    """The name of the argument that says what a call is about; empty for tools that are not known."""
    return _KEY_ARGUMENTS.get(tool, "")


def key_argument(tool: str, arguments: Mapping[str, Any], folder: str = "") -> str:
    """What the call is about; paths are told from `folder`."""
    value = arguments.get(_KEY_ARGUMENTS.get(tool, ""))
    if value is None:
        value = next((item for item in arguments.values() if isinstance(item, str)), None)
    if value is None:
        return one_line(json.dumps(arguments, ensure_ascii=False, default=str)) if arguments else ""
    text = str(value).strip()
    if tool in ("Bash", PERSONS_OWN) and "\n" in text:
        lines = text.splitlines()
        telling = next((line.strip() for line in lines if _HAS_WORD.search(line)), lines[0])  # a bracket says nothing
        text = f"{telling} ({_count(len(lines), 'line')})"
    elif tool == "Read" and arguments.get("offset"):
        text += f":{arguments['offset']}"
    elif tool in ("Grep", "Glob") and arguments.get("path") not in (None, "", folder):
        text += f"  in {arguments['path']}"
    return one_line(re.sub(rf"(?<![^\s'\"=:]){re.escape(folder)}/", "", text) if folder else text)


def summary(tool: str, arguments: Mapping[str, Any], text: str, *, failed: bool = False) -> tuple[str, str]:
    """What came of the call: what matters, and how much there is of it."""
    lines = [line for line in text.splitlines() if line.strip()]
    if large := _TOO_LARGE.search(text, 0, _HEAD):
        ended = f"exit code {code[1]}: " if (code := _EXIT_CODE.match(text)) else ""
        return f"{ended}{large[1]} {large[2]} of output", "its beginning is here"
    if tool in ("Bash", PERSONS_OWN):
        return _bash_summary(text, lines)
    if failed:
        return one_line(lines[0]) if lines else "failed", ""
    if tool == "Read" and any(_NUMBERED.match(line) for line in lines):
        return _count(sum(bool(_NUMBERED.match(line)) for line in lines) - text.endswith("\t"), "line"), ""
    if tool in ("Glob", "Grep") and lines and not lines[0].startswith("No "):
        found = re.match(r"Found (\d+ files?)", lines[0])
        return found[1] if found else _count(len(lines), "file" if tool == "Glob" else "match"), ""
    if tool == "Edit":
        marks = [line[0] for line in changes(arguments)]
        return f"+{marks.count('+')} -{marks.count('-')}", ""
    if tool == "Write":
        return f"{_count(len(str(arguments.get('content', '')).splitlines()), 'line')} written", ""
    if tool in ("Agent", "Task"):
        return _subagent_summary(text), ""
    if not lines:
        return "done", ""
    return one_line(lines[0]), "" if len(lines) == 1 else _count(len(lines), "line")


def changes(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The lines that an edit takes out (-) and puts in (+)."""
    texts = (inert(str(arguments.get(name) or "")).splitlines() for name in ("old_string", "new_string"))
    old, new = ("".join(f"{line}\n" for line in lines) for lines in texts)
    for hunk in hunks_between(old, new, most_pairs=_MOST_PAIRS):
        yield from (line for line in hunk.lines if line[0] in "+-")


def shown_changes(arguments: Mapping[str, Any]) -> list[str]:
    """As many of them as are worth showing."""
    lines = [line.replace("\t", "    ") for line in changes(arguments)]
    if len(lines) <= _MOST_CHANGES:
        return lines
    return [*lines[: _MOST_CHANGES - 1], f"… {len(lines) - _MOST_CHANGES + 1} more"]


def todo_lines(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each item's state and text."""
    todos = arguments.get("todos")
    for todo in todos if isinstance(todos, list) else []:
        if isinstance(todo, Mapping):
            yield str(todo.get("status", "")), one_line(str(todo.get("content", "")))


def describe(tool: str) -> str:
    """The tool's name as it is shown: `mcp__server__tool` becomes `server: tool`."""
    server, mark, name = tool.removeprefix("mcp__").partition("__")
    return one_line(f"{server}: {name}" if mark and tool.startswith("mcp__") else tool)


def _bash_summary(text: str, lines: list[str]) -> tuple[str, str]:
    code = _EXIT_CODE.match(text)
    if code:
        lines = lines[1:]
    elif text.startswith("diff --git "):
        marks = [line[0] for line in lines if not line.startswith(("+++ ", "--- "))]
        return f"+{marks.count('+')} -{marks.count('-')} in the diff", ""
    elif not lines or lines == ["(Bash completed with no output)"]:
        return "no output", ""
    last = one_line(lines[-1]) if lines else "no output"
    return f"exit code {code[1]}: {last}" if code else last, "" if len(lines) < 2 else _count(len(lines), "line")


def _subagent_summary(text: str) -> str:
    if text.startswith("Async agent launched"):
        return "works in the background"
    _, mark, figures = text.rpartition("<usage>")  # the CLI's are the last
    found = re.findall(r"(subagent_tokens|tool_uses): (\d{1,12})\b", figures) if mark else []
    used = {name: int(number) for name, number in found}
    if not used:
        return "done"
    return f"{_count(used.get('tool_uses', 0), 'tool call')}, {_count(used.get('subagent_tokens', 0), 'token')}"


def _count(number: int, word: str) -> str:
    plural = "" if number == 1 else "es" if word.endswith("ch") else "s"
    return f"{number:,} {word}{plural}"
