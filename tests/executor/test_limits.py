"""Limits: each of them, for a request and for a run, and known before the call where it can be."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.executor import Limits, Request, Response, TerminateReason, Usage, tool
from maverick_tui.executor.calls import NO_MORE_CALLS
from maverick_tui.executor.limits import RequestLimits, Spending
from maverick_tui.executor.pricing import price_of
from tests.executor.support import Model, Watched, call, calls, define, says, streaming, watch

SONNET = price_of("claude-sonnet-4-5")


@tool
async def step() -> str:
    """One more."""
    return "ok"


async def run(*answers: Any, **limits: Any) -> tuple[Watched, Model]:
    model = Model(*answers)
    return await watch(model, define(run={"retry": {"base_delay": 0.0}, **limits}), [step]), model


def turn(number: int, usage: tuple[int, int] = (100, 10)) -> Response:
    return calls(call("step", f"s{number}"), usage=usage)


def check_budget(watched: Watched, words: str) -> None:
    result = watched.result
    assert result.terminate_reason is TerminateReason.BUDGET
    assert not result.success
    assert words in str(result.error)
    assert watched.kinds[-1] == "error"


async def test_tool_calls() -> None:
    three = calls(*(call("step", f"s{number}") for number in range(3)))
    watched, model = await run(three, says("never"), max_tool_calls=2)
    check_budget(watched, "limit of tool calls")
    assert [message.content for message in watched.result.messages[2:]] == ["ok", "ok", NO_MORE_CALLS]
    assert watched.result.metrics.tool_calls == 2
    assert len(model.requests) == 1
    watched, _ = await run(three, says("Done."), max_tool_calls=3)
    assert watched.result.success
    watched, _ = await run(turn(1), max_tool_calls=0)
    check_budget(watched, "limit of tool calls")


async def test_input_tokens_of_a_run_are_known_before_they_are_read() -> None:
    watched, model = await run(turn(1), turn(2, (110, 10)), says("never"), max_input_tokens=300)
    check_budget(watched, "would read 120 tokens or more, 90 are left")
    assert len(model.requests) == 2


async def test_input_tokens_of_a_request() -> None:
    watched, model = await run(turn(1), says("never"), per_request={"max_input_tokens": 105})
    check_budget(watched, "would read 110 tokens or more, 105 are allowed")
    assert len(model.requests) == 1


async def test_output_tokens_of_a_run_bound_the_answer_and_end_the_run() -> None:
    watched, model = await run(turn(1), turn(2), turn(3), says("never"), max_output_tokens=30)
    check_budget(watched, "all output tokens are used")
    assert [request.config.most_tokens for request in model.requests] == [30, 20, 10]


async def test_output_tokens_of_a_request() -> None:
    watched, model = await run(turn(1), says("Done."), per_request={"max_output_tokens": 70}, max_output_tokens=75)
    assert watched.result.success
    assert [request.config.most_tokens for request in model.requests] == [70, 65]
    assert model.requests[0].config.max_tokens is None, "the agent's own default is not raised"


async def test_total_tokens() -> None:
    watched, model = await run(turn(1), says("never"), max_total_tokens=200)
    check_budget(watched, "would use 110 tokens or more, 90 are left")
    assert model.requests[0].config.most_tokens == 200
    watched, model = await run(turn(1), says("Done."), max_total_tokens=300)
    assert model.requests[1].config.most_tokens == 300 - 110 - 110


async def test_cost_of_a_run() -> None:
    # 100 tokens in and 10 out of a model for $3 and $15 are $0.00045.
    watched, model = await run(turn(1), turn(2), says("never"), max_cost_usd=0.00092)
    check_budget(watched, "are left")
    assert len(model.requests) == 2
    first = model.requests[0].config.most_tokens
    assert first == int(0.00092 / 15 * 1e6)
    assert watched.result.metrics.cost_usd == pytest.approx(0.0009)


async def test_cost_of_a_request() -> None:
    watched, model = await run(says("Done."), per_request={"max_cost_usd": 0.0003})
    assert watched.result.success
    assert model.requests[0].config.most_tokens == 20
    watched, model = await run(says("never"), per_request={"max_cost_usd": 0.00001})
    check_budget(watched, "would not do")
    assert model.requests == [], "it is known before anything is spent"


async def test_a_limit_in_dollars_needs_a_price() -> None:
    model = Model()
    model.model = "some-local-model"
    with pytest.raises(ConfigError, match="price of some-local-model is unknown"):
        await watch(model, define(run={"max_cost_usd": 1}))
    model = Model(says("Done."))
    model.model = "some-local-model"
    assert (await watch(model)).result.metrics.cost_usd is None


async def test_an_answer_of_a_model_without_a_price_counts_as_one_of_the_model_that_was_asked() -> None:
    """A gateway may call its models what it likes; the limit holds nevertheless."""
    strange = [Response("", (call("step", f"s{n}"),), Usage(100, 10), model="gateway/x") for n in range(5)]
    watched, model = await run(*strange, max_cost_usd=0.00092)
    check_budget(watched, "are left")
    assert len(model.requests) == 2
    assert watched.result.metrics.cost_usd == pytest.approx(0.0009)


async def test_attempts_that_fail_are_paid_for_and_checked() -> None:
    async def breaks(request: Request) -> Response:
        await streaming(says("", usage=(100, 1)), "Half")(request)  # type: ignore[operator]
        raise NetworkError("It broke.")

    watched, model = await run(breaks, breaks, breaks, says("never"), max_input_tokens=250)
    result = watched.result
    assert result.terminate_reason is TerminateReason.BUDGET
    assert len(model.requests) == 2
    assert result.metrics.usage == Usage(200, 2)
    assert result.raw_content == "Half"
    assert result.metrics.retries == 1


async def test_without_limits_there_are_none() -> None:
    watched, model = await run(*(turn(number, (10**6, 10**6)) for number in range(60)), says("Done."), max_turns=None)
    assert watched.result.success
    assert {request.config.most_tokens for request in model.requests} == {None}
    assert Limits().max_turns == 50


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_turns": 0},
        {"timeout_ms": -1},
        {"timeout_ms": float("inf")},
        {"max_tool_calls": -1},
        {"max_cost_usd": 0},
        {"max_tokens": 3},
        {"per_request": {"max_turns": 3}},
    ],
)
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Limits(**wrong)


def test_spending_counts_for_everyone_above() -> None:
    above = Spending(Limits(max_total_tokens=1_000, max_tool_calls=2, max_cost_usd=1))
    below = Spending(Limits(max_total_tokens=500), above)
    assert below.left("max_total_tokens") == 500
    above.add(Usage(700, 0), 0.5)
    assert below.left("max_total_tokens") == 300
    assert below.most_output(SONNET) == 300
    below.add(Usage(50, 50, 25, 25), None)
    assert above.usage == Usage(750, 50, 25, 25)
    assert (above.cost_usd, below.cost_usd) == (None, None), "the price of a part is not known"
    assert above.known_cost == 0.5, "but what is known still counts"
    assert below.needs_price
    assert [below.count_tool_call() for _ in range(3)] == [True, True, False]
    assert (above.tool_calls, below.tool_calls) == (2, 2)
    assert below.left("max_input_tokens") is None


def test_what_the_next_request_will_read_at_least() -> None:
    spending = Spending(Limits())
    spending.add(Usage(100, 40, 5, 5), 0.0)
    assert spending.next_input == 150, "what was read, and what was answered"
    spending.add(Usage(100, 40, 5, 5), 0.0, is_void=True)
    assert spending.next_input == 110, "an answer that is void is not sent back"


def test_nothing_left_for_an_answer_is_an_objection() -> None:
    """Not a request for zero tokens, which would be one without a limit."""
    assert SONNET is not None
    spending = Spending(Limits(per_request=RequestLimits(max_cost_usd=0.9 * SONNET.output / 1e6)))
    assert spending.most_output(SONNET) == 0
    assert spending.objection(SONNET)
