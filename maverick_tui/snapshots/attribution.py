"""Who wrote a line, and who removed one: followed from snapshot to snapshot, also where a file gets another name.

No file is read for it: git says which lines differ between two snapshots, and what it says is added up. Where a person
has made of a file what it was at an earlier moment, its lines are again whose they were then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from maverick_tui.markup.hunks import Hunk
from maverick_tui.snapshots.changes import FileLines, Lines, changed_lines
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import Snapshot

_ALL = 1 << 60
"""As many lines as a file may have of which nothing was said yet."""


class Writer(NamedTuple):
    """A call of a tool, a person or another run. One that names its files has written no others."""

    id: str
    paths: frozenset[str] = frozenset()
    within: str = ""
    """What the paths begin with that one may have written to who names none; all, if it is empty."""
    among: frozenset[str] = frozenset()
    """All that one may have written to who names none; empty if that is not known."""

    def may_write(self, *paths: str) -> bool:
        """Whether it may have changed one of these."""
        if known := self.paths or self.among:
            return not known.isdisjoint(paths)
        return any(path.startswith(self.within) for path in paths)

    @property
    def is_person(self) -> bool:
        """Whether it is no call, but a person: also one who takes back what a run has changed."""
        return self.id == YOU.id or self.takes_back

    @property
    def takes_back(self) -> bool:
        """Whether it only takes back what a run has changed, or gives it back."""
        return self.id.startswith(TAKEN_BACK)


TAKEN_BACK = "undo/"
"""What the name of a writer begins with who takes something back; the run's name follows."""
YOU = Writer("you")
"""Whoever works in the folder and is no run that we know of."""

Writers = tuple[Writer, ...]
"""One of these has written it: several if they were at work at the same time. None: it was there before."""


class Link(NamedTuple):
    """A snapshot, and who was at work since the one before."""

    snapshot: Snapshot
    by: Writers = (YOU,)
    at: float = 0.0
    """When it was taken."""


class _Segment(NamedTuple):
    """Lines that follow each other, and are by the same writers."""

    size: int
    by: Writers
    origin: tuple[str, int] | None
    """Where they stood at the beginning, if they are from before."""

    def split(self, count: int) -> tuple[_Segment, _Segment]:
        """The first lines, and the rest."""
        rest = None if self.origin is None else (self.origin[0], self.origin[1] + count)
        return self._replace(size=count), _Segment(self.size - count, self.by, rest)


class _Removed(NamedTuple):
    first: int
    size: int
    by: Writers


