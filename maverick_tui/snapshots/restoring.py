"""Changes files of a person's back, all of them or none; also if the disk is full, or we are killed in the middle.

What will be done is written down before. New content is written beside its place first, so that whatever needs space
has it before anything changes. What is replaced or goes is put aside, and gets its place back if something goes wrong:
for that, names change and nothing else does. Whoever finds a restore that was cut short does the same.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from maverick_tui.exceptions import ConfigError
from maverick_tui.snapshots.disk import (
    FOLDER,
    BlockedError,
    Disk,
    File,
    blob_of,
    is_same,
    look_in,
    opened,
    opened_top,
    split,
)
from maverick_tui.snapshots.snapshot import BESIDE, LINK, PRIVATE

Does = Literal["delete", "remove folder", "make folder", "write"]
_ORDER: Sequence[Does] = ("delete", "remove folder", "make folder", "write")
Phase = Literal["writing beside", "changing", "cleaning"]
"""How far it has got; at the end, only what was put aside is left to be removed."""
_NO_LINKS = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK})
"""What file systems say on which nothing can have two names."""
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What a second name may need, and another one in its place does not."""
_NO_EXCHANGE = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EPERM})
"""What systems, and file systems, say on which two names cannot change places."""
_MOST_SAVES = 100
"""How often somebody may save a file while it is given back its place."""
_CHANGED = "it has changed at this very moment"


@dataclass(frozen=True, slots=True)
class Order:
    """One thing to do. It is done only if `left` is what is there now."""

    path: str
    does: Does
    wanted: File | None = None
    left: File | None = None
    home: str = ""
    """The folder that holds what is written beside, and what is put aside."""


