"""`maverick logs`: a run as text, also while it goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.exit_codes import INTERRUPTED
from maverick_tui.cli.runs import RunId

if TYPE_CHECKING:
    from maverick_tui.cli.printer import Printer
    from maverick_tui.history.telling import Teller
    from maverick_tui.host.following import ThreadedFollower
    from maverick_tui.journal.following import Follower

_LOOK_EVERY = 100
"""Milliseconds between looks for more."""
_GONE = "Its process was gone before it ended. What had come by then is here."


def logs(
    run: RunId,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on printing until the run ends.")] = False,
) -> None:
    """Print a run as text, from its beginning: what it was asked, what it said and did, and what it asks you.

    It may be alive or have ended, with a process of its own or without, also on another machine
    (HOST:RUN). With -f Ctrl+C leaves it; the run goes on.
    """
    import sys

    from maverick_tui.cli.layout import terminal_width
    from maverick_tui.cli.printer import Printer
    from maverick_tui.history.reading import is_foreign, read_run
    from maverick_tui.history.telling import Teller
    from maverick_tui.host.far.machines import machine_and_run
    from maverick_tui.host.finding import find_any_run
    from maverick_tui.host.following import follower_of

    machine, start = machine_and_run(run)
    printer = Printer(sys.stdout, terminal_width())
    teller = Teller(printer)
    if machine:
        from maverick_tui.cli.far import follow_there

        there = follow_there(machine, start, follows=follow)
        _print(there, f"{machine}:{there.run_id}", printer, teller, follow=follow)
    elif is_foreign(run_id := find_any_run(start)):
        for event in read_run(run_id).events:
            teller.take(event)
        teller.end("")
    else:
        _print(follower_of(run_id), run_id, printer, teller, follow=follow)


def _print(
    follower: Follower | ThreadedFollower, run_id: str, printer: Printer, teller: Teller, *, follow: bool
) -> None:
    from maverick_tui.events.kinds import Event, RunEnded
    from maverick_tui.exceptions import ConfigError

    last: Event | None = None
    try:
        while True:
            for event in (events := follower.more()):
                teller.take(event)
                last = event
            if not follow or not follower.is_alive:
                break
            if not events and not _waited():
                return
    except KeyboardInterrupt as error:
        printer.pause()
        raise typer.Exit(INTERRUPTED) from error
    if follower.is_alive:
        printer.pause()
    else:
        teller.end("" if isinstance(last, RunEnded) or follower.is_foreign else _GONE)
    if follower.problem:
        raise ConfigError(follower.problem, hint=f"See `maverick runs show {run_id}`.")


def _waited() -> bool:
    """Wait a moment; whether somebody still reads what we print: a quiet run would not let us find out by writing."""
    import select
    import sys
    import time

    try:
        looking = select.poll()
        looking.register(sys.stdout.fileno(), 0)  # that nobody reads any more is told without being asked for
    except (AttributeError, OSError, ValueError):  # Windows, or no real stream
        time.sleep(_LOOK_EVERY / 1000)
        return True
    return not looking.poll(_LOOK_EVERY)
