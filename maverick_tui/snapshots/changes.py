"""What differs between two snapshots of a folder: files, how many lines, and which."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import pairwise
from typing import Literal, NamedTuple

from maverick_tui.git.changing import GitError
from maverick_tui.markup.hunks import CONTEXT, Hunk
from maverick_tui.snapshots.entries import Entry, entries_of
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import EMPTY_TREE, ENOUGH, LINK, Snapshot

Status = Literal["added", "changed", "deleted", "renamed", "mode", "type"]
_STATUSES: dict[str, Status] = {"A": "added", "M": "changed", "D": "deleted", "R": "renamed", "T": "type"}
_NONE = "0" * 40
_PAIR = re.compile(rb"[0-9a-f]{40} [0-9a-f]{40}\n")
_NO_ANSWER = "Git has answered something else than what it was asked."
_AFTER_LINES = re.compile(rb"\n(?![-+\\])")
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class FileChange:
    """What has become of one file. `before` and `after` are None where it is not there."""

    path: str
    status: Status
    before: Entry | None
    after: Entry | None
    was: str = ""
    """Its path before, if it was renamed."""
    added: int = 0
    deleted: int = 0
    is_binary: bool = False
    permissions: tuple[int, int] | None = None
    """Those before and after, if they differ."""
    not_kept: str = ""
    """Why it is not known what it was, or is: one of the snapshots has left it out."""

    @property
    def before_path(self) -> str:
        """Where it was."""
        return self.was or self.path


class Lines(NamedTuple):
    """Lines of the old file that lines of the new one have taken the place of; both begin with 0."""

    old: int
    deleted: int
    new: int
    added: int

    @property
    def back(self) -> Lines:
        """The way back."""
        return Lines(self.new, self.added, self.old, self.deleted)


class FileLines(NamedTuple):
    """Which lines of a file differ; none of one that is binary or only was renamed."""

    was: str
    """The path before; empty for a new file."""
    path: str
    """The path after; empty for one that is gone."""
    lines: tuple[Lines, ...]
    blobs: tuple[str, str] = ("", "")
    """The names of its bytes before and after."""


def changes(shadow: Shadow, before: Snapshot, after: Snapshot, *, finds_renames: bool = True) -> list[FileChange]:
    """What differs, in the order of paths. What both have left out, or one with all of a folder, is not known to."""
    found: dict[str, FileChange] = {}
    for at, old, new in _pairs(before, after):
        options = ("-M",) if finds_renames else ("--no-renames",)
        told = shadow.git("diff-tree", "-r", "-z", "--raw", "--numstat", *options, old, new)
        for change in _read(at, told):
            _join(found, change)
    if any(one.was and after.leaves_out(one.was) for one in found.values()):  # it is there yet, under its name
        return changes(shadow, before, after, finds_renames=False)
    _add_permissions(shadow, before, after, found)
    known = (seen for one in found.values() if (seen := _as_known(one, before, after)) is not None)
    return sorted(known, key=lambda one: os.fsencode(one.path))


def hunks(shadow: Shadow, change: FileChange, context: int = CONTEXT, most: int | None = None) -> list[Hunk]:
    """The lines of one file that differ, and some around them; nothing of a binary one.

    If that is more than `most` lines, the last hunk is cut, and none follows.
    """
    old, new = (one.blob if one is not None else shadow.nothing() for one in (change.before, change.after))
    if old == new or change.is_binary or change.not_kept:
        return []
    return list(read_hunks(shadow.git("diff", f"-U{context}", old, new), most))


def replaced(old: bytes, new: bytes, lines: Iterable[Lines]) -> bytes:
    """The old file, in which only these lines have become those of the new one."""
    text, other = (re.findall(rb"[^\n]*\n|[^\n]+", one) for one in (old, new))
    for one in sorted(lines, reverse=True):
        text[one.old : one.old + one.deleted] = other[one.new : one.new + one.added]
    return b"".join(text)


def changed_lines(shadow: Shadow, chain: Sequence[Snapshot]) -> list[list[FileLines]]:
    """Between each snapshot and the next one, the files and lines that differ: one question for all of them."""
    found: list[list[FileLines]] = [[] for _ in chain[1:]]
    for number, at, told in _asked(shadow, chain, "-M", "-p", "-U0"):
        found[number] += told.files(at)
    return found


def changed_paths(shadow: Shadow, chain: Sequence[Snapshot]) -> list[set[str]]:
    """Between each snapshot and the next one, all paths that differ: one question for all, and no file is read for it.

    Those are files, permissions, and folders in which there is nothing.
    """
    found = [_besides_files(before, after) for before, after in pairwise(chain)]
    for number, at, told in _asked(shadow, chain, "--no-renames"):
        found[number] |= told.paths(at)
    return found


def _besides_files(before: Snapshot, after: Snapshot) -> set[str]:
    return {*(before.empty ^ after.empty), *_odd(before, after)}


def _odd(before: Snapshot, after: Snapshot) -> set[str]:
    """Paths whose permissions may differ."""
    old, new = before.modes, after.modes
    return {path for path in old.keys() | new.keys() if old.get(path) != new.get(path)}


def _asked(shadow: Shadow, chain: Sequence[Snapshot], *options: str) -> Iterator[tuple[int, str, _Told]]:
    """Of each pair of trees that differ its number in the chain, where it belongs, and what git says of it next."""
    asked: list[tuple[int, str, str, str]] = []
    for number, (before, after) in enumerate(pairwise(chain)):
        asked += ((number, at, old, new) for at, old, new in _pairs(before, after))
    if asked:
        stdin = "".join(f"{old} {new}\n" for _, _, old, new in asked).encode()
        told = _Told(shadow.git("diff-tree", "--stdin", "-r", "-z", "--raw", *options, stdin=stdin))
        for number, at, old, new in asked:
            told.expect(f"{old} {new}\n".encode())
            yield number, at, told


# -- reading -----------------------------------------------------------------------------------------------------------


def _pairs(before: Snapshot, after: Snapshot) -> Iterator[tuple[str, str, str]]:
    """The trees to compare, and where they belong."""
    old, new = ({part.at: part for part in one.parts} for one in (before, after))
    for at in sorted(old.keys() | new.keys()):
        for kind in ("kept", "ignored"):
            a, b = (getattr(side[at], kind) if at in side else EMPTY_TREE for side in (old, new))
            if a != b:
                yield at, a, b


def _read(at: str, told: bytes) -> Iterator[FileChange]:
    fields = iter(told.split(b"\0")[:-1])
    found: dict[str, FileChange] = {}
    for field in fields:
        if field.startswith(b":"):
            old_mode, new_mode, old, new, status = field[1:].decode().split(" ")
            was = f"{at}{os.fsdecode(next(fields))}" if status[0] == "R" else ""
            path = f"{at}{os.fsdecode(next(fields))}"
            before, after = _entry(old_mode, old), _entry(new_mode, new)
            kind = _STATUSES[status[0]]
            if kind == "changed" and old == new:
                kind = "mode"
            found[path] = FileChange(path, kind, before, after, was)
            continue
        added, deleted, name = field.split(b"\t", 2)
        if not name:  # of a rename: both names follow
            next(fields)
            name = next(fields)
        path = f"{at}{os.fsdecode(name)}"
        if added == b"-":
            found[path] = replace(found[path], is_binary=True)
        else:
            found[path] = replace(found[path], added=int(added), deleted=int(deleted))
    yield from found.values()


def _entry(mode: str, blob: str) -> Entry | None:
    return Entry(mode, blob) if blob != _NONE else None


def _join(found: dict[str, FileChange], change: FileChange) -> None:
    """A file that went from one tree to another (it is ignored now, or of another repository) has not gone."""
    other = found.pop(change.path, None)
    if other is None:
        found[change.path] = change
        return
    before = other.before if change.before is None else change.before
    after = other.after if change.after is None else change.after
    if before == after:
        return
    is_mode = before is not None and after is not None and before.blob == after.blob
    is_binary = other.is_binary or change.is_binary
    found[change.path] = FileChange(
        change.path,
        "mode" if is_mode else "changed",
        before,
        after,
        added=0 if is_mode else other.added + change.added,
        deleted=0 if is_mode else other.deleted + change.deleted,
        is_binary=is_binary,
    )


def _add_permissions(shadow: Shadow, before: Snapshot, after: Snapshot, found: dict[str, FileChange]) -> None:
    """Note where permissions differ, also in what git does not know of."""
    known = found.keys() | {change.was for change in found.values()}
    for path, entry in entries_of(shadow, after, _odd(before, after) - known).items():
        found[path] = FileChange(path, "mode", entry, entry)
    for path, change in list(found.items()):
        if change.before is None or change.after is None or LINK in (change.before.mode, change.after.mode):
            continue
        old = before.permissions(change.before_path, change.before.mode)
        new = after.permissions(path, change.after.mode)
        if old != new:
            found[path] = replace(change, permissions=(old, new))
        elif change.before == change.after and not change.was:
            del found[path]


def _as_known(change: FileChange, before: Snapshot, after: Snapshot) -> FileChange | None:
    """The change, as far as it is known; None if it need not be one."""
    if not any(one.leaves_out(path) for one in (before, after) for path in {change.path, change.before_path}):
        return change
    if change.before is not None and (why := after.left_out.get(change.path, ENOUGH)) != ENOUGH:
        return replace(change, status="changed", added=0, deleted=0, not_kept=f"it is not kept any more: {why}")
    if change.after is not None and (why := before.left_out.get(change.path, ENOUGH)) != ENOUGH:
        return replace(change, status="changed", added=0, deleted=0, not_kept=f"it was not kept before: {why}")
    return None


def read_hunks(told: bytes, most: int | None = None) -> Iterator[Hunk]:
    """The hunks of a file, of which git has told a patch; the last one is cut after so many lines."""
    start, lines, count = (0, 0), list[str](), 0
    for line in BytesIO(told):  # one after the other: there may be millions
        if count == most:
            yield Hunk(*start, tuple(lines), is_cut=True)
            return
        if match := _HUNK.match(line):
            if lines:
                yield Hunk(*start, tuple(lines))
            start, lines = (int(match[1]), int(match[3])), []
        elif start != (0, 0) and line[:1] in b" +-\\":
            lines.append(line.removesuffix(b"\n").decode(errors="replace"))
            count += 1
    if lines:
        yield Hunk(*start, tuple(lines))


class _Told:
    """What git says of many pairs of trees, read from its beginning to its end."""

    def __init__(self, told: bytes) -> None:
        self._told = told
        self._at = 0

    def expect(self, words: bytes) -> None:
        """Read these words, or it is not what was asked for."""
        if not self._told.startswith(words, self._at):
            raise GitError(_NO_ANSWER)
        self._at += len(words)

    def files(self, at: str) -> Iterator[FileLines]:
        """The files of one pair."""
        raw = list(self._raw(at))
        if raw:
            self.expect(b"\0")
        for was, path, headers, blobs in raw:
            lines: list[Lines] = []
            for _ in range(headers):
                lines += self._patch()
            yield FileLines(was, path, tuple(lines), blobs)

    def paths(self, at: str) -> set[str]:
        """The paths of one pair, of which nothing else was asked."""
        return {path or was for was, path, _, _ in self._raw(at)}

    def _raw(self, at: str) -> Iterator[tuple[str, str, int, tuple[str, str]]]:
        while self._told.startswith(b":", self._at):
            *_, old, new, status = self._field().decode().split(" ")
            was = path = f"{at}{os.fsdecode(self._field())}"
            if status[0] == "R":
                path = f"{at}{os.fsdecode(self._field())}"
            is_new, is_gone = status == "A", status == "D"
            # A file that has become a link is told of twice: as one that has gone, and as a new one.
            yield "" if is_new else was, "" if is_gone else path, 2 if status == "T" else 1, (old, new)

    def _field(self) -> bytes:
        return self._until(b"\0")

    def _line(self) -> bytes:
        return self._until(b"\n")

    def _until(self, mark: bytes) -> bytes:
        end = self._told.find(mark, self._at)
        if end < 0:
            raise GitError(_NO_ANSWER)
        part, self._at = self._told[self._at : end], end + 1
        return part

    def _patch(self) -> Iterator[Lines]:
        self.expect(b"diff --git ")
        self._line()
        while self._at < len(self._told) and not self._is_next():
            if (match := _HUNK.match(self._line())) is None:
                continue
            deleted, added = (int(match[number]) if match[number] is not None else 1 for number in (2, 4))
            # Where nothing is, git names the line before.
            old, new = int(match[1]) - (deleted > 0), int(match[3]) - (added > 0)
            if (end := _AFTER_LINES.search(self._told, self._at - 1)) is None:
                raise GitError(_NO_ANSWER)
            self._at = end.end()
            yield Lines(old, deleted, new, added)

    def _is_next(self) -> bool:
        return self._told.startswith(b"diff --git ", self._at) or _PAIR.match(self._told, self._at) is not None
