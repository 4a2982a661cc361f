"""What a judge decides, in a few words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maverick_tui.agent.permissions.judge import Judge, Judgement
from maverick_tui.agent.permissions.standing import RuleBook, user_file
from maverick_tui.agent.tools import BUILTIN_TOOLS
from maverick_tui.git.programs import programs_named

TOOLS = sorted(BUILTIN_TOOLS)


def bash(command: str) -> dict[str, str]:
    return {"command": command}


def decide(judge: Judge, tool: str, arguments: dict[str, Any], mode: str = "acceptEdits") -> str:
    return judge.judge(tool, arguments, mode=mode).decision


def write(text: str, file: Path | None = None) -> Path:
    file = file or user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def judge_in(project: Path, *, person: bool = True, agent: str = "", trusted: bool = False) -> Judge:
    book = RuleBook(project, agent, lambda _path, _content: trusted)
    return Judge(TOOLS, project, person=person, git_programs=programs_named, standing=book)


def judged(project: Path, tool: str, arguments: dict[str, Any], **more: Any) -> Judgement:
    return judge_in(project, **more).judge(tool, arguments, mode="acceptEdits")
