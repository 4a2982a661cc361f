"""Folders that are thrown away, also after their owner was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from maverick_tui.folder_locks import OWNER, remove_abandoned, scratch_folder

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="nothing is removed there")

OWNING = """
import sys, time
from maverick_tui.folder_locks import scratch_folder
with scratch_folder("offline") as folder:
    (folder / "home" / "tmp").mkdir(parents=True)
    (folder / "home" / "file").write_text("left")
    print(folder, flush=True)
    sys.stdin.read()
"""

DEEP = """
i=0
while [ $i -lt 30 ]; do
    mkdir -p $0 && cd -P $0 || exit 1
    i=$((i+1))
done
touch file; ln -s "$TMPDIR/outside" link; mkdir shut; touch shut/file; chmod 0 shut
"""
"""Three thousand levels: a path there is longer than any that can be opened."""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder that only this test uses."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


@contextmanager
def owner() -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another program that has made a folder."""
    command = [sys.executable, "-I", "-c", OWNING]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_the_folders_of_the_killed_are_removed_and_those_of_the_living_are_not() -> None:
    with owner() as (killed, left), owner() as (_, used), scratch_folder("tasks") as own:
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert (left / "home" / "file").exists()
        remove_abandoned()
        assert not left.exists()
        assert (used / "home" / "file").exists()
        assert own.is_dir()
    assert not own.exists()


def test_what_may_not_be_ours_stays(temporary: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    elsewhere.chmod(0o700)
    (elsewhere / OWNER).touch()
    (temporary / "maverick-offline-link").symlink_to(elsewhere)
    unlocked = [temporary / f"maverick-offline-{name}" for name in ("open", "unowned", "linked")]
    for folder, mode in zip(unlocked, (0o755, 0o700, 0o700), strict=True):
        folder.mkdir()
        folder.chmod(mode)
    (unlocked[0] / OWNER).touch()
    (unlocked[2] / OWNER).symlink_to(elsewhere / OWNER)
    other = temporary / "other-folder"
    other.mkdir(0o700)
    (other / OWNER).touch()
    remove_abandoned()
    assert (elsewhere / OWNER).exists()
    assert all(folder.is_dir() for folder in (*unlocked, other))
    (unlocked[2] / OWNER).unlink()
    for text in ("", "Jane Doe <jane@example.org>\n", own_numbers(unlocked[0])):
        (unlocked[2] / OWNER).write_text(text)
        remove_abandoned()
        assert unlocked[2].is_dir(), "anybody's file may have that name, in a clone say"
    (unlocked[2] / OWNER).write_text(own_numbers(unlocked[2]))
    remove_abandoned()
    assert not unlocked[2].exists(), "the same with a file of ours is abandoned"


def test_one_whose_owner_was_killed_before_it_had_a_lock_is_removed_after_a_day(temporary: Path) -> None:
    named = [Path(tempfile.mkdtemp(prefix="maverick-claude-")) for _ in range(4)]
    left, _, filled, shut = named
    other = temporary / "maverick-of-mine"
    other.mkdir(0o700)
    (filled / "file").touch()
    shut.chmod(0o755)
    for folder in (left, filled, shut, other):
        os.utime(folder, (0, 0))
    remove_abandoned()
    assert [folder.exists() for folder in (*named, other)] == [False, True, True, True, True]


@pytest.mark.explore
def test_one_that_is_nested_deeper_than_python_follows_is_removed_and_hinders_nothing(temporary: Path) -> None:
    with owner() as (killed, left):
        killed.kill()
        killed.wait()
    outside = temporary / "outside"
    outside.mkdir()
    (outside / "file").touch()
    subprocess.run(["sh", "-c", DEEP, "a/" * 100], cwd=left, check=True)
    try:
        remove_abandoned()
        assert not left.exists()
    finally:
        subprocess.run(["rm", "-rf", left], check=True)  # pytest could not, and would fail the next time
    assert (outside / "file").exists(), "no link is followed"


def own_numbers(folder: Path) -> str:
    """What stands in the file that we have made there."""
    return f"{folder.stat().st_ino} {(folder / OWNER).stat().st_ino}\n"


def test_without_locks_there_is_a_folder_and_we_remove_it(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def refuse(*_: object) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with scratch_folder("offline") as folder:
        remove_abandoned()
        assert folder.is_dir()
    assert list(temporary.glob("maverick-*")) == []
