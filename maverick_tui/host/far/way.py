"""FarWay: how a reader follows runs on another machine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from maverick_tui.events.kinds import Event
from maverick_tui.host.far.machines import Machine
from maverick_tui.host.far.ssh import far_line
from maverick_tui.host.lines import events_of
from maverick_tui.host.ways import Streams


class FarWay:
    """The hosts of another machine; each line is an ssh of its own."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    @property
    def machine(self) -> str:
        """What the person's SSH calls it."""
        return self._machine.name

    @asynccontextmanager
    async def opened(self, run_id: str) -> AsyncIterator[Streams]:
        """A line that its gateway passes on to the run's host."""
        async with far_line(self._machine) as way:
            await way.ask("attach", run=run_id)
            yield way.reader, way.writer

    async def may_live(self, run_id: str) -> bool:
        """As far as anybody here knows: the gateway says so if not, once it is reached."""
        return True

    async def kept(self, run_id: str, since: int) -> list[Event]:
        """What the machine has kept of it."""
        events: list[Event] = []
        async with far_line(self._machine) as way:
            await way.ask("events", run=run_id, since=since)
            while "end" not in (said := await way.piece()):
                if "seq" in said:
                    events += events_of(said)
        return events


def far_way(name: str) -> FarWay:
    """The way to the machine of that name."""
    from maverick_tui.host.far.machines import find_machine

    return FarWay(find_machine(name))
