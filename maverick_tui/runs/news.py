"""News: what a person wants to hear of a run while they look elsewhere, in a few words."""

from __future__ import annotations

from typing import Literal, NamedTuple

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.inert import cut_at, one_line
from maverick_tui.masking.redact import redact
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.own_questions import is_own
from maverick_tui.runs.status import clock
from maverick_tui.runs.tool_text import describe

LONGEST = 160
QUIET_FOR = 2.0
"""Seconds within which questions that follow each other are news only once."""

NEEDS_YOU = "needs you"
"""What the news of a question begins with."""
NO_FAILURE = ("", "closed", "cancelled")
"""Reasons of an end that is no failure."""

Kind = Literal["asks", "failed", "done", "ended"]


class News(NamedTuple):
    """What has happened, as a word for programs and as a text for people."""

    kind: Kind
    text: str


def news_of(event: Event) -> News | None:
    """What there is to tell of this event; whether anybody has to hear it, others know."""
    match event:
        case ev.PermissionAsked() if is_own(event.call):
            return News("asks", "needs you: it is held at its fuse")
        case ev.PermissionAsked(tool="AskUserQuestion"):
            return News("asks", f"{NEEDS_YOU}: it asks a question")
        case ev.PermissionAsked():
            return News("asks", shortened(f"{NEEDS_YOU}: {describe(event.tool)} wants permission"))
        case ev.ConnectFailed():
            return News("failed", shortened(f"not connected: {event.failure.message}"))
        case ev.TurnEnded(outcome="interrupted"):
            return None  # somebody wanted that
        case ev.TurnEnded() if event.failure is not None or event.outcome == "failed":
            why = event.failure.message if event.failure else ""
            return News("failed", shortened(f"failed: {why}" if why else "failed"))
        case ev.TurnEnded(outcome="done"):
            cost = event.usage.cost_usd
            price = "" if cost is None else f", {'~' if event.is_estimate else ''}{dollars(cost)}"
            return News("done", f"done in {clock(event.usage.duration_ms / 1000)}{price}")
    return None


def shortened(text: str) -> str:
    """The text in one short line that steers nothing and has no secret in it."""
    text = one_line(redact(text))
    return text[: cut_at(text, LONGEST)]
