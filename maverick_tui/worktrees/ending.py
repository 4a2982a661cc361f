"""What becomes of a run's worktree: it is merged, kept as a branch, or removed; and what would be lost by that."""

from __future__ import annotations

import os
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import one_at_a_time
from maverick_tui.git.changing import LOOKING_SECONDS, Git, GitError, filtered
from maverick_tui.git.head import head_of
from maverick_tui.git.keeping import differences
from maverick_tui.git.repository import find_repository, unfinished
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning
from maverick_tui.signals import at_signals, end_by
from maverick_tui.walking import is_file
from maverick_tui.worktrees import records
from maverick_tui.worktrees.caches import is_cache
from maverick_tui.worktrees.forward import Forward
from maverick_tui.worktrees.making import changed_files, is_direct
from maverick_tui.worktrees.overlooked import is_repository
from maverick_tui.worktrees.records import Worktree
from maverick_tui.worktrees.removing import remove_branch, remove_tree
from maverick_tui.worktrees.work import Work, git_of

WHO = "Maverick"
_CONFLICTS = frozenset({"DD", "AU", "UD", "UA", "DU", "AA", "UU"})
_SHOWN = 300
"""The most that is shown of what git says."""
_AS_BEFORE = " All files of the project are as they were."
Loses = bool | Collection[str]
"""What may be lost that no commit has: nothing, all of it, or these files and folders."""
_PLAIN_MERGES = frozenset({"unspecified", "set", "unset", "text", "binary", "union"})


class Loss(NamedTuple):
    """What would be lost if a worktree were removed with its branch."""

    uncommitted: tuple[str, ...] = ()
    """Files, from its top."""
    commits: int = 0
    """Those that no other branch has."""
    unknown: str = ""
    """Why nobody can say."""
    ignored: tuple[str, ...] = ()
    """Files and folders that git leaves out, and that did not come along: a commit has none of them. No caches."""
    brought: tuple[str, ...] = ()
    """What is new or changed in what came along: no commit has that, either."""
    put_aside: str = ""
    """What is to be finished before git gives changes back that it has put aside there."""

    def __bool__(self) -> bool:
        """Whether anything would be."""
        return any(self)

    @property
    def words(self) -> str:
        """The same for a person."""
        if self.unknown:
            return self.unknown
        count = len(self.uncommitted)
        parts = [f"{count} uncommitted file{'' if count == 1 else 's'}"] if count else []
        if self.commits:
            parts.append(f"{self.commits} commit{'' if self.commits == 1 else 's'} that no other branch has")
        if self.put_aside:
            parts.append(f"what git has put aside until {self.put_aside} is finished")
        if self.in_no_commit:
            parts.append(self.in_no_commit)
        return " and ".join(parts) or "nothing"

    @property
    def paths_in_no_commit(self) -> tuple[str, ...]:
        """What would be lost even if all else were committed."""
        return (*self.ignored, *self.brought)

    @property
    def in_no_commit(self) -> str:
        """The same for a person."""
        named = {"what git ignores": self.ignored, "what is new or changed in what came along": self.brought}
        return " and ".join(f"{what} ({records.some(paths)})" for what, paths in named.items() if paths)


class Changed(NamedTuple):
    """How much a run has changed, committed or not."""

    files: int = 0
    added: int = 0
    removed: int = 0

    @property
    def words(self) -> str:
        """The same for a person."""
        if not self.files:
            return "no changes"
        return f"{self.files} file{'' if self.files == 1 else 's'}, +{self.added} -{self.removed}"


class Merged(NamedTuple):
    """What a merge came to: the commit that is checked out now, and what the person should know."""

    commit: str
    told: str


def loss_of(worktree: Worktree) -> Loss:
    """What would be lost if it were removed."""
    try:
        loss, tips = Loss(), []
        if worktree.is_there:
            work = Work(worktree, LOOKING_SECONDS)
            files = dict.fromkeys([*(path for _, path in work.uncommitted), *work.overlooked.changed])
            left_out = (*work.ignored, *work.overlooked.ignored)
            ignored = tuple(path for path in left_out if not is_cache(worktree.top / path))
            loss = Loss(tuple(files), ignored=ignored, brought=tuple(work.brought), put_aside=work.put_aside)
            tips.append(work.git.commit("HEAD"))
        git = Git(Path(worktree.project), LOOKING_SECONDS)
        tips.append(git.commit(f"refs/heads/{worktree.branch}"))
        return loss._replace(commits=_own_commits(git, worktree, [tip for tip in tips if tip]))
    except ConfigError as error:
        return Loss(unknown=f"It cannot be told what would be lost: {error.message}")


