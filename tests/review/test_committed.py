"""Of what a run has changed it is known what is committed by now, and so what is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.review.committed import committed_files, committed_hunks
from maverick_tui.review.committing import Chosen, commit
from maverick_tui.review.kinds import START, Scope
from maverick_tui.review.run_review import RunReview
from tests.review.played import PlayedRun
from tests.snapshots.folders import git, project_with_committer

RUN = "run-aaaa"
LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    folder = project_with_committer(tmp_path / "project")
    (folder / "long").write_text(LINES)
    (folder / ".gitignore").write_text("cache\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "more")
    return folder


def files(review: RunReview) -> set[str]:
    return set(committed_files(review.root, review.files()))


def hunks(review: RunReview, path: str, scope: Scope = START) -> list[int]:
    return sorted(committed_hunks(review, scope, path, review.hunks(scope, path)))


def test_hunks_and_files_that_are_committed_one_after_the_other(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("long", "line 3\n", "LINE 3\n")
    run.edit("long", "line 20\n", "")
    run.edit("long", "line 35\n", "line 35\nmore\n")
    run.write("new", "new\n")
    run.write("cache", "ignored\n")
    run.bash((folder / "b.txt").unlink)
    run.bash(lambda: (folder / "a.txt").rename(folder / "c.txt"))
    review = RunReview(RUN)
    assert files(review) == set()
    assert hunks(review, "long") == hunks(review, "new") == hunks(review, "b.txt") == []
    first, second, third = review.hunks(START, "long")
    commit(folder, [Chosen("long", review.part(START, "long", [second]))], "The second")
    assert files(review) == set()
    assert hunks(review, "long") == [1]
    commit(folder, [Chosen("long", review.part(START, "long", [first, third])), Chosen("b.txt")], "The others")
    assert files(review) == {"long", "b.txt"}
    assert hunks(review, "long") == [0, 1, 2]
    commit(folder, [Chosen("a.txt"), Chosen("new")], "Gone from there, and not yet here")
    assert files(review) == {"long", "b.txt", "new"}
    commit(folder, [Chosen("c.txt")], "All but what is ignored")
    assert files(review) == {"long", "b.txt", "new", "c.txt"}

    # What changes again is left to commit, and so is what stands no more as it was committed.
    run.edit("long", "LINE 3\n", "Line 3\n")
    assert files(review) == {"b.txt", "new", "c.txt"}
    assert hunks(review, "long") == [1, 2]
    git(folder, "reset", "--quiet", "--soft", "HEAD~4")
    assert files(review) == set()
    assert hunks(review, "long") == []


def test_where_nothing_can_be_committed_nothing_is(tmp_path: Path, home: Path) -> None:
    (tmp_path / "plain").mkdir()
    run = PlayedRun(tmp_path / "plain", RUN)
    run.write("new", "new\n")
    review = RunReview(RUN)
    assert files(review) == set()
    assert hunks(review, "new") == []


def test_ends_of_lines_and_links_on_the_way(folder: Path) -> None:
    git(folder, "config", "core.autocrlf", "true")
    (folder / "sub").mkdir()
    (folder / "sub" / "a").write_text("a\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "more")
    run = PlayedRun(folder, RUN)
    run.bash(
        lambda: (folder / "long").write_bytes(LINES.replace("line 3\n", "LINE 3\n").replace("\n", "\r\n").encode())
    )
    call = run.begin("Bash", command="make")
    (folder / "sub" / "a").unlink()
    (folder / "sub").rmdir()
    (folder / "sub").symlink_to("..")
    run.finish(call)
    review = RunReview(RUN)
    assert files(review) == set()
    git(folder, "commit", "--quiet", "-m", "by hand", "long")
    assert files(review) == {"long"}
    assert hunks(review, "long") == [0]
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "the link")
    assert files(review) == {"long", "sub", "sub/a"}


def test_what_no_commit_has_is_not_called_committed(folder: Path) -> None:
    (folder / "draft").write_text("mine alone\n")
    git(folder, "update-index", "--skip-worktree", "b.txt")
    git(folder, "update-index", "--assume-unchanged", "long")
    run = PlayedRun(folder, RUN)
    run.bash((folder / "draft").unlink)
    run.bash(lambda: (folder / "b.txt").write_text("changed\n"))
    run.edit("long", "line 3\n", "LINE 3\n")
    review = RunReview(RUN)
    assert {one.path for one in review.files()} == {"draft", "b.txt", "long"}
    assert files(review) == set()
