"""Which agents an agent may call."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.agent.registry import registry
from maverick_tui.exceptions import ConfigError
from maverick_tui.worktrees.records import origin_of

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent


def all_called(agent: MaverickAgent, cwd: Path) -> dict[str, MaverickAgent]:
    """The agents that this one may call, and those that they may call, by name."""
    cwd = origin_of(cwd)  # those that were trusted are the project's, and no copies of them
    found: dict[str, MaverickAgent] = {}
    waiting = [(agent.name, name) for name in agent.subagents]
    while waiting:
        caller, name = waiting.pop()
        if name not in found:
            found[name] = _called(caller, name, cwd)
            waiting += [(name, below) for below in found[name].subagents]
    return found


def _called(caller: str, name: str, cwd: Path) -> MaverickAgent:
    """An agent that is registered, or else found as `maverick agents list` finds it; only a trusted one is loaded."""
    cls = registry.get(name) if name in registry else load_agent(name, cwd)
    called = cls()
    if called.engine != "api" or called.mcp_servers:
        why = "it has MCP servers" if called.engine == "api" else f"it runs on the engine {called.engine}"
        raise ConfigError(
            f"The agent {caller!r} cannot call {name!r}: {why}.",
            hint="An agent that is called runs with engine: api, and with tools that are there already.",
        )
    return called
