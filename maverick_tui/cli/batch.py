"""`maverick batch`: one agent, many prompts, each a run in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from maverick_tui.cli.run_options import (
    Allow,
    Inputs,
    MaxCost,
    MaxTurns,
    Timeout,
    WaitForLimit,
    pairs,
    require_amounts,
)
from maverick_tui.cli.runs import AsJson


def batch(
    agent: Annotated[str, typer.Argument(metavar="AGENT", show_default=False, help="The agent to run.")],
    each: Annotated[
        Path | None, typer.Option("--each", metavar="FILE.jsonl", help="The prompts: an object, or a text, a line.")
    ] = None,
    each_line: Annotated[
        Path | None, typer.Option("--each-line", metavar="FILE", help="The prompts: each line is one, as it is.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=1,
            max=256,
            help="How many run at once, on each machine; by default by its cores.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="DIR", help="Where results go; by default FILE.batch.")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Try those again that have failed before.")
    ] = False,
    inputs: Inputs = None,
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="The model that answers, instead of the agent's.")
    ] = "",
    max_turns: MaxTurns = None,
    max_cost: MaxCost = None,
    timeout: Timeout = None,
    allow: Allow = None,
    cwd: Annotated[
        Path | None,
        typer.Option("--cwd", metavar="DIR", help="Where they work; by default here, on other machines at home."),
    ] = None,
    wait_for_limit: WaitForLimit = False,
    on: Annotated[
        list[str] | None,
        typer.Option("--on", metavar="HOST", help="On this machine, which your ssh knows; . is here. Repeatable."),
    ] = None,
    hosts: Annotated[bool, typer.Option("--hosts", help="Here, and on all machines of the setting hosts.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Let a script answer instead of a model.")] = False,
    script: Annotated[Path | None, typer.Option("--script", metavar="FILE", help="The script.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run an agent with each prompt of a file; nobody is asked anything. Options are those of `maverick run`, for each.

    A line of --each is {"prompt": "...", "id": ..., "inputs": {...}, "model": "..."}, of which only the prompt is
    needed, or a text. Lines that are none are told before anything is started. Each prompt is a run in a process of its
    own: `maverick ps` and the application show them, and the history finds them by a tag.

    DIR/results.jsonl has an object for each that is done: {id, line, run_id, outcome, answer, output, error, cost,
    usage, seconds, machine, key}; DIR/failures.jsonl those that are not, with their error. They are written as they
    come.

    The same command goes on with what is not done, also after it was killed: runs that were at work have gone on by
    themselves, and count. Ctrl+C begins nothing more, and waits for those at work; a second one interrupts them.

    With --on or --hosts, a prompt goes to whichever machine has room; its agents and folders are those of that machine.
    One that cannot be reached is told, and left out.

    At the fuse of a day nothing more begins: what is not done is left, and the same command goes on later.

    --json at the end: {batch, tag, output, prompts, done, failed, left, cost, tokens, seconds, is_interrupted, limit}.
    """
    if (each is None) == (each_line is None):
        raise typer.BadParameter(
            "Name the file with the prompts: with --each, or with --each-line.", param_hint="--each"
        )
    if offline != (script is not None):
        raise typer.BadParameter("--offline and --script FILE belong together.", param_hint="--offline")
    if script is not None and (on or hosts):
        raise typer.BadParameter("A script is on this machine, and the runs would not be.", param_hint="--on")
    require_amounts(max_cost, timeout)
    from maverick_tui.cli.batching import Wish, run_batch

    source = each or each_line
    assert source is not None
    wish = Wish(
        agent,
        source,
        each is not None,
        output or source.with_suffix(".batch"),
        jobs,
        pairs(inputs or []),
        model,
        tuple(allow or ()),
        max_turns,
        max_cost,
        timeout,
        str(cwd) if cwd is not None else "",
        tuple(on or ()),
        script,
        waits_for_limit=wait_for_limit,
        with_hosts=hosts,
        retries=retry_failed,
        as_json=as_json,
    )
    if code := run_batch(wish):
        raise typer.Exit(code)
