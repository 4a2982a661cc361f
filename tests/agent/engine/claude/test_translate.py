"""Messages as events: what is streamed, what comes whole, and what is not to be shown twice."""

from __future__ import annotations

from typing import Any

from claude_agent_sdk import (
    AssistantMessage,
    RateLimitEvent,
    RateLimitInfo,
    StreamEvent,
    ThinkingBlock,
    ToolResultBlock,
    UserMessage,
)
from claude_agent_sdk._internal.message_parser import parse_message
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.agent.engine.claude.translate import Translator
from maverick_tui.agent.engine.outputs import LARGEST, cut_text
from maverick_tui.events.kinds import (
    BlockEnded,
    BlockStarted,
    Event,
    ModeChanged,
    ModelNamed,
    Noticed,
    RateLimited,
    ReplyRestarted,
    RequestStarted,
    RetryScheduled,
    TaskProgressed,
    ToolCalled,
    ToolFinished,
    UsageReported,
    event_from_json,
)
from maverick_tui.events.wire import to_json
from maverick_tui.usage import MOST_TOKENS
from tests.masking.keys import a_key, told_of
from tests.runs.watching import blocks
from tests.support import replay
from tests.support.cases import each
from tests.support.replay import Frame, assistant, delta, init, message_delta, message_start, stream_event, tool_use
from tests.support.sampling import examples


def start(index: int = 0, kind: str = "text", **more: Any) -> Frame:
    return stream_event({"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}})


def stop(index: int = 0) -> Frame:
    return stream_event({"type": "content_block_stop", "index": index})


def arguments(text: str, index: int = 0) -> Frame:
    piece = {"type": "input_json_delta", "partial_json": text}
    return stream_event({"type": "content_block_delta", "index": index, "delta": piece})


def system(subtype: str, **data: Any) -> Frame:
    return {"type": "system", "subtype": subtype, "session_id": "s", "uuid": "u", **data}


def translated(*frames: Frame, by: Translator | None = None) -> list[Event]:
    translator = by or Translator()
    return [event for frame in frames for event in translator.feed(parse_message(frame), 1.0)]


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events if not isinstance(event, UsageReported)]


def test_a_streamed_block_is_not_doubled_by_its_whole() -> None:
    events = translated(message_start(), start(), delta("Hel"), delta("lo "), assistant("Hello"), stop())
    assert kinds(events) == ["BlockStarted", "BlockGrew", "BlockGrew", "BlockEnded"]
    assert blocks(events) == ["Hello "]


def test_the_rest_of_a_block_that_was_streamed_in_part_is_added() -> None:
    events = translated(message_start(), start(), delta("Hel"), assistant("Hello"), stop())
    assert blocks(events) == ["Hello"]
    assert kinds(events)[-1] == "BlockEnded"


def test_a_block_that_was_never_streamed_comes_whole() -> None:
    events = translated(assistant("Hello"))
    assert kinds(events) == ["BlockStarted", "BlockGrew", "BlockEnded"]
    assert blocks(events) == ["Hello"]


def test_another_text_than_the_streamed_one_replaces_it() -> None:
    events = translated(message_start(), start(), delta("One thing"), assistant("Another"))
    assert kinds(events) == ["BlockStarted", "BlockGrew", "ReplyRestarted", "BlockStarted", "BlockGrew", "BlockEnded"]
    assert blocks(events) == ["One thing", "Another"]


def test_an_answer_that_begins_anew_says_so_once() -> None:
    again = (message_start("m2"), start(), delta("x"), assistant("x"), stop())
    events = translated(message_start(), start(), delta("half"), stop(), *again, message_start("m3"))
    assert kinds(events).count("ReplyRestarted") == 1
    assert [type(event) for event in events].index(ReplyRestarted) < [type(event) for event in events].index(BlockEnded)


def test_a_delta_without_a_beginning_makes_one() -> None:
    assert kinds(translated(message_start(), delta("x"), delta("y"))) == ["BlockStarted", "BlockGrew", "BlockGrew"]


def test_blocks_and_deltas_of_unknown_kinds_are_passed_over() -> None:
    signature = {"type": "content_block_delta", "index": 1, "delta": {"type": "signature_delta", "signature": "x"}}
    other = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "not shown"}}
    frames = (start(0, "redacted_thinking"), stream_event(other), start(1, "thinking"), stream_event(signature))
    assert kinds(translated(message_start(), *frames)) == ["BlockStarted"]


