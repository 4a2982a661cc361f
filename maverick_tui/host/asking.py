"""Asks hosts who they are, all of them side by side, and has them end their runs."""

from __future__ import annotations

import asyncio
import os
import sys
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.host.lines import HostHello, ReaderHello, do_line, next_line
from maverick_tui.host.places import can_host, has_host
from maverick_tui.host.remote import connected
from maverick_tui.runs.commands import CloseRun

ANSWERS_WITHIN = 3.0
"""Seconds in which a host says who it is, if it is well, for a list that others are to be in as well."""
HEARS_WITHIN = 15.0
"""Seconds that a host is given that is wanted itself: its machine may be busy."""
ENDS_WITHIN = 60.0
"""Seconds that a run has to end in good order."""
AT_ONCE = 12
"""Hosts that are asked at the same time: a hundred at once would hold up whatever else the asking program does."""
_LOOK_EVERY = 0.02


async def ask_host(run_id: str, within: float) -> HostHello:
    """Who serves the run. NetworkError if nobody does, or answers within so many seconds.

    ConfigError if what answers is not ours.
    """
    if not can_host():
        raise NetworkError(f"The run {run_id} has no host: this system has none.")
    try:
        async with asyncio.timeout(within), connected(run_id, ReaderHello(only_asks=True)) as way:
            return way.hello
    except (asyncio.TimeoutError, OSError) as error:
        raise NetworkError(f"The host of the run {run_id} does not answer.") from error


async def ask_hosts(run_ids: Iterable[str]) -> dict[str, HostHello | None]:
    """What each of these runs' hosts says of itself; None of one that lives, and says nothing that we understand.

    A run whose host is gone is left out.
    """

    room = asyncio.Semaphore(AT_ONCE)

    async def ask(run_id: str) -> HostHello | None:
        with suppress(ConfigError, NetworkError):
            async with room:
                return await ask_host(run_id, ANSWERS_WITHIN)
        return None

    asked = list(run_ids)
    answers = await asyncio.gather(*map(ask, asked))
    return {
        run_id: hello
        for run_id, hello in zip(asked, answers, strict=True)
        if hello is not None or await asyncio.to_thread(has_host, run_id)
    }


async def end_run(hello: HostHello, by: str = "") -> None:
    """Have this host end its run, and wait until its process is gone; the run tells who it was, if that is given."""
    run_id = hello.run_id
    try:
        async with asyncio.timeout(ENDS_WITHIN):
            with suppress(NetworkError, OSError):  # it has ended by itself meanwhile
                async with connected(run_id, ReaderHello(hello.events, by, only_does=True)) as way:
                    way.writer.write(do_line(CloseRun(), uuid.uuid4().hex))
                    while await next_line(way.reader):
                        pass
            while _is_running(hello.pid):  # noqa: ASYNC110 - no system tells us of a process that is nobody's child
                await asyncio.sleep(_LOOK_EVERY)
    except asyncio.TimeoutError as error:
        raise NetworkError(
            f"The run {run_id} was told to end, and still lives after {ENDS_WITHIN:g} s.",
            hint=f"See what it does with `maverick logs {run_id}`.",
        ) from error


def _is_running(pid: int) -> bool:
    """Whether there is such a process; one that has ended and that nobody has asked about yet is none."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except FileNotFoundError:
        return not sys.platform.startswith("linux")
    except OSError:
        return False
