"""What other machines are asked in a moment: which runs are alive, and to start or end one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from maverick_tui.exceptions import MaverickError, NetworkError
from maverick_tui.host.far.machines import Machine, find_machine
from maverick_tui.host.far.ssh import HELLO_WITHIN, far_line, run_id_in
from maverick_tui.host.live import LiveRun, live_from_json
from maverick_tui.host.orders import Order

LISTS_WITHIN = 8.0
"""Seconds that a machine has for its part of a list that others are in as well."""
ANSWERS_WITHIN = 90.0
"""Seconds that a machine has for what is wanted of it alone: a run may take a minute to end in good order."""


class Listed(NamedTuple):
    """What a machine says of its runs, or why it says nothing."""

    machine: str
    runs: list[LiveRun]
    error: MaverickError | None = None


async def list_there(machine: Machine, within: float = HELLO_WITHIN) -> list[LiveRun]:
    """The runs that are alive on a machine, in its order."""
    return _runs(machine, await _ask(machine, within, "list"))


@asynccontextmanager
async def asked_again(machine: Machine) -> AsyncIterator[Callable[[], Awaitable[list[LiveRun]]]]:
    """What lists the runs that are alive on a machine, as often as somebody wants, over one line."""
    async with far_line(machine) as way:

        async def listed() -> list[LiveRun]:
            try:
                async with asyncio.timeout(HELLO_WITHIN):
                    return _runs(machine, await way.ask("list"))
            except asyncio.TimeoutError as error:
                raise NetworkError(f"{machine.name} does not answer any more.") from error

        yield listed


def _runs(machine: Machine, answer: dict[str, Any]) -> list[LiveRun]:
    told = answer.get("runs")
    runs = [live_from_json(run, machine.name) for run in told if isinstance(run, dict)] if type(told) is list else []
    return [run for run in runs if run is not None]


async def list_all(names: Iterable[str]) -> list[Listed]:
    """The runs of several machines, asked side by side; what is wrong with one is told beside the others."""

    async def listed(name: str) -> Listed:
        try:
            return Listed(name, await list_there(await asyncio.to_thread(find_machine, name), LISTS_WITHIN))
        except MaverickError as error:
            return Listed(name, [], error)

    return list(await asyncio.gather(*map(listed, dict.fromkeys(names))))


async def find_there(machine: Machine, start: str) -> str:
    """The id of the run with a host that begins so, or of the one that was started last."""
    return run_id_in(machine, await _ask(machine, ANSWERS_WITHIN, "find", run=start, hosted=True))


async def start_there(machine: Machine, order: Order) -> str:
    """Start a run on a machine; its id. Its folder is one of that machine's, by default the person's home."""
    run_id = run_id_in(machine, await _ask(machine, ANSWERS_WITHIN, "start", order=order.to_json()))
    if run_id != order.run_id:
        raise NetworkError(f"{machine.name} has started {run_id} instead of {order.run_id}.")
    return run_id


async def stop_there(machine: Machine, start: str) -> tuple[str, str]:
    """End a run on a machine; its id, and what came of it."""
    answer = await _ask(machine, ANSWERS_WITHIN, "stop", run=start)
    return run_id_in(machine, answer), str(answer.get("words", ""))


async def _ask(machine: Machine, within: float, what: str, **more: Any) -> dict[str, Any]:
    try:
        async with asyncio.timeout(within), far_line(machine, within) as way:
            return await way.ask(what, **more)
    except asyncio.TimeoutError as error:
        raise NetworkError(f"{machine.name} has not answered within {within:g} s.", hint="Try again.") from error
