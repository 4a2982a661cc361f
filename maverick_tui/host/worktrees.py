"""What becomes of the worktrees of runs that have ended; one that is worked in is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from maverick_tui.events.kinds import TurnStarted
from maverick_tui.exceptions import ConfigError, MaverickError
from maverick_tui.history.reading import read_run
from maverick_tui.host.places import has_host
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.masking.redact import redact
from maverick_tui.worktrees import ending, records, working
from maverick_tui.worktrees.ending import Loses
from maverick_tui.worktrees.records import Worktree

_LONGEST = 72


def has_run(worktree: Worktree) -> bool:
    """Whether the run that it was made for is alive."""
    return has_host(worktree.run_id) or is_alive(journal_of(worktree.run_id))


def is_worked_in(worktree: Worktree) -> bool:
    """Whether its run is alive, or any other that works there."""
    return has_run(worktree) or working.is_worked_in(worktree)


def find_worktree(start: str) -> Worktree:
    """The worktree of the run whose id begins so, or of the only one, also if it is only a branch by now."""
    found = [
        one
        for one in records.all_worktrees()
        if one.run_id.startswith(start) and (one.is_there or ending.has_branch(one))
    ]
    if len(found) == 1 and start:
        return found[0]
    for run_id in records.damaged():
        if start and run_id.startswith(start):
            records.require_known(run_id)
    what = f"No worktree is of a run whose id begins with {start!r}" if not found else f"{start!r} may be several runs"
    raise ConfigError(f"{what}.", hint="See `maverick worktree list`.")


def merge(worktree: Worktree, *, loses: Loses = False, onto: str = "") -> str:
    """Merge it into what is checked out in the project; what came of it, in words.

    What no commit has is only lost if that is said: else the worktree stays for it.
    """
    with _left(worktree):
        loss = ending.loss_of(worktree)
        told = ending.merge(worktree, message_for(worktree), loses=loses, onto=onto).told
    return told + _words_on_all(worktree, loss, "remove")


def keep(worktree: Worktree, *, loses: Loses = False) -> str:
    """Keep it as a branch alone; what came of it, in words. What no commit has is as safe as with a merge."""
    with _left(worktree):
        loss = ending.loss_of(worktree)
        tip = ending.keep(worktree, message_for(worktree), loses=loses)
    what = "All else" if worktree.is_there else "All of it"
    told = f"{what} is on the branch {worktree.branch}, at {tip[:7]}. No hook of the repository ran."
    return told + _words_on_all(worktree, loss, "keep --yes")


def words_on_rest(worktree: Worktree, loss: ending.Loss, how: str) -> str:
    """A sentence on what no commit has: where that stays, and how it is removed, or that it is gone."""
    what = loss.in_no_commit
    if worktree.is_there:
        rest = "another run works in it." if is_worked_in(worktree) else "not all of it could be removed."
        why = loss.unknown or (f"no commit has {what}." if what else rest)
        return f" Its worktree stays in {worktree.path}: {why} `maverick worktree {how} {worktree.run_id}` removes it."
    return f" {what[0].upper()}{what[1:]} is gone with the worktree." if what else ""


def _words_on_all(worktree: Worktree, loss: ending.Loss, how: str) -> str:
    if worktree.is_there and (since := ending.loss_of(worktree).uncommitted):
        return words_on_news(worktree, records.some(since))
    return words_on_rest(worktree, loss, how)


def words_on_news(worktree: Worktree, since: str) -> str:
    """A sentence on what was done in it after all was committed."""
    more = f"`maverick worktree keep {worktree.run_id}` commits that."
    return f" Its worktree stays in {worktree.path}, for what was done there since: {since}. {more}"


def remove(worktree: Worktree) -> str:
    """Remove it with all that only it has; what came of it, in words. ConfigError if some of it is left."""
    with _left(worktree):
        lost = ending.loss_of(worktree).words
        ending.remove(worktree)
    if worktree.is_there:
        raise ConfigError(
            f"Not all of the worktree of the run {worktree.run_id} could be removed.",
            path=worktree.path,
            hint="See whose the files there are, remove the folder by hand, and try again.",
        )
    return f"Its worktree and the branch {worktree.branch} are removed; lost: {lost}."


def message_for(worktree: Worktree) -> str:
    """What a commit says of all that a run has left uncommitted."""
    asked = _first_prompt(worktree.run_id)
    heading = one_line(f"{worktree.agent}: {asked}" if asked else f"Work of {worktree.agent}")
    heading = heading if len(heading) <= _LONGEST else f"{heading[: _LONGEST - 3].rstrip()}..."
    return f"{heading}\n\nMaverick's run {worktree.run_id}.\n"


def _first_prompt(run_id: str) -> str:
    try:
        events = read_run(run_id).events
    except (MaverickError, OSError):  # it is not kept
        return ""
    first = next((event.text for event in events if isinstance(event, TurnStarted) and event.text.strip()), "")
    return redact(first.strip()).partition("\n")[0]


@contextmanager
def _left(worktree: Worktree) -> Iterator[None]:
    """While no run works in it. ConfigError if one does."""
    if has_run(worktree):
        raise ConfigError(
            f"The run {worktree.run_id} has a process yet, which may go on in its worktree.",
            hint=f"End it first: `maverick stop {worktree.run_id}`. It can go on later, in a worktree made again.",
        )
    with working.nobody_in(worktree) as is_free:
        if not is_free:
            raise ConfigError(
                f"Another run works in the worktree of the run {worktree.run_id}.",
                path=worktree.path,
                hint="End it first, or try again once it has ended. `maverick ps --json` says where each run works.",
            )
        yield
