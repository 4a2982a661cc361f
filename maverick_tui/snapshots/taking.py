"""Takes one snapshot: brings the lists of files up to date, part by part, and makes trees of them."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from maverick_tui import paths
from maverick_tui.git.keeping import KeepingGit
from maverick_tui.git.repository import find_repository
from maverick_tui.snapshots.adopting import adopt
from maverick_tui.snapshots.caps import Caps, NotTrackedError
from maverick_tui.snapshots.folders import as_noted, folders_around, folders_in, modes_of
from maverick_tui.snapshots.scanning import Found, Scanner, is_closed, remove, update
from maverick_tui.snapshots.snapshot import EMPTY_TREE, EXECUTABLE, LINK, SECRET, UNREADABLE, Part, Snapshot, git_mode

_RECENT = 3_000_000_000
"""Nanoseconds in which a second change of a file may look to git like the first: it compares seconds."""
_PERMISSIONS = 0o7777
_COUNT_AT = slice(8, 12)
"""Where a list of files says how many there are."""


@dataclass(slots=True)
class State:
    """What is remembered from one snapshot to the next. All of it can be found out again."""

    usual: tuple[int, int] | None = None
    modes: dict[str, int] = field(default_factory=dict)
    recent: dict[str, dict[str, int]] = field(default_factory=dict)
    """Of each part the files that had just changed, and when: a look at them by git alone is not enough."""
    ignored: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Of each part what its ignored files looked like, and their tree."""
    last: dict[str, tuple[str, str]] = field(default_factory=dict)
    """The last snapshot of each owner, and a digest of it."""
    folders: list[str] | None = None
    """All folders that there are; None if that is not known yet."""

    @staticmethod
    def read(file: Path) -> State:
        """What was remembered; nothing if that cannot be read."""
        try:
            about = json.loads(file.read_text())
            usual = about["usual"]
            recent = {at: dict(files) for at, files in dict(about["recent"]).items()}
            ignored = {at: (seen, tree) for at, (seen, tree) in about["ignored"].items()}
            last = {ref: (snapshot_id, digest) for ref, (snapshot_id, digest) in about["last"].items()}
            told = (about["modes"], recent, ignored, last, about.get("folders"))
            return State(usual and (usual[0], usual[1]), *told)
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return State()

    def write(self, file: Path) -> None:
        """Remember it."""
        unnamed = file.with_suffix(".new")
        unnamed.write_text(json.dumps(asdict(self), separators=(",", ":")))
        unnamed.replace(file)


