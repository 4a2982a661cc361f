"""A restore that goes wrong at any moment leaves nothing half done: killed, on a full disk, with somebody quicker."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.snapshots import undoing
from maverick_tui.snapshots.disk import Disk
from maverick_tui.snapshots.planning import Span, Step, plan
from maverick_tui.snapshots.restoring import NotRestoredError, Restore
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.undoing import finish_interrupted, undo, undo_undo
from tests.snapshots.folders import OWNER, Content, content, project
from tests.support.sampling import examples, sampled

NEEDS_SPACE = ("write", "symlink", "link", "mkdir", "keep")
ALL = (*NEEDS_SPACE, "rename", "exchange", "unlink", "rmdir", "sync", "forget")


class Struck(Disk):
    """A disk on which something happens before the step of a number, or in the middle of it."""

    def __init__(self, at: int, strike: Callable[[], None], kinds: tuple[str, ...] = ALL) -> None:
        self.at = at
        self.strike = strike
        self.count = 0
        for kind in kinds:
            setattr(self, kind, self._struck(kind))

    def _struck(self, kind: str) -> Callable[..., None]:
        does: Callable[..., None] = getattr(super(), kind)

        def step(*arguments: Any) -> None:
            self.count += 1
            if self.count >= self.at:
                if kind == "write":  # half of it is there
                    folder, name, data, permissions = arguments
                    does(folder, name, data[: len(data) // 2], permissions)
                self.strike()
            does(*arguments)

        return step


class Old(Disk):
    """A disk on which names cannot change places."""

    def exchange(self, folder: int, name: str, to: int, new: str) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")


class Older(Old):
    """One on which nothing has two names, either."""

    def link(self, folder: int, name: str, to: int, new: str) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")


class StruckOld(Struck, Old):
    """An old disk on which something happens."""


class StruckOlder(Struck, Older):
    """An older one."""


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@dataclass
class Ground:
    """A folder in which a run has done something of every kind, and what it takes to have it back."""

    shadow: Shadow
    spans: list[Span]
    before: dict[str, Content]
    after: dict[str, Content]
    copy: Path
    steps: list[Step]
    blobs: dict[str, bytes]

    def again(self) -> None:
        """The folder as the run has left it."""
        shutil.rmtree(self.shadow.folder)
        shutil.copytree(self.copy, self.shadow.folder, symlinks=True)

    def restore(self, disk: Disk) -> None:
        """Take all back."""
        Restore(undoing._journal(self.shadow, self.steps), disk).run(self.blobs.__getitem__)

    def left_over(self) -> list[str]:
        """What should not be there any more."""
        beside = [str(path) for path in self.shadow.folder.rglob(".maverick*")]
        return beside + [str(path) for path in self.shadow.place.glob("restores/*")]


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    top = project(tmp_path / "p")
    (top / "kept").mkdir()
    (top / "kept" / "gone").write_text("was here\n")
    (top / "void").mkdir()
    (top / "link").symlink_to("a.txt")
    (top / "file").write_text("a file\n")
    (top / "folder").mkdir()
    (top / "folder" / "f").write_text("in it\n")
    shadow = Shadow(top)
    first, before = shadow.take(OWNER), content(top)
    (top / "a.txt").write_text("by the run\n")
    (top / "b.txt").chmod(0o755)
    (top / "kept" / "gone").unlink()
    (top / "void").rmdir()
    (top / "link").unlink()
    (top / "link").symlink_to("b.txt")
    (top / "new" / "er").mkdir(parents=True)
    (top / "new" / "er" / "f").write_text("new\n")
    (top / "file").unlink()
    (top / "file").mkdir()
    (top / "file" / "f").write_text("a folder now\n")
    (top / "folder" / "f").unlink()
    (top / "folder").rmdir()
    (top / "folder").write_text("a file now\n")
    spans = [Span(first, shadow.take(OWNER))]
    shutil.copytree(top, tmp_path / "copy", symlinks=True)
    steps = plan(shadow, spans)
    assert not any(step.why_not for step in steps)
    blobs = {step.wanted.blob: shadow.blob(step.wanted.blob) for step in steps if step.wanted and step.does == "write"}
    return Ground(shadow, spans, before, content(top), tmp_path / "copy", steps, blobs)


def in_child(work: Callable[[Disk], object], disk: Disk) -> bool:
    """Whether a process that does it was killed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # there are threads here, none of which it needs
        child = os.fork()
    if not child:
        try:
            work(disk)
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.parametrize(
    ("kind", "path"), sampled([("write", "a.txt"), ("rename", "new/er/f"), ("mkdir", "folder"), ("keep", "")], 2)
)
def test_what_could_not_be_restored_is_named(ground: Ground, kind: str, path: str) -> None:
    def closed() -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    with pytest.raises(NotRestoredError) as raised:
        ground.restore(Struck(1, closed, (kind,)))
    named = "" if not path else f"{path}: "
    assert raised.value.message == f"Nothing was restored: {named}Permission denied."
    assert content(ground.shadow.folder) == ground.after


