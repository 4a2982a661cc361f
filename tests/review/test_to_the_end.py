"""Whoever leaves in the middle of an undo leaves nothing half done."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from maverick_tui.review.run_review import RunReview
from tests.review.played import PlayedRun
from tests.snapshots.folders import project

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
