"""What came of one prompt: messages, text, usage, and whether it is waiting for a tool."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    StreamEvent,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from maverick_tui.agent.result import AgentUsage
from maverick_tui.agent.text import TextAssembler
from maverick_tui.agent.tools import SUBAGENT_TOOLS
from maverick_tui.usage import MOST_TOKENS, Usage

REPORTED = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
TOTALS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
"""Tokens in the words of the API, of the CLI, and of ours: in the order of `Usage.tokens`."""


def totals_of(result: ResultMessage) -> Usage:
    """What a CLI has used since its session began, subagents included; an old one tells the turn's own figures only."""
    if result.model_usage is None:
        usage = result.usage or {}
        return replace(_sum([usage], REPORTED), cost_usd=dollars(result.total_cost_usd))
    models: list[Any] = list(result.model_usage.values())
    return replace(_sum(models, TOTALS), cost_usd=dollars(result.total_cost_usd))


def reported(counts: Iterable[Mapping[str, Any]]) -> Usage:
    """What answers have reported themselves, all together."""
    return _sum(list(counts), REPORTED)


def at_least(usage: Usage, least: Usage) -> Usage:
    """The usage, with no fewer tokens than `least`: of a broken answer the CLI's totals say nothing, but it is paid."""
    return replace(usage, **{name: max(getattr(usage, name), getattr(least, name)) for name in _TOKENS})


def _sum(reports: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Usage:
    return Usage(*(sum(count_of(report, name) for report in reports) for name in names))


def count_of(usage: Mapping[str, Any], name: str) -> int:
    """A count among figures that may be anything. One beyond all measure is the most there can be: as nothing it would
    go past every limit.
    """
    value = usage.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        return 0
    return int(min(value, MOST_TOKENS))


def dollars(value: Any) -> float | None:
    """A price out of what may be anything; None if it cannot be one."""
    is_price = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if is_price else None


def is_background(result: ResultMessage) -> bool:
    """Whether the CLI started the turn by itself."""
    return result.origin is not None and result.origin.get("kind") != "human"


class Record:
    """Takes the messages of one prompt as they come; cheap enough to be called for each of them."""

    def __init__(self, before: Usage | None = None, *, keeps_messages: bool = True) -> None:
        """Count from `before`; of a long answer the messages take far more memory than its text."""
        self._keeps_messages = keeps_messages
        self.messages: list[Message] = []
        self.result: ResultMessage | None = None
        self.failed_result: ResultMessage | None = None
        self.has_content = False
        self.api_error: str | None = None
        self._text = TextAssembler()
        self._before = before or Usage()
        self._tools_running: set[str] = set()
        self._streamed: dict[str, dict[str, int]] = {}
        self._streaming = ""
        self._began = time.perf_counter()

    @property
    def text(self) -> str:
        """What the agent said, an unfinished sentence included."""
        return self._text.value

    @property
    def is_in_tool(self) -> bool:
        """Whether a tool has been called and has not answered: then silence is nobody's fault."""
        return bool(self._tools_running)

    def add(self, message: Message) -> None:
        """Take the next message."""
        if self._keeps_messages:
            self.messages.append(message)
        if isinstance(message, StreamEvent):
            event = message.event
            if message.parent_tool_use_id is None:
                self._text.add_event(event)
            if event.get("type") == "content_block_delta":
                self.has_content = True
            else:
                self._add_usage(event)
        elif isinstance(message, AssistantMessage):
            if message.error is not None:
                self.api_error = message.error
                return
            self.has_content = True
            self._text.add(message)
            tools = (block for block in message.content if isinstance(block, ToolUseBlock))
            # Subagents talk to a model themselves: while they run, silence is silence.
            self._tools_running.update(block.id for block in tools if block.name not in SUBAGENT_TOOLS)
        elif isinstance(message, UserMessage):
            if isinstance(message.content, list):
                for block in message.content:
                    if isinstance(block, ToolResultBlock):
                        self._tools_running.discard(block.tool_use_id)
        elif isinstance(message, ResultMessage):
            self.result = message
            self._tools_running.clear()
            # A turn that the CLI started by itself does not make good what failed before.
            if self.failed_result is None and message.is_error and not is_background(message):
                self.failed_result = message

    def rebase(self, before: Usage) -> None:
        """Count from here: something else was answered before this prompt's turn began."""
        self._before = before

    def _add_usage(self, event: dict[str, Any]) -> None:
        """Keep what each answer reports while it streams: all there is if the stream breaks."""
        kind = event.get("type")
        if kind == "message_start":
            start = event.get("message") or {}
            self._streaming = str(start.get("id", ""))
            self._streamed[self._streaming] = dict(start.get("usage") or {})
        elif kind == "message_delta" and self._streaming:
            counts = {name: n for name, n in (event.get("usage") or {}).items() if isinstance(n, int)}
            self._streamed[self._streaming].update(counts)

    @property
    def usage(self) -> AgentUsage:
        """Tokens, cost and time until now."""
        total, seen = totals_of(self.result) if self.result else Usage(), list(self._streamed.values())
        used = total - self._before
        is_unpriced = not used.cost_usd and bool(seen) and total.output_tokens == self._before.output_tokens
        return AgentUsage.of(
            replace(
                at_least(used, reported(seen)),
                cost_usd=None if is_unpriced else used.cost_usd,
                duration_ms=round((time.perf_counter() - self._began) * 1000),
            )
        )

    @property
    def metadata(self) -> dict[str, Any]:
        """What a result tells besides text and usage."""
        result = self.result
        if result is None:
            return {}
        return {
            "session_id": result.session_id,
            "turns": result.num_turns,
            "stop_reason": result.stop_reason,
            "terminal_reason": result.terminal_reason,
            "duration_api_ms": result.duration_api_ms,
            "models": sorted(result.model_usage or {}),
            "result": result.result,
            "structured_output": result.structured_output,
            "permission_denials": list(result.permission_denials or []),
        }
