"""Which entries of `allowed_tools` ask first: the plainest call that each covers is judged like any other."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rules import own_words
from maverick_tui.agent.permissions.standing import NONE, Standing
from maverick_tui.agent.tools import SUBAGENT_TOOLS, ToolRule, parse_tool

UNKNOWN_PROGRAM = "make"
"""A command that nobody knows to only read."""
_NAME = "x"
"""Stands for whatever a wildcard stands for."""
_WILDCARD = re.compile(r"\*+")


def asks_first(entry: str, mode: str, cwd: Path, standing: Callable[[], Standing] = lambda: NONE) -> bool:
    """Whether its plainest call asks where there is a person, as the judge says; in mode dontAsk nothing asks."""
    tool, arguments = _plainest_call(parse_tool(entry))
    return Judge([entry], cwd, person=True, standing=standing).judge(tool, arguments, mode=mode).decision == "ask"


def _plainest_call(rule: ToolRule) -> tuple[str, dict[str, Any]]:
    """A tool and its arguments: what the entry is plainly about, in the working directory unless it says where."""
    tool = f"{rule.name.removesuffix('*')}{_NAME}" if rule.is_mcp and rule.name.endswith("__*") else rule.name
    said = rule.rule or ""
    if tool == "Bash":
        return tool, {"command": " ".join(own_words(said)) if said else UNKNOWN_PROGRAM}
    if tool in SUBAGENT_TOOLS:
        return tool, {"description": _NAME, "prompt": _NAME, "subagent_type": said.partition(",")[0] or _NAME}
    if tool == "Skill":
        return tool, {"skill": said or _NAME}
    if tool == "WebFetch":
        return tool, {"url": f"https://{said.removeprefix('domain:').replace('*', 'www') or 'example.org'}/"}
    if tool in ("Glob", "Grep"):
        return tool, {"pattern": _NAME, **({"path": _path(said)} if said else {})}
    if tool in ("Read", "Edit", "Write"):
        return tool, {"file_path": _path(said)}
    argument = {"LSP": "filePath", "NotebookEdit": "notebook_path"}.get(tool)
    return tool, {argument: _path(said)} if argument else {}


def _path(rule: str) -> str:
    path = _WILDCARD.sub(_NAME, rule) or _NAME
    return path[1:] if path.startswith("//") else path
