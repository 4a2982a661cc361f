"""Limits: each of them, for a request and for a run, and known before the call where it can be."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic import ValidationError

from maverick_tui.exceptions import ConfigError, MalformedResponseError, NetworkError
from maverick_tui.executor import (
    Limits,
    Message,
    PromptConfig,
    Request,
    Response,
    TerminateReason,
    ToolCallFinished,
    Usage,
    tool,
)
from maverick_tui.executor.calls import NO_MORE_CALLS
from maverick_tui.executor.limits import RequestLimits
from maverick_tui.executor.model.pricing import price_of
from maverick_tui.executor.model.tokens import size_of, size_of_messages
from maverick_tui.executor.spending import Spending
from tests.executor.support import Model, Watched, call, calls, define, says, streaming, watch

SONNET = price_of("claude-sonnet-4-5")


@tool
async def step() -> str:
    """One more."""
    return "ok"


FIRST = size_of(Request([Message.user("Do it.")], [step])).likely
"""What the first request has the model read, and what the answer of the tool adds to the next."""
RESULT = size_of_messages([Message.result("s1", "ok")]).likely


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
    check_budget(watched, "limit on tool calls")
    assert [message.content for message in watched.result.messages[2:]] == ["ok", "ok", NO_MORE_CALLS]
    assert watched.result.metrics.tool_calls == 2
    assert len(model.requests) == 1
    watched, _ = await run(three, says("Done."), max_tool_calls=3)
    assert watched.result.success
    watched, _ = await run(turn(1), max_tool_calls=0)
    check_budget(watched, "limit on tool calls")


async def test_input_tokens_of_a_run_are_known_before_they_are_read() -> None:
    watched, model = await run(turn(1), turn(2, (110, 10)), says("never"), max_input_tokens=300)
    check_budget(watched, f"would read about {120 + RESULT} tokens, 90 are left (max_input_tokens)")
    assert len(model.requests) == 2


async def test_input_tokens_of_a_request() -> None:
    watched, model = await run(turn(1), says("never"), per_request={"max_input_tokens": 105})
    check_budget(watched, f"would read about {110 + RESULT} tokens, 105 are allowed (per_request.max_input_tokens)")
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
    check_budget(watched, f"would use about {111 + RESULT} tokens, 90 are left (max_total_tokens)")
    assert model.requests[0].config.most_tokens == 200 - FIRST
    watched, model = await run(turn(1), says("Done."), max_total_tokens=300)
    assert model.requests[1].config.most_tokens == 300 - 110 - 110 - RESULT


async def test_cost_of_a_run() -> None:
    # 100 tokens in and 10 out of a model for $3 and $15 are $0.00045.
    watched, model = await run(turn(1), turn(2), says("never"), max_cost_usd=0.00092)
    check_budget(watched, "is left (max_cost_usd)")
    assert len(model.requests) == 2
    first = model.requests[0].config.most_tokens
    assert first == int((0.00092 - FIRST * 3.75e-6) / 15 * 1e6), "all of it might be written to the cache"
    assert watched.result.metrics.cost_usd == pytest.approx(0.0009)


async def test_cost_of_a_request() -> None:
    watched, model = await run(says("Done."), per_request={"max_cost_usd": 0.0003})
    assert watched.result.success
    assert model.requests[0].config.most_tokens == int((0.0003 - FIRST * 3.75e-6) / 15 * 1e6)
    watched, model = await run(says("never"), per_request={"max_cost_usd": 0.00001})
    check_budget(watched, "is allowed (per_request.max_cost_usd)")
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
    check_budget(watched, "is left (max_cost_usd)")
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


# -- several at once ---------------------------------------------------------------------------------------------------


class Crowd:
    """Calls some helpers at once, each of which answers with as much as it may; `asked` is what they were allowed."""

    model = "claude-sonnet-4-5"

    def __init__(self, count: int, wanted: int, max_tokens: int | None = None) -> None:
        self.asked: list[int | None] = []
        self._count = count
        self._wanted = wanted
        self.under_way = self.most_under_way = 0
        if max_tokens is not None:
            self.max_tokens = max_tokens

    async def run(self, request: Request) -> Response:
        if request.parent:
            return await self._help(request)
        if len(request.messages) > 1:
            return says("Done.", usage=(0, 1))
        return calls(*(call("helper", f"h{number}", prompt="Go.") for number in range(self._count)), usage=(10, 5))

    async def _help(self, request: Request) -> Response:
        most = request.config.most_tokens
        self.asked.append(most)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0.01)
        self.under_way -= 1
        return says("x", usage=(0, min(self._wanted, self._wanted if most is None else most)))


async def crowd(model: Any, *, helper: dict[str, Any] | None = None, **limits: Any) -> Watched:
    agents = {"helper": define(name="helper", prompt=PromptConfig(), **(helper or {}))}
    return await watch(model, define(tools={"agents": ["helper"]}, run=limits), agents=agents)


@pytest.mark.parametrize(
    ("limits", "used"),
    [
        ({"max_output_tokens": 1_000}, lambda metrics: metrics.usage.output_tokens <= 1_000),
        ({"max_total_tokens": 1_000}, lambda metrics: metrics.usage.total <= 1_000),
        ({"max_cost_usd": 0.015}, lambda metrics: metrics.cost_usd <= 0.015),
    ],
    ids=["output", "total", "cost"],
)
async def test_helpers_that_run_at_once_cannot_spend_the_same_rest(limits: dict[str, Any], used: Any) -> None:
    model = Crowd(10, wanted=400)
    watched = await crowd(model, **limits)
    assert used(watched.result.metrics), watched.result.metrics
    assert len(model.asked) >= 2, "what one has left over is for the next"
    assert model.most_under_way == 1, "each of them might use all of it"


async def test_helpers_run_side_by_side_as_far_as_the_limit_has_room_for_their_answers() -> None:
    model = Crowd(6, wanted=400, max_tokens=500)
    watched = await crowd(model, max_output_tokens=2_105)
    assert watched.result.metrics.usage.output_tokens <= 2_105
    assert model.most_under_way == 5, "four for 500, one for the rest"
    model = Crowd(6, wanted=400)
    await crowd(model, helper={"model": {"max_tokens": 500}}, max_output_tokens=2_105)
    assert model.most_under_way == 5, "the same where the definition says how long an answer may be"
    model = Crowd(6, wanted=400)
    await crowd(model)
    assert model.most_under_way == 6
    assert model.asked == [None] * 6


async def test_a_limit_is_looked_at_again_after_a_back_off() -> None:
    """Meanwhile others may have used what was left."""
    tried = 0

    class Busy(Crowd):
        async def _help(self, request: Request) -> Response:
            nonlocal tried
            if request.parent != "h0":
                return await super()._help(request)
            tried += 1
            raise NetworkError("It is down.")

    model = Busy(2, wanted=995)
    helper = {"run": {"retry": {"base_delay": 0.1, "jitter": 0.0}}}
    watched = await crowd(model, helper=helper, max_output_tokens=1_000)
    assert tried == 1
    [told] = [e.result for e in watched.events if isinstance(e, ToolCallFinished) and e.tool_call_id == "h0"]
    assert "(budget)" in told
    assert "all output tokens are used" in told


async def test_what_was_set_aside_is_free_again_however_a_request_ends() -> None:
    class Ends(Crowd):
        async def _help(self, request: Request) -> Response:
            self.asked.append(request.config.most_tokens)
            if request.parent == "h0":
                raise MalformedResponseError("It is broken.")
            if request.parent == "h1":
                await asyncio.sleep(30)
            return says("x", usage=(0, 100))

    model = Ends(4, wanted=0)
    watched = await crowd(model, helper={"run": {"timeout_ms": 50}, "tools": {}}, max_output_tokens=1_000)
    assert model.asked[:2] == [995, 995], "the one that failed has used nothing"
    assert watched.result.success


def test_what_is_set_aside_counts_for_everyone_above_until_it_is_given_free() -> None:
    above = Spending(Limits(max_total_tokens=1_000, max_cost_usd=1))
    one, two = Spending(Limits(max_output_tokens=600), above), Spending(Limits(), above)
    one.add(Usage(50, 50), 0.0)
    release = one.hold(300, SONNET)
    assert two.left("max_total_tokens") == 1_000 - 100 - (100 + 300)
    assert two.left("max_total_tokens", beside_held=False) == 900
    assert one.most_output(SONNET) == 250
    again = two.hold(None, SONNET)
    assert two.left("max_total_tokens") == 0, "all of the rest, if nobody says how long an answer may be"
    assert two.objection(SONNET, beside_held=True)
    assert not two.objection(SONNET)
    again()
    release()
    assert (above.held, above.held_cost, one.held) == (Usage(), 0.0, Usage())
    assert two.left("max_total_tokens") == 900


async def test_without_limits_nothing_is_reckoned(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError

    for name in ("left", "_money_left", "_used", "_hold"):
        monkeypatch.setattr(Spending, name, never)
    spending = Spending(Limits(), Spending(Limits()))
    spending.hold(5, SONNET)()
    assert (spending.objection(SONNET), spending.most_output(SONNET), spending.overrun()) == (None, None, None)
