"""`maverick run`: one agent without a terminal; `maverick schema`: what it tells, for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from maverick_tui.cli.exit_codes import RUN_EPILOG
from maverick_tui.cli.run_options import (
    Allow,
    Fuse,
    Inputs,
    MaxCost,
    MaxTurns,
    Timeout,
    WaitForLimit,
    fuse_given,
    pairs,
    require_amounts,
)
from maverick_tui.cli.runs import complete_run

schema_app = typer.Typer(
    help="Print JSON Schemas of what Maverick writes.", rich_markup_mode=None, no_args_is_help=True
)


@schema_app.command("events", short_help="Of the events of a run: --output stream-json, and journals.")
def events() -> None:
    """Print the JSON Schema of an event: a line of `maverick run --output stream-json`."""
    import json

    from maverick_tui.events.schema import event_schema

    typer.echo(json.dumps(event_schema(), indent=2))


def run(
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="AGENT", show_default=False, help="The agent to run; with --resume or --fork, the run's."
        ),
    ] = None,
    prompt: Annotated[
        str | None,
        typer.Argument(
            metavar="PROMPT",
            show_default=False,
            help="What it should do; - is what is piped in, which must be something.",
        ),
    ] = None,
    inputs: Inputs = None,
    output: Annotated[
        Literal["text", "json", "stream-json"],
        typer.Option("--output", help="The answer alone; one object at the end; or events, one a line, as they come."),
    ] = "text",
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    fuse: Fuse = None,
    timeout: Timeout = None,
    allow: Allow = None,
    cwd: Annotated[
        Path | None,
        typer.Option(
            "--cwd",
            metavar="DIR",
            help="Where it works; by default here, or where the run has worked that goes on; with --on, there.",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="RUN", help="Go on with a kept run.", autocompletion=complete_run),
    ] = None,
    fork: Annotated[
        str | None,
        typer.Option(
            "--fork",
            metavar="RUN[@TURN]",
            help="Begin with the conversation of a run up to that turn; 0 is before the first.",
            autocompletion=complete_run,
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option("--model", metavar="NAME", help="With --resume or --fork: another model answers from there on."),
    ] = "",
    wait_for_limit: WaitForLimit = False,
    no_keep: Annotated[bool, typer.Option("--no-keep", help="Keep no journal of this run.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Let a script answer instead of a model.")] = False,
    script: Annotated[Path | None, typer.Option("--script", metavar="FILE", help="The script.")] = None,
    detach: Annotated[
        bool, typer.Option("--detach", help="Leave it running in a process of its own; print its id, and return.")
    ] = False,
    worktree: Annotated[
        bool, typer.Option("--worktree", help="Work in a git worktree of its own, on a branch of its own.")
    ] = False,
    with_changes: Annotated[
        bool, typer.Option("--with-changes", help="With --worktree: what is not committed comes along.")
    ] = False,
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="HOST", help="With --detach: on this machine, by the agents and folders there."),
    ] = None,
) -> None:
    """Run an agent without a terminal; nobody is asked anything.

    The result goes to standard output. What the agent does on the way is shown on standard error if that is a
    terminal; failures always are, after what came until then. Limits hold for the whole run; the agent's own limits
    hold, too. What a call always asks about stays refused.

    With PROMPT, standard input is not read: what is piped in does not count. Without it, what is piped in is the
    prompt; if that is nothing, the author's own is, if there is one. In a shell's loop over lines of standard input add
    < /dev/null, or the rest of them is the prompt.

    A run that goes on, or is forked, has no more tools, turns or freedom than it had, but for what --allow adds. It is
    `maverick run --resume RUN PROMPT`, or --fork RUN@TURN: a single argument is the prompt, unless it is the name of
    the run's agent. A fork, or a session of Claude Code, may go on with another agent: `maverick run AGENT PROMPT
    --fork RUN@TURN`.

    With --detach its questions wait for a person, and --on HOST starts it on another machine. See `maverick ps`,
    `logs`, `wait` and `stop`; exit codes 5 to 7 are those of `wait` then.

    A worktree begins with the commit that is checked out, and stays if anything was done in it: see `maverick
    worktree`. No hook or filter of the repository runs for it.

    --output json is {run_id, result, ok, error, usage, cost, turns, duration, session}; for stream-json see `maverick
    schema events`: events are masked as they are kept. Ctrl+C ends it in good order, a second one at once.
    """
    given = fuse_given(fuse)
    if offline != (script is not None):
        raise typer.BadParameter("--offline and --script FILE belong together.", param_hint="--offline")
    require_amounts(max_cost, timeout)
    if on is None and cwd is not None and not cwd.is_dir():
        raise typer.BadParameter(f"Directory '{cwd}' does not exist.", param_hint="--cwd")
    _require_worktree(worktree=worktree, with_changes=with_changes, resume=resume, on=on)
    if on is not None:
        _require_far(detach=detach, resume=resume, script=script)
    if resume is not None and fork is not None:
        raise typer.BadParameter("A run is resumed or forked, not both.", param_hint="--fork")
    if detach:
        _require_detachable(output, fork, no_keep=no_keep)
    if model and resume is None and fork is None:
        why = "It goes with --resume or --fork; else an agent has the model of its file, or of the settings."
        raise typer.BadParameter(why, param_hint="--model")
    from maverick_tui.cli.launching import STDIN, piped, typed

    goes_on = None
    if resume is not None or fork is not None:
        from maverick_tui.cli.going_on import find_past

        goes_on, agent, prompt = find_past(resume, fork, agent, prompt, cwd, model=model, has_script=script is not None)
    if agent is None:
        raise typer.BadParameter("Name the agent to run.", param_hint="AGENT")
    text = None if prompt is None else piped() if prompt == STDIN else typed(prompt)
    if prompt is not None and not (text or "").strip():
        raise typer.BadParameter("Nothing is piped in." if prompt == STDIN else "It is empty.", param_hint="PROMPT")
    if on is not None:
        from maverick_tui.cli.far import new_id, start_on
        from maverick_tui.host.orders import Order

        order = Order(
            new_id(), agent, str(cwd or ""), text or piped() or "", pairs(inputs or []), tuple(allow or ()),
            max_turns, max_cost, timeout, waits_for_limit=wait_for_limit or None, fuse=given,
        )  # fmt: skip
        typer.echo(f"{on}:{start_on(on, order)}")
        return
    from maverick_tui.cli.headless import Wanted, run_headless
    from maverick_tui.runs.holding import RunLimits

    wanted = Wanted(
        agent,
        text,
        goes_on.folder if goes_on is not None else (cwd or Path.cwd()).absolute(),
        pairs(inputs or []),
        output,
        RunLimits(max_turns, max_cost, timeout),
        tuple(allow or ()),
        waits_for_limit=wait_for_limit,
        is_kept=not no_keep,
        script=script,
        fuse=given,
        goes_on=goes_on,
        worktree=worktree,
        brings_changes=with_changes,
    )
    if detach:
        from maverick_tui.cli.detaching import run_detached

        typer.echo(run_detached(wanted))
    elif code := run_headless(wanted):
        raise typer.Exit(code)


def _require_worktree(*, worktree: bool, with_changes: bool, resume: str | None, on: str | None) -> None:
    """BadParameter for a worktree that a run cannot have."""
    if with_changes and not worktree:
        raise typer.BadParameter("It goes with --worktree.", param_hint="--with-changes")
    for is_given, why in (
        (resume is not None, "A run goes on where it was: in its worktree, if it had one."),
        (on is not None, "A run on another machine cannot have one: let it run in a folder of its own there."),
    ):
        if worktree and is_given:
            raise typer.BadParameter(why, param_hint="--worktree")


def _require_far(*, detach: bool, resume: str | None, script: Path | None) -> None:
    """BadParameter for what a run on another machine cannot be asked for."""
    for is_given, why in (
        (not detach, "A run on another machine has a process of its own: add --detach, or use `maverick --on`."),
        (resume is not None, "A run goes on where it is: use `maverick run --resume` there."),
        (script is not None, "A script is on this machine, and the run would not be."),
    ):
        if is_given:
            raise typer.BadParameter(why, param_hint="--on")


def _require_detachable(output: str, fork: str | None, *, no_keep: bool) -> None:
    """BadParameter for what a run cannot be asked for that nobody waits for."""
    for name, is_given, why in (
        ("--output", output != "text", "With --detach only the run's id is printed; `maverick logs` has the rest."),
        ("--no-keep", no_keep, "A run with --detach is read from what is kept of it."),
        ("--fork", fork is not None, "A fork cannot be detached: leave out --detach, or use `maverick runs fork`."),
    ):
        if is_given:
            raise typer.BadParameter(why, param_hint=name)


def add_to(app: typer.Typer) -> None:
    """Put both on the command line."""
    app.command("run", short_help="Run an agent without a terminal.", epilog=RUN_EPILOG)(run)
    app.add_typer(schema_app, name="schema")
