"""Where a folder's repository is, read from files, and what in git's own folder is not a plain file."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from maverick_tui.ownership import is_persons
from maverick_tui.real_paths import real_path
from maverick_tui.walking import is_folder

_MOST = 8_192
"""The most bytes of one of git's small files."""
_MOST_POINTER = 1 << 20
"""The most bytes of a file that says where a folder of git's is: git does not accept a larger `.git`, either."""
_MOST_ENTRIES = 20_000
"""The most entries of git's own folder that are looked at."""
_MOST_LINKS, _MOST_PATH = 40, 4_096
"""As many links as the system follows for one path, and as many bytes of one as it takes."""
_BY_PROCESS = frozenset({"/proc", "/dev/fd"})
"""Folders in which the same name leads each process elsewhere."""
_NOT_ENTERED = frozenset("objects hooks modules worktrees lfs annex".split())
"""Folders of git's own with many files, or with none that git reads line by line."""
_NOT_WRITTEN = frozenset("objects hooks modules lfs annex info rr-cache".split())
"""What we have git write nothing to; of objects names and content are only hashes and what is packed."""
_OF_REFS = frozenset("logs refs".split())
"""Folders with a file for each ref, below one another as their names are; git writes to both."""
_READ_AT_THE_TOP = frozenset(".gitattributes .gitignore .gitmodules .mailmap".split())
"""Files of the work that git reads; it follows no link of theirs, but waits for a pipe."""


_UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "sequencer": "a cherry-pick or revert",
    "BISECT_LOG": "a bisect",
    "MERGE_AUTOSTASH": "a merge",  # the next commit or merge writes that stash over files
}
_UNFINISHED_REFS = ("CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_AUTOSTASH")
"""Those of them that are references to git, which need not be files: it may keep references in tables."""


class Repository(NamedTuple):
    """The folder that is worked in, git's own folder for it, and the one that all its worktrees share."""

    top: Path
    own: Path
    common: Path


def find_repository(folder: Path) -> Repository | None:
    """The repository around a folder; a bare one does not count, since a clone may contain what looks like one."""
    folder = Path(real_path(folder))
    for top in (folder, *folder.parents):
        pointer = top / ".git"
        is_file = os.path.isfile(pointer)  # noqa: PTH113 - Path.is_file raises where it may not look
        own = _linked(top, read_small(pointer, _MOST_POINTER)) if is_file else pointer
        common = _common(own) if own is not None else None
        if own is not None and common is not None:
            if any(map(differs_by_process, (own / "HEAD", own / "commondir", common / "objects"))):
                return None  # whoever asks git learns that it knows of one
            return Repository(top, own, Path(real_path(common)))
        if is_file:  # git looks no further, either
            return None
    return None


def persons_repository(folder: Path) -> Repository | None:
    """The same, unless git does not work there, since it is another user's. What agents might have git do is another
    matter: they may tell it to, so whoever judges that looks at the repository as it is.
    """
    found = find_repository(folder)
    return found if found is not None and is_persons(str(found.top)) else None


class Unfinished(NamedTuple):
    """What was begun in a repository: a merge, a bisect; and what to do about it."""

    what: str
    hint: str


def unfinished(repository: Repository, has_reference: Callable[[str], bool]) -> Unfinished | None:
    """What was begun there and is not finished; `has_reference` asks git whether there is one of just that name."""
    for name, what in _UNFINISHED.items():
        if os.path.lexists(repository.own / name) or (name in _UNFINISHED_REFS and has_reference(name)):
            is_stash = name == "MERGE_AUTOSTASH"  # of which `git status` says nothing
            quits = "`git merge --quit` ends it, and what it has put aside becomes one of your stashes."
            return Unfinished(what, quits if is_stash else "Finish it first: `git status` says how.")
    return None


def is_anothers(repository: Repository) -> bool:
    """Whether a folder says that a repository is its own which belongs to another folder: a clone's `.git` may.

    What a worktree has of git's lies in the repository that it is of: elsewhere anybody can write that it is one.
    """
    own = Path(real_path(repository.own))
    if own == repository.common:
        return own.name == ".git" and own.parent != repository.top
    if own.parent != repository.common / "worktrees":
        return True
    back = _pointed(read_small(own / "gitdir", _MOST_POINTER) or "")
    return not back or real_path(own / back) != str(repository.top / ".git")


