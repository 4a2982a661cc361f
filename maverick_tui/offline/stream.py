"""An answer as events of the Messages API, in the right order, each with its time, up to where a fault strikes."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from maverick_tui.offline.player import AskedPrompt
from maverick_tui.offline.script import (
    PROMPT,
    REFERENCE,
    Answer,
    Pace,
    PaceStep,
    PauseStep,
    Place,
    StreamFault,
    TextStep,
    ThinkingStep,
    ToolStep,
    with_texts,
)

NOTHING = "(nothing)"
"""What the model says where a pattern finds nothing: the call may have been denied."""
_TOKEN = re.compile(r"\s*\S{1,6}|\s+")


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """One event: its bytes, the seconds to wait before it, and the block it is in the middle of, if it is."""

    data: bytes
    wait: float = 0.0
    inside: Place | None = None


@dataclass(slots=True)
class ScriptedReply:
    """An answer made ready for one request: what its blocks are, and what it says it used."""

    model: str
    blocks: list[dict[str, Any]]
    usage: dict[str, int]
    stop_reason: str
    answer: Answer
    pace: Pace
    message_id: str = field(default_factory=lambda: f"msg_{uuid.uuid4().hex[:24]}")

    def message(self) -> dict[str, Any]:
        """The whole message, for a client that does not want a stream."""
        content = [
            {**block, "signature": _signature(block["thinking"])} if block["type"] == "thinking" else block
            for block in self.blocks
        ]
        return {**self._head(), "content": content, "stop_reason": self.stop_reason, "usage": self.usage}

    def _head(self) -> dict[str, Any]:
        return {
            "id": self.message_id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**self.usage, "output_tokens": 1},
        }

    def events(self) -> Iterator[TimedEvent]:
        """The stream, from message_start to message_stop."""
        clock = _Clock(self.pace)
        yield TimedEvent(encode("message_start", message=self._head()), self.pace.first_token)
        yield TimedEvent(encode("ping"))
        blocks = iter(self.blocks)
        index = 0
        for step in self.answer.steps:
            if isinstance(step, PauseStep):
                clock.pause(step.pause)
            elif isinstance(step, PaceStep):
                pending = clock.pending()
                clock = _Clock(step.pace)
                clock.pause(pending + step.pace.first_token)
            else:
                yield from _block_events(index, next(blocks), clock)
                index += 1
        yield TimedEvent(
            encode(
                "message_delta",
                delta={"stop_reason": self.stop_reason, "stop_sequence": None},
                usage={"output_tokens": self.usage["output_tokens"]},
            ),
            clock.pending(),
        )
        yield TimedEvent(encode("message_stop"))


class _Clock:
    """Says how long to wait before each delta."""

    def __init__(self, pace: Pace) -> None:
        self._gap = pace.burst / pace.tokens_per_second if pace.tokens_per_second else 0.0
        self._burst = pace.burst
        self._sent = 0
        self._pause = 0.0

    def pause(self, seconds: float) -> None:
        self._pause += seconds

    def pending(self) -> float:
        waited, self._pause = self._pause, 0.0
        return waited

    def next(self) -> float:
        wait = self._gap if self._sent % self._burst == 0 else 0.0
        self._sent += 1
        return wait + self.pending()


def prepare(answer: Answer, asked: AskedPrompt, model: str, pace: Pace) -> ScriptedReply:
    """Fill in what refers to the prompt and earlier results, and estimate what the script does not say."""
    known = {PROMPT: asked.prompt, **asked.results}
    blocks = [_block(step, known) for step in answer.steps if not isinstance(step, PauseStep | PaceStep)]
    written = sum(len(json.dumps(block.get("input") or block.get("text") or block.get("thinking"))) for block in blocks)
    usage = answer.usage
    return ScriptedReply(
        model=model,
        blocks=blocks,
        usage={
            "input_tokens": estimate(asked.size) if usage.input is None else usage.input,
            "output_tokens": estimate(written) if usage.output is None else usage.output,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation_input_tokens": usage.cache_write,
        },
        stop_reason=answer.stop_reason
        or ("tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"),
        answer=answer,
        pace=answer.pace or pace,
    )


def estimate(characters: int) -> int:
    """The tokens of this much text, roughly."""
    return max(1, characters // 4)


def encode(name: str, **data: Any) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps({'type': name, **data}, separators=(',', ':'))}\n\n".encode()


def _block(step: TextStep | ThinkingStep | ToolStep, results: Mapping[str, str]) -> dict[str, Any]:
    if isinstance(step, TextStep):
        return {"type": "text", "text": _fill(step.text, results, missing=NOTHING)}
    if isinstance(step, ThinkingStep):
        return {"type": "thinking", "thinking": _fill(step.thinking, results)}
    return {
        "type": "tool_use",
        "id": f"toolu_{step.id or 'call'}_{uuid.uuid4().hex[:12]}",
        "name": step.tool,
        "input": _fill(step.input, results),
    }


def _fill(value: Any, results: Mapping[str, str], missing: str = "") -> Any:
    """Replace `${label}` by that tool's result, and `${label|pattern}` by what the pattern finds in it."""
    return with_texts(value, lambda text: REFERENCE.sub(lambda found: _look_up(found, results, missing), text))


