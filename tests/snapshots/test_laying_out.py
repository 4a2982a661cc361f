"""A snapshot in another folder: exactly its files, whatever was there before."""

from __future__ import annotations

import os
from pathlib import Path

from maverick_tui.snapshots.laying_out import lay_out
from maverick_tui.snapshots.shadow import Shadow
from tests.snapshots.folders import OWNER, content, git, project
from tests.worktrees.projects import commit


def test_a_worktree_of_a_commit_has_the_files_of_a_snapshot(tmp_path: Path, home: Path) -> None:
    folder = project(tmp_path / "project")
    (folder / "dir").mkdir()
    (folder / "dir" / "inner.txt").write_text("inner\n")
    (folder / ".gitignore").write_text("*.o\n")
    (folder / "out").symlink_to(tmp_path)  # a folder then, and a link that leads out before
    git(folder, "add", "--all")
    commit(folder, "more", tool__sh="#!/bin/sh\n", gone__txt="gone\n")

    (folder / "a.txt").write_bytes(b"one\r\n\0\xff")
    (folder / "gone.txt").unlink()
    (folder / "tool.sh").chmod(0o755)
    (folder / "b.txt").rename(folder / "renamed.txt")
    (folder / "dir" / "inner.txt").unlink()
    (folder / "dir").rmdir()
    (folder / "dir").write_text("a file where a folder was\n")
    (folder / "out").unlink()
    (folder / "out").mkdir()
    (folder / "out" / "new\n\x1b.txt").write_text("new\n")
    (folder / "link").symlink_to("a.txt")
    (folder / "empty").mkdir()
    (folder / "built.o").write_text("ignored\n")
    os.mkfifo(folder / "pipe")
    shadow = Shadow(folder)
    snapshot = shadow.take(OWNER)
    (folder / "pipe").unlink()
    wanted = {path: what for path, what in content(folder).items() if path != "built.o"}
    (folder / "a.txt").write_text("later\n")

    place = tmp_path / "elsewhere" / "worktree"
    git(folder, "worktree", "add", "--quiet", str(place))
    outside = content(tmp_path / "elsewhere")
    changed = set(lay_out(shadow, snapshot, place))
    assert content(place) == wanted
    assert changed == {
        *("a.txt", "gone.txt", "tool.sh", "b.txt", "renamed.txt"),
        *("dir/inner.txt", "dir", "out", "out/new\n\x1b.txt", "link"),
    }
    assert len(outside) > 3
    assert (place / ".git").is_file()
    assert git(place, "status", "--porcelain").count("\n") >= 8, "all of it is there to be seen, and none committed"
    assert lay_out(shadow, snapshot, place) == []
    assert content(place) == wanted, "once more changes nothing"
