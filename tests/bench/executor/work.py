"""The work of every contender: a model that calls the same typed tool each turn, and then says that it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, TypeAlias

from maverick_tui.offline.script import Script
from tests.support.model import as_script, call, say

SYSTEM = "You are a careful clerk who weighs parcels."
TASK = "Weigh every parcel in the list."
DONE = "All parcels are weighed."
TOOL = "weigh"
MODEL = "claude-sonnet-4-5-20250929"
KEY = "not-a-real-key"

Weigh: TypeAlias = Callable[[str, int, bool], Awaitable[dict[str, float]]]
Run: TypeAlias = Callable[[], Awaitable[None]]


@dataclass(frozen=True)
class Job:
    """How many turns call the tool, and where the scripted model listens, if it is not in memory."""

    turns: int
    url: str = ""

    @property
    def requests(self) -> int:
        """How often the model is asked; the last answer calls no tool."""
        return self.turns + 1


Contender: TypeAlias = Callable[[Job], AbstractAsyncContextManager[Run]]
"""Makes everything ready, off the clock, and gives what is measured."""


def arguments(turn: int) -> dict[str, Any]:
    """What the tool is called with."""
    return {"item": f"parcel {turn}", "count": turn, "is_fragile": turn % 2 == 0}


def weighing() -> tuple[Weigh, list[str]]:
    """The tool, and what it was called for."""
    weighed: list[str] = []

    async def weigh(item: str, count: int, is_fragile: bool) -> dict[str, float]:
        """Weigh a number of equal parcels and tell their weight in kilograms."""
        weighed.append(item)
        return {"each": 1.5, "all": 1.5 * count + (0.1 if is_fragile else 0.0)}

    return weigh, weighed


def check(job: Job, weighed: list[str], answer: object) -> None:
    """Raise unless all of the work was done: what is left out takes no time."""
    expected = [arguments(turn)["item"] for turn in range(job.turns)]
    if weighed != expected or answer != DONE:
        raise RuntimeError(f"{len(weighed)} of {job.turns} calls were made, and the answer is {answer!r}")


def script(job: Job) -> Script:
    """The same for the scripted model."""
    return as_script([*(call(TOOL, **arguments(turn)) for turn in range(job.turns)), say(DONE)])
