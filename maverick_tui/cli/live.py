"""`maverick ps` and `maverick stop`: the runs that are alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.cli.runs import AsJson, print_json

if TYPE_CHECKING:
    from maverick_tui.exceptions import MaverickError
    from maverick_tui.host.far.machines import Machine
    from maverick_tui.host.live import LiveRun


def complete_hosted(incomplete: str) -> list[str]:
    """The ids of runs with a host that begin so, for completion in the shell."""
    from maverick_tui.host.places import hosted_runs

    return [run_id for run_id in hosted_runs() if run_id.startswith(incomplete)]


def ps(
    machine: Annotated[
        str | None, typer.Argument(metavar="HOST", show_default=False, help="Only the runs of this machine.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the runs that are alive, those that need you first: what each is about, since when, and what it costs.

    The newest come before older ones, and those that wait for their turn (`max_runs`) last, in the order of asking.

    Runs of the application and of `maverick run --detach` have a host each, a process of their own; its memory (with
    all that it has started) and its readers are told. A run of `maverick run` without --detach has none, nor has one
    of the application with `hosted_runs = false`: it lives as long as the program that it was started in. A host that
    does not answer within a few seconds is listed as such. The machines of the setting `hosts` are asked as well, by
    your own ssh; one that is away is told in a line.

    JSON: [{machine, run_id, title, phase, is_settled, needs_person, asks, agent, folder, model, name, first_prompt,
    forked_from, forked_turn, turns, cost_usd, last_at, queued_at, away, read_by, started_at, has_host, answers, pid,
    version, readers, memory}], times in seconds since 1970, memory in bytes; machine is empty for this one. phase:
    starting, queued (by max_runs, since queued_at), connecting, ready, working, asks, waits (for a limit to reset),
    done, failed, interrupted, ended. read_by: the terminals that it is shown on. away: what happened since nobody
    looks, {since, turns, failures, asked, files, file_names, tokens, cost_usd, is_ended}; null while somebody does.
    Without a host that answers, away, pid, version, readers and memory are null.
    """
    import asyncio

    found, away = asyncio.run(_live(machine))
    if as_json:
        print_json([run.to_json() for run in found])
    else:
        from maverick_tui.cli.live_text import print_live

        print_live(found)
    if away:
        import sys

        from maverick_tui.cli.layout import say_error

        for error in away:
            say_error(error.message, "", sys.stderr)


async def _live(machine: str | None) -> tuple[list[LiveRun], list[MaverickError]]:
    """The runs of one machine, or of all that are known; and what is wrong with those that have told nothing."""
    import asyncio

    from maverick_tui.config import MaverickConfig
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.far.asking import list_all, list_there
    from maverick_tui.host.far.machines import find_machine
    from maverick_tui.host.live import live_runs

    if machine is not None:
        return await list_there(find_machine(machine.removesuffix(":"))), []
    hosts: tuple[str, ...] = ()
    wrong: list[MaverickError] = []
    try:
        hosts = MaverickConfig.load().hosts
    except ConfigError as error:  # the runs of this machine are there all the same
        wrong.append(error)
    here, there = await asyncio.gather(live_runs(), list_all(hosts))
    found = here + [run for listed in there for run in listed.runs]
    found.sort(key=lambda run: not run.needs_person)
    return found, wrong + [listed.error for listed in there if listed.error is not None]


def stop(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN", help="Ids, or their beginnings; HOST:RUN on another machine.", autocompletion=complete_hosted
        ),
    ],
) -> None:
    """End runs in good order, and wait until their processes are gone. What has come is kept, and can go on later.

    A turn that is running is interrupted, a question is withdrawn, and prompts that wait are dropped.
    """
    import asyncio

    from maverick_tui.host.far.machines import find_machine, machine_and_run
    from maverick_tui.host.finding import find_any_run

    named = [machine_and_run(run) for run in runs]
    wanted = dict.fromkeys((find_machine(name), run) if name else (None, find_any_run(run)) for name, run in named)
    if not asyncio.run(_stop_all(list(wanted))):
        raise typer.Exit(FAILED)


async def _stop_all(runs: list[tuple[Machine | None, str]]) -> bool:
    """End all of them, side by side; whether all have ended."""
    import asyncio

    return all(await asyncio.gather(*(_stop(machine, run) for machine, run in runs)))


async def _stop(machine: Machine | None, run: str) -> bool:
    """End a run, and say what came of it; whether it has ended."""
    import sys

    from maverick_tui.cli.layout import say_error
    from maverick_tui.exceptions import MaverickError
    from maverick_tui.inert import one_line

    try:
        if machine is None:
            from maverick_tui.host.stopping import stop_run

            words = await stop_run(run)
        else:
            from maverick_tui.host.far.asking import stop_there

            run, words = await stop_there(machine, run)
            run = f"{machine.name}:{run}"
        typer.echo(one_line(f"{run} {words}."))
    except MaverickError as error:
        say_error(error.message, error.hint, sys.stderr)
        return False
    return True
