"""What differs between two snapshots, told as git would tell it of two commits, and more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maverick_tui.git.changing import GitError
from maverick_tui.git.keeping import KeepingGit
from maverick_tui.markup.hunks import Hunk
from maverick_tui.review.patches import patch_of
from maverick_tui.snapshots.changes import FileLines, Lines, changed_lines, changed_paths, changes, hunks
from maverick_tui.snapshots.entries import bytes_of
from maverick_tui.snapshots.shadow import Shadow
from tests.snapshots.folders import OWNER, project
from tests.support.sampling import sampled


def test_every_kind_of_change(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    project(top / "nested")
    (top / ".gitignore").write_text("*.log\n")
    (top / "long").write_text("".join(f"line {number}\n" for number in range(30)))
    (top / "binary").write_bytes(b"\0\1\2")
    (top / "link").symlink_to("a.txt")
    (top / "type").write_text("a file\n")
    (top / "tool").write_text("#!/bin/sh\n")
    (top / "private").write_text("mine\n")
    (top / "x.log").write_text("one\n")
    (top / 'odd "name"\n@@ -1 +1 @@').write_text("odd\n")
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    (top / "a.txt").write_text("one\nTWO\nthree\nfour\n")
    (top / "b.txt").unlink()
    (top / "long").rename(top / "longer")
    with (top / "longer").open("a") as file:
        file.write("one more\n")
    (top / "binary").write_bytes(b"\0\1\3")
    (top / "type").unlink()
    (top / "type").symlink_to("a.txt")
    (top / "tool").chmod(0o755)
    (top / "private").chmod(0o600)
    (top / "new").write_text("no end of line")
    (top / "nested" / "a.txt").write_text("changed inside\n")
    (top / ".gitignore").write_text("")  # so the log goes from one tree to another
    (top / 'odd "name"\n@@ -1 +1 @@').write_text("odder\n")
    after = shadow.take(OWNER)

    found = changes(shadow, before, after)
    told = [(one.path, one.status, one.was, one.added, one.deleted, one.is_binary, one.permissions) for one in found]
    assert told == [
        (".gitignore", "changed", "", 0, 1, False, None),
        ("a.txt", "changed", "", 2, 1, False, None),
        ("b.txt", "deleted", "", 0, 1, False, None),
        ("binary", "changed", "", 0, 0, True, None),
        ("longer", "renamed", "long", 1, 0, False, None),
        ("nested/a.txt", "changed", "", 1, 3, False, None),
        ("new", "added", "", 1, 0, False, None),
        ('odd "name"\n@@ -1 +1 @@', "changed", "", 1, 1, False, None),
        ("private", "mode", "", 0, 0, False, (0o644, 0o600)),
        ("tool", "mode", "", 0, 0, False, (0o644, 0o755)),
        ("type", "type", "", 1, 1, False, None),
    ]
    by_path = {one.path: one for one in found}
    assert hunks(shadow, by_path["a.txt"]) == [Hunk(1, 1, (" one", "-two", "+TWO", " three", "+four"))]
    assert hunks(shadow, by_path["new"]) == [Hunk(0, 1, ("+no end of line", "\\ No newline at end of file"))]
    assert hunks(shadow, by_path["longer"], 0) == [Hunk(30, 31, ("+one more",))]
    assert hunks(shadow, by_path["binary"]) == hunks(shadow, by_path["tool"]) == []
    assert bytes_of(shadow, before, "nested/a.txt") == b"one\ntwo\nthree\n"
    assert bytes_of(shadow, before, "x.log") == b"one\n"
    assert (bytes_of(shadow, before, "new"), bytes_of(shadow, before, "nested")) == (None, None)
    plain = changes(shadow, before, after, finds_renames=False)
    assert {"long", "longer"} <= {one.path for one in plain}
    assert changes(shadow, before, before) == []
    renamed = next(one for one in changes(shadow, after, before) if one.status == "renamed")
    assert (renamed.path, renamed.before_path, renamed.deleted) == ("long", "longer", 1)

    there, back_again = changed_paths(shadow, [before, after, before])
    assert there == back_again == {one.path for one in plain} | {"x.log"}  # which has gone to another tree
    assert changed_paths(shadow, [before, before]) == [set()]

    lines = {one.path or one.was: one for one in changed_lines(shadow, [before, after])[0]}
    lines = {name: one._replace(blobs=("", "")) for name, one in lines.items()}
    assert lines["a.txt"] == FileLines("a.txt", "a.txt", (Lines(1, 1, 1, 1), Lines(3, 0, 3, 1)))
    assert lines["b.txt"] == FileLines("b.txt", "", (Lines(0, 1, 0, 0),))
    assert lines["longer"] == FileLines("long", "longer", (Lines(30, 0, 30, 1),))
    assert lines["type"] == FileLines("type", "type", (Lines(0, 1, 0, 0), Lines(0, 0, 0, 1)))
    assert lines['odd "name"\n@@ -1 +1 @@'].lines == (Lines(0, 1, 0, 1),)
    back = changed_lines(shadow, [before, after, before])
    assert [len(one) for one in back] == [len(one) for one in changed_lines(shadow, [after, before, after])]
    assert back[1] != []


def test_permissions_of_many_files_cost_no_more_than_those_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = project(tmp_path / "p")
    names = [f"{number}" for number in range(80)]
    for name in names:
        (top / name).write_text("x\n")
    shadow = Shadow(top)
    chain = [shadow.take(OWNER)]
    for some in (names[:5], names):
        for name in some:
            (top / name).chmod(0o600)
        chain.append(shadow.take(OWNER))
    asked, together = [], KeepingGit.together

    def counted(*given: Any, **more: Any) -> list[bytes]:
        asked.append(given)
        return together(*given, **more)

    monkeypatch.setattr(KeepingGit, "together", counted)
    for after, some in zip(chain[1:], (names[:5], names), strict=True):
        found = changes(shadow, chain[0], after)
        assert {one.path: one.permissions for one in found} == dict.fromkeys(some, (0o644, 0o600))
    assert len(asked) <= 4


@pytest.mark.parametrize("cut", sampled([1, 60, 130, -1], 3))
def test_an_answer_that_is_none_is_told_as_an_error_of_git(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    folder = project(tmp_path / "project")
    shadow = Shadow(folder)
    before = shadow.take(OWNER)
    (folder / "a.txt").write_text("changed\n")
    chain = [before, shadow.take(OWNER)]
    asked = KeepingGit.__call__
    monkeypatch.setattr(KeepingGit, "__call__", lambda *args, **options: asked(*args, **options)[:cut])
    with pytest.raises(GitError, match="something else than what it was asked"):
        changed_lines(shadow, chain)
    with pytest.raises(GitError, match="something else than what it was asked"):
        changed_paths(shadow, chain[:2])


def test_new_files_are_compared_with_nothing_also_after_others_have_let_go(tmp_path: Path) -> None:
    top = tmp_path / "p"
    top.mkdir()
    (top / "a.txt").write_text("not empty\n")  # as all files here: none keeps the file without bytes
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    (top / "new").write_text("one\n")
    after = shadow.take(OWNER)
    (change,) = changes(shadow, before, after)
    for other in ("run-2", "run-3"):
        shadow.take(other)
        shadow.release(other)
        assert [hunk.lines for hunk in hunks(shadow, change)] == [("+one",)]
        assert b"+one" in patch_of(shadow, change)
