"""Events of an execution, told in order while it runs; whatever starts also ends.

Every turn_start has its turn_end, every tool_call_start its tool_call_end, even when the execution fails or is
cancelled. `parent` is the tool call of the subagent that an event comes from; it is empty for the agent itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from maverick_tui.exceptions import AgentError
from maverick_tui.executor.model.messages import StopReason, ToolCall
from maverick_tui.usage import Usage


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The model is about to be asked."""

    type: ClassVar[str] = "turn_start"
    turn_number: int
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Another piece of the model's thinking."""

    type: ClassVar[str] = "thinking"
    content: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ContentChunk:
    """Another piece of the answer."""

    type: ClassVar[str] = "content_chunk"
    content: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class PartialOutput:
    """What can be read so far of a structured output that is still arriving: plain JSON, not yet checked.

    Sent now and then while the output grows, if `OutputConfig.partial` asks for it.
    """

    type: ClassVar[str] = "partial_output"
    output: Any
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool is about to be run."""

    type: ClassVar[str] = "tool_call_start"
    tool_call: ToolCall
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ToolCallFinished:
    """A tool has answered, failed, or been cut off; `result` is what the model is told."""

    type: ClassVar[str] = "tool_call_end"
    tool_call_id: str
    result: str
    is_error: bool = False
    duration_ms: float = 0.0
    parent: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over; `usage` is what it cost, including failed attempts but not subagents."""

    type: ClassVar[str] = "turn_end"
    turn_number: int
    usage: Usage = field(default_factory=Usage)
    stop_reason: StopReason | None = None
    """None if the model did not finish its answer."""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ErrorOccurred:
    """A call to the model failed. `retry_in` is the number of seconds until it is tried again; None if it is not.

    The pieces of the failed answer, and outputs read from them, are void if it is tried again or if the error is a
    `RefusalError`.
    """

    type: ClassVar[str] = "error"
    error: AgentError
    retry_in: float | None = None
    attempt: int = 0
    """Which retry comes next, counting from 1."""
    limit: int = 0
    parent: str = ""


Activity: TypeAlias = (
    TurnStarted
    | Thinking
    | ContentChunk
    | PartialOutput
    | ToolCallStarted
    | ToolCallFinished
    | TurnEnded
    | ErrorOccurred
)
