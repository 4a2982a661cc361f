"""The stops of the tour: who is asked what, and what there is to see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maverick_tui.events.kinds import TurnStarted


@dataclass(frozen=True, slots=True)
class Stop:
    """One agent, its prompt, and what it shows; `breaks` if its stream is meant to break."""

    agent: str
    prompt: str
    shows: str
    breaks: bool = False


GOES_ON = "Continue exactly where it stopped"
"""Part of what the application's key for it says; the script has an answer to that."""

TOUR = (
    Stop(
        "explorer",
        "Show me around: what happens between adding a product and its receipt?",
        "Reads the code, then answers at length.",
    ),
    Stop(
        "implementer",
        "A test fails: 15 tea bags get a discount of 1.48 instead of 1.49. Fix it.",
        "Thinks, plans, sees the tests fail, edits, and sees them pass.",
    ),
    Stop(
        "test-writer",
        "Nothing checks where free shipping begins. Write the tests.",
        "Writes tests, and breaks the code on purpose to see them fail.",
    ),
    Stop(
        "reviewer",
        "Review the branch coupons against main, committed work only.",
        "Reads a real diff and finds what would break.",
    ),
    Stop(
        "lead",
        "We want to offer gift wrapping at 2.50 an order. What has to change?",
        "An agent of the repository's own, which sends a subagent ahead.",
    ),
    Stop(
        "planner",
        "Shipping to Switzerland should cost 14.50, and never be free. Plan it.",
        "Runs on the other engine: straight to the model API.",
    ),
    Stop(
        "tasks",
        "Tea bags are low, urgent! The certificate runs out. Coupon mail: answered.",
        "The to-do assistant, with a real database.",
    ),
    Stop(
        "documenter",
        "Check the README against the code.",
        "Its stream breaks on purpose; what came before is kept.",
        breaks=True,
    ),
)


def prompts() -> Mapping[str, str]:
    """What to ask an agent, by its name: the demo has an answer to these."""
    return {stop.agent: stop.prompt for stop in TOUR}


_OF_TASKS = re.compile(
    r"(?:please )?(?:add|new|remind me to|remember to|i (?:need|have) to|list|show|complete|finish|tick|check|mark|"
    r"done|delete|remove|clear|forget|yes)\b|.*(?:what|which|\?\s*$|\w (?:is|are) done\W*$)",
    re.IGNORECASE,
)
"""What the demo's to-do assistant reads besides, as its scenes say: the tasks are really kept."""


def off_script(turn: TurnStarted, expected: str) -> str:
    """What to say where something else was typed than what the demo has an answer to."""
    known, text = prompts(), turn.text.strip()
    if expected not in known.values() or turn.origin != "person" or text == expected or GOES_ON in text:
        return ""
    if expected == known["tasks"]:
        words = "The demo's answers are written in advance: it reads what begins with add, list, complete or delete."
        return "" if _OF_TASKS.match(text) else words
    return f"The demo's answers are written in advance. This is the one to: {expected}"
