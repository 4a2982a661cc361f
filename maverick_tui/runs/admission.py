"""Admission: whether a run may work now. A machine has room for so many, and others wait for their turn."""

from __future__ import annotations

from typing import Protocol

WAITS_FOR_TURN, TURN_COMES = "waits_for_turn", "turn_comes"
"""Kinds of the notices by which a run tells that it has to wait, and that it need not any more."""


class Admission(Protocol):
    """Lets one run in to work, and lets others in once it rests."""

    def try_enter(self) -> bool:
        """Whether it may work, from now until it leaves. If not, it has its place among those that wait."""

    async def enter(self) -> None:
        """Wait until it may work."""

    def leave(self) -> None:
        """It works no more, and waits no more."""


class AlwaysAdmitted:
    """For runs that nobody counts."""

    def try_enter(self) -> bool:
        """It may."""
        return True

    async def enter(self) -> None:
        """It may at once."""

    def leave(self) -> None:
        """Nobody waits for that."""