@dataclass(slots=True)
class Journal:
    """What is written down of a restore while it is not finished."""

    file: Path
    folder: str
    orders: list[Order]
    phase: Phase = "writing beside"

    def new(self, number: int) -> str:
        """The name of new content beside its place."""
        return f"{BESIDE}{self.file.stem}-{number}.new"

    def old(self, number: int) -> str:
        """The name of what is put aside, and before that of what takes its place: two names change places."""
        return f"{BESIDE}{self.file.stem}-{number}.old"

    def text(self, phase: Phase) -> str:
        """What is written down when a phase begins."""
        orders = [[one.path, one.does, one.wanted, one.left, one.home] for one in self.orders]
        return json.dumps({"folder": self.folder, "orders": orders, "phase": phase})

    @staticmethod
    def read(file: Path) -> Journal:
        """What was written down. ValueError if that cannot be read."""
        about: Any = json.loads(file.read_text())
        try:
            orders = [
                Order(path, does, wanted and File(*wanted), left and File(*left), home)
                for path, does, wanted, left, home in about["orders"]
            ]
            return Journal(file, about["folder"], orders, about["phase"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"This is no journal: {error!r}.") from error


class NotRestoredError(ConfigError):
    """Files were not changed back; all is as it was."""

    hint_by_default = "All files are as they were. Correct the cause, then try again."


class Restore:
    """Does what was planned, in one folder."""

    def __init__(self, journal: Journal, disk: Disk) -> None:
        self._journal = journal
        self._disk = disk
        self.refused: dict[str, str] = {}
        """Paths that were left as they are, with the reason: somebody has changed them meanwhile."""

    def run(self, blob: Callable[[str], bytes]) -> None:
        """Do it all; `blob` gives the bytes of a name. NotRestoredError if something goes wrong: all is as it was."""
        journal, path = self._journal, ""
        with opened_top(journal.folder) as top:
            try:
                self._enter("writing beside")
                for number, order in self._numbered("write"):
                    path = order.path
                    self._write_beside(top, number, order, blob)
                path = ""
                self._enter("changing")
                for does in _ORDER:
                    for number, order in self._numbered(does):
                        path = order.path
                        self._do(top, number, order)
                path = ""
                self._enter("cleaning")
            except (OSError, BlockedError, ConfigError) as error:
                self._take_back(top)
                why = str(error)
                if isinstance(error, OSError):  # which knows names in open folders at best
                    why = ": ".join(filter(None, (path, error.strerror or why)))
                raise NotRestoredError(f"Nothing was restored: {why.rstrip('.')}.", path=journal.folder) from error
            self._clean(top)

    def finish(self) -> None:
        """Bring one that was cut short to an end: as it was before, or as it was to be."""
        with opened_top(self._journal.folder) as top:
            if self._journal.phase == "cleaning":
                self._clean(top)
            else:
                self._take_back(top)

    def _enter(self, phase: Phase) -> None:
        """Write down that a phase begins."""
        self._disk.keep(self._journal.file, self._journal.text(phase))
        self._journal.phase = phase

    def _numbered(self, does: Does) -> list[tuple[int, Order]]:
        """The orders of one kind: what is in a folder before the folder where something goes, else after it."""
        found = [(number, order) for number, order in enumerate(self._journal.orders) if order.does == does]
        return sorted(found, key=lambda one: one[1].path.count("/"), reverse=does in ("delete", "remove folder"))

    # -- forward -------------------------------------------------------------------------------------------------------

    def _write_beside(self, top: int, number: int, order: Order, blob: Callable[[str], bytes]) -> None:
        assert order.wanted is not None
        data = blob(order.wanted.blob)
        if blob_of(data) != order.wanted.blob:
            raise ConfigError(f"What {order.path} was is not kept as it was.")
        with opened(top, order.home) as home:
            if order.wanted.mode == LINK:
                self._disk.symlink(home, self._journal.new(number), data)
            else:
                self._disk.write(home, self._journal.new(number), data, order.wanted.permissions)

    def _do(self, top: int, number: int, order: Order) -> None:
        folder, name = split(order.path)
        with ExitStack() as stack:
            inner = stack.enter_context(opened(top, folder))
            if order.does == "make folder":
                with suppress(FileExistsError):
                    self._disk.mkdir(inner, name, order.wanted.permissions if order.wanted else PRIVATE)
                return
            home = stack.enter_context(opened(top, order.home))
            if not self._is_as_left(inner, name, order):
                if order.does != "remove folder":  # one that is not empty simply stays
                    self.refused[order.path] = _CHANGED
                return
            if not self._change(home, number, inner, order):  # somebody was quicker
                self.refused[order.path] = _CHANGED
            self._disk.sync(inner)

    def _change(self, home: int, number: int, inner: int, order: Order) -> bool:
        """Whether it is done. What somebody saves at this very moment is looked at before anything takes its place
        for good: no step overwrites what has not come out by then.
        """
        name, old, new = split(order.path)[1], self._journal.old(number), self._journal.new(number)
        if order.left is None:
            self._place(home, new, inner, name)
            return True
        is_placed = order.does == "write" and self._exchange(home, new, old, inner, name)
        if not is_placed:
            self._disk.rename(inner, name, home, old)
        if not self._is_as_left(home, old, order):
            self._bring_back(home, old, inner, order)
            return False
        if order.does == "write" and not is_placed:
            try:
                self._place(home, new, inner, name)
            except FileExistsError:
                return False
        return True

    @staticmethod
    def _is_as_left(folder: int, name: str, order: Order) -> bool:
        now = look_in(folder, name)
        if now != order.left or now != FOLDER:
            return now == order.left
        with opened(folder, name) as inner:
            return not os.listdir(inner)  # noqa: PTH208 - it is open, and has no path

    def _exchange(self, home: int, new: str, old: str, inner: int, name: str) -> bool:
        """Have new content change places with what is there, which is `old` then; False if that cannot be here."""
        self._disk.rename(home, new, home, old)  # `new` is never what somebody else has written
        try:
            self._disk.exchange(home, old, inner, name)
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
            self._disk.rename(home, old, home, new)
            return False
        return True

    def _place(self, home: int, new: str, inner: int, name: str, unless: frozenset[int] = _NO_LINKS) -> None:
        try:
            self._disk.link(home, new, inner, name)  # which replaces nothing
        except OSError as error:
            if error.errno not in unless:
                raise
            if look_in(inner, name) is not None:
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
            self._disk.rename(home, new, inner, name)

    # -- back ----------------------------------------------------------------------------------------------------------

    def _take_back(self, top: int) -> None:
        """Leave all as it was, from wherever it was cut short."""
        for does in reversed(_ORDER):
            for number, order in reversed(self._numbered(does)):
                with suppress(FileNotFoundError, BlockedError):  # nothing was done where there is no folder
                    self._take_one_back(top, number, order)
        with suppress(OSError):  # the disk is full: then the same is done once more, and finds nothing to do
            self._enter("cleaning")
        self._clean(top)

    def _take_one_back(self, top: int, number: int, order: Order) -> None:
        folder, name = split(order.path)
        with ExitStack() as stack:
            inner = stack.enter_context(opened(top, folder))
            if order.does == "make folder":
                with suppress(OSError):  # it was there before, or somebody uses it
                    self._disk.rmdir(inner, name)
                return
            home = stack.enter_context(opened(top, order.home))
            old, new = self._journal.old(number), self._journal.new(number)
            if order.left is None:
                was_moved = self._journal.phase == "changing" and look_in(home, new) is None
                if look_in(inner, name) == order.wanted and (was_moved or is_same(inner, name, home, new)):
                    self._disk.unlink(inner, name)
            elif look_in(home, old) not in (None, order.wanted):  # what is wanted has not changed places yet
                self._bring_back(home, old, inner, order)

    def _bring_back(self, home: int, old: str, inner: int, order: Order) -> None:
        """Give what was put aside its place back, unless somebody has put something else there."""
        name = split(order.path)[1]
        now = look_in(inner, name)
        if now is None:
            with suppress(FileExistsError):
                self._place(home, old, inner, name, _NO_LINKS | _NO_SPACE)
        elif now == order.wanted:
            try:
                self._exchange_back(home, old, inner, name, now)
            except OSError as error:
                if error.errno not in _NO_EXCHANGE:
                    raise
                self._disk.rename(home, old, inner, name)
        if is_same(home, old, inner, name):
            self._disk.unlink(home, old)

    def _exchange_back(self, home: int, old: str, inner: int, name: str, put: File | None) -> None:
        """The same, until what comes out is what we have put there: what somebody has saved last stays."""
        for _ in range(_MOST_SAVES):
            goes = look_in(home, old)
            self._disk.exchange(home, old, inner, name)
            if look_in(home, old) == put:
                return
            put = goes

    # -- at the end ----------------------------------------------------------------------------------------------------

    def _clean(self, top: int) -> None:
        """Remove what is beside and aside, but nothing that we have not put there."""
        for number, order in enumerate(self._journal.orders):
            with suppress(FileNotFoundError, BlockedError), opened(top, order.home) as home:
                new, old = self._journal.new(number), self._journal.old(number)
                if look_in(home, new) is not None:
                    self._disk.unlink(home, new)
                if order.left is None or (found := look_in(home, old)) is None:
                    continue
                if found != order.wanted and not self._is_as_left(home, old, order):
                    self.refused[order.path] = f"what it was is in {old} now, for somebody has changed it just then"
                elif found == FOLDER:
                    self._disk.rmdir(home, old)
                else:
                    self._disk.unlink(home, old)
                self._disk.sync(home)
        self._disk.forget(self._journal.file)
