"""What is known of the worktrees of runs: a small file for each, which stays when the worktree is gone."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_run_id
from maverick_tui.real_paths import real_path

PREFIX = "maverick/"
"""What the names of branches begin with that are ours."""
_ENDING = ".json"
_RELEASED = ".released"
"""What is known of one that no race throws away any more, until that is written as a whole again."""
_ENDINGS = (_ENDING, _RELEASED)
_LARGEST = 50_000_000
"""Bytes: a set-up that builds beside its sources brings along thousands of files."""
_SHORT = 8
_ODD = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class Worktree:
    """The worktree of a run: where it is, what it began with, and what has become of it."""

    run_id: str
    agent: str
    project: str
    """The folder that the repository is worked in, from which it was made."""
    folder: str
    """The folder in it that the run was started in, relative to it."""
    path: str
    branch: str
    base: str
    """The commit that it began with."""
    onto: str = ""
    """The branch that was checked out there; empty for a detached HEAD."""
    tip: str = ""
    """The last commit that is known of it."""
    race: str = ""
    """The race that it was made for, for as long as that may throw it away."""
    brought: str = ""
    """What came along that git knows nothing of, a path on each line: as it came it is no work of the run."""
    became: str = ""
    """`merged`, `kept` (as a branch) or `removed`; empty while it is there."""

    @property
    def top(self) -> Path:
        """Where it is."""
        return Path(self.path)

    @property
    def cwd(self) -> Path:
        """Where the run works in it."""
        return self.top / self.folder

    @property
    def origin(self) -> Path:
        """The folder that the run was started in."""
        return Path(self.project, self.folder)

    @property
    def is_there(self) -> bool:
        """Whether anything is in its folder, be it a worktree of the project by now or not."""
        try:
            with os.scandir(self.top) as found:
                return any(True for _ in found)
        except FileNotFoundError:
            return False
        except OSError:  # it may not be looked at, or is none
            return True

    @property
    def has_git(self) -> bool:
        """Whether it can be worked in."""
        return os.path.lexists(self.top / ".git")


def name_for(agent: str, run_id: str) -> str:
    """The name of a run's worktree, and of its branch after the prefix."""
    return f"{_ODD.sub('-', agent).strip('-')[:40] or 'agent'}-{run_id[:_SHORT]}"


def place_for(project: Path, name: str) -> Path:
    """Where the worktree of that name is, of a project: two projects may have the same name."""
    known = hashlib.sha256(os.fsencode(project)).hexdigest()[:_SHORT]
    folder = Path(real_path(paths.worktrees()))
    return folder / f"{_ODD.sub('-', project.name).strip('-')[:40] or 'project'}-{known}" / name


def file_of(run_id: str) -> Path:
    """What is known of the worktree of a run."""
    if not is_run_id(run_id):  # it names a file
        raise ConfigError(f"{run_id!r} is not the id of a run.", hint="See `maverick worktree list`.")
    return paths.worktrees() / f"{run_id}{_ENDING}"


def worktree_of(run_id: str) -> Worktree | None:
    """The worktree that a run has, or had; None if it never had one."""
    if not is_run_id(run_id):
        return None
    file = file_of(run_id)
    if (found := _read(file)) is not None:
        return found
    released = _read(file.with_suffix(_RELEASED))
    return replace(released, race="") if released is not None else None


def all_worktrees() -> Iterator[Worktree]:
    """All that anything is known of, in the order of their ids."""
    with suppress(OSError):
        for run_id in sorted({path.stem for path in paths.worktrees().iterdir() if path.suffix in _ENDINGS}):
            if (found := worktree_of(run_id)) is not None:
                yield found


def damaged() -> list[str]:
    """The runs that have had a worktree of which is known no more than that: its file cannot be read."""
    with suppress(OSError):
        found = {path.stem for path in paths.worktrees().iterdir() if path.suffix in _ENDINGS}
        return sorted(run_id for run_id in found if is_run_id(run_id) and worktree_of(run_id) is None)
    return []


def require_known(run_id: str) -> None:
    """ConfigError if what is known of a run's worktree cannot be read: its work is there all the same."""
    if not is_run_id(run_id) or worktree_of(run_id) is not None:
        return
    file = next((one for ending in _ENDINGS if os.path.lexists(one := file_of(run_id).with_suffix(ending))), None)
    if file is not None:
        place = next(iter(sorted(paths.worktrees().glob(f"*/*-{run_id[:_SHORT]}"))), None)
        where = f"in {place}, on its branch {PREFIX}{place.name}" if place is not None else "gone from its place"
        raise ConfigError(
            f"What is known of the worktree of the run {run_id} cannot be read.",
            path=str(file),
            hint=f"The worktree is {where}. Take what you need from it with git, then remove that file: {file}",
        )


def worktree_at(folder: Path) -> Worktree | None:
    """The worktree of a run that a folder is in."""
    top = paths.worktree_around(folder)
    if top is None:
        return None
    return next((one for one in all_worktrees() if real_path(one.path) == str(top)), None)


def origin_of(folder: Path) -> Path:
    """The same folder of the project, for one in the worktree of a run; any other folder as it is."""
    if (worktree := worktree_at(folder)) is None:
        return folder
    return Path(worktree.project, os.path.relpath(real_path(folder), worktree.path))


def some(names: Sequence[str], most: int = 5) -> str:
    """The first of these names, for a message, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(one_line, names[:most])) + more


def write(worktree: Worktree) -> None:
    """Keep what is known of it."""
    file = file_of(worktree.run_id)
    save(file, asdict(worktree))
    file.with_suffix(_RELEASED).unlink(missing_ok=True)


def save(file: Path, data: dict[str, str]) -> None:
    """Write a file of ours as a whole, or leave it as it was. An OSError names it."""
    paths.make_private(file.parent)
    descriptor, unnamed = tempfile.mkstemp(dir=file.parent, prefix=".new-")
    try:
        with (
            paths.named_if_it_fails(file),
            os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as out,
        ):
            json.dump(data, out)
            out.flush()
            os.fsync(out.fileno())  # a rename may come to the disk before what is in the file
        Path(unnamed).replace(file)
    except BaseException:
        Path(unnamed).unlink(missing_ok=True)
        raise


def note(worktree: Worktree, **changes: str) -> Worktree:
    """Keep that something of it has changed."""
    changed = replace(worktree, **changes)
    write(changed)
    return changed


def release(worktree: Worktree) -> Worktree:
    """Have it be of no race any more: from now on nobody throws it away.

    It takes no room, so that a full disk costs nobody their work.
    """
    if not worktree.race:
        return worktree
    file = file_of(worktree.run_id)
    file.replace(file.with_suffix(_RELEASED))
    return replace(worktree, race="")


def forget(run_id: str) -> None:
    """Know nothing of it any more."""
    for ending in _ENDINGS:
        file_of(run_id).with_suffix(ending).unlink(missing_ok=True)


def _read(path: Path) -> Worktree | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        data = json.loads(path.read_text(encoding="utf-8", errors="surrogateescape"))
    except (OSError, ValueError):
        return None
    names = {one.name for one in fields(Worktree)}
    given = {name: value for name, value in data.items() if name in names} if isinstance(data, dict) else {}
    if not all(isinstance(value, str) for value in given.values()):
        return None
    try:
        found = Worktree(**given)
    except TypeError:  # it is of another kind, or broken
        return None
    return found if paths.worktree_around(found.top) == found.top else None  # or we would remove something else
