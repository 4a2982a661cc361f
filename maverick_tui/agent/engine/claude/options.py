"""What the SDK and its CLI are told of an agent."""

from __future__ import annotations

import json
import os
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from claude_agent_sdk import ClaudeAgentOptions
from claude_agent_sdk.types import SystemPromptPreset

from maverick_tui import paths
from maverick_tui.agent.engine.claude.guard import Guard
from maverick_tui.agent.engine.claude.memory_files import left_out
from maverick_tui.agent.engine.claude.scheduling import NO_JOBS, apart_from_project, schedules
from maverick_tui.agent.engine.claude.scratch import private_folder
from maverick_tui.agent.engine.claude.settings_files import settings_files
from maverick_tui.agent.engine.environment import environment_of
from maverick_tui.agent.engine.judging import judge_of
from maverick_tui.agent.fields import CLAUDE_CODES_PROMPT
from maverick_tui.agent.hooks import require_sound
from maverick_tui.agent.tools import grants, parse_tool
from maverick_tui.exceptions import ConfigError
from maverick_tui.inert import whole_line
from maverick_tui.masking.redact import conceal
from maverick_tui.masking.settings import server_secrets
from maverick_tui.ownership import strangers_file

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.permissions.judge import Judge
    from maverick_tui.config import MaverickConfig

_OF_PROJECTS = ("CLAUDE.md", "CLAUDE.local.md", ".claude")
"""What the CLI looks for in every folder above the one that it works in."""
_OWN: SystemPromptPreset = {"type": "preset", "preset": "claude_code"}
MAX_LINE = 50 * 1024 * 1024
"""Longest message of the CLI, in bytes; the SDK's own limit of 1 MB ends the session on one large file."""

WITH_HOOKS = {"CLAUDE_CODE_SIMPLE": "", "CLAUDE_CODE_SAFE_MODE": ""}
"""The first has the CLI ask no hook (measured), and our judge is one; `claude --bare` sets it for what it starts."""
NO_SOCKET = {"CLAUDE_CODE_HARBOR_KITE": "0"}
"""The CLI would listen at a socket of its own, where agents of other sessions, and any program of the user, can send
prompts that nobody is shown. This variable, which is not documented, has it do without (measured)."""
NO_BUNDLED_SKILLS = {"CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1"}
"""The CLI's own skills have commands in them that it runs by itself, without a hook, and so without a judge."""
_NO_PLUGINS = {f"cc-plugin-{name}@builtin": False for name in ("plugin-authoring", "mods-guide")}
"""Plugins within the CLI that bring skills, which the variable above does not turn off (measured): with the first comes
a tool that looks for keys in any folder, and of which the CLI asks no hook."""
FIXED_SETTINGS = {
    "crossSessionInbound": "refuse",
    "disableSkillShellExecution": True,
    "enabledPlugins": _NO_PLUGINS,
    "env": WITH_HOOKS,
}
"""The settings: such a socket, where there is one nevertheless, takes nothing, no other skill runs commands so, and
what other files of settings say of the environment does not count either."""
OWN_SEARCH = "Grep(/dev/null)"
"""Where no rule names Grep or Glob, the CLI has `grep` and `find` be functions of its shell, which start programs of
its own: to ugrep `grep -3 x` behind a pipe is a search of the whole folder. The judge knows those of the system. This
rule allows nothing, since every call is judged, and an agent without Grep does not have it by this."""


