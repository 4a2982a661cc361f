"""The text of messages: of one, of many, and of a stream that is still open."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from claude_agent_sdk import AssistantMessage, Message, StreamEvent, TextBlock


def extract_text(message: Message) -> str:
    """The text blocks of one assistant message, a line break between them; empty for any other message."""
    if not isinstance(message, AssistantMessage):
        return ""
    return "\n".join(block.text for block in message.content if isinstance(block, TextBlock) and block.text)


def extract_all_text(messages: Iterable[Message]) -> str:
    """What the agent said, a blank line between messages, an unfinished last one included.

    Text of subagents is theirs, and the CLI's own error notices are nobody's: both are left out.
    """
    text = TextAssembler()
    for message in messages:
        text.add(message)
    return text.value


class TextAssembler:
    """Assembles the agent's text from whole messages, and from the deltas of a block that is not complete yet."""

    def __init__(self) -> None:
        self._finished: list[str] = []
        self._open: list[str] = []
        self._message_id: str | None = None
        self._open_id: str | None = None

    @property
    def value(self) -> str:
        """Everything said so far."""
        finished, text = "\n\n".join(self._finished), "".join(self._open)
        if not finished or not text:
            return finished or text
        return finished + self._gap(self._open_id) + text

    def _gap(self, message_id: str | None) -> str:
        """What stands before the next text: the CLI sends each block of a message as a message of its own."""
        return "\n" if message_id is not None and message_id == self._message_id else "\n\n"

    def add(self, message: Message) -> None:
        """Take the next message of the stream."""
        if isinstance(message, StreamEvent):
            if message.parent_tool_use_id is None:
                self.add_event(message.event)
        elif isinstance(message, AssistantMessage) and message.parent_tool_use_id is None and message.error is None:
            text = extract_text(message)
            if text:  # the whole block has come: what was assembled from its deltas is the same text
                self._open.clear()
                if self._finished and self._gap(message.message_id) == "\n":
                    self._finished[-1] += f"\n{text}"
                else:
                    self._finished.append(text)
                self._message_id = message.message_id

    def add_event(self, event: dict[str, Any]) -> None:
        """Take a stream event that is the agent's own."""
        kind = event.get("type")
        if kind == "content_block_delta":
            delta = event["delta"]
            if delta["type"] == "text_delta":
                self._open.append(delta["text"])
        elif kind == "message_start":
            # A new attempt of the CLI at an answer that broke off: the old attempt was thrown away.
            self._open.clear()
            self._open_id = (event.get("message") or {}).get("id")