def repository_of(folder: Path) -> str:
    """The folder of the repository around a folder: the same for all its worktrees. Empty outside of one."""
    found = persons_repository(folder)
    if found is None:
        return ""
    return str(found.common.parent if found.common.name == ".git" else found.top)


def tells_case_apart(top: Path) -> bool:
    """Whether `a` and `A` are two names where a repository is worked in: its settings may be from another machine."""
    try:
        own = os.lstat(top / ".git")
        return not os.path.samestat(own, os.lstat(top / ".GIT"))
    except FileNotFoundError:
        return os.path.lexists(top / ".git")


def keeps_modes(folder: Path) -> bool:
    """Whether a file in a folder of ours can be executable or not: not every file system knows of that."""
    if sys.platform == "win32":
        return False
    import tempfile

    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            found = []
            for mode in (0o600, 0o700):
                os.fchmod(file.fileno(), mode)
                found.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))
    except OSError:  # there is no room, or this is no folder
        return False
    return found == [0o600, 0o700]


def is_in_bare(folder: Path, top: Path) -> bool:
    """Whether a folder inside another is, or is in, what looks like a bare repository: git refuses to work there."""
    folder = Path(real_path(folder))
    inner = (one for one in (folder, *folder.parents) if top in one.parents)
    return any((common := _common(one)) is not None and os.access(common / "refs", os.X_OK) for one in inner)


def is_any_above(folder: Path) -> bool:
    """Whether something called `.git` lies in a folder or above it, be it a repository or not."""
    folder = Path(real_path(folder))
    return any(os.path.lexists(top / ".git") for top in (folder, *folder.parents))


def read_small(path: Path, most: int = _MOST, *, is_cut: bool = False) -> str | None:
    """The text of a small regular file, or with `is_cut` the beginning of any; None if it is anything else. A pipe
    would be waited for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or (about.st_size > most and not is_cut):
            return None
        return os.fsdecode(os.read(descriptor, most))
    finally:
        os.close(descriptor)


class OddFile(NamedTuple):
    """Something in git's own folder where a plain file belongs."""

    path: Path
    is_waited_for: bool
    """Whether opening it may wait for ever, as with a pipe."""


def odd_files(repository: Repository) -> Iterator[OddFile]:
    """Links to files, pipes and devices among what git reads line by line.

    Git shows lines that it cannot make sense of, so a link makes it reveal any file of the machine. Links to folders
    are ordinary, except among refs and their logs, where the names in them are revealed; so are links among hooks.
    Nobody can open a socket.
    """
    left, refs = _MOST_ENTRIES, [top / name for top in (repository.own, repository.common) for name in _OF_REFS]
    below_refs = tuple(f"{one}{os.sep}" for one in refs)
    for folder in _folders(repository):
        is_of_refs = f"{folder}{os.sep}".startswith(below_refs)
        left -= is_of_refs  # a link may lead to all folders of the machine
        for entry in _entries(folder):
            left -= not is_of_refs  # of which there may be very many
            if left < 0:
                yield OddFile(folder, False)
                return
            if is_of_refs and entry.is_file(follow_symlinks=False):
                continue
            if odd := _odd(entry):
                yield odd
            elif entry.is_symlink() and (is_of_refs or Path(entry.path) in refs):
                yield OddFile(Path(entry.path), False)
    at_the_top = (_odd(entry) for entry in _entries(repository.top) if entry.name in _READ_AT_THE_TOP)
    yield from (odd for odd in at_the_top if odd and odd.is_waited_for)


def links_written_through(repository: Repository) -> Iterator[Path]:
    """Links in git's own folder where it writes: a line of a log would be added to any file of the person's."""
    waiting = list(dict.fromkeys((repository.own, repository.common)))
    tops = set(waiting)
    while waiting:
        folder = waiting.pop()
        for entry in _entries(folder, most=None):
            if folder in tops and entry.name in _NOT_WRITTEN:
                continue
            if entry.is_symlink():
                yield Path(entry.path)
            elif entry.is_dir(follow_symlinks=False) and (folder not in tops or entry.name in _OF_REFS):
                waiting.append(Path(entry.path))


