"""Our messages as the Messages API wants them, and its stream of events as our answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from maverick_tui.exceptions import MalformedResponseError
from maverick_tui.executor.model.messages import (
    Delta,
    Image,
    Message,
    Response,
    Role,
    StopReason,
    Thought,
    ToolCall,
    distinct_id,
)
from maverick_tui.executor.strict_json import read_strictly, sendable, sendable_value
from maverick_tui.executor.tools import Tool
from maverick_tui.usage import MOST_TOKENS, Usage

_CACHED = {"type": "ephemeral"}
_STOPS = {
    "": StopReason.COMPLETE,
    "end_turn": StopReason.COMPLETE,
    "stop_sequence": StopReason.COMPLETE,
    "tool_use": StopReason.TOOL_USE,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
}
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
"""In the order of `Usage.tokens`."""
_MOST_SAID = 8_000_000
"""Characters of an answer: no model says as much, and a run whose events are larger could not be read."""
_MOST_BLOCKS = 10_000
_EMPTY = "(empty)"
"""The API rejects text that is empty."""


def system_blocks(text: str, *, cache: bool) -> list[dict[str, Any]]:
    """The system prompt; its end is where the first cached part ends."""
    if not text.strip():
        return []
    block: dict[str, Any] = {"type": "text", "text": sendable(text)}
    if cache:
        block["cache_control"] = _CACHED
    return [block]


def tool_blocks(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """The tools, in the order they are given: in another order they would not be found in the cache."""
    return [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)} for tool in tools
    ]


def tool_choice_block(choice: str) -> dict[str, Any]:
    """Whether a tool must be called, or which."""
    return {"type": choice} if choice in ("auto", "any", "none") else {"type": "tool", "name": choice}


def message_blocks(messages: Sequence[Message], *, cache: bool) -> list[dict[str, Any]]:
    """The conversation: roles alternate, and the results of a turn are one message, before what a person says."""
    out: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role is Role.ASSISTANT else "user"
        blocks = _blocks(message)
        if not blocks:
            continue
        if out and out[-1]["role"] == role:
            out[-1]["content"].extend(blocks)
        else:
            out.append({"role": role, "content": blocks})
    if cache:
        # The end of what is asked, and the end of what was asked before: that is where the last request left off, and
        # the provider looks for it only a few blocks back.
        for asked in [one for one in out if one["role"] == "user"][-2:]:
            asked["content"][-1]["cache_control"] = _CACHED
    return out


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role is Role.TOOL_RESULT:
        block: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": message.tool_call_id,
            "content": sendable(message.content) if message.content.strip() else _EMPTY,
        }
        if message.is_error:
            block["is_error"] = True
        return [block]
    blocks = [_thought(thought) for thought in message.thoughts]
    blocks += map(image_block, message.images)
    text = message.content.rstrip() if message.role is Role.ASSISTANT else message.content
    if text.strip():
        blocks.append({"type": "text", "text": sendable(text)})
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.tool_name, "input": call.arguments}
        for call in message.tool_calls
    ]
    if blocks and all(block["type"] in ("thinking", "redacted_thinking") for block in blocks):
        return []  # a thought without an answer is rejected
    return blocks


def image_block(image: Image) -> dict[str, Any]:
    """A picture, as the API takes it."""
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": image.data}}


def _thought(thought: Thought) -> dict[str, Any]:
    if thought.redacted:
        return {"type": "redacted_thinking", "data": thought.redacted}
    return {"type": "thinking", "thinking": thought.text, "signature": thought.signature}


class AnswerReader:
    """Reads the events of one answer; `response` is the answer once `is_whole`."""

    def __init__(
        self,
        listen: Callable[[Delta], None] | None,
        call_ids: Collection[str] = (),
        own_id: Callable[[str], str] | None = None,
    ) -> None:
        """`call_ids` are those of the conversation so far, which new calls must avoid; `own_id` knows of more."""
        self._call_ids = set(call_ids)
        self._own_id = own_id or self._distinct
        self._listen = listen or (lambda _delta: None)
        self._blocks: dict[int, dict[str, Any]] = {}
        self._parts: dict[int, list[str]] = {}
        self._stop, self._said = "", 0
        self._usage: dict[str, int] = {}
        self._id = self._model = ""
        self.is_whole = False

    def feed(self, event: Any) -> None:
        """Read the next event, whatever it is; one that makes no sense is a `MalformedResponseError`."""
        try:
            self._feed(event)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise MalformedResponseError(
                f"The endpoint's answer cannot be read ({type(error).__name__}: {error}).",
                raw_response=json.dumps(event, default=str)[:10_000],
            ) from error

    def _feed(self, event: Mapping[str, Any]) -> None:
        kind = event["type"]
        if kind == "content_block_delta":
            self._delta(event["index"], event["delta"])
        elif kind == "message_start":
            message = event["message"]
            self._id, self._model = str(message.get("id") or ""), str(message.get("model") or "")
            self._count(message.get("usage") or {})
            self._listen(Delta("start", self._model, id=self._id, usage=self.usage))
        elif kind == "content_block_start":
            self._start(event["index"], dict(event["content_block"]))
        elif kind == "content_block_stop":
            self._listen(Delta("end", index=event["index"]))
        elif kind == "message_delta":
            self._stop = str(event["delta"].get("stop_reason") or "")
            self._count(event.get("usage") or {})
            self._listen(Delta("usage", usage=self.usage))
        elif kind == "message_stop":
            self.is_whole = True

    def _start(self, index: int, block: dict[str, Any]) -> None:
        if type(index) is not int:
            raise TypeError("an index is not a number")
        if index in self._blocks:
            raise ValueError("two of its blocks have one index")
        if len(self._blocks) == _MOST_BLOCKS:
            raise ValueError("it has blocks without end")
        self._blocks[index], self._parts[index] = block, []
        if block["type"] == "tool_use":
            if not (isinstance(block["id"], str) and isinstance(block["name"], str)):
                raise TypeError("the id or the name of a call is not text")
            block["id"] = self._own_id(block["id"])
            self._listen(Delta("tool", block["name"], index, block["id"]))
        elif block["type"] in ("text", "thinking") and (text := block.get(block["type"])):
            self._delta(index, {"type": f"{block['type']}_delta", block["type"]: text})

    def _distinct(self, wanted: str) -> str:
        own = distinct_id(wanted, self._call_ids)
        self._call_ids.add(own)
        return own

    def _delta(self, index: int, delta: Mapping[str, Any]) -> None:
        kind = delta["type"]
        if kind == "text_delta":
            self._take("text", index, delta["text"])
        elif kind == "thinking_delta":
            self._take("thinking", index, delta["thinking"])
        elif kind == "input_json_delta":
            self._take("arguments", index, delta["partial_json"])
        elif kind == "signature_delta":
            self._blocks[index]["signature"] = delta["signature"]

    def _take(self, kind: Any, index: int, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"{kind} is not text")
        self._said += len(text)
        if self._said > _MOST_SAID:
            raise ValueError("it has no end")
        self._parts[index].append(text)
        self._listen(Delta(kind, text, index))

    def _count(self, usage: Mapping[str, Any]) -> None:
        for name in _COUNTS:
            if type(count := usage.get(name)) is int and count >= 0:
                if count > MOST_TOKENS:  # taken for nothing, it would go past every limit
                    raise ValueError(f"{name} is no number of tokens")
                self._usage[name] = count

    @property
    def usage(self) -> Usage:
        """What the answer has used, as far as it has been reported."""
        return Usage(*(self._usage.get(name, 0) for name in _COUNTS))

    @property
    def is_refused(self) -> bool:
        """Whether the model refuses to answer; what it had said until then must not be used."""
        return self._stop == "refusal"

    @property
    def strange_stop(self) -> str:
        """Why the model stopped, if the answer may be incomplete: a reason we do not know, or a pause, which only comes
        from tools that the endpoint runs itself, and we never ask for those.
        """
        return "" if self._stop in _STOPS or self.is_refused else self._stop

    @property
    def response(self) -> Response:
        """The answer."""
        texts, calls, thoughts = [], [], []
        for index, block in sorted(self._blocks.items()):
            text = "".join(self._parts[index])
            if block["type"] == "text" and text:
                texts.append(text)
            elif block["type"] == "thinking":
                thoughts.append(Thought(text, str(block.get("signature") or "")))
            elif block["type"] == "redacted_thinking":
                thoughts.append(Thought(redacted=str(block.get("data") or "")))
            elif block["type"] == "tool_use":
                calls.append(_call(block, text))
        stop = _STOPS.get(self._stop, StopReason.COMPLETE)
        if calls and stop is StopReason.COMPLETE:
            stop = StopReason.TOOL_USE
        return Response("\n".join(texts), tuple(calls), self.usage, stop, tuple(thoughts), self._model, self._id)


def _call(block: Mapping[str, Any], text: str) -> ToolCall:
    """A call; arguments that are not a JSON object are kept as they are, so that the model can be told."""
    given = block.get("input")
    try:
        arguments = read_strictly(text) if text.strip() else given or {}
        # Half characters would make the next request unsendable.
        arguments = sendable_value(arguments)
    except (ValueError, TypeError):
        return ToolCall(block["id"], block["name"], invalid=text)
    if not isinstance(arguments, dict):
        return ToolCall(block["id"], block["name"], invalid=text or "null")
    return ToolCall(block["id"], block["name"], arguments)
