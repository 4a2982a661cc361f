"""What an agent comes back with when its run goes on: its conversation, and never more than it had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maverick_tui.agent.engines import engine_named
from maverick_tui.agent.tools import parse_tool
from maverick_tui.runs.past import Past

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent

_NARROWEST_FIRST = ("plan", "dontAsk", "default", "acceptEdits")


def recalled(past: Past, agent: MaverickAgent) -> object | None:
    """The memory of the conversation; None if this agent's engine cannot have it."""
    if past.loaded is None or past.loaded.engine != agent.engine or not past.turns:
        return None
    return engine_named(agent.engine).recall(past.conversation)


def narrow(agent: MaverickAgent, past: Past) -> list[str]:
    """Take from an agent what it did not have when the run began: its file may have become another one since.

    Returns the tools that were taken.
    """
    before = past.loaded
    if before is None:
        return []
    if before.max_turns is not None:
        agent.max_turns = min(agent.max_turns or before.max_turns, before.max_turns)
    if before.tools is None:
        return []
    had = set(before.tools)
    taken = [tool for tool in agent.allowed_tools if tool not in had and parse_tool(tool).name not in had]
    agent.allowed_tools = [tool for tool in agent.allowed_tools if tool not in taken]
    return taken


def narrower(mode: str, other: str) -> str:
    """The permission mode of these in which less happens unasked."""
    known = [one for one in _NARROWEST_FIRST if one in (mode, other)]
    return known[0] if known else other
