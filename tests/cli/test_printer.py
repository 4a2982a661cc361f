"""What the printer makes of messages: readable, in order, and harmless for a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
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
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui import AgentError, MalformedResponseError, NetworkError, StreamingError
from maverick_tui.cli.layout import Flow, Paper
from maverick_tui.cli.printer import Printer
from maverick_tui.inert import inert

HOSTILE = "\x1b]0;pwned\x07\x1b[2J\x9b31m\rover\x08\x7f\u202egnp.exe"
SGR = re.compile(r"\x1b\[[0-9;]*m")


HIDDEN = "\u061c\u200b\u200d\u200e\u200f\u2028\u2029\xad\ufeff\u3164x\ufe0f\U000e0041"


class Terminal(io.StringIO):
    """A stream that says it is a terminal, and remembers each write."""

    def __init__(self) -> None:
        super().__init__()
        self.writes: list[str] = []

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.writes.append(text)
        return super().write(text)


@pytest.fixture(autouse=True)
def terminal_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def event(parent: str | None = None, **fields: Any) -> StreamEvent:
    return StreamEvent(uuid="u", session_id="s", event=fields, parent_tool_use_id=parent)


def streamed(*pieces: str, kind: str = "text", stop: bool = True) -> list[Message]:
    """A block as it streams in, followed by the whole, as the CLI does it."""
    block = {"type": kind, kind: ""}
    messages: list[Message] = [event(type="content_block_start", index=0, content_block=block)]
    messages += [
        event(type="content_block_delta", index=0, delta={"type": f"{kind}_delta", kind: piece}) for piece in pieces
    ]
    if stop:
        whole = "".join(pieces)
        messages.append(said(TextBlock(whole) if kind == "text" else ThinkingBlock(whole, "signature")))
        messages.append(event(type="content_block_stop", index=0))
    return messages


def said(*blocks: Any, parent: str | None = None, error: Any = None) -> AssistantMessage:
    return AssistantMessage(content=list(blocks), model="m", parent_tool_use_id=parent, error=error)


def call(name: str, number: int = 1, parent: str | None = None, **arguments: Any) -> AssistantMessage:
    return said(ToolUseBlock(f"toolu_{number}", name, arguments), parent=parent)


def answered(content: Any, number: int = 1, parent: str | None = None, failed: bool = False) -> UserMessage:
    return UserMessage(content=[ToolResultBlock(f"toolu_{number}", content, failed)], parent_tool_use_id=parent)


def result(**fields: Any) -> ResultMessage:
    usage = {"inputTokens": 1200, "outputTokens": 34, "cacheReadInputTokens": 5000}
    given: dict[str, Any] = {
        "subtype": "success",
        "duration_ms": 1,
        "duration_api_ms": 1,
        "is_error": False,
        "num_turns": 1,
        "session_id": "s",
        "total_cost_usd": 0.0123,
        "model_usage": {"m": usage},
    }
    return ResultMessage(**{**given, **fields})


def printed(
    *messages: Message | Sequence[Message],
    stream: io.StringIO | None = None,
    width: int = 80,
    end: AgentError | bool | None = None,
    cwd: Path | None = None,
) -> str:
    """What the printer writes; `end` finishes it, or fails with that error."""
    stream = stream or io.StringIO()
    printer = Printer(stream, width, cwd=cwd)
    for given_ in messages:
        for message in given_ if isinstance(given_, Sequence) else [given_]:
            printer.show(message)
    if isinstance(end, AgentError):
        printer.fail(end)
    elif end:
        printer.finish()
    else:
        printer.close()
    return stream.getvalue()


def broken_stream() -> StreamingError:
    error = StreamingError("The stream failed after 9 characters: It is gone.", hint="Try again.")
    error.__cause__ = NetworkError("It is gone.")
    return error


# -- text -----------------------------------------------------------------------------------------------------------


def test_streamed_text_is_shown_once() -> None:
    assert printed(streamed("Good ", "morn", "ing.")) == "Good morning.\n"


def test_streamed_text_is_shown_once_where_wholes_come_after_all_blocks() -> None:
    def answer(number: int) -> list[Message]:
        text, calls = (
            streamed("I look first.")[:-2],
            event(type="content_block_start", content_block={"type": "tool_use"}),
        )
        begun = event(type="message_start", message={"id": str(number), "usage": {}})
        ended = event(type="content_block_stop")
        return [
            begun,
            *text,
            ended,
            calls,
            ended,
            said(TextBlock("I look first.")),
            call("Read", number, file_path="a"),
        ]

    shown = printed(answer(1), answered("x"), answer(2), answered("x", 2))
    assert [line for line in shown.splitlines() if "look" in line] == ["I look first.", "I look first."]


def test_text_that_was_not_streamed_is_shown_as_a_whole() -> None:
    assert printed(said(TextBlock("One.")), said(TextBlock("One."))) == "One.\n\nOne.\n"


def test_text_appears_while_it_streams() -> None:
    stream = io.StringIO()
    printer = Printer(stream, 80)
    for message in streamed("Slow", " and", " stea", stop=False):
        printer.show(message)
    assert stream.getvalue() == "Slow and"


def test_thinking_is_prefixed_and_apart_from_the_text() -> None:
    shown = printed(streamed("Hm.\nWell.", kind="thinking"), streamed("Yes."))
    assert shown == "┊ Hm.\n┊ Well.\n\nYes.\n"


def test_lines_are_wrapped_at_words_and_lists_keep_their_indent() -> None:
    text = "- one two three four\n  - five six seven eight\n12. nine ten eleven twelve"
    assert printed(streamed(text), width=20).splitlines() == [
        "- one two three four",
        "  - five six seven",
        "    eight",
        "12. nine ten eleven",
        "    twelve",
    ]


def test_code_and_tables_are_not_wrapped() -> None:
    code = "```python\nif a_long_condition and another:\n    return  1\n```\n| a cell | another cell | a third |"
    assert printed(streamed(code), width=20) == f"{code}\n"


def test_an_answer_that_begins_anew_says_so() -> None:
    again = event(type="message_start", message={"id": "2", "usage": {}})
    shown = printed(streamed("Half an ans", stop=False), again, streamed("A whole answer."))
    assert shown == "Half an ans\n(the answer broke off; it begins anew)\n\nA whole answer.\n"


def test_messages_with_nothing_to_show_are_passed_over() -> None:
    notice = said(TextBlock("API Error: gone"), error="server_error")
    assert printed(SystemMessage("init", {}), notice, event(type="ping"), result(), UserMessage("text")) == ""


@given(st.lists(st.text(alphabet=st.sampled_from("ab `*#|-1.\n\t\x1b\u202e漢é"), max_size=12), max_size=12))
def test_how_a_text_is_cut_into_pieces_does_not_change_it(pieces: list[str]) -> None:
    def flow(parts: list[str]) -> str:
        stream = Terminal()
        paper = Flow(Paper(stream, 24), prefix="│ ")
        for part in parts:
            paper.feed(part)
        paper.end()
        return stream.getvalue()

    text = "".join(pieces)
    assert flow(pieces) == flow([text])
    words = re.sub(r"[\s│]", "", SGR.sub("", flow(pieces)))
    assert words == re.sub(r"\s", "", inert(text))


# -- tools ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "arguments", "content", "failed", "lines"),
    [
        ("Bash", {"command": "make test"}, "1\n2\nOK", False, ["● Bash  make test", "  ✔ OK  (3 lines)"]),
        ("Bash", {"command": "x"}, "Exit code 2\nno x", True, ["● Bash  x", "  ✘ exit code 2: no x"]),
        ("Bash", {"command": "x"}, "Exit code 1", True, ["● Bash  x", "  ✘ exit code 1: no output"]),
        ("Bash", {"command": "true"}, "", False, ["● Bash  true", "  ✔ no output"]),
        ("Bash", {"command": "a\nb", "description": "Both"}, "1", False, ["● Bash  a (2 lines)", "  ✔ 1"]),
        (
            "Bash",
            {"command": "git diff"},
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c",
            False,
            ["● Bash  git diff", "  ✔ +2 -1 in the diff"],
        ),
        ("Read", {"file_path": "/p/a.py"}, "1\tx\n2\ty\n3\t", False, ["● Read  a.py", "  ✔ 2 lines"]),
        ("Read", {"file_path": "/p/a.py", "offset": 7}, "7\tx", False, ["● Read  a.py:7", "  ✔ 1 line"]),
        (
            "Read",
            {"file_path": "/q/b"},
            "<tool_use_error>No file.</tool_use_error>",
            True,
            ["● Read  /q/b", "  ✘ No file."],
        ),
        ("Glob", {"pattern": "**/*.py"}, "a.py\nb.py", False, ["● Glob  **/*.py", "  ✔ 2 files"]),
        ("Grep", {"pattern": "x", "path": "/p/d"}, "d/a:1:x", False, ["● Grep  x in d", "  ✔ 1 match"]),
        ("Grep", {"pattern": "x", "path": "/p"}, "Found 2 files\na\nb", False, ["● Grep  x", "  ✔ 2 files"]),
        ("Grep", {"pattern": "x"}, "No matches found", False, ["● Grep  x", "  ✔ No matches found"]),
        ("Write", {"file_path": "/p/a", "content": "1\n2\n"}, "ok", False, ["● Write  a", "  ✔ 2 lines written"]),
        (
            "mcp__db__ask",
            {"deep": True},
            [{"type": "text", "text": "7"}],
            False,
            ['● db: ask  {"deep": true}', "  ✔ 7"],
        ),
        ("Unheard", {}, None, False, ["● Unheard", "  ✔ done"]),
    ],
)
def test_a_call_and_its_result_take_a_line_each(
    name: str, arguments: dict[str, Any], content: Any, failed: bool, lines: list[str]
) -> None:
    shown = printed(call(name, **arguments), answered(content, failed=failed), cwd=Path("/p"))
    assert shown.splitlines() == lines


def test_an_edit_shows_what_it_changes() -> None:
    shown = printed(
        call("Edit", file_path="/p/a.py", old_string="a\nb\nc", new_string="a\nB\nc"), answered("ok"), cwd=Path("/p")
    )
    assert shown.splitlines() == ["● Edit  a.py", "  ✔ +1 -1", "    -b", "    +B"]


def test_a_long_edit_is_cut() -> None:
    new = "\n".join(str(number) for number in range(50))
    lines = printed(call("Edit", file_path="a", old_string="", new_string=new), answered("ok")).splitlines()
    assert lines[1] == "  ✔ +50 -0"
    assert lines[-1] == "    … 39 more"
    assert len(lines) == 14


def test_todos_are_a_checklist() -> None:
    todos = [
        {"content": "Read", "status": "completed", "activeForm": "Reading"},
        {"content": "Write", "status": "in_progress", "activeForm": "Writing"},
        {"content": "Rest", "status": "pending", "activeForm": "Resting"},
    ]
    shown = printed(call("TodoWrite", todos=todos), answered("Todos have been modified"))
    assert shown.splitlines() == ["● TodoWrite", "  ☑ Read", "  ▸ Write", "  ☐ Rest"]


def test_parallel_calls_are_shown_in_their_order_however_the_results_come() -> None:
    shown = printed(
        call("Read", 1, file_path="a"),
        call("Read", 2, file_path="b"),
        call("Read", 3, file_path="c"),
        answered("1\tc", 3),
        answered("1\ta", 1),
        answered("1\tb\n2\tb", 2),
    )
    assert shown.splitlines() == ["● Read  a", "  ✔ 1 line", "● Read  b", "  ✔ 2 lines", "● Read  c", "  ✔ 1 line"]


def test_calls_without_a_result_are_not_left_out() -> None:
    shown = printed(call("Bash", 1, command="sleep 9"), call("Bash", 2, command="ls"))
    assert shown.splitlines() == ["● Bash  sleep 9", "  ✘ no result", "● Bash  ls", "  ✘ no result"]


# -- subagents ------------------------------------------------------------------------------------------------------


def test_a_subagent_is_indented() -> None:
    shown = printed(
        streamed("I ask."),
        call("Agent", 1, description="Look"),
        UserMessage(content=[TextBlock("Find it")], parent_tool_use_id="toolu_1"),
        said(TextBlock("I look."), parent="toolu_1"),
        call("Grep", 2, parent="toolu_1", pattern="it"),
        answered("a:1:it", 2, parent="toolu_1"),
        said(TextBlock("There.\nAnd there."), parent="toolu_1"),
        answered("report\n<usage>subagent_tokens: 1554\ntool_uses: 1\nduration_ms: 5</usage>", 1),
        streamed("Found."),
    )
    assert shown.splitlines() == [
        "I ask.",
        "",
        "● Agent  Look",
        "  │ > Find it",
        "  │ I look.",
        "  │ ● Grep  it",
        "  │   ✔ 1 match",
        "  │ There.",
        "  │ And there.",
        "  ✔ Agent: 1 tool call, 1,554 tokens",
        "",
        "Found.",
    ]


def test_a_subagent_does_not_interrupt_a_sentence() -> None:
    first, *rest = streamed("While it ", "works, I wait.")
    shown = printed(
        call("Agent", 1, description="Look"),
        answered("Async agent launched successfully.", 1),
        [first, *rest[:1], said(TextBlock("I look."), parent="toolu_1"), *rest[1:]],
    )
    assert shown.splitlines() == [
        "● Agent  Look",
        "  ✔ works in the background",
        "",
        "While it works, I wait.",
        "  │ I look.",
    ]


def test_a_result_does_not_interrupt_a_sentence_either() -> None:
    first, *rest = streamed("And while ", "it runs, this.")
    shown = printed(call("Bash", command="ls"), [first, *rest[:1], answered("a"), *rest[1:]])
    assert shown.splitlines() == ["● Bash  ls", "", "And while it runs, this.", "  ✔ Bash: a"]


def test_of_several_subagents_each_line_says_whose_it_is() -> None:
    shown = printed(
        call("Agent", 1, description="Left"),
        call("Agent", 2, description="Right"),
        said(TextBlock("one"), parent="toolu_1"),
        said(TextBlock("two"), parent="toolu_2"),
        said(TextBlock("three"), parent="toolu_1"),
        answered("done", 2),
        answered("done", 1),
    )
    lines = shown.splitlines()
    assert lines.index("● Agent  Right") < lines.index("  │ two")
    assert lines[lines.index("  │ three") - 1] == "  │ Left"
    assert lines[lines.index("  │ two") - 1] in ("  │ Right", "● Agent  Right")
    assert shown.count("✔ Agent: done") == 2


# -- the end --------------------------------------------------------------------------------------------------------


def test_the_end_tells_tokens_cost_and_time() -> None:
    last = printed(streamed("Hi."), result(), end=True).splitlines()[-1]
    assert re.fullmatch(r"1,200 tokens in \(5,000 more cached\) · 34 out · \$0\.0123 · \d+\.\d s", last)


def test_without_a_cost_none_is_told() -> None:
    assert "$" not in printed(streamed("Hi."), end=True)


@pytest.mark.parametrize("width", [40, 80, 10_000])
def test_a_broken_stream_keeps_its_text_and_says_what_why_and_what_next(width: int) -> None:
    lines = printed(streamed("Half a sen", stop=False), end=broken_stream(), width=width).splitlines()
    assert lines[0] == "Half a sen"
    frame = [line for line in lines if line[:1] in "╭│╰" and line]
    assert len({len(line) for line in frame}) == 1
    text = " ".join(" ".join(line.strip("│ ").split()) for line in frame)
    assert "THE STREAM BROKE" in text
    assert "what The stream failed after 9 characters. why It is gone. next Try again." in text


def test_another_failure_is_told_as_well() -> None:
    shown = printed(end=AgentError("There is no key.", hint="Set one."))
    assert "THE AGENT FAILED" in shown
    assert "There is no key." in shown
    assert "Set one." in shown


def test_of_an_answer_that_cannot_be_read_its_beginning_is_shown() -> None:
    shown = printed(end=MalformedResponseError("The answer is no JSON.", raw_response="<html>\x1b[2J" + "x" * 9_000))
    assert "THE ANSWER CANNOT BE READ" in shown
    assert "raw   <html>" in shown
    assert "\x1b" not in shown
    assert len(shown) < 3_000


def test_what_is_said_last_is_kept_apart_where_it_is_wanted() -> None:
    stream = io.StringIO()
    printer = Printer(stream, 60, keeps_answer=True)
    for message in (*streamed("I look."), call("Read", file_path="a"), answered("1\tx"), *streamed("Found.\n")):
        printer.show(message)
    assert "Found." not in stream.getvalue()
    assert "I look.\n\n● Read  a" in stream.getvalue()
    for message in (*streamed("Hm.", kind="thinking"), *streamed("Twice.\n")):
        printer.show(message)
    assert printer.take_answer() == "Found.\n\nTwice.", "thinking is no call: the answer goes on after it"
    printer.finish()
    assert "Found." not in stream.getvalue()


# -- the terminal ---------------------------------------------------------------------------------------------------


def hostile_output(stream: io.StringIO) -> str:
    printer = Printer(stream, 60, cwd=Path("/p"))
    printer.prompt(HOSTILE)
    messages: list[Message] = [
        *streamed("a\x1b", "]0;x\x07 ", HOSTILE),
        *streamed(HOSTILE, kind="thinking"),
        call(HOSTILE, 1, x=HOSTILE),
        answered(HOSTILE, 1),
        call("Bash", 2, command=HOSTILE),
        answered(f"Exit code 1\n{HOSTILE}", 2, failed=True),
        call("Edit", 3, file_path=HOSTILE, old_string=HOSTILE, new_string=f"{HOSTILE}\n{HOSTILE}"),
        answered("ok", 3),
        call("TodoWrite", 4, todos=[{"content": HOSTILE, "status": HOSTILE}]),
        answered(HOSTILE, 4, failed=True),
        call("Agent", 5, description=HOSTILE),
        UserMessage(content=[TextBlock(HOSTILE)], parent_tool_use_id="toolu_5"),
        said(TextBlock(HOSTILE), ThinkingBlock(HOSTILE, "s"), parent="toolu_5"),
        call("mcp__\x1b__\x07", 6, parent="toolu_5", x={HOSTILE: HOSTILE}),
        answered([{"type": "text", "text": HOSTILE}], 6, parent="toolu_5"),
        call("Agent", 7, description=HOSTILE),
        said(TextBlock(HOSTILE), parent="toolu_7"),
        said(TextBlock(HOSTILE), parent="toolu_5"),
    ]
    for message in messages:
        printer.show(message)
    error = StreamingError(HOSTILE, hint=HOSTILE)
    error.__cause__ = NetworkError(HOSTILE)
    printer.fail(error)
    return stream.getvalue()


def test_nothing_in_a_message_can_steer_the_terminal() -> None:
    plain = hostile_output(io.StringIO())
    assert plain == inert(plain)
    coloured = SGR.sub("", hostile_output(Terminal()))
    assert coloured == inert(coloured)


def test_every_write_leaves_the_terminal_as_it_was() -> None:
    stream = Terminal()
    hostile_output(stream)
    dressed = [text for text in stream.writes if "\x1b" in text]
    assert dressed
    assert all(SGR.findall(text)[-1] == "\x1b[0m" for text in dressed)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colour_can_be_switched_off(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    assert "\x1b" in printed(streamed("`x`"), stream=Terminal())
    monkeypatch.setenv(name, value)
    assert "\x1b" not in printed(streamed("`x`"), stream=Terminal())


def test_lines_fit_the_terminal() -> None:
    shown = printed(
        call("Bash", command="x" * 200),
        answered("y" * 200),
        streamed("word " * 100),
        stream=Terminal(),
        width=40,
        end=True,
    )
    assert max(len(line) for line in SGR.sub("", shown).splitlines()) <= 40


@given(st.text(st.sampled_from(f"a1 \n{HIDDEN}👩💻❤\u20e3می\u200c")), st.integers(1, 5))
def test_however_a_text_is_cut_into_pieces_it_is_printed_the_same(text: str, size: int) -> None:
    whole, pieces = io.StringIO(), io.StringIO()
    for stream, step in ((whole, max(len(text), 1)), (pieces, size)):
        flow = Flow(Paper(stream, 80))
        for at in range(0, len(text), step):
            flow.feed(text[at : at + step])
        flow.end()
    assert pieces.getvalue() == whole.getvalue()
    assert inert(whole.getvalue()) == whole.getvalue()


def test_what_is_hidden_in_names_and_results_is_seen() -> None:
    terminal = Terminal()
    printer = Printer(terminal, 80)
    printer.prompt(HIDDEN)
    call = ToolUseBlock("c", f"Tool{HIDDEN}", {"command": HIDDEN})
    printer.show(AssistantMessage([TextBlock(f"Text {HIDDEN}"), ThinkingBlock(HIDDEN, ""), call], "m"))
    printer.show(UserMessage([ToolResultBlock("c", f"Output {HIDDEN}")]))
    printer.fail(AgentError(f"Failed {HIDDEN}"))
    printer.paper.line(HIDDEN)
    shown = SGR.sub("", terminal.getvalue())
    assert inert(shown) == shown
    assert all(character not in shown for character in HIDDEN if character != "x")


def test_what_is_scheduled_says_that_it_ends_with_the_run() -> None:
    text = printed(
        [
            call("CronCreate", cron="* * * * *", prompt="Is it\nbuilt?"),
            answered("Scheduled recurring job 1 (Every minute)."),
            call("ScheduleWakeup", 2, stop=True),
            answered("Stopped.", 2),
            call("CronCreate", 3, cron="nonsense", prompt="Never"),
            answered("Invalid cron", 3, failed=True),
        ]
    )
    assert text.count("◷ scheduled") == 1
    assert "◷ scheduled  Is it built?  (it ends with this run)" in text