@dataclass(slots=True)
class Attribution:
    """Who has written what between the first snapshot of a chain and its last one."""

    _files: dict[str, list[_Segment]] = field(default_factory=dict)
    _removed: dict[str, list[_Removed]] = field(default_factory=dict)
    _touched: dict[str, list[Writers]] = field(default_factory=dict)
    _earlier: dict[tuple[str, str], tuple[list[_Segment], list[_Removed]]] = field(default_factory=dict)
    """What was known of a file when these bytes were in it: a person who restores them has not written them."""

    def add(self, by: Writers, files: Iterable[FileLines]) -> None:
        """Add what has changed while these were at work."""
        files = list(files)
        before = {one.was: self._files.get(one.was, _untouched(one.was)) for one in files if one.was}
        touched = {one.was: self._touched.get(one.was, []) for one in files if one.was}
        for one in files:
            if one.was and one.blobs[0]:
                self._earlier[one.was, one.blobs[0]] = (before[one.was], list(self._removed.get(one.was, ())))
            if one.was and one.was != one.path:
                self._files[one.was] = []
        for one in files:
            writers = possible(by, one.was, one.path)
            path = one.path or one.was
            earlier = self._earlier.get((one.path, one.blobs[1])) if one.path and one.blobs[1] else None
            if earlier is not None and all(writer.is_person for writer in writers):
                self._files[path], self._removed[path] = earlier[0], list(earlier[1])
            else:
                segments = list(self._changed(before.get(one.was, []), one.lines, writers))
                if not one.lines and one.blobs[0] != one.blobs[1]:  # it is binary: nobody knows what is new in it
                    segments = [_Segment(_ALL, writers, None)]
                if one.path:
                    self._files[path] = segments
            known = touched.get(one.was, self._touched.get(path, []))
            for name in {path, one.was or path}:
                self._touched[name] = known if writers in known else [*known, writers]

    def _changed(self, segments: list[_Segment], lines: Sequence[Lines], by: Writers) -> Iterator[_Segment]:
        waiting, at = deque(segments), 0
        for one in lines:
            yield from _taken(waiting, one.old - at)
            persons: dict[Writer, None] = {}
            for gone in _taken(waiting, one.deleted):
                if gone.origin is not None:
                    path, first = gone.origin
                    self._removed.setdefault(path, []).append(_Removed(first, gone.size, by))
                else:
                    persons.update((writer, None) for writer in gone.by if writer.is_person)
            if one.added:  # what stands in the place of a person's own lines is not somebody else's alone
                yield _Segment(one.added, tuple(dict.fromkeys((*by, *persons))), None)
            at = max(at, one.old + one.deleted)
        yield from waiting

    def lines(self, path: str, count: int) -> list[Writers]:
        """Who has written each of the first `count` lines of a file, as it is at the end."""
        return self.lineage(path)(count)

    def lineage(self, path: str) -> Callable[[int], list[Writers]]:
        """The same, to be asked later of the file as it is now."""
        segments = self._files.get(path, _untouched(path))  # which are not changed, but replaced

        def lines(count: int) -> list[Writers]:
            found: list[Writers] = []
            for segment in _taken(deque(segments), count):
                found += [segment.by] * segment.size
            return found

        return lines

    def remover(self, path: str, line: int) -> Writers:
        """Who has removed a line (the first is 0) of a file as it was at the beginning; nobody if it is still there."""
        for one in self._removed.get(path, []):
            if one.first <= line < one.first + one.size:
                return one.by
        return ()

    def touched(self, path: str) -> list[Writers]:
        """Who has changed a file in any way, the first one first: also one that is binary, or only was renamed."""
        return list(self._touched.get(path, []))

    def hunk_lines(self, hunk: Hunk, path: str, was: str = "") -> list[Writers]:
        """Who has added or removed each line of a hunk that git has found between the first snapshot and the last."""
        old, new = max(hunk.old_start - 1, 0), max(hunk.new_start - 1, 0)
        after = self.lines(path, new + len(hunk.lines))
        found: list[Writers] = []
        for line in hunk.lines:
            sign = line[:1]
            by: Writers = ()
            if sign == "+":
                by = after[new] if new < len(after) else ()
            elif sign == "-":
                by = self.remover(was or path, old)
            found.append(by)
            old += sign in " -"
            new += sign in " +"
        return found

    def hunk(self, hunk: Hunk, path: str, was: str = "") -> list[Writers]:
        """Whose a hunk is; `was` is the path before."""
        # Of lines that are alike, git may call one new and we another: then it is whoever has changed the file.
        told = list(dict.fromkeys(by for by in self.hunk_lines(hunk, path, was) if by))
        return told or self.touched(path)


def trace(shadow: Shadow, chain: Sequence[Link]) -> Attribution:
    """Who has written what in a chain of snapshots; whoever is named by the first of them has not."""
    found = Attribution()
    for link, files in zip(chain[1:], changed_lines(shadow, [one.snapshot for one in chain]), strict=True):
        found.add(link.by, files)
    return found


def possible(by: Writers, *paths: str) -> Writers:
    """Who of these may have changed a file: those that name it; else those that name none; else somebody else."""
    able = tuple(writer for writer in by if writer.may_write(*paths))
    return tuple(writer for writer in able if writer.paths) or able or (YOU,)


def _untouched(path: str) -> list[_Segment]:
    return [_Segment(_ALL, (), (path, 0))]


def _taken(waiting: deque[_Segment], count: int) -> Iterator[_Segment]:
    """The first lines, which are no longer waiting then."""
    while count > 0 and waiting:
        segment = waiting.popleft()
        if segment.size > count:
            segment, rest = segment.split(count)
            waiting.appendleft(rest)
        count -= segment.size
        yield segment
