"""Snapshots of folders: all that is in them, bit for bit, and nothing of the person's git is touched."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import paths
from maverick_tui.exceptions import ConfigError
from maverick_tui.git.changing import GitError
from maverick_tui.git.keeping import KeepingGit
from maverick_tui.git.repository import find_repository
from maverick_tui.snapshots import taking
from maverick_tui.snapshots.adopting import adopt
from maverick_tui.snapshots.caps import Caps, NotTrackedError
from maverick_tui.snapshots.shadow import Shadow, all_shadows, release_others, root_of, shadows_folder
from maverick_tui.snapshots.snapshot import SECRET
from tests.snapshots.folders import OWNER, commit, content, git, kept, project, theirs


def odd_files(top: Path) -> None:
    """Every kind of thing that a folder may hold."""
    (top / "empty.txt").touch()
    (top / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (top / "binary").write_bytes(bytes(range(256)) * 40)
    (top / "link").symlink_to("a.txt")
    (top / "dangling").symlink_to("nowhere/at all")
    (top / "tool").write_text("#!/bin/sh\n")
    (top / "tool").chmod(0o755)
    (top / "private").write_text("mine\n")
    (top / "private").chmod(0o600)
    (top / "Case").write_text("upper\n")
    (top / "case").write_text("lower\n")
    (top / 'new\nline "quoted" *?[x]').write_text("odd\n")
    (top / os.fsdecode(b"latin-\xe9\xff")).write_text("no UTF-8\n")
    (top / "deep" / "er").mkdir(parents=True)
    (top / "deep" / "er" / "f").write_text("deep\n")
    (top / "hollow" / "inner").mkdir(parents=True)
    (top / ".gitattributes").write_text("*.txt text eol=crlf\n*.up filter=upper\n*.id ident\n")
    (top / "x.id").write_text("$Id: 0123 $\n")


def test_all_is_kept_bit_for_bit(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    git(top, "config", "filter.upper.clean", "tr a-z A-Z")
    git(top, "config", "filter.upper.smudge", "tr A-Z a-z")
    odd_files(top)
    (top / "same-size.up").write_text("lower case\n")
    git(top, "add", "--all")
    git(top, "commit", "--quiet", "-m", "odd")
    git(top, "update-index", "--assume-unchanged", "a.txt")
    (top / "a.txt").write_text("changed in silence\n")
    (top / "staged").write_text("staged\n")
    git(top, "add", "staged")
    (top / "staged").write_text("and changed again\n")
    (top / "b.txt").unlink()
    (top / ".gitignore").write_text("*.log\nbuild/\n")
    (top / "x.log").write_text("log\n")
    (top / "build" / "sub" / "void").mkdir(parents=True)
    (top / "build" / "sub" / "out.o").write_bytes(b"\0\1")
    own = theirs(top)
    shadow = Shadow(top)

    first = shadow.take(OWNER)
    assert kept(shadow, first) == content(top)
    assert first.left_out == {}
    assert shadow.take(OWNER) == first
    assert shadow.read(first.id) == first

    for name, data in (("Case", b"CHANGED\n"), ("x.log", b"more\n"), (os.fsdecode(b"new-\xfe"), b"\xff\xfe")):
        (top / name).write_bytes(data)
    (top / "private").chmod(0o640)
    (top / "tool").chmod(0o700)
    (top / "deep" / "er" / "f").rename(top / "deep" / "g")
    (top / "deep" / "er").rmdir()
    (top / "deep" / "er").symlink_to("..")
    (top / "link").unlink()
    (top / "link").mkdir()
    (top / "link" / "now a folder").write_text("x\n")
    (top / "build" / "sub" / "void").rmdir()
    second = shadow.take(OWNER)
    assert kept(shadow, second) == content(top)
    assert list(shadow.read_all([first.id, second.id, "0" * 40, "--all"])) == [first.id, second.id]
    assert theirs(top) == own
    assert stat.S_IMODE(shadow.place.stat().st_mode) == 0o700


def test_folders_without_git_without_commits_and_with_a_list_that_we_cannot_read(tmp_path: Path) -> None:
    plain, begun, split = (tmp_path / name for name in ("plain", "begun", "split"))
    plain.mkdir()
    begun.mkdir()
    git(begun, "init", "--quiet")
    project(split)
    git(split, "update-index", "--split-index")
    for top in (plain, begun, split):
        odd_files(top)
        shadow = Shadow(top)
        assert kept(shadow, shadow.take(OWNER)) == content(top)
    assert [one.folder for one in all_shadows()]
    assert root_of(begun / "deep") == begun


def test_what_git_has_is_copied_once_and_stays(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    first, before = shadow.take(OWNER), content(top)
    assert len(list(shadow.git.repository.glob("objects/pack/*.pack"))) == 1
    assert not list(shadow.git.repository.glob("adopted-*"))
    git(top, "worktree", "add", "--quiet", str(tmp_path / "beside"))
    beside = Shadow(tmp_path / "beside")
    beside.take(OWNER)
    (pack,) = shadow.git.repository.glob("objects/pack/*.pack")
    (shared,) = beside.git.repository.glob("objects/pack/*.pack")
    assert pack.samefile(shared), "what is known to be true is not looked at twice"
    shutil.rmtree(top / ".git")
    assert kept(shadow, first) == before
    poor = Shadow(project(tmp_path / "q"), Caps(new_bytes=15, adopted_bytes=15))  # less than there is: each is read
    with pytest.raises(NotTrackedError):
        poor.take(OWNER)


def test_what_was_adopted_for_a_run_goes_with_its_snapshots(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    commit(top, "secret", notes__txt="for nobody\n")
    shadow = Shadow(top)
    blob = git(top, "rev-parse", "HEAD:notes.txt")
    shadow.take(OWNER)
    (top / "notes.txt").unlink()
    left = shadow.take("run-2")
    assert shadow.blob(blob) == b"for nobody\n"
    shadow.release(OWNER)
    with pytest.raises(GitError):
        shadow.blob(blob)
    assert kept(shadow, left) == content(top)


def test_a_repository_in_a_merge_is_adopted_as_any_other(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    git(top, "switch", "--quiet", "-c", "other")
    for branch, text in (("other", "theirs\n"), ("main", "ours\n")):
        git(top, "switch", "--quiet", branch)
        commit(top, branch, a__txt=text)
    with pytest.raises(AssertionError):
        git(top, "merge", "--quiet", "other")
    assert "UU a.txt" in git(top, "status", "--short")
    shadow = Shadow(top)
    assert kept(shadow, shadow.take(OWNER)) == content(top)
    assert list(shadow.git.repository.glob("objects/pack/*.pack")), "what git has is taken over"


def test_what_is_tracked_is_kept_also_where_it_would_be_ignored(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / ".gitignore").write_text("many/\n")
    (top / "many").mkdir()
    for number in range(12):
        (top / "many" / str(number)).write_text("x")
    git(top, "add", "--force", "many/3")
    (top / "many" / "3").write_text("changed, so that it has to be read\n")
    shadow = Shadow(top, Caps(ignored_files=10))
    first = shadow.take(OWNER)
    assert "many/3" in kept(shadow, first)


def test_sparse_checkouts_hold_what_is_there(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    for name in ("in", "out"):
        (top / name).mkdir()
        (top / name / "f").write_text(f"{name}\n")
    commit(top, "folders")
    git(top, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    shadow = Shadow(top)
    first = shadow.take(OWNER)
    assert kept(shadow, first) == content(top)
    assert "out/f" not in content(top)
    (top / "out").mkdir()
    (top / "out" / "f").write_text("made by hand\n")
    assert kept(shadow, shadow.take(OWNER)) == content(top)


def test_repositories_inside_have_their_own_part(tmp_path: Path) -> None:
    top, other = project(tmp_path / "p"), project(tmp_path / "other")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "lib")
    git(top, "commit", "--quiet", "-m", "lib")
    project(top / "nested" / "in")
    project(top / "nested" / "in" / "deeper")
    (top / "lib" / "new").write_text("x\n")
    shadow = Shadow(top)
    first = shadow.take(OWNER)
    assert kept(shadow, first) == content(top)
    assert [part.at for part in first.parts] == ["", "lib/", "nested/in/", "nested/in/deeper/"]
    (top / "nested" / "in" / "deeper" / "a.txt").write_text("changed\n")
    second = shadow.take(OWNER)
    assert kept(shadow, second) == content(top)
    assert [a == b for a, b in zip(first.parts, second.parts, strict=True)] == [True, True, True, False]
    fewer = Shadow(top, Caps(files=8)).take(OWNER)
    assert fewer.left_out == {"nested/in/deeper/": "it holds more than 8 files"}


def test_what_the_persons_git_throws_away_stays(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / "a.txt").write_text("staged only\n")
    git(top, "add", "a.txt")
    shadow = Shadow(top)
    before = content(top)
    first = shadow.take(OWNER)
    git(top, "reset", "--quiet", "--hard")
    git(top, "checkout", "--quiet", "--orphan", "other")
    commit(top, "nothing of before", a__txt="new\n")
    git(top, "branch", "-D", "--quiet", "main")
    git(top, "reflog", "expire", "--expire=now", "--all")
    git(top, "gc", "--quiet", "--prune=now")
    assert kept(shadow, first) == before
    assert kept(shadow, shadow.take(OWNER)) == content(top)


def test_what_is_ignored_is_kept_while_it_is_small(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / ".gitignore").write_text("*.log\nmany/\nlarge/\nsmall/\n.env*\n")
    for number in range(12):
        (top / "many" / str(number)).parent.mkdir(exist_ok=True)
        (top / "many" / str(number)).write_text("x")
    for name, size in (("large/f", 3_000_000), ("x.log", 3_000_000), ("small/f", 10), ("y.log", 10)):
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_bytes(b"x" * size)
    (top / ".env").write_text("KEY=1\n")
    (top / ".env.example").write_text("KEY=\n")
    (top / "untracked.pem").write_text("key\n")
    (top / "small" / "id_rsa").write_text("key\n")
    (top / "server.key").write_text("tracked all the same\n")
    git(top, "add", "server.key")
    shadow = Shadow(top, Caps(ignored_files=10, ignored_bytes=2_000_000))
    first = shadow.take(OWNER)
    names = set(kept(shadow, first))
    assert names == {"a.txt", "b.txt", ".gitignore", "small/f", "y.log", ".env.example", "server.key"}
    assert first.left_out == {
        "many/": "git ignores it, and it holds more than 10 files",
        "large/": "git ignores it, and it holds more than 2 MB",
        "x.log": "git ignores it, and it holds more than 2 MB",
        ".env": SECRET,
        "untracked.pem": SECRET,
        "small/id_rsa": SECRET,
    }
    assert first.leaves_out("many/3")
    assert not first.leaves_out("small/f")
    git(top, "add", "untracked.pem")
    assert "untracked.pem" in kept(shadow, shadow.take(OWNER))


@pytest.mark.parametrize(
    ("caps", "reason"),
    [
        (Caps(files=1), "it holds more than 1 files"),
        (Caps(new_bytes=2_000_000), "more than 2 MB in it are new"),
        (Caps(seconds=0), "it takes more than 0 s to look at this folder"),
    ],
)
def test_too_much_is_not_tracked(caps: Caps, reason: str, tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / "big").write_bytes(b"x" * 3_000_000)
    with pytest.raises(NotTrackedError) as caught:
        Shadow(top, caps).take(OWNER)
    assert caught.value.message == f"Changes are not tracked here, because {reason}."
    assert "big" in kept(Shadow(top), Shadow(top).take(OWNER))  # the next one has nothing of it in its way


def test_one_file_that_is_too_large_or_cannot_be_kept_is_left_out(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / "big").write_bytes(b"x" * 3_000_000)
    (top / ".GIT").mkdir()
    (top / ".GIT" / "f").write_text("no list of git's may have it\n")
    first = Shadow(top, Caps(file_bytes=2_000_000)).take(OWNER)
    assert first.left_out == {"big": "it is larger than 2 MB", ".GIT/f": "git has no way to keep it"}
    (top / "a.txt").write_bytes(b"x" * 3_000_000)  # one that was small before
    assert "a.txt" in Shadow(top, Caps(file_bytes=2_000_000)).take(OWNER).left_out


def test_some_folders_are_refused(home: Path, tmp_path: Path) -> None:
    for folder in (home, home.parent, Path("/"), tmp_path / "nowhere", paths.user_state(), paths.user_state() / "runs"):
        with pytest.raises(NotTrackedError, match="Changes are not tracked here, because "):
            Shadow(folder)
    git(home, "init", "--quiet")
    (home / "code").mkdir()
    assert root_of(home / "code") == home / "code"  # and not all of the home directory around it
    worktree = paths.worktrees() / "shop-1" / "fixer-1"
    worktree.mkdir(parents=True)
    assert Shadow(worktree).take(OWNER).left_out == {}
    with pytest.raises(ConfigError):
        Shadow(worktree).take("../x")
    with pytest.raises(ConfigError):
        Shadow(worktree).read("0" * 40)


def test_snapshots_go_with_their_owners(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    one, two = shadow.take(OWNER), shadow.take("run-2")
    (top / "a.txt").write_text("of the first alone\n")
    lost = shadow.take(OWNER)
    (top / "a.txt").write_text("both\n")
    last = shadow.take("run-2")
    shadow.release(OWNER)
    assert [shadow.read(one.id) for one in (two, last)] == [two, last]
    with pytest.raises(ConfigError):
        shadow.read(lost.id)
    assert kept(shadow, shadow.take("run-2")) == content(top)
    shadow.release("run-2")
    assert list(shadows_folder().iterdir()) == []
    with pytest.raises(FileNotFoundError, match="of whoever works there"), shadow.alone():
        raise FileNotFoundError("of whoever works there")
    assert kept(shadow, shadow.take(OWNER)) == content(top)
    assert one.parts == two.parts


def test_nothing_stays_of_an_owner_who_was_the_last_at_work(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    mine, found = shadow.take(OWNER), content(top)
    leave_traces(shadow)
    shadow.release("run-2")
    assert not TRACES & all_files(shadow)
    assert kept(shadow, mine) == found
    assert kept(shadow, shadow.take(OWNER)) == content(top)


def test_what_could_not_be_let_go_of_goes_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shadow = Shadow(project(tmp_path / "p"))
    shadow.take(OWNER)
    leave_traces(shadow)
    shadow.git("repack", "-a", "-d", "-q")
    with monkeypatch.context() as patch:
        patch.setattr(KeepingGit, "__call__", failing_at("repack"))
        with pytest.raises(GitError, match="no room"):
            shadow.release("run-2")
    assert all_files(shadow) >= TRACES
    release_others({OWNER})
    assert not TRACES & all_files(shadow)
    assert not shadow.is_releasing
    monkeypatch.setattr(KeepingGit, "__call__", failing_at("repack"))
    release_others({OWNER})  # there is nothing to do


def test_where_they_cannot_be_let_go_of_others_go_all_the_same(tmp_path: Path) -> None:
    folders = {Shadow(project(tmp_path / name)).place: tmp_path / name for name in ("one", "two")}
    damaged, sound = (Shadow(folders[place]) for place in sorted(folders))
    for shadow in (damaged, sound):
        shadow.take(OWNER)
        leave_traces(shadow)
    lost = (damaged.git.repository / "refs" / "kept" / OWNER).read_text()
    (damaged.git.repository / "objects" / lost[:2]).rename(tmp_path / "lost")
    release_others({OWNER})
    assert damaged.is_releasing
    assert not TRACES & all_files(sound)


TRACES = {b"between\n", b"at last\n"}


def leave_traces(shadow: Shadow) -> None:
    """Have another run write files."""
    for text in sorted(TRACES):
        (shadow.folder / "new.txt").write_bytes(text)
        shadow.take("run-2")


def all_files(shadow: Shadow) -> set[bytes]:
    """What is in all files that are kept there, for whomever."""
    there = shadow.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)").decode()
    return {shadow.blob(line.split()[0]) for line in there.splitlines() if line.endswith(" blob")}


def failing_at(failing: str) -> Callable[..., bytes]:
    """A git that finds no room for this command."""
    really = KeepingGit.__call__

    def call(git: KeepingGit, command: str, *words: str, **how: Any) -> bytes:
        if command == failing:
            raise GitError("There is no room.")
        return really(git, command, *words, **how)

    return call


def test_snapshots_go_when_no_run_needs_them(tmp_path: Path) -> None:
    one, two = project(tmp_path / "one"), project(tmp_path / "two")
    for top in (one, two):
        Shadow(top).take(OWNER)
        Shadow(top).take("run-2")
    shutil.rmtree(two)
    release_others({"run-2"})
    assert [shadow.owners() for shadow in all_shadows()] == [["run-2"], ["run-2"]]
    (shadows_folder() / "0123.gone" / "repo").mkdir(parents=True)  # as one leaves it who is killed
    release_others(set())
    assert list(shadows_folder().iterdir()) == []


@pytest.mark.explore
def test_many_small_files_of_ours_are_put_together(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    for number in range(250):
        (top / f"{number}.txt").write_text(f"{number}\n")
    first, before = shadow.take(OWNER), content(top)
    shadow.tidy()
    assert len(list((shadow.git.repository / "objects").glob("??/*"))) < 20
    assert kept(shadow, first) == before
    (top / "7.txt").write_text("seven\n")
    assert kept(shadow, shadow.take(OWNER)) == content(top)


def test_somebody_who_was_killed_is_in_nobodys_way(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    first = shadow.take(OWNER)
    for lock in [*(shadow.place / "lists").glob("*/index"), shadow.git.repository / "refs" / "kept" / OWNER]:
        lock.with_name(f"{lock.name}.lock").touch()
    index = next((shadow.place / "lists").glob("*/index"))
    (top / "a.txt").write_text("changed\n")
    assert kept(shadow, shadow.take(OWNER)) == content(top)
    index.write_bytes(b"broken")
    (top / "a.txt").write_text("changed again\n")
    last = shadow.take(OWNER)
    assert kept(shadow, last) == content(top)
    assert replace(last, id="") != replace(first, id="")


def test_a_list_that_begins_with_theirs_is_as_old_as_theirs(tmp_path: Path) -> None:
    """Git remembers seconds: what has changed in the one in which it wrote its list, only the list's own time tells."""
    top = project(tmp_path / "p")
    shadow, index, repository = Shadow(top), tmp_path / "index", find_repository(top)
    assert repository is not None
    with shadow.alone():
        assert adopt(shadow.git, repository, index, 1_000_000, time.monotonic() + 60) == []
    assert index.stat().st_mtime_ns == (top / ".git" / "index").stat().st_mtime_ns


