"""AgentResult and AgentUsage refuse what a caller could not work with."""

from __future__ import annotations

import dataclasses

import pytest

from maverick_tui import AgentError, AgentResult, AgentUsage

USAGE = AgentUsage(input_tokens=10, output_tokens=5, total_cost_usd=0.5, duration_ms=100)


@pytest.mark.req("001-AU-frozen", "001-RS-frozen")
@pytest.mark.parametrize("value", [USAGE, AgentResult(True, "x", usage=USAGE)], ids=["usage", "result"])
def test_values_are_frozen_and_slotted(value: object) -> None:
    field = dataclasses.fields(value)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, field, 1)
    assert not hasattr(value, "__dict__")


@pytest.mark.req("000-FR-008a", "000-FR-014", "001-RS-success")
def test_a_success_carries_everything() -> None:
    result = AgentResult.success_result("done", USAGE, {"session_id": "s"})
    assert (result.success, result.output, result.metadata, result.errors) == (True, "done", {"session_id": "s"}, [])
    assert result.usage is USAGE


@pytest.mark.req("001-RS-failure", "001-RS-types")
def test_a_failure_keeps_its_errors_and_its_partial_output() -> None:
    error = AgentError("It broke.")
    result = AgentResult.failure_result([error], USAGE, {"a": 1}, output="half a sen")
    assert (result.success, result.errors, result.output, result.metadata) == (False, [error], "half a sen", {"a": 1})
    with pytest.raises(TypeError, match="AgentError"):
        AgentResult.failure_result([ValueError("foreign")], USAGE)  # type: ignore[list-item]


@pytest.mark.req("000-FR-008b", "001-RS-inv")
def test_a_failure_without_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one error"):
        AgentResult(success=False, output="", usage=USAGE)
    with pytest.raises(ValueError, match="at least one error"):
        AgentResult.failure_result([], USAGE)


@pytest.mark.req("001-RS-output")
def test_output_may_be_empty_but_not_missing() -> None:
    assert AgentResult.success_result("", USAGE).output == ""
    with pytest.raises(TypeError, match="output"):
        AgentResult(success=True, output=None, usage=USAGE)  # type: ignore[arg-type]


@pytest.mark.req("001-RS-usage", "001-AU-required")
def test_what_has_no_default_is_required_though_it_stands_behind_what_has_one() -> None:
    with pytest.raises(TypeError, match="usage"):
        AgentResult(success=True, output="x")
    with pytest.raises(TypeError, match="duration_ms"):
        AgentUsage(1, 2)
    with pytest.raises(TypeError):
        AgentUsage(input_tokens=1, duration_ms=1)  # type: ignore[call-arg]
    assert [field.name for field in dataclasses.fields(AgentResult)] == [
        "success", "output", "metadata", "errors", "usage",
    ]  # fmt: skip


@pytest.mark.req("001-RS-defaults")
def test_defaults_are_not_shared() -> None:
    one, two = AgentResult(True, "", usage=USAGE), AgentResult(True, "", usage=USAGE)
    assert (one.metadata, one.errors) == ({}, [])
    assert one.metadata is not two.metadata
    assert one.errors is not two.errors


@pytest.mark.req("001-AU-cost", "000-AS-cost")
def test_cost_is_optional() -> None:
    assert AgentUsage(1, 2, duration_ms=3).total_cost_usd is None


@pytest.mark.req("001-AU-nonneg")
@pytest.mark.parametrize("field", ["input_tokens", "output_tokens", "total_cost_usd", "duration_ms"])
def test_negative_figures_are_refused(field: str) -> None:
    figures = {"input_tokens": 0, "output_tokens": 0, "total_cost_usd": 0.0, "duration_ms": 0}
    AgentUsage(**figures)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=field):
        AgentUsage(**{**figures, field: -1})  # type: ignore[arg-type]


@pytest.mark.req("001-AU-total")
def test_total_tokens() -> None:
    assert USAGE.total_tokens == 15
