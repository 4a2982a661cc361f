"""FarFollower: reads what another machine keeps of a run, while it grows, as `journal.following` does on this one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from maverick_tui.exceptions import NetworkError
from maverick_tui.host.far.machines import Machine
from maverick_tui.host.far.ssh import far_line, run_id_in
from maverick_tui.host.following import ThreadedFollower
from maverick_tui.host.lines import events_of
from maverick_tui.host.remote import AGAIN_FAR_AFTER


class FarFollower(ThreadedFollower):
    """The events of a run, each of them once. A line that breaks is taken up where it was."""

    def __init__(
        self, machine: Machine, start: str, *, follows: bool, on_line: Callable[[str], None] = lambda _why: None
    ) -> None:
        """Wait for what has come so far of the run whose id begins so. Errors are those of the way there."""
        super().__init__(start)
        self._machine = machine
        self._follows = follows
        self._on_line = on_line
        self._count = 0
        self._start()

    async def _read(self) -> None:
        """Read to the end, over as many lines as that takes; without the first one there is nothing to come back to."""
        attempt = 0
        while True:
            before = self._count
            try:
                await self._read_line()
                return
            except NetworkError:
                if not self._is_there.is_set():
                    raise
            self._on_line(f"The line to {self._machine.name} is broken, trying again.")
            attempt = 0 if self._count > before else min(attempt + 1, len(AGAIN_FAR_AFTER) - 1)
            await asyncio.sleep(AGAIN_FAR_AFTER[attempt])

    async def _read_line(self) -> None:
        async with far_line(self._machine) as way:
            answer = await way.ask("events", run=self.run_id, since=self._count, follow=self._follows)
            self.run_id = run_id_in(self._machine, answer)
            while "end" not in (said := await way.piece()):
                if "seq" in said:
                    told = events_of(said)
                    self._take(told)
                    self._count += len(told)
                elif "now" in said:
                    self._on_line("")
                    self._is_there.set()
            with self._lock:
                self._was_alive = bool(said.get("is_alive"))
                self.is_foreign, self.problem = bool(said.get("is_foreign")), str(said.get("problem", ""))
