"""A merge that git cannot finish: the project's files are as they were, or it is told which are not."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from maverick_tui import ConfigError
from maverick_tui.git.changing import Git
from maverick_tui.worktrees import ending
from maverick_tui.worktrees.making import make
from maverick_tui.worktrees.records import Worktree
from tests.worktrees.projects import commit, git, project_in, state

RUN = "0123456789ab"
LARGE = "0123456789abcdef" * 4096
MANY = 250
Seen = dict[str, tuple[int, bytes | str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One with files of every kind that a merge can replace."""
    folder = project_in(tmp_path / "shop")
    (folder / "folder" / "inner").mkdir(parents=True)
    (folder / "folder" / "inner" / "x.txt").write_text("x\n")
    (folder / "gone.txt").write_text("gone\n")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o700)
    (folder / "b.txt").chmod(0o600)
    (folder / "lines.txt").write_bytes(b"one\r\ntwo\r\n")
    (folder / "link").symlink_to("a.txt")
    (folder / "was-link").symlink_to("folder")
    git(folder, "config", "core.autocrlf", "true")
    commit(folder, "all kinds", __gitattributes="* -text\nlines.txt text\n")
    (folder / "folder" / "inner").chmod(0o700)
    (folder / "empty").mkdir()
    return folder


LittleRoom = Callable[..., AbstractContextManager[None]]


@pytest.fixture
def little_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LittleRoom:
    """Has commands of git's write no more than 32 KiB to a file, and go on with the next one, as on a full disk.

    `then` is run in the shell whenever one of them has ended, or one of those that it is to come `after`.
    """

    @contextmanager
    def given_to(*commands: str, then: str = "true", after: Sequence[str] = ()) -> Iterator[None]:
        cases, ends = ("|".join(f'*" {one} "*' for one in some) for some in (commands, after or commands))
        shim = tmp_path / "bin" / "git"
        shim.parent.mkdir()
        shim.write_text(
            f'#!/bin/sh\ncase "$*" in {cases}) trap "" XFSZ; ulimit -f 64;; esac\n'
            f'{shutil.which("git")} "$@"\ncode=$?\ncase "$*" in {ends}) {then};; esac\nexit $code\n'
        )
        shim.chmod(0o755)
        with monkeypatch.context() as patch:
            patch.setenv("PATH", str(shim.parent), prepend=os.pathsep)
            yield

    return given_to


def work_in(project: Path) -> Worktree:
    """A run's worktree in which all kinds of files are changed, some of them too large for the room there is."""
    made = make(RUN, "fixer", project).worktree
    top = made.top
    (top / "a.txt").write_text(LARGE)
    (top / "b.txt").write_text("better\n")
    (top / "gone.txt").unlink()
    shutil.rmtree(top / "folder")
    (top / "folder").symlink_to("/")
    (top / "was-link").unlink()
    (top / "was-link").mkdir()
    (top / "was-link" / "x.txt").write_text(LARGE)
    (top / "link").unlink()
    (top / "link").write_text(LARGE)
    (top / "run.sh").write_text(LARGE)
    (top / "lines.txt").write_bytes(b"three\r\n" * 8192)
    for place in ("new/deep", "empty"):
        (top / place).mkdir(parents=True)
        (top / place / "new.txt").write_text("new\n")
    (top / "empty" / "large.txt").write_text(LARGE)
    commit(top, "work")
    return made


def everything(project: Path) -> Seen:
    """All files, links and folders, but git's own."""
    found: Seen = {}
    for place in sorted(project.rglob("*")):
        name = str(place.relative_to(project))
        if not name.startswith(".git/"):
            what = str(place.readlink()) if place.is_symlink() else b"" if place.is_dir() else place.read_bytes()
            found[name] = (place.lstat().st_mode, what)
    del found[".git"]
    return found


def test_a_merge_that_cannot_write_all_files_leaves_all_as_it_was_and_works_once_there_is_room(
    project: Path, little_room: LittleRoom
) -> None:
    made = work_in(project)
    before, git_before = everything(project), state(project)
    with little_room("merge"), pytest.raises(ConfigError, match="unable to write file") as refused:
        ending.merge(made, "work")
    assert refused.value.message.endswith(" All files of the project are as they were.")
    assert everything(project) == before
    assert state(project) == git_before
    assert ending.merge(made, "work").commit == git(project, "rev-parse", "HEAD")
    assert git(project, "status", "--porcelain") == ""
    assert (project / "a.txt").read_text() == LARGE


