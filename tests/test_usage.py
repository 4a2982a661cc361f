"""Usage is added and subtracted; what nobody knows the price of costs nothing, and not everything."""

from __future__ import annotations

import pytest

from maverick_tui import AgentUsage
from maverick_tui.usage import Usage

SOME = Usage(10, 5, 3, 2, 0.5, 100)


def test_both_together_and_one_without_the_other() -> None:
    assert Usage(20, 10, 6, 4, 1.0, 200) == SOME + SOME
    assert SOME + SOME - SOME == SOME
    assert Usage(1) - Usage(3) == Usage(-2), "a correction"
    assert SOME.tokens == (10, 5, 3, 2)


@pytest.mark.parametrize(
    ("one", "other", "both", "left"),
    [(None, None, None, None), (0.5, None, 0.5, 0.5), (None, 0.5, 0.5, None), (0.25, 0.5, 0.75, 0.0)],
)
def test_a_price_that_is_not_known_changes_none(
    one: float | None, other: float | None, both: float | None, left: float | None
) -> None:
    assert (Usage(cost_usd=one) + Usage(cost_usd=other)).cost_usd == both
    assert (Usage(cost_usd=one) - Usage(cost_usd=other)).cost_usd == left


def test_results_have_the_same_figures() -> None:
    assert AgentUsage.of(SOME).figures == SOME
