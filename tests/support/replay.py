"""A transport that replays what a CLI would have written: no process, no network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, Transport

Frame = dict[str, Any]
SESSION = "5e55"


class ReplayTransport(Transport):
    """Answers the handshake, waits for the prompt, then yields the frames; an exception among them is raised."""

    def __init__(self, frames: Iterable[Frame | BaseException | float]) -> None:
        self.frames = frames
        self.written: list[Frame] = []
        self.is_closed = False
        self._control: asyncio.Queue[Frame] = asyncio.Queue()
        self.prompted = asyncio.Event()

    async def connect(self) -> None: ...

    async def write(self, data: str) -> None:
        for line in data.splitlines():
            frame = json.loads(line)
            self.written.append(frame)
            if frame["type"] == "control_request":
                answer = {"subtype": "success", "request_id": frame["request_id"], "response": {}}
                self._control.put_nowait({"type": "control_response", "response": answer})
            elif frame["type"] == "user":
                self.prompted.set()

    async def read_messages(self) -> AsyncIterator[Frame]:
        yield await self._control.get()
        await self.prompted.wait()
        for frame in self.frames:
            if isinstance(frame, BaseException):
                raise frame
            if isinstance(frame, float):
                await asyncio.sleep(frame)
            else:
                yield frame

    async def close(self) -> None:
        self.is_closed = True

    def is_ready(self) -> bool:
        return True

    async def end_input(self) -> None: ...


def replay(*frames: Frame | BaseException | float) -> Callable[[ClaudeAgentOptions], ReplayTransport]:
    """What to pass to an agent as `transport`."""
    return lambda _options: ReplayTransport(frames)


def init() -> Frame:
    return {"type": "system", "subtype": "init", "session_id": SESSION, "uuid": "i", "tools": [], "model": "m"}


def stream_event(event: Frame, parent: str | None = None) -> Frame:
    return {"type": "stream_event", "uuid": "e", "session_id": SESSION, "event": event, "parent_tool_use_id": parent}


def delta(text: str) -> Frame:
    return stream_event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})


def message_start(message_id: str = "m1", input_tokens: int = 10) -> Frame:
    usage = {"input_tokens": input_tokens, "output_tokens": 1}
    return stream_event({"type": "message_start", "message": {"id": message_id, "usage": usage}})


def message_delta(output_tokens: int) -> Frame:
    return stream_event({"type": "message_delta", "delta": {}, "usage": {"output_tokens": output_tokens}})


def assistant(*blocks: Frame | str, error: str | None = None, parent: str | None = None) -> Frame:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    frame: Frame = {
        "type": "assistant",
        "message": {"role": "assistant", "content": content, "model": "<synthetic>" if error else "m", "id": "m1"},
        "parent_tool_use_id": parent,
        "session_id": SESSION,
        "uuid": "a",
    }
    return {**frame, "error": error} if error else frame


def tool_use(tool_id: str, name: str = "Read", **arguments: Any) -> Frame:
    return {"type": "tool_use", "id": tool_id, "name": name, "input": arguments}


def tool_result(tool_id: str, content: str = "ok") -> Frame:
    block = {"type": "tool_result", "tool_use_id": tool_id, "content": content}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "session_id": SESSION, "uuid": "u"}


def result(**changes: Any) -> Frame:
    return {
        "type": "result",
        "subtype": "success",
        "duration_ms": 5,
        "duration_api_ms": 3,
        "is_error": False,
        "num_turns": 1,
        "session_id": SESSION,
        "total_cost_usd": 0.25,
        "usage": {"input_tokens": 12, "output_tokens": 7},
        "model_usage": None,
        "result": "done",
        **changes,
    }
