"""`maverick ps` and `maverick stop`: the runs that are alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.cli.runs import AsJson, print_json

if TYPE_CHECKING:
    from maverick_tui.host.lines import HostHello


def complete_hosted(incomplete: str) -> list[str]:
    """The ids of runs with a host that begin so, for completion in the shell."""
    from maverick_tui.host.places import hosted_runs

    return [run_id for run_id in hosted_runs() if run_id.startswith(incomplete)]


def find_any_run(start: str) -> str:
    """The run whose id begins so, be it kept, or only known to its host."""
    from contextlib import suppress

    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.places import hosted_runs
    from maverick_tui.journal.folders import find_run

    hosted: list[str] = []
    with suppress(ConfigError):  # a folder that is not ours has no runs of ours, and is no reason not to find others
        hosted += hosted_runs()
    return find_run(start, hosted)


def ps(as_json: AsJson = False) -> None:
    """List the runs that are alive, those that need you first: what each is about, since when, and what it costs.

    A run that `maverick run --detach` has started has a host, a process of its own; its memory (with all that it has
    started) and its readers are told. A run in an application, or of `maverick run`, has none, and lives as long as
    that does. A host that does not answer within a few seconds is listed as such.

    JSON: [{run_id, title, phase, is_settled, needs_person, asks, agent, folder, model, name, first_prompt, turns,
    cost_usd, last_at, away, read_by, started_at, has_host, answers, pid, version, readers, memory}], times in seconds
    since 1970, memory in bytes. phase: starting, connecting, ready, working, asks, waits (for a limit to reset), done,
    failed, interrupted, ended. read_by: the terminals that it is shown on. away: what happened since nobody looks,
    {since, turns, failures, asked, files, file_names, tokens, cost_usd, is_ended}; null while somebody does. Without a
    host that answers, away, pid, version, readers and memory are null.
    """
    import asyncio

    from maverick_tui.host.live import live_runs

    found = asyncio.run(live_runs())
    if as_json:
        print_json([run.to_json() for run in found])
    else:
        from maverick_tui.cli.live_text import print_live

        print_live(found)


def stop(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN", help="Ids, or their beginnings.", autocompletion=complete_hosted)
    ],
) -> None:
    """End runs in good order, and wait until their processes are gone. What has come is kept, and can go on later.

    A turn that is running is interrupted, a question is withdrawn, and prompts that wait are dropped.
    """
    import asyncio

    ids = list(dict.fromkeys(map(find_any_run, runs)))
    if not asyncio.run(_stop_all(ids)):
        raise typer.Exit(FAILED)


async def _stop_all(ids: list[str]) -> bool:
    """End all of them, side by side; whether all have ended."""
    import asyncio

    return all(await asyncio.gather(*map(_stop, ids)))


async def _stop(run_id: str) -> bool:
    """End a run, and say what came of it; whether it has ended."""
    import sys

    from maverick_tui.cli.layout import say_error
    from maverick_tui.exceptions import MaverickError, NetworkError
    from maverick_tui.host import asking

    try:
        try:
            hello = await asking.ask_host(run_id, asking.HEARS_WITHIN)
        except NetworkError:
            _require_ended(run_id)
            typer.echo(f"{run_id} had ended already.")
        else:
            await asking.end_run(hello)
            typer.echo(f"{run_id} has ended{_meant(hello)}.")
    except MaverickError as error:
        say_error(error.message, error.hint, sys.stderr)
        return False
    return True


def _meant(hello: HostHello) -> str:
    """What was cut short by that."""
    if hello.state.get("phase") == "asks":
        return "; its question was withdrawn"
    return "" if hello.state.get("is_settled") or hello.state.get("phase") == "ready" else "; it was interrupted"


def _require_ended(run_id: str) -> None:
    """ConfigError if the run, which no host answers for, is alive."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.places import has_host
    from maverick_tui.journal.folders import is_alive, journal_of

    if has_host(run_id):
        raise ConfigError(
            f"The host of the run {run_id} does not answer.",
            hint="Try again; if it stays so, look for the process maverick_tui.host in the system's list, and end it.",
        )
    if is_alive(journal_of(run_id)):
        raise ConfigError(
            f"The run {run_id} has no process of its own: it lives in an application, or in `maverick run`.",
            hint="Close it there.",
        )
