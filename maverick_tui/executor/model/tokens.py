"""How many tokens a request gives the model to read, and how many its answer may take, known before it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from maverick_tui.exceptions import AgentError
from maverick_tui.executor.limits import ended_by
from maverick_tui.executor.model.messages import Message, Request
from maverick_tui.executor.tools import Tool

_SMOOTH = b"abcdefghijklmnopqrstuvwxyz "
"""Characters that tokenisers join: at least two to a token in random text, and four in English."""
_FRAME = 8
"""Tokens around a message, a call or a tool."""
_IMAGE = 5_000
"""The most that a picture takes: a larger one is scaled down."""

LEAST_THINKING = 1_024
"""The least that the API accepts."""
_ANSWER = 4_096
"""Tokens for the answer itself, besides the thoughts, where nobody says how many."""
_LEAST_ANSWER = 1_024
"""What is kept for the answer when a limit shortens the thoughts."""


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens of something that has not been read yet.

    `likely` is a high estimate for text, code and data; `most` is an upper bound for anything, since no tokeniser makes
    more than one token of a byte.
    """

    likely: int = 0
    most: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(self.likely + other.likely, self.most + other.most)


def size_of(request: Request) -> Size:
    """Everything that the request gives the model to read."""
    return _text(request.system) + _tools(request.tools) + size_of_messages(request.messages)


def size_of_messages(messages: Sequence[Message]) -> Size:
    """Everything in these messages."""
    return _sum(_message(message) for message in messages)


def _message(message: Message) -> Size:
    thoughts = (_text(thought.text or thought.redacted) for thought in message.thoughts)
    calls = (_framed(call.tool_name, _json(call.arguments), call.invalid) for call in message.tool_calls)
    images = len(message.images) * _IMAGE
    return _framed(message.content, message.tool_call_id) + _sum(thoughts) + _sum(calls) + Size(images, images)


def _tools(tools: Iterable[Tool]) -> Size:
    return _sum(_framed(tool.name, tool.description, _json(dict(tool.parameters))) for tool in tools)


def _framed(*texts: str) -> Size:
    return _sum(map(_text, texts)) + Size(_FRAME, _FRAME)


def _text(text: str) -> Size:
    data = text.encode(errors="replace")
    rough = len(data.translate(None, _SMOOTH))
    return Size(rough + (len(data) - rough + 1) // 2, len(data))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _sum(sizes: Iterable[Size]) -> Size:
    return sum(sizes, Size())


def longest_answer(thinking: int, wanted: int | None, default: int | None) -> int | None:
    """The most that an answer may take: what is wanted, or the default, with room for the thoughts."""
    if wanted is not None or default is None or not thinking:
        return default if wanted is None else wanted
    return max(default, thinking + _ANSWER)


def shared_out(thinking: int, wanted: int | None, default: int, most: int | None) -> tuple[int, int]:
    """Tokens for the whole answer, and how many of them are for thoughts; `most` is what the limits leave.

    What does not fit is refused: nobody would notice missing thoughts but the person who wants them.
    """
    whole = longest_answer(thinking, wanted, default) or default
    if thinking >= whole:
        raise AgentError(
            f"The model may think for {thinking:,} tokens, but max_tokens, which includes them, is {whole:,}.",
            kind="invalid",
            hint=f"Raise max_tokens above {thinking:,}, or let it think less.",
        )
    limited = whole if most is None else min(whole, most)
    if limited < 1:
        raise ended_by("no tokens are left for an answer", limit="max_tokens", needed=1)
    if not thinking or limited == whole:
        return limited, thinking
    less = min(thinking, limited - min(_LEAST_ANSWER, whole - thinking))
    if less < LEAST_THINKING:
        raise ended_by(
            f"{limited:,} tokens are left for the answer, and thinking takes at least {LEAST_THINKING:,} of them",
            limit="thinking",
            needed=LEAST_THINKING,
            left=max(0, less),
            hint="Raise the limits on tokens and dollars, or set thinking to 0.",
        )
    return limited, less
