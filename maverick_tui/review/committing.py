"""Commits what a person has chosen of a run's changes: by git itself, as if they had done it by hand.

What is to be committed is put together in an index of ours, where nothing runs but the filters of chosen files. Then
git commits that. Of the person's own index only what was committed is brought up to date, once it is.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import scratch_folder
from maverick_tui.git.changing import LOOKING_SECONDS, Git, GitError, encoded, filtered, filters_of
from maverick_tui.git.persons_own import run_own_git
from maverick_tui.git.repository import Repository, find_repository, persons_repository, unfinished
from maverick_tui.inert import one_line
from maverick_tui.ownership import strangers_repository
from maverick_tui.review.kinds import Part
from maverick_tui.review.staged import Entry, Staged
from maverick_tui.snapshots.snapshot import LINK
from maverick_tui.threads import to_the_end
from maverick_tui.walking import is_file

_FEW = 50
"""Files up to which git is asked for them by their names."""
_BLOB = re.compile(r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$", re.MULTILINE)


class Chosen(NamedTuple):
    """A file as it is now, or only some hunks of it. A renamed file is two: its path, and its path before."""

    path: str
    part: Part | None = None


class Head(NamedTuple):
    """What a commit comes after."""

    commit: str
    """Empty before the first one."""
    branch: str
    """Its whole name; empty where HEAD is detached."""


Look = tuple[int, int, int, int]


class Shown(NamedTuple):
    """What a person was shown, and goes by."""

    head: Head
    looks: Mapping[str, Look | None] = {}
    """What whole files looked like then, by their paths, also by those before; None of those that are not there."""


class Committed(NamedTuple):
    """The name of the new commit, and what git and the hooks have said (inert)."""

    commit: str
    said: str
    note: str = ""
    """What the person has to know besides: the list of what is staged could not be brought up to date, say."""


def commit(
    root: Path,
    chosen: Sequence[Chosen],
    message: str,
    shown: Shown | None = None,
    stop: threading.Event | None = None,
) -> Committed:
    """Commit these files and hunks, and nothing else; what else is staged or not stays so. Where it would be anything
    else than was shown, nothing is committed.

    This runs the repository's hooks, its filters and the person's signer, as `git commit` does by hand, trusted or not:
    so it is only ever called because a person has asked for this very commit. ConfigError if nothing was committed;
    then nothing is changed, but for what a hook has changed in files. `stop` ends it before its time, with the hooks.
    """
    stop = stop or threading.Event()
    repository = repository_of(root)
    if not message.strip():
        raise _refused("there is no message", "Say what the changes are for.", root)
    committing = _Committing(repository, {within(repository, root, one.path): one.part for one in chosen}, shown, stop)
    looks = shown.looks if shown is not None else {}
    return to_the_end(
        lambda: committing.run(message, {root / path: look for path, look in looks.items()}), stop
    )  # else the index would not fit the commit


def uncommitted(root: Path, paths: Iterable[str]) -> set[str]:
    """Those of the paths that differ from what is committed, and that git does not ignore; nothing runs for it.

    ConfigError if nothing can be committed there at all.
    """
    repository = repository_of(root)
    names = {path: within(repository, root, path) for path in paths}
    options = ("--porcelain", "-z", "--untracked-files=all", "--", *named(names.values()))
    told = Git(repository.top, LOOKING_SECONDS).run("status", *options).split(b"\0")
    differing = {os.fsdecode(line[3:]) for line in told}
    return {path for path, name in names.items() if name in differing}


def named(paths: Collection[str]) -> list[str]:
    """What asks git for these paths alone; nothing, for all there are, where they are many."""
    return [f":(literal){path}" for path in paths] if len(paths) <= _FEW else []


def repository_of(root: Path) -> Repository:
    """The repository that files of a folder are committed to. ConfigError if there is none."""
    repository = persons_repository(root)
    if repository is None:
        if stranger := strangers_repository(root):
            raise ConfigError(f"{stranger.what}.", path=str(root), hint=stranger.hint)
        raise _refused("the folder is in no git repository", "Make one with `git init`.", root)
    return repository


class _Committing:
    def __init__(
        self, repository: Repository, chosen: dict[str, Part | None], shown: Shown | None, stop: threading.Event
    ) -> None:
        self._stop = stop.is_set
        self._repository = repository
        self._top = repository.top
        self._git = Git(repository.top)
        self._chosen = chosen
        self._converted: set[str] = set()
        """The files that git keeps otherwise than they are."""
        self._before = shown.head if shown is not None else head_of(self._git)
        self._head = self._before.commit
        self._refuse_what_cannot_be()

    def run(self, message: str, looks: Mapping[Path, Look | None]) -> Committed:
        """Put it together, have it committed, and bring the person's index up to date."""
        with scratch_folder("commit") as scratch:
            index, staged = scratch / "index", Staged(self._git, self._repository, scratch)
            before = staged.begin(index, self._head)
            committed = staged.entries(index)
            self._converted = self._kept_otherwise(index)
            whole = [path for path, part in self._chosen.items() if part is None]
            self._add(index, whole)
            for path, look in looks.items():  # now that they have been read
                if look_of(path) != look:
                    raise _refused(
                        f"{one_line(str(path))} has changed since it was shown", "Look at it again.", self._top
                    )
            parts = {path: part for path, part in self._chosen.items() if part is not None}
            staged.put(
                index,
                {path: self._with_part(index, staged, path, part, committed.get(path)) for path, part in parts.items()},
            )
            after = staged.tree(index)
            if after == before:
                raise _refused("nothing that is chosen differs from what is committed", "Choose others.", self._top)
            changed = staged.changed(before, after).keys()
            if more := sorted(changed - self._chosen.keys()):  # a file where a folder was takes out what was in that
                why = f"{_some(more)} would be taken out with what is in the place of a folder, or of a file"
                raise _refused(why, "Choose those, too, or move what is in their place.", self._top)
            if clash := staged.clash(before, after, set(whole)):
                why = f"something else is staged in {one_line(clash)}, in the same lines"
                raise _refused(why, "Commit or unstage that first, or choose the whole file.", self._top)
            self._refuse_another_head()  # filters may have taken long
            try:
                words = message.encode(errors="replace")
                said = run_own_git(self._top, index, "commit", "--file=-", stdin=words, stop=self._stop)
            except GitError as error:
                if not self._is_made(after):
                    raise
                said = error.message  # a hook that comes after the commit was ended, say
            new = self._git.commit("HEAD")
            if new == self._head:
                raise _refused("no commit was made", "See what `git status` says.", self._top)
            note = staged.bring_up_to_date(before, self._git("rev-parse", f"{new}^{{tree}}"), set(whole))
        left = [
            path
            for path in self._chosen.keys() - changed
            if path in committed or is_file(self._top / path, if_unknown=True)
        ]
        return Committed(new, said, " ".join(filter(None, (self._about(new), note, _left_out(sorted(left))))))

    def _kept_otherwise(self, index: Path) -> set[str]:
        files = list(self._chosen)
        through = filtered(self._git, files, filters_of(self._git.settings), index=index) if files else {}
        return through.keys() | encoded(self._git, files, index)

    def _is_made(self, tree: str) -> bool:
        """Whether a commit with all of this is there, whatever git says."""
        new = self._git.commit("HEAD")
        return new != self._head and self._is_next(new) and self._git("rev-parse", f"{new}^{{tree}}") == tree

    def _is_next(self, new: str) -> bool:
        """Whether it comes after the commit that was there, and after no other one."""
        parents = self._git("rev-list", "--parents", "--max-count=1", new).split()[1:]
        return parents == [self._head][: bool(self._head)]

    def _about(self, new: str) -> str:
        """What is odd about the commit itself."""
        if not self._is_next(new):
            return "Somebody else has committed at the same time: look at what is in this commit."
        return "" if self._git.has("symbolic-ref", "--quiet", "HEAD") else "No branch has it: HEAD is detached."

    def _refuse_another_head(self) -> None:
        """What came with another commit, or is on another branch, would be undone."""
        if head_of(self._git) != self._before:
            why = "somebody else has committed there meanwhile, or another branch is checked out"
            raise _refused(why, "Look at what is there now, and commit again.", self._top)

    def _refuse_what_cannot_be(self) -> None:
        self._git.require_own()
        self._refuse_another_head()
        own = self._repository.own
        if begun := unfinished(self._repository, self._git.has_reference):
            raise _refused(f"{begun.what} is not finished there", begun.hint, self._top)
        if (own / "index.lock").exists():
            why = "another git is at work there, or was killed"
            raise _refused(why, f"Wait for it, or remove {own / 'index.lock'}.", self._top)
        if self._git.run("ls-files", "--unmerged", "-z"):
            raise _refused("there are conflicts", "Resolve them first.", self._top)
        for path in self._chosen:
            inner = find_repository((self._top / path).parent)
            if inner is not None and inner.top != self._top:
                why = f"{one_line(path)} belongs to the repository in {one_line(str(inner.top))}"
                raise _refused(why, "Commit it there.", self._top)
        names = b"".join(os.fsencode(path) + b"\0" for path in self._chosen)
        ignored = self._git.run("check-ignore", "-z", "--stdin", stdin=names, codes=(1,)).split(b"\0")[:-1]
        if ignored:
            raise _refused(f"git ignores {one_line(os.fsdecode(ignored[0]))}", "Leave it out.", self._top)

    def _add(self, index: Path, paths: Sequence[str]) -> None:
        """Have files in the index as they are now, or not at all where they are gone."""
        gone = [path for path in paths if not is_file(self._top / path, if_unknown=True)]
        names = b"".join(os.fsencode(path) + b"\0" for path in gone)
        self._git.run("update-index", "-z", "--force-remove", "--stdin", stdin=names, index=index)
        names = b"".join(os.fsencode(path) + b"\0" for path in paths if path not in gone)
        run_own_git(
            self._top, index, "update-index", "--add", "--replace", "-z", "--stdin", stdin=names, stop=self._stop
        )

    def _with_part(self, index: Path, staged: Staged, path: str, part: Part, committed: Entry | None) -> Entry | None:
        """What is committed of a file, with a part of its changes: these are merged, and nowhere looked for by their
        text, which may stand elsewhere as well.
        """
        if committed is None and part.before is not None:
            why = f"git has no {one_line(path)} yet, to which its hunks could be added"
            raise _refused(why, "Choose the whole file.", self._top)
        mode = part.mode if committed is None else committed.mode
        old, new = (
            None if text is None else Entry(mode, self._stored(index, path, text, part.mode, committed))
            for text in part[:2]
        )
        if committed in (old, new):
            return new
        is_alike = mode[:3] == part.mode[:3]  # both are files, or both are links
        merged = staged.merged(committed, old, new) if is_alike else None
        if merged is None:
            why = f"what is chosen of {one_line(path)} does not fit what is committed of it"
            hint = "Other changes are near it: choose those, too, or the whole file."
            raise _refused(why, hint, self._top)
        return merged

    def _stored(self, index: Path, path: str, text: bytes, mode: str, committed: Entry | None) -> str:
        """The name of a text of a file, once git has it as it would have the file itself."""
        if mode != LINK and (committed is None or path in self._converted):
            told = run_own_git(
                self._top, index, "hash-object", "-w", "--stdin", f"--path={path}", stdin=text, stop=self._stop
            )
            names = _BLOB.findall(told)  # a filter may have said something as well
            if not names:
                raise _refused(f"git does not say how it keeps {one_line(path)}", "Choose the whole file.", self._top)
            return str(names[-1])
        # Where git keeps no CR at the ends of lines, it keeps none in these, either.
        if mode != LINK and committed is not None and b"\r\n" not in self._git.run("cat-file", "blob", committed.blob):
            text = text.replace(b"\r\n", b"\n")
        return self._git("hash-object", "-w", "--stdin", stdin=text)


def head_of(git: Git) -> Head:
    """What a commit would come after now."""
    try:
        branch = git("symbolic-ref", "--quiet", "HEAD")
    except GitError:
        branch = ""
    return Head(git.commit("HEAD"), branch)


def look_of(path: Path) -> Look | None:
    """What a file looks like, by which it is known to be the same."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def within(repository: Repository, root: Path, path: str) -> str:
    """A path as the repository has it."""
    return os.path.relpath(Path(os.path.realpath(root)) / path, repository.top)


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{one_line(paths[0])}{more}"


def _left_out(paths: Sequence[str]) -> str:
    """What is odd about files that git took nothing of: it may be told to overlook them."""
    return f"It has nothing of {_some(paths)}: for git, that is as it was committed." if paths else ""


def _refused(why: str, hint: str, folder: Path) -> ConfigError:
    return ConfigError(f"Nothing was committed: {why}.", path=str(folder), hint=hint)
