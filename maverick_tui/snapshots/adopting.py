"""Begins a list of a folder's files with what the repository there knows, so that not every file has to be read.

Git remembers of each file what it was like when it was last read. That is copied, and so is what was in it, once it is
known to be that: it stays, whatever the person's git throws away.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import Git, GitError
from maverick_tui.git.keeping import KeepingGit, TookTooLongError
from maverick_tui.git.repository import Repository

ADOPTED = "adopted-"
"""How folders begin in which something is put together."""
_MOST = 500_000_000
_SUFFIXES = (".pack", ".idx")
"""Without the second one, git does not see the first."""
_PIECE = 1 << 20
_GITLINK = "160000"
_OF_GIT = frozenset({"", ".", "..", ".git"})
"""What is in no path of a list that git makes. In one that a clone brings along it stays; an undo would write it."""
_CONVERTING = ("filter", "working-tree-encoding")
_NOTHING = (b"unspecified", b"unset", b"")


def adopt(git: KeepingGit, repository: Repository, index: Path, most: int, until: float) -> list[str]:
    """Make the list, unless there is nothing to begin with; the files that git tracks and that are not in it yet.

    What is copied is at most so many bytes.
    """
    try:
        _copy(repository.own / "index", index)
        listed = list(_listed(git, index, until))
        if any(not _OF_GIT.isdisjoint(one.path.casefold().split("/")) for one in listed):
            raise OSError(f"{repository.own / 'index'} lists what git itself would not.")
        _have_objects(git, repository.common, {one.blob for one in listed if one.is_plain}, most, until)
        unsure = _unsure(git, repository.top, listed, until)
        about = index.stat()
        if unsure:  # conflicts are among them, of which there is no tree
            names = b"".join(os.fsencode(path) + b"\0" for path in unsure)
            git("update-index", "-z", "--force-remove", "--stdin", stdin=names, index=index, of=repository.top)
        _have_own_trees(git, index, until)
        os.utime(index, ns=(about.st_atime_ns, about.st_mtime_ns))  # of files nothing new is known: see `_copy`
        return unsure
    except TookTooLongError:
        raise
    except (OSError, GitError):  # it is none, of a kind that only the repository itself can read, or made by hand
        index.unlink(missing_ok=True)
        return []


class _Listed:
    __slots__ = ("blob", "is_plain", "path")

    def __init__(self, line: bytes) -> None:
        about, _, path = line.partition(b"\t")
        tag, mode, blob, stage = about.decode().split(" ")
        # Of what is said to be unchanged or left out, or is in conflict, nothing is known; submodules have their own.
        self.is_plain = tag == "H" and mode != _GITLINK and stage == "0"
        self.blob = blob
        self.path = os.fsdecode(path)


def _listed(git: KeepingGit, index: Path, until: float) -> Iterator[_Listed]:
    told = git("ls-files", "-s", "-v", "-z", index=index, until=until)
    return (_Listed(line) for line in told.split(b"\0") if line)


def _copy(source: Path, target: Path) -> None:
    """The same bytes and time: what has changed in the moment of that time is looked at again."""
    descriptor = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode) or about.st_size > _MOST:
            raise OSError(f"{source} is no list of files.")
        target.write_bytes(file.read())
    os.utime(target, ns=(about.st_atime_ns, about.st_mtime_ns))


def _have_objects(git: KeepingGit, common: Path, wanted: set[str], most: int, until: float) -> None:
    """Have of these files what they have, so far as we can: what we do not have, we read.

    Git takes bytes for what the list of a pack calls them, and whoever packs a repository by hand may call them what
    they like. So each is compared with its name, and nothing else of theirs is taken: no tree above all.
    """
    _share(git, common)
    theirs, missing = common / "objects", wanted - _sizes(git, wanted, until).keys()
    sizes = _sizes(git, missing, until, borrowing=theirs)
    if not sizes or sum(sizes.values()) > most:
        return
    with tempfile.TemporaryDirectory(dir=git.repository, prefix=ADOPTED) as scratch:
        (packs := Path(scratch) / "pack").mkdir()
        packing = ("pack-objects", "-q", "--window=0", "--compression=1", f"{packs}/pack")
        name = git(*packing, stdin=_lines(sizes), borrowing=theirs, until=until).decode().strip()
        _require_true_names(git, Path(scratch), sizes, until)
        place = git.repository / "objects" / "pack"
        place.mkdir(exist_ok=True)
        # To put it together with ours would copy it; it says whose it is, for worktrees of the same repository.
        (place / f"pack-{name}.keep").write_bytes(os.fsencode(common))
        for suffix in _SUFFIXES:
            (packs / f"pack-{name}{suffix}").rename(place / f"pack-{name}{suffix}")


def _share(git: KeepingGit, common: Path) -> None:
    """Have what was found to be true for another folder of the same repository: it needs neither time nor space."""
    ours, snapshots = git.repository / "objects" / "pack", git.repository.parent.parent
    for keep in snapshots.glob("*/repo/objects/pack/pack-*.keep"):
        with suppress(OSError):  # that folder may go at this moment; and what is there already need not be linked
            if keep.parent != ours and keep.read_bytes() == os.fsencode(common):
                ours.mkdir(exist_ok=True)
                for suffix in (".keep", *_SUFFIXES):
                    os.link(keep.with_suffix(suffix), ours / keep.with_suffix(suffix).name)


def _sizes(git: KeepingGit, names: set[str], until: float, borrowing: Path | None = None) -> dict[str, int]:
    """The sizes of those of these files that there are."""
    asked = ("cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", "--buffer")
    told = git(*asked, stdin=_lines(names), borrowing=borrowing, until=until).decode().splitlines() if names else []
    found = (line.split(" ") for line in told)
    return {name: int(rest[1]) for name, *rest in found if len(rest) == 2 and rest[0] == "blob"}


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in sorted(names)).encode()


def _require_true_names(git: KeepingGit, objects: Path, wanted: Collection[str], until: float) -> None:
    """OSError if what is in a folder of objects is anything else than these files."""
    everything = ("cat-file", "--batch-all-objects", "--batch", "--unordered", "--buffer")
    found = set[str]()
    with git.reading(*everything, objects=objects) as told:
        while header := told.readline():
            name, kind, size = header.decode().split()
            digest, left = hashlib.sha1(f"{kind} {size}\0".encode(), usedforsecurity=False), int(size)
            while left and (piece := told.read(min(left, _PIECE))):
                digest.update(piece)
                left -= len(piece)
            told.read(1)
            if kind != "blob" or left or digest.hexdigest() != name:
                raise OSError(f"{name} is not what it is called.")
            if time.monotonic() > until:
                raise TookTooLongError("To compare what is stored with its names takes too long.")
            found.add(name)
    if found != set(wanted):
        raise OSError("The repository has packed something else than what it was asked for.")


def _have_own_trees(git: KeepingGit, index: Path, until: float) -> None:
    """Have a list say of folders what we know of them: it came with names of trees that somebody may have made up."""
    with tempfile.TemporaryDirectory(dir=git.repository, prefix=ADOPTED) as scratch:
        bare = Path(scratch) / "index"
        entries = git("ls-files", "-s", "-z", index=index, until=until)
        git("update-index", "-z", "--index-info", stdin=entries, index=bare, until=until)
        tree = git("write-tree", "--missing-ok", index=bare, until=until).decode().strip()
        git("read-tree", "-m", "-i", tree, index=index, until=until)


def _unsure(git: KeepingGit, top: Path, listed: list[_Listed], until: float) -> list[str]:
    """The files that have to be read: what is stored of them may not be what is in them."""
    blobs = "\n".join(one.blob for one in listed).encode()
    told = git("cat-file", "--batch-check=%(objectsize)", "--buffer", stdin=blobs, until=until).splitlines()
    # A line that is converted on its way into git gets longer or shorter; what we do not have has no size.
    unsure = [
        one.path
        for one, size in zip(listed, told, strict=True)
        if not one.is_plain or not size.isdigit() or int(size) != _size(top, one.path)
    ]
    if any(one.path.rpartition("/")[2].casefold() == ".gitattributes" for one in listed) or _has_attributes(top):
        unsure += _filtered(top, listed, until)
    return unsure


def _has_attributes(top: Path) -> bool:
    """Whether there may be attributes that no file of the list says."""
    try:
        settings = Git(top).settings
    except ConfigError:
        return True
    is_set = any(one.key == "core.attributesfile" for one in settings)
    own = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "git" / "attributes"
    places = (top / ".git/info/attributes", Path("/etc/gitattributes"), own)
    return is_set or any(map(os.path.lexists, places)) or os.path.isfile(top / ".git")  # noqa: PTH113


def _filtered(top: Path, listed: list[_Listed], until: float) -> list[str]:
    """The files that a program converts, or that are kept in another encoding: their size may well be the same."""
    names = b"".join(os.fsencode(one.path) + b"\0" for one in listed)
    seconds = max(until - time.monotonic(), 0.001)
    try:
        told = Git(top).run("check-attr", "-z", "--stdin", *_CONVERTING, stdin=names, seconds=seconds).split(b"\0")
    except ConfigError:
        return [one.path for one in listed]
    return [os.fsdecode(path) for path, value in zip(told[::3], told[2::3], strict=False) if value not in _NOTHING]


def _size(top: Path, path: str) -> int:
    try:
        return os.lstat(f"{top}/{path}").st_size
    except (OSError, ValueError):
        return -1
