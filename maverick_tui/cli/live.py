"""`maverick ps` and `maverick stop`: the runs that are alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.cli.runs import AsJson, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from maverick_tui.host.far.machines import Machine
    from maverick_tui.host.interrupting import Stopped
    from maverick_tui.host.live import LiveRun

Scope: TypeAlias = Literal["run", "turn", "call"]
"""How much of a run stops."""
_ABOUT = 60
"""Columns of what a run is about, where it is named beside its id."""


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

    JSON: [{machine, run_id, title, phase, is_settled, needs_person, asks, agent, folder, project, model, name,
    first_prompt, forked_from, forked_turn, turns, tokens, cost_usd, cost_sign, turns_took, turn_began, last_at,
    queued_at, doing, doing_since, about, commands, background, until, silent_since, last_line, steps_done, steps,
    files, added, deleted, told_at, away, read_by, started_at, has_host, answers, pid, version, readers, memory}], times
    in seconds since 1970, memory in bytes; machine is empty for this one. doing: what a run at work does, sending,
    thinking, writing, calling (a call is being written), tool, retrying, interrupting; about: which call, or why it has
    failed; commands: what you run beside it (`!`); background: what it has begun and goes on though its turn is over,
    [{tool, about}]; steps: of its plan; files: how many it has changed, with so many lines added and deleted (null
    where changes are not tracked); cost_sign: ~ if the cost is an estimate, ≥ if some of it is not known; turns_took:
    seconds of all turns that have ended; turn_began: when the one at work began. phase: starting, queued (by max_runs,
    since queued_at), connecting, ready, working, asks, waits (for a limit to reset), done, failed, interrupted, ended.
    project: where it was started, if it works in a worktree of its own. read_by: the terminals that it is shown on.
    away: what happened since nobody looks, {since, turns, failures, asked, files, file_names, tokens, cost_usd,
    is_ended}; null while somebody does. Without a host that answers, told_at, away, pid, version, readers and memory
    are null.
    """
    import asyncio

    found, wrong = asyncio.run(_live(machine))
    if as_json:
        print_json([run.to_json() for run in found])
    else:
        from maverick_tui.cli.live_text import print_live

        print_live(found)
    if wrong:
        import sys

        from maverick_tui.cli.layout import say_error

        for message, hint in wrong:
            say_error(message, hint, sys.stderr)


async def _live(machine: str | None) -> tuple[list[LiveRun], list[tuple[str, str]]]:
    """The runs of one machine, or of all that are known; and what is wrong, with a hint.

    A machine that has told nothing is one line.
    """
    import asyncio

    from maverick_tui.config import MaverickConfig
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.far.asking import list_all, list_there
    from maverick_tui.host.far.machines import find_machine
    from maverick_tui.host.live import live_runs

    if machine is not None:
        return await list_there(find_machine(machine.removesuffix(":"))), []
    hosts: tuple[str, ...] = ()
    wrong: list[tuple[str, str]] = []
    try:
        hosts = MaverickConfig.load().hosts
    except ConfigError as error:  # the runs of this machine are there all the same
        wrong.append((error.message, error.hint))
    here, there = await asyncio.gather(live_runs(), list_all(hosts))
    found = here + [run for listed in there for run in listed.runs]
    found.sort(key=lambda run: not run.needs_person)
    return found, wrong + [(listed.error.message, "") for listed in there if listed.error is not None]


