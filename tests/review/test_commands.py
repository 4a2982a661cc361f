"""`maverick runs diff`, `undo` and `redo`, as somebody at a shell has them."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.interpreter import python_environment
from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots import shadow
from maverick_tui.snapshots.caps import Caps
from maverick_tui.snapshots.shadow import Shadow, shadows_folder
from tests.review.played import PlayedRun
from tests.snapshots.folders import content, git, project
from tests.support.command_line import Run, command_line

RUN, OTHER = "run-aaaa", "run-bbbb"


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    return project(tmp_path / "project")


@pytest.fixture
def maverick(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("COLUMNS", "100")
    return command_line(monkeypatch, capsys)


def patch_of(maverick: Run, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> bytes:
    """What is piped, byte by byte."""
    piped = io.BytesIO()
    with monkeypatch.context() as patched:
        pipe = io.TextIOWrapper(piped, write_through=True)
        patched.setattr(sys, "stdout", pipe)
        maverick("runs", "diff", *arguments)
        pipe.flush()
        return piped.getvalue()


def test_what_commands_have_changed_is_among_the_files_of_a_run(folder: Path, maverick: Run) -> None:
    (folder / "sub").mkdir()
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")

    def work() -> None:
        (folder / "sub" / "made\x1b[31m").write_text("new\n")
        (folder / "__pycache__").mkdir()
        (folder / "__pycache__" / "x.pyc").write_text("x")

    run.bash(work)
    run.close()
    files = json.loads(maverick("runs", "show", RUN, "--json").out)
    assert (files["files"], files["more_files"]) == (["a.txt", "sub/made\x1b[31m"], 0)
    (row,) = [line for line in maverick("runs", "show", RUN).out.splitlines() if line.startswith("files")]
    assert row.split("files")[1].strip().startswith("a.txt, sub/made")
    assert "\x1b" not in row
    shutil.rmtree(shadows_folder())
    assert json.loads(maverick("runs", "show", RUN, "--json").out)["files"] == ["a.txt"]


def test_each_file_of_a_run_is_named_once_however_its_folder_is_reached(folder: Path, maverick: Run) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    (folder / "sub").mkdir()
    (folder / "way").symlink_to("sub")
    run = PlayedRun(link, RUN)
    run.edit("a.txt", "one", "1")
    run.write("way/below", "through a link\n")
    run.write(str(folder / "b.txt"), "by its own name\n")
    run.tell(ev.ToolCalled(2e9, "null", "Write", {"file_path": "no\0file"}), ev.ToolFinished(2e9, "null", "done"))
    run.bash(lambda: (folder / "made").write_text("by a command\n"))
    run.close()
    files = json.loads(maverick("runs", "show", RUN, "--json").out)["files"]
    assert files == ["a.txt", "b.txt", "made", "no\0file", "way/below"]


def test_secrets_in_the_names_of_files_are_masked(folder: Path, maverick: Run) -> None:
    key = f"sk-ant-api03-{'a1B2c3D4' * 6}"
    (folder / key).mkdir()
    run = PlayedRun(folder, RUN)
    run.write(f"{key}.txt", "told by the journal\n")
    run.bash(lambda: (folder / key / "made").write_text("by a command\n"))
    run.close()
    shown = maverick("runs", "show", RUN, "--json").out
    assert key not in shown
    assert json.loads(shown)["files"] == ["[secret].txt", "[secret]/made"]


def test_how_many_files_commands_have_changed_is_told_where_their_names_are_gone(folder: Path, maverick: Run) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.tell(ev.SnapshotTaken(2e9, "0" * 40, str(folder), 99, "end", 1, (), files=3))
    run.close()
    shutil.rmtree(shadows_folder())
    ran = maverick("runs", "show", RUN)
    assert "a.txt, and 2 more files by commands\n" in ran.out


def test_a_diff_can_be_applied(folder: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    long = "".join(f"{number}\n" for number in range(40))
    (folder / "tool").write_text("#!/bin/sh\n")
    (folder / "gone").write_text("gone\nwithout an end")
    (folder / "long name").write_text(long)
    (folder / "binary").write_bytes(bytes(range(256)))
    (folder / "file or link").write_text("file\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "all kinds")
    git(folder, "worktree", "add", "--quiet", "--detach", str(tmp_path / "other"))
    run = PlayedRun(folder, RUN)

    def work() -> None:
        (folder / "a.txt").write_text("one\n2\r\nthree")
        (folder / "tool").chmod(0o755)
        (folder / "gone").unlink()
        (folder / "long name").rename(folder / "renamed")
        (folder / "renamed").write_text(f"{long}more\n")
        (folder / "binary").write_bytes(bytes(reversed(range(256))))
        (folder / "file or link").unlink()
        (folder / "file or link").symlink_to("a.txt")
        (folder / "new \x1b[31m ü.txt").write_text("new\x1b[31m\n")
        (folder / os.fsdecode(b"b\xff")).write_bytes(b"\xff\n")
        (folder / "empty").touch()

    run.bash(work)
    patch = patch_of(maverick, monkeypatch, RUN)
    (tmp_path / "patch").write_bytes(patch)
    git(tmp_path / "other", "apply", str(tmp_path / "patch"))
    copied = {name: one for name, one in content(tmp_path / "other").items() if name != ".git"}
    assert copied == content(folder)

    stat = maverick("runs", "diff", RUN, "--stat")
    assert (stat.code, stat.err) == (0, "")
    assert "R renamed  +1 -0, was long name\n" in stat.out
    assert "P tool  +0 -0, permissions 755, were 644\n" in stat.out
    assert "M binary  binary\n" in stat.out
    assert "\x1b" not in stat.out
    assert stat.out.splitlines()[-1].startswith("+6 -5 in 9 files")


def test_what_tools_make_anew_is_counted_apart(folder: Path, maverick: Run) -> None:
    run = PlayedRun(folder, RUN)
    for name in ("__pycache__/a.txt", "__pycache__/b.txt"):
        run.write(name, "new\n")
    told = maverick("runs", "diff", RUN, "--stat").out.splitlines()
    assert told[-1].startswith("It has changed nothing but 2 files in caches")
    run.write("new.txt", "new\n")
    told = maverick("runs", "diff", RUN, "--stat").out.splitlines()
    assert told[-1].startswith("+1 -0 in 1 file, and 2 in caches")
    assert "A __pycache__/a.txt  +1 -0" in told


def test_a_diff_says_whose_it_is(folder: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run = PlayedRun(folder, RUN, "First")
    call = run.edit("a.txt", "one", "1")
    run.end_turn()
    (folder / "a.txt").write_text("1\ntwo\nmine\n")
    run.turn("Second")
    run.write("b.txt", "api_key = sk-ant-api03-" + "x" * 90 + "\n")
    assert patch_of(maverick, monkeypatch, RUN, "--turn", "1").endswith(b"@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n")
    ran = maverick("runs", "diff", RUN, "--json")
    told = json.loads(ran.out)
    assert (told["run_id"], told["root"], told["turn"]) == (RUN, str(folder), None)
    a, b = told["files"]
    assert (a["path"], a["status"], a["added"], b["path"]) == ("a.txt", "changed", 2, "b.txt")
    assert [one["kind"] for one in a["hunks"][0]["authors"]] == ["call", "you"]
    assert a["hunks"][0]["authors"][0]["call"] == call
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", said)
    assert b"sk-ant-api03-xxx" in patch_of(maverick, monkeypatch, RUN)
    assert "a.txt has also been changed by you." in said.getvalue()


class Terminal(io.StringIO):
    """Looks like one."""

    def isatty(self) -> bool:
        return True


def test_a_diff_in_a_terminal_is_masked_and_steers_nothing(
    folder: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = PlayedRun(folder, RUN)
    run.write("a.txt", "key = 'sk-ant-api03-" + "x" * 90 + "'\n\x1b[2J\n")
    run.bash(lambda: (folder / "x.bin").write_bytes(b"\0"))
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    maverick("runs", "diff", RUN)
    shown = terminal.getvalue()
    assert "\x1b[32m+key = '[secret]'\x1b[0m\n\x1b[32m+␛[2J\x1b[0m\n" in shown
    assert "GIT binary patch" not in shown
    assert shown.endswith("It is binary: piped, the patch has it.\x1b[0m\n")


def test_undo_says_in_one_sentence_that_there_is_nothing_to_take_back(
    folder: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    PlayedRun(folder, RUN, "First").end_turn()
    assert maverick("runs", "undo", RUN, "--dry-run").err.startswith("There is nothing to take back.  ")
    monkeypatch.chdir(folder)
    assert maverick("runs", "undo", RUN, "--dry-run").err == "There is nothing to take back.\n"


def test_undo_shows_asks_and_tells(folder: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run = PlayedRun(folder, RUN, "First")
    run.edit("a.txt", "one", "1")
    run.end_turn()
    run.turn("Second")
    run.write("new/c.txt", "c\n")
    run.write("d.txt", "d\n")
    run.end_turn()
    (folder / "d.txt").write_text("mine\n")
    left = content(folder)

    ran = maverick("runs", "undo", RUN, "--dry-run")
    assert (ran.code, ran.out, content(folder)) == (1, "", left)
    assert ran.err.splitlines() == [
        "restore   a.txt",
        "leave     d.txt  it has changed since (by you)",
        "remove    new/",
        "delete    new/c.txt",
    ]
    ran = maverick("runs", "undo", RUN)
    assert (ran.code, content(folder)) == (1, left)
    assert "there is nobody to ask" in ran.err
    monkeypatch.setattr("maverick_tui.cli.changes.is_anybody_there", lambda: True)
    monkeypatch.setattr("maverick_tui.cli.changes.says_yes", lambda question: question != "Take back 3 paths?")
    assert "Nothing was changed." in maverick("runs", "undo", RUN).err
    assert content(folder) == left

    ran = maverick("runs", "undo", RUN, "--to", "2", "--yes")
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "left      d.txt  it has changed since (by you)")
    assert not (folder / "new").exists()
    assert (folder / "a.txt").read_text() == "1\ntwo\nthree\n"
    ran = maverick("runs", "undo", RUN, "--yes", "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["done"]) == (1, True)
    assert {one["path"]: bool(one["refused"]) for one in told["paths"]} == {"a.txt": False, "d.txt": True}
    assert git(folder, "status", "--porcelain") == "?? d.txt"

    assert maverick("runs", "redo", RUN, "--yes").out == "restored  a.txt\n"
    assert maverick("runs", "redo", RUN, "--yes").code == 0
    assert content(folder) == left
    ran = maverick("runs", "redo", RUN, "--yes")
    assert (ran.code, ran.err.splitlines()[0]) == (1, f"maverick: Nothing of what the run {RUN} did was taken back.")


def test_redo_shows_what_it_gives_back_and_gives_back_nothing_else(
    folder: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.write("c.txt", "c\n")
    run.end_turn()
    RunReview(RUN).undo(paths=["c.txt"])

    def agrees_once_more_is_taken_back(question: str) -> bool:
        assert question == "Give back 1 path?"
        RunReview(RUN).undo(paths=["a.txt"])
        return True

    monkeypatch.setattr("maverick_tui.cli.changes.is_anybody_there", lambda: True)
    monkeypatch.setattr("maverick_tui.cli.changes.says_yes", agrees_once_more_is_taken_back)
    ran = maverick("runs", "redo", RUN)
    assert (ran.out, ran.err.splitlines()[0]) == ("restored  c.txt\n", "restore   c.txt")
    assert (folder / "a.txt").read_text() == "one\ntwo\nthree\n"


KILLED = """
import os, signal, sys
from maverick_tui.cli import main
from maverick_tui.snapshots import undoing
from maverick_tui.snapshots.disk import Disk

