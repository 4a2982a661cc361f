"""What a person has staged, and how it stays so while something else is committed."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from maverick_tui.git.changing import Git, GitError
from maverick_tui.git.repository import Repository
from maverick_tui.inert import one_line

_TRIES, _PAUSE = 25, 0.2
"""How often, and after how many seconds, an index is tried again that somebody else has locked."""
_MOST_NAMED = 8
"""Files that are named in an advice."""
_GONE = "000000"


class Entry(NamedTuple):
    """A file in an index or a tree."""

    mode: str
    blob: str


Changed = dict[str, tuple[Entry | None, Entry | None]]
"""What differs between two trees: each path before and after."""


class Staged:
    """The person's index, and one of ours beside it."""

    def __init__(self, git: Git, repository: Repository, scratch: Path) -> None:
        self._git = git
        self._theirs = repository.own / "index"
        self._scratch = scratch

    def begin(self, index: Path, head: str) -> str:
        """Make our index of what is committed; its tree.

        It begins as a copy of theirs, which knows what each file was like: else git would have to read all of them.
        """
        if head and self._theirs.exists():
            shutil.copy2(self._theirs, index)
            self._git.run("read-tree", "-i", "-m", head, index=index)
        else:
            self._git.run("read-tree", head or "--empty", index=index)
        return self.tree(index)

    def tree(self, index: Path) -> str:
        """The tree of an index."""
        return self._git.run("write-tree", index=index).decode().strip()

    def entries(self, index: Path | None = None) -> dict[str, Entry]:
        """All files in an index, theirs or another."""
        found: dict[str, Entry] = {}
        for line in self._git.run("ls-files", "--stage", "-z", index=index).split(b"\0")[:-1]:
            about, _, name = line.partition(b"\t")
            mode, blob, _ = about.decode().split(" ")
            found[os.fsdecode(name)] = Entry(mode, blob)
        return found

    def clash(self, before: str, after: str, whole: set[str]) -> str:
        """A path in which something else is staged that cannot stay beside what is committed; empty if none is."""
        entries = self.entries()
        for path, (old, new) in self.changed(before, after).items():
            theirs = entries.get(path)
            if path not in whole and theirs not in (None, old, new) and self.merged(theirs, old, new) is None:
                return path
        return ""

    def bring_up_to_date(self, before: str, after: str, whole: set[str]) -> str:
        """Have what was committed in their index, and all else as it is; what to say if that cannot be done."""
        changed = self.changed(before, after)
        for at in range(_TRIES):
            try:
                lines = b"".join(self._lines(changed, whole))
                self._git.run("update-index", "-z", "--index-info", stdin=lines)
                return ""
            except (GitError, OSError) as error:
                said = error.said if isinstance(error, GitError) else ""
                if "index.lock" not in said or at == _TRIES - 1:
                    return self._how_to_mend(changed, one_line(said.splitlines()[0] if said else str(error)))
                time.sleep(_PAUSE)
        return ""

    def _how_to_mend(self, changed: Changed, why: str) -> str:
        """What to say of an index that is as it was before the commit: `git reset` alone would empty all of it."""
        entries = self.entries()
        also = [one_line(path) for path, (old, new) in changed.items() if entries.get(path) not in (None, old, new)]
        lost = f" It takes out what else is staged in {', '.join(also)}." if also else ""
        folder, *words = (shlex.quote(one_line(str(path))) for path in (self._git.folder, *changed))
        mends = f"git -C {folder} --literal-pathspecs reset"
        if len(words) > _MOST_NAMED:
            listed = f"git -C {folder} diff --name-only -z HEAD~ HEAD"
            mends = f"{listed} | {mends} --pathspec-from-file=- --pathspec-file-nul"
        else:
            mends += f" -- {' '.join(words)}"
        return (
            f"What is staged does not fit the commit yet: {why.removeprefix('fatal: ').rstrip('.')}. Committed by hand"
            f" as it is, it would take this commit back. `{mends}` mends it.{lost}"
        )

    def _lines(self, changed: Changed, whole: set[str]) -> Iterator[bytes]:
        entries = self.entries()
        for path, (old, new) in changed.items():
            theirs, wanted = entries.get(path), new
            if path not in whole and theirs != old:  # something else is staged in it
                wanted = self.merged(theirs, old, new) or theirs
            if wanted is not None:
                yield _line(path, wanted)
            elif theirs is not None:
                yield _line(path, Entry("0", "0" * len(theirs.blob)))

    def put(self, index: Path, entries: Mapping[str, Entry | None]) -> None:
        """Have these files in an index of ours, or not any more."""
        gone = b"".join(os.fsencode(path) + b"\0" for path, entry in entries.items() if entry is None)
        self._git.run("update-index", "-z", "--force-remove", "--stdin", stdin=gone, index=index)
        lines = b"".join(_line(path, entry) for path, entry in entries.items() if entry is not None)
        self._git.run("update-index", "-z", "--index-info", stdin=lines, index=index)

    def merged(self, theirs: Entry | None, old: Entry | None, new: Entry | None) -> Entry | None:
        """Theirs, with what has become of the old one in it as well; None if both are in the same lines."""
        if theirs is None or old is None or new is None:
            return None
        sides = []
        for name, entry in (("theirs", theirs), ("old", old), ("new", new)):
            sides.append(self._scratch / name)
            sides[-1].write_bytes(self._git.run("cat-file", "blob", entry.blob))
        with suppress(GitError):
            data = self._git.run("merge-file", *map(str, sides))
            return Entry(theirs.mode, self._git.run("hash-object", "-w", "--stdin", stdin=data).decode().strip())
        return None

    def changed(self, before: str, after: str) -> Changed:
        """What differs between two trees."""
        told = self._git.run("diff-tree", "-r", "-z", "--raw", "--no-renames", before, after).split(b"\0")[:-1]
        found: Changed = {}
        for about, name in zip(told[::2], told[1::2], strict=True):
            old_mode, new_mode, old, new, _ = about[1:].decode().split(" ")
            sides = (Entry(mode, blob) if mode != _GONE else None for mode, blob in ((old_mode, old), (new_mode, new)))
            found[os.fsdecode(name)] = (next(sides), next(sides))
        return found


def _line(path: str, entry: Entry) -> bytes:
    """What tells `update-index` of a file."""
    return " ".join(entry).encode() + b"\t" + os.fsencode(path) + b"\0"
