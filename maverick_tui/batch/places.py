"""Places: where the runs of a batch are, this machine or another one, and how many it has at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Protocol

from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.host.far.asking import stop_there
from maverick_tui.host.far.machines import Machine
from maverick_tui.host.far.ssh import far_line
from maverick_tui.host.lines import events_of
from maverick_tui.host.orders import Order
from maverick_tui.host.places import has_host
from maverick_tui.host.remote import AGAIN_FAR_AFTER
from maverick_tui.host.starting import start_host
from maverick_tui.host.stopping import stop_run
from maverick_tui.host.ways import AwayError
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.following import Follower
from maverick_tui.runs.outcome import ReadOutcome

LOOK_EVERY = 0.1
"""Seconds between looks at what a run of this machine has told."""
LOST_AFTER = 600.0
"""Seconds after which a run is given up on that is on a machine which cannot be reached."""


class NeverBegunError(Exception):
    """Nothing is known of a run where it should be: it never began."""


class Place(Protocol):
    """A machine that runs can be started on."""

    name: str
    """What the person's SSH calls it; empty for this one."""
    jobs: int
    """How many runs of the batch are there at once."""

    async def start(self, order: Order) -> None:
        """Start a run, unless it was. ConfigError if none can be there, AwayError if it certainly has not begun."""

    async def follow(self, run_id: str, outcome: ReadOutcome) -> None:
        """Let the outcome take all that the run tells, to its end. NeverBegunError if there is no such run."""

    async def stop(self, run_id: str) -> None:
        """End a run, and wait until it has."""


class Here:
    """This machine."""

    name = ""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    async def start(self, order: Order) -> None:
        """Start a host for it."""
        if not _is_known(order.run_id):
            try:
                await asyncio.to_thread(start_host, order)
            except ConfigError:
                if not _is_known(order.run_id):  # a host that a batch has ordered before it was killed was quicker
                    raise

    async def follow(self, run_id: str, outcome: ReadOutcome) -> None:
        """Read its journal as it grows."""
        if not _is_known(run_id):
            raise NeverBegunError
        follower = Follower(journal_of(run_id))
        is_gone = False
        while True:
            for event in follower.more() if journal_of(run_id).exists() else ():
                outcome.take(event)
            if outcome.is_ended:
                return
            if is_gone:  # and all that it had told has been read since
                outcome.kill()
                return
            is_gone = not follower.is_alive and not has_host(run_id)
            await asyncio.sleep(0 if is_gone else LOOK_EVERY)

    async def stop(self, run_id: str) -> None:
        """Have its host end it."""
        await stop_run(run_id)


class There:
    """Another machine; each run has a line of its own, which is taken up where it was if it breaks."""

    def __init__(self, machine: Machine, jobs: int, on_line: Callable[[str], None]) -> None:
        """`on_line` is told why there is no line to a run that is there."""
        self.name = machine.name
        self.jobs = jobs
        self._machine = machine
        self._on_line = on_line

    async def start(self, order: Order) -> None:
        """Have the gateway there start it. Once it may have begun, it is asked until it says so."""
        asked = False
        for attempt in count():
            try:
                async with far_line(self._machine) as way:
                    if not way.hello.knows_batch:
                        raise ConfigError(
                            f"Maverick {way.hello.maverick} on {self.name} knows no batches.", hint="Update it there."
                        )
                    asked = True
                    await way.ask("start", order=order.to_json())
                    return
            except NetworkError as error:
                if not asked:
                    raise AwayError(error.message, hint=error.hint) from error
                self._on_line(error.message)
            await asyncio.sleep(AGAIN_FAR_AFTER[min(attempt, len(AGAIN_FAR_AFTER) - 1)])

    async def follow(self, run_id: str, outcome: ReadOutcome) -> None:
        """Have its gateway tell what is kept of it, as it grows. AwayError if it cannot be reached for long."""
        loop, known, attempt = asyncio.get_running_loop(), 0, 0
        heard_at = loop.time()
        while True:
            before = known
            try:
                async with far_line(self._machine) as way:
                    try:
                        await way.ask("events", run=run_id, since=known, follow=True)
                    except ConfigError as error:
                        raise NeverBegunError from error
                    heard_at = loop.time()
                    while "end" not in (said := await way.piece()):
                        for event in events_of(said) if "seq" in said else ():
                            outcome.take(event)
                            known += 1
                        heard_at = loop.time()
                if outcome.is_ended:
                    return
                if not said.get("is_alive"):
                    outcome.kill()
                    return
            except NetworkError as error:
                if loop.time() - heard_at > LOST_AFTER:
                    hint = "It may go on there: the same command takes it up later."
                    raise AwayError(f"{self.name} was not reached for long, and has {run_id}.", hint=hint) from error
                self._on_line(error.message)
            attempt = 0 if known > before else min(attempt + 1, len(AGAIN_FAR_AFTER) - 1)
            await asyncio.sleep(AGAIN_FAR_AFTER[attempt])

    async def stop(self, run_id: str) -> None:
        """Have its gateway end it."""
        await stop_there(self._machine, run_id)


def _is_known(run_id: str) -> bool:
    """Whether the run has begun on this machine, or is about to."""
    return has_host(run_id) or journal_of(run_id).exists()
