"""What a batch writes down while runs are at work in the same folder is no work of theirs."""

from __future__ import annotations

import shutil
from pathlib import Path

from maverick_tui.batch.folder import opened
from maverick_tui.batch.items import Item
from maverick_tui.journal.batches import RESULTS
from maverick_tui.review.kinds import START
from maverick_tui.review.run_review import RunReview
from tests.review.played import PlayedRun, why
from tests.snapshots.folders import content, project

RUN = "run-aaaa"
BATCH = "a batch has written it"


def _batch(folder: Path) -> None:
    """One that writes down what came of a prompt."""
    item = Item(1, "1", "Say hello", {}, "", "key")
    with opened(folder / "prompts.out", "coder") as batch:
        batch.take_in([item])
        batch.add(item.key, {"result": "hello"}, is_done=True)


def test_an_undo_leaves_its_results_and_takes_back_what_is_beside_them(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    run = PlayedRun(folder, RUN)

    def work() -> None:
        _batch(folder)
        for place in (folder, folder / "prompts.out"):
            (place / "new.txt").write_text("by the run\n")

    run.bash(work)
    was, review = content(folder), RunReview(RUN)
    told = dict.fromkeys((f"prompts.out/{name}" for name in (".lock", "batch.json", RESULTS)), BATCH)
    assert why(review) == told | {"new.txt": "", "prompts.out/new.txt": ""}
    review.files()
    path = f"prompts.out/{RESULTS}"
    assert review.reject(START, path, review.hunks(START, path)).refused
    review.undo()
    del was["new.txt"], was["prompts.out/new.txt"]
    assert content(folder) == was


def test_results_that_a_command_has_removed_come_back(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    _batch(folder)
    was = content(folder)
    run = PlayedRun(folder, RUN)
    run.bash(lambda: shutil.rmtree(folder / "prompts.out"))
    RunReview(RUN).undo()
    assert content(folder) == was
