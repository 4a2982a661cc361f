"""Ends runs in good order, and says what came of it."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress

from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.host import asking
from maverick_tui.host.lines import HostHello
from maverick_tui.host.places import has_host
from maverick_tui.host.strays import process_of
from maverick_tui.journal.folders import is_alive, journal_of


async def stop_run(run_id: str, by: str = "") -> str:
    """End a run, and wait until its process is gone; what came of it, in words. The run tells that it was ended `by`
    somebody.

    ConfigError or NetworkError if it cannot be ended.
    """
    await asyncio.to_thread(wake_host, run_id)
    try:
        hello = await asking.ask_host(run_id, asking.HEARS_WITHIN)
    except NetworkError:
        _require_ended(run_id)
        return "had ended already"
    await asking.end_run(hello, by)
    return f"has ended{_meant(hello)}"


def _meant(hello: HostHello) -> str:
    """What was cut short by that."""
    if hello.state.get("phase") == "asks":
        return "; its question was withdrawn"
    return "" if hello.state.get("is_settled") or hello.state.get("phase") == "ready" else "; it was interrupted"


def wake_host(run_id: str) -> None:
    """Have its host go on if somebody has stopped it, as an agent's command can: it hears nothing until then."""
    if (pid := process_of(run_id)) is not None:
        with suppress(ProcessLookupError):  # it ends
            os.kill(pid, signal.SIGCONT)


def _require_ended(run_id: str) -> None:
    """ConfigError if the run, which no host answers for, is alive."""
    if has_host(run_id):
        pid = process_of(run_id)
        # It has been woken, and asked: one that does not go on with its work does not hear a polite signal, either.
        way = f"end it: kill -9 {pid}" if pid else "kill the process maverick_tui.host that the system lists"
        raise ConfigError(f"The host of the run {run_id} does not answer.", hint=f"Try again; if it stays so, {way}.")
    if is_alive(journal_of(run_id)):
        raise ConfigError(
            f"The run {run_id} has no process of its own: it lives in an application, or in `maverick run`.",
            hint="Close it there.",
        )