def stop(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN", help="Ids, or their beginnings; HOST:RUN on another machine.", autocompletion=complete_hosted
        ),
    ] = None,
    turn: Annotated[bool, typer.Option("--turn", help="Only interrupt the turn; the run waits for a prompt.")] = False,
    call: Annotated[
        bool, typer.Option("--call", help="Only stop the calls of tools that it waits for; the turn goes on.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="All runs of this machine that have a process.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --all: do not ask.")] = False,
) -> None:
    """End runs in good order, and wait until their processes are gone. What has come is kept, and can go on later.

    A turn that is running is interrupted, a question is withdrawn, and prompts that wait are dropped. With --turn or
    --call the run stays, and less of it stops; it returns when that took effect. Claude Code can stop commands and
    subagents by themselves, the engine api every call. Where nothing stops, since nothing is at work, the exit code is
    1; a run that has ended already is as it should be.
    """
    import asyncio

    from maverick_tui.host.far.machines import find_machine, machine_and_run
    from maverick_tui.host.finding import find_any_run

    if turn and call:
        raise typer.BadParameter("Either the turn stops, or its calls.", param_hint="--call")
    if everything == bool(runs):
        raise typer.BadParameter("Name the runs, or say --all.", param_hint="RUN")
    about: dict[str, str] = {}
    if everything:
        about = asyncio.run(_all_runs())
        if not _may_stop(about, turn=turn, call=call, is_sure=yes):
            raise typer.Exit(FAILED)
        runs = [*about]
    named = [machine_and_run(run) for run in runs or []]
    wanted = dict.fromkeys((find_machine(name), run) if name else (None, find_any_run(run)) for name, run in named)
    scope: Scope = "turn" if turn else "call" if call else "run"
    if not asyncio.run(_stop_all(list(wanted), scope, about, is_named=not everything)):
        raise typer.Exit(FAILED)


async def _all_runs() -> dict[str, str]:
    """The runs of this machine with a process, and of each which agent it is and what it was asked."""
    from maverick_tui.cli.layout import cut
    from maverick_tui.host.live import hosted_now
    from maverick_tui.host.places import has_host, hosted_runs
    from maverick_tui.inert import one_line
    from maverick_tui.masking.redact import redact

    found = await hosted_now(run_id for run_id in hosted_runs() if has_host(run_id))
    return {
        run.run_id: cut(one_line(redact(": ".join(filter(None, (str(run.state.get("agent", "")), run.title))))), _ABOUT)
        for run in found
    }


def _may_stop(runs: dict[str, str], *, turn: bool, call: bool, is_sure: bool) -> bool:
    """Whether these may stop: somebody has said so, or there are none."""
    from maverick_tui.cli.asking import is_anybody_there, says_yes
    from maverick_tui.cli.layout import count

    if not runs:
        typer.echo("No run has a process of its own now.")
        return True
    if is_sure:
        return True
    if not is_anybody_there():
        raise typer.BadParameter(f"{count(len(runs), 'run')} would stop: say --yes.", param_hint="--all")
    what = "Interrupt" if turn else "Stop the calls of" if call else "End"
    listed = "\n".join(f"{run_id[:8]}  {about}".rstrip() for run_id, about in runs.items())
    return says_yes(f"{listed}\n{what} {'this run' if len(runs) == 1 else f'these {len(runs)} runs'}?")


async def _stop_all(
    runs: list[tuple[Machine | None, str]], scope: Scope, about: Mapping[str, str], *, is_named: bool
) -> bool:
    """Stop all of them, side by side; whether all have. Of one that is not named, nothing need be at work."""
    import asyncio

    stopping = (_stop(machine, run, scope, about.get(run, ""), is_named=is_named) for machine, run in runs)
    return all(await asyncio.gather(*stopping))


async def _stop(machine: Machine | None, run: str, scope: Scope, about: str, *, is_named: bool) -> bool:
    """Stop a run, or a part of it, and say what came of it, and what it is `about`; whether it has."""
    import sys

    from maverick_tui.cli.layout import say_error
    from maverick_tui.exceptions import MaverickError
    from maverick_tui.inert import one_line

    try:
        if scope != "run":
            run, stopped = await _stop_part(machine, run, scope)
            if is_named and not stopped.is_so:
                say_error(f"{run} {stopped.words}.", "", sys.stderr)
                return False
            words = stopped.words
        elif machine is None:
            from maverick_tui.host.stopping import stop_run
            from maverick_tui.runs.reader_names import at_terminal

            words = await stop_run(run, at_terminal("`maverick stop`"))
        else:
            from maverick_tui.host.far.asking import stop_there

            run, words = await stop_there(machine, run)
            run = f"{machine.name}:{run}"
        typer.echo(one_line(f"{run}{f' ({about})' if about else ''} {words}."))
    except MaverickError as error:
        say_error(error.message, error.hint, sys.stderr)
        return False
    return True


async def _stop_part(machine: Machine | None, run: str, scope: Scope) -> tuple[str, Stopped]:
    """Stop a part of what a run does; what it is called, and what came of it."""
    import asyncio

    from maverick_tui.host.interrupting import interrupt_turn, stop_calls

    stop_it = interrupt_turn if scope == "turn" else stop_calls
    if machine is None:
        from maverick_tui.host.finding import find_hosted_run
        from maverick_tui.host.stopping import wake_host

        run_id = find_hosted_run(run)
        await asyncio.to_thread(wake_host, run_id)
        return run, await stop_it(run_id)
    from maverick_tui.host.far.asking import find_there
    from maverick_tui.host.far.way import FarWay

    run_id = await find_there(machine, run)
    return f"{machine.name}:{run_id}", await stop_it(run_id, FarWay(machine))
