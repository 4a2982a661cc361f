"""How much a request gives the model to read, known before it is sent; tokenisers differ, so it errs upward."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from maverick_tui.executor.model.messages import Message, Request
from maverick_tui.executor.tools import Tool

_SMOOTH = b"abcdefghijklmnopqrstuvwxyz "
"""What tokenisers join: two of these to a token at least, in random text; in English it is four."""
_FRAME = 8
"""Tokens around a message, a call or a tool."""

_IMAGE = 5_000
"""The most that a picture takes, for it is made smaller if it is too large."""


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens of something that has not been read yet.

    `likely` is above what it is for text, code and data; `most` is above all that it can be, for no tokeniser makes
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
    """A part of a conversation."""
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