def options_of(
    agent: MaverickAgent, settings: MaverickConfig, cwd: Path | str | None, *, person: bool
) -> ClaudeAgentOptions:
    """The SDK's options; `person` says that somebody will be asked about what is not read-only."""
    _require_told_name(Path(cwd or Path.cwd()))
    _require_no_strangers(Path(cwd or Path.cwd()), settings.setting_sources)
    if agent.hooks is not None:  # they may be others than when it was made
        require_sound(agent.hooks, agent.name)
    mode, judge = agent._mode_by(settings), judge_by(settings, agent, cwd, person=person)
    granted = grants(agent._tools_by(person=person), person=person)
    conceal(value for server in agent.mcp_servers.values() for value in server_secrets(server))
    return ClaudeAgentOptions(
        model=agent._model_by(settings),
        system_prompt=_OWN if agent.system_prompt == CLAUDE_CODES_PROMPT else agent.system_prompt,
        tools=granted.tools,
        allowed_tools=[*granted.allowed_tools, OWN_SEARCH],
        disallowed_tools=granted.disallowed_tools,
        permission_mode=mode,  # type: ignore[arg-type]
        mcp_servers=dict(agent.mcp_servers),
        strict_mcp_config=True,
        cwd=cwd,
        max_turns=agent.max_turns or settings.max_turns,
        max_budget_usd=agent.max_budget_usd or settings.max_budget_usd,
        effort=agent.effort,  # type: ignore[arg-type]
        hooks=Guard(judge, mode=mode).hooks,
        skills=list(agent.skills) if agent.skills is not None else None,
        settings=json.dumps(FIXED_SETTINGS | ({"hooks": agent.hooks} if agent.hooks else {}) | _left_out(judge)),
        setting_sources=list(settings.setting_sources),
        cli_path=settings.cli_path,
        env=_environment(agent, settings),
        include_partial_messages=True,
        forward_subagent_text=True,
        verbatim_prompts=True,
        max_buffer_size=MAX_LINE,
        extra_args=apart_from_project(agent.allowed_tools, settings.setting_sources),
        stderr=_ignore_line,
    )


def judge_by(settings: MaverickConfig, agent: MaverickAgent, cwd: Path | str | None, *, person: bool) -> Judge:
    """Who decides about its calls: one who knows what else the CLI runs by these settings."""
    sources = settings.setting_sources
    return judge_of(
        agent,
        cwd,
        person=person,
        settings=settings,
        settings_files=settings_files(sources, cwd),
        takes_memory=bool({"project", "local"} & {*sources}),
    )


def _left_out(judge: Judge) -> dict[str, list[str]]:
    """Which memory files the CLI is not to take in."""
    return {"claudeMdExcludes": left_out(judge)} if judge.takes_memory else {}


def _require_told_name(folder: Path) -> None:
    """ConfigError if the CLI would work in another folder: it writes U+FFFD for what is no UTF-8 in a name."""
    try:
        str(folder).encode()
    except UnicodeEncodeError as error:
        raise ConfigError(
            "Claude Code cannot work in a folder whose name is not UTF-8.",
            path=str(folder),
            hint="Give it another name.",
        ) from error


def _require_no_strangers(folder: Path, sources: Collection[str]) -> None:
    """ConfigError if Claude Code would take what another user has put above the folder: it looks in all of them."""
    if not {"project", "local"} & set(sources):
        return
    found = strangers_file(folder, _OF_PROJECTS, paths.project_folders(folder))
    if found:
        raise ConfigError(
            f"{whole_line(found)} belongs to another user, and setting_sources would have Claude Code go by it.",
            path=found,
            hint="Work in a folder that is not below it, or take project and local out of setting_sources.",
        )


def _environment(agent: MaverickAgent, settings: MaverickConfig) -> dict[str, str]:
    """What the CLI can only be told by variables; the user's own win, but for what the judge needs."""
    defaults = {
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(agent.max_tokens or settings.max_tokens),
        "CLAUDE_CODE_MAX_RETRIES": str(settings.api_retries),
        "DISABLE_AUTOUPDATER": "1",
        # It would ask the model for a title that nobody sees: with all of the prompt once more, and past every hook.
        "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
        # Each command begins in the folder that was shown to whoever allows it, whatever the one before has left.
        "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR": "1",
    }
    if "CLAUDE_CODE_TMPDIR" not in {*os.environ, *settings.env} and (folder := private_folder()):
        defaults["CLAUDE_CODE_TMPDIR"] = folder
    if not settings.api_retries:
        # Without this the CLI asks once more, in one piece, for an answer whose stream broke.
        defaults["CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK"] = "1"
    if any(parse_tool(entry).name == "TodoWrite" for entry in agent.allowed_tools):
        defaults |= {"CLAUDE_CODE_ENABLE_TODO_TOOLS": "1", "CLAUDE_CODE_ENABLE_TASKS": "0"}
    # Not a matter of taste: the project's own jobs would run, and `cd src` would lead to another `src`.
    jobs = {} if schedules(agent.allowed_tools) else NO_JOBS
    fixed = {"CDPATH": "", **WITH_HOOKS, **NO_SOCKET, **NO_BUNDLED_SKILLS, **jobs}
    return environment_of(agent, settings, defaults) | fixed


def _ignore_line(_line: str) -> None:
    """The transport keeps what the CLI writes to its standard error; it must not reach the terminal."""
