"""What would become of a call that somebody writes down: `maverick rules test`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.agent.engine.judging import rules_for
from maverick_tui.agent.permissions.judge import Judge, Judgement
from maverick_tui.agent.tools import BUILTIN_TOOLS, EDIT_TOOLS, SCHEDULING_TOOLS, SUBAGENT_TOOLS, parse_tool
from maverick_tui.agent.xray import xray
from maverick_tui.exceptions import ConfigError, InvalidToolError, did_you_mean
from maverick_tui.git.programs import programs_named, started_by_settings

_ARGUMENT = {
    "Bash": "command",
    "WebFetch": "url",
    "Skill": "skill",
    "Monitor": "command",
    "NotebookEdit": "notebook_path",
    "LSP": "filePath",
    **dict.fromkeys(SCHEDULING_TOOLS, "prompt"),
}


def judge_call(text: str, agent: str = "", *, person: bool = True) -> tuple[Judgement, str]:
    """What the judge says of a call in this folder, and what there is to say beside that."""
    tool, arguments = _call(text)
    cwd, mode, tools = Path.cwd(), "acceptEdits", sorted({*BUILTIN_TOOLS, tool})
    if agent:
        view = xray(discover(cwd).get(agent), TrustStore())
        if view.may is None:
            raise ConfigError(
                f"What {agent!r} may do is not known before its file is trusted.",
                hint=f"See `maverick agents show {agent}`.",
            )
        tools, mode = [*view.may], str(view.permission_mode.value)
    judge = Judge(
        tools,
        cwd,
        person=person,
        git_programs=programs_named,
        git_starts=started_by_settings,
        standing=rules_for(agent, cwd),
    )
    found = judge.judge(tool, arguments, mode=mode)
    if found.decision != "allow":
        return found, judge.why_not_covered(tool, arguments)
    return found, "" if found.rule else judge.what_allows(tool, arguments, mode)


def _call(text: str) -> tuple[str, dict[str, Any]]:
    try:
        tool = parse_tool(text)
    except InvalidToolError as error:
        raise ConfigError(
            f"{text!r} is no call.", hint="Write it as 'Bash(git log -p)' or 'Edit(docs/a.md)'."
        ) from error
    name, said = tool
    if not tool.is_mcp and name not in BUILTIN_TOOLS:
        raise ConfigError(f"There is no tool {name!r}.", hint=did_you_mean(name, BUILTIN_TOOLS) or "See `agents show`.")
    if said is None:
        return name, {}
    if name in SUBAGENT_TOOLS:
        return name, {"description": "x", "prompt": "x", "subagent_type": said}
    if name in ("Glob", "Grep"):
        return name, {"pattern": "x", "path": said}
    is_path = name in EDIT_TOOLS or name == "Read"
    return name, {_ARGUMENT.get(name, "file_path" if is_path else "text"): said}
