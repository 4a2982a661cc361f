"""What a commit would have and run, for whoever is asked about it: nothing runs to find out, and nothing is changed."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui.folder_locks import scratch_folder
from maverick_tui.git.changing import Git, filtered, filters_of
from maverick_tui.git.programs import run_by_commits
from maverick_tui.markup.hunks import Hunk
from maverick_tui.review.committing import Shown, head_of, look_of, repository_of, within
from maverick_tui.review.kinds import MOST_LINES, ChangedFile, Scope
from maverick_tui.review.run_review import RunReview
from maverick_tui.review.staged import Entry, Staged
from maverick_tui.snapshots.changes import read_hunks

_LOOKED_AT = 8_000
"""In so many bytes git looks for a zero, which makes a file binary."""
_PIECE = 1 << 20
_EXECUTABLE = "100755"


class Whole(NamedTuple):
    """What a commit would have of a file as it is now: lines that have come and gone since the last commit."""

    added: int = 0
    deleted: int = 0
    is_binary: bool = False
    unshown: int = 0
    """How many of them are not among the changes that were looked at: yours from before, say."""
    filter: str = ""
    """The filter that the file goes through first: nobody knows what it will leave."""
    mode: str = ""
    """What becomes of the one permission that git keeps, where it changes."""


class Preview(NamedTuple):
    """What a commit would have of whole files, by their paths, and what of the repository's own it runs (inert)."""

    whole: Mapping[str, Whole]
    runs: Sequence[str]
    shown: Shown


def preview(review: RunReview, scope: Scope, files: Sequence[ChangedFile], parts: Iterable[str]) -> Preview:
    """That of these files; of some of their paths only parts are wanted. ConfigError if nothing can be committed."""
    looking, in_parts = _Looking(review, scope, files), set(parts)
    whole = [file for file in files if file.path not in in_parts]
    looks = {path: look_of(review.root / path) for file in whole for path in (file.path, file.was) if path}
    return Preview(looking.whole(whole) if whole else {}, looking.runs(), Shown(looking.head, looks))


def what_runs(review: RunReview, scope: Scope, files: Sequence[ChangedFile]) -> Sequence[str]:
    """What of the repository's own a commit of these would run by now."""
    return _Looking(review, scope, files).runs()