def worktrees_of(repository: Repository) -> list[Path]:
    """The folders that a repository says are further worktrees of it."""
    owns = [Path(entry.path) for entry in _entries(repository.common / "worktrees")]
    told = ((own, _pointed(read_small(own / "gitdir", _MOST_POINTER) or "")) for own in owns)
    return [Path(os.path.normpath(own / pointer)).parent for own, pointer in told if pointer]


def _folders(repository: Repository) -> Iterator[Path]:
    """All folders of git's own in which it reads files by their names: its own, those in them, and other worktrees'."""
    worktrees = [Path(entry.path) for entry in _entries(repository.common / "worktrees") if is_folder(entry)]
    for folder in dict.fromkeys((repository.own, repository.common, *worktrees)):
        yield folder
        inner = [Path(one.path) for one in _entries(folder) if one.name not in _NOT_ENTERED and is_folder(one)]
        for one in inner:
            yield from _all_below(one) if one.name in _OF_REFS else [one]
    yield repository.common / "objects" / "pack"
    yield from _all_below(repository.common / "objects" / "info")


def _all_below(folder: Path) -> Iterator[Path]:
    """A folder and everything in it, even where links to folders lead, each of them once."""
    waiting, seen = [folder], set[str]()
    while waiting:
        folder = waiting.pop()
        if (place := real_path(folder)) not in seen:
            seen.add(place)
            yield folder
            waiting += (Path(entry.path) for entry in _entries(folder) if is_folder(entry))


def _entries(folder: Path, most: int | None = _MOST_ENTRIES + 1) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, most))
    except OSError:
        return []


def _odd(entry: os.DirEntry[str]) -> OddFile | None:
    try:
        mode = entry.stat().st_mode
    except OSError:  # a link that leads nowhere yet
        return OddFile(Path(entry.path), False) if entry.is_symlink() else None
    is_waited_for = stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)
    if is_waited_for or stat.S_ISBLK(mode) or (entry.is_symlink() and not stat.S_ISDIR(mode)):
        return OddFile(Path(entry.path), is_waited_for)
    return None


def _common(own: Path) -> Path | None:
    """The folder of objects that belongs to a folder of git's own; None if it is not one.

    Git wants `refs` there, too, but anybody could still make those: a folder without them already counts as git's.
    """
    shared = read_small(own / "commondir", _MOST_POINTER)
    common = own / _pointed(shared) if shared else own
    return common if os.path.lexists(own / "HEAD") and os.access(common / "objects", os.X_OK) else None


def _linked(top: Path, text: str | None) -> Path | None:
    """Where the file `.git` of a worktree or a submodule points; nowhere if it is another file."""
    path = _pointed((text or "").removeprefix("gitdir: "))
    return top / path if path and text and text.startswith("gitdir: ") else None


def differs_by_process(path: Path | str) -> bool:
    """Whether an absolute path leads through `/proc`: where to, is another thing for us than for git.

    So does what nobody can follow.
    """
    rest, at, left = str(path).split("/")[::-1], "", _MOST_LINKS
    if len(str(path)) > _MOST_PATH:
        return True
    while rest:
        part = rest.pop()
        if part == "..":
            at = at.rpartition("/")[0]
        if part in ("", ".", ".."):
            continue
        at = f"{at}/{part}"
        if at in _BY_PROCESS or not left:
            return True
        try:
            target = os.readlink(at)  # noqa: PTH115 - for every part of a path
        except (OSError, ValueError):
            continue
        left -= 1
        at = "" if target.startswith("/") else at.rpartition("/")[0]
        rest += target.split("/")[::-1]
    return False


def _pointed(text: str) -> str:
    """The path in such a file as git takes it: without the line endings after it, and up to where C ends a string."""
    return text.rstrip("\r\n").partition("\0")[0]
