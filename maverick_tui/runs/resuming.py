"""What an agent comes back with when its run goes on: its conversation, and never more than it had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from maverick_tui.agent.engines import engine_named
from maverick_tui.runs.past import Past

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent


def recalled(past: Past, agent: MaverickAgent) -> object | None:
    """The memory of the conversation; None if this agent's engine cannot have it."""
    if past.loaded is None or past.loaded.engine != agent.engine or not past.turns:
        return None
    return engine_named(agent.engine).recall(past.conversation)
