"""Chosen files and hunks are committed by git itself, and what else is staged or not stays so."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import Git
from maverick_tui.review import staged
from maverick_tui.review.commit_preview import Whole, preview
from maverick_tui.review.committing import Chosen, Shown, commit, head_of, look_of, uncommitted
from maverick_tui.review.kinds import START, ChangedHunk, Scope
from maverick_tui.review.run_review import RunReview
from tests.review.played import PlayedRun
from tests.snapshots.folders import git, project, project_with_committer, theirs

RUN = "run-aaaa"
LINES = "".join(f"line {number}\n" for number in range(40))


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    return project_with_committer(tmp_path / "project")


def hook(folder: Path, name: str, script: str) -> None:
    path = folder / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def shown(folder: Path, what: str = "HEAD") -> list[str]:
    """The files of a commit, with what became of them."""
    return git(folder, "show", "--format=", "--name-status", "--no-renames", what).splitlines()


def part(review: RunReview, path: str, *hunks: ChangedHunk) -> Chosen:
    return Chosen(path, review.part(START, path, hunks))


def test_files_with_hooks_and_signature_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    for name in ("gone", "staged", "both"):
        (folder / name).write_text(f"{name}\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "more")
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"):
        hook(folder, name, f'echo {name} >> {tmp_path}/ran; test -z "$GIT_TRAP"')
    signer = tmp_path / "signer"
    signer.write_text("#!/bin/sh\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho SIGNED\n")
    signer.chmod(0o755)
    git(folder, "config", "gpg.program", str(signer))
    git(folder, "config", "commit.gpgSign", "true")
    (folder / "staged").write_text("staged by me\n")
    (folder / "both").write_text("staged by me\n")
    git(folder, "add", "staged", "both")
    (folder / "both").write_text("staged by me, and changed since\n")
    (folder / "b.txt").write_text("not staged\n")
    (folder / "mine").write_text("not tracked\n")
    (folder / "a.txt").write_text("by the run\n")
    (folder / "a.txt").chmod(0o755)
    (folder / "new dir").mkdir()
    (folder / "new dir" / "ü").write_text("new\n")
    (folder / "gone").unlink()
    chosen = [Chosen("a.txt"), Chosen("new dir/ü"), Chosen("gone")]
    done = commit(folder, chosen, "What the run did\n\nAll of it.\n")
    assert done.commit == git(folder, "rev-parse", "HEAD")
    assert done.note == ""
    assert shown(folder) == ["M\ta.txt", "D\tgone", 'A\t"new dir/\\303\\274"']
    assert "SIGNED" in git(folder, "cat-file", "commit", "HEAD")
    assert git(folder, "log", "-1", "--format=%B%an").startswith("What the run did\n\nAll of it.\n")
    assert (tmp_path / "ran").read_text().split() == ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"]
    assert git(folder, "status", "--porcelain").splitlines() == [" M b.txt", "MM both", "M  staged", "?? mine"]
    assert git(folder, "show", ":both") == "staged by me"
    # What is chosen as a whole is committed as it is now, whatever of it is staged.
    commit(folder, [Chosen("both")], "Both")
    assert git(folder, "status", "--porcelain").splitlines() == [" M b.txt", "M  staged", "?? mine"]
    assert git(folder, "show", "HEAD:both") == "staged by me, and changed since"
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "exclude").write_text("ignored\n")
    (folder / "ignored").write_text("ignored\n")
    (folder / "new dir" / "x").write_text("x\n")
    names = ["a.txt", "b.txt", "both", "gone", "ignored", "mine", "new dir/x", "new dir/ü", "staged"]
    assert uncommitted(folder, names) == {"b.txt", "mine", "new dir/x", "staged"}
    assert uncommitted(folder / "new dir", ["x", "ü"]) == {"x"}
    with pytest.raises(ConfigError, match="in no git repository"):
        uncommitted(tmp_path, ["x"])


def test_what_would_be_taken_out_beside_what_is_chosen_is_named_and_nothing_is_committed(folder: Path) -> None:
    for name in ("lib/f1", "lib/f2"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(LINES)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "lines")
    (folder / "lib").rename(folder / "moved")
    (folder / "lib").write_text("a file\n")
    before = theirs(folder)
    with pytest.raises(ConfigError, match="lib/f1 and 1 more would be taken out"):
        commit(folder, [Chosen("lib")], "One file")
    assert {**theirs(folder), **before} == theirs(folder)
    commit(folder, [Chosen("lib"), Chosen("lib/f1"), Chosen("lib/f2")], "All of it")
    assert sorted(shown(folder)) == ["A\tlib", "D\tlib/f1", "D\tlib/f2"]


def test_a_commit_comes_after_what_was_looked_at_or_not_at_all(folder: Path) -> None:
    git(folder, "branch", "side")
    (folder / "a.txt").write_text("by the run\n")
    seen = head_of(Git(folder))
    assert seen.branch == "refs/heads/main"
    switched, committed = ["symbolic-ref", "HEAD", "refs/heads/side"], ["commit", "--quiet", "--allow-empty", "-m", "x"]
    for command in (switched, committed):
        git(folder, *command)
        before = theirs(folder)
        with pytest.raises(ConfigError, match="another branch is checked out"):
            commit(folder, [Chosen("a.txt")], "Mine", Shown(seen))
        assert theirs(folder) == before
        git(folder, "symbolic-ref", "HEAD", "refs/heads/main")


def test_what_changes_while_the_files_are_read_is_not_committed(folder: Path) -> None:
    git(folder, "config", "filter.slow.clean", "echo unseen > b.txt; cat")
    (folder / ".gitattributes").write_text("a.txt filter=slow\n")
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("by the run\n")
    shown = Shown(head_of(Git(folder)), {name: look_of(folder / name) for name in ("a.txt", "b.txt")})
    with pytest.raises(ConfigError, match="has changed since it was shown"):
        commit(folder, [Chosen("a.txt"), Chosen("b.txt")], "Both", shown)


def test_what_git_overlooks_is_said_to_be_left_out(folder: Path) -> None:
    git(folder, "update-index", "--skip-worktree", "a.txt")
    (folder / "a.txt").write_text("by the run\n")
    (folder / "b.txt").write_text("by the run\n")
    done = commit(folder, [Chosen("a.txt"), Chosen("b.txt")], "Both")
    assert shown(folder) == ["M\tb.txt"]
    assert done.note == "It has nothing of a.txt: for git, that is as it was committed."


def test_hunks_beside_what_is_staged_in_the_same_file(folder: Path) -> None:
    (folder / "a.txt").write_text(LINES)
    git(folder, "commit", "--quiet", "-a", "-m", "lines")
    (folder / "a.txt").write_text(LINES.replace("line 20\n", "staged\n"))
    git(folder, "add", "a.txt")
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "line 2\n", "two\n")
    run.edit("a.txt", "line 38\n", "")
    review = RunReview(RUN)
    assert [one.path for one in review.files()] == ["a.txt"]
    first, second = review.hunks(START, "a.txt")
    commit(folder, [part(review, "a.txt", first)], "Two")
    assert git(folder, "show", "HEAD:a.txt") + "\n" == LINES.replace("line 2\n", "two\n")
    staged = LINES.replace("line 2\n", "two\n").replace("line 20\n", "staged\n")
    assert git(folder, "show", ":a.txt") + "\n" == staged
    assert (folder / "a.txt").read_text() == staged.replace("line 38\n", "")
    # What is staged in the very lines is not lost, and not committed, either.
    (folder / "a.txt").write_text(staged.replace("line 37\n", "mine\n"))
    git(folder, "add", "a.txt")
    before = theirs(folder)
    with pytest.raises(ConfigError, match="something else is staged in a"):
        commit(folder, [part(review, "a.txt", second)], "Thirty-eight")
    assert {**theirs(folder), **before} == theirs(folder)
    # Nor do hunks fit that stand beside others which are not committed.
    git(folder, "reset", "--quiet")
    call = Scope("call", call=run.edit("a.txt", "line 36\n", "thirty-six\n"))
    review.refresh()
    review.files()
    with pytest.raises(ConfigError, match="does not fit what is committed"):
        commit(folder, [Chosen("a.txt", review.part(call, "a.txt", review.hunks(call, "a.txt")))], "Thirty-six")


def test_chosen_hunks_are_committed_where_they_stand_and_nothing_of_the_person_with_them(folder: Path) -> None:
    block = "  host: x\n  port: 1\n  user: u\n  debug: false\n  a: 1\n  b: 2\n  c: 3\n"
    lines = f"first:\n{block}second:\n{block}{LINES}\nÿ".encode("latin-1")
    (folder / "a.txt").write_bytes(lines)
    git(folder, "commit", "--quiet", "-a", "-m", "lines")
    mine = b"".join(b"my own note %d\n" % number for number in range(7))
    (folder / "a.txt").write_bytes(mine + lines)
    run = PlayedRun(folder, RUN)
    changed = lines.replace(b"false", b"TRUE", 1)
    run.bash(lambda: (folder / "a.txt").write_bytes(mine + changed.replace(b"\xff", b"\xfe")))
    review = RunReview(RUN)
    review.files()
    first, second = review.hunks(START, "a.txt")
    commit(folder, [part(review, "a.txt", first)], "Debug")
    assert blob(folder, "HEAD:a.txt") == changed, "the other block has these lines, too"
    commit(folder, [part(review, "a.txt", first, second)], "All")
    assert blob(folder, "HEAD:a.txt") == changed.replace(b"\xff", b"\xfe"), "bytes that are no UTF-8 stay what they are"
    assert git(folder, "diff", "--numstat") == "7\t0\ta.txt"


def blob(folder: Path, name: str) -> bytes:
    return subprocess.run(["git", "cat-file", "blob", name], cwd=folder, check=True, capture_output=True).stdout


def test_hunks_that_are_all_of_a_file(folder: Path) -> None:
    git(folder, "config", "filter.upper.clean", "tr a-z A-Z; echo shouting >&2")
    (folder / ".gitattributes").write_text("*.up filter=upper\n")
    (folder / "x.up").write_text(LINES)
    (folder / "gone.txt").write_text("gone\n")
    (folder / "link").symlink_to("a.txt")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "more")
    (folder / "b.txt").write_text("mine\n")
    run = PlayedRun(folder, RUN)

    def work() -> None:
        for path in ("gone.txt", "b.txt", "a.txt", "link"):
            (folder / path).unlink()
        (folder / "a.txt").symlink_to("new link")
        (folder / "link").symlink_to("b.txt")
        (folder / "new link").symlink_to("b.txt")
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
        (folder / "x.up").write_text(LINES.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n"))

    run.bash(work)
    review = RunReview(RUN)
    review.files()
    hunks = {path: review.hunks(START, path) for path in ("gone.txt", "link", "new link", "tool", "x.up", "b.txt")}
    with pytest.raises(ConfigError, match=r"'a.txt' is a link now, or was one"):
        part(review, "a.txt", *review.hunks(START, "a.txt"))
    with pytest.raises(ConfigError, match=r"chosen of b.txt does not fit"):
        commit(folder, [part(review, "b.txt", *hunks.pop("b.txt"))], "Not what is committed is gone")
    commit(folder, [part(review, path, some[0]) for path, some in hunks.items()], "All of them")
    assert shown(folder) == ["D\tgone.txt", "M\tlink", "A\tnew link", "A\ttool", "M\tx.up"]
    assert git(folder, "show", "HEAD:x.up") + "\n" == LINES.replace("line 3\n", "three\n").upper()
    assert git(folder, "ls-tree", "--format=%(objectmode)", "HEAD", "link", "new link", "tool").split() == [
        "120000", "120000", "100755",
    ]  # fmt: skip
    assert git(folder, "status", "--porcelain").splitlines() == [" T a.txt", " D b.txt", " M x.up"]


def test_what_a_commit_of_whole_files_would_have_is_known_before(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.txt").write_text(LINES)
    (folder / "old.txt").write_text(LINES.upper())
    (folder / "x.up").write_text("x\n")
    (folder / ".gitattributes").write_text("*.up filter=upper\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "lines")
    git(folder, "config", "filter.upper.clean", f"touch {tmp_path}/ran; tr a-z A-Z")
    git(folder, "config", "filter.other.clean", "cat")
    hook(folder, "pre-commit", f"touch {tmp_path}/ran")
    (folder / "a.txt").write_text(LINES.replace("line 20\n", "mine\n"))
    (folder / "mine.txt").write_text("mine\n" * 5)
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "line 2\n", "two\n")
    run.edit("mine.txt", "mine\nmine\nmine\n", "two\n")
    run.write("new.txt", "new\n")
    run.bash(lambda: (folder / "new.txt").chmod(0o755), "chmod +x new.txt")
    run.write("bin", "\0")
    run.write("x.up", "y\n")
    run.bash(lambda: (folder / "a.txt").chmod(0o755), "chmod +x a.txt")
    run.bash(lambda: (folder / "old.txt").rename(folder / "moved.txt"), "mv old.txt moved.txt")
    run.edit("moved.txt", "LINE 2\n", "TWO\n")
    review = RunReview(RUN)
    told = preview(review, START, review.files(), [])
    assert told.whole == {
        "a.txt": Whole(2, 2, unshown=2, mode="executable"),
        "bin": Whole(is_binary=True),
        "mine.txt": Whole(3, 0, unshown=2),
        "moved.txt": Whole(1, 1),
        "new.txt": Whole(1, 0, mode="executable"),
        "x.up": Whole(filter="upper"),
    }
    assert told.runs == [".git/hooks/pre-commit", "filter.upper.clean", "filter.other.clean"]
    assert told.shown.looks.keys() == {*told.whole, "old.txt"}, "what is written there anew has not been shown"
    assert told.shown.looks["old.txt"] is None
    (first,) = review.hunks(START, "a.txt")
    before = theirs(folder)
    assert preview(review, START, review.files(), told.whole).whole == {}
    assert (theirs(folder), (tmp_path / "ran").exists()) == (before, False)
    # What is left once the run's own is committed is the person's alone, however many lines it has.
    commit(folder, [part(review, "a.txt", first)], "Two")
    assert preview(review, START, review.files(), []).whole["a.txt"] == Whole(1, 1, unshown=2, mode="executable")
    # Hooks in a folder that the person has chosen for all repositories are theirs.
    (tmp_path / "settings").write_text(f"[core]\n\thooksPath = {folder}/.git/hooks\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    # And git looks at files that are not chosen through their filters.
    assert preview(review, START, [], []).runs == ["filter.upper.clean", "filter.other.clean"]


@pytest.mark.parametrize("hidden", [["--", ".gitattributes"], ["--cached", "--", "b.up"]])
def test_filters_are_named_that_only_the_index_of_the_commit_has_files_go_through(
    folder: Path, tmp_path: Path, hidden: list[str]
) -> None:
    for name, text in (("a.up", "a\n"), ("b.up", "b\n"), (".gitattributes", "[ab].up filter=upper\n")):
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "lines")
    git(folder, "rm", "--quiet", *hidden)
    git(folder, "config", "filter.upper.clean", f"touch {tmp_path}/ran; tr a-z A-Z")
    run = PlayedRun(folder, RUN)
    run.edit("a.up", "a\n", "x\n")
    review = RunReview(RUN)
    told = preview(review, START, review.files(), [])
    assert (told.runs, told.whole) == (["filter.upper.clean"], {"a.up": Whole(filter="upper")})
    commit(folder, [Chosen("a.up")], "X")
    assert (tmp_path / "ran").exists()
    assert git(folder, "show", "HEAD:a.up").strip() == "X"


def test_what_git_is_told_to_take_for_binary_is_counted_all_the_same(folder: Path) -> None:
    (folder / "a.txt").write_text(LINES)
    (folder / "bin").write_bytes(b"\0a\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "lines")
    (folder / "a.txt").write_text(LINES.replace("line 20\n", "mine\n"))
    run = PlayedRun(folder, RUN)
    run.write(".gitattributes", "* -diff\n")
    run.edit("a.txt", "line 2\n", "two\n")
    run.write("bin", "\0b\n")
    review = RunReview(RUN)
    assert preview(review, START, review.files(), []).whole == {
        ".gitattributes": Whole(1, 0),
        "a.txt": Whole(2, 2, unshown=2),
        "bin": Whole(is_binary=True),
    }


def test_hooks_that_refuse_and_hooks_that_change_files(folder: Path) -> None:
    (folder / "a.txt").write_text("one\n2\nthree\n")
    (folder / "b.txt").write_text("staged\n")
    git(folder, "add", "b.txt")
    hook(folder, "pre-commit", "echo 'the tests\033[31m fail'; exit 3")
    before = theirs(folder)
    with pytest.raises(ConfigError, match="the tests␛\\[31m fail"):
        commit(folder, [Chosen("a.txt")], "Two")
    unchanged = {name: data for name, data in theirs(folder).items() if name in before}
    assert unchanged == before
    hook(folder, "pre-commit", "echo formatted >> a.txt; git add a.txt")
    git(folder, "tag", "REVERT_HEAD")  # which says nothing of a revert
    commit(folder, [Chosen("a.txt")], "Two")
    assert git(folder, "show", "HEAD:a.txt") == "one\n2\nthree\nformatted"
    assert git(folder, "status", "--porcelain") == "M  b.txt"


def unfinished(folder: Path) -> None:
    (folder / ".git" / "MERGE_HEAD").write_text(git(folder, "rev-parse", "HEAD"))


def with_a_stash_to_apply(folder: Path) -> None:
    """As a clone can come: git would write a stash over files once anything is committed."""
    (folder / ".git" / "MERGE_AUTOSTASH").write_text(git(folder, "rev-parse", "HEAD"))


def with_one_among_other_references(folder: Path) -> None:
    """Git finds it there as well, as it does in tables."""
    (folder / ".git" / "packed-refs").write_text(f"{git(folder, 'rev-parse', 'HEAD')} MERGE_AUTOSTASH\n")


def locked(folder: Path) -> None:
    (folder / ".git" / "index.lock").touch()


def ignoring(folder: Path) -> None:
    (folder / ".git" / "info").mkdir(exist_ok=True)
    (folder / ".git" / "info" / "exclude").write_text("a.*\n")
    git(folder, "rm", "--quiet", "--cached", "a.txt")


def nested(folder: Path) -> None:
    project(folder / "lib")


@pytest.mark.parametrize(
    ("prepare", "path", "message", "why"),
    [
        (unfinished, "a.txt", "m", "a merge is not finished there"),
        (with_a_stash_to_apply, "a.txt", "m", "a merge is not finished there"),
        (with_one_among_other_references, "a.txt", "m", "a merge is not finished there"),
        (locked, "a.txt", "m", "another git is at work there"),
        (ignoring, "a.txt", "m", "git ignores a.txt"),
        (nested, "lib/a.txt", "m", "lib/a.txt belongs to the repository in"),
        (None, "a.txt", " \n", "there is no message"),
        (None, "b.txt", "m", "nothing that is chosen differs"),
    ],
)
def test_what_cannot_be_committed(
    folder: Path, prepare: Callable[[Path], None] | None, path: str, message: str, why: str
) -> None:
    (folder / "a.txt").write_text("changed\n")
    if prepare is not None:
        prepare(folder)
    before = theirs(folder)
    with pytest.raises(ConfigError, match=f"Nothing was committed: {why}") as refused:
        commit(folder, [Chosen(path)], message)
    assert theirs(folder) == before
    if prepare is with_a_stash_to_apply:
        assert "git merge --quit" in refused.value.hint
        git(folder, "merge", "--quit")
        commit(folder, [Chosen(path)], message)


def test_hunks_of_a_file_that_git_does_not_have_are_not_all_of_it(folder: Path) -> None:
    (folder / "mine.txt").write_text(LINES)  # nobody but the person has seen most of it
    (folder / "old.txt").write_text(LINES)
    git(folder, "add", "old.txt")
    git(folder, "commit", "--quiet", "-m", "old")
    run = PlayedRun(folder, RUN)
    run.edit("mine.txt", "line 3\n", "three\n")
    run.edit("mine.txt", "line 30\n", "thirty\n")
    run.bash(lambda: (folder / "old.txt").rename(folder / "moved.txt"), "mv old.txt moved.txt")
    run.edit("moved.txt", "line 3\n", "three\n")
    before = theirs(folder)
    for path in ("mine.txt", "moved.txt"):
        review = RunReview(RUN)
        first, *_ = review.hunks(START, path)
        with pytest.raises(ConfigError, match=f"Nothing was committed: git has no {path} yet"):
            commit(folder, [part(review, path, first)], "One hunk")
    assert theirs(folder) == before


@pytest.mark.explore
def test_the_first_commit_a_detached_head_filters_and_line_endings(folder: Path, tmp_path: Path) -> None:
    git(folder, "switch", "--quiet", "--detach")
    git(folder, "config", "filter.upper.clean", "tr a-z A-Z")
    git(folder, "config", "core.autocrlf", "input")
    (folder / ".gitattributes").write_text("*.up filter=upper\n")
    (folder / "x.up").write_text("shout\n")
    done = commit(folder, [Chosen("x.up")], "Shout")
    assert done.note == "No branch has it: HEAD is detached."
    assert git(folder, "show", "HEAD:x.up") == "SHOUT"
    (folder / "a.txt").write_bytes(LINES.replace("\n", "\r\n").encode())
    git(folder, "commit", "--quiet", "-a", "-m", "lines")
    run = PlayedRun(folder, RUN)
    run.bash(
        lambda: (folder / "a.txt").write_bytes(LINES.replace("\n", "\r\n").replace("line 3\r", "three\r").encode())
    )
    review = RunReview(RUN)
    review.files()
    commit(folder, [part(review, "a.txt", *review.hunks(START, "a.txt"))], "Three")
    assert git(folder, "show", "HEAD:a.txt") + "\n" == LINES.replace("line 3\n", "three\n")

    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "--quiet", "--initial-branch", "main")
    git(empty, "config", "user.name", "Ada")
    git(empty, "config", "user.email", "ada@example.org")
    (empty / "one").write_text("1\n")
    (empty / "two").write_text("2\n")
    git(empty, "add", "two")
    commit(empty, [Chosen("one")], "First")
    assert shown(empty) == ["A\tone"]
    assert git(empty, "status", "--porcelain") == "A  two"


def test_a_signer_is_not_told_of_our_terminal(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPG_TTY", "/dev/pts/7")
    hook(folder, "pre-commit", 'echo "terminal: $GPG_TTY."')
    (folder / "a.txt").write_text("by the run\n")
    assert commit(folder, [Chosen("a.txt")], "It").said.startswith("terminal: .")


def test_what_somebody_commits_meanwhile_is_not_undone(folder: Path) -> None:
    (folder / "b.txt").write_text("by somebody else\n")
    git(folder, "commit", "--quiet", "-m", "theirs", "b.txt")
    theirs = git(folder, "rev-parse", "HEAD")
    git(folder, "reset", "--quiet", "--soft", "HEAD^")
    git(folder, "config", "filter.slow.clean", f"git update-ref HEAD {theirs}; cat")
    (folder / ".gitattributes").write_text("a.txt filter=slow\n")
    (folder / "a.txt").write_text("by the run\n")
    with pytest.raises(ConfigError, match="somebody else has committed"):
        commit(folder, [Chosen("a.txt")], "It")
    assert git(folder, "rev-parse", "HEAD") == theirs


def test_what_is_only_meant_to_be_added_stays_so(folder: Path) -> None:
    (folder / "meant").write_text("later\n")
    git(folder, "add", "--intent-to-add", "meant")
    (folder / "tool").write_text("#!/bin/sh\n")
    (folder / "tool").chmod(0o755)
    commit(folder, [Chosen("tool")], "A tool")
    assert git(folder, "show", "--format=", "--summary", "HEAD").strip() == "create mode 100755 tool"
    assert git(folder, "status", "--short").strip() == "A meant"
    commit(folder, [Chosen("meant")], "Now")
    assert shown(folder) == ["A\tmeant"]
    assert git(folder, "status", "--short") == ""


def test_a_hunk_is_kept_in_the_encoding_of_the_repository(folder: Path) -> None:
    (folder / ".gitattributes").write_text("a.txt working-tree-encoding=ISO-8859-1\n")
    (folder / "a.txt").write_bytes(LINES.replace("line 3\n", "café\n").encode("latin-1"))
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "latin")
    run, latin = PlayedRun(folder, RUN), (folder / "a.txt").read_bytes()
    new = latin.replace(b"line 5\n", "naïve\n".encode("latin-1")).replace(b"line 30\n", b"thirty\n")
    run.bash(lambda: (folder / "a.txt").write_bytes(new), "sed -i ...")
    review = RunReview(RUN)
    first, _ = review.hunks(START, "a.txt")
    commit(folder, [part(review, "a.txt", first)], "Naive")
    assert "naïve" in git(folder, "show", "HEAD:a.txt")
    assert git(folder, "diff", "--stat").strip().endswith("1 insertion(+), 1 deletion(-)")


def test_what_a_hook_leaves_in_the_background_is_not_waited_for(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(gate := tmp_path / "gate")
    hook(folder, "post-commit", f"cat {gate} &\necho indexing")
    (folder / "a.txt").write_text("by the run\n")
    assert "indexing" in commit(folder, [Chosen("a.txt")], "It").said, "it would hang here"
    assert git(folder, "status", "--short") == ""
    gate.write_text("")  # it still reads: else this would hang


def test_a_commit_that_is_there_counts_whatever_has_become_of_git(folder: Path) -> None:
    hook(folder, "post-commit", "kill -9 $PPID")
    (folder / "new.txt").write_text("new\n")
    done = commit(folder, [Chosen("new.txt")], "More")
    assert (shown(folder), done.commit) == (["A\tnew.txt"], git(folder, "rev-parse", "HEAD"))
    assert git(folder, "status", "--short") == "", "nothing stages its deletion"
    hook(folder, "pre-commit", "kill -9 $PPID")
    (folder / "new.txt").write_text("newer\n")
    with pytest.raises(ConfigError, match="has refused"):
        commit(folder, [Chosen("new.txt")], "Never")
    assert (shown(folder), git(folder, "status", "--short").strip()) == (["A\tnew.txt"], "M new.txt")


@pytest.mark.parametrize("is_named", [True, False])
def test_what_is_advised_where_the_index_cannot_be_brought_up_to_date_leaves_what_is_staged(
    is_named: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged, "_TRIES", 1)
    monkeypatch.setattr(staged, "_MOST_NAMED", int(is_named))
    (folder / "mine.py").write_text("staged, and nowhere else\n")
    git(folder, "add", "mine.py")
    (folder / "mine.py").write_text("another try\n")
    (folder / "a.txt").write_text("the run's work\n")
    hook(folder, "pre-commit", f"touch '{folder}/.git/index.lock'")  # as an editor's own git may hold it
    note = commit(folder, [Chosen("a.txt")], "It").note
    (folder / ".git" / "index.lock").unlink()
    advice = note.split("`")[1]
    assert advice.endswith(" -- a.txt") is is_named
    subprocess.run(advice, shell=True, check=True, capture_output=True)
    assert git(folder, "status", "--short").split("\n") == ["AM mine.py"]
    assert git(folder, "show", ":mine.py") == "staged, and nowhere else"