def _own_commits(git: Git, worktree: Worktree, tips: list[str]) -> int:
    if not tips:
        return 0
    others = (*_other_branches(worktree), worktree.base, "HEAD")
    return int(git("rev-list", "--count", *dict.fromkeys(tips), "--not", *others))


def _other_branches(worktree: Worktree) -> tuple[str, ...]:
    return (f"--exclude={worktree.branch}", "--branches", "--remotes", "--tags")


def commit_all(worktree: Worktree, message: str) -> str:
    """Commit all that is not committed, on its branch; the tip of that afterwards.

    ConfigError if that cannot be done without losing something. No hook runs, and files are stored as they are.
    """
    work = Work(worktree)
    git = work.git
    tip = git.commit(f"refs/heads/{worktree.branch}")
    head = git.commit("HEAD")
    if tip and not git.has("merge-base", "--is-ancestor", tip, head):
        raise _by_hand(worktree, f"what is checked out there ({head_of(worktree.top)}) is not of {worktree.branch}")
    changed = work.uncommitted
    if conflicts := [path for letters, path in changed if letters in _CONFLICTS]:
        raise _by_hand(worktree, f"conflicts are not resolved: {records.some(conflicts)}")
    if work.put_aside:
        raise _by_hand(worktree, f"git has put files aside until {work.put_aside} is finished (autostash)")
    hidden = work.overlooked.changed
    if inner := [path for _, path in changed if path.endswith("/")] + list(filter(is_repository, hidden)):
        raise _by_hand(worktree, f"there are repositories of their own in it: {records.some(inner)}")
    if hidden:
        raise _by_hand(worktree, f"git passes over it, as in submodules and closed folders: {records.some(hidden)}")
    if changed:
        there = [path for letters, path in changed if "D" not in letters or _may_be_there(worktree.top / path)]
        # What is gone is not looked for: a link may be in the place of its folder by now, and lead anywhere.
        gone = {path for _, path in changed}.difference(there)
        git.run("update-index", "-z", "--force-remove", "--stdin", stdin=_listed(sorted(gone)))
        git.run("update-index", "-z", "--add", "--remove", "--replace", "--stdin", stdin=_listed(there))
        taken = {*os.fsdecode(git.run("ls-files", "-z")).split("\0")}  # names like git's own it passes over
        if left := [path for path in there if path not in taken and is_file(worktree.top / path, if_unknown=False)]:
            raise _by_hand(worktree, f"git has no way to keep {records.some(left)}")
        tree = git("write-tree")
        parent, head = head, git("commit-tree", tree, "-p", head, stdin=message.encode(errors="replace"), who=WHO)
        git("update-ref", "-m", "maverick: commit what was not committed", "HEAD", head, parent)
    if git.commit(f"refs/heads/{worktree.branch}") != head:  # the run has left it, but all of it is in what came of it
        git("update-ref", "-m", "maverick: follow the run", f"refs/heads/{worktree.branch}", head)
    records.note(worktree, tip=head)
    return head


