"""What was not kept for a while: whoever has changed it meanwhile, an undo leaves it as it is, and says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maverick_tui.review.kinds import START
from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots import shadow
from maverick_tui.snapshots.caps import Caps
from tests.review.played import PlayedRun, why
from tests.snapshots.folders import content, project
from tests.support.sampling import sampled
from tests.worktrees.projects import commit

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


@pytest.mark.explore
@pytest.mark.parametrize("name", sampled(["notes.md", "draft.md", "empty"], 2))
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


@pytest.mark.explore
def test_what_you_save_while_it_is_too_large_itself(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / "a.txt").write_text("grown\n" * 1_000))
    (folder / "a.txt").write_text("yours\n" * 1_000)
    run.bash(lambda: (folder / "a.txt").write_text("yours\n" * 10))
    assert why(RunReview(RUN)) == {"a.txt": "it was not kept before: it is larger than 0 MB"}


@pytest.mark.explore
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


@pytest.mark.explore
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


@pytest.mark.explore
def test_what_was_moved_out_of_a_folder_that_is_too_large_since(folder: Path) -> None:
    run = PlayedRun(folder, RUN)

    def move() -> None:
        (folder / "out" / "notes.md").rename(folder / "notes.md")
        (folder / "new.txt").write_text("by the run\n")
        _fill(folder / "out")

    run.bash(move)
    many = MANY.replace("was not kept for a while", "is not kept any more")
    stays = "it holds what was in out/notes.md, which is not kept any more"
    assert why(RunReview(RUN)) == {"new.txt": "", "notes.md": stays, "out": f"{many}; out/notes.md is gone from it"}
    assert RunReview(RUN).undo().paths == {"new.txt"}
    assert (folder / "notes.md").exists()


@pytest.mark.explore
def test_what_was_removed_from_a_folder_that_is_too_large_since_is_named(folder: Path) -> None:
    for name in ("diary.md", "plan.md", "todo.md"):
        (folder / "out" / name).write_text("yours\n")
    run = PlayedRun(folder, RUN)

    def remove() -> None:
        for name in ("diary.md", "notes.md"):
            (folder / "out" / name).unlink()
        _fill(folder / "out")

    run.bash(remove)
    many = MANY.replace("was not kept for a while", "is not kept any more")
    assert why(RunReview(RUN)) == {"out": f"{many}; out/diary.md and out/notes.md are gone from it"}
    for path in (folder / "out").glob("[a-z]*.md"):
        path.unlink()
    assert why(RunReview(RUN)) == {"out": f"{many}; out/diary.md, out/notes.md and 2 more are gone from it"}


@pytest.mark.parametrize(
    ("closed", "mode"), [("vault", 0), ("vault/in", 0), ("vault", 0o600), ("src", 0o300), ("src", 0o600)]
)
def test_what_a_command_has_only_made_readable_is_not_its_own(folder: Path, closed: str, mode: int) -> None:
    (folder / "src").mkdir()
    (folder / "src" / "main.py").write_text("committed\n")
    commit(folder)
    (folder / "src" / "main.py").write_text("changed\n")
    (folder / "src" / "notes").write_text("yours\n")
    (folder / "vault" / "in").mkdir(parents=True)
    (folder / "vault" / "diary.txt").write_text("yours\n")
    (folder / "vault" / "in" / "more.txt").write_text("yours\n")
    was = content(folder)
    (folder / closed).chmod(mode)
    if os.access(folder / closed, os.R_OK | os.X_OK):
        pytest.skip("root may read everything")
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / closed).chmod(0o755))
    run.bash(lambda: (folder / "a.txt").write_text("by the run\n"))
    told = why(RunReview(RUN))
    assert told.pop("a.txt") == ""
    assert all(told.values())
    assert RunReview(RUN).undo().paths == {"a.txt"}
    assert content(folder) == was


def test_a_folder_that_stays_unreadable_is_no_reason(folder: Path) -> None:
    (folder / "vault").mkdir(mode=0)
    if os.access(folder / "vault", os.R_OK):
        pytest.skip("root may read everything")
    run = PlayedRun(folder, RUN)

    def unpack() -> None:
        (folder / "new.txt").write_text("of an archive\n")
        os.utime(folder / "new.txt", (0, 0))

    run.bash(unpack)
    assert why(RunReview(RUN)) == {"new.txt": ""}
