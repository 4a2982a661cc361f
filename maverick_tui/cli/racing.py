"""`maverick race`: the same prompt to several agents or models, each in a worktree of its own; then one is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.agents import complete_agent
from maverick_tui.cli.exit_codes import FAILED, INTERRUPTED

if TYPE_CHECKING:
    from maverick_tui.cli.race_watch import Choice
    from maverick_tui.host.orders import Order
    from maverick_tui.host.racing import Entrant

RACE_EPILOG = """\b
Exit codes:
    0  one of them has done its work, and passed the test if there is one
    1  none has, or what is to be merged cannot be
    2  wrong usage
    3  no such agent
    4  not trusted
  130  interrupted: nothing is left of the race"""


def race(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What all of them should do; - is what is piped in.")],
    agents: Annotated[
        list[str],
        typer.Option("--agent", metavar="NAME", help="An agent that races. Repeatable.", autocompletion=complete_agent),
    ],
    models: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="NAME", help="A model that each agent races with. Repeatable."),
    ] = None,
    test: Annotated[
        str, typer.Option("--test", metavar="CMD", help="A command that says whether it works; run without a shell.")
    ] = "",
    keep: Annotated[
        str | None,
        typer.Option(
            "--keep",
            metavar="N|passed|all|none",
            help="Keep this one; or the cheapest that passed. By default you are asked, or all are kept.",
        ),
    ] = None,
    merge: Annotated[bool, typer.Option("--merge", help="Merge the one that is kept.")] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="RULE", help="What they may do besides, such as 'Bash(make:*)'. Repeatable."),
    ] = None,
    max_turns: Annotated[
        int | None, typer.Option("--max-turns", metavar="N", min=1, help="How often each may ask its model.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="USD", help="What each may cost, in dollars.")
    ] = None,
    timeout: Annotated[float | None, typer.Option("--timeout", metavar="S", help="Seconds that each may take.")] = None,
    with_changes: Annotated[
        bool, typer.Option("--with-changes", help="What is not committed comes along into each worktree.")
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Leave them running in worktrees; print their ids, and return.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Let a script answer instead of models.")] = False,
    script: Annotated[Path | None, typer.Option("--script", metavar="FILE", help="The script.")] = None,
) -> None:
    """Give the same prompt to 2 to 8 agents or models, each in a git worktree of its own, and compare what comes.

    Each agent races with each model that is named. When one has settled, what it has changed is committed on its
    branch, and --test runs there. Then answers, changes, cost, time and test are shown side by side, and you choose:
    the branch of the one that is kept stays, or is merged, and all others are removed with their worktrees. Where git
    ignores something that the one that is kept has made, but for caches, its worktree stays as well, and you are told.

    What one asks waits for you (`maverick attach`); without a terminal it has settled with that. Whatever ends this
    command, even a kill, ends all of them and removes their worktrees and branches, unless --detach was given. What
    they have said is kept as of any run.

    JSON: {race, results: [{number, run_id, agent, model, outcome, answer, cost_usd, seconds, files, added, removed,
    diff, diff_more, test, problem, ignored, branch, kept}], told}; diff_more: how many more lines its diff has; test:
    {passed, code, why, output}, or null; ignored: files and folders of its own that git ignores.
    """
    import shlex

    from maverick_tui.cli.launching import STDIN, piped, typed
    from maverick_tui.cli.race_watch import parse_choice, run_race
    from maverick_tui.cli.run_options import require_amounts
    from maverick_tui.host.racing import entrants_of

    if offline != (script is not None):
        raise typer.BadParameter("--offline and --script FILE belong together.", param_hint="--offline")
    require_amounts(max_cost, timeout)
    text = piped() if prompt == STDIN else typed(prompt)
    if not (text or "").strip():
        raise typer.BadParameter("It is empty.", param_hint="PROMPT")
    try:
        command = shlex.split(test)
    except ValueError as error:
        raise typer.BadParameter(f"{error}.", param_hint="--test") from error
    entrants = entrants_of(agents, models or [])
    choice: Choice | None = parse_choice(keep, len(entrants))
    if detach and (keep or merge or test or as_json):
        raise typer.BadParameter("What is left running is not compared here.", param_hint="--detach")
    order = _order(
        text or "", tuple(allow or ()), max_turns, max_cost, timeout, brings_changes=with_changes, script=script
    )
    _check(entrants, order)
    if detach:
        _start_only(entrants, order)
        return
    try:
        code = run_race(entrants, order, command, choice, merges=merge, as_json=as_json)
    except KeyboardInterrupt as error:
        typer.echo("maverick: The race was ended; nothing is left of it but what was said.", err=True)
        raise typer.Exit(INTERRUPTED) from error
    if code:
        raise typer.Exit(FAILED)


def _order(
    prompt: str,
    allowed: tuple[str, ...],
    turns: int | None,
    cost: float | None,
    seconds: float | None,
    *,
    brings_changes: bool,
    script: Path | None,
) -> Order:
    from maverick_tui.host.orders import Order

    return Order(
        "",
        "",
        str(Path.cwd()),
        prompt,
        allowed=allowed,
        max_turns=turns,
        max_cost_usd=cost,
        max_seconds=seconds,
        script=str(script.absolute()) if script is not None else None,
        worktree=True,
        brings_changes=brings_changes,
    )


def _check(entrants: list[Entrant], order: Order) -> None:
    """Whatever can be known to be wrong before any of them is started, with the errors of a single run."""
    from maverick_tui.agent.catalog.loading import load_agent
    from maverick_tui.cli.headless import Wanted, made_for
    from maverick_tui.config import MaverickConfig
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.racing import require_worktrees

    folder, config = Path(order.cwd), MaverickConfig.load()
    if not config.keep_runs:
        raise ConfigError(
            "A race is read from what is kept of its runs, and the settings keep none.",
            hint="Set MAVERICK_KEEP_RUNS=true for this one.",
        )
    for name in dict.fromkeys(one.agent for one in entrants):
        wanted = Wanted(name, order.prompt, folder, limits=order.limits, allowed=order.allowed)
        made_for(wanted, load_agent(name, folder), config)
    require_worktrees(folder)


def _start_only(entrants: list[Entrant], order: Order) -> None:
    from dataclasses import replace

    from maverick_tui.host.starting import start_host

    for one in entrants:
        start_host(replace(order, run_id=one.run_id, agent=one.agent, takes=one.model))
        typer.echo(f"{one.run_id} {one.label}")
