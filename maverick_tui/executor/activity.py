"""What an execution tells while it runs. The order is kept, and what begins also ends.

Every turn_start has its turn_end, every tool_call_start its tool_call_end, also when the execution fails or is
cancelled. `parent` is the tool call of the subagent that it comes from, and empty for the agent itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from maverick_tui.exceptions import AgentError
from maverick_tui.executor.messages import StopReason, ToolCall, Usage


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The model is about to be asked."""

    type: ClassVar[str] = "turn_start"
    turn_number: int
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Thinking:
    """More of a thought."""

    type: ClassVar[str] = "thinking"
    content: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ContentChunk:
    """More of the answer."""

    type: ClassVar[str] = "content_chunk"
    content: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class PartialOutput:
    """What can be read of a structured output that is still coming: plain JSON, which nothing was checked of yet.

    Comes where `OutputConfig.partial` asks for it, from time to time while the output grows.
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
    """A tool has answered, failed, or was cut off; `result` is what the model is told of it."""

    type: ClassVar[str] = "tool_call_end"
    tool_call_id: str
    result: str
    is_error: bool = False
    duration_ms: float = 0.0
    parent: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over; `usage` is what it has cost, failed attempts included, subagents not."""

    type: ClassVar[str] = "turn_end"
    turn_number: int
    usage: Usage = field(default_factory=Usage)
    stop_reason: StopReason | None = None
    """None if the turn was not answered to its end."""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ErrorOccurred:
    """A call of the model failed. With `retry_in` it is tried again after so many seconds; without, that was all.

    Chunks of the answer that failed, and outputs read from them, are void if it is tried again, or if the error is a
    `RefusalError`.
    """

    type: ClassVar[str] = "error"
    error: AgentError
    retry_in: float | None = None
    attempt: int = 0
    """The how manieth attempt comes next."""
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