class Killed(Disk):
    def rename(self, *names):
        super().rename(*names)
        os.kill(os.getpid(), signal.SIGKILL)

class Never(undoing.Undone):
    def __init__(self, *_):
        os.kill(os.getpid(), signal.SIGKILL)

setattr(undoing, *{"in the middle": ("Disk", Killed), "at the end": ("Undone", Never)}[sys.argv.pop()])
main()
"""


def killed(where: str) -> None:
    """A command that is killed while it takes something back."""
    line = [sys.executable, "-P", "-c", KILLED, "runs", "undo", RUN, "--yes", where]
    done = subprocess.run(line, env=python_environment(), capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def test_what_was_killed_in_the_middle_is_brought_to_an_end(folder: Path, maverick: Run) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.edit("b.txt", "b", "B")
    run.end_turn()
    left = content(folder)
    killed("in the middle")
    assert content(folder) != left
    ran = maverick("runs", "diff", RUN, "--stat")
    assert (ran.code, content(folder)) == (0, left)
    ran = maverick("runs", "redo", RUN, "--yes")
    assert (ran.code, content(folder)) == (1, left)
    assert "was taken back" in ran.err
    # Between the last file and the record of it: what was done is known all the same.
    killed("at the end")
    assert git(folder, "status", "--porcelain") == ""
    assert maverick("runs", "redo", RUN, "--yes").code == 0
    assert content(folder) == left


def test_names_begin_no_line_of_their_own(folder: Path, maverick: Run) -> None:
    run, name = PlayedRun(folder, RUN), os.fsdecode(b"d\xff\ndeleted   a.txt")
    (folder / name).mkdir()
    run.bash(lambda: (folder / name / "x").write_text("x\n"))
    (folder / name / "x").unlink()
    (folder / name).rmdir()
    (folder / name).write_text("a file now\n")
    ran = maverick("runs", "undo", RUN, "--dry-run")
    (told,) = ran.err.splitlines()
    assert told.startswith("leave")
    assert "is no folder any more" in told


def test_runs_that_cannot_be_asked_about(folder: Path, maverick: Run) -> None:
    ran = maverick("runs", "undo", "build:abcd")
    assert ran.code == 1
    assert "on build" in ran.err
    assert "ssh build maverick runs undo abcd" in ran.err
    assert "No run has an id that begins with 'nope'" in maverick("runs", "diff", "nope").err
    from tests.history.kept import keep_run

    keep_run("run-cccc")
    ran = maverick("runs", "diff", "run-cccc")
    assert (ran.code, ran.out) == (1, "")
    assert "Changes are not tracked here, because the run has told of no snapshot." in ran.err


def test_snapshots_go_with_their_runs(folder: Path, maverick: Run) -> None:
    run, other = PlayedRun(folder, RUN), PlayedRun(folder, OTHER)
    run.edit("a.txt", "one", "1")
    run.close()
    other.close()
    maverick("runs", "undo", RUN, "--yes")
    assert Shadow(folder).owners() == [RUN, OTHER]
    assert maverick("runs", "delete", RUN, "--yes").code == 0
    assert Shadow(folder).owners() == [OTHER]
    assert not list(shadows_folder().glob("*/undone/*.json"))
    maverick("runs", "delete", OTHER, "--yes")
    assert [one.name for one in shadows_folder().iterdir()] == ["tidied"], "when that was done last"


def test_a_file_that_has_become_too_large_is_named(
    folder: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shadow, "Caps", lambda: Caps(file_bytes=1_000))
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / "a.txt").write_text("grown\n" * 1_000))
    why = "it is not kept any more: it is larger than 0 MB"
    assert f"M a.txt  {why}\n" in maverick("runs", "diff", RUN, "--stat").out
    assert f"a.txt is not in the patch, because {why}." in maverick("runs", "diff", RUN).err
    (file,) = json.loads(maverick("runs", "diff", RUN, "--json").out)["files"]
    assert (file["not_kept"], file["hunks"]) == (why, [])
    undone = maverick("runs", "undo", RUN, "--yes")
    assert (undone.code, why in undone.out + undone.err) == (1, True)
