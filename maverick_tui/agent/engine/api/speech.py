"""Speech: what the executor does, told in the SDK's messages. So everything that reads those reads both engines."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from pydantic_core import to_jsonable_python

from maverick_tui.agent.engine.guard import BEGAN
from maverick_tui.executor.activity import Activity, ErrorOccurred, ToolCallFinished
from maverick_tui.executor.calls import as_text
from maverick_tui.executor.model.messages import Agent, CountsTokens, Delta, Request, Response, Role, TakesTime, Usage
from maverick_tui.executor.model.pricing import price_of
from maverick_tui.executor.result import ExecutionMetrics, ExecutionResult, TerminateReason


class Speech(Agent):
    """Stands between the executor and its model, and tells `feed` what both of them do."""

    def __init__(
        self, agent: Agent, session_id: str, feed: Callable[[Message], None], model: str | None = None
    ) -> None:
        self.model = model or str(getattr(agent, "model", ""))
        self.provider_name = str(getattr(agent, "provider_name", ""))
        self.max_tokens: int | None = getattr(agent, "max_tokens", None)
        self.tools_overhead = int(getattr(agent, "tools_overhead", 0))
        self._agent = agent
        self._session_id = session_id
        self._feed = feed
        self.held = 0
        """Tokens that the conversation had after the last answer."""

    # -- the model --------------------------------------------------------------------------------------------------

    async def run(self, request: Request) -> Response:
        """Ask the model, and tell the answer: as it comes, each block once more as a whole when it ends."""
        listen = request.listen
        stream = _Stream(self._session_id, self._feed) if not request.parent else None

        def both(delta: Delta) -> None:
            if listen is not None:
                listen(delta)
            if stream is not None:
                stream.take(delta)

        if stream is not None:
            self._feed(SystemMessage("status", {"status": "requesting"}))
        response = await self._agent.run(replace(request, listen=both))
        if stream is not None:
            self.held = response.usage.total
        if stream is None or not stream.tell_blocks():  # a subagent, or a model that does not stream
            self._feed(self._whole(response, request.parent))
        return response

    @property
    def is_ready(self) -> bool:
        """Whether the model can be asked at once."""
        return not isinstance(self._agent, TakesTime) or self._agent.is_ready

    async def get_ready(self) -> None:
        """Have the model do what takes a while."""
        if isinstance(self._agent, TakesTime):
            await self._agent.get_ready()

    async def count_tokens(self, request: Request) -> int | None:
        """As the model's endpoint counts; None if it does not."""
        return await self._agent.count_tokens(request) if isinstance(self._agent, CountsTokens) else None

    def _whole(self, response: Response, parent: str) -> AssistantMessage:
        content: list[Any] = [ThinkingBlock(thought.text, thought.signature) for thought in response.thoughts]
        if response.content:
            content.append(TextBlock(response.content))
        content += [ToolUseBlock(call.id, call.tool_name, call.arguments) for call in response.tool_calls]
        return AssistantMessage(
            content,
            model=response.model or self.model,
            parent_tool_use_id=parent or None,
            usage=usage_json(response.usage),
            message_id=response.id or uuid.uuid4().hex,
            stop_reason=response.stop_reason.value,
            session_id=self._session_id,
        )

    # -- the executor -----------------------------------------------------------------------------------------------

    def take(self, event: Activity) -> None:
        """Tell of tools that have answered and of calls that are tried again; the rest the model's side tells."""
        if isinstance(event, ToolCallFinished):
            block = ToolResultBlock(event.tool_call_id, event.result, event.is_error)
            self._feed(UserMessage([block], parent_tool_use_id=event.parent or None))
        elif isinstance(event, ErrorOccurred) and event.retry_in is not None:
            data = {
                "attempt": event.attempt,
                "max_retries": event.limit,
                "retry_delay_ms": event.retry_in * 1000,
                "error_status": getattr(event.error, "status", None),
                "error": event.error.message,
            }
            self._feed(SystemMessage("api_retry", data))

    def began(self, call: str) -> None:
        """Tell that a call runs unasked."""
        self._feed(SystemMessage(BEGAN, {"tool_use_id": call}))

    def begin(self, mode: str) -> None:
        """Tell which model answers, as the CLI does at the beginning of a turn."""
        data = {"model": self.model, "session_id": self._session_id, "permissionMode": mode}
        self._feed(SystemMessage("init", data))

    def end(self, result: ExecutionResult[Any], totals: Totals) -> None:
        """Tell the end of a turn that was done, or was stopped on purpose."""
        is_handed_in = bool(result.messages) and result.messages[-1].role is Role.TOOL_RESULT
        text = as_text(result.output) if result.output is not None and is_handed_in else ""
        if text and text != result.raw_content:  # a tool has ended it, and what it returned is the answer
            self._feed(AssistantMessage([TextBlock(text)], model=self.model, session_id=self._session_id))
        is_stopped = result.terminate_reason is TerminateReason.CANCELLED
        metrics = result.metrics
        self._feed(
            ResultMessage(
                subtype="error_during_execution" if is_stopped else "success",
                duration_ms=round(metrics.duration_ms),
                duration_api_ms=round(totals.model_ms),
                is_error=is_stopped,
                num_turns=result.turn_count,
                session_id=self._session_id,
                total_cost_usd=totals.cost_usd,
                usage=usage_json(metrics.usage),
                result=result.raw_content,
                structured_output=to_jsonable_python(result.output) if result.output_valid else None,
                model_usage={self.model: totals.model_usage(self.model)},  # type: ignore[dict-item]
                terminal_reason="aborted" if is_stopped else "completed",
            )
        )


