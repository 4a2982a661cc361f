"""Whoever leaves in the middle of an undo or a commit leaves nothing half done."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.review.committing import Chosen, commit
from maverick_tui.review.run_review import RunReview
from maverick_tui.threads import may_be_stopped, stop_awaited
from tests.review.played import PlayedRun
from tests.snapshots.folders import git, project, project_with_committer
from tests.support.hosts import until

RUN = "run-aaaa"
LEAVES = """
import _thread, sys, threading
from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots.disk import Disk

begun, rename = threading.Event(), Disk.rename

def slow(*arguments):
    begun.set()
    threading.main_thread().join()
    rename(*arguments)

Disk.rename = slow
_thread.start_new_thread(RunReview(sys.argv[1]).undo, ())
begun.wait()
"""


def test_an_undo_is_brought_to_its_end_before_the_program_ends(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    (folder / "mine.txt").write_text("as it was\n")
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / "mine.txt").write_text("as the run has it\n"))
    run.write("new.txt", "new\n")
    run.end_turn()
    subprocess.run([sys.executable, "-c", LEAVES, RUN], check=True)
    assert (folder / "mine.txt").read_text() == "as it was\n"
    assert not [path.name for path in folder.iterdir() if path.name.startswith((".maverick-undo", "new"))]
    RunReview(RUN).redo()
    assert (folder / "mine.txt").read_text() == "as the run has it\n"


COMMITS = """
import sys
from pathlib import Path
from maverick_tui.review.committing import Chosen, commit

commit(Path(sys.argv[1]), [Chosen("new.txt")], "New")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_commit_ends_with_a_program_that_is_killed_while_a_hook_runs(tmp_path: Path, home: Path) -> None:
    """Nobody would be left to bring what is staged up to date: the next commit would take it back."""
    folder = project_with_committer(tmp_path / "project")
    (folder / "new.txt").write_text("new\n")
    (folder / "a.txt").write_text("mine\n")
    git(folder, "add", "a.txt")
    at_work, go = slow_hook(folder, tmp_path)
    before = git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain")
    with subprocess.Popen([sys.executable, "-c", COMMITS, str(folder)]) as program:
        until(at_work.exists, "the hook is at work")
        program.kill()
    try:
        until(
            lambda: not any(is_running(int(pid)) for pid in at_work.read_text().split()), "git and its hook have ended"
        )
    finally:
        go.touch()
    assert (git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain")) == before
    by_hand = subprocess.run(["grep", "SigIgn", "/proc/self/status"], capture_output=True, check=True).stdout
    assert (tmp_path / "ignored").read_bytes() == by_hand


def test_a_commit_can_be_ended_with_its_hook_and_leaves_all_as_it_was(tmp_path: Path, home: Path) -> None:
    folder = project_with_committer(tmp_path / "project")
    (folder / "new.txt").write_text("new\n")
    at_work, go = slow_hook(folder, tmp_path)
    before = git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain")
    stop = threading.Event()

    def end() -> None:
        until(at_work.exists, "the hook is at work")
        stop_awaited()

    threading.Thread(target=end).start()
    try:
        with pytest.raises(ConfigError, match="git commit was ended before it was done"):
            commit(folder, [Chosen("new.txt")], "New", None, stop)
        assert stop.is_set()
        assert not may_be_stopped()
        assert not [pid for pid in at_work.read_text().split() if is_running(int(pid))]
    finally:
        go.touch()
    assert (git(folder, "rev-parse", "HEAD"), git(folder, "status", "--porcelain")) == before
    assert not list((folder / ".git").glob("*.lock"))


LEAVES_COMMIT = """
import sys, threading
from pathlib import Path
from maverick_tui.review.committing import Chosen, commit
from maverick_tui.threads import may_be_stopped, wait_for_awaited

def work():
    try:
        commit(Path(sys.argv[1]), [Chosen("new.txt")], "New", None, threading.Event())
    except Exception as error:
        print(error, flush=True)

threading.Thread(target=work, daemon=True).start()
while not Path(sys.argv[2]).exists():
    threading.Event().wait(0.01)
wait_for_awaited(lambda text: print(text, flush=True))
"""


def test_who_has_left_while_a_commit_is_made_is_told_and_ends_it_by_ctrl_c(tmp_path: Path, home: Path) -> None:
    folder = project_with_committer(tmp_path / "project")
    (folder / "new.txt").write_text("new\n")
    at_work, go = slow_hook(folder, tmp_path)
    line = [sys.executable, "-c", LEAVES_COMMIT, str(folder), str(at_work)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            assert program.stdout.readline() == "A commit is still being made, and waited for. Ctrl+C ends it.\n"
            program.send_signal(signal.SIGINT)
            _said, wrong = program.communicate()
        finally:
            go.touch()
    assert (program.returncode, wrong) == (0, "")
    assert not [pid for pid in at_work.read_text().split() if is_running(int(pid))]


def slow_hook(folder: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A hook that works until the second file is there; the first one says which processes git and the hook are."""
    at_work, go = tmp_path / "at-work", tmp_path / "go"
    hook = folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        f"#!/bin/sh\ngrep SigIgn /proc/self/status > {tmp_path}/ignored\n"
        f"echo $PPID $$ > {at_work}.new; mv {at_work}.new {at_work}\n"
        f"while [ -d {tmp_path} ] && [ ! -e {go} ]; do sleep 0.05; done\n"
    )
    hook.chmod(0o755)
    return at_work, go


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