def test_a_second_change_that_keeps_size_and_time_is_seen(tmp_path: Path) -> None:
    """Git compares seconds: those in which the first one was read as well."""
    top = project(tmp_path / "p")
    inner = project(top / "inner")
    (top / ".gitignore").write_text("*.log\n")
    places = [top / "a.txt", top / "new.txt", inner / "a.txt", top / "ignored.log", top / "link"]
    shadow = Shadow(top)
    for text in ("one\n", "two\n", "six\n"):
        for place in places[:-1]:
            place.write_text(text)
            os.utime(place, (1_000_000_000, 1_000_000_000))
        places[-1].unlink(missing_ok=True)
        places[-1].symlink_to(text.strip())
        os.utime(places[-1], (1_000_000_000, 1_000_000_000), follow_symlinks=False)
        assert kept(shadow, shadow.take(OWNER)) == content(top)
    places[1].unlink()
    assert kept(shadow, shadow.take(OWNER)) == content(top)
    (top / ".gitignore").write_text("new.txt\n")
    places[1].write_text("ten\n")
    assert kept(shadow, shadow.take(OWNER)) == content(top)


def test_two_processes_take_turns(tmp_path: Path, mark: str) -> None:
    """While one holds the folder, the other waits; both snapshots are right."""
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    script = (
        "import sys; from pathlib import Path; from maverick_tui.snapshots.shadow import Shadow\n"
        "print('ready', flush=True); print(Shadow(Path(sys.argv[1])).take('run-2').id)"
    )
    root = Path(__file__).parents[2]
    with shadow.alone():
        other = subprocess.Popen(
            [sys.executable, "-P", "-c", script, str(top)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        (top / "a.txt").write_text("while it waits\n")
        assert other.poll() is None
    told, _ = other.communicate()
    assert kept(shadow, shadow.read(told.decode().strip())) == content(top)


def test_a_snapshot_that_was_cut_short_leaves_nothing_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list of files knows already what has changed, but nobody has seen its permissions."""
    monkeypatch.setattr(taking, "_RECENT", 0)  # as if it had been there for a while
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    shadow.take(OWNER)
    (top / "a.txt").write_text("changed\n")
    (top / "a.txt").chmod(0o600)
    with pytest.raises(NotTrackedError):
        Shadow(top, Caps(files=1)).take(OWNER)
    assert kept(shadow, shadow.take(OWNER)) == content(top)


def test_all_snapshots_of_a_folder_are_counted_whoever_takes_them(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    shadow = Shadow(top)
    assert [shadow.take(owner).number for owner in (OWNER, OWNER, "run-2")] == [1, 2, 3]
    shadow._forget()
    assert Shadow(top).take("run-2").number == 4, "also if all else has to be found out again"
    shadow.release(OWNER)
    assert shadow.take("run-2").number == 5
    (shadow.place / "number").unlink()  # as one of before has it
    assert shadow.take("run-2").number == 1
    before = shadow.take("run-2").number
    for damaged in (b"", b"\0\0", b"\xff"):  # as a machine that has lost its power may leave it
        (shadow.place / "number").write_bytes(damaged)
        after = shadow.take("run-2").number
        assert before < after < shadow.take("run-2").number, "and what was taken before stays before"
