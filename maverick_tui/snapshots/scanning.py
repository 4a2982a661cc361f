"""What is in a folder that a snapshot should hold: what has changed since the last one, and what git ignores."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from maverick_tui.git.changing import GitError
from maverick_tui.git.keeping import KeepingGit, TookTooLongError
from maverick_tui.git.repository import Repository
from maverick_tui.masking.key_files import holds_secrets
from maverick_tui.snapshots.caps import Caps
from maverick_tui.snapshots.snapshot import BESIDE, ENOUGH, RESTORES, SECRET, UNREADABLE

_LARGEST_RULES = 1_000_000
_MOST_NAMED = 50
"""Folders that git is asked about one by one; of more, it looks at all."""
_MOST_LOOKED_AT = 2_000
"""Entries of folders with nothing to keep that are looked through for empty ones."""
_BESIDE = re.compile(rf"{re.escape(BESIDE)}([0-9a-f]+)-\d+\.(?:new|old)")
_CLOSED = re.compile(r"warning: could not open directory '(.+/)': .+|(.+): Permission denied")
"""What git says of folders and files that it cannot look at, and passes over."""
_REFUSED = "git has no way to keep it"
_MOST_REFUSED = 50


@dataclass(slots=True)
class Found:
    """What a look at one part of a folder has found. Paths begin at that part."""

    changed: set[str] = field(default_factory=set)
    """What the list of files has otherwise: changed, or only touched."""
    gone: set[str] = field(default_factory=set)
    new: set[str] = field(default_factory=set)
    nested: list[str] = field(default_factory=list)
    """Repositories inside, each with a slash at its end."""
    empty: set[str] = field(default_factory=set)
    ignored: dict[str, os.stat_result] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


class Scanner:
    """Looks at one part of a folder: the folder itself, or a repository in it."""

    def __init__(
        self, git: KeepingGit, top: Path, repository: Repository | None, excludes: Iterable[Path], caps: Caps
    ) -> None:
        """Look at `top`, where this repository is. The `excludes` are files that say what is ignored everywhere."""
        self._git = git
        self._top = top
        self._repository = repository
        self._caps = caps
        own = [repository.common / "info" / "exclude"] if repository is not None else []
        # The files of folders are git's to read.
        self._rules = [f"--exclude-from={file}" for file in (*excludes, *own) if _can_be_read(file)]
        self._rules.append("--exclude-per-directory=.gitignore")

    def look(self, index: Path, until: float) -> Found:
        """What differs from the list, and what is not in it."""
        found, warned = Found(), list[str]()
        lists = [["ls-files", "-z", "-o", *more, "--directory", *self._rules] for more in ((), ("-i",))]
        both = [["diff-files", "--raw", "-z"], *lists]
        told = self._git.together(both, index=index, of=self._top, until=until, warned=warned)
        changed, new, ignored = map(_split, told)
        for about, path in zip(changed[::2], changed[1::2], strict=True):
            (found.gone if about.endswith("D") else found.changed).add(path)
        if found.gone:
            # A folder in the place of a file is not looked into while the list still has the file.
            remove(self._git, index, self._top, found.gone, until)
            new, ignored = map(_split, self._git.together(lists, index=index, of=self._top, until=until))
        ignored = _matched(ignored)
        self._look_for_new(found, new, index, until, warned)
        self._look_for_empty(found, new, set(ignored))
        self._look_at_ignored(found, ignored)
        closed = filter(None, map(_CLOSED.fullmatch, warned))
        found.left_out |= {one[1] or one[2]: UNREADABLE for one in closed}
        self._leave_secrets(found, index, until)
        return found

    def _look_for_new(self, found: Found, names: Sequence[str], index: Path, until: float, warned: list[str]) -> None:
        listed = [name for name in names if not self._is_beside(name)]
        folders = [name for name in listed if name.endswith("/")]
        found.new.update(name for name in listed if not name.endswith("/"))
        if not folders:
            return
        named = ["--", *folders] if len(folders) <= _MOST_NAMED else []
        listing = ("ls-files", "-z", "-o", *self._rules, *named)
        told = self._git(*listing, index=index, of=self._top, until=until, warned=warned)
        for name in _split(told):
            if name.endswith("/"):
                found.nested.append(name)
            elif not self._is_beside(name):
                found.new.add(name)

    def _is_beside(self, path: str) -> bool:
        """Whether it is there only while something is restored; anybody may give such a name to a file."""
        restore = _BESIDE.fullmatch(path.rpartition("/")[2])
        return restore is not None and (self._git.repository.parent / RESTORES / f"{restore[1]}.json").exists()

    def _look_for_empty(self, found: Found, names: Sequence[str], ignored: Collection[str]) -> None:
        looked_at = [_MOST_LOOKED_AT]
        for name in names:
            if name.endswith("/") and name not in found.nested:
                found.empty.update(self._empty_below(name[:-1], ignored, looked_at))

    def _empty_below(self, path: str, ignored: Collection[str], left: list[int]) -> Iterator[str]:
        """The folders below one in which there is nothing at all, itself included; none of those that are ignored."""
        waiting = [path]
        while waiting:
            folder = waiting.pop()
            entries = _entries(f"{self._top}/{folder}")
            left[0] -= len(entries or ())
            if entries is None or left[0] < 0:
                continue
            if not entries:
                yield folder
            inner = (entry for entry in entries if entry.is_dir(follow_symlinks=False))
            own = (one for one in inner if f"{folder}/{one.name}/" not in ignored)
            waiting += (f"{folder}/{one.name}" for one in own if not os.path.lexists(f"{one.path}/.git"))

    # -- what git ignores ----------------------------------------------------------------------------------------------

    def _look_at_ignored(self, found: Found, names: Sequence[str]) -> None:
        left = self._caps.all_ignored_bytes
        for name in names:
            if left < 0 or len(found.ignored) > self._caps.all_ignored_files:
                found.left_out[name] = ENOUGH
                continue
            group: dict[str, os.stat_result] = {}
            empty: set[str] = set()
            why = self._walk(name[:-1], group, empty) if name.endswith("/") else self._take_in(name, group)
            if why:
                found.left_out[name] = why
                continue
            left -= sum(about.st_size for about in group.values())
            found.ignored |= group
            found.empty |= empty

    def _walk(self, path: str, group: dict[str, os.stat_result], empty: set[str]) -> str:
        """Take in all files below a folder; why that is too much, or nothing."""
        left, waiting = self._caps.ignored_bytes, [path]
        while waiting:
            folder = waiting.pop()
            entries = _entries(f"{self._top}/{folder}")
            if entries is None:
                return UNREADABLE
            if not entries:
                empty.add(folder)
            for entry in entries:
                below = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if entry.name.casefold() != ".git":
                        waiting.append(below)
                elif why := self._take_in(below, group):
                    return why
                elif below in group:
                    left -= group[below].st_size
                if left < 0:
                    return f"git ignores it, and it holds more than {self._caps.ignored_bytes // 1_000_000} MB"
                if len(group) + len(waiting) > self._caps.ignored_files:
                    return f"git ignores it, and it holds more than {self._caps.ignored_files:,} files"
        return ""

    def _take_in(self, path: str, group: dict[str, os.stat_result]) -> str:
        """Take in one file that git ignores; why not, or nothing. What is no file is passed over."""
        try:
            about = os.lstat(f"{self._top}/{path}")
        except PermissionError:
            return UNREADABLE
        except OSError:
            return ""
        if about.st_size > self._caps.ignored_bytes and stat.S_ISREG(about.st_mode):
            return f"git ignores it, and it holds more than {self._caps.ignored_bytes // 1_000_000} MB"
        if stat.S_ISREG(about.st_mode) or stat.S_ISLNK(about.st_mode):
            group[path] = about
        return ""

    # -- what is not kept ----------------------------------------------------------------------------------------------

    def _leave_secrets(self, found: Found, index: Path, until: float) -> None:
        """Leave out what is a secret by its name, unless it is tracked: then it is no secret any more.

        What is changed was tracked once, or it would not be in the list.
        """
        listed = (*found.changed, *found.new, *found.ignored)
        # By the whole path: what is in `~/.config/gh` is a secret in a snapshot of `~/.config`, too.
        secrets = [path for path in listed if holds_secrets(f"{self._top}/{path}")]
        untracked = set(secrets) - self._tracked(secrets, until)
        remove(self._git, index, self._top, untracked & found.changed, until)
        found.changed -= untracked
        found.new -= untracked
        for path in untracked:
            found.ignored.pop(path, None)
            found.left_out[path] = SECRET

    def _tracked(self, names: Sequence[str], until: float) -> set[str]:
        if self._repository is None or not 0 < len(names) <= _MOST_NAMED:
            return set()
        theirs = self._repository.own / "index"
        try:
            told = self._git("ls-files", "-z", "--", *names, index=theirs, of=self._top, until=until)
        except TookTooLongError:
            raise
        except GitError:  # of a kind that only the repository itself can read
            return set()
        return set(_split(told))


def _can_be_read(rules: Path) -> bool:
    """A pipe would be waited for, and git takes all of a file into memory."""
    try:
        found = rules.stat()
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size <= _LARGEST_RULES


def _split(told: bytes) -> list[str]:
    return [os.fsdecode(name) for name in told.split(b"\0")[:-1]]


def _matched(names: Sequence[str]) -> list[str]:
    """Of what git names as ignored, what is so itself: it also names folders that hold nothing else."""
    around = {name[: at + 1] for name in names for at, sign in enumerate(name[:-1]) if sign == "/"}
    return [name for name in names if name not in around]


def _entries(folder: str) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return None


def is_closed(top: Path, path: str) -> bool:
    """Whether it is forbidden to look at a file, so that nobody knows whether there is one."""
    try:
        os.lstat(f"{top}/{path}")
    except PermissionError:
        return True
    except (OSError, ValueError):
        pass
    return False


def update(
    git: KeepingGit, index: Path, top: Path, names: Collection[str], left_out: dict[str, str], until: float
) -> None:
    """Read these files anew into the list; one that git cannot keep is left out of it, and no other with it."""
    refused = [0]

    def add(paths: list[str]) -> None:
        stdin = b"".join(os.fsencode(path) + b"\0" for path in paths)
        try:
            git(
                "update-index",
                "-z",
                "--add",
                "--remove",
                "--replace",
                "--stdin",
                stdin=stdin,
                index=index,
                of=top,
                until=until,
            )
        except TookTooLongError:
            raise
        except GitError:
            if len(paths) == 1:
                refused[0] += 1
                if refused[0] > _MOST_REFUSED:
                    raise
                left_out[paths[0]] = _REFUSED
                remove(git, index, top, paths, until)
                return
            add(paths[: len(paths) // 2])
            add(paths[len(paths) // 2 :])

    unfit = {path for path in names if _is_unfit(top, path)}
    left_out |= dict.fromkeys(unfit, _REFUSED)
    if paths := sorted(set(names) - unfit):
        add(paths)


def _is_unfit(top: Path, path: str) -> bool:
    """Whether git passes over a name without a word: its own, in any case, and a list of submodules that is a link."""
    *_, last = names = path.casefold().split("/")
    return ".git" in names or (last == ".gitmodules" and os.path.islink(f"{top}/{path}"))  # noqa: PTH114


def remove(git: KeepingGit, index: Path, top: Path, names: Iterable[str], until: float) -> None:
    """Take names out of the list, whatever is there."""
    if stdin := b"".join(os.fsencode(path) + b"\0" for path in names):
        git("update-index", "-z", "--force-remove", "--stdin", stdin=stdin, index=index, of=top, until=until)
