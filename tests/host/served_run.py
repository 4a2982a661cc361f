"""A run at its socket without an agent: what its log is told, readers read, and what they send is here."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from maverick_tui.events.kinds import Event
from maverick_tui.host.places import make_runtime_folder, socket_of
from maverick_tui.host.serving import RunServer
from maverick_tui.runs.commands import Command
from maverick_tui.runs.log import EventLog

RUN = "7f3a00c0ffee"
PATIENCE = 120.0


class Served:
    """The run: a log to tell to, and the commands that came."""

    def __init__(self, told: Iterable[Event] = ()) -> None:
        self.events = EventLog(is_batched=False)
        self.commands: list[Command] = []
        self.on_command: Callable[[Command], None] = lambda _command: None
        self.tell(told)
        self.server = RunServer(RUN, "reviewer", self.events, self)

    def send(self, command: Command) -> None:
        self.commands.append(command)
        self.on_command(command)

    def tell(self, events: Iterable[Event]) -> None:
        for event in events:
            self.events.emit(event)


@asynccontextmanager
async def serving(told: Iterable[Event] = ()) -> AsyncIterator[Served]:
    """The run while readers can come."""
    served = Served(told)
    async with served.server.listening():
        yield served


async def until(condition: Callable[[], object], what: str | Callable[[], str] = "it") -> None:
    """Wait until it is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never happened: {what() if callable(what) else what}"
        await asyncio.sleep(0.005)


def leave_behind(run_id: str = RUN) -> list[Path]:
    """The files of a host that was killed."""
    folder = make_runtime_folder()
    lock, number = folder / f"{run_id}.lock", folder / "000000000007.turn"
    lock.touch()
    number.touch()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(socket_of(run_id)))
    return [lock, number, socket_of(run_id)]
