"""Where a run works: in the folder that it was started in, or in a worktree of its own, and what becomes of that."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from maverick_tui import paths
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.agent.permissions.started import Started
from maverick_tui.inert import one_line
from maverick_tui.worktrees import ending, races, records, working
from maverick_tui.worktrees.making import Made, make, make_again, require_inside
from maverick_tui.worktrees.needs import Needs, needs_of, provide
from maverick_tui.worktrees.removing import discard, remove_tree

GONE = (
    "Its worktree is gone, and so are its branch and its commits: it goes on in the project itself. What it changes "
    "there is changed for you, too."
)


class Wish(NamedTuple):
    """What is wanted for a run; without its id it works where it was started."""

    run_id: str = ""
    is_wanted: bool = False
    """Whether it is to have a worktree of its own, whatever its agent says."""
    brings_changes: bool = False
    """Whether what is not committed comes along."""
    race: str = ""
    """The race that it runs in."""
    is_new: bool = True
    """Whether the run begins: one that goes on does so where it was."""
    had_one: bool = False
    """Whether it has worked in a worktree before."""
    enters: bool = False
    """Whether this process is the run's alone, and goes there: an agent's own code may ask where it is."""


class Placed(NamedTuple):
    """Where a run works, and what the person should know of that."""

    cwd: Path
    is_isolated: bool = False
    told: tuple[str, ...] = ()


def find_place(wish: Wish, agent: str, isolation: str | None, cwd: Path) -> Placed:
    """Where this run works that was started in this folder. ConfigError if it cannot have the worktree it needs."""
    placed = _place(wish, agent, isolation, cwd)
    if placed.is_isolated and wish.enters:
        os.chdir(placed.cwd)
    return placed


def _place(wish: Wish, agent: str, isolation: str | None, cwd: Path) -> Placed:
    if not wish.run_id:
        return Placed(cwd)
    working.begin(wish.run_id, cwd)
    records.require_known(wish.run_id)
    if (known := records.worktree_of(wish.run_id)) is not None:
        working.begin(wish.run_id, known.top)
        known = records.worktree_of(wish.run_id) or known  # it may have been merged until then
        if known.race and known.race != wish.race:  # it goes on after its race was killed
            known = records.release(known)
        if known.has_git:
            require_inside(known)
            known.cwd.mkdir(parents=True, exist_ok=True)  # the run may have removed it
            return Placed(known.cwd, is_isolated=True)
        needs = trusted_needs(Path(known.project))
        again = make_again(known)
        if again is None:
            return Placed(cwd, told=(GONE,))
        files = ending.files_changed_by(again.worktree)
        return _provided(*_without_own_set_up(again, needs, files, "the run has changed"), is_new=False)
    if wish.is_new and (wish.is_wanted or isolation == "worktree"):
        needs = trusted_needs(cwd)
        made = make(wish.run_id, agent, cwd, brings_changes=wish.brings_changes, race=wish.race)
        working.begin(wish.run_id, made.worktree.top)
        return _provided(made, needs, is_new=True)
    return Placed(cwd, told=(GONE,) if wish.had_one else ())


def make_filled(
    run_id: str, agent: str, cwd: Path, at: str, fill: Callable[[records.Worktree], list[str]]
) -> tuple[str, ...]:
    """Make the worktree of a run that is still to begin, at a commit, and fill it; what the person should know of that.

    `fill` says which paths it has changed. ConfigError if there can be none; then there is none.
    """
    needs = trusted_needs(cwd)
    made = make(run_id, agent, cwd, at=at)
    try:
        filled, unlike = fill(made.worktree), ending.files_unlike_project(made.worktree)
    except BaseException:
        discard(made.worktree)
        raise
    files = None if unlike is None else list(dict.fromkeys([*filled, *unlike]))
    why = "these are not as committed in the project:"
    return _provided(*_without_own_set_up(made._replace(told=()), needs, files, why), is_new=True).told


def leave_place(run_id: str, race: str = "") -> records.Worktree | None:
    """A run has ended: its worktree goes if nothing was done in it. The worktree that is still there, if any."""
    if race:
        races.await_making()
    working.left(run_id)  # a thread that nobody waited for may have begun after its end
    worktree = records.worktree_of(run_id)
    if worktree is None:
        return None
    if worktree.race:  # the race's own process sees to it, as long as that lives
        if not races.is_running(worktree.race):
            _step_out(worktree)
            races.throw_away(worktree)
        return None
    if not worktree.is_there:
        return None
    if not ending.is_unchanged(worktree):
        return worktree
    with working.nobody_in(worktree) as is_free:
        if not is_free:
            return worktree
        _step_out(worktree)
        ending.remove(worktree)
    return None


def _step_out(worktree: records.Worktree) -> None:
    if paths.worktree_around(paths.working_folder()) == worktree.top:
        os.chdir(worktree.project)


def words_on(worktree: records.Worktree) -> tuple[str, str]:
    """What there is in a worktree that is left, and what to do with it."""
    loss = ending.loss_of(worktree)
    run = worktree.run_id
    return (
        f"Its work is in {worktree.path}, on the branch {worktree.branch}: {loss.words.rstrip('.')}.",
        f"`maverick worktree merge {run}`, or `keep` or `remove` instead of `merge`.",
    )


def trusted_needs(folder: Path) -> Needs | None:
    """What worktrees of the project around a folder need. NotTrustedError if nobody has trusted that file as it is."""
    needs = needs_of(folder)
    if needs is None or TrustStore().is_trusted(needs.path, needs.content):
        return needs
    raise NotTrustedError(
        f"{needs.path} says what a worktree needs, and is not trusted as it is: it {', '.join(needs.words)}.",
        path=str(needs.path),
        hint="Read it, then run: maverick worktree trust",
    )


def _without_own_set_up(
    made: Made, needs: Needs | None, files: list[str] | None, why: str
) -> tuple[Made, Needs | None]:
    """Leave the set-up out if what it may start is among files of a run: code of its agent would run unasked.

    `why` are the words that go before them; the files are None where nobody knows them.
    """
    if needs is None or not needs.setup:
        return made, needs
    top, line = Path(os.path.realpath(made.worktree.top)), shlex.join(needs.setup)
    started = Started([line], top)
    if files is not None and not (own := [file for file in files if started.has(top / file)]):
        return made, needs
    why = f"{why} {records.some(own)}" if files is not None else "what the run has changed is not known"
    text = f"Its set-up was not run, since {why}. If that is fine, run it in {top}: {one_line(line)}"
    return made._replace(told=(*made.told, text)), needs._replace(setup=())


def _provided(made: Made, needs: Needs | None, *, is_new: bool) -> Placed:
    worktree = made.worktree
    try:
        told = provide(needs, worktree) if needs is not None else []
    except BaseException:
        # As before it was made: with its branch, if it had one.
        if is_new:
            discard(worktree)
        else:
            remove_tree(worktree)
        raise
    return Placed(worktree.cwd, True, (*made.told, *told))