@pytest.mark.parametrize("struck", [Struck, *sampled([StruckOld, StruckOlder], 2)])
def test_killed_at_any_step(ground: Ground, struck: type[Struck]) -> None:
    """It is as it was, or as it was to be; also if whoever finishes it is killed as well."""
    number, ends, again = 1, list[bool](), 1
    while in_child(ground.restore, struck(number, kill)):
        while again % examples(3, 1000) and in_child(finish_interrupted, struck(again, kill)):
            again += 1
        again = 1
        assert finish_interrupted(struck(1_000_000, kill)) == {}
        now = content(ground.shadow.folder)
        assert now in (ground.before, ground.after), number
        assert ground.left_over() == []
        ends.append(now == ground.before)
        ground.again()
        number += examples(7, 1)
    assert number > 40
    assert ends == sorted(ends)  # from some moment on it is finished, and before that taken back
    assert set(ends) == {True, False}


def test_a_disk_that_is_full_from_any_step_on(ground: Ground) -> None:
    counting = Struck(1000, full, NEEDS_SPACE)
    ground.restore(counting)
    assert content(ground.shadow.folder) == ground.before
    ground.again()
    for number in range(1, counting.count + 1, examples(2, 1)):
        with pytest.raises(NotRestoredError, match=r"Nothing was restored: (.+: )?No space left on device\."):
            ground.restore(Struck(number, full, NEEDS_SPACE))
        assert content(ground.shadow.folder) == ground.after, number
        assert ground.left_over() == []


def test_a_disk_that_is_really_full(small_disk: Path) -> None:
    top = project(small_disk / "p")
    (top / "large").write_bytes(b"x" * 300_000)
    shadow = Shadow(top)
    before, was = shadow.take(OWNER), content(top)
    (top / "large").unlink()
    (top / "a.txt").write_text("by the run\n")
    spans = [Span(before, shadow.take(OWNER))]
    with suppress(OSError), (small_disk / "filling").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    now = content(top)
    with pytest.raises(NotRestoredError, match="No space left on device"):
        undo(shadow, spans, OWNER)
    assert content(top) == now
    (small_disk / "filling").unlink()
    assert undo(shadow, spans, OWNER).refused == ()
    assert content(top) == was


def test_any_step_that_fails_once(ground: Ground) -> None:
    """As with a folder that nobody may write to."""
    for number in range(1, 100, examples(7, 1)):
        disk = Struck(number, full)

        def once(disk: Struck = disk) -> None:
            disk.at = 1000
            raise PermissionError(errno.EACCES, "Permission denied")

        disk.strike = once
        try:
            ground.restore(disk)
        except (NotRestoredError, OSError):
            assert finish_interrupted() == {}
        assert content(ground.shadow.folder) in (ground.before, ground.after), number
        assert ground.left_over() == []
        ground.again()
        if disk.at != 1000:
            return
    raise AssertionError("it never ends")


def test_somebody_who_is_quicker_keeps_what_they_wrote(ground: Ground) -> None:
    """Between the last look at a file and its change, it is saved once more."""
    top, waits = ground.shadow.folder, ["saved just now\n"]

    class Quick(Disk):
        def exchange(self, folder: int, name: str, to: int, new: str) -> None:
            if new == "a.txt" and waits:
                (top / "a.txt").write_text(waits.pop())
            super().exchange(folder, name, to, new)

        def link(self, folder: int, name: str, to: int, new: str) -> None:
            if new == "gone":
                (top / "kept" / "gone").write_text("made just now\n")
            super().link(folder, name, to, new)

        def rename(self, folder: int, name: str, to: int, new: str) -> None:
            if name == "f" and new.endswith(".old"):
                (top / "new" / "er" / "f").write_text("saved just now, too\n")
            super().rename(folder, name, to, new)

    with pytest.raises(NotRestoredError, match="File exists"):  # what is made where nothing was stops it all
        undo(ground.shadow, ground.spans, OWNER, disk=Quick())
    assert (top / "kept" / "gone").read_text() == "made just now\n"
    (top / "kept" / "gone").unlink()
    undone = undo(ground.shadow, ground.spans, OWNER, ["a.txt", "new/er/f", "link"], disk=Quick())
    assert {step.path: step.why_not for step in undone.refused} == {
        "a.txt": "it has changed since",
        "new/er/f": "it has changed since",
    }
    assert (top / "a.txt").read_text() == "saved just now\n"
    assert ground.left_over() == []
    undo_undo(ground.shadow, undone, OWNER)
    assert (top / "link").readlink() == Path("b.txt")


