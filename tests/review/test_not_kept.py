"""What snapshots leave out, and a command has moved, packed or changed: what is left of it stays, and that is told."""

from __future__ import annotations

import gzip
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.review import not_kept
from maverick_tui.review.kinds import START, Scope
from maverick_tui.review.not_kept import NotKept
from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots import shadow
from maverick_tui.snapshots.caps import Caps
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import Part, Snapshot
from tests.review.played import PlayedRun, why
from tests.snapshots.folders import content, project
from tests.support.sampling import sampled

RUN = "run-aaaa"
ENV = "its name says that it holds secrets"


@pytest.fixture
def folder(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a secret, a large file and a large folder that is ignored; all files are an hour old."""
    monkeypatch.setattr(shadow, "Caps", lambda: Caps(file_bytes=1_000, ignored_files=5))
    monkeypatch.setattr(not_kept, "BEHIND", 0.02)  # the project was made just now
    top = project(tmp_path / "project")
    (top / ".gitignore").write_text(".env\nmany/\n")
    (top / ".env").write_text("KEY=1\n")
    (top / "large.csv").write_text("1,2,3\n" * 1_000)
    (top / "many").mkdir()
    for number in range(9):
        (top / "many" / f"{number}").write_text(f"{number}\n")
    for name in ("in", "node_modules"):
        (top / "many" / name).mkdir()
        (top / "many" / name / "it").write_text("it\n")
    for path in top.rglob("*"):
        os.utime(path, (time.time() - 3_600,) * 2)
    return top


def _packed(top: Path) -> None:
    (top / "large.csv.gz").write_bytes(gzip.compress((top / "large.csv").read_bytes()))
    (top / "large.csv").unlink()


def _poured(top: Path) -> None:
    with (top / "a.txt").open("a") as file:
        file.write((top / ".env").read_text())
    (top / ".env").unlink()


def _moved_out_of_a_folder(top: Path) -> None:
    (top / "out").mkdir()
    (top / "many" / "3").rename(top / "out" / "3")


def _moved_for_the_most_part(top: Path) -> None:
    (top / "out").mkdir()
    for number in range(3, 9):
        (top / "many" / f"{number}").rename(top / "out" / f"{number}")


def _rotated(top: Path) -> None:
    (top / "large.csv.gz").write_bytes(gzip.compress((top / "large.csv").read_bytes()))
    (top / "large.csv").write_bytes(b"")


def _halved(top: Path) -> None:
    lines = (top / "large.csv").read_text().splitlines(keepends=True)
    (top / "half.csv.gz").write_bytes(gzip.compress("".join(lines[:500]).encode()))
    (top / "large.csv").write_text("".join(lines[500:]))


def _changed_and_removed(top: Path) -> None:
    (top / "changed").write_text((top / "many" / "3").read_text() * 2)
    (top / "many" / "3").unlink()


def _changed_and_removed_with_its_folder(top: Path) -> None:
    (top / "changed").write_text((top / "many" / "in" / "it").read_text() * 2)
    shutil.rmtree(top / "many" / "in")


@pytest.mark.parametrize(
    ("command", "gone", "left"),
    sampled(
        [
            (lambda top: (top / ".env").rename(top / "settings.txt"), ".env", "settings.txt"),
            (_packed, "large.csv", "large.csv.gz"),
            (_rotated, "", "large.csv.gz"),
            (_halved, "", "half.csv.gz"),
            (_poured, ".env", "a.txt"),
            (lambda top: (top / "many").rename(top / "few"), "many", "few/3"),
            (_moved_out_of_a_folder, "", "out/3"),
            (_moved_for_the_most_part, "", "out/3"),
            (_changed_and_removed, "", "changed"),
            (_changed_and_removed_with_its_folder, "", "changed"),
        ],
        5,
    ),
)
def test_what_may_be_all_that_is_left_stays(
    folder: Path, command: Callable[[Path], object], gone: str, left: str
) -> None:
    run = PlayedRun(folder, RUN)
    run.bash(lambda: command(folder))
    run.bash(lambda: (folder / "b.txt").write_text("by another command\n"))
    was = content(folder)
    review = RunReview(RUN)
    told = why(review)
    assert told.pop("b.txt") == ""
    assert "not kept" in told[left]
    if gone:
        assert told[gone].startswith("it is gone, and was not kept: ")
    assert all(told.values()), "nor does a folder go in which it is"
    assert not any(path.startswith("many/") for path in told), "what was there before is nobody's"
    assert review.undo().paths == {"b.txt"}
    assert content(folder) == was | {"b.txt": content(folder)["b.txt"]}

    review.files()
    assert review.reject(START, left, review.hunks(START, left)).refused
    assert content(folder)[left] == was[left]


@pytest.mark.explore
@pytest.mark.parametrize("gone", ["lib", "lib/.git"])
def test_the_history_of_a_repository_inside_is_named_where_it_is_gone(nested: Path, gone: str) -> None:
    was = content(nested)
    run = PlayedRun(nested, RUN)

    def bundle_and_remove() -> None:
        (nested / "lib.bundle").write_text("all that was committed\n")
        shutil.rmtree(nested / gone)

    run.bash(bundle_and_remove)
    run.bash(lambda: (nested / "a.txt").write_text("by another command\n"))
    review = RunReview(RUN)
    told = {path: words for path, words in why(review).items() if words}
    assert told == {
        "lib/.git": "it is gone, and was not kept: it was a repository of its own, of which only the files are kept",
        "lib.bundle": "it may hold what was in lib/.git, which is not kept",
    }
    review.undo()
    left = content(nested)
    assert left.pop("lib.bundle")
    assert left == was


@pytest.mark.parametrize("is_moved", [True, False])
def test_a_copy_of_a_secret_that_was_changed_stays(folder: Path, *, is_moved: bool) -> None:
    run = PlayedRun(folder, RUN)

    def change() -> None:
        (shutil.move if is_moved else shutil.copyfile)(folder / ".env", folder / "settings.txt")
        (folder / ".env").write_text("KEY=2\n")

    run.bash(change)
    assert why(RunReview(RUN)) == {
        ".env": f"it was changed, but it is not kept: {ENV}",
        "settings.txt": "it may hold what was in .env, which is not kept",
    }


def test_all_else_is_taken_back_as_ever(folder: Path) -> None:
    was = content(folder)
    run = PlayedRun(folder, RUN)

    def work() -> None:
        (folder / "a.txt").write_text("changed\n")
        (folder / "b.txt").rename(folder / "c.txt")
        shutil.copy2(folder / ".gitignore", folder / "rules")
        (folder / "many" / "3").write_text("changed\n")
        (folder / "new").mkdir()
        (folder / "new" / "file").write_text("new\n")

    run.bash(work)
    # What comes into a folder that is left out, or goes from one that tools make anew, is no reason, either.
    for inside, outside in (
        ((folder / "many" / "made").touch, "made"),
        ((folder / "many" / "node_modules" / "it").unlink, "lock"),
    ):
        call = run.begin("Bash", command="make")
        inside()
        (folder / outside).write_text(f"{outside}\n")
        run.finish(call)
    assert not any(why(RunReview(RUN)).values())
    RunReview(RUN).undo()
    left = content(folder)
    del was["many/node_modules/it"]
    assert left == was | {path: left[path] for path in ("many/3", "many/made", "many/node_modules")}


@pytest.mark.explore
def test_what_has_become_too_large_is_shown_and_named(folder: Path) -> None:
    (folder / "few").mkdir()
    (folder / "few" / "file").write_text("kept\n")
    with (folder / ".gitignore").open("a") as file:
        file.write("few/\n")
    run = PlayedRun(folder, RUN)

    def work() -> None:
        shutil.copy(folder / "a.txt", folder / "copy.txt")
        (folder / "a.txt").write_text("grown\n" * 1_000)
        (folder / "large.csv").write_text("cut\n")
        for number in range(9):
            (folder / "few" / f"{number}").touch()

    run.bash(work)
    run.bash(lambda: (folder / "b.txt").write_text("by another command\n"))
    review = RunReview(RUN)
    grown, cut = "it is not kept any more: it is larger than 0 MB", "it was not kept before: it is larger than 0 MB"
    told = {"a.txt": grown, "b.txt": "", "copy.txt": "", "large.csv": cut}
    assert {one.path: one.not_kept for one in review.files()} == told
    for path in ("a.txt", "large.csv"):
        assert (review.hunks(START, path), review.patch(START, path)) == ([], b"")
    few = "it is not kept any more: git ignores it, and it holds more than 5 files"
    assert why(review) == told | {"few": few}
    assert review.undo().paths == {"b.txt", "copy.txt"}

    # Once it is kept again, it is known what has become of it.
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    assert why(RunReview(RUN)) == {"few": few, "large.csv": cut}


def test_what_is_known_to_be_the_runs_goes_also_if_something_is_lost(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    call = run.begin("Bash", command="make")
    run.write("written.txt", "by the run\n")
    (folder / ".env").rename(folder / "settings.txt")
    (folder / "a.txt").unlink()
    (folder / "b.txt").rename(folder / "c.txt")
    (folder / "empty").touch()
    run.finish(call)
    review = RunReview(RUN)
    lost = "it may hold what was in .env, which is not kept"
    gone = f"it is gone, and was not kept: {ENV}"
    own = ("a.txt", "b.txt", "c.txt", "empty", "written.txt")
    assert why(review) == {".env": gone, "settings.txt": lost, **dict.fromkeys(own, "")}
    # Once it is back, there is nothing to tell.
    (folder / "settings.txt").rename(folder / ".env")
    assert why(RunReview(RUN)) == dict.fromkeys(own, "")
    run.bash((folder / ".env").unlink)
    assert why(RunReview(RUN))[".env"] == gone, "also if that was all that the command did"


@pytest.mark.explore
def test_a_folder_with_nothing_else_than_what_is_not_kept_is_kept_itself(folder: Path) -> None:
    (folder / "web" / "src").mkdir(parents=True)
    (folder / "web" / "src" / "app.js").write_text("yours\n")
    shutil.copytree(folder / "many", folder / "web" / "in" / "many")
    was = content(folder)
    run = PlayedRun(folder, RUN)
    run.bash(lambda: shutil.rmtree(folder / "web" / "src"))
    review = RunReview(RUN)
    assert [one.path for one in review.files()] == ["web/src/app.js"]
    assert not any(why(review).values())
    review.undo()
    assert content(folder) == was
    # What is put into a folder that had nothing else can be taken back, and be given back.
    shutil.rmtree(folder / "web" / "src")
    again = PlayedRun(folder, "run-bbbb")
    again.write("web/src/app.js", "by the run\n")
    was = content(folder)
    review = RunReview("run-bbbb")
    assert "web/src/app.js" in review.undo().paths
    assert not (folder / "web" / "src").exists()
    assert "web/src/app.js" in review.redo().paths
    assert content(folder) == was


def test_what_is_gone_or_left_out_is_named_in_the_order_of_the_snapshots(folder: Path) -> None:
    folders = [f"{name}/" for name in "qwertyuiop"]
    before = Snapshot("", tuple(Part(at, "", "") for at in folders), (0o644, 0o755))
    after = Snapshot("", (), (0o644, 0o755), left_out=dict.fromkeys(folders, "it is large"))
    found = NotKept(Shadow(folder), before, after, 0, 0)
    assert [*found.gone(())] == [f"{at}.git" for at in folders]
    assert [*found.grown([f"{at}file" for at in folders])] == folders


def test_a_file_that_is_not_kept_is_named_once_a_call_has_changed_it(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit(".env", "KEY=1", "KEY=99")
    run.end_turn()
    run.turn("Do more")
    run.write("app.key", "new\n")
    run.write("b.txt", "kept\n")
    failed = run.begin("Write", file_path=str(folder / "many" / "3"), content="")
    run.tell(ev.ToolFinished(time.time(), failed, "It has not been read yet", is_error=True))
    review = RunReview(RUN)
    files = {file.path: file for file in review.files()}
    assert {path: (file.status, file.not_kept) for path, file in files.items()} == {
        ".env": ("changed", f"it is not kept: {ENV}"),
        "app.key": ("added", f"it is not kept: {ENV}"),
        "b.txt": ("changed", ""),
    }
    assert [author.about for author in files[".env"].authors] == [".env"]
    assert [file.path for file in review.files(Scope("turn", 2))] == ["app.key", "b.txt"]
    assert not review.hunks(START, ".env")
    assert review.patch(START, ".env") == b""
    assert review.texts(START, ".env") == (b"", b"")
    changed = f"it was changed, but it is not kept: {ENV}"
    assert why(review) == {".env": changed, "app.key": changed, "b.txt": ""}
    assert [step.why_not for step in review.plan(START, {".env"})] == [changed]
    assert review.undo().paths == {"b.txt"}
    assert [file.path for file in review.files()] == [".env", "app.key"], "those stand as the run has left them"


def test_a_name_with_half_a_character_is_that_of_the_file_that_was_written(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.write("b.txt", "kept\n")
    for name in ("many", "kept"):
        half = run.begin("Write", file_path=str(folder / name / "\ud800"), content="")
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "\ufffd").touch()
        run.tell(ev.ToolFinished(time.time(), half, "written"))
    run.end_turn()
    review = RunReview(RUN)
    assert [file.path for file in review.files()] == ["b.txt", "kept/\ufffd", "many/\ufffd"]
    assert review.undo().paths >= {"b.txt", "kept/\ufffd"}


def test_so_is_one_that_a_command_has_changed_or_removed(folder: Path) -> None:
    (folder / "app.key").write_text("key\n")
    run = PlayedRun(folder, RUN)
    time.sleep(0.05)  # longer than a file's time may be behind here
    (folder / "large.csv").write_text("by a person\n" * 1_000)
    time.sleep(0.05)

    def change() -> None:
        (folder / ".env").write_text("KEY=2\n")
        (folder / "app.key").unlink()

    call = run.bash(change)
    files = RunReview(RUN).files()
    assert {(file.path, file.status, file.not_kept) for file in files} == {
        (".env", "changed", f"it is not kept: {ENV}"),
        ("app.key", "deleted", f"it is not kept: {ENV}"),
    }
    assert {author.call for file in files for author in file.authors} == {call}
