"""The way of a project's files to a newer commit: git goes it file by file, and where it cannot finish, they come back.

Nothing is written beside first, as a restore does: where git could not finish there is mostly no room for that.
"""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui.git.changing import Git, GitError
from maverick_tui.real_paths import real_path
from maverick_tui.worktrees.making import changed_files, is_direct

_NOT_STAGED = " ?"
"""The first of git's two letters for what is in the index as it is in the commit, or in neither."""
_ASIDE = ".maverick-merge-"
"""How the names of files begin for the moment in which they are put aside."""
_AT_ONCE = 100
"""How many files git is asked for together."""


class _Known(NamedTuple):
    """By what a file that was written since is told from one that was not."""

    mode: int
    inode: int
    size: int
    modified: int
    changed: int


class _Found(NamedTuple):
    """A file or a link with all that stays the same when it gets another name: the time of its change does not."""

    mode: int
    inode: int
    modified: int
    content: bytes


class Forward:
    """What will change on the way, as it is before; nothing of it differs from the commit that is checked out."""

    def __init__(self, git: Git, old: str, new: str) -> None:
        self._git, self._new = git, new
        self._top = Path(real_path(git.folder))
        listed = git("diff-tree", "-r", "-z", "--raw", "--no-renames", old, new).split("\0")
        about = {path: told.split(" ") for path, told in zip(listed[1::2], listed[::2], strict=False)}
        self._becomes = {path: told[-1] for path, told in about.items()}
        """What becomes of each file, as git's letter: `A` is a new one, `D` one that goes."""
        self._blobs = {path: told[-2] for path, told in about.items()}
        """By which name git has what each becomes."""
        self._aside: list[Path] = []
        """The names under which files were put aside."""
        self._before = {path: self._look(path) for path in self._becomes}
        around = {folder for path in self._becomes for folder in Path(path).parents if folder.name}
        self._around = sorted(around, key=lambda folder: len(folder.parts))
        """The folders on the way to them, outer ones first."""
        self._folders = {folder: place.stat().st_mode for folder in around if _is_folder(place := self._top / folder)}
        """Those of them that are there."""

    def put_back(self) -> list[str]:
        """Have all be as it was, after git has failed; the files that are not, for whatever reason.

        What somebody has saved meanwhile is left alone: what goes is at most a beginning of what the new commit has.
        """
        if self._git.commit("HEAD") == self._new:
            return []
        changed = [path for path, before in self._before.items() if self._look(path) != before]
        if any(letters[0] not in _NOT_STAGED for letters, _ in changed_files(self._git)):
            with suppress(GitError):  # what it did not change is named in the end
                self._git("read-tree", "-m", "-u", self._new, "HEAD")  # all got there but the branch
        else:
            self._put_back_from_index(changed)
        differ = {path for _, path in changed_files(self._git)}
        left = [path for path in changed if path in differ or (self._is_added(path) and self._look(path))]
        self._give_permissions_back({*changed}.difference(left))
        return [*left, *(str(aside.relative_to(self._top)) for aside in self._aside if os.path.lexists(aside))]

    def _put_back_from_index(self, changed: list[str]) -> None:
        # By .gitattributes, git knows how it has written the others: they go last.
        in_turn = sorted(changed, key=lambda path: Path(path).name == ".gitattributes")
        for first in range(0, len(in_turn), _AT_ONCE):
            self._remove_ours(in_turn[first : first + _AT_ONCE])
        for folder in reversed(self._around):
            if folder not in self._folders and is_direct(self._top / folder):
                with suppress(OSError):  # it is not there, or somebody uses it
                    (self._top / folder).rmdir()
        missing = b"".join(os.fsencode(path) + b"\0" for path in changed if not self._is_added(path))
        self._git.run("checkout-index", "-z", "--stdin", stdin=missing, codes=(1, 128))  # it writes over nothing

    def _is_added(self, path: str) -> bool:
        return self._becomes[path] == "A"

    def _remove_ours(self, paths: list[str]) -> None:
        """Remove what git was writing: all of what the new commit has there, or its beginning."""
        found = {path: one for path in paths if self._may_be_ours(path) and (one := _read(self._top / path))}
        # On a full disk most are empty, and git need not be asked for them.
        written = self._written([path for path, one in found.items() if one.content])
        for path, one in found.items():
            if written.get(path, b"").startswith(one.content):
                self._remove(self._top / path, one)

    def _may_be_ours(self, path: str) -> bool:
        stood_in_the_way = self._is_added(path) and self._before[path] is not None
        return self._becomes[path] != "D" and not stood_in_the_way and self._look(path) is not None

    def _written(self, paths: list[str]) -> dict[str, bytes]:
        """What git writes where the new commit has these files, as far as it tells."""
        mark = secrets.token_hex()  # the size that it tells is not the one of what it writes
        asked = [path for path in paths if "\n" not in path]
        lines = b"".join(b"%s %s\n" % (self._blobs[path].encode(), os.fsencode(path)) for path in asked)
        try:
            told = self._git.run("cat-file", f"--batch={mark}%(rest)", "--filters", stdin=lines) if asked else b""
        except GitError:
            return {}
        # In the order in which they were asked for: blanks with which a name begins are not told.
        parts = [part.partition(b"\n")[2][:-1] for part in told.split(mark.encode())[1:]]
        return dict(zip(asked, parts, strict=True)) if len(parts) == len(asked) else {}

    def _remove(self, place: Path, found: _Found) -> None:
        """Remove a file that is still as it was found.

        It is put aside before that is looked at for good, so that nobody who saves reaches it by its name meanwhile.
        """
        if not is_direct(place) or _read(place) != found:
            return
        aside = place.with_name(f"{_ASIDE}{secrets.token_hex(8)}")
        self._aside.append(aside)
        with suppress(OSError):  # what stays is named
            place.rename(aside)
            if _read(aside) == found:
                aside.unlink()
            else:
                _give_place_back(aside, place)

    def _look(self, path: str) -> _Known | None:
        """What is known of a file; None if there is none, be it a folder, or a link leads there."""
        place = self._top / path
        try:
            about = place.lstat()
        except OSError:
            return None
        known = _Known(about.st_mode, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        return known if is_direct(place) and not stat.S_ISDIR(known.mode) else None

    def _give_permissions_back(self, paths: set[str]) -> None:
        """Git keeps none, but whether a file can be executed: what was private would be everybody's.

        Folders in which it has left nothing it removes, also if there was nothing in them before.
        """
        for folder in filter(self._folders.__contains__, self._around):
            place = self._top / folder
            with suppress(OSError):  # something else is there
                if is_direct(place):
                    place.mkdir(exist_ok=True)
            if _is_folder(place):
                _set_permissions(place, self._folders[folder])
        for path in paths:
            before, now = self._before[path], self._look(path)
            if before and now and stat.S_ISREG(before.mode) and stat.S_ISREG(now.mode):
                _set_permissions(self._top / path, before.mode)


def _read(place: Path) -> _Found | None:
    """What is there; None if that is neither a file nor a link, or cannot be read."""
    try:
        about = place.lstat()
        if stat.S_ISLNK(about.st_mode):
            content = os.fsencode(place.readlink())
        elif stat.S_ISREG(about.st_mode):
            content = place.read_bytes()
        else:
            return None
    except OSError:
        return None
    return _Found(about.st_mode, about.st_ino, about.st_mtime_ns, content)


def _give_place_back(aside: Path, place: Path) -> None:
    """Give what was put aside its name back, unless something else has that by now: then both stay."""
    try:
        os.link(aside, place, follow_symlinks=False)  # which replaces nothing
    except OSError:  # a folder has no second name, and on some file systems nothing has
        if not os.path.lexists(place):
            aside.rename(place)
    else:
        aside.unlink()


def _is_folder(path: Path) -> bool:
    return os.path.isdir(path) and not os.path.islink(path) and is_direct(path)  # noqa: PTH112, PTH114 - Path's may raise


def _set_permissions(path: Path, mode: int) -> None:
    with suppress(OSError):  # it is somebody else's, and was so before
        if path.lstat().st_mode != mode:
            path.chmod(stat.S_IMODE(mode))
