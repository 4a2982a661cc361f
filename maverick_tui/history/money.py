"""What runs have cost, as people read it: a tilde stands before an estimate, and nothing for nothing."""

from __future__ import annotations

from collections.abc import Iterable

from maverick_tui.history.listed import NOT_READ, ListedRun
from maverick_tui.runs.figures import dollars


def amount(usd: float | None, *, is_estimate: bool) -> str:
    """An amount that may be an estimate."""
    return f"{'~' if is_estimate else ''}{dollars(usd)}" if usd else ""


def cost_of(run: ListedRun) -> str:
    """What a run has cost."""
    return amount(run.about.cost_usd, is_estimate=run.about.is_estimate)


def cost_of_all(runs: Iterable[ListedRun]) -> str:
    """What runs have cost together, nothing of it twice: an estimate if it is one of any of them."""
    paid = [run for run in runs if run.about.cost_usd]
    spent = sum(max(0.0, (run.about.cost_usd or 0.0) - run.copied_usd) for run in paid)
    return amount(spent, is_estimate=any(run.about.is_estimate for run in paid))


def unread_of(runs: Iterable[ListedRun]) -> str:
    """How many of them are sessions whose cost is not known yet; empty if it is of all."""
    unread = sum(run.is_unread for run in runs)
    return f"{unread:,} {NOT_READ}" if unread else ""