def saved(path: Path, text: str) -> None:
    """A file as an editor saves it: another one, which takes its name."""
    beside = path.with_name(f"{path.name}~")
    beside.write_text(text)
    beside.rename(path)


@pytest.mark.parametrize("kind", [Disk, Old])
def test_what_is_saved_by_rename_at_the_very_moment_is_never_overwritten(ground: Ground, kind: type[Disk]) -> None:
    """Before each step that changes names, and right after it."""
    top, texts = ground.shadow.folder, list[str]()
    for at in range(1, 100):
        disk, done = kind(), list[str]()

        def stepping(step: Callable[..., None], at: int = at, done: list[str] = done) -> Callable[..., None]:
            def passes() -> None:
                done.append("")
                if len(done) == at:
                    saved(top / "a.txt", "THE PERSON HAS SAVED THIS\n")

            def steps(*arguments: Any) -> None:
                passes()
                step(*arguments)
                passes()

            return steps

        for name in ("exchange", "rename", "link"):
            setattr(disk, name, stepping(getattr(disk, name)))
        undone = undo(ground.shadow, ground.spans, OWNER, ["a.txt"], disk=disk)
        if len(done) < at:
            break
        texts.append((top / "a.txt").read_text())
        assert texts[-1] == "THE PERSON HAS SAVED THIS\n", at
        assert ground.left_over() == []
        is_after = not undone.refused  # it was done before they have saved
        assert is_after or [step.path for step in undone.refused] == ["a.txt"]
        ground.again()
    assert len(texts) >= 4
    assert (top / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_what_is_saved_while_a_file_is_given_back_is_not_overwritten_either(ground: Ground) -> None:
    top, texts = ground.shadow.folder, ["saved first\n", "saved again\n"]

    class Quick(Disk):
        def exchange(self, folder: int, name: str, to: int, new: str) -> None:
            if texts:
                saved(top / "a.txt", texts.pop(0))
            super().exchange(folder, name, to, new)

    undone = undo(ground.shadow, ground.spans, OWNER, ["a.txt"], disk=Quick())
    assert (top / "a.txt").read_text() == "saved again\n"
    [first] = top.glob(".maverick*")
    assert first.read_text() == "saved first\n"
    assert [step.why_not for step in undone.refused] == [
        f"what it was is in {first.name} now, for somebody has changed it just then"
    ]


def test_what_is_saved_while_a_restore_that_fails_is_taken_back_stays(ground: Ground) -> None:
    top, fails = ground.shadow.folder, [True]

    class Failing(Disk):
        def sync(self, folder: int) -> None:
            if fails and "three" in (top / "a.txt").read_text():
                fails.clear()
                raise OSError(errno.EIO, "Input/output error")
            super().sync(folder)

        def exchange(self, folder: int, name: str, to: int, new: str) -> None:
            if not fails and new == "a.txt":
                fails.append(False)
                saved(top / "a.txt", "saved just now\n")
            super().exchange(folder, name, to, new)

    with pytest.raises(NotRestoredError, match="Input/output error"):
        undo(ground.shadow, ground.spans, OWNER, ["a.txt"], disk=Failing())
    assert (top / "a.txt").read_text() == "saved just now\n"
    assert ground.left_over() == []


def test_what_cannot_be_finished_is_told_and_kept(ground: Ground) -> None:
    assert in_child(ground.restore, Struck(30, kill))
    assert finish_interrupted(Struck(1, full)).keys() == {ground.shadow.folder}
    assert finish_interrupted() == {}
    assert content(ground.shadow.folder) == ground.after
    (ground.shadow.place / "restores" / "broken.json").write_text("{")
    assert finish_interrupted().keys() == {ground.shadow.folder}
