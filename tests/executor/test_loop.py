"""The loop: ask, run the tools, ask again; how it goes on and how it ends."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from typing import Any

import pytest

from maverick_tui.exceptions import AgentError, ConfigError, InvalidToolError, MalformedResponseError, NetworkError
from maverick_tui.executor import (
    Agent,
    AgentExecutor,
    CancelToken,
    ContentChunk,
    ExecutionMetrics,
    ExecutionResult,
    Message,
    PromptConfig,
    Request,
    RequestConfig,
    Response,
    Role,
    StopReason,
    TerminateReason,
    Thinking,
    ToolCall,
    ToolCallFinished,
    TurnEnded,
    Usage,
    tool,
)
from maverick_tui.executor.activity import ErrorOccurred, ToolCallStarted, TurnStarted
from maverick_tui.executor.model.messages import Thought
from tests.executor.support import QUICK, Model, call, calls, define, says, streaming, watch


@tool
def double(number: int) -> int:
    """Twice as much."""
    return 2 * number


@pytest.mark.req("002-R4-complete", "003-FR2-final", "002-R3-next", "003-API-result")
async def test_an_answer_without_calls_is_the_output() -> None:
    model = Model(says("Done."))
    watched = await watch(model)
    result = watched.result
    assert (result.success, result.output, result.raw_content) == (True, "Done.", "Done.")
    assert (result.terminate_reason, result.error, result.turn_count) == (TerminateReason.COMPLETE, None, 1)
    assert result.messages == (Message.user("Do it."), Message(Role.ASSISTANT, "Done."))
    assert watched.kinds == ["turn_start", "content_chunk", "turn_end"]
    names = {field.name for field in dataclasses.fields(ExecutionResult)}
    assert {"success", "output", "raw_content", "terminate_reason", "error", "turn_count", "messages"} <= names


@pytest.mark.req("002-R4-send", "002-R4-tools", "002-R4-history", "002-R2-caller", "003-FR2-messages", "002-R1-run")
async def test_calls_are_run_and_the_model_is_asked_again_with_everything() -> None:
    first = calls(call("double", "a", number=2), call("double", "b", number=3), text="Let me see.")
    model = Model(first, says("4 and 6"))
    watched = await watch(model, tools=[double])
    assert isinstance(model, Agent)
    assert [len(request.messages) for request in model.requests] == [1, 4]
    assert model.requests[1].messages == (
        Message.user("Do it."),
        first.message,
        Message.result("a", "4"),
        Message.result("b", "6"),
    )
    assert watched.result.messages[-1] == Message(Role.ASSISTANT, "4 and 6")
    assert {one.name for one in model.requests[0].tools} == {"double"}
    assert watched.result.metrics.tool_calls == 2


@pytest.mark.req(
    "002-R1-request", "002-R3-response", "002-R3-toolcall", "002-R3-usage", "002-R3-stop", "002-R4-message"
)
def test_what_is_said_and_answered_has_the_documented_fields() -> None:
    def names(cls: Any) -> set[str]:
        return {field.name for field in dataclasses.fields(cls)}

    assert {"messages", "tools", "config"} <= names(Request)
    assert {"content", "tool_calls", "usage", "stop_reason"} <= names(Response)
    assert {"id", "tool_name", "arguments"} <= names(ToolCall)
    assert {"input_tokens", "output_tokens"} <= names(Usage)
    assert {"role", "content", "tool_call_id"} <= names(Message)
    assert [reason.value for reason in StopReason] == ["complete", "tool_use", "max_tokens"]
    assert [role.value for role in Role] == ["user", "assistant", "tool_result"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        Usage().input_tokens = 3  # type: ignore[misc]


@pytest.mark.req("002-R1-defaults")
def test_what_a_request_leaves_open_is_none() -> None:
    assert dataclasses.astuple(RequestConfig()) == (None,) * len(dataclasses.fields(RequestConfig))


@pytest.mark.req("003-FR3-types", "003-FR3-order", "003-FR3-pairs", "003-FR3-chunks")
async def test_events_come_in_order_and_have_their_fields() -> None:
    thinking = Response("Hm.", (call("double", number=1),), Usage(3, 4), StopReason.TOOL_USE, (Thought("Well", "s"),))
    watched = await watch(Model(thinking, streaming(says("It is two."), "It is", " two.")), tools=[double])
    assert watched.kinds == [
        *("turn_start", "thinking", "content_chunk", "tool_call_start", "tool_call_end", "turn_end"),
        *("turn_start", "content_chunk", "content_chunk", "turn_end"),
    ]
    start, thought, words, begun, ended, end = watched.events[:6]
    assert isinstance(start, TurnStarted)
    assert start.turn_number == 1
    assert isinstance(thought, Thinking)
    assert thought.content == "Well"
    assert isinstance(words, ContentChunk)
    assert words.content == "Hm."
    assert isinstance(begun, ToolCallStarted)
    assert begun.tool_call == call("double", number=1)
    assert isinstance(ended, ToolCallFinished)
    assert (ended.tool_call_id, ended.result, ended.is_error) == ("id-double", "2", False)
    assert isinstance(end, TurnEnded)
    assert (end.turn_number, end.usage, end.stop_reason) == (1, Usage(3, 4), StopReason.TOOL_USE)
    assert ErrorOccurred.type == "error"
    assert "".join(e.content for e in watched.events[6:] if isinstance(e, ContentChunk)) == "It is two."


@pytest.mark.req("003-FR2-turns")
async def test_it_ends_after_its_turns() -> None:
    model = Model(*(calls(call("double", f"c{n}", number=n), text=f"turn {n}") for n in range(5)))
    watched = await watch(model, define(run={"max_turns": 2}), [double])
    result = watched.result
    assert (result.success, result.terminate_reason, result.turn_count) == (False, TerminateReason.MAX_TURNS, 2)
    assert len(model.requests) == 2
    assert result.raw_content == "turn 1"
    assert "2 turns" in str(result.error)
    done = await watch(Model(says("in time")), define(run={"max_turns": 1}))
    assert done.result.success, "an answer in the last turn is an answer"


async def test_an_answer_that_was_cut_is_never_a_success_and_its_calls_are_not_run() -> None:
    cut = Response("Half of", (call("double", number=1),), Usage(5, 6), StopReason.MAX_TOKENS)
    watched = await watch(Model(cut), tools=[double])
    assert (watched.result.success, watched.result.raw_content) == (False, "Half of")
    assert watched.result.terminate_reason is TerminateReason.BUDGET
    assert watched.kinds == ["turn_start", "content_chunk", "turn_end", "error"]


@pytest.mark.req("002-R4-error", "003-FR3-error", "003-NFR2-llm")
async def test_an_error_of_the_model_is_the_result_and_an_event() -> None:
    broken = MalformedResponseError("It is broken.")
    watched = await watch(Model(calls(call("double", number=1)), broken), tools=[double])
    assert watched.result.error is broken
    assert watched.result.terminate_reason is TerminateReason.ERROR
    assert watched.kinds[-3:] == ["turn_start", "error", "turn_end"]
    assert len(watched.result.messages) == 3


@pytest.mark.req("003-NFR2-llm", "002-R8-use", "002-R5-retry")
async def test_what_fails_in_passing_is_tried_three_times_with_an_event_for_each() -> None:
    down = NetworkError("It is down.")
    model = Model(down, down, says("Up again."))
    watched = await watch(model, define(run={"retry": QUICK}))
    assert watched.result.success
    assert watched.result.metrics.retries == 2
    told = [event for event in watched.events if isinstance(event, ErrorOccurred)]
    assert [(event.retry_in, event.attempt, event.limit) for event in told] == [(0.0, 1, 3), (0.0, 2, 3)]
    model = Model(*[down] * 9)
    failed = await watch(model, define(run={"retry": QUICK}))
    assert len(model.requests) == 4, "once, and three times again"
    assert failed.result.error is down
    assert failed.kinds == ["turn_start", "error", "error", "error", "error", "turn_end"]


async def test_what_a_failed_attempt_had_said_is_void() -> None:
    async def breaks(request: Request) -> Response:
        await streaming(says("", usage=(7, 1)), "Half an ans")(request)  # type: ignore[operator]
        raise NetworkError("It broke.")

    watched = await watch(Model(breaks, says("Whole.")), define(run={"retry": QUICK}))
    assert watched.result.messages[1:] == (Message(Role.ASSISTANT, "Whole."),)
    assert watched.result.metrics.usage == Usage(17, 6), "what was void has cost something, too"
    broken = await watch(Model(breaks), define(run={"retry": {"max_retries": 0}}))
    assert broken.result.raw_content == "Half an ans"


async def test_a_mistake_in_the_code_of_an_agent_is_a_result_too(caplog: pytest.LogCaptureFixture) -> None:
    watched = await watch(Model(KeyError("x")))
    error = watched.result.error
    assert error is not None
    assert isinstance(error.cause, KeyError)
    assert watched.result.terminate_reason is TerminateReason.ERROR
    assert "failed unexpectedly" in caplog.text


async def test_a_client_that_cancels_itself_is_an_error_and_no_timeout() -> None:
    async def quits(_request: Request) -> Response:
        raise asyncio.CancelledError

    watched = await watch(Model(quits))
    assert watched.result.terminate_reason is TerminateReason.ERROR


@pytest.mark.req("003-API-exec")
async def test_wrong_inputs_and_tools_are_found_before_the_model_is_asked() -> None:
    model = Model()
    executor = AgentExecutor(model, [double])
    fields: dict[str, Any] = {"prompt": PromptConfig(query="Go to ${city}."), "inputs": {"inputs": {"city": {}}}}
    for inputs in ({}, {"city": 3}, {"town": "Köln"}, {"city": "Köln", "prompt": 3}):
        with pytest.raises(ConfigError):
            await executor.execute(define(**fields), inputs=inputs)
    with pytest.raises(ConfigError, match="nothing to do"):
        await executor.execute(define(""))
    with pytest.raises(ConfigError, match="no agent 'other'"):
        await executor.execute(define(tools={"agents": ["other"]}))
    with pytest.raises(ConfigError, match="a tool and an agent"):
        await AgentExecutor(model, [double], agents={"double": define()}).execute(define(tools={"agents": ["double"]}))
    with pytest.raises(InvalidToolError):
        await executor.execute(define(tools={"tools": ["dubble"]}))

    async def listener(_event: Any) -> None: ...

    with pytest.raises(ConfigError, match="async"):
        await executor.execute(define(), on_activity=listener)  # type: ignore[arg-type]
    assert model.requests == []
    result = await AgentExecutor(Model(says("ok"))).execute(
        define(**fields), inputs={"city": "Köln"}, cancel=CancelToken(), on_activity=lambda _event: None
    )
    assert result.messages[0].content == "Go to Köln."


async def test_a_listener_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_event: Any) -> None:
        raise RuntimeError("who cares")

    result = await AgentExecutor(Model(says("ok"))).execute(define(), on_activity=broken)
    assert result.success
    assert "on_activity failed for a turn_start" in caplog.text


async def test_an_empty_last_answer_is_not_replaced_by_an_earlier_one() -> None:
    watched = await watch(Model(calls(call("double", number=1), text="Let me see."), Response()), tools=[double])
    assert (watched.result.success, watched.result.output) == (True, "")


@pytest.mark.req("002-NG-state")
async def test_nothing_is_kept_between_executions_but_what_is_given_as_history() -> None:
    model = Model(says("One."), says("Two."), says("Three."))
    executor = AgentExecutor(model)
    first = await executor.execute(define(""), inputs={"prompt": "1?"})
    await executor.execute(define(""), inputs={"prompt": "2?"})
    third = await executor.execute(define(""), inputs={"prompt": "3?"}, history=first.messages)
    assert [len(request.messages) for request in model.requests] == [1, 1, 3]
    assert [message.content for message in third.messages] == ["1?", "One.", "3?", "Three."]


@pytest.mark.req("002-R7-per", "002-R7-cum", "003-NFR3-metrics")
async def test_usage_is_counted_for_each_turn_and_for_all() -> None:
    model = Model(calls(call("double", number=1), usage=(100, 20)), says("ok", usage=(150, 30)))
    watched = await watch(model, tools=[double])
    metrics = watched.result.metrics
    assert [event.usage for event in watched.events if isinstance(event, TurnEnded)] == [Usage(100, 20), Usage(150, 30)]
    assert (metrics.total_input_tokens, metrics.total_output_tokens, metrics.invocations) == (250, 50, 2)
    assert (metrics.turns, metrics.tool_calls) == (2, 1)
    assert metrics.duration_ms >= metrics.model_ms >= 0
    assert metrics.cost_usd == pytest.approx((250 * 3 + 50 * 15) / 1e6)
    assert {"total_input_tokens", "total_output_tokens", "invocations"} <= {
        field.name for field in dataclasses.fields(ExecutionMetrics)
    }


@pytest.mark.req("002-R8-error", "002-R8-kinds")
def test_an_agent_error_has_its_kind_its_message_and_its_cause() -> None:
    for kind in ("agent", "tool", "timeout", "rate_limit", "network", "invalid"):
        error = AgentError("What.", kind=kind, hint="Do this.")
        error.__cause__ = cause = ValueError("why")
        assert (error.kind, error.message, error.cause, str(error)) == (kind, "What.", cause, "What. Do this.")


@pytest.mark.req("003-NFR1-overhead", "003-NFR1-memory")
async def test_many_turns_are_no_burden() -> None:
    """What it costs exactly is measured by the benchmarks."""
    turns = 100
    model = Model(*(calls(call("double", f"c{n}", number=n)) for n in range(turns)), says("ok"))
    began = time.process_time()
    watched = await watch(model, define(run={"max_turns": None}), [double])
    assert watched.result.turn_count == turns + 1
    assert time.process_time() - began < turns * 0.1


@pytest.mark.parametrize(("choice", "then"), [("double", None), ("any", None), ("none", "none"), ("auto", "auto")])
async def test_a_tool_that_must_be_called_is_called_once(choice: str, then: str | None) -> None:
    model = Model(calls(call("double", number=2)), says("4"))
    config = {"tool_choice": choice, "top_p": 0.5, "stop_sequences": ["END"]}
    assert (await watch(model, define(model=config), [double])).result.success
    assert [request.config.tool_choice for request in model.requests] == [choice, then]
    assert {(request.config.top_p, request.config.stop_sequences) for request in model.requests} == {(0.5, ("END",))}
    with pytest.raises(InvalidToolError, match="tool_choice"):
        await watch(model, define(model={"tool_choice": "treble"}), [double])
