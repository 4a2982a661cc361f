"""Questions that a run itself asks, and no tool of its agent: how they are known. Light: the first frame imports it."""

from __future__ import annotations

LEAVES_PLANNING = "ExitPlanMode"
ASKS_PERSON = ("AskUserQuestion", "EnterPlanMode", LEAVES_PLANNING)
"""Tools that ask the person something: an answer holds for one question."""
FUSE = "maverick-fuse-"
"""How the calls are named that a fuse asks about."""


def is_own(call: str) -> bool:
    """Whether nothing is called when it is answered: the answer is all that comes of it."""
    return call.startswith(FUSE)


def asked_by(call: str, tool: str) -> str:
    """What a question is called: by the tool that it is about, unless the run itself asks."""
    return "Fuse" if is_own(call) else tool