class Taking:
    """One snapshot that is being taken."""

    def __init__(self, git: KeepingGit, folder: Path, lists: Path, state: State, caps: Caps, until: float) -> None:
        """Of this folder; the lists of its files are in `lists`."""
        self._git = git
        self._folder = folder
        self._lists = lists
        self._state = state
        self._caps = caps
        self._until = until
        self._now = time.time_ns()
        self._new_bytes = 0
        self._files = 0
        self._parts: list[Part] = []
        self._empty: set[str] = set()
        self._left_out: dict[str, str] = {}
        self._seen: dict[str, os.stat_result] = {}
        """Files whose permissions may have changed."""
        self._ignored: dict[str, os.stat_result] = {}
        self._recent: dict[str, dict[str, int]] = {}
        self._folders: set[str] = set()
        """Folders that may be new."""

    def run(self, excludes: Sequence[Path]) -> Snapshot:
        """What is in the folder now, without an id yet."""
        waiting = [""]
        for at in waiting:
            files, new_bytes = self._files, self._new_bytes
            try:
                waiting += self._take_part(at, excludes)
            except NotTrackedError as error:
                if not at:
                    raise
                self._left_out[at] = error.reason  # a repository inside does not keep us from all the rest
                self._files, self._new_bytes = files, new_bytes
            for nested in waiting[self._caps.nested + 1 :]:
                self._left_out[nested] = f"there are more than {self._caps.nested} repositories in this folder"
            del waiting[self._caps.nested + 1 :]
        self._state.ignored = {at: seen for at, seen in self._state.ignored.items() if at in waiting}
        self._state.recent = self._recent
        modes = self._modes()
        assert self._state.usual is not None
        about = (modes, frozenset(self._empty), self._left_out, self._folder_modes(), self._sizes())
        return Snapshot("", tuple(self._parts), self._state.usual, *about)

    def _take_part(self, at: str, excludes: Sequence[Path]) -> list[str]:
        """Take the folder itself or a repository in it; the repositories in it."""
        top = self._folder / at if at else self._folder
        place = self._lists / hashlib.sha256(os.fsencode(at)).hexdigest()[:24]
        paths.make_private(place)
        repository = find_repository(top)
        if repository is not None and repository.top != top:
            repository = None
        index = place / "index"
        recent = self._state.recent.get(at, {})
        again: Iterable[str] = recent
        if not index.exists() and repository is not None:
            # What is tracked is kept, also where git would ignore it if it was not.
            known = Found(changed=set(adopt(self._git, repository, index, self._caps.adopted_bytes, self._until)))
            self._bring_up_to_date(index, top, known)
            told = self._git("ls-files", "-z", index=index, until=self._until)
            again = [os.fsdecode(name) for name in told.split(b"\0") if name]
        looked = {path: _look(top, path) for path in again}  # before git does: a later change differs
        found = Scanner(self._git, top, repository, excludes, self._caps).look(index, self._until)
        stale = {path for path, about in looked.items() if about and recent.get(path) not in (None, about.st_ctime_ns)}
        stale.difference_update(found.changed, found.gone, found.new, found.ignored, found.left_out)
        remove(self._git, index, top, stale, self._until)  # git takes them for what it has read
        found.changed |= stale
        looked |= self._bring_up_to_date(index, top, found)
        self._files += _count(index)
        self._check(self._files > self._caps.files, f"it holds more than {self._caps.files:,} files")
        self._note(at, looked | dict.fromkeys(found.gone))
        self._folders |= folders_around(f"{at}{path}" for path in ("", *found.new, *again, *found.ignored))
        self._folders |= folders_around(f"{at}{path}/" for path in found.empty)
        kept = self._tree(index)
        self._parts.append(Part(at, kept, self._tree_of_ignored(place / "ignored", at, top, found)))
        self._empty.update(f"{at}{path}" for path in found.empty)
        self._left_out |= {f"{at}{path}": why for path, why in found.left_out.items()}
        return [f"{at}{name}" for name in found.nested]

    def _bring_up_to_date(self, index: Path, top: Path, found: Found) -> dict[str, os.stat_result | None]:
        """Read anew what is changed or new; what that was like just before."""
        wanted: list[str] = []
        unwanted: list[str] = []
        looked = {path: _look(top, path) for path in found.changed | found.new}
        for path, about in looked.items():
            if about is None or not git_mode(about):
                unwanted.append(path)
                if about is None and is_closed(top, path):
                    found.left_out[path] = UNREADABLE
            elif why := self._why_not(top, path, about):
                unwanted.append(path)
                found.left_out[path] = why
            else:
                wanted.append(path)
                self._new_bytes += about.st_size
        self._check(self._new_bytes > self._caps.new_bytes, f"more than {_mb(self._caps.new_bytes)} in it are new")
        self._check(len(wanted) > self._caps.files, f"it holds more than {self._caps.files:,} files")
        remove(self._git, index, top, unwanted, self._until)
        update(self._git, index, top, wanted, found.left_out, self._until)
        return looked

    def _why_not(self, top: Path, path: str, about: os.stat_result) -> str:
        if git_mode(about) == LINK:
            return ""
        if about.st_size > self._caps.file_bytes:
            return f"it is larger than {_mb(self._caps.file_bytes)}"
        return "" if os.access(f"{top}/{path}", os.R_OK) else UNREADABLE

    def _sizes(self) -> dict[str, int]:
        """How many bytes files hold that are left out."""
        paths = (path for path, why in self._left_out.items() if why != SECRET and not path.endswith("/"))
        return {path: about.st_size for path in paths if (about := _look(self._folder, path)) is not None}

    def _check(self, is_too_much: bool, reason: str) -> None:
        if is_too_much:
            raise NotTrackedError(reason, self._folder)

    def _tree(self, index: Path) -> str:
        return (
            self._git("write-tree", index=index, until=self._until).decode().strip() if index.exists() else EMPTY_TREE
        )

    def _tree_of_ignored(self, index: Path, at: str, top: Path, found: Found) -> str:
        """What git ignores has a list of its own: in the other one, git would not know it for that any more."""
        self._ignored |= {f"{at}{path}": about for path, about in found.ignored.items()}
        lines = sorted(
            f"{path!r} {about.st_mode} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns} {about.st_ino}"
            for path, about in found.ignored.items()
        )
        seen = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        before, tree = self._state.ignored.get(at, ("", ""))
        if seen != before:
            told = self._git("ls-files", "-z", index=index, until=self._until)
            known = {os.fsdecode(name) for name in told.split(b"\0") if name}
            since = index.stat().st_mtime_ns - _RECENT if known else 0
            unchanged = {path for path, about in found.ignored.items() if about.st_ctime_ns < since}
            remove(self._git, index, top, known - unchanged, self._until)
            update(self._git, index, top, found.ignored, found.left_out, self._until)
            tree = self._tree(index)
            self._state.ignored[at] = (seen, tree)
        return tree

    # -- permissions ---------------------------------------------------------------------------------------------------

    def _note(self, at: str, looked: Mapping[str, os.stat_result | None]) -> None:
        """What files are like, or that they are gone."""
        recent = self._recent.setdefault(at, {})
        for path, about in looked.items():
            if about is not None and git_mode(about) and about.st_ctime_ns > self._now - _RECENT:
                recent[path] = about.st_ctime_ns
            if about is None or git_mode(about) in ("", LINK):
                self._state.modes.pop(f"{at}{path}", None)
                continue
            self._seen[f"{at}{path}"] = about

    def _modes(self) -> dict[str, int]:
        """The permissions of all files that have others than most; git itself knows only who may execute one."""
        if self._state.usual is None:
            mask = 0o022
            counts = (Counter({0o666 & ~mask: 1}), Counter({0o777 & ~mask: 1}))
            for about in self._seen.values():
                counts[git_mode(about) == EXECUTABLE][about.st_mode & _PERMISSIONS] += 1
            self._state.usual = (counts[0].most_common(1)[0][0], counts[1].most_common(1)[0][0])
        for path, about in self._seen.items():
            self._state.modes.pop(path, None)
            self._state.modes |= self._odd(path, about)
        modes = dict(self._state.modes)
        for path, about in self._ignored.items():
            modes |= self._odd(path, about)
        return modes

    def _folder_modes(self) -> dict[str, int]:
        """The permissions of folders, each of which is looked at: nothing tells that they have changed."""
        if self._state.folders is None:
            trees = [(part.at, tree) for part in self._parts for tree in (part.kept, part.ignored)]
            self._state.folders = [f"{at}{path}" for at, tree in trees for path in folders_in(self._git, tree)]
        modes = modes_of(self._folder, self._folders.union(self._state.folders))
        self._state.folders = list(modes)
        return as_noted(modes)

    def _odd(self, path: str, about: os.stat_result) -> dict[str, int]:
        permissions, usual = about.st_mode & _PERMISSIONS, self._state.usual
        is_usual = usual is not None and permissions == usual[git_mode(about) == EXECUTABLE]
        return {} if is_usual or git_mode(about) == LINK else {path: permissions}


def _look(top: Path, path: str) -> os.stat_result | None:
    try:
        return os.lstat(f"{top}/{path}")
    except (OSError, ValueError):
        return None


def _count(index: Path) -> int:
    try:
        with index.open("rb") as file:
            return int.from_bytes(file.read(12)[_COUNT_AT], "big")
    except FileNotFoundError:
        return 0


def _mb(number: int) -> str:
    return f"{number // 1_000_000:,} MB"
