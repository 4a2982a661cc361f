"""A repository of ours beside a working folder, in the state folder: it holds the snapshots of that folder.

Plain functions that take their time; whoever has an event loop calls them in a thread (`threads.py`).
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.folder_locks import alone
from maverick_tui.git.changing import GitError
from maverick_tui.git.keeping import KeepingGit, TookTooLongError, own_excludes
from maverick_tui.git.repository import persons_repository
from maverick_tui.snapshots.adopting import ADOPTED
from maverick_tui.snapshots.caps import Caps, NotTrackedError, why_not
from maverick_tui.snapshots.snapshot import EMPTY_BLOB, EMPTY_TREE, Snapshot, from_text
from maverick_tui.snapshots.taking import State, Taking
from maverick_tui.snapshots.work_times import forget_times

log = logging.getLogger(__name__)

_FOLDER = "folder"
"""The file that says which folder it is."""
_STATE = "state.json"
_NUMBER = "number"
"""The file with the number of the last snapshot: apart from the state, which may be forgotten."""
_RELEASING = "releasing"
"""The file that is there until all that is let go of is gone."""
_BEGUN = "begun"
"""The file that is there while a snapshot is being taken."""
_LISTS = "lists"
_REPOSITORY = "repo"
_GONE = ".gone"
"""Behind the name of what is being removed."""
_KEPT = "refs/kept/"
_LAST = "refs/last"
_NOTHING = "refs/nothing"
"""The last snapshot of all, which the lists of files stand on."""
_OWNER = re.compile(r"[0-9a-z][0-9a-z-]{3,63}")
_LOOSE = 200
"""Objects beyond which they are put together in one file."""
_PACKS = 8
"""Such files beyond which these are put together."""


def shadows_folder() -> Path:
    """Where all of them are; it need not exist."""
    return paths.user_state() / "snapshots"


def root_of(folder: Path) -> Path:
    """The folder whose snapshots are taken for a run in this one: all of its repository, if it is in one."""
    repository = persons_repository(folder)
    top = repository.top if repository is not None else folder
    return Path(os.path.realpath(folder if why_not(top) else top))


def all_shadows(overlapping: Path | None = None) -> Iterator[Shadow]:
    """Those of all folders, also of such as are gone; or only of folders in this one, and of those that it is in."""
    with suppress(FileNotFoundError):
        for place in sorted(shadows_folder().iterdir()):
            with suppress(OSError):
                folder = Path(os.fsdecode((place / _FOLDER).read_bytes()))
                if overlapping is not None and overlapping not in folder.parents and folder not in overlapping.parents:
                    continue
                shadow = Shadow(folder, is_asked_first=False)
                if shadow.place == place:
                    yield shadow


def release_others(owners: Collection[str], older_than: float = 0.0) -> None:
    """Let go of all snapshots of all folders that belong to none of these runs, and are so many seconds old."""
    until = time.time() - older_than
    for doomed in shadows_folder().glob(f"*{_GONE}"):  # whoever was removing it has been killed
        shutil.rmtree(doomed, ignore_errors=True)
    for shadow in all_shadows():
        kept = shadow.owners()
        others = [owner for owner in kept if owner not in owners and shadow.taken_at(owner) <= until]
        if others or not kept or shadow.is_releasing:
            try:
                shadow.release(*others)
            except (ConfigError, OSError) as error:  # they only take space, and others can go all the same
                log.warning("The snapshots of %s cannot be removed: %s", shadow.folder, error)


class Shadow:
    """The snapshots of one folder."""

    def __init__(self, folder: Path, caps: Caps | None = None, *, is_asked_first: bool = True) -> None:
        """NotTrackedError if there can be none of this folder. Nothing is made before the first snapshot."""
        self.folder = Path(os.path.realpath(folder))
        self.caps = caps or Caps()
        if is_asked_first and (reason := why_not(self.folder)):
            raise NotTrackedError(reason, self.folder)
        self.place = shadows_folder() / hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:24]
        try:
            self.git = KeepingGit(self.place / _REPOSITORY, self.folder)
        except GitError as error:
            raise NotTrackedError("there is no git", self.folder, hint=error.hint) from error
        self._excludes: list[Path] | None = None

    def take(self, owner: str) -> Snapshot:
        """What is in the folder now, kept until its owner (the id of a run) releases it. NotTrackedError if not.

        If nothing has changed since the owner's last one, it is that.
        """
        until = time.monotonic() + self.caps.seconds
        try:
            with self.alone():
                try:
                    return self._taken(_ref(owner), until)
                except TookTooLongError:
                    raise
                except GitError:  # what is remembered may not fit any more: once more from the beginning
                    self._forget()
                    return self._taken(_ref(owner), until)
        except TookTooLongError as error:
            reason = f"it takes more than {self.caps.seconds:g} s to look at this folder"
            raise NotTrackedError(reason, self.folder) from error
        except GitError as error:
            raise NotTrackedError(error.message.rstrip("."), self.folder) from error
        except OSError as error:
            raise NotTrackedError(f"they cannot be kept: {error.strerror or error}", self.folder) from error

    def _taken(self, ref: str, until: float) -> Snapshot:
        if self._excludes is None:
            own = own_excludes(self.folder)
            self._excludes = [own] if own is not None else []
        begun = self.place / _BEGUN
        if begun.exists():  # the last one was cut short: its lists know of changes that the rest does not
            self._forget()
        begun.touch()
        state = State.read(self.place / _STATE)
        if state.usual is None and (last := self._last(_LAST)):
            state.usual = self.read(last).usual  # snapshots are compared by it
        snapshot = Taking(self.git, self.folder, self.place / _LISTS, state, self.caps, until).run(self._excludes)
        snapshot = self._written(ref, snapshot, state.last)
        state.write(self.place / _STATE)
        snapshot = replace(snapshot, number=self._next_number())
        begun.unlink()
        return snapshot

    def _next_number(self) -> int:
        file = self.place / _NUMBER
        try:
            number = int(file.read_bytes()) + 1
        except FileNotFoundError:
            number = 1
        except ValueError:  # a machine that has lost its power may leave it empty
            number = time.time_ns() // 1_000_000  # nobody has counted as far: it is after all that there were
        unnamed = file.with_suffix(".new")
        unnamed.write_text(f"{number}")
        unnamed.replace(file)
        return number

    def _written(self, ref: str, snapshot: Snapshot, known: dict[str, tuple[str, str]]) -> Snapshot:
        text = snapshot.as_text()
        digest, last = hashlib.sha256(text.encode()).hexdigest(), self._last(ref)
        if last and known.get(ref) == (last, digest):
            return replace(snapshot, id=last)
        trees = [tree for part in snapshot.parts for tree in (part.kept, part.ignored) if tree != EMPTY_TREE]
        tree = trees[0] if trees else EMPTY_TREE
        if len(trees) > 1:
            entries = "".join(f"040000 tree {tree}\t{number:06}\n" for number, tree in enumerate(trees))
            tree = self.git("mktree", stdin=entries.encode()).decode().strip()
        parent = ("-p", last) if last else ()
        snapshot_id = self.git("commit-tree", tree, *parent, stdin=text.encode()).decode().strip()
        known[ref] = (snapshot_id, digest)
        orders = f"update {ref} {snapshot_id}\nupdate {_LAST} {snapshot_id}\n"
        self.git("update-ref", "--stdin", stdin=orders.encode())
        return replace(snapshot, id=snapshot_id)

    # -- reading -------------------------------------------------------------------------------------------------------

    def read(self, snapshot_id: str) -> Snapshot:
        """The snapshot with this id. ConfigError if there is none."""
        if (found := self.read_all([snapshot_id]).get(snapshot_id)) is None:
            raise ConfigError(f"The snapshot {snapshot_id!r} of {self.folder} is not kept.")
        return found

    def read_all(self, snapshot_ids: Iterable[str]) -> dict[str, Snapshot]:
        """Those of these snapshots that are kept: one question for all of them."""
        wanted = [one for one in dict.fromkeys(snapshot_ids) if re.fullmatch(r"[0-9a-f]{40}", one)]
        if not wanted or not self.place.exists():
            return {}
        told, at = self.git("cat-file", "--batch", stdin="\n".join(wanted).encode()), 0
        found: dict[str, Snapshot] = {}
        for snapshot_id in wanted:
            end = told.index(b"\n", at)
            _, kind, *size = told[at:end].split(b" ")
            at = end + 1
            if kind == b"commit":
                text = told[at : at + int(size[0])].partition(b"\n\n")[2].decode().rstrip("\n")
                at += int(size[0]) + 1
                with suppress(ValueError):
                    found[snapshot_id] = from_text(snapshot_id, text)
        return found

    def owners(self) -> list[str]:
        """All who have snapshots here."""
        told = self.git("for-each-ref", "--format=%(refname)", _KEPT).decode().split()
        return [name.removeprefix(_KEPT) for name in told]

    def taken_at(self, owner: str) -> float:
        """When an owner's last snapshot was taken that was another than the one before; 0 if there is none."""
        with suppress(OSError):
            return (self.git.repository / _ref(owner)).stat().st_mtime
        return 0.0

    def blob(self, blob_id: str) -> bytes:
        """The bytes of a file."""
        return self.git("cat-file", "blob", blob_id)

    def keep_blob(self, data: bytes) -> str:
        """Keep bytes that are in no file yet; their name."""
        return self.git("hash-object", "-w", "--stdin", stdin=data).decode().strip()

    def _last(self, ref: str) -> str:
        """Git itself writes them there, one file for each."""
        with suppress(OSError):
            return (self.git.repository / ref).read_text().strip()
        return ""

    # -- keeping -------------------------------------------------------------------------------------------------------

    def tidy(self) -> None:
        """Put together what has become many small files. To be called now and then: after a turn, say."""
        with self.alone():
            objects = self.git.repository / "objects"
            loose = [
                f"{folder.name}{file.name}"
                for folder in objects.glob("[0-9a-f][0-9a-f]")
                for file in folder.iterdir()
                if not file.name.startswith("tmp_")
            ]
            packs = [file for file in objects.glob("pack/*.pack") if not file.with_suffix(".keep").exists()]
            if len(loose) >= _LOOSE:
                # All of ours once they are many: what is alike in several is written down once then.
                whole = ("-a",) if len(packs) > _PACKS else ()
                self.git("repack", *whole, "-d", "-q")
                self.git("prune-packed", "-q")

    def nothing(self) -> str:
        """The file without bytes, to compare with where there is none. No snapshot need have one, and what nothing
        refers to goes when others are released.
        """
        if not (self.git.repository / _NOTHING).exists():
            self.git("hash-object", "-w", "--stdin")
            self.git("update-ref", _NOTHING, EMPTY_BLOB)
        return EMPTY_BLOB

    @property
    def is_releasing(self) -> bool:
        """Whether it was not brought to an end: it has failed, or was killed."""
        return (self.place / _RELEASING).exists()

    def release(self, *owners: str) -> None:
        """Let go of all snapshots of these owners; with the last owner, all goes.

        When they were at work is known as long as there are others who had begun by then.
        """
        if not self.place.exists():
            return
        with self.alone():
            (self.place / _RELEASING).touch()
            state = State.read(self.place / _STATE)
            for owner in owners:
                self.git("update-ref", "-d", _ref(owner))
                state.last.pop(_ref(owner), None)
            kept = self.owners()
            forget_times(self.place, self.folder, kept, (one.place for one in all_shadows(overlapping=self.folder)))
            if kept:
                state.write(self.place / _STATE)
                last = self._last(_LAST)
                if last and not self.git("for-each-ref", f"--contains={last}", _KEPT):  # it would keep all before it
                    self.git("update-ref", _LAST, self._last(_ref(max(kept, key=self.taken_at))))
                    self._forget()
                for keep in self.git.repository.glob("objects/pack/*.keep"):
                    keep.unlink()  # what was adopted for them goes as well
                self.git("prune", "--expire=now")  # first: a full disk has no room for the rest
                self.git("repack", "-a", "-d", "-q", "--window=0")  # what is alike was found before
                (self.place / _RELEASING).unlink()
                return
            self._remove()

    def remove(self) -> None:
        """Throw all snapshots of the folder away."""
        if self.place.exists():
            with self.alone():
                self._remove()

    def _remove(self) -> None:
        # Under another name first: whoever waits for the lock must not begin in a folder that is half gone.
        doomed = self.place.with_name(f"{self.place.name}{_GONE}")
        shutil.rmtree(doomed, ignore_errors=True)
        self.place.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)  # whoever tidies up may be at it, too

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While nobody else, in no other process, works with the snapshots of this folder."""
        while True:
            for place in (shadows_folder(), self.place):
                paths.make_private(place)
            with ExitStack() as stack:
                try:
                    before = self.place.stat().st_ino
                    stack.enter_context(alone(self.place))
                    is_removed = self.place.stat().st_ino != before  # while we waited
                except FileNotFoundError:
                    is_removed = True
                if not is_removed:
                    self._make()
                    yield
                    return

    def _make(self) -> None:
        self._remove_stale()
        file = self.place / _FOLDER
        if not file.exists():
            file.write_bytes(os.fsencode(self.folder))
        self.git.make()

    def _remove_stale(self) -> None:
        """Nobody but us works here now, so these are of somebody who was killed."""
        for pattern in (f"{_LISTS}/*/*.lock", f"{_REPOSITORY}/refs/**/*.lock", f"{_REPOSITORY}/*.lock"):
            for file in self.place.glob(pattern):
                file.unlink(missing_ok=True)
        for folder in self.git.repository.glob(f"{ADOPTED}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def _forget(self) -> None:
        shutil.rmtree(self.place / _LISTS, ignore_errors=True)
        (self.place / _STATE).unlink(missing_ok=True)


def _ref(owner: str) -> str:
    if _OWNER.fullmatch(owner) is None:  # it names a file
        raise ConfigError(f"{owner!r} is not the id of a run.")
    return f"{_KEPT}{owner}"
