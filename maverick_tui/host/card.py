"""The card of a run that is not followed: what its host has told of it."""

from __future__ import annotations

from typing import Any

from maverick_tui.events.background import behind_of
from maverick_tui.host.live import LiveRun
from maverick_tui.inert import one_line
from maverick_tui.runs.card import NO_ANSWER, RunCard

_PHASES = {"asks": "asking", "waits": "waiting"}
"""What the store of a run calls these."""


def live_card(run: LiveRun, now: float, tags: tuple[str, ...] = ()) -> RunCard:
    """The card of a run by what was told of it just now. An older host tells less, and the card has less."""
    told = run.state
    shift = now - told["told_at"] if run.machine and told.get("told_at") else 0.0

    def moment(name: str) -> float:
        """By the clock here, whatever that of its machine says."""
        at = told.get(name) or 0.0
        return at + shift if at else 0.0

    return RunCard(
        run.run_id,
        run.machine,
        one_line(str(told.get("agent") or (run.host.agent if run.host is not None else ""))),
        one_line(str(told.get("name", ""))),
        one_line(str(told.get("first_prompt") or ("" if told.get("name") else run.title))),
        NO_ANSWER if run.is_silent else _phase(run, told),
        _about(told),
        moment("doing_since") or moment("last_at"),
        moment("last_at") if told.get("told_at") else 0.0,
        moment("until") or None,
        one_line(str(told.get("last_line", ""))),
        told.get("steps_done") or 0,
        told.get("steps") or 0,
        told.get("files") or 0,
        _lines(told.get("added")),
        _lines(told.get("deleted")),
        told.get("tokens") or 0,
        told.get("cost_usd"),
        one_line(str(told.get("cost_sign", ""))),
        told.get("turns_took") or 0.0,
        moment("turn_began") or None,
        run.started_at or 0.0,  # as it was told: by it rows are sorted, and must not change places
        tags,
        is_out_of_reach=not run.has_host and not run.machine,
        behind=tuple(behind_of(told.get("background"))),
    )


def _phase(run: LiveRun, told: Any) -> str:
    if run.phase == "working":
        return str(told.get("doing") or "") or "tool"  # an older host does not say what: a tool may take its time
    return _PHASES.get(run.phase, run.phase)


def _lines(told: object) -> int | None:
    """How many; None where the host does not know, or is too old to tell."""
    return told if type(told) is int else None


def _about(told: Any) -> str:
    if about := told.get("about"):
        return one_line(str(about))
    from maverick_tui.runs.tool_text import describe

    return one_line(describe(str(next(iter(told.get("asks") or ()), ""))))
