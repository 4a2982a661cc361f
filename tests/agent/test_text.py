"""Text extraction: of one message, of many, and of a stream that broke off."""

from __future__ import annotations

import pytest
from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    UserMessage,
)

from maverick_tui import extract_all_text, extract_text


def says(*texts: str, **fields: object) -> AssistantMessage:
    return AssistantMessage(content=[TextBlock(text) for text in texts], model="m", **fields)  # type: ignore[arg-type]


def delta(text: str, parent: str | None = None) -> StreamEvent:
    event = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
    return StreamEvent(uuid="u", session_id="s", event=event, parent_tool_use_id=parent)


@pytest.mark.req("000-FR-006")
def test_the_text_of_one_message() -> None:
    assert extract_text(says("hello")) == "hello"
    assert extract_text(says()) == ""


@pytest.mark.req("000-US4-2")
def test_only_text_blocks_count_and_empty_ones_are_skipped() -> None:
    message = AssistantMessage(
        content=[
            ThinkingBlock("hm", "sig"), TextBlock("one"), TextBlock(""),
            ToolUseBlock("t", "Read", {}), TextBlock("two"),
        ],
        model="m",
    )  # fmt: skip
    assert extract_text(message) == "one\ntwo"


@pytest.mark.parametrize(
    "message",
    [
        UserMessage("mine"),
        SystemMessage("init", {}),
        delta("x"),
        ResultMessage("success", 1, 1, False, 1, "s", result="done"),
    ],
)
def test_other_messages_have_no_text_of_the_agent(message: Message) -> None:
    assert extract_text(message) == ""


def test_messages_are_joined_by_a_blank_line() -> None:
    tool = AssistantMessage(content=[ToolUseBlock("t", "Read", {})], model="m")
    assert extract_all_text([says("one"), tool, UserMessage("x"), says("two", "three")]) == "one\n\ntwo\nthree"
    assert extract_all_text([]) == ""


def test_a_subagents_text_and_error_notices_are_left_out() -> None:
    messages = [says("mine"), says("its", parent_tool_use_id="t"), says("API Error: 500", error="server_error")]
    assert extract_all_text([*messages, delta("its, too", parent="t")]) == "mine"


def test_an_unfinished_block_counts_and_a_finished_one_counts_once() -> None:
    start = StreamEvent(uuid="u", session_id="s", event={"type": "message_start", "message": {}})
    stream: list[Message] = [start, delta("Hel"), delta("lo"), says("Hello"), delta("Wor")]
    assert extract_all_text(stream) == "Hello\n\nWor"
    assert extract_all_text([*stream, start, delta("again")]) == "Hello\n\nagain", "a thrown-away attempt is no text"


def test_blocks_of_one_message_that_come_apart_belong_together() -> None:
    assert extract_all_text([says("one", message_id="a"), says("two", message_id="a"), says("x", message_id="b")]) == (
        "one\ntwo\n\nx"
    )
