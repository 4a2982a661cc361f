"""What the printer makes of events: readable, in order, and harmless for a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui import AgentError, MalformedResponseError, NetworkError, StreamingError
from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.cli.layout import Flow, Paper
from maverick_tui.cli.printer import Printer
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.inert import inert
from maverick_tui.runs.failures import failure_of
from maverick_tui.usage import Usage
from tests.support.cases import each

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


next_block = count(1).__next__


def streamed(*pieces: str, kind: ev.BlockKind = "text", stop: bool = True, parent: str = "") -> list[Event]:
    """A block as it streams in."""
    block = next_block()
    grown = [ev.BlockGrew(0, block, piece) for piece in pieces]
    return [ev.BlockStarted(0, block, kind, parent), *grown, *([ev.BlockEnded(0, block)] if stop else [])]


def call(name: str, number: int = 1, parent: str = "", **arguments: Any) -> Event:
    return ev.ToolCalled(0, f"toolu_{number}", name, arguments, parent)


def answered(content: Any, number: int = 1, failed: bool = False) -> Event:
    """A result as the CLI gives it, in the words of the engine."""
    return ev.ToolFinished(0, f"toolu_{number}", result_text(content), failed)


def ended(usage: Usage) -> Event:
    return ev.TurnEnded(0, 1, "done", usage)


def printed(
    *events: Event | Sequence[Event],
    stream: io.StringIO | None = None,
    width: int = 80,
    end: AgentError | bool | None = None,
    cwd: Path | None = None,
) -> str:
    """What the printer writes; `end` finishes it, or fails with that error."""
    stream = stream or io.StringIO()
    printer = Printer(stream, width, cwd=cwd)
    for given_ in events:
        for event in given_ if isinstance(given_, Sequence) else [given_]:
            printer.take(event)
    if isinstance(end, AgentError):
        printer.fail(failure_of(end))
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


def test_texts_are_apart_also_where_they_are_the_same() -> None:
    assert printed(streamed("One."), streamed("One.")) == "One.\n\nOne.\n"


def test_of_what_is_said_at_the_same_time_nothing_is_lost_or_mixed() -> None:
    first, second = streamed("The first ", "of two."), streamed("The ", "second.")
    mixed = [*first[:2], *second[:2], call("Read", file_path="a"), *first[2:], *second[2:]]
    assert printed(mixed, answered("x")) == "The first of two.\n\n● Read  a\n\nThe second.\n  ✔ Read: x\n"


def test_text_appears_while_it_streams() -> None:
    stream = io.StringIO()
    printer = Printer(stream, 80)
    for event in streamed("Slow", " and", " stea", stop=False):
        printer.take(event)
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
    shown = printed(streamed("Half an ans", stop=False), ev.ReplyRestarted(0), streamed("A whole answer."))
    assert shown == "Half an ans\n(the answer broke off; it begins anew)\n\nA whole answer.\n"


def test_events_with_nothing_to_show_are_passed_over() -> None:
    unknown: list[Event] = [ev.BlockGrew(0, 0, "of no block"), ev.BlockEnded(0, 0), answered("of no call", 9)]
    assert printed(ev.ModelNamed(0, "m"), ev.RequestStarted(0), ended(Usage()), unknown) == ""


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


@each(
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
        call("Agent", 1, description="Look", prompt="Find it"),
        streamed("I look.", parent="toolu_1"),
        call("Grep", 2, parent="toolu_1", pattern="it"),
        answered("a:1:it", 2),
        streamed("There.\nAnd there.", parent="toolu_1"),
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
        [first, *rest[:1], *streamed("I look.", parent="toolu_1"), *rest[1:]],
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
        streamed("one", parent="toolu_1"),
        streamed("two", parent="toolu_2"),
        streamed("three", parent="toolu_1"),
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
    turns = ended(Usage(1000, 30, 5000, 0, 0.0023, 1500)), ended(Usage(200, 4, 0, 0, 0.01, 700))
    last = printed(streamed("Hi."), turns, end=True).splitlines()[-1]
    assert last == "6,200 tokens in (5,000 from the cache) · 34 out · $0.0123 · 2.2 s"


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
    for event in (*streamed("I look."), call("Read", file_path="a"), answered("1\tx"), *streamed("Found.\n")):
        printer.take(event)
    assert "Found." not in stream.getvalue()
    assert "I look.\n\n● Read  a" in stream.getvalue()
    for event in (*streamed("Hm.", kind="thinking"), *streamed("Twice.\n")):
        printer.take(event)
    printer.leave_out("Found.\n\nTwice.")  # thinking is no call: the answer goes on after it
    printer.finish()
    assert "Found." not in stream.getvalue()


# -- the terminal ---------------------------------------------------------------------------------------------------


def hostile_output(stream: io.StringIO) -> str:
    printer = Printer(stream, 60, cwd=Path("/p"))
    printer.prompt(HOSTILE)
    events: list[Event] = [
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
        call("Agent", 5, description=HOSTILE, prompt=HOSTILE),
        *streamed(HOSTILE, parent="toolu_5"),
        *streamed(HOSTILE, kind="thinking", parent="toolu_5"),
        call("mcp__\x1b__\x07", 6, parent="toolu_5", x={HOSTILE: HOSTILE}),
        answered(HOSTILE, 6),
        call("Agent", 7, description=HOSTILE),
        *streamed(HOSTILE, parent="toolu_7"),
        *streamed(HOSTILE, parent="toolu_5"),
    ]
    for event in events:
        printer.take(event)
    error = StreamingError(HOSTILE, hint=HOSTILE)
    error.__cause__ = NetworkError(HOSTILE)
    printer.fail(failure_of(error))
    return stream.getvalue()


def test_nothing_in_an_event_can_steer_the_terminal() -> None:
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
    said = [*streamed(f"Text {HIDDEN}"), *streamed(HIDDEN, kind="thinking")]
    for event in (*said, call(f"Tool{HIDDEN}", command=HIDDEN), answered(f"Output {HIDDEN}")):
        printer.take(event)
    printer.fail(failure_of(AgentError(f"Failed {HIDDEN}")))
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
