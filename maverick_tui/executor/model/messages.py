"""What is said to a model and what it answers, in terms that belong to no provider; `Agent` is the seam to a model."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from maverick_tui.exceptions import ConfigError
from maverick_tui.pictures import media_type_of
from maverick_tui.usage import Usage

if TYPE_CHECKING:
    from maverick_tui.executor.model.failures import RetryPolicy
    from maverick_tui.executor.tools import Tool


class Role(StrEnum):
    """Who is speaking."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL_RESULT = "tool_result"


class StopReason(StrEnum):
    """Why a model stopped."""

    COMPLETE = "complete"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to run. `invalid` is what it wrote, where that is not a JSON object."""

    id: str
    tool_name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    invalid: str = ""


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought, as it must be given back to the model that had it; `redacted` stands for one that is hidden."""

    text: str = ""
    signature: str = ""
    redacted: str = ""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture that a model is shown: PNG, JPEG, GIF or WebP, with its bytes as base64 in `data`."""

    media_type: str
    data: str = field(repr=False)

    @classmethod
    def of(cls, source: bytes | Path | str) -> Image:
        """The picture in a file, or in these bytes; the first ones say what it is."""
        name = "The picture" if isinstance(source, bytes) else f"The picture {str(source)!r}"
        try:
            data = source if isinstance(source, bytes) else Path(source).read_bytes()
        except OSError as error:
            raise ConfigError(f"{name} cannot be read: {error.strerror}.", path=str(source)) from error
        if not (found := media_type_of(data)):
            raise ConfigError(f"{name} is in no format that a model can see.", hint="Give a PNG, JPEG, GIF or WebP.")
        return cls(found, base64.b64encode(data).decode())


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. An assistant's carries its tool calls; a tool result, the id of its call."""

    role: Role
    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    is_error: bool = False
    thoughts: tuple[Thought, ...] = ()
    images: tuple[Image, ...] = ()
    """What a person shows."""

    @classmethod
    def user(cls, content: str, images: Sequence[Image] = ()) -> Message:
        """What a person says and shows."""
        return cls(Role.USER, content, images=tuple(images))

    @classmethod
    def result(cls, call_id: str, content: str, *, is_error: bool = False) -> Message:
        """What a tool answered."""
        return cls(Role.TOOL_RESULT, content, tool_call_id=call_id, is_error=is_error)


DeltaKind = Literal["start", "text", "thinking", "tool", "arguments", "end", "usage"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer as it arrives.

    `start` gives the answer's id and the model's name; `tool` begins a tool call, whose `arguments` follow as JSON;
    `end` closes the block with this `index`; `usage` is what is known of the tokens so far.
    """

    kind: DeltaKind
    text: str = ""
    index: int = 0
    id: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class RequestConfig:
    """What this request wants to be different from the model's defaults; None leaves a setting as it is."""

    max_tokens: int | None = None
    most_tokens: int | None = None
    """What a limit leaves for the answer: never more than this, whatever `max_tokens` or a default says."""
    temperature: float | None = None
    model: str | None = None
    thinking: int | None = None
    """Tokens that the model may spend thinking; 0 for none."""
    top_p: float | None = None
    stop_sequences: tuple[str, ...] | None = None
    tool_choice: str | None = None
    """`auto`, `any`, `none`, or the name of the tool that must be called."""
    timeout: float | None = None
    """Seconds for the whole call."""
    retry: RetryPolicy | None = None


def is_forced(tool_choice: str | None) -> bool:
    """Whether the model must call a tool."""
    return tool_choice not in (None, "auto", "none")


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that one call to a model needs: the whole conversation, every time."""

    messages: Sequence[Message]
    tools: Sequence[Tool] = ()
    config: RequestConfig = RequestConfig()
    system: str = ""
    listen: Callable[[Delta], None] | None = field(default=None, compare=False, repr=False)
    """Receives the answer piece by piece, from a model that can stream."""
    headers: Mapping[str, str] = field(default_factory=dict)
    parent: str = ""
    """The tool call of the subagent that is asking; empty for the agent itself."""
    own_id: Callable[[str], str] | None = field(default=None, compare=False, repr=False)
    """Gives each new call the id by which the whole execution knows it, subagents included: a model that streams asks
    for it before it announces the call. Without it, only the ids in `messages` are avoided.
    """


@dataclass(frozen=True, slots=True)
class Response:
    """One answer from a model."""

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    stop_reason: StopReason = StopReason.COMPLETE
    thoughts: tuple[Thought, ...] = ()
    model: str = ""
    id: str = ""

    @property
    def message(self) -> Message:
        """The answer as a message of the conversation."""
        return Message(Role.ASSISTANT, self.content, self.tool_calls, thoughts=self.thoughts)


def distinct_id(wanted: str, taken: Collection[str]) -> str:
    """The id of a call, made different from those that are taken: the API rejects a conversation that has one twice."""
    wanted = wanted or "call"
    if wanted not in taken:
        return wanted
    used, free = 1, 2  # those of an endpoint that has but one id are numbered one after the other, by the thousand
    while f"{wanted}_{free}" in taken:
        used, free = free, free * 2
    while free - used > 1:
        middle = (used + free) // 2
        used, free = (middle, free) if f"{wanted}_{middle}" in taken else (used, middle)
    return f"{wanted}_{free}"


@runtime_checkable
class Agent(Protocol):
    """A model that can be asked. It keeps nothing between calls; the conversation is the caller's.

    Raises `AgentError`, whose kind says what may be retried. Cancelling the task ends the call at once; a call that
    takes longer than its timeout raises our `TimeoutError`, which a cancellation never does.

    It may say more about itself: `model`, `provider_name`, `max_tokens` of an answer unless it is told otherwise,
    `tools_overhead`, the tokens that tools cost besides their own; and it may be a `CountsTokens` and a `TakesTime`.
    """

    async def run(self, request: Request) -> Response:
        """Ask once."""
        ...


@runtime_checkable
class TakesTime(Protocol):
    """A model that is slow the first time; that is waited for before the clock of an execution starts."""

    @property
    def is_ready(self) -> bool:
        """Whether it can be asked at once."""
        ...

    async def get_ready(self) -> None:
        """Do what takes a while; anything that goes wrong is reported when it is asked."""
        ...


@runtime_checkable
class CountsTokens(Protocol):
    """A model whose endpoint counts a request before it is sent, so that limits need not rely on an estimate."""

    async def count_tokens(self, request: Request) -> int | None:
        """How many tokens the model would read; None if that cannot be found out. Never raises."""
        ...
