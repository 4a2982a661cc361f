"""Returning: runs at rest on our board that go on in a process of their own, whoever had them go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from maverick_tui.ui.hosting import has_host

if TYPE_CHECKING:
    from maverick_tui.runs.board import Board, RunModel

LOOK_EVERY = 1.0
"""Seconds between looks: what such a run asks is to be seen here about as soon as where it was brought back."""


class Returning:
    """Nobody tells us that another window, or a command, has a run go on: so it is looked for."""

    def __init__(self, board: Board, may_look: Callable[[RunModel], bool]) -> None:
        """`may_look` says whether a run can be followed just now."""
        self._board = board
        self._may_look = may_look
        self._known: set[tuple[str, int, float]] = set()
        """The hosts that were found: one that could not be followed to its end is not tried again and again."""

    async def look(self, follow: Callable[[RunModel], None]) -> None:
        """Go on looking, and have those followed that are there again."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            for run in await self.found():
                follow(run)

    async def found(self) -> list[RunModel]:
        """The runs at rest that have a new host by now."""
        resting = [run_id for run_id in self._board.runs if self._is_resting(run_id)]
        if not resting or not (hosted := await asyncio.to_thread(_hosted, resting)):
            return []
        from maverick_tui.host.live import hosted_now

        found = []
        for live in await hosted_now(hosted):
            if live.host is None or live.phase == "ended" or not self._is_resting(live.run_id):
                continue  # its process is about to be there, or to be gone
            host = live.run_id, live.host.pid, live.host.started
            if host not in self._known:
                self._known.add(host)
                found.append(self._board.runs[live.run_id])
        return found

    def _is_resting(self, run_id: str) -> bool:
        run = self._board.runs.get(run_id)
        return run is not None and run.rest is not None and not run.machine and self._may_look(run)


def _hosted(run_ids: Iterable[str]) -> list[str]:
    """In a thread, for it looks at files; what asks their hosts is imported once there is one."""
    if hosted := [run_id for run_id in run_ids if has_host(run_id)]:
        import maverick_tui.host.live  # noqa: F401 - wanted a moment later
    return hosted
