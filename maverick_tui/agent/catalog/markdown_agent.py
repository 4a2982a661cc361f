"""Turns a Markdown agent file into an agent class."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from maverick_tui.agent.catalog.mcp_servers import expand_server

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.markdown import AgentFile
    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult

PROMPT = "prompt"
"""The key of `context.extra` that holds what the agent is to do."""


def settings_of(file: AgentFile) -> dict[str, object]:
    """The attributes of an agent class that the file gives; what it does not say is left to the defaults."""
    given: dict[str, object] = {
        "name": file.name,
        "description": file.description,
        "system_prompt": file.system_prompt,
        "allowed_tools": file.tools,
        "model": file.model,
        "mcp_servers": file.mcp_servers,
        "permission_mode": file.permission_mode,
        "max_turns": file.max_turns,
        "timeout": file.timeout,
        "max_tokens": file.max_tokens,
        "max_budget_usd": file.max_budget_usd,
        "effort": file.effort,
        "skills": file.skills or None,
        "hooks": dict(file.hooks) or None,
        "initial_prompt": file.initial_prompt,
        "inputs": {spec.name: spec.declaration() for spec in file.inputs} or None,
        "engine": file.engine,
        "temperature": file.api.temperature,
        "thinking": file.api.thinking,
        "limits": dict(file.api.limits) or None,
        "subagents": file.api.agents or None,
        "output_schema": file.api.output,
        "tool_limits": dict(file.api.tool_limits) or None,
        "retries": file.api.retries,
        "repairs": file.api.repairs,
    }
    return {name: value for name, value in given.items() if value is not None}


def agent_class(file: AgentFile, environ: Mapping[str, str] = os.environ) -> type[MaverickAgent]:
    """A class with the file's settings; a variable that its MCP servers need and that is not set is an error."""
    from maverick_tui.agent.base import MaverickAgent

    # The CLI replaces the variables itself: on a command line, which everybody can read, they must not be.
    for name, server in file.mcp_servers.items():
        expand_server(name, server, environ, path=file.mcp_json.path if file.mcp_json else file.path)

    class MarkdownAgent(MaverickAgent):
        """An agent that does what the prompt says, with nothing around it."""

        async def execute(self, context: AgentContext) -> AgentResult:
            """Run `context.extra["prompt"]`, or else the file's initial prompt."""
            prompt = context.extra.get(PROMPT) or self.initial_prompt
            return await self.run(prompt, context) if prompt else _no_prompt(self.name)

    for attribute, value in settings_of(file).items():
        setattr(MarkdownAgent, attribute, value)
    MarkdownAgent.__doc__ = file.description
    MarkdownAgent.__name__ = MarkdownAgent.__qualname__ = "".join(part.title() for part in file.name.split("-"))
    return MarkdownAgent


def _no_prompt(name: str) -> AgentResult:
    from maverick_tui.agent.result import AgentResult, AgentUsage
    from maverick_tui.exceptions import AgentError

    error = AgentError(
        f"The agent {name!r} was given nothing to do.",
        kind="invalid",
        hint='Put the task in context.extra["prompt"], or set initialPrompt in the agent\'s file.',
    )
    return AgentResult.failure_result([error], AgentUsage(0, 0, None, 0), {"agent": name})
