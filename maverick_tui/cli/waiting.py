"""`maverick wait`: until runs have settled, or need a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.exit_codes import FAILED, INTERRUPTED, NOBODY_TO_ASK, OVER_LIMIT, TIMED_OUT
from maverick_tui.cli.runs import complete_run

if TYPE_CHECKING:
    from maverick_tui.cli.settled import Watched

_LOOK_EVERY = 0.1
"""Seconds between looks at the runs."""
_WORST_FIRST = (FAILED, INTERRUPTED, OVER_LIMIT, NOBODY_TO_ASK, TIMED_OUT, 0)


def wait(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN", help="Ids, or their beginnings; HOST:RUN on another machine.", autocompletion=complete_run
        ),
    ],
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="S", help="Seconds to wait at most; 0 only looks.")
    ] = None,
) -> None:
    """Wait until each of the runs has settled: nothing is running or queued any more, or it needs a person.

    As each does, its id is printed with a word on what came of it: done, failed, interrupted, limit, timeout, or asks.
    A run that waits for a limit to reset, or for its first prompt, has not settled. Runs that have ended are told at
    once. What an agent leaves running in the background when its turn ends is not waited for: `maverick ps` shows it.
    """
    if timeout is not None and not 0 <= timeout < float("inf"):
        raise typer.BadParameter(f"{timeout:g} is no time to wait.", param_hint="--timeout")
    try:
        watched = {one.run_id: one for one in map(_watched, runs)}
        codes = _wait(list(watched.values()), timeout)
    except KeyboardInterrupt as error:
        raise typer.Exit(INTERRUPTED) from error
    if code := next(code for code in _WORST_FIRST if code in codes):
        raise typer.Exit(code)


def _watched(run: str) -> Watched:
    from maverick_tui.cli.settled import Watched
    from maverick_tui.host.far.machines import machine_and_run
    from maverick_tui.host.finding import find_any_run

    machine, start = machine_and_run(run)
    if not machine:
        return Watched(find_any_run(start))
    from maverick_tui.cli.far import follow_there

    there = follow_there(machine, start, follows=True)
    return Watched(f"{machine}:{there.run_id}", there)


def _wait(watched: list[Watched], timeout: float | None) -> set[int]:
    """Wait for all of them; the exit codes that came of it."""
    import sys
    import time

    from maverick_tui.cli.layout import say_error

    until = None if timeout is None else time.monotonic() + timeout
    codes: set[int] = set()
    while True:
        is_late = until is not None and time.monotonic() >= until
        for one in list(watched):
            if (settled := one.look(is_last=is_late)) is not None:
                watched.remove(one)
                codes.add(settled.code)
                typer.echo(f"{one.run_id} {settled.word}")
                if settled.why:
                    say_error(f"{one.run_id}: {settled.why}", settled.hint, sys.stderr)
        if not watched:
            return codes
        if is_late:
            left = ", ".join(f"{one.run_id} ({one.phase})" for one in watched)
            say_error(f"Not settled after {timeout:g} s: {left}.", "They go on; `maverick ps` shows them.", sys.stderr)
            return {*codes, TIMED_OUT}
        time.sleep(_LOOK_EVERY)
