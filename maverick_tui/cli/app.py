"""The commands and their options; what they need is imported when they run, so that --help is fast."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from maverick_tui import __version__
from maverick_tui.cli.agents import agents_app, list_agents
from maverick_tui.cli.attaching import attach
from maverick_tui.cli.batch import batch
from maverick_tui.cli.blaming import blame
from maverick_tui.cli.changes import diff_run, redo_run, undo_run
from maverick_tui.cli.doctor import doctor
from maverick_tui.cli.exit_codes import BATCH_EPILOG, EPILOG, NOBODY_TO_ASK, UNDO_EPILOG, WAIT_EPILOG
from maverick_tui.cli.exporting import export_run
from maverick_tui.cli.forking import fork_run
from maverick_tui.cli.hosting import host
from maverick_tui.cli.live import ps, stop
from maverick_tui.cli.logs import logs
from maverick_tui.cli.offline import demo, offline_app
from maverick_tui.cli.opening import open_run
from maverick_tui.cli.racing import RACE_EPILOG, race
from maverick_tui.cli.replaying import replay_run
from maverick_tui.cli.resuming import resume_run
from maverick_tui.cli.rules import rules_app
from maverick_tui.cli.run import add_to as add_run
from maverick_tui.cli.runs import runs_app
from maverick_tui.cli.settings import config_app
from maverick_tui.cli.tasks import mcp_app, tasks_app
from maverick_tui.cli.usage_errors import InertErrors
from maverick_tui.cli.waiting import wait
from maverick_tui.cli.worktrees import worktree_app


@dataclass(slots=True)
class Options:
    """Options of every command."""

    debug: bool = False


options = Options()

# Plain text: file names and descriptions are not markup, and rich takes longer to import than we take to run.
app = typer.Typer(
    name="maverick",
    cls=InertErrors,
    help="Mission control for coding agents in the terminal.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(agents_app, name="agents")
add_run(app)
app.command("batch", short_help="Run an agent with many prompts.", epilog=BATCH_EPILOG)(batch)
app.command("ps", short_help="List the runs that are alive.", epilog=EPILOG)(ps)
app.command("logs", short_help="Print a run as text, and follow it.", epilog=EPILOG)(logs)
app.command("wait", short_help="Wait until runs have settled.", epilog=WAIT_EPILOG)(wait)
app.command("race", short_help="Give one prompt to several, and keep one.", epilog=RACE_EPILOG)(race)
app.command("stop", short_help="End runs in good order.", epilog=EPILOG)(stop)
app.command("blame", short_help="Say which run has written each line of a file.", epilog=EPILOG)(blame)
runs_app.command("export", short_help="Export a run: Markdown, a page, events, a recording.", epilog=EPILOG)(export_run)
runs_app.command("diff", short_help="Print what a run has changed.", epilog=EPILOG)(diff_run)
runs_app.command("undo", short_help="Take back what a run has changed.", epilog=UNDO_EPILOG)(undo_run)
runs_app.command("redo", short_help="Have back what was taken back.", epilog=UNDO_EPILOG)(redo_run)
runs_app.command("fork", short_help="Go on from a turn of a run, in the application.", epilog=EPILOG)(fork_run)
runs_app.command("open", short_help="Read a run, in the application.", epilog=EPILOG)(open_run)
runs_app.command("resume", short_help="Go on with a run, in the application.", epilog=EPILOG)(resume_run)
runs_app.command("replay", short_help="Play a run again, in the application.", epilog=EPILOG)(replay_run)
app.add_typer(runs_app, name="runs")
app.add_typer(worktree_app, name="worktree")
app.add_typer(rules_app, name="rules")
app.add_typer(config_app, name="config")
app.add_typer(offline_app, name="offline")
app.add_typer(tasks_app, name="tasks")
app.add_typer(mcp_app, name="mcp")
app.command("attach", short_help="Show a run that has a process of its own.", epilog=EPILOG)(attach)
app.command("host", hidden=True, epilog=EPILOG)(host)
app.command("demo", short_help="See the agents at work, offline. About a minute.")(demo)
app.command("doctor", short_help="Check what Maverick stands on, and say what to do.", epilog=EPILOG)(doctor)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"maverick {__version__}")
        raise typer.Exit


def _require_none_before(context: typer.Context, command: str) -> None:
    """BadParameter if anything but --debug stands before a command: it would not count, and nobody would know."""
    group: Any = context.command
    own = group.get_command(context, command)
    taken = {name for one in own.params for name in one.opts} if own is not None else set()
    for option in group.params:
        source = context.get_parameter_source(option.name)
        if option.name != "debug" and source is not None and source.name == "COMMANDLINE":
            name = option.opts[0]
            way = f"put it behind: maverick {command} {name} ..." if name in taken else "that does not take it."
            raise typer.BadParameter(f"It does not count before `{command}`: {way}", param_hint=name)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Run this agent.")] = None,
    prompt: Annotated[
        str | None, typer.Option("--prompt", metavar="TEXT", help="What it should do; - reads it from a pipe.")
    ] = None,
    fuse: Annotated[
        list[str] | None,
        typer.Option("--fuse", metavar="UNIT=AMOUNT", help="With --agent: hold and ask at so much: usd=2. Repeatable."),
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", metavar="HOST", help="Run it on this machine, which your ssh knows.")
    ] = None,
    cwd: Annotated[
        str | None, typer.Option("--cwd", metavar="DIR", help="With --on: its folder there; your home by default.")
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Let a script answer instead of a model; the to-do list is temporary.")
    ] = False,
    script: Annotated[
        Path | None, typer.Option("--script", metavar="FILE", help="The script; the demo by default.")
    ] = None,
    worktree: Annotated[bool, typer.Option("--worktree", help="With --agent: in a git worktree of its own.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Mission control for coding agents in the terminal.

    Without a command it opens the application, with the demo if no credentials are set up. Without a terminal it
    prints the demo or the agents; or, with --agent and a prompt, that agent's answer on standard output and everything
    else on standard error. The prompt comes from --prompt or from a pipe. With --on HOST the agent of that machine runs
    there, in a process of its own, and is shown here.
    """
    options.debug = debug
    if context.invoked_subcommand is not None:
        _require_none_before(context, context.invoked_subcommand)
        return
    from maverick_tui.cli.launching import STDIN, is_terminal, launch, open_app, piped, typed

    if script is not None and not offline:
        raise typer.BadParameter("A script needs --offline.", param_hint="--script")
    if prompt is not None and agent is None:
        raise typer.BadParameter("Name the agent with --agent.", param_hint="--prompt")
    if fuse and (agent is None or on is not None):
        why = "It goes with --agent; on another machine, with `maverick run --detach --on`."
        raise typer.BadParameter(why, param_hint="--fuse")
    from maverick_tui.cli.run_options import fuse_given

    given = fuse_given(fuse)
    if cwd is not None and on is None:
        raise typer.BadParameter("It goes with --on; here, change to the folder first.", param_hint="--cwd")
    if worktree and (agent is None or on is not None):
        raise typer.BadParameter("Name the agent with --agent, and no --on.", param_hint="--worktree")
    if on is not None:
        if agent is None or offline:
            raise typer.BadParameter("Name the agent with --agent, and no --offline.", param_hint="--on")
        if prompt == STDIN:
            why = (
                f"The application takes no pipe: `maverick run --detach --on {on} {agent} -` does, and leaves it there."
            )
            raise typer.BadParameter(why, param_hint="--prompt -")
        from maverick_tui.cli.far import open_on

        raise typer.Exit(open_on(on, agent, typed(prompt) if prompt is not None else None, cwd or ""))
    from maverick_tui.credentials import has_credentials

    if is_terminal():
        if prompt == STDIN:
            raise typer.BadParameter("Nothing is piped in.", param_hint="--prompt -")
        opened = launch(agent, prompt, is_offline=offline, script=script, worktree=worktree)
        raise typer.Exit(open_app(opened._replace(fuse=given)))
    if offline and script is None and agent is not None:
        prompt = prompt or piped()
    if offline and script is None and prompt is not None:
        raise typer.BadParameter("The demo has prompts of its own: name a script with --script.", param_hint="--prompt")
    if agent is not None and prompt in (None, STDIN) and (script is not None or not offline):
        prompt = piped()
    if (agent is None) != (prompt is None) or (script is not None and agent is None):
        name = "Name an agent with --agent, and give" if agent is None else "Give"
        raise typer.BadParameter(f"{name} it a prompt with --prompt or a pipe.")
    if agent is not None and prompt is not None and (script is not None or not offline):
        from maverick_tui.cli.headless import Wanted, run_headless

        wanted = Wanted(
            agent, typed(prompt), Path.cwd(), script=script, always_shows=True, fuse=given, worktree=worktree
        )
        # A script that runs an agent this way takes what it was refused as part of its work.
        if (code := run_headless(wanted)) not in (0, NOBODY_TO_ASK):
            raise typer.Exit(code)
    elif offline or not has_credentials():
        demo(agent)
    else:
        list_agents()
