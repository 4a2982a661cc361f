"""`maverick runs diff`, `undo` and `redo`: what a run has changed, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maverick_tui.cli.asking import is_anybody_there, says_yes
from maverick_tui.cli.exit_codes import FAILED
from maverick_tui.cli.runs import AsJson, RunId, Yes, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from maverick_tui.review.run_review import RunReview
    from maverick_tui.snapshots.planning import Step
    from maverick_tui.snapshots.undoing import Undone


def diff_run(
    run: RunId,
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="Only what this turn has changed.")] = None,
    stat: Annotated[bool, typer.Option("--stat", help="Only which files, and how many lines.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print what a run has changed as a patch: from its start up to now, or what one turn has changed.

    Piped, it is what `git apply` takes, secrets and all; in a terminal, secrets are masked. A file that others have
    changed, too, is in it with their lines: standard error says so, and JSON says whose each hunk is.

    JSON: {run_id, root, turn, files: [{path, was, status, added, deleted, is_binary, permissions, not_kept, authors,
    hunks: [{old_start, new_start, lines, authors}]}]}; not_kept: why its lines are not known; authors: [{kind, run_id,
    run, turn, prompt, call, tool, about}]; kind: call (of this run), run (a call of another one), you.
    """
    from maverick_tui.cli.changes_text import print_changes, print_patches
    from maverick_tui.review.kinds import START, Scope

    review = _review(run, "diff")
    scope = START if turn is None else Scope("turn", turn)
    files = review.files(scope)
    if as_json:
        from maverick_tui.cli.changes_text import as_data

        data = [as_data(one, review.hunks(scope, one.path, most=None)) for one in files]
        print_json({"run_id": review.run_id, "root": str(review.root), "turn": turn, "files": data})
        return
    print_changes(review, files, is_all=stat)
    if not stat:
        print_patches(review.patch(scope, one.path) for one in files)


def undo_run(
    run: RunId,
    to: Annotated[
        int | None, typer.Option("--to", metavar="TURN", help="Only back to what was there before this turn.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Take back what a run has changed, after showing what becomes of every path; `maverick runs redo` gives it back.

    Only what the run itself has changed is taken back, and only where it is still as the run has left it. What you or
    another run have changed, too, or since, is named and left alone; your index and your commits stay as they are.

    JSON: {run_id, root, done, paths: [{path, does, refused}]}; does: write (as it was), delete, make folder, remove
    folder; done is false if nothing was changed.
    """
    from maverick_tui.cli.changes_text import print_steps
    from maverick_tui.cli.layout import count
    from maverick_tui.review.kinds import START, Scope
    from maverick_tui.review.taking_back import long_commands

    review = _review(run, "undo")
    scope = START if to is None else Scope("since", to)
    steps = review.plan(scope)
    is_all = dry_run or all(step.why_not for step in steps)
    if not as_json and (is_all or not yes):
        print_steps(review, steps, is_to_be=True)
    if not as_json and (warning := long_commands(steps)):
        typer.echo(warning, err=True)
    if is_all:
        _end(review, steps, is_done=False, as_json=as_json)
    paths = {step.path for step in steps if not step.why_not}
    _make_sure(review, f"Take back {count(len(paths), 'path')}?", yes=yes)
    undone = review.undo(scope, shown=None if yes else steps)
    _tell(review, undone, f"maverick runs redo {review.run_id} gives it back.", as_json=as_json)


def redo_run(run: RunId, yes: Yes = False, as_json: AsJson = False) -> None:
    """Have back what was taken back of a run last, where nobody has changed it since, after showing what becomes of it.

    JSON: as `maverick runs undo` has it.
    """
    from maverick_tui.cli.changes_text import print_steps
    from maverick_tui.cli.layout import count

    review = _review(run, "redo")
    last = review.plan_redo()
    if last.paths:
        if not as_json and not yes:
            print_steps(review, last.steps, is_to_be=True)
        _make_sure(review, f"Give back {count(len(last.paths), 'path')}?", yes=yes)
    undone = review.redo(last)
    _tell(review, undone, f"maverick runs undo {review.run_id} takes it back again.", as_json=as_json)


def tell_unfinished() -> None:
    """Bring to an end what was being restored when somebody was killed, and tell what could not be."""
    from maverick_tui.cli.layout import display_path
    from maverick_tui.inert import one_line
    from maverick_tui.review.removing import finish_restores

    for folder, why in finish_restores().items():
        where = display_path(str(folder))
        text = f"What was being restored in {where} could not be brought to an end: {one_line(why)}"
        typer.echo(f"maverick: {text}", err=True)


def _review(run: str, command: str) -> RunReview:
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.history.reading import is_foreign
    from maverick_tui.host.far.machines import machine_and_run
    from maverick_tui.journal.folders import find_run
    from maverick_tui.review.run_review import RunReview

    machine, start = machine_and_run(run)
    if machine:
        raise ConfigError(
            f"What a run has changed is known only where it runs: on {machine}.",
            hint=f"Ask there: ssh {machine} maverick runs {command} {start or 'RUN'}",
        )
    run_id = find_run(start)
    if is_foreign(run_id):
        raise ConfigError(
            f"{run_id} is a session of Claude Code: nobody has kept what it has changed.",
            hint="Changes are tracked once it goes on as a run: maverick runs resume",
        )
    tell_unfinished()
    return RunReview(run_id)


def _make_sure(review: RunReview, question: str, *, yes: bool) -> None:
    """Return if it may be done; a person is asked unless they have said so."""
    from maverick_tui.exceptions import ConfigError

    if review.is_at_work:
        typer.echo("The run is at work at this moment, and may change files again.", err=True)
    if yes:
        return
    if not is_anybody_there():
        raise ConfigError("Nothing was changed: there is nobody to ask.", hint="Add --yes.")
    if not says_yes(question):
        typer.echo("Nothing was changed.", err=True)
        raise typer.Exit(FAILED)


def _tell(review: RunReview, undone: Undone, way_back: str, *, as_json: bool) -> None:
    """Say what was done, and leave."""
    from maverick_tui.cli.changes_text import print_steps

    if not as_json:
        print_steps(review, [*undone.done, *undone.refused], is_to_be=False)
        if undone.done:
            typer.echo(way_back, err=True)
    _end(review, [*undone.done, *undone.refused], is_done=bool(undone.done), as_json=as_json)


def _end(review: RunReview, steps: Sequence[Step], *, is_done: bool, as_json: bool) -> None:
    if as_json:
        paths = [{"path": step.path, "does": step.does, "refused": step.why_not} for step in steps]
        print_json({"run_id": review.run_id, "root": str(review.root), "done": is_done, "paths": paths})
    raise typer.Exit(FAILED if any(step.why_not for step in steps) else 0)
