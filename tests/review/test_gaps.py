"""What was not kept for a while: whoever has changed it meanwhile, an undo leaves it as it is, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.review.kinds import START
from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots import shadow
from maverick_tui.snapshots.caps import Caps
from tests.review.played import PlayedRun, why
from tests.snapshots.folders import content, project

RUN = "run-aaaa"
MANY = "it was not kept for a while: git ignores it, and it holds more than 5 files"


@pytest.fixture
def folder(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with notes in a folder that is ignored, and kept as long as it is small."""
    monkeypatch.setattr(shadow, "Caps", lambda: Caps(file_bytes=1_000, ignored_files=5))
    top = project(tmp_path / "project")
    (top / ".gitignore").write_text("out/\ndata/\n")
    (top / "out").mkdir()
    (top / "out" / "notes.md").write_text("version 1\n")
    return top


def _fill(place: Path) -> None:
    place.mkdir(exist_ok=True)
    for number in range(9):
        (place / f"{number}").touch()


def _clean(place: Path) -> None:
    for number in range(9):
        (place / f"{number}").unlink()


@pytest.mark.parametrize("name", ["notes.md", "draft.md", "empty"])
def test_what_you_save_while_its_folder_is_too_large(folder: Path, name: str) -> None:
    run = PlayedRun(folder, RUN)
    run.bash(lambda: _fill(folder / "out"))
    run.end_turn()
    if name == "empty":
        (folder / "out" / name).mkdir()
    else:
        (folder / "out" / name).write_text("an hour of work\n")
    run.turn("Clean up")

    def clean() -> None:
        _clean(folder / "out")
        (folder / "a.txt").write_text("by the run\n")

    run.bash(clean)
    was = content(folder)
    review = RunReview(RUN)
    assert why(review) == {"a.txt": "", "out": MANY}
    if name != "empty":
        review.files()
        path = f"out/{name}"
        assert review.reject(START, path, review.hunks(START, path)).refused
    assert review.undo().paths == {"a.txt"}
    assert content(folder) == was | {"a.txt": content(folder)["a.txt"]}


def test_what_you_save_while_it_is_too_large_itself(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / "a.txt").write_text("grown\n" * 1_000))
    (folder / "a.txt").write_text("yours\n" * 1_000)
    run.bash(lambda: (folder / "a.txt").write_text("yours\n" * 10))
    assert why(RunReview(RUN)) == {"a.txt": "it was not kept before: it is larger than 0 MB"}


def test_what_you_make_between_two_commands_and_is_too_large_then(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / "a.txt").write_text("by the run\n"))
    _fill(folder / "data")
    (folder / "data" / "yours").write_text("yours\n")
    run.bash(lambda: _clean(folder / "data"))
    review = RunReview(RUN)
    assert why(review) == {"a.txt": "", "data": MANY}
    review.undo()
    assert (folder / "data" / "yours").exists()


def test_a_build_that_is_cleaned_up_leaves_nothing_to_tell(folder: Path) -> None:
    was = content(folder)
    run = PlayedRun(folder, RUN)

    def build() -> None:
        _fill(folder / "out")
        (folder / "a.txt").write_text("by the run\n")

    def clean() -> None:
        _clean(folder / "out")
        (folder / "b.txt").unlink()

    run.bash(build)
    run.bash(lambda: (folder / "a.txt").write_text("again\n"))
    run.bash(clean)
    assert why(RunReview(RUN)) == {"a.txt": "", "b.txt": ""}
    RunReview(RUN).undo()
    assert content(folder) == was
