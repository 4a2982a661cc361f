"""What an agent may use, or has started, beside its tools: as words that can be kept and compared.

Servers and hooks are known by a digest of what they start, since their files may change below the same name. What they
are given in confidence is no part of it: a new key is the same server.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import MaverickError

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent

Called = Mapping[str, tuple[str, ...]]
"""Agents that an agent may call, and what each of them may use."""
_CONFIDENTIAL = ("env", "headers")
_ALL = "skill *"


def called_by(agent: MaverickAgent, cwd: Path) -> Called:
    """The agents that it may call, also by one another; in a thread, since files are read."""
    if not agent.subagents:
        return {}
    from maverick_tui.agent.calling import all_called

    try:
        return {name: _tools(one) for name, one in all_called(agent, cwd).items()}
    except MaverickError:  # what is wrong with one of them is told when a session is opened
        return dict.fromkeys(agent.subagents, ())


def reaches_of(agent: MaverickAgent, called: Called) -> tuple[str, ...]:
    """All of it."""
    found = [f"server {name} {_digest(_open_part(server))}" for name, server in agent.mcp_servers.items()]
    found += (f"hook {event} {_digest(hook)}" for event, hooks in (agent.hooks or {}).items() for hook in hooks)
    found += [_ALL] if agent.skills is None else (f"skill {name}" for name in agent.skills)
    found += (f"tool {_name(tool)}" for tool in agent.own_tools)
    for name, tools in called.items():
        found += (f"subagent {name}", *(f"subagent {name} {tool}" for tool in tools))
    return tuple(found)


def keep_within(agent: MaverickAgent, had: Collection[str], called: Called) -> list[str]:
    """Take from an agent what is not among this; says in words what was taken."""
    taken = []
    servers = dict(agent.mcp_servers)
    for name, server in agent.mcp_servers.items():
        if f"server {name} {_digest(_open_part(server))}" not in had:
            del servers[name]
            taken.append(f"the server {name}")
    agent.mcp_servers = servers
    hooks: dict[str, list[Any]] = {}
    for event, entries in (agent.hooks or {}).items():
        now = {f"hook {event} {_digest(entry)}": entry for entry in entries}
        # Where one was changed, all stay: without it, nobody might keep the agent from what it was kept from before.
        is_changed = any(item.startswith(f"hook {event} ") and item not in now for item in had)
        kept = [entry for item, entry in now.items() if is_changed or item in had]
        taken += [f"a hook for {event}"] * (len(kept) < len(entries))
        if kept:
            hooks[event] = kept
    if agent.hooks:
        agent.hooks = hooks or None
    if _ALL not in had:
        allowed = [item.partition(" ")[2] for item in had if item.startswith("skill ")]
        taken += [f"the skill {name}" for name in agent.skills or () if name not in allowed]
        agent.skills = allowed if agent.skills is None else [name for name in agent.skills if name in allowed]
    taken += [f"the tool {_name(tool)}" for tool in agent.own_tools if f"tool {_name(tool)}" not in had]
    agent.own_tools = [tool for tool in agent.own_tools if f"tool {_name(tool)}" in had]
    grown = [
        name
        for name, tools in called.items()
        if f"subagent {name}" not in had or any(f"subagent {name} {tool}" not in had for tool in tools)
    ]
    if grown:  # one that is called may call others, so it is all or none
        lost = [name for name in agent.subagents if name in grown] or list(agent.subagents)
        taken += [f"the agent {name}" for name in lost]
        agent.subagents = [name for name in agent.subagents if name not in lost]
    return taken


def lost_hooks(agent: MaverickAgent, had: Collection[str]) -> list[str]:
    """What hooks it had for, of those that it has no longer: they may have kept it from something."""
    now = set(reaches_of(agent, {}))
    return [item.split()[1] for item in had if item.startswith("hook ") and item not in now]


def _tools(agent: MaverickAgent) -> tuple[str, ...]:
    return (*agent.allowed_tools, *map(_name, agent.own_tools))


def _name(tool: Any) -> str:
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", type(tool).__name__))


def _open_part(server: Any) -> Any:
    """What a server is, without what it is told in confidence, of which only the names count."""
    if not isinstance(server, Mapping) or server.get("type") == "sdk":
        return type(server).__name__
    return {
        name: sorted(value) if name in _CONFIDENTIAL and isinstance(value, Mapping) else value
        for name, value in server.items()
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:12]