class _Looking:
    def __init__(self, review: RunReview, scope: Scope, files: Sequence[ChangedFile]) -> None:
        self._review, self._scope = review, scope
        self._repository = repository_of(review.root)
        self._git = Git(self._repository.top)
        self.head = head_of(self._git)
        self._names = {one.path: within(self._repository, review.root, one.path) for one in files}
        self._filters: dict[str, str] = {}
        """Those that whole files go through, by what the repository calls them."""

    def runs(self) -> list[str]:
        return run_by_commits(self._repository, self._git.settings)

    def whole(self, files: Sequence[ChangedFile]) -> dict[str, Whole]:
        with scratch_folder("preview") as scratch:
            index, staged = scratch / "index", Staged(self._git, self._repository, scratch)
            staged.begin(index, self.head.commit)
            committed = staged.entries(index)
            names = [self._names[file.path] for file in files]
            self._filters = filtered(self._git, names, filters_of(self._git.settings), index=index) if names else {}
            before = {file.path: self._committed(file, committed) for file in files}
            # An index of these files alone, as they are committed: git then compares nothing else.
            self._git.run("read-tree", "--empty", index=index)
            staged.put(index, {self._names[path]: entry for path, entry in before.items() if entry is not None})
            told = self._git.run("diff-files", "--numstat", "-z", "--no-renames", index=index).split(b"\0")[:-1]
            counts = {name: (added, deleted) for added, deleted, name in (line.split(b"\t", 2) for line in told)}
            return {
                file.path: self._one(file, was, counts, index)._replace(mode=self._mode(file, was))
                for file, was in ((file, before[file.path]) for file in files)
            }

    def _mode(self, file: ChangedFile, before: Entry | None) -> str:
        mode = 0
        with suppress(OSError):
            mode = (self._review.root / file.path).lstat().st_mode
        if not stat.S_ISREG(mode) or not self._git.counts_modes:
            return ""
        is_executable = bool(mode & stat.S_IXUSR)
        if is_executable is (before is not None and before.mode == _EXECUTABLE):
            return ""
        return "executable" if is_executable else "no longer executable"

    def _committed(self, file: ChangedFile, committed: Mapping[str, Entry]) -> Entry | None:
        """What is committed of a file, if need be under its name before."""
        was = within(self._repository, self._review.root, file.was) if file.was else ""
        return committed.get(self._names[file.path]) or committed.get(was)

    def _one(
        self, file: ChangedFile, before: Entry | None, counts: Mapping[bytes, tuple[bytes, bytes]], index: Path
    ) -> Whole:
        name = self._names[file.path]
        if name in self._filters:
            return Whole(filter=self._filters[name])
        if before is None:
            count = _count_now(self._review.root / file.path)
            found = Whole(count) if count is not None else Whole(is_binary=True)
        else:
            added, deleted = counts.get(os.fsencode(name), (b"0", b"0"))  # what is as it was is not told
            found = Whole(int(added), int(deleted)) if added != b"-" else self._by_lines(file, index)
        is_from_there = self._review.blob_before(self._scope, file.path) == (before.blob if before is not None else "")
        if found.is_binary or (is_from_there and found[:2] == (file.added, file.deleted)):
            return found
        if (count := found.added + found.deleted) > MOST_LINES:  # too many to be compared one by one
            return found._replace(unshown=max(count - file.added - file.deleted, 1))
        lines = _lines_now(self._review.root / file.path) if before is None else self._lines(name, index)
        shown = _lines_of(self._review.changed_lines(self._scope, file.path))
        return found._replace(unshown=(lines - shown).total())

    def _by_lines(self, file: ChangedFile, index: Path) -> Whole:
        """That of a file which git takes for binary: any can be by a `.gitattributes` that an agent has written."""
        if file.is_binary:  # it was looked at without
            return Whole(is_binary=True)
        lines = self._lines(self._names[file.path], index)
        added = sum(count for line, count in lines.items() if line.startswith("+"))
        return Whole(added, lines.total() - added)

    def _lines(self, name: str, index: Path) -> Counter[str]:
        """The lines of a file that come and go since the last commit."""
        how = ("-p", "-U0", "--text", "--no-renames")
        return _lines_of(read_hunks(self._git.run("diff-files", *how, "--", f":(literal){name}", index=index)))


def _lines_of(hunks: Iterable[Hunk]) -> Counter[str]:
    """The lines that come and go, whatever their ends."""
    return Counter(line.removesuffix("\r") for hunk in hunks for line in hunk.lines if line[:1] in "+-")


def _count_now(path: Path) -> int | None:
    """How many lines a file has that is new to git; None of one that is binary."""
    count, end = 0, b"\n"
    for piece in _pieces(path):
        if end == b"\n" and not count and b"\0" in piece[:_LOOKED_AT]:
            return None
        count, end = count + piece.count(b"\n"), piece[-1:]
    return count + (end != b"\n")


def _lines_now(path: Path) -> Counter[str]:
    """Those of a file that is new to git, as they would be told."""
    data = b"".join(_pieces(path))
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    return Counter(f"+{line.decode(errors='replace')}".removesuffix("\r") for line in lines)


def _pieces(path: Path) -> Iterator[bytes]:
    """What a file holds, or where a link leads; nothing if it cannot be read."""
    with suppress(OSError):
        if path.is_symlink():
            yield os.fsencode(path.readlink())
        elif path.is_file():
            with path.open("rb") as file:
                while piece := file.read(_PIECE):
                    yield piece