class Totals:
    """What a session has used since it began; the CLI reports running totals, and so do we."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.cost_usd: float | None = 0.0
        self.model_ms = 0.0

    def add(self, metrics: ExecutionMetrics) -> None:
        """Count a turn."""
        self.usage += metrics.usage
        known = self.cost_usd is not None and metrics.cost_usd is not None
        self.cost_usd = (self.cost_usd or 0.0) + (metrics.cost_usd or 0.0) if known else None
        self.model_ms += metrics.model_ms

    def model_usage(self, model: str) -> dict[str, Any]:
        """The same in the words of a result."""
        used = {
            "inputTokens": self.usage.input_tokens,
            "outputTokens": self.usage.output_tokens,
            "cacheReadInputTokens": self.usage.cache_read_tokens,
            "cacheCreationInputTokens": self.usage.cache_write_tokens,
            "costUSD": self.cost_usd or 0.0,
        }
        price = price_of(model)
        return used | ({"contextWindow": price.context_size} if price is not None and price.context_size else {})


class _Stream:
    """The events of one answer, as the API sends them and the SDK hands them on."""

    def __init__(self, session_id: str, feed: Callable[[Message], None]) -> None:
        self._session_id = session_id
        self._feed = feed
        self._blocks: dict[int, _Block] = {}
        self._message_id = self._model = ""

    def take(self, delta: Delta) -> None:
        if delta.kind == "start":
            self._blocks.clear()
            self._message_id, self._model = delta.id, delta.text
            usage = usage_json(delta.usage or Usage())
            self._event(type="message_start", message={"id": delta.id, "model": delta.text, "usage": usage})
        elif delta.kind == "usage":
            self._event(type="message_delta", delta={}, usage=usage_json(delta.usage or Usage()))
        elif delta.kind == "text":
            self._grow(delta, "text", {"type": "text_delta", "text": delta.text})
        elif delta.kind == "thinking":
            self._grow(delta, "thinking", {"type": "thinking_delta", "thinking": delta.text})
        elif delta.kind == "tool":
            self._blocks[delta.index] = _Block("tool_use", delta.id, delta.text)
            block = {"type": "tool_use", "id": delta.id, "name": delta.text, "input": {}}
            self._event(type="content_block_start", index=delta.index, content_block=block)
        elif delta.kind == "arguments":
            self._grow(delta, "tool_use", {"type": "input_json_delta", "partial_json": delta.text})
        elif delta.kind == "end":
            self._end(delta.index)

    def _grow(self, delta: Delta, kind: str, event: dict[str, Any]) -> None:
        if delta.index not in self._blocks:
            self._blocks[delta.index] = _Block(kind)
            self._event(type="content_block_start", index=delta.index, content_block={"type": kind, kind: ""})
        self._blocks[delta.index].parts.append(delta.text)
        self._event(type="content_block_delta", index=delta.index, delta=event)

    def _end(self, index: int) -> None:
        block = self._blocks.get(index)
        if block is not None and block.kind == "thinking":
            self._tell(block)
        self._event(type="content_block_stop", index=index)

    def tell_blocks(self) -> bool:
        """Tell text and calls once more as a whole, now that no retry can undo them; whether there was any block.

        A thought is told when it ends, for its time is shown.
        """
        for _, block in sorted(self._blocks.items()):
            if block.kind != "thinking":
                self._tell(block)
        return bool(self._blocks)

    def _tell(self, block: _Block) -> None:
        if (whole := block.whole()) is not None:
            message = AssistantMessage(
                [whole], model=self._model, message_id=self._message_id, session_id=self._session_id
            )
            self._feed(message)

    def _event(self, **event: Any) -> None:
        self._feed(StreamEvent("", self._session_id, event))


@dataclass(slots=True)
class _Block:
    kind: str
    id: str = ""
    name: str = ""
    parts: list[str] = field(default_factory=list)

    def whole(self) -> TextBlock | ThinkingBlock | ToolUseBlock | None:
        text = "".join(self.parts)
        if self.kind == "tool_use":
            return ToolUseBlock(self.id, self.name, arguments_of(text))
        if not text:
            return None
        return TextBlock(text) if self.kind == "text" else ThinkingBlock(text, "")


def arguments_of(text: str) -> dict[str, Any]:
    """The arguments of a call as far as they can be read; that they cannot is told as its result."""
    try:
        found = json.loads(text) if text.strip() else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def usage_json(usage: Usage) -> dict[str, int]:
    """Tokens in the words of the API."""
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
    }
