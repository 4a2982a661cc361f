"""Snapshots of a repository that names programs in every way known run none of them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from maverick_tui.git import making
from maverick_tui.snapshots.changes import changed_lines, changes, hunks
from maverick_tui.snapshots.planning import Span
from maverick_tui.snapshots.shadow import Shadow, root_of
from maverick_tui.snapshots.snapshot import SECRET
from maverick_tui.snapshots.undoing import undo
from tests.attacks.git_traps import TRAPS, Trap, fall_into, lay, make_base
from tests.snapshots.folders import OWNER, content, kept, project
from tests.support.sampling import sampled
from tests.worktrees.projects import git


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    make_base(folder)
    return folder


@pytest.mark.parametrize("trap", sampled(TRAPS, 31, [trap.id for trap in TRAPS]))
def test_snapshots_run_nothing(trap: Trap, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground = lay(trap, base, tmp_path / "ground")
    for name, value in ground.variables.items():
        monkeypatch.setenv(name, value)
    top = root_of(ground.looked_at)
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    (top / "a.txt").write_text("by the run\n")
    (top / "new.x").write_text("new\n")
    after = shadow.take(OWNER)
    found = changes(shadow, before, after)
    assert {"a.txt", "new.x"} == {change.path for change in found}
    assert all(hunks(shadow, change) for change in found)
    assert changed_lines(shadow, [before, after]) != [[]]
    assert kept(shadow, after) == content(top)
    undone = undo(shadow, [Span(before, after)], OWNER)
    assert undone.paths == {"a.txt", "new.x"}
    shadow.tidy()
    shadow.release(OWNER)
    assert ground.left() == []
    if trap.plain and not ground.variables:
        fall_into(trap, ground)
        assert ground.left() != []


def test_an_undo_writes_no_hook_that_the_index_of_a_clone_lists(tmp_path: Path) -> None:
    folder = project(tmp_path / "clone")
    (folder / "-git" / "hooks").mkdir(parents=True)
    (folder / "-git" / "hooks" / "post-checkout").write_text("#!/bin/sh\n")
    git(folder, "add", ".")
    index = folder / ".git" / "index"
    listed = index.read_bytes()[:-20].replace(b"-git/", b".git/")
    index.write_bytes(listed + hashlib.sha1(listed, usedforsecurity=False).digest())
    shadow = Shadow(folder)
    before = shadow.take(OWNER)
    assert not any(path.startswith(".git/") for path in kept(shadow, before))
    git(folder, "reset", "--quiet")
    (shadow.place / "begun").touch()  # one was cut short, so the list is made anew
    after = shadow.take(OWNER)
    assert not undo(shadow, [Span(before, after)], OWNER).paths
    assert not (folder / ".git" / "hooks" / "post-checkout").exists()


def test_a_secret_that_is_not_tracked_any_more_is_not_kept_any_more(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    (folder / ".env").write_text("KEY=example\n")
    git(folder, "add", ".env")
    shadow = Shadow(folder)
    assert ".env" in kept(shadow, shadow.take(OWNER))
    git(folder, "rm", "--quiet", "--cached", ".env")
    (folder / ".env").write_text("KEY=a new one, and secret\n")
    for _ in range(2):
        after = shadow.take(OWNER)
        assert ".env" not in kept(shadow, after)
        assert after.left_out == {".env": SECRET}


def test_the_way_to_a_folder_says_what_is_secret_in_it(home: Path) -> None:
    for name in ("gh/hosts.yml", "nvim/init.lua"):
        (home / ".config" / name).parent.mkdir(parents=True)
        (home / ".config" / name).write_text("x\n")
    keys = home / ".config" / "dotfiles" / ".aws"
    keys.mkdir(parents=True)
    making.init(keys, "main")
    (keys / "tokens").write_text("x\n")
    shadow = Shadow(home / ".config")
    after = shadow.take(OWNER)
    assert {path for path in kept(shadow, after) if path.endswith(("hosts.yml", "init.lua", "tokens"))} == {
        "nvim/init.lua"
    }
    assert {"gh/hosts.yml", "dotfiles/.aws/tokens"} <= after.left_out.keys()


def test_nothing_hides_behind_a_name_of_ours_or_in_the_depth(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    shadow = Shadow(folder)
    before = shadow.take(OWNER)
    (folder / ".maverick-undo-0123456789abcdef-0.new").write_text("by the run\n")
    (folder / "x.maverick-undo-").mkdir()
    (folder / "x.maverick-undo-" / "conftest.py").write_text("by the run\n")
    deep = "/".join(["d"] * 1_100)
    for depth in range(1, len(deep) + 1, 2):
        (folder / deep[:depth]).mkdir()
    try:
        after = shadow.take(OWNER)
    finally:
        os.removedirs(folder / deep)  # whoever cleans up goes no deeper than Python does
    found = {change.path for change in changes(shadow, before, after)}
    assert found == {".maverick-undo-0123456789abcdef-0.new", "x.maverick-undo-/conftest.py"}
    assert after.empty == {deep}
