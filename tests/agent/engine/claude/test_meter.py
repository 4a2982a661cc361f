"""What a turn has used, out of totals that run on, also over CLIs that were replaced."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from claude_agent_sdk import ResultMessage

from maverick_tui import AgentUsage
from maverick_tui.agent.engine.claude.meter import Meter
from maverick_tui.usage import Usage


def result(tokens: int, cost: float | None, api_ms: int = 0, model: dict[str, str] | None = None) -> ResultMessage:
    """A result whose running totals are these."""
    used: Any = {"m": {"inputTokens": tokens, "outputTokens": tokens // 10, "contextWindow": 200, **(model or {})}}
    return ResultMessage("success", 1, api_ms, False, 1, "s", total_cost_usd=cost, model_usage=used)


def streamed(tokens: int) -> list[dict[str, int]]:
    return [{"input_tokens": tokens, "output_tokens": tokens // 10}]


def test_each_result_is_told_from_the_one_before() -> None:
    meter = Meter()
    first = meter.read(result(100, 1.0, 50), streamed(100)).own
    second = meter.read(result(300, 1.5, 80), streamed(200)).own
    assert first.model_usage == {"m": {"inputTokens": 100, "outputTokens": 10, "contextWindow": 200}}
    assert second.model_usage == {"m": {"inputTokens": 200, "outputTokens": 20, "contextWindow": 200}}
    assert (second.total_cost_usd, second.duration_api_ms) == (0.5, 30)


@pytest.mark.parametrize("kept", [0, 100, 300])
def test_a_resumed_cli_may_count_on_from_any_of_its_earlier_ends(kept: int) -> None:
    meter = Meter()
    meter.read(result(100, 1.0), streamed(100))
    meter.restart()
    meter.read(result(300, 3.0), streamed(200))
    meter.restart()
    reading = meter.read(result(kept + 50, kept / 100 + 0.5), streamed(50))
    assert reading.own.model_usage is not None
    assert reading.own.model_usage["m"]["inputTokens"] == 50
    told = AgentUsage(kept + 50, (kept + 50) // 10, kept / 100 + 0.5, 7).figures - reading.resumed_from
    assert (told.input_tokens, told.output_tokens) == (50, 5)
    assert told.cost_usd == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("cost", "model", "is_estimate"),
    [(1.0, {"costBasis": "list"}, False), (1.0, {}, False), (1.0, {"costBasis": "unknown"}, True), (None, {}, True)],
)
def test_a_price_that_is_not_known_is_an_estimate(cost: float | None, model: dict[str, str], is_estimate: bool) -> None:
    assert Meter().read(result(1, cost, model=model), ()).is_estimate is is_estimate


def test_the_time_of_a_turn_is_its_own_also_in_a_conversation_of_another_time() -> None:
    meter = Meter([Usage(100, 10, cost_usd=1.0, duration_ms=60_000)])
    meter.restart()
    reading = meter.read(result(150, 1.5), streamed(50))
    assert reading.resumed_from.input_tokens == 100
    assert reading.resumed_from.duration_ms == 0
    assert 0 <= reading.own.duration_api_ms <= reading.own.duration_ms


def test_an_answer_that_broke_off_counts_though_the_cli_forgets_it() -> None:
    usage = Meter().read(result(0, 0.0), streamed(40)).usage(streamed(40))
    assert (usage.input_tokens, usage.output_tokens) == (40, 4)


def test_what_was_interrupted_in_a_resumed_cli_is_not_charged_with_what_came_before() -> None:
    meter = Meter([Usage(100, 10, cost_usd=1.0), Usage(300, 30, cost_usd=3.0)])
    meter.restart()
    cut = replace(result(300, 3.0), terminal_reason="aborted_streaming")
    reading = meter.read(cut, streamed(50))
    assert reading.resumed_from.input_tokens == 300
    assert reading.own.total_cost_usd == 0.0