def test_a_tool_call_knows_the_block_that_its_arguments_came_in() -> None:
    use = tool_use("t1", "Read", file_path="a")
    frames = (start(0, "tool_use", id="t1", name="Read"), arguments('{"file_path"'), arguments(': "a"}'))
    events = translated(message_start(), *frames, assistant(use), stop())
    assert kinds(events) == ["BlockStarted", "BlockGrew", "BlockGrew", "ToolCalled", "BlockEnded"]
    begun = next(event for event in events if isinstance(event, BlockStarted))
    called = next(event for event in events if isinstance(event, ToolCalled))
    assert (begun.kind, begun.name, begun.call) == ("tool", "Read", "t1")
    assert (called.call, called.arguments, called.block) == ("t1", {"file_path": "a"}, begun.block)
    assert translated(assistant(use)) == [ToolCalled(1.0, "t1", "Read", {"file_path": "a"})]


def test_an_edit_is_told_by_the_names_that_it_runs_by() -> None:
    told = translated(
        assistant(tool_use("c1", "Edit", path="a", old_str="1", new_str="2", replace_all=True)),
        assistant(tool_use("c2", "Write", path="b", file_text="3")),
        assistant(tool_use("c3", "Write", path="b", file_path="c", content="4")),
        assistant(tool_use("c4", "Grep", path="b")),
    )
    assert [event.arguments for event in told if isinstance(event, ToolCalled)] == [
        {"file_path": "a", "old_string": "1", "new_string": "2", "replace_all": True},
        {"file_path": "b", "content": "3"},
        {"path": "b", "file_path": "c", "content": "4"},
        {"path": "b"},
    ]


def test_the_lines_of_a_key_around_an_edit_are_known_by_the_whole_file() -> None:
    key = a_key("RSA", "indented", 4, 64, is_cut=False)
    hunk = {"lines": [f" {key.body[1]}", "-x", f" {key.body[2]}"]}
    detail = {"structuredPatch": [hunk], "originalFile": f"key: |\n{key.text}\nport: 1\n"}
    (event,) = translated({**replay.tool_result("t1", "done"), "tool_use_result": detail})
    assert isinstance(event, ToolFinished)
    assert told_of(key, str(event.detail)) == []
    assert "'-x'" in str(event.detail)


def test_results_carry_what_the_cli_tells_of_them() -> None:
    frame = replay.tool_result("t1", "done <system-reminder>for the model</system-reminder>")
    detail = {
        "structuredPatch": [{"lines": ["-a"]}],
        "originalFile": "all of it",
        "file": {"content": "x", "numLines": 1},
    }
    (event,) = translated({**frame, "tool_use_result": detail})
    assert isinstance(event, ToolFinished)
    assert event.output.strip() == "done"
    assert event.detail == {"structuredPatch": [{"lines": ["-a"]}], "file": {"numLines": 1}}
    for other in ("Error: no", [{"type": "text", "text": "mcp"}], None):
        (event,) = translated({**frame, "tool_use_result": other})
        assert isinstance(event, ToolFinished)
        assert event.detail == other


def test_a_detail_that_may_be_of_any_of_several_results_is_nobodys() -> None:
    message = UserMessage([ToolResultBlock("a", "1"), ToolResultBlock("b", "2")], tool_use_result={"whose": "?"})
    events = Translator().feed(message, 1.0)
    assert [event.detail for event in events if isinstance(event, ToolFinished)] == [None, None]


def test_absurd_sizes_are_cut_and_it_is_said() -> None:
    frame = replay.tool_result("t1", "a" * LARGEST + "b" * LARGEST)
    (event,) = translated({**frame, "tool_use_result": {"deep": [{"text": "x" * (LARGEST + 1)}]}})
    assert isinstance(event, ToolFinished)
    assert len(event.output) < LARGEST + 100
    assert "2,000,000 characters are left out" in event.output
    assert event.output.startswith("a")
    assert event.output.endswith("b")
    assert list(event.detail) == ["left_out"]


