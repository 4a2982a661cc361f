"""Sends one command to a run that nobody here follows."""

from __future__ import annotations

import asyncio
import uuid

from maverick_tui.exceptions import NetworkError
from maverick_tui.host.lines import ProtocolError, ReaderHello, do_line, next_line, object_of
from maverick_tui.host.remote import connected
from maverick_tui.host.ways import THIS_MACHINE, Way
from maverick_tui.runs.commands import Command

HEARD_WITHIN = 15.0
"""Seconds in which a host confirms what it was sent: its machine may be busy."""


async def send_once(run_id: str, command: Command, since: int = 0, way: Way = THIS_MACHINE) -> None:
    """Have a run's host do this, and wait until it has heard it. `since` is how many of its events are known: an older
    host tells the others first.

    NetworkError if nobody hears it, ConfigError if it is refused as a whole.
    """
    name = uuid.uuid4().hex
    reads_nothing = ReaderHello(since, is_hidden=True, only_does=True)
    try:
        async with asyncio.timeout(HEARD_WITHIN), connected(run_id, reads_nothing, way) as there:
            there.writer.write(do_line(command, name))
            while text := await next_line(there.reader):
                said = object_of(text)
                if said.get("done") == name:
                    return
                if said.get("id") == name and "refused" in said:
                    raise NetworkError(f"The run {run_id} refuses: {said['refused']}.")
    except (asyncio.TimeoutError, OSError, ProtocolError) as error:
        raise NetworkError(f"The host of the run {run_id} does not answer.") from error
    raise NetworkError(f"The host of the run {run_id} has gone before it has heard anything.")