def _listed(paths: list[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def _may_be_there(path: Path) -> bool:
    """Whether what git says was deleted may only have been taken out of the index; and no link leads there."""
    return is_direct(path) and is_file(path, if_unknown=True)


def changed_by(worktree: Worktree) -> Changed:
    """How much its commits have changed since it was made."""
    git = git_of(worktree) if worktree.is_there else Git(Path(worktree.project))
    tip = git.commit(f"refs/heads/{worktree.branch}") or worktree.tip
    listed = os.fsdecode(differences(git.folder, worktree.base, tip, "--numstat", "-z")).split("\0")
    rows = [line.split("\t") for line in listed if line.count("\t") >= 2]
    added, removed = (sum(int(row[at]) for row in rows if row[at].isdecimal()) for at in (0, 1))
    return Changed(len(rows), added, removed)


def files_changed_by(worktree: Worktree) -> list[str] | None:
    """The files that its commits have changed since it was made, from its top; None if nobody can say."""
    try:
        git = Git(Path(worktree.project))
        tip = git.commit(f"refs/heads/{worktree.branch}") or worktree.tip
        return _files_between(git, worktree.base, tip)
    except ConfigError:
        return None


def files_unlike_project(worktree: Worktree) -> list[str] | None:
    """The files that the commit which it began with has otherwise than the one that the person has checked out.

    None if nobody can say. What another run's worktree has checked out is that run's.
    """
    project = Path(worktree.project)
    while (origin := records.origin_of(project)) != project:
        project = origin
    try:
        git = Git(project)
        return _files_between(git, git.commit("HEAD"), worktree.base)
    except ConfigError:
        return None


def _files_between(git: Git, one: str, other: str) -> list[str]:
    return git("diff-tree", "-r", "--name-only", "--no-renames", "-z", one, other).split("\0")[:-1]


def diff_of(worktree: Worktree) -> str:
    """What its commits have changed since it was made, as a diff."""
    git = git_of(worktree) if worktree.is_there else Git(Path(worktree.project))
    tip = git.commit(f"refs/heads/{worktree.branch}") or worktree.tip
    return differences(git.folder, worktree.base, tip, "-p").decode(errors="replace")


def has_branch(worktree: Worktree) -> bool:
    """Whether its branch is there."""
    try:
        return bool(Git(Path(worktree.project)).commit(f"refs/heads/{worktree.branch}"))
    except ConfigError:
        return False


def is_unchanged(worktree: Worktree) -> bool:
    """Whether nothing was done in it: no file is changed, and nothing is committed."""
    loss = loss_of(worktree)
    if loss or not worktree.is_there:
        return False
    return git_of(worktree).commit("HEAD") == worktree.base


# -- merge, keep, remove -----------------------------------------------------------------------------------------------


def keep(worktree: Worktree, message: str, *, loses: Loses = False) -> str:
    """Keep it as a branch alone, with all that was done; the commit that the branch is at.

    What no commit has is only lost if that is said: else the worktree stays for it.
    """
    worktree = records.release(worktree)  # first: whoever tidies up after a race leaves it alone from now on
    tip = commit_all(worktree, message) if worktree.is_there else _tip_of(worktree)
    return tip if _has_more(worktree, loses=loses) else _keep_branch(worktree, tip)


def keep_committed(worktree: Worktree) -> None:
    """Keep its branch alone; whatever is not committed is lost."""
    worktree = records.release(worktree)
    _keep_branch(worktree, _tip_of(worktree))


def _keep_branch(worktree: Worktree, tip: str) -> str:
    remove_tree(worktree)
    try:
        records.note(worktree, tip=tip, became="kept")
    except OSError as error:
        raise ConfigError(
            f"All of it is on the branch {worktree.branch}, at {tip[:7]}, but that cannot be noted: "
            f"{error.strerror or error}.",
            path=str(records.file_of(worktree.run_id)),
            hint="The branch stays, whatever becomes of the note.",
        ) from error
    return tip


def _has_more(worktree: Worktree, *, loses: Loses) -> bool:
    """Whether there is, or may be, something in it that no commit has, and is not to be lost.

    That is never what was written since all was committed, nor what nobody knows.
    """
    loss = loss_of(worktree)
    if loss.uncommitted or loss.put_aside or loss.unknown:
        return True
    if isinstance(loses, bool):
        return not loses and bool(loss.in_no_commit)
    return not set(loss.paths_in_no_commit).issubset(loses)


def merge(worktree: Worktree, message: str, *, loses: Loses = False, onto: str = "") -> Merged:
    """Bring all that was done into what is checked out in the project, and remove worktree and branch.

    ConfigError if that is not `onto`, where a person was told what it is (in the words of `head_of`).

    The branch stays if no other one has what was done, as with a detached HEAD.
    It is tried first where the person's files are not touched. ConfigError, with the reason and what to do instead,
    if it cannot be done cleanly; then all is as it was, but for what was not committed in the worktree: that is.
    What no commit has is only lost if that is said: else worktree and branch stay for it.
    """
    project = Git(Path(worktree.project))
    with _alone_in(project):
        _require_ready(project, worktree, onto)
        tip = commit_all(worktree, message) if worktree.is_there else _tip_of(worktree)
        merged = _merge(project, worktree, tip)
    if _has_more(worktree, loses=loses):
        records.release(worktree)
        return merged
    return _without_merged(project, worktree, tip, merged)


def merge_committed(worktree: Worktree, *, onto: str = "") -> Merged:
    """Merge what its branch has. That is removed, unless the worktree is still there: that stays as it is.

    `onto` is as `merge` has it.
    """
    project = Git(Path(worktree.project))
    with _alone_in(project):
        _require_ready(project, worktree, onto)
        tip = _tip_of(worktree)
        merged = _merge(project, worktree, tip)
    return merged if worktree.is_there else _without_merged(project, worktree, tip, merged)


def _without_merged(project: Git, worktree: Worktree, tip: str, merged: Merged) -> Merged:
    """Remove what is merged, but for a branch that alone has it: nobody would find it once HEAD is elsewhere."""
    if not project("rev-list", "--max-count=1", tip, "--not", *_other_branches(worktree)):
        _discard_noted(worktree, tip, "merged")
        return merged
    _keep_branch(records.release(worktree), tip)
    return Merged(merged.commit, f"{merged.told} The branch {worktree.branch} stays: no other one has that.")


@contextmanager
def _alone_in(project: Git) -> Iterator[None]:
    """While nobody else merges into a project: what one puts back, another may have just written."""
    repository = find_repository(project.folder)
    with one_at_a_time(repository.common) if repository is not None else nullcontext():
        yield


def _merge(project: Git, worktree: Worktree, tip: str) -> Merged:
    head = project.commit("HEAD")
    if project.has("merge-base", "--is-ancestor", tip, head):
        return Merged(head, "All of it was there already.")
    new = tip
    if not project.has("merge-base", "--is-ancestor", head, tip):
        _require_plain(project, worktree, head, tip)
        tree = _merged_tree(project, worktree, head, tip)
        said = f"Merge branch '{worktree.branch}'\n".encode()
        new = project("commit-tree", tree, "-p", head, "-p", tip, stdin=said, who=WHO)
    _require_plain(project, worktree, head, new)
    _move_forward(project, worktree, head, new)
    if project.commit("HEAD") != new:
        raise _no_merge(worktree, f"git says that it has, but what is checked out is not {new[:7]}")
    how = "" if new == tip else " with a merge commit"
    is_on_branch = project.has("symbolic-ref", "--quiet", "HEAD")
    where = head_of(Path(worktree.project)) or "HEAD" if is_on_branch else "HEAD, which is detached,"
    return Merged(new, f"{where} is at {new[:7]} now{how}. No hook of the repository ran.")


def _move_forward(project: Git, worktree: Worktree, head: str, new: str) -> None:
    way = Forward(project, head, new)
    try:
        with at_signals(end_by):
            project("merge", new)
    except BaseException as error:  # also if the person interrupts it, or closes the terminal
        if isinstance(error, GitError) and project.commit("HEAD") == new:
            return  # it has failed after that
        if isinstance(error, GitError) and error.is_before_writing:  # what is new there is the work of another git
            raise _no_merge(worktree, error.message, " No file was changed.") from error
        with at_signals(signal.SIG_IGN):  # nobody stops us half-way by pressing Ctrl+C again
            left = way.put_back()
        if not isinstance(error, GitError):
            raise
        said = one_line(error.said)  # of each file that it could not write
        why = f"git says: {said if len(said) <= _SHOWN else f'{beginning(said, _SHOWN)}...'}" if said else error.message
        raise _half_merged(worktree, why, left) if left else _no_merge(worktree, why, _AS_BEFORE) from error


def remove(worktree: Worktree) -> None:
    """Remove it and its branch, with all that only they have."""
    with suppress(ConfigError):
        worktree = replace(worktree, tip=_tip_of(worktree))
    with suppress(OSError):  # of a full disk: it is noted once more when there is room
        records.write(worktree)
    _discard_noted(worktree, worktree.tip, "removed")


def _discard_noted(worktree: Worktree, tip: str, became: str) -> None:
    remove_tree(worktree)
    remove_branch(worktree)
    records.note(worktree, tip=tip, became=became, race="")


def _tip_of(worktree: Worktree) -> str:
    tip = Git(Path(worktree.project)).commit(f"refs/heads/{worktree.branch}")
    if not tip:
        raise ConfigError(
            f"Neither the worktree of the run {worktree.run_id} nor its branch {worktree.branch} is there any more.",
            hint="See `maverick worktree list`.",
        )
    return tip


# -- what a merge needs ------------------------------------------------------------------------------------------------


def _require_ready(project: Git, worktree: Worktree, onto: str) -> None:
    """The project has nothing uncommitted that a merge could meet, and nothing half done; and `onto` is checked out."""
    if onto and (now := head_of(project.folder)) != onto:
        raise _no_merge(worktree, f"{now or 'something else'} is checked out in {worktree.project} now, and not {onto}")
    repository = find_repository(project.folder)
    if repository is not None and (begun := unfinished(repository, project.has_reference)):
        raise _no_merge(worktree, f"{begun.what} is not finished in {worktree.project}", f" {begun.hint}")
    if changed := [path for letters, path in changed_files(project) if letters != "??"]:
        count = "1 file is" if len(changed) == 1 else f"{len(changed)} files are"
        raise _no_merge(worktree, f"{count} changed and not committed in {worktree.project}: {records.some(changed)}")


def _require_plain(project: Git, worktree: Worktree, head: str, new: str) -> None:
    """Nothing changes that git would have to run a program for, or a submodule."""
    listed = project("diff-tree", "-r", "-z", "--raw", "--no-renames", head, new).split("\0")
    files = listed[1::2]
    if modules := [
        path
        for about, path in zip(listed[::2], files, strict=False)
        if "160000" in about.split()[:2] or ":160000" in about
    ]:
        raise _no_merge(worktree, f"submodules change: {records.some(modules)}")
    trees = [project, *([git_of(worktree)] if worktree.is_there else [])]
    for git in trees:
        known = {one.subsection for one in git.settings if one.section == "filter"}
        if through := filtered(git, files, known):
            raise _no_merge(
                worktree, f"files change that go through a filter, which is not run: {records.some(list(through))}"
            )
        drivers = {one.subsection for one in git.settings if one.kind == "merge.driver"} - _PLAIN_MERGES
        if through := filtered(git, files, drivers, "merge"):
            raise _no_merge(
                worktree, f"files change that have a way to merge of their own: {records.some(list(through))}"
            )


def _merged_tree(project: Git, worktree: Worktree, head: str, tip: str) -> str:
    """The tree of both together, which no file of anybody's is touched for."""
    try:
        told = project.run("merge-tree", "--write-tree", "--name-only", "-z", head, tip, codes=(1,))
    except GitError as error:
        raise _no_merge(worktree, f"this git cannot try it first ({one_line(error.said)}); it takes 2.38") from error
    tree, *rest = os.fsdecode(told).split("\0")[:-1]
    if rest:  # files, an empty one, and what git says of each conflict: folders that were split up may name no file
        files = rest[: rest.index("")] if "" in rest else rest
        words = next((word for word in rest if word.startswith("CONFLICT") and ": " in word), "")
        where = f"in {records.some(files)}" if files else f"(git says: {one_line(words)})"
        raise _no_merge(worktree, f"it conflicts {where}")
    return tree


def _no_merge(worktree: Worktree, why: str, more: str = "") -> ConfigError:
    return ConfigError(
        f"The worktree of the run {worktree.run_id} cannot be merged: {why.rstrip('.')}.{more}",
        path=worktree.project,
        hint=f"See to that and try again, or keep it with `maverick worktree keep {worktree.run_id}` and merge "
        f"{worktree.branch} yourself.",
    )


def _half_merged(worktree: Worktree, why: str, left: list[str]) -> ConfigError:
    return ConfigError(
        f"The worktree of the run {worktree.run_id} cannot be merged: {why.rstrip('.')}. "
        f"Not all could be put back. Not as before, and perhaps half-written: {records.some(left)}.",
        path=worktree.project,
        hint=f"See to that. Then, unless you have saved something there meanwhile, `git checkout HEAD FILE` in "
        f"{worktree.project} puts a file back (one that `git status` calls untracked was not there), and you can try "
        "the merge again.",
    )


def _by_hand(worktree: Worktree, why: str) -> ConfigError:
    return ConfigError(
        f"What was done in the worktree of the run {worktree.run_id} cannot be committed: {why}.",
        path=worktree.path,
        hint=f"See to it in {worktree.path}, then try again.",
    )
