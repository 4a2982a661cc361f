"""Opens a session of the API engine: makes of an agent the definition, the model and the tools that it needs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.base import DEFAULT_PERMISSION_MODE
from maverick_tui.agent.catalog.mcp_servers import expand_server
from maverick_tui.agent.engine.api.checking import definition_of, model_id, own_tools
from maverick_tui.agent.engine.api.session import ApiSession
from maverick_tui.agent.registry import registry
from maverick_tui.agent.tools import parse_tool
from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.file_tools import file_tools
from maverick_tui.executor.provider import AgentConfig, create_agent
from maverick_tui.executor.servers import ToolServers
from maverick_tui.executor.tools import ToolRegistry

if TYPE_CHECKING:
    from claude_agent_sdk import CanUseTool

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig

LEAST_REQUEST_TIMEOUT = 600.0


async def open_session(
    agent: MaverickAgent,
    settings: MaverickConfig,
    cwd: Path,
    env: Mapping[str, str],
    can_use_tool: CanUseTool | None,
) -> ApiSession:
    """A session of this agent in this folder, ready to be asked."""
    names = {parse_tool(entry).name for entry in agent.allowed_tools}
    called = [_subagent(agent, name) for name in agent.subagents]
    tools = ToolRegistry(file_tools(cwd))
    for tool in (tool for one in (agent, *called) for tool in own_tools(one)):
        if tool.name not in tools:
            tools.register(tool)
    agents = {one.name: definition_of(one, None) for one in called}
    session = ApiSession(
        definition_of(agent, settings, agents=tuple(agents)),
        create_agent(model_config(agent, settings, env)),
        tools,
        agents=agents,
        servers=ToolServers(_expanded(agent.mcp_servers, env), wanted=names, cwd=cwd),
        mode=agent.permission_mode or settings.permission_mode or DEFAULT_PERMISSION_MODE,
        timeout=agent.timeout if agent.timeout is not None else settings.timeout,
        can_use_tool=can_use_tool,
    )
    try:
        await session.open()
    except BaseException:
        await session.close()
        raise
    return session


def model_config(agent: MaverickAgent, settings: MaverickConfig, env: Mapping[str, str]) -> AgentConfig:
    """Which model is asked, and how."""
    timeout = agent.timeout if agent.timeout is not None else settings.timeout
    return AgentConfig.checked(
        model=model_id(agent.model if agent._names_model else settings.model or agent.model),
        max_tokens=agent.max_tokens or settings.max_tokens,
        idle_timeout=timeout,
        request_timeout=max(timeout, LEAST_REQUEST_TIMEOUT),
        env=dict(env),
    )


def _subagent(agent: MaverickAgent, name: str) -> MaverickAgent:
    """A registered agent that this one may call."""
    called = registry.create(name)
    if called.engine != "api" or called.mcp_servers:
        why = "it has MCP servers" if called.engine == "api" else f"it runs on the engine {called.engine}"
        raise ConfigError(
            f"The agent {agent.name!r} cannot call {name!r}: {why}.",
            hint="An agent that is called runs with engine: api, and with tools that are there already.",
        )
    return called


def _expanded(servers: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    """The servers with their variables replaced: nobody else does it here, and no command line shows them."""
    variables = {**os.environ, **env}
    return {
        name: expand_server(name, dict(server), variables, path=Path(".mcp.json"))
        if isinstance(server, Mapping) and server.get("type") != "sdk"
        else server
        for name, server in servers.items()
    }
