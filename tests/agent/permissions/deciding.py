"""What a judge decides, in a few words."""

from __future__ import annotations

from typing import Any

from maverick_tui.agent.permissions.judge import Judge


def bash(command: str) -> dict[str, str]:
    return {"command": command}


def decide(judge: Judge, tool: str, arguments: dict[str, Any], mode: str = "acceptEdits") -> str:
    return judge.judge(tool, arguments, mode=mode).decision
