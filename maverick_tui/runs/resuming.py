"""What an agent comes back with when its run goes on: its conversation, and never more than it had."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from maverick_tui.agent.engines import engine_named
from maverick_tui.agent.tools import parse_tool
from maverick_tui.runs.past import Past, conversation_of
from maverick_tui.runs.reach import Called, keep_within

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.events.kinds import AgentLoaded, Event


def recalled(past: Past, agent: MaverickAgent) -> object | None:
    """The memory of the conversation; None if this agent's engine cannot have it."""
    if past.loaded is None or past.loaded.engine != agent.engine or not past.turns:
        return None
    return engine_named(agent.engine).recall(past.conversation)


def handed_over(told: Sequence[Event], agent: MaverickAgent) -> object | None:
    """What was said in the conversation, as far as this agent's engine can be given that."""
    return engine_named(agent.engine).hand_over(conversation_of(told))


def narrow(agent: MaverickAgent, past: Past, called: Called) -> list[str]:
    """Take from an agent what it did not have when the run began: its file may have become another one since.

    What a person grants it this time stays. Returns what was taken, in words.
    """
    if (before := past.loaded) is None:
        return []
    agent.__dict__.pop("options", None)  # they are made of what is changed here
    _limit(agent, before, past.limited)
    taken: list[str] = []
    if before.tools is not None:
        had = {*before.tools, *past.granted}
        taken += (tool for tool in agent.allowed_tools if tool not in had and parse_tool(tool).name not in had)
        # A rule that has become the whole tool is still allowed as the rule that it was.
        rules = [tool for tool in before.tools if tool not in agent.allowed_tools and parse_tool(tool).name in taken]
        agent.allowed_tools = [*(tool for tool in agent.allowed_tools if tool not in taken), *rules]
    if before.reaches is not None:
        taken += keep_within(agent, before.reaches, called)
    return taken


def _limit(agent: MaverickAgent, before: AgentLoaded, others: Collection[str]) -> None:
    """Hold it to the limits that it had, unless its own are narrower by now, or the person has set others."""
    own = dict(agent.limits)
    if before.max_turns is not None and "turns" not in others:
        agent.max_turns = min(own.pop("max_turns", None) or agent.max_turns or before.max_turns, before.max_turns)
    for name, most in (before.limits or {}).items():
        if name == "max_cost_usd" and "cost" in others:
            continue
        if name == "max_cost_usd":
            agent.max_budget_usd = min(own.pop(name, None) or agent.max_budget_usd or most, most)
        else:
            own[name] = most if own.get(name) is None else min(own[name], most)
    agent.limits = own