def _look_up(found: re.Match[str], results: Mapping[str, str], missing: str) -> str:
    if (result := results.get(found["label"])) is None:
        return found[0]
    if not found["pattern"]:
        return result
    match = re.search(found["pattern"], result)
    if match is None:
        return missing
    return next((group for group in match.groups() if group is not None), match[0])


def _block_events(index: int, block: dict[str, Any], clock: _Clock) -> Iterator[TimedEvent]:
    start: dict[str, Any]
    match block["type"]:
        case "text":
            inside: Place = "text"
            start, pieces = {"type": "text", "text": ""}, _TOKEN.findall(block["text"])
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
        case "thinking":
            inside = "thinking"
            start, pieces = {"type": "thinking", "thinking": "", "signature": ""}, _TOKEN.findall(block["thinking"])
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
            deltas.append({"type": "signature_delta", "signature": _signature(block["thinking"])})
        case _:
            inside = "tool"
            start = {**block, "input": {}}
            text = json.dumps(block["input"])
            deltas = [{"type": "input_json_delta", "partial_json": text[i : i + 12]} for i in range(0, len(text), 12)]
    yield TimedEvent(encode("content_block_start", index=index, content_block=start), clock.pending())
    for number, delta in enumerate(deltas):
        is_middle = number == max(1, len(deltas) // 2)
        data = encode("content_block_delta", index=index, delta=delta)
        yield TimedEvent(data, clock.next(), inside if is_middle or len(deltas) == 1 else None)
    yield TimedEvent(encode("content_block_stop", index=index))


def _signature(thinking: str) -> str:
    """What looks like the signature of a thought; nobody checks it here."""
    return uuid.uuid5(uuid.NAMESPACE_OID, thinking).hex


class Struck:
    """Stands in the stream where the fault strikes; nothing comes after it."""


STRUCK = Struck()


def until_struck(events: Iterable[TimedEvent], fault: StreamFault | None) -> Iterator[TimedEvent | Struck]:
    """The events up to the fault, the last one cut where the fault counts bytes; every fault strikes, at the latest
    before the last event."""
    if fault is None:
        yield from events
        return
    place = fault.at or ("text" if fault.after_events is None and fault.after_bytes is None else None)
    sent = 0
    for number, event in enumerate(events):
        is_last = event.data.startswith(b"event: message_stop")
        is_end = place == "end" and event.data.startswith(b"event: message_delta")
        if is_last or is_end or place == "start" or number == fault.after_events or (place and event.inside == place):
            yield STRUCK
            return
        if fault.after_bytes is not None and sent + len(event.data) > fault.after_bytes:
            yield TimedEvent(event.data[: fault.after_bytes - sent], event.wait)
            yield STRUCK
            return
        sent += len(event.data)
        yield event
