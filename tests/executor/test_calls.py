"""The tool calls of a turn: side by side, bounded, and whatever happens to one, the model gets an answer for it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from maverick_tui.executor import (
    Message,
    Role,
    TerminateReason,
    Thought,
    ToolCall,
    ToolCallFinished,
    ToolContext,
    tool,
)
from tests.executor.support import Model, call, calls, define, says, watch


@tool
def double(number: int) -> int:
    """Twice as much."""
    return 2 * number


@tool
async def fail() -> str:
    """Never works."""
    raise ValueError("out of order")


def results(watched: Any) -> dict[str, ToolCallFinished]:
    return {event.tool_call_id: event for event in watched.events if isinstance(event, ToolCallFinished)}


@pytest.mark.req("003-EH-tool", "002-R8-use")
@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (call("fail"), "ValueError: out of order"),
        (call("dubble"), "There is no tool named 'dubble'. Did you mean 'double'?"),
        (call("double", number="x"), "The arguments of double are wrong: number:"),
        (call("double"), "The arguments of double are wrong: number: Field required"),
        (ToolCall("i", "double", invalid="{oops"), "are not a JSON object: {oops"),
    ],
)
async def test_a_failing_call_is_told_to_the_model_and_the_loop_goes_on(wanted: ToolCall, told: str) -> None:
    watched = await watch(Model(calls(wanted), says("A pity.")), tools=[double, fail])
    ended = results(watched)[wanted.id]
    assert ended.is_error
    assert ended.result.startswith(told) or told in ended.result
    assert watched.result.messages[2] == Message.result(wanted.id, ended.result, is_error=True)
    assert watched.result.success


async def test_a_tool_that_leaves_in_an_unusual_way_is_an_error_for_the_model() -> None:
    @tool
    async def gone() -> str:
        """Waits for something that was cancelled."""
        other = asyncio.get_running_loop().create_future()
        other.cancel()
        await other
        return "never"

    @tool
    def leave() -> str:
        """Wants the program to end."""
        raise SystemExit(3)

    @tool
    async def panic() -> str:
        """As what a library in Rust raises."""
        raise BaseExceptionGroup("panicked", [GeneratorExit()])

    @tool
    def interrupted() -> str:
        """As if somebody had pressed Ctrl+C."""
        raise KeyboardInterrupt

    @tool
    def speechless() -> str:
        """Raises what cannot be told."""

        class Untold(Exception):
            def __str__(self) -> str:
                raise ValueError("no")

        raise Untold

    @tool
    def strange() -> object:
        """Returns what JSON cannot carry."""
        return object()

    odd = [gone, leave, panic, interrupted, speechless, strange]
    wanted = [*(call(one.name) for one in odd), call("double", number=4)]
    watched = await watch(Model(calls(*wanted), says("I see.")), tools=[*odd, double])
    ended = results(watched)
    assert watched.result.success
    assert ended["id-gone"].result.startswith("CancelledError")
    assert "3" in ended["id-leave"].result
    assert "panicked" in ended["id-panic"].result
    assert ended["id-interrupted"].result.startswith("KeyboardInterrupt")
    assert ended["id-speechless"].result.startswith("Untold")
    assert "serialize" in ended["id-strange"].result
    assert ended["id-double"].result == "8"


@pytest.mark.req("003-FR2-parallel")
async def test_the_calls_of_a_turn_run_side_by_side_and_answer_in_order() -> None:
    meeting = asyncio.Barrier(3)

    @tool
    async def meet(name: str) -> str:
        """Waits for the others."""
        await meeting.wait()
        return name

    wanted = [call("meet", f"m{number}", name=f"n{number}") for number in range(3)]
    watched = await watch(Model(calls(*wanted), says("All there.")), tools=[meet])
    assert [m.content for m in watched.result.messages if m.role is Role.TOOL_RESULT] == ["n0", "n1", "n2"]
    assert watched.kinds[1:4] == ["tool_call_start"] * 3


async def test_no_more_calls_at_once_than_wanted() -> None:
    busy, most = 0, 0

    @tool
    async def work() -> None:
        """Counts who works at the same time."""
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.005)
        busy -= 1

    wanted = [call("work", f"w{number}") for number in range(7)]
    await watch(Model(calls(*wanted), says("ok")), define(tools={"max_parallel": 2}), [work])
    assert most == 2


async def test_a_tool_that_takes_too_long_is_an_error_for_the_model() -> None:
    seen: list[float | None] = []

    @tool(timeout=0.02)
    async def slow(context: ToolContext) -> str:
        """Takes its time."""
        seen.append(context.deadline)
        await asyncio.sleep(30)
        return "late"

    @tool
    def stuck() -> str:
        """Blocks its thread."""
        time.sleep(0.3)
        return "late"

    watched = await watch(
        Model(calls(call("slow"), call("stuck")), says("ok")), define(tools={"timeout_ms": 50}), [slow, stuck]
    )
    ended = results(watched)
    assert ended["id-slow"].result.strip() == "slow took longer than 0.02 s."
    assert ended["id-stuck"].result.strip() == "stuck took longer than 0.05 s."
    assert seen[0] is not None


async def test_a_timeout_of_the_tools_own_is_not_taken_for_ours() -> None:
    @tool
    async def impatient() -> str:
        """Gives up by itself."""
        raise TimeoutError("the other side is slow")

    watched = await watch(Model(calls(call("impatient")), says("ok")), tools=[impatient])
    assert results(watched)["id-impatient"].result == "TimeoutError: the other side is slow"


@pytest.mark.parametrize("is_error", [False, True])
async def test_long_results_are_cut_with_a_note(is_error: bool) -> None:
    @tool
    def long() -> str:
        """Says too much."""
        if is_error:
            raise ValueError("x" * 5_000)
        return "x" * 5_000

    watched = await watch(Model(calls(call("long")), says("ok")), define(tools={"max_result_chars": 100}), [long])
    text = results(watched)["id-long"].result
    assert len(text) < 200
    assert "characters are left out]" in text


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"a": [1, None]}, '{"a":[1,null]}'),
        (None, ""),
        ("as it is", "as it is"),
        (Thought("a", "b"), '{"text":"a","signature":"b","redacted":""}'),
    ],
)
async def test_results_of_any_kind_reach_the_model(value: Any, told: str) -> None:
    @tool
    async def give() -> Any:
        """Returns it."""
        return value

    watched = await watch(Model(calls(call("give")), says("ok")), tools=[give])
    assert results(watched)["id-give"].result == told


@pytest.mark.req("003-FR2-signal")
async def test_a_tool_that_completes_ends_the_loop_and_its_value_is_the_output() -> None:
    @tool(completes=True)
    async def hand_in(answer: list[int]) -> list[int]:
        """Ends the work."""
        return answer

    model = Model(calls(call("hand_in", answer=[1, 2]), call("double", number=1), text="Here."))
    watched = await watch(model, tools=[hand_in, double])
    result = watched.result
    assert (result.success, result.output, result.raw_content) == (True, [1, 2], "Here.")
    assert result.terminate_reason is TerminateReason.COMPLETE
    assert result.messages[-1].role is Role.TOOL_RESULT
    failed = await watch(Model(calls(call("hand_in", answer="x")), says("Sorry.")), tools=[hand_in])
    assert failed.result.output == "Sorry."


async def test_only_the_tools_of_the_definition_are_offered() -> None:
    model = Model(calls(call("fail")), says("ok"))
    watched = await watch(model, define(tools={"tools": ["double"]}), [double, fail])
    assert [one.name for one in model.requests[0].tools] == ["double"]
    assert "no tool named 'fail'" in results(watched)["id-fail"].result


async def test_calls_with_ids_that_are_taken_or_missing_get_one_of_their_own() -> None:
    """There are endpoints that count anew in each answer."""
    twice = calls(call("double", "c", number=1), call("double", "c", number=2), ToolCall("", "double", {"number": 3}))
    watched = await watch(Model(twice, calls(call("double", "c", number=4)), says("ok")), tools=[double])
    answers = {m.tool_call_id: m.content for m in watched.result.messages if m.role is Role.TOOL_RESULT}
    assert answers == {"c": "2", "c_2": "4", "call": "6", "c_3": "8"}