def test_an_output_is_cut_between_lines_so_that_no_secret_is_halved() -> None:
    line = "export API_KEY=q7Rt2LmX9vKp4Zs8q7Rt2LmX9vKp4Zs8\n"
    for shift in range(0, len(line), 7):
        kept = cut_text("x" * shift + "\n" + line * (LARGEST // len(line) * 2))
        assert set(kept.splitlines()[1:]) - {line.strip()} == {
            next(one for one in kept.splitlines() if "left out" in one)
        }


def test_what_a_subagent_does_names_its_parent() -> None:
    thought = AssistantMessage(
        [ThinkingBlock("hm", "")], "m", parent_tool_use_id="t1", message_id="s", usage={"input_tokens": 7}
    )
    translator = Translator()
    events = translator.feed(thought, 1.0) + translated(assistant("text", tool_use("t2"), parent="t1"), by=translator)
    assert {event.parent for event in events if isinstance(event, BlockStarted | ToolCalled | UsageReported)} == {"t1"}
    assert translated(stream_event({"type": "content_block_start", "index": 0}, "t1")) == []
    assert translator.streamed == {}


def test_usage_of_an_answer_is_replaced_as_it_grows() -> None:
    events = translated(message_start("m1", 10), message_delta(3), message_delta(9))
    reports = [event for event in events if isinstance(event, UsageReported)]
    assert [(event.message, event.input_tokens, event.output_tokens) for event in reports] == [
        ("m1", 10, 1),
        ("m1", 10, 3),
        ("m1", 10, 9),
    ]


def test_usage_of_an_answer_that_did_not_stream_comes_behind_its_text() -> None:
    frame = assistant("Hello.")
    frame["message"]["usage"] = {"input_tokens": 10, "output_tokens": 3}
    events = translated(frame)
    assert isinstance(events[-1], UsageReported)
    assert any(isinstance(event, BlockStarted) for event in events[:-1])


def test_answers_with_one_id_are_told_apart_whole_or_of_a_subagent() -> None:
    def whole(read: int, parent: str | None = None) -> Frame:
        frame = assistant("Hello.", parent=parent)
        frame["message"]["usage"] = {"input_tokens": read, "output_tokens": 3}
        return frame

    own, subagents = [whole(10), whole(10), whole(20)], [whole(10, "t1"), whole(10, "t1"), whole(20, "t1")]
    streamed = [message_start("m1"), whole(10), whole(10), message_delta(3), message_start("m1"), message_delta(4)]
    for frames in (own, subagents, streamed):
        answers = {event.message for event in translated(*frames) if isinstance(event, UsageReported)}
        assert answers == {"m1", "m1#2"}


def test_answers_after_a_resume_have_no_id_of_those_before() -> None:
    taken = set[str]()
    told: list[str] = []
    for _ in range(2):  # processes, or conversations of one run
        translator = Translator(answers=taken)
        frames = (message_start("same"), message_start("same"), message_start(""))
        told += (one.message for one in translated(*frames, by=translator) if isinstance(one, UsageReported))
    assert told == ["same", "same#2", "#2", "same#3", "same#4", "#3"]


def test_the_model_is_named_when_it_changes() -> None:
    translator = Translator()
    full = stream_event({"type": "message_start", "message": {"id": "a", "model": "m-2026", "usage": {}}})
    names = translated(init(), full, init(), full, by=translator)
    assert [event.model for event in names if isinstance(event, ModelNamed)] == ["m", "m-2026"]
    size = {"m-2026": {"contextWindow": 200_000}, "small": {"contextWindow": 1}}
    result = replay.result(modelUsage=size)
    (named,) = translated(result, result, by=translator)
    assert isinstance(named, ModelNamed)
    assert (named.model, named.context_size, named.session_id) == ("m-2026", 200_000, replay.SESSION)


def test_a_mode_that_the_cli_changes_by_itself_is_told() -> None:
    translator = Translator()
    translator.mode = "plan"
    assert translated(system("init", permissionMode="plan", model=""), by=translator)[1:] == []
    assert ModeChanged(1.0, "default") in translated(system("status", permissionMode="default"), by=translator)


def test_failures_that_the_cli_words_itself_and_repeated_prompts_are_not_shown() -> None:
    prompt = {"type": "user", "message": {"role": "user", "content": "my prompt"}, "uuid": "p"}
    mark = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": "[Request interrupted]"}]}}
    assert translated(assistant("API Error: 500", error="server_error"), prompt, mark) == []


def test_a_cut_answer_that_goes_on_is_noticed() -> None:
    words = "Your response above was cut off mid-stream. Resume directly."
    cut = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": words}]}}
    (event,) = translated(cut)
    assert isinstance(event, Noticed)
    assert event.kind == "cut_off"


@each(
    ("frame", "expected"),
    [
        (system("status", status="requesting"), RequestStarted(1.0)),
        (
            system("api_retry", attempt=2, max_retries=10, retry_delay_ms=500, error_status=529, error="overloaded"),
            RetryScheduled(1.0, 2, 10, 0.5, 529, "overloaded"),
        ),
        (
            system("compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 150_000}),
            Noticed(1.0, "compact_boundary", "The conversation was compacted; it had 150,000 tokens."),
        ),
        (
            system("model_fallback", content="Switched", original_model="a", fallback_model="b"),
            Noticed(1.0, "model_fallback", "Switched"),
        ),
        (
            system("permission_denied", tool_name="Bash", message="not allowed"),
            Noticed(1.0, "permission_denied", "Bash was refused: not allowed"),
        ),
        (system("informational", content="By the way"), Noticed(1.0, "informational", "By the way")),
        (system("notification", text="Look", priority="high"), Noticed(1.0, "notification", "Look")),
        (system("notification", text="Look", priority="low"), None),
        (system("thinking_tokens", estimated_tokens=3), None),
        (system("a_kind_of_tomorrow", content="?"), None),
    ],
)
def test_system_messages(frame: Frame, expected: Event | None) -> None:
    assert translated(frame) == ([] if expected is None else [expected])


def test_a_task_is_followed_to_its_end_by_the_call_that_started_it() -> None:
    usage = {"total_tokens": 50, "tool_uses": 2, "duration_ms": 1}
    task = {"task_id": "a1"}
    events = translated(
        system("task_started", **task, tool_use_id="t1", description="work", subagent_type="helper"),
        system("task_progress", **task, tool_use_id="t1", description="Reading", usage=usage),
        system("task_updated", **task, patch={"end_time": 1}),
        system("task_updated", **task, patch={"status": "completed"}),
        system("task_notification", **task, status="completed", output_file="", summary="done", usage=usage),
        system("permission_denied", tool_name="Bash", agent_id="a1"),
    )
    assert [(event.call, event.state) for event in events if isinstance(event, TaskProgressed)] == [
        ("t1", "running"),
        ("t1", "running"),
        ("t1", "completed"),
        ("t1", "completed"),
    ]
    assert events[-1] == Noticed(1.0, "permission_denied", "Bash was refused.", "t1")


def test_rate_limits() -> None:
    translator = Translator()
    info = RateLimitInfo(status="rejected", resets_at=99, rate_limit_type="five_hour", utilization=1.0)
    events = translator.feed(RateLimitEvent(info, "u", "s"), 1.0)
    assert events == [RateLimited(1.0, "rejected", 99, "five_hour", 1.0)]


@settings(max_examples=examples(10, 100))
@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: st.dictionaries(
            st.sampled_from(["type", "index", "delta", "content_block", "message", "usage", "text"]), inner, max_size=4
        ),
        max_leaves=8,
    )
)
def test_nothing_that_a_stream_event_holds_raises(event: Any) -> None:
    translator = Translator()
    for kind in ("content_block_delta", "content_block_start", "message_start", "message_delta", "tomorrow"):
        body = {**(event if isinstance(event, dict) else {}), "type": kind}
        assert isinstance(translator.feed(StreamEvent("u", "s", body), 1.0), list)
    assert translator.feed(object(), 1.0) == []


def test_of_what_an_endpoint_counts_and_names_nothing_is_told_that_no_reader_takes() -> None:
    named = {"type": "tool_use", "id": {"a": 1}, "name": ["x"], "input": 5}
    most = {"input_tokens": 10**400, "output_tokens": 2**63, "cache_read_input_tokens": -1}
    events = translated(
        stream_event({"type": "message_start", "message": {"id": ["m"], "model": {"a": 1}, "usage": most}}),
        start(kind="tool_use", id={"a": 1}, name=["x"]),
        stream_event({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ["x"]}}),
        {"type": "assistant", "session_id": "s", "message": {"model": "x", "content": [named]}},
        system("api_retry", attempt=10**400, max_retries=10**400, retry_delay_ms=float("inf"), error_status=10**30),
        system("task_started", task_id="t", tool_use_id="c", description="d", usage={"total_tokens": 10**400}),
    )
    assert [event_from_json(to_json(event)) for event in events] == events
    used = [event for event in events if isinstance(event, UsageReported)]
    assert [(event.input_tokens, event.output_tokens) for event in used] == [(MOST_TOKENS, MOST_TOKENS)]
