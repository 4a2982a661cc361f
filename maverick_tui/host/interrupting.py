"""Stops a part of what a run does: its turn, or the calls that it waits for; and waits until that took effect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.events.kinds import CallStopping
from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.host.remote import RemoteRun
from maverick_tui.host.ways import THIS_MACHINE, Way
from maverick_tui.runs.commands import Interrupt
from maverick_tui.runs.store import RunStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from maverick_tui.events.kinds import Event

TAKES_EFFECT_WITHIN = 60.0
"""Seconds that a turn, or a call, has to stop."""


class Stopped(NamedTuple):
    """What came of it, in words, and whether anything has stopped."""

    words: str
    is_so: bool = True


_ENDED = Stopped("has ended meanwhile")


class _Read:
    """A run as far as it has told by now."""

    def __init__(self, remote: RemoteRun) -> None:
        self.remote = remote
        self.store = RunStore()
        self._reader = remote.events.reader(0)
        self._on_event: Callable[[Event], None] = lambda _event: None

    def hear(self, on_event: Callable[[Event], None]) -> None:
        """Be told of each event from now on."""
        self._on_event = on_event

    def catch_up(self) -> None:
        for event in self._reader.take():
            self.store.apply(event)
            self._on_event(event)

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of the run."""
        return self.store.ended is not None or self.remote.events.is_closed

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until it is so, or the run has ended."""
        self.catch_up()
        while not is_so() and await self.remote.events.wait(self._reader.number):
            self.catch_up()


async def interrupt_turn(run_id: str, way: Way = THIS_MACHINE) -> Stopped:
    """Interrupt what the run is doing. NetworkError if it goes on all the same."""
    async with _following(run_id, way) as run:
        if not run.store.is_running and not run.store.questions:
            return Stopped("does nothing that could be interrupted", is_so=False)
        run.remote.send(Interrupt())
        await run.until(lambda: not run.store.is_running)
        if run.is_over:
            return _ENDED
        if run.store.last_outcome == "done":
            return Stopped("had done its work before that, and waits for a prompt")
        return Stopped("was interrupted, and waits for a prompt")


async def stop_calls(run_id: str, way: Way = THIS_MACHINE) -> Stopped:
    """Stop the calls that the run waits for; the turn goes on. ConfigError if one cannot be stopped."""
    async with _following(run_id, way) as run:
        hello = run.remote.hello
        if hello is None or not hello.knows_calls:
            raise ConfigError(
                f"The run {run_id} is served by an older Maverick, which stops whole turns.", hint="Use --turn."
            )
        calls = {entry.call: entry.name for entry in run.store.calls.running.values() if entry.state == "running"}
        if not calls:
            return Stopped("waits for no call that could be stopped", is_so=False)
        settled: dict[str, CallStopping] = {}

        def hear(event: Event) -> None:
            if isinstance(event, CallStopping) and event.state != "asked" and event.call in calls:
                settled[event.call] = event

        run.hear(hear)
        for call in calls:
            run.remote.send(Interrupt(call))
        await run.until(lambda: len(settled) == len(calls))
        if failed := [event for event in settled.values() if event.state == "failed"]:
            raise ConfigError(f"{run_id}: {failed[0].reason}", hint="--turn interrupts the whole turn.")
        if len(settled) < len(calls):
            return _ENDED
        return Stopped(f"goes on without {', '.join(calls.values())}")


@asynccontextmanager
async def _following(run_id: str, way: Way) -> AsyncIterator[_Read]:
    """The run, with all that it has told until now. NetworkError if nobody serves it, or it takes too long."""
    remote = RemoteRun(run_id, is_unseen=True, way=way)
    serving = asyncio.create_task(remote.serve())
    try:
        async with asyncio.timeout(TAKES_EFFECT_WITHIN):
            await remote.past()
            if remote.hello is None:
                await serving  # which says why
                raise NetworkError(f"The run {run_id} has no process of its own any more.")
            read = _Read(remote)
            read.catch_up()
            yield read
    except asyncio.TimeoutError as error:
        raise NetworkError(
            f"The run {run_id} was told to stop, and that has not taken effect within {TAKES_EFFECT_WITHIN:g} s.",
            hint=f"See what it does with `maverick logs {run_id}`, or end it with `maverick stop {run_id}`.",
        ) from error
    finally:
        serving.cancel()
        await asyncio.wait({serving})
