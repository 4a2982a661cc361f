"""The text of a tool's result: whatever form it has, and without what was meant for the model alone."""

from __future__ import annotations

import json
import time

import pytest
from claude_agent_sdk import AssistantMessage, ServerToolResultBlock

from maverick_tui.runs.events import ToolFinished
from maverick_tui.runs.tool_text import result_text
from maverick_tui.runs.translate import Translator

FOUND = {"type": "web_search_result", "title": "Prices ✓", "sizes": [1, 2]}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ("plain\n", "plain"),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}, "no block"], "one\ntwo"),
        ("a<system-reminder>to the model</system-reminder>b", "ab"),
        ("a<system-reminder>one</system-reminder>b<system-reminder>two</system-reminder>", "ab"),
        ("a</system-reminder>b<system-reminder>c", "a</system-reminder>b<system-reminder>c"),
        ("<tool_use_error>No such file</tool_use_error>", "No such file"),
    ],
)
def test_the_text_of_a_result(content: str | list[object] | None, text: str) -> None:
    assert result_text(content) == text


def test_a_result_of_the_endpoints_own_tool_is_told_as_it_came() -> None:
    message = AssistantMessage([ServerToolResultBlock("call-1", FOUND)], model="m")
    (finished,) = [event for event in Translator().feed(message, 1.0) if isinstance(event, ToolFinished)]
    assert (finished.call, finished.is_error) == ("call-1", False)
    assert json.loads(finished.output) == FOUND
    assert "✓" in finished.output


@pytest.mark.parametrize("mark", ["<system-reminder>", "</system-reminder>", "<system-reminder"])
def test_notes_without_an_end_cost_no_more_than_reading_them(mark: str) -> None:
    text = mark * 12_000
    began = time.process_time()
    assert result_text(text) == text
    assert time.process_time() - began < 1.0, "the square of it would take many times as long"
