"""Which run, prompt and call has written a line: with snapshots alone, and with git."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from maverick_tui import ConfigError
from maverick_tui.host.worktrees import merge, message_for
from maverick_tui.review.blame import blame
from maverick_tui.worktrees import ending
from maverick_tui.worktrees.making import make
from maverick_tui.worktrees.records import Worktree
from tests.review import played
from tests.review.played import PlayedRun, make_unreadable
from tests.snapshots.folders import git, project
from tests.support.command_line import Run, command_line
from tests.support.sampling import sampled

RUN, OTHER = "run-aaaa", "run-bbbb"
RACERS = ("aaaa0000", "bbbb0000", "cccc0000")


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    return project(tmp_path / "project")


def by(file: Path, first: int = 1, last: int | None = None) -> list[str]:
    """Whose each line is, in short."""
    return ["|".join(one.call or one.kind for one in line.authors) or "-" for line in blame(file, first, last)]


def commit(folder: Path, message: str = "more") -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", message)


def test_what_is_binary_is_whoever_wrote_it_last(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    (folder / "b.txt").write_bytes(b"\0mine\n")
    first = run.bash(lambda: (folder / "made").write_bytes(b"\0\n\1\n\2\n"))
    assert by(folder / "made") == [first] * 3
    commit(folder)
    assert by(folder / "made") == [first] * 3
    second = run.bash(lambda: [(folder / name).write_bytes(b"\0\n\3\n") for name in ("made", "b.txt")])
    commit(folder)
    assert (by(folder / "made"), by(folder / "b.txt")) == ([second] * 2, [second] * 2)
    (folder / "made").write_bytes(b"\0\n\3\n\4\n")
    commit(folder)
    assert by(folder / "made")[-1] == "you"


@pytest.mark.explore
@pytest.mark.parametrize("closed", ["folder", "journal"])
def test_a_run_that_cannot_be_read_keeps_nobody_from_knowing_of_others(folder: Path, closed: str) -> None:
    run, other = PlayedRun(folder, RUN), PlayedRun(folder, OTHER)
    mine = run.write("mine.txt", "mine\n")
    other.write("theirs.txt", "theirs\n")
    other.close()
    make_unreadable(OTHER, closed)
    assert by(folder / "mine.txt") == [mine]


def test_without_a_repository(tmp_path: Path, home: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "a").write_text("one\ntwo\nthree\n")
    assert by(folder / "a") == ["-", "-", "-"]
    run = PlayedRun(folder, RUN)
    edit = run.edit("a", "two", "2")
    (folder / "a").write_text("one\n2\nthree\nfour")
    assert by(folder / "a") == ["-", edit, "-", "you"]
    assert by(folder / "a", 2, 3) == [edit, "-"]
    (folder / "link").symlink_to("a")
    assert by(folder / "link", 2, 2) == [edit]
    (folder / "new").write_text("new\n")
    assert by(folder / "new") == ["you"]
    (folder / "a").write_bytes(b"\0\n")
    assert by(folder / "a") == ["you"]


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe"):
        with pytest.raises(ConfigError, match="is no ordinary file"):
            blame(tmp_path / name)


def test_after_commits_renames_and_other_branches(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    edit = run.edit("a.txt", "two", "2")
    run.end_turn()
    commit(folder)
    git(folder, "switch", "--quiet", "--create", "side", "HEAD~1")
    run.turn("On another branch")
    other = run.write("c.txt", "c\n")
    run.end_turn()
    assert by(folder / "a.txt") == ["-", "-", "-"]
    commit(folder, "side")
    git(folder, "switch", "--quiet", "main")
    assert by(folder / "a.txt") == ["-", edit, "-"]
    git(folder, "mv", "a.txt", "moved.txt")
    commit(folder, "moved")
    (folder / "moved.txt").write_text("zero\none\n2\nthree\n")
    assert by(folder / "moved.txt") == ["you", "-", edit, "-"]
    git(folder, "merge", "--quiet", "--no-edit", "side")
    assert by(folder / "c.txt") == [other]


def test_what_was_not_committed_as_it_was_in_a_snapshot(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    edit = run.write("a.txt", "one\n2\nthree\n3\n")
    run.end_turn()
    (folder / "a.txt").write_text("mine\none\n2\nthree\n")  # nobody takes a snapshot of this
    commit(folder)
    git(folder, "switch", "--quiet", "--create", "side", "HEAD~1")
    run.turn("On another branch")
    git(folder, "switch", "--quiet", "main")
    assert by(folder / "a.txt") == ["you", "-", edit, "-"]


def test_merged_from_a_worktree_that_is_gone(folder: Path, tmp_path: Path) -> None:
    here = PlayedRun(folder, OTHER)  # its snapshot is from before
    tree = tmp_path / "tree"
    git(folder, "worktree", "add", "--quiet", "-b", "tree", str(tree))
    run = PlayedRun(tree, RUN, repository=str(folder))
    edit = run.edit("a.txt", "two", "2")
    run.end_turn()
    commit(tree)
    git(folder, "worktree", "remove", str(tree))
    git(folder, "merge", "--quiet", "tree")
    assert by(folder / "a.txt") == ["-", edit, "-"]
    here.turn("More")
    mine = here.edit("a.txt", "three", "3")
    assert by(folder / "a.txt") == ["-", edit, mine]


def raced(folder: Path) -> tuple[dict[str, Worktree], dict[str, str]]:
    """Runs in worktrees of their own that make the same edit, and the call of each."""
    trees = {run_id: make(run_id, "smith", folder).worktree for run_id in RACERS}
    runs = {run_id: PlayedRun(one.top, run_id, repository=str(folder)) for run_id, one in trees.items()}
    edits = {run_id: run.edit("a.txt", "two", "2") for run_id, run in runs.items()}
    for run in runs.values():
        run.end_turn()
        run.close()
    return trees, edits


@pytest.mark.explore
@pytest.mark.parametrize("commits", sampled(["Maverick", "the run"], 2))
def test_of_runs_that_wrote_the_same_it_is_the_one_that_was_merged(folder: Path, commits: str) -> None:
    trees, edits = raced(folder)
    if commits == "the run":
        for one in trees.values():
            commit(one.top, f"by {one.run_id}")
    for winner, worktree in trees.items():
        git(folder, "reset", "--quiet", "--hard", worktree.base)
        merge(worktree)
        assert not worktree.is_there
        assert by(folder / "a.txt") == ["-", edits[winner], "-"]
        assert [one.run_id for one in blame(folder / "a.txt", 2, 2)[0].authors] == [winner]


@pytest.mark.explore
def test_what_was_merged_and_picked_anew_is_of_the_run_that_its_message_names(folder: Path) -> None:
    trees, edits = raced(folder)
    (folder / "mine.txt").write_text("mine\n")  # what is picked onto this is another commit then
    commit(folder, "mine")
    mine = git(folder, "rev-parse", "HEAD")
    for winner, worktree in trees.items():
        git(folder, "reset", "--quiet", "--hard", mine)
        git(folder, "cherry-pick", ending.keep(worktree, message_for(worktree)))
        assert by(folder / "a.txt") == ["-", edits[winner], "-"]


@pytest.mark.explore
def test_what_an_earlier_run_wrote_before_it_was_deleted_is_of_the_run_that_was_merged_since(folder: Path) -> None:
    earlier = PlayedRun(folder, OTHER)
    old = earlier.edit("a.txt", "two", "2")
    earlier.end_turn()
    commit(folder)
    assert by(folder / "a.txt") == ["-", old, "-"]
    (folder / "a.txt").write_text("one\ntwo\nthree\n")  # nobody takes a snapshot of this
    commit(folder, "deleted")
    trees, edits = raced(folder)
    for one in trees.values():
        commit(one.top, f"by {one.run_id}")
    assert merge(trees[RACERS[1]])
    assert by(folder / "a.txt") == ["-", edits[RACERS[1]], "-"]


@pytest.mark.explore
def test_a_message_names_no_run_that_has_not_written_the_line(folder: Path) -> None:
    trees, _ = raced(folder)
    run = PlayedRun(folder, RUN)
    edit = run.edit("a.txt", "three", "3")
    run.end_turn()
    (folder / "a.txt").write_text("one\ntwo\n3\nmine\n")
    commit(folder, "".join(f"Maverick's run {one}.\n" for one in (*trees, "dddd0000")))
    assert by(folder / "a.txt") == ["-", "-", edit, "you"]


@pytest.mark.explore
def test_what_came_to_a_worktree_by_a_merge_stays_of_the_run_that_wrote_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = PlayedRun(folder, RUN)
    worktree = make(OTHER, "smith", folder).worktree
    other = PlayedRun(worktree.top, OTHER, repository=str(folder))
    edit = run.edit("a.txt", "two", "2")
    run.end_turn()
    commit(folder)
    monkeypatch.setattr(played, "now", lambda: time.time() + 60)
    other.bash(lambda: git(worktree.top, "merge", "--quiet", "main"), "git merge main")
    mine = other.edit("b.txt", "b", "B")
    other.end_turn()
    other.close()
    merge(worktree)
    assert (by(folder / "a.txt"), by(folder / "b.txt")) == (["-", edit, "-"], [mine])


def test_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    maverick: Run = command_line(monkeypatch, capsys)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    run = PlayedRun(folder, RUN, "Count in digits\x1b[31m")
    call = run.edit("a.txt", "two\n", "2\x1b[31m\n")
    (folder / "a.txt").write_text("one\n2\x1b[31m\nthree\nmine\n")
    ran = maverick("blame", "a.txt")
    assert ran.code == 0
    assert [" ".join(line.split()) for line in ran.out.splitlines()] == [
        "1 one",
        f"2 {RUN} 1. Edit a.txt Count in digits␛[31m 2␛[31m",
        "3 three",
        "4 you mine",
    ]
    assert maverick("blame", "a.txt:2-3").out.splitlines()[0].startswith(f"2  {RUN}")
    told = maverick("blame", "a.txt:2").out
    assert "run     run-aaaa Count in digits␛[31m\n" in told
    assert "call    Edit a.txt\n" in told
    assert "old_string: two" in told
    assert "commit" not in told
    assert "before any run" in maverick("blame", "a.txt:1").out
    assert "by      you" in maverick("blame", "a.txt:4").out
    data = json.loads(maverick("blame", "a.txt:2-2", "--json").out)
    assert [(one["number"], one["authors"][0]["call"]) for one in data] == [(2, call)]
    for place, why in (("a.txt:5", "has no line 5"), ("a.txt:0", "has no line 0"), ("none", "No such file"), (".", "")):
        ran = maverick("blame", place)
        assert (ran.code, why in ran.err) == (1, True)
    key = ("-----BEGIN PRIVATE KEY-----", "MIIEowIBAAKCAQEA7bq9zX", "-----END PRIVATE KEY-----")
    (folder / "key.txt").write_text("\n".join(("first", *key, "last")))
    assert [line.split()[-1] for line in maverick("blame", "key.txt").out.splitlines()] == [
        "first",
        *["[secret]"] * 3,
        "last",
    ]
    assert maverick("blame", "key.txt:3").out.startswith("line    3: [secret]\n")
    assert json.loads(maverick("blame", "key.txt:3", "--json").out)[0]["text"] == f"{key[1]}\n"
    (folder / "empty").touch()
    assert maverick("blame", "empty").out == ""
