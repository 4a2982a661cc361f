"""Session: what a conversation with an agent can do, whichever engine runs it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Protocol

from maverick_tui.exceptions import AgentError

if TYPE_CHECKING:
    from claude_agent_sdk import Message
    from claude_agent_sdk.types import ContextUsageResponse

    from maverick_tui.agent.result import AgentUsage
    from maverick_tui.config import PermissionMode


class Session(Protocol):
    """One conversation. Prompts are answered one after the other, each by its own messages."""

    last_usage: AgentUsage | None
    """What the last prompt used, also if it failed."""

    @property
    def is_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        ...

    async def ended(self) -> AgentError:
        """Wait until nothing can be asked any more; why that is."""
        ...

    def query(self, prompt: str, *, keep_messages: bool = True) -> AsyncGenerator[Message, None]:
        """Send a prompt and yield what comes for it; an interrupted turn just ends."""
        ...

    def compact(self, wishes: str = "") -> AsyncGenerator[Message, None]:
        """Let the conversation be summed up, so that it takes less room, and yield what comes of it.

        `wishes` say what the summary is to be like.
        """
        ...

    async def clear(self) -> bool:
        """Forget the conversation; False if only another session can."""
        ...

    async def interrupt(self) -> None:
        """Stop the running turn; what it said so far is kept."""
        ...

    async def set_model(self, model: str | None) -> None:
        """Use another model from now on; None for the default."""
        ...

    async def set_permission_mode(self, mode: PermissionMode) -> None:
        """Change what asks first."""
        ...

    async def context_usage(self) -> ContextUsageResponse:
        """How full the model's context is."""
        ...


def cannot_compact() -> AgentError:
    """Why a session refuses to `compact` that has nothing to sum its conversation up with."""
    return AgentError("This agent cannot compact its conversation.", kind="invalid", hint="/clear begins a new one.")
