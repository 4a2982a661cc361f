"""What goes into the assistant and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from maverick_tui.exceptions import TimeoutError


@dataclass(frozen=True, slots=True)
class MessageHistory:
    """One message of the conversation; `tool_calls` are those of an assistant's."""

    role: str
    content: str
    timestamp: datetime
    tool_calls: list[dict[str, Any]] | None = None


@dataclass(frozen=True, slots=True)
class AgentContext:
    """Who asks, in which conversation, and what was said in it before, oldest first."""

    user_id: str
    conversation_id: str
    message_history: tuple[MessageHistory, ...] = ()

    def __post_init__(self) -> None:
        """Keep the history from being changed through the list that was passed; a user is needed."""
        object.__setattr__(self, "message_history", tuple(self.message_history))
        if not self.user_id:
            raise ValueError("AgentContext needs a user_id: without one, nobody's tasks could be told apart.")

    @classmethod
    def from_request(cls, user_id: str, conversation_id: str, messages: Sequence[Mapping[str, Any]]) -> AgentContext:
        """A context from plain messages; one without a time is from now."""
        for message in messages:
            for name in ("role", "content"):
                if not isinstance(message.get(name), str):
                    given = type(message.get(name)).__name__
                    raise ValueError(f"A message of the history needs a {name} that is text, not {given}.")
        return cls(
            user_id,
            conversation_id,
            tuple(
                MessageHistory(
                    message["role"],
                    message["content"],
                    message.get("timestamp") or datetime.now(UTC),
                    message.get("tool_calls"),
                )
                for message in messages
            ),
        )


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """A tool call that was made. Whose it was is not in it: `parameters` have no user."""

    tool_name: str
    parameters: dict[str, Any]
    result: dict[str, Any]
    duration_ms: int


@dataclass(frozen=True, slots=True)
class AgentResult:
    """The answer, in words for the user; a failure has the same words as its error."""

    success: bool
    response: str
    tool_calls: list[ToolCallRecord] = field(default_factory=list)
    error: str | None = None

    @property
    def has_tool_calls(self) -> bool:
        """Whether a tool was called."""
        return len(self.tool_calls) > 0


class AnswerTimeout(TimeoutError):
    """A message was not answered in time; `answer` is what can be said about it, with the calls made until then."""

    hint_by_default = "Please try again."

    def __init__(self, message: str, answer: AgentResult) -> None:
        super().__init__(message)
        self.answer = answer

    @property
    def tool_calls(self) -> list[ToolCallRecord]:
        """The calls that were made until then."""
        return self.answer.tool_calls