def test_so_does_one_after_which_the_branch_cannot_be_moved(project: Path) -> None:
    made = work_in(project)
    before, git_before = everything(project), state(project)
    lock = project / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    with pytest.raises(ConfigError, match=r"main\.lock.* All files of the project are as they were"):
        ending.merge(made, "work")
    assert everything(project) == before
    assert state(project) == git_before
    lock.unlink()
    assert ending.merge(made, "work")


def test_what_another_git_writes_meanwhile_is_left_alone(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the index then, and what it writes may be the same as what was to be merged."""
    made = work_in(project)
    really, lock = Git.run, project / ".git" / "index.lock"
    new = [path for path in git(made.top, "ls-files").split("\n") if path.startswith("new/")]
    assert new

    def beside_another(self: Git, command: str, *arguments: str, **options: Any) -> bytes:
        if command == "merge":
            lock.touch()
            for path in new:
                (project / path).parent.mkdir(parents=True, exist_ok=True)
                (project / path).write_bytes((made.top / path).read_bytes())
        return really(self, command, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Git, "run", beside_another)
        with pytest.raises(ConfigError, match=r"another git is at work there.* No file was changed") as error:
            ending.merge(made, "work")
    assert "index.lock" in error.value.message
    assert [path for path in new if not (project / path).exists()] == []


def test_two_do_not_merge_at_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, really, is_alone = work_in(project), Git.run, list[bool]()

    def looked_at(self: Git, command: str, *arguments: str, **options: Any) -> bytes:
        if command in ("merge", "commit-tree"):
            folder = os.open(project / ".git", os.O_RDONLY)
            with pytest.raises(BlockingIOError):
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(folder)
            is_alone.append(True)
        return really(self, command, *arguments, **options)

    monkeypatch.setattr(Git, "run", looked_at)
    ending.merge(made, "work")
    assert is_alone


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.explore), signal.SIGHUP]
)
def test_so_does_one_that_is_interrupted(
    number: signal.Signals, project: Path, little_room: LittleRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = work_in(project)
    before, really, ignored = everything(project), Git.run, list[str]()

    def interrupted(self: Git, command: str, *arguments: str, **options: Any) -> bytes:
        try:
            return really(self, command, *arguments, **options)
        finally:
            if command == "merge":
                os.kill(os.getpid(), number)
            elif signal.getsignal(number) is signal.SIG_IGN:
                os.kill(os.getpid(), number)  # again, while the files are put back
                ignored.append(command)

    monkeypatch.setattr(Git, "run", interrupted)
    with little_room("merge"), pytest.raises((KeyboardInterrupt, SystemExit)):
        ending.merge(made, "work")
    assert ignored
    assert signal.getsignal(number) is not signal.SIG_IGN
    assert everything(project) == before


def test_one_that_is_interrupted_while_git_is_at_work_leaves_no_lock_behind(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(RUN, "fixer", project).worktree
    commit(made.top, "work", a__txt="more\n", z__txt="last\n")
    before, git_before = everything(project), state(project)
    name = git(project, "rev-parse", f"{made.branch}:z.txt")
    blob, lock = project / ".git" / "objects" / name[:2] / name[2:], project / ".git" / "index.lock"
    blob.unlink()
    os.mkfifo(blob)  # git waits for what it would have to write

    def interrupt_it() -> None:
        while not lock.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    class Waited(subprocess.Popen[bytes]):
        def communicate(self, *given: Any, **options: Any) -> tuple[bytes, bytes]:
            if isinstance(self.args, list) and "--ff-only" in self.args:  # that is the merge, and it has begun
                Thread(target=interrupt_it, daemon=True).start()
            return super().communicate(*given, **options)

    monkeypatch.setattr(subprocess, "Popen", Waited)
    with pytest.raises(KeyboardInterrupt):
        ending.merge(made, "work")
    assert not lock.exists()
    assert everything(project) == before
    assert state(project) == git_before


def test_what_was_saved_while_a_merge_failed_stays_and_is_named(project: Path, little_room: LittleRoom) -> None:
    made = work_in(project)
    before = everything(project)
    saved = f"printf mine > {project}/b.txt; printf mine > {project}/new/deep/mine.txt"
    with little_room("merge", then=saved), pytest.raises(ConfigError) as refused:
        ending.merge(made, "work")
    assert refused.value.message.endswith("Not as before, and perhaps half-written: b.txt.")
    assert "unless you have saved something there meanwhile" in refused.value.hint
    assert (project / "b.txt").read_text() == "mine"
    assert git(project, "status", "--porcelain") == " M b.txt\n?? new/"
    (project / "b.txt").write_text("b\n")
    (project / "b.txt").chmod(0o600)
    shutil.rmtree(project / "new")
    assert everything(project) == before


def test_so_does_what_was_saved_while_files_are_put_back(project: Path, little_room: LittleRoom) -> None:
    made = work_in(project)
    saved = f"printf mine > {project}/a.txt; printf mine > {project}/was-link/x.txt"
    with little_room("merge", then=saved, after=["cat-file"]), pytest.raises(ConfigError) as refused:
        ending.merge(made, "work")
    assert "a.txt, was-link" in refused.value.message
    assert (project / "a.txt").read_text() == (project / "was-link" / "x.txt").read_text() == "mine"


def save_before_renaming(monkeypatch: pytest.MonkeyPatch, name: str, *, once_more: bool = False) -> None:
    """Has somebody save a file at the last moment before it gets another name, and perhaps once more at the next."""
    really = Path.rename

    def renamed(self: Path, target: Path) -> Path:
        saved = self.name == name
        if saved:
            self.write_text("mine")
        really(self, target)
        if saved and once_more:
            self.write_text("newer")
        return target

    monkeypatch.setattr(Path, "rename", renamed)


@pytest.mark.parametrize("has_links", [True, False])
def test_so_does_what_was_saved_at_the_very_moment_in_which_a_file_goes(
    project: Path, little_room: LittleRoom, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    made = work_in(project)
    save_before_renaming(monkeypatch, "b.txt")
    if not has_links:
        monkeypatch.setattr(os, "link", refuse_links)
    with little_room("merge"), pytest.raises(ConfigError, match=r"half-written: b\.txt\. "):
        ending.merge(made, "work")
    assert (project / "b.txt").read_text() == "mine"
    assert git(project, "status", "--porcelain") == " M b.txt"


def refuse_links(*_: object, **__: object) -> None:
    """As FAT does."""
    raise PermissionError


def test_where_that_is_saved_twice_both_stay_and_are_named(
    project: Path, little_room: LittleRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = work_in(project)
    save_before_renaming(monkeypatch, "b.txt", once_more=True)
    with little_room("merge"), pytest.raises(ConfigError) as refused:
        ending.merge(made, "work")
    (aside,) = project.glob(".maverick-*")
    assert refused.value.message.endswith(f"half-written: b.txt, {aside.name}.")
    assert ((project / "b.txt").read_text(), aside.read_text()) == ("newer", "mine")


def test_what_stood_in_the_way_of_a_merge_stays_even_if_it_is_like_what_the_merge_brings(project: Path) -> None:
    made = work_in(project)
    (project / "empty" / "new.txt").touch()
    before = everything(project)
    with pytest.raises(ConfigError, match=r"untracked .* All files of the project are as they were"):
        ending.merge(made, "work")
    assert everything(project) == before


def test_where_there_is_no_room_to_put_files_back_they_are_named_with_the_way_back(
    project: Path, little_room: LittleRoom
) -> None:
    commit(project, "large", a__txt=LARGE, b__txt=LARGE)
    made = make(RUN, "fixer", project).worktree
    commit(made.top, "larger", a__txt=LARGE.upper(), c__txt=LARGE)
    before = everything(project)
    with little_room("merge", "checkout-index"), pytest.raises(ConfigError, match="unable to write file") as refused:
        ending.merge(made, "larger")
    assert refused.value.message.endswith(" Not as before, and perhaps half-written: a.txt.")
    assert f"`git checkout HEAD FILE` in {project} puts a file back" in refused.value.hint
    git(project, "checkout", "--quiet", "HEAD", "a.txt")
    assert everything(project) == before
    assert ending.merge(made, "larger")


@pytest.mark.explore  # the others put files back as well, only fewer
def test_many_files_are_put_back_with_few_questions_also_if_they_have_odd_names_and_other_ends_of_lines(
    project: Path, little_room: LittleRoom, tmp_path: Path
) -> None:
    commit(project, "attributes", __gitattributes="* -text\n*.txt text eol=crlf\n")
    made = make(RUN, "fixer", project).worktree
    for number in range(MANY):
        (made.top / f"ö {number}\t'.txt").write_text("new\n" * (number + 1))
    for name in (" blank.txt", "blank.txt"):
        (made.top / name).write_text(f"new {name}\n")
    (made.top / "large.txt").write_text(LARGE)
    (made.top / "link").unlink()
    (made.top / "link").symlink_to("b.txt")
    commit(made.top, "many", __gitattributes="* -text\n*.txt text eol=crlf\n*.md text\n")
    before, asked = everything(project), tmp_path / "asked"
    with little_room("merge", then=f"echo >> {asked}", after=["cat-file"]), pytest.raises(ConfigError) as refused:
        ending.merge(made, "many")
    assert refused.value.message.endswith(" All files of the project are as they were.")
    assert everything(project) == before
    assert len(asked.read_text()) < MANY / 10
