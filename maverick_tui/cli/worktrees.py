"""`maverick worktree`: the worktrees that runs have left, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.exit_codes import EPILOG, FAILED
from maverick_tui.cli.runs import AsJson, Yes, print_json

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from maverick_tui.worktrees.ending import Loss
    from maverick_tui.worktrees.records import Worktree

_AT_ONCE = 8
"""Worktrees that are looked at side by side."""

worktree_app = typer.Typer(
    help="List the worktrees of runs; merge, keep or remove them.", rich_markup_mode=None, no_args_is_help=True
)


def _complete(incomplete: str) -> list[str]:
    from maverick_tui.worktrees.records import all_worktrees

    return [one.run_id for one in all_worktrees() if one.run_id.startswith(incomplete)]


Run = Annotated[str, typer.Argument(metavar="RUN", help="Its id, or the beginning of it.", autocompletion=_complete)]
MayLose = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask: what no commit has may be lost.")]


@worktree_app.command("list", short_help="List the worktrees of runs.", epilog=EPILOG)
def list_worktrees(as_json: AsJson = False) -> None:
    """List the worktrees of runs, and the branches that were kept of some: whose each is, and what only it has.

    What a race that was killed has left is removed.

    JSON: [{run_id, agent, state, project, path, branch, base, uncommitted, commits, ignored, lost}]; state: alive (its
    run has a process, or another one works there), left, branch; uncommitted: files; commits: how many no other branch
    has; ignored: files and folders that git ignores, but for caches; lost: in words, all that would be if it were
    removed.
    """
    import asyncio

    from maverick_tui.host.worktrees import is_worked_in
    from maverick_tui.worktrees.ending import has_branch
    from maverick_tui.worktrees.records import all_worktrees, damaged

    _tidy_up()
    _tell_damaged(damaged())
    found = [one for one in all_worktrees() if one.is_there or has_branch(one)]
    states = ["alive" if is_worked_in(one) else "left" if one.is_there else "branch" for one in found]
    losses = asyncio.run(_losses(found))
    if as_json:
        print_json(list(map(_data, found, states, losses)))
        return
    import sys

    from maverick_tui.cli.layout import Paper, display_path, pad, terminal_width

    paper = Paper(sys.stdout, terminal_width())
    if not found:
        paper.line("No run has a worktree.", ("  `maverick run --worktree` gives it one.", "dim"))
    widths = [max((len(text) for text in column), default=0) for column in (states, [one.branch for one in found])]
    for one, state, lost in zip(found, states, losses, strict=True):
        paper.line(
            f"{one.run_id[:8]}  ",
            (pad(state, widths[0]), "cyan" if state == "alive" else "yellow" if lost else "dim"),
            f"  {pad(one.branch, widths[1])}  ",
            lost.words,
            (f"  {display_path(one.project)}", "dim"),
        )


async def _losses(found: Sequence[Worktree]) -> list[Loss]:
    """What only each of them has, side by side: in one of them git may compare names for as long as it is let."""
    import asyncio

    from maverick_tui.threads import in_thread
    from maverick_tui.worktrees.ending import loss_of

    free = asyncio.Semaphore(_AT_ONCE)

    async def look(one: Worktree) -> Loss:
        async with free:
            return await in_thread(loss_of, one)

    return await asyncio.gather(*map(look, found))


def _tell_damaged(run_ids: list[str]) -> None:
    import sys

    from maverick_tui.cli.layout import say_error
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.worktrees.records import require_known

    for run_id in run_ids:
        try:
            require_known(run_id)
        except ConfigError as error:
            say_error(error.message, error.hint, sys.stderr)


def _data(one: Worktree, state: str, lost: Loss) -> dict[str, object]:
    names = ("run_id", "agent", "project", "path", "branch", "base")
    only_it = {"uncommitted": lost.uncommitted, "commits": lost.commits, "ignored": lost.ignored, "lost": lost.words}
    return {**{name: getattr(one, name) for name in names}, "state": state, **only_it}


@worktree_app.command("merge", short_help="Merge what a run has done.", epilog=EPILOG)
def merge(run: Run, yes: MayLose = False) -> None:
    """Merge what a run has done into what is checked out in the project, and remove its worktree and its branch.

    What it has not committed is committed first. It is tried before any of your files is touched, and refused if it
    conflicts, if you have changed files that are not committed, or if a filter or a submodule would be needed. No hook
    of the repository runs.

    What git ignores is in no commit. If there is any in the worktree, but for caches that tools make anew (such as
    node_modules and __pycache__, or what has a CACHEDIR.TAG), you are asked whether it may be lost; if not, or if
    there is nobody to ask, worktree and branch stay.
    """
    from maverick_tui.host.worktrees import find_worktree
    from maverick_tui.host.worktrees import merge as merge_it

    worktree = find_worktree(run)
    _tell(merge_it(worktree, loses=yes or _lets_go(worktree)))


@worktree_app.command("keep", short_help="Keep what a run has done as a branch.", epilog=EPILOG)
def keep(run: Run, yes: MayLose = False) -> None:
    """Commit what a run has not committed, and remove its worktree: all of it is on its branch then.

    No hook of the repository runs, and files are stored as they are, without filters.

    What git ignores is in no commit. If there is any in the worktree, but for caches that tools make anew (such as
    node_modules and __pycache__, or what has a CACHEDIR.TAG), you are asked whether it may be lost; if not, or if
    there is nobody to ask, the worktree stays.
    """
    from maverick_tui.host.worktrees import find_worktree
    from maverick_tui.host.worktrees import keep as keep_it

    worktree = find_worktree(run)
    _tell(keep_it(worktree, loses=yes or _lets_go(worktree)))


def _lets_go(worktree: Worktree) -> Collection[str]:
    """What a person says may go with the worktree of what no commit has."""
    from maverick_tui.cli.asking import is_anybody_there, says_yes
    from maverick_tui.worktrees.ending import loss_of

    if not is_anybody_there() or not (what := (loss := loss_of(worktree)).in_no_commit):
        return ()
    lets_go = says_yes(f"Remove the worktree as well? It would lose {what}.")
    return loss.paths_in_no_commit if lets_go else ()


@worktree_app.command("remove", short_help="Remove a worktree and its branch.", epilog=EPILOG)
def remove(run: Run, yes: Yes = False) -> None:
    """Remove the worktree of a run, and its branch, with all that only they have: you are told what, and asked."""
    from maverick_tui.cli.asking import is_anybody_there, says_yes
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.host.worktrees import find_worktree
    from maverick_tui.host.worktrees import remove as remove_it
    from maverick_tui.inert import one_line
    from maverick_tui.worktrees.ending import loss_of

    worktree = find_worktree(run)
    loss = loss_of(worktree)
    if loss and not yes:
        if not is_anybody_there():
            raise ConfigError(
                f"Nothing was removed: it would lose {loss.words}, and there is nobody to ask.",
                hint="Add --yes, or `maverick worktree keep` it.",
            )
        for path in loss.uncommitted[:20]:
            typer.echo(f"  {one_line(path)}", err=True)
        if not says_yes(f"Remove {worktree.branch}? It would lose {loss.words}."):
            typer.echo("Nothing was removed.", err=True)
            raise typer.Exit(FAILED)
        if (now := loss_of(worktree)) != loss:
            why = f"Nothing was removed: by now it would lose {now.words}."
            raise ConfigError(why, hint="Look at it, and try again.")
    _tell(remove_it(worktree))


@worktree_app.command("trust", short_help="Trust what this project's worktrees need.", epilog=EPILOG)
def trust(
    yes: Yes = False, revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting it.")] = False
) -> None:
    """Trust this project's .maverick/worktree.toml as it is: what it copies, links and runs in each new worktree.

    A change of the file ends the trust. It says, for example: copy = [".env"], link = ["node_modules"],
    setup = ["make", "deps"].
    """
    from pathlib import Path

    from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
    from maverick_tui.cli.asking import is_anybody_there, require_no_agent, says_yes
    from maverick_tui.cli.layout import display_path
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.worktrees.needs import needs_of

    require_no_agent()
    needs = needs_of(Path.cwd())
    if needs is None:
        raise ConfigError("This project does not say what its worktrees need.", hint="There is nothing to trust.")
    store, name = TrustStore(), display_path(str(needs.path))
    if revoke:
        typer.echo(f"{name} {'is no longer trusted' if store.revoke(needs.path) else 'was not trusted'}.")
        return
    typer.echo(f"In each new worktree {name}")
    for words in needs.words:
        typer.echo(f"  {words}")  # unmasked: what is trusted is seen
    if not yes:
        if not is_anybody_there():
            raise NotTrustedError("There is nobody to ask.", hint="Read it, then run: maverick worktree trust --yes")
        if not says_yes("May it?"):
            raise NotTrustedError("It was not trusted.", hint="Nothing was changed.")
    store.trust(needs.path, needs.content)
    typer.echo("Trusted.")


def _tell(text: str) -> None:
    from maverick_tui.inert import one_line

    typer.echo(one_line(text))


def _tidy_up() -> None:
    from maverick_tui.host.racing import tidy_races

    if removed := tidy_races():
        typer.echo(f"Removed what a race that was killed has left: {len(removed)} worktrees.", err=True)
