"""The text of a tool's result: whatever form it has, and without what was meant for the model alone."""

from __future__ import annotations

import json

import pytest
from claude_agent_sdk import AssistantMessage, ServerToolResultBlock

from maverick_tui.agent.engine.claude.translate import Translator
from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.events.kinds import ToolFinished
from maverick_tui.runs.tool_text import changes, summary
from tests.support.cases import each
from tests.support.effort import effort

FOUND = {"type": "web_search_result", "title": "Prices ✓", "sizes": [1, 2]}


@each(
    ("content", "text"),
    [
        (None, ""),
        ("plain\n", "plain"),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}, "no block"], "one\ntwo"),
        ("a<system-reminder>to the model</system-reminder>b", "ab"),
        ("a<system-reminder>one</system-reminder>b<system-reminder>two</system-reminder>", "ab"),
        ("a</system-reminder>b<system-reminder>c", "a</system-reminder>b<system-reminder>c"),
        ("<tool_use_error>No such file</tool_use_error>", "No such file"),
        ("PreToolUse:Bash hook error: This agent may use Read.", "This agent may use Read."),
        ("Error: PreToolUse:mcp__a__b hook error: No.", "No."),
        ("it says PreToolUse:Bash hook error: x", "it says PreToolUse:Bash hook error: x"),
    ],
)
def test_the_text_of_a_result(content: str | list[object] | None, text: str) -> None:
    assert result_text(content) == text


LARGE = """<persisted-output>
Output too large (1.2MB). Full output saved to: /home/me/.claude/projects/x/tool-results/b3z1.txt

Preview (first 2KB):
1
2
...
</persisted-output>"""


def test_of_a_large_output_its_real_size_is_told() -> None:
    text = result_text(LARGE)
    assert "persisted-output" not in text
    assert summary("Bash", {}, text) == ("1.2 MB of output", "its beginning is here")
    assert summary("mcp__a__b", {}, text)[0] == "1.2 MB of output"
    assert summary("Bash", {}, f"Exit code 2\n{text}", failed=True)[0] == "exit code 2: 1.2 MB of output"
    assert summary("Bash", {}, f"{'x' * 500}\n{text}")[1] == "6 lines", "one that only quotes the sentence"


def test_a_result_of_the_endpoints_own_tool_is_told_as_it_came() -> None:
    message = AssistantMessage([ServerToolResultBlock("call-1", FOUND)], model="m")
    (finished,) = [event for event in Translator().feed(message, 1.0) if isinstance(event, ToolFinished)]
    assert (finished.call, finished.is_error) == ("call-1", False)
    assert json.loads(finished.output) == FOUND
    assert "✓" in finished.output


@pytest.mark.explore
@pytest.mark.parametrize("mark", ["<system-reminder>", "</system-reminder>", "<system-reminder"])
def test_notes_without_an_end_cost_no_more_than_reading_them(mark: str) -> None:
    text = mark * 12_000
    assert result_text(text) == text
    assert effort(lambda: result_text(text)) < 20, "the square of it would take many times as long"


def repeating(lines: int, mark: str) -> str:
    return "".join(f"the same\n{mark} {number}\n" for number in range(lines // 2))


def test_what_an_edit_changes_is_told_whatever_repeats_in_it() -> None:
    edit = {"old_string": "a\nb\nc\n", "new_string": "a\nB\nc\nd"}
    assert list(changes(edit)) == ["-b", "+B", "+d"]
    assert list(changes({"old_string": "a", "new_string": "a\n\n"})) == ["+"]
    edit = {"old_string": repeating(1_000, "old"), "new_string": repeating(1_000, "new")}
    assert effort(lambda: summary("Edit", edit, "done")) < 20, "the cube of it would take a hundred times as long"
    assert summary("Edit", edit, "done")[0] == "+999 -999"


@each(
    ("report", "told"),
    [
        ("<usage>subagent_tokens: 1200\ntool_uses: 3", "3 tool calls, 1,200 tokens"),
        ("tool_uses: 9, it says", "done"),
        ("<usage>tool_uses: 9</usage>\n<usage>subagent_tokens: 5\ntool_uses: 1</usage>", "1 tool call, 5 tokens"),
        (f"<usage>tool_uses: {'9' * 5_000}", "done"),
    ],
)
def test_a_subagents_words_are_no_figures_without_end(report: str, told: str) -> None:
    assert summary("Agent", {}, report) == (told, "")
