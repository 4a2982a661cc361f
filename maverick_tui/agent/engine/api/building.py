"""Opens a session of the API engine: makes of an agent the definition, the model and the tools that it needs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.asking_run import widest_mode
from maverick_tui.agent.calling import all_called
from maverick_tui.agent.catalog.mcp_servers import expand_server
from maverick_tui.agent.engine.api.checking import called_definition, definition_of, own_tools
from maverick_tui.agent.engine.api.session import ApiSession
from maverick_tui.agent.engine.environment import environment_of
from maverick_tui.agent.engine.judging import rules_for, standing_for
from maverick_tui.agent.permissions.own_commands import own_commands
from maverick_tui.agent.permissions.started import commands_of
from maverick_tui.agent.tools import parse_tool
from maverick_tui.exceptions import ConfigError
from maverick_tui.executor.files.tools import file_tools
from maverick_tui.executor.mcp.servers import ToolServers
from maverick_tui.executor.model import model_id
from maverick_tui.executor.model.claude import create_agent
from maverick_tui.executor.model.config import AgentConfig
from maverick_tui.executor.tools import ToolRegistry
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.engines import Listener
    from maverick_tui.config import MaverickConfig

LEAST_REQUEST_TIMEOUT = 600.0


async def open_session(
    agent: MaverickAgent,
    settings: MaverickConfig,
    cwd: Path,
    listener: Listener,
) -> ApiSession:
    """A session of this agent in this folder, ready to be asked."""
    env = environment_of(agent, settings)
    names = {parse_tool(entry).name for entry in agent.allowed_tools}
    called = await in_thread(all_called, agent, cwd)
    tools = ToolRegistry(file_tools(cwd))
    for one in (agent, *called.values()):
        for tool in own_tools(one):
            if tool.name not in tools:
                tools.register(tool)
            elif getattr(tools.get(tool.name), "__wrapped__", None) is not getattr(tool, "__wrapped__", tool):
                raise ConfigError(
                    f"The tool {tool.name!r} of {one.name!r} is another one than that of the agent it works with.",
                    hint="Give one of them another name.",
                )
    agents = {name: called_definition(one) for name, one in called.items()}
    session = ApiSession(
        definition_of(agent, settings),
        create_agent(model_config(agent, settings, env)),
        tools,
        agents=agents,
        servers=ToolServers(_expanded(agent.mcp_servers, env), wanted=names, cwd=cwd),
        mode=agent._mode_by(settings),
        cwd=cwd,
        listener=listener,
        started=commands_of(agent.hooks, agent.mcp_servers),
        own_commands=lambda: own_commands(settings),
        environment=settings.env,
        standing=standing_for(agent.name, cwd),
        standing_of={agents[name].name: rules_for(one.name, cwd) for name, one in called.items()},
        mode_of={agents[name].name: one.permission_mode or "" for name, one in called.items()},
        widest_mode=widest_mode(person=listener.ask is not None),
    )
    try:
        await session.open()
    except BaseException:
        await session.close()
        raise
    return session


def model_config(agent: MaverickAgent, settings: MaverickConfig, env: Mapping[str, str]) -> AgentConfig:
    """Which model is asked, and how."""
    timeout = agent._timeout_by(settings)
    return AgentConfig.checked(
        model=model_id(agent._model_by(settings)),
        max_tokens=agent.max_tokens or settings.max_tokens,
        idle_timeout=timeout,
        request_timeout=max(timeout, LEAST_REQUEST_TIMEOUT),
        env=dict(env),
    )


def _expanded(servers: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    """The servers with their variables replaced: nobody else does it here, and no command line shows them."""
    variables = {**os.environ, **env}
    return {
        name: expand_server(name, dict(server), variables, path=Path(".mcp.json"))
        if isinstance(server, Mapping) and server.get("type") != "sdk"
        else server
        for name, server in servers.items()
    }
