"""What is left of runs and of restores goes, and what cannot is told."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from maverick_tui.journal.folders import delete_run
from maverick_tui.review.removing import release_snapshots, tidy_snapshots
from maverick_tui.snapshots.shadow import Shadow, shadows_folder
from tests.review.played import PlayedRun
from tests.snapshots.folders import project

KEPT, RECENT, OLD = "run-kept", "run-recent", "run-old"


@pytest.fixture
def shadow(tmp_path: Path, home: Path) -> Shadow:
    folder = project(tmp_path / "project")
    PlayedRun(folder, KEPT).close()
    shadow = Shadow(folder)
    shadow.take(RECENT)
    shadow.take(OLD)
    ago = time.time() - 2 * 86_400
    for owner in (KEPT, OLD):
        os.utime(shadow.git.repository / "refs" / "kept" / owner, (ago, ago))
    return shadow


def test_snapshots_without_a_run_go_after_a_day_and_are_looked_for_once_a_day(shadow: Shadow) -> None:
    assert tidy_snapshots() == {}
    assert shadow.owners() == [KEPT, RECENT]
    delete_run(KEPT)
    tidy_snapshots()
    assert shadow.owners() == [KEPT, RECENT]
    os.utime(shadows_folder() / "tidied", (0, 0))
    tidy_snapshots()
    assert shadow.owners() == [RECENT]
    release_snapshots([RECENT, "run-none"])
    assert not shadow.place.exists()


def test_a_restore_that_cannot_be_brought_to_an_end_is_told(shadow: Shadow) -> None:
    journal = shadow.place / "restores" / "0.json"
    journal.parent.mkdir()
    journal.write_text("{")
    assert list(tidy_snapshots()) == [shadow.folder]
    assert journal.exists()
