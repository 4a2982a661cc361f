"""Snapshots of a repository that names programs in every way known run none of them."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from maverick_tui.exceptions import ConfigError
from maverick_tui.git import making
from maverick_tui.snapshots.changes import changed_lines, changes, hunks
from maverick_tui.snapshots.disk import BlockedError, Disk, opened_top
from maverick_tui.snapshots.laying_out import lay_out
from maverick_tui.snapshots.planning import Span, plan
from maverick_tui.snapshots.shadow import Shadow, root_of
from maverick_tui.snapshots.snapshot import SECRET, Part
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


def test_a_list_of_what_is_ignored_that_has_no_end_is_not_read(tmp_path: Path) -> None:
    folder = project(tmp_path / "project")
    (info := folder / ".git" / "info").mkdir(exist_ok=True)
    with (info / "exclude").open("wb") as file:
        file.truncate(10**12)  # no room on the disk
    shadow = Shadow(folder)
    assert "a.txt" in kept(shadow, shadow.take(OWNER))


@pytest.mark.explore
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


def put(folder: Path, kind: str, data: bytes) -> str:
    """Have git store bytes as something of this kind; their name."""
    line = ("git", "hash-object", "-t", kind, "-w", "--literally", "--stdin")
    return subprocess.run(line, cwd=folder, input=data, capture_output=True, check=True).stdout.decode().strip()


def entry(mode: str, name: str, of: str) -> bytes:
    return f"{mode} {name}\0".encode() + bytes.fromhex(of)


def called(kind: str, data: bytes) -> str:
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()


def pack_under_other_names(folder: Path, names: dict[str, str]) -> None:
    """Pack these objects, and have the list of the pack call them otherwise."""
    place, stored = folder / ".git" / "objects" / "pack" / "pack", "\n".join([*names, ""]).encode()
    line = ("git", "pack-objects", "-q", str(place))
    pack = subprocess.run(line, cwd=folder, input=stored, capture_output=True, check=True).stdout.decode().strip()
    listing = Path(f"{place}-{pack}.idx")
    data, count = listing.read_bytes(), len(names)
    starts = [1032 + count * offset for offset in (0, 20, 24, 28)]
    columns = [
        [data[at : at + size] for at in range(start, start + size * count, size)]
        for start, size in zip(starts, (20, 4, 4), strict=False)
    ]
    rows = sorted((bytes.fromhex(names[name.hex()]), *rest) for name, *rest in zip(*columns, strict=True))
    fan = b"".join(sum(row[0][0] <= byte for row in rows).to_bytes(4, "big") for byte in range(256))
    body = data[:8] + fan + b"".join(row[column] for column in range(3) for row in rows) + data[starts[3] : -20]
    listing.chmod(0o600)
    listing.write_bytes(body + hashlib.sha1(body).digest())
    for name in names:
        (folder / ".git" / "objects" / name[:2] / name[2:]).unlink()


OUTSIDE = "x\n"


def leading_out(folder: Path, real: bytes) -> str:
    """A tree that has what the real one has, a file outside of the folder, and a hook."""
    evil = put(folder, "blob", OUTSIDE.encode())
    hooks = put(folder, "tree", entry("40000", "hooks", put(folder, "tree", entry("100755", "pre-commit", evil))))
    up = put(folder, "tree", entry("40000", "..", put(folder, "tree", entry("100755", "zz.sh", evil))) +
             entry("40000", ".git", hooks))  # fmt: skip
    return put(folder, "tree", entry("40000", "..", up) + real)


def test_bytes_and_folders_of_an_unpacked_repository_are_what_they_are_and_not_what_its_lists_call_them(
    tmp_path: Path,
) -> None:
    folder = project(tmp_path / "inner" / "unpacked")
    (folder / "docs").mkdir()
    (folder / "docs" / "d.txt").write_text("d\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "docs")
    evil, harmless = b"os.system('x')\n", b"# tidy\n"
    real = entry("100644", "d.txt", called("blob", b"d\n"))
    for name in (called("tree", real),):
        (folder / ".git" / "objects" / name[:2] / name[2:]).unlink()
    forged = leading_out(folder, real)
    pack_under_other_names(folder, {put(folder, "blob", harmless): called("blob", evil), forged: called("tree", real)})
    shadow = Shadow(folder)
    before = shadow.take(OWNER)
    (folder / "a.txt").write_bytes(evil)
    (folder / "docs" / "d.txt").write_text("changed\n")
    after = shadow.take(OWNER)
    assert kept(shadow, after) == content(folder)
    assert {change.path for change in changes(shadow, before, after)} == {"a.txt", "docs/d.txt"}
    assert undo(shadow, [Span(before, after)], OWNER).paths == {"a.txt", "docs/d.txt"}
    assert not (tmp_path / "inner" / "zz.sh").exists()


def test_folders_are_not_what_the_index_of_a_clone_remembers_of_them(tmp_path: Path) -> None:
    folder = project(tmp_path / "inner" / "unpacked")
    (folder / "docs").mkdir()
    (folder / "docs" / "d.txt").write_text("d\n")
    os.utime(folder / "docs" / "d.txt", (1, 1))  # long before the list was made, which so believes that it knows it
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "docs")
    real = entry("100644", "d.txt", called("blob", b"d\n"))
    index = folder / ".git" / "index"
    body = index.read_bytes()[:-20]
    named = bytes.fromhex(called("tree", real))
    assert body.count(named) == 1
    body = body.replace(named, bytes.fromhex(leading_out(folder, real)))
    loose = [f"{one.parent.name}{one.name}" for one in (folder / ".git" / "objects").glob("??/*")]
    pack_under_other_names(folder, dict(zip(loose, loose, strict=True)))  # with what no commit has
    (folder / "extra.txt").write_text("new\n")  # so that only the folder is as it was
    index.write_bytes(body + hashlib.sha1(body).digest())
    shadow = Shadow(folder)
    before = shadow.take(OWNER)
    assert kept(shadow, before) == content(folder)
    (folder / "docs" / "d.txt").write_text("changed\n")
    after = shadow.take(OWNER)
    assert {change.path for change in changes(shadow, before, after)} == {"docs/d.txt"}
    assert undo(shadow, [Span(before, after)], OWNER).paths == {"docs/d.txt"}


def test_no_file_is_written_outside_of_a_folder_nor_among_those_of_git(tmp_path: Path) -> None:
    folder = project(tmp_path / "inner" / "p")
    shadow = Shadow(folder)
    before, data = shadow.take(OWNER), b"x\n"
    forged = leading_out(shadow.git.repository, b"")
    led_out = replace(before, parts=(Part("", forged, before.parts[0].ignored),))
    target = tmp_path / "inner" / "laid" / "out"
    target.mkdir(parents=True)
    with pytest.raises(ConfigError, match="cannot be laid out"):
        lay_out(shadow, led_out, target)
    refused = {"../../zz.sh", "../.git/hooks/pre-commit"}
    assert {step.path for step in plan(shadow, [Span(led_out, before)]) if step.why_not} >= refused
    assert undo(shadow, [Span(led_out, before)], OWNER).paths == {"a.txt", "b.txt"}
    assert not list(tmp_path.rglob("zz.sh"))
    assert not (folder / ".git" / "hooks" / "pre-commit").exists()
    with opened_top(folder) as top:
        for name in ("..", ".GIT", ".", ""):
            for write in (Disk().mkdir, lambda at, one: Disk().write(at, one, data, 0o600)):
                with pytest.raises(BlockedError):
                    write(top, name)
