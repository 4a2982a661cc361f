"""What an agent is: base class, context, result, tools, registry, and how agents are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claude_agent_sdk import Message as AgentMessage

__all__ = ["AgentMessage"]


def __getattr__(name: str) -> Any:
    """The SDK takes half a second to import: its Message type is looked up when it is asked for."""
    if name == "AgentMessage":
        from claude_agent_sdk import Message

        return Message
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
