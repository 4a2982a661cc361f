"""Undo gives back exactly what was there, and nothing that somebody else has changed is lost; nor by its undo."""

from __future__ import annotations

import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maverick_tui.snapshots import scanning
from maverick_tui.snapshots.caps import Caps
from maverick_tui.snapshots.changes import changed_lines, changes
from maverick_tui.snapshots.planning import Span, plan
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.undoing import Undone, reject, undo, undo_undo
from tests.snapshots.folders import OWNER, Content, content, git, project, theirs
from tests.snapshots.worlds import WORLDS, Op, do, phases
from tests.support.sampling import examples, sampled


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One folder of each kind, to be copied."""
    made = []
    for make in WORLDS:
        folder = tmp_path_factory.mktemp("world")
        make(folder / "p")
        made.append(folder / "p")
    return made


State = dict[str, Content]


def without_folders(state: State) -> State:
    return {path: one for path, one in state.items() if one[0] != "empty"}


def is_near(path: str, others: set[str]) -> bool:
    """Whether one of them is on the way to a path, or behind it."""
    return any(other == path or other.startswith(f"{path}/") or path.startswith(f"{other}/") for other in others)


@settings(
    max_examples=examples(3, 1000),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.integers(0, len(WORLDS) - 1), phases)
def test_undo_gives_back_what_was_there(
    worlds: list[Path], tmp_path: Path, world: int, told: list[tuple[bool, list[Op]]]
) -> None:
    place = tmp_path / "copy"
    shutil.rmtree(place, ignore_errors=True)
    top = place / "p"
    shutil.copytree(worlds[world], top, symlinks=True)
    shadow = Shadow(top)
    shadow.remove()
    spans: list[Span] = []
    seen: list[tuple[State, State]] = []
    touched: set[str] = set()
    for is_run, work in told:
        was, before = content(top), shadow.take(OWNER)
        for op in work:
            do(top, op, is_person=not is_run)
        now = content(top)
        if is_run:
            spans.append(Span(before, shadow.take(OWNER)))
            seen.append((was, now))
        else:
            touched |= {path for path in was.keys() | now.keys() if was.get(path) != now.get(path)}
    present, own = content(top), theirs(top)

    undone = undo(shadow, spans, OWNER)
    assert theirs(top) == own
    check(undone, content(top), present, seen, touched)

    again = undo_undo(shadow, undone, OWNER)
    assert again.refused == ()
    assert content(top) == present
    assert theirs(top) == own


def check(undone: Undone, now: State, present: State, seen: list[tuple[State, State]], touched: set[str]) -> None:
    """All that the run has changed is as it was, and all else as it is."""
    refused = {step.path for step in undone.refused}
    if not touched:
        assert refused == set()
        assert now == (seen[0][0] if seen else present)
    first: dict[str, Content | None] = {}
    last: dict[str, Content | None] = {}
    mixed: set[str] = set()
    for before, after in ((without_folders(a), without_folders(b)) for a, b in seen):
        for path in before.keys() | after.keys():
            if before.get(path) != after.get(path):
                if path in last and last[path] != before.get(path):
                    mixed.add(path)
                first.setdefault(path, before.get(path))
                last[path] = after.get(path)
    for path in without_folders(now | present).keys() | first.keys():
        theirs_now, was = now.get(path), present.get(path)
        theirs_now, was = (None if one is None or one[0] == "empty" else one for one in (theirs_now, was))
        if path not in first or path in mixed or was != last[path]:
            assert theirs_now == was, path
        elif path in refused:
            assert theirs_now == was, path
            assert is_near(path, touched | mixed), path
        else:
            assert theirs_now == first[path], path


def test_the_preview_says_what_will_happen(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / "old" / "empty").mkdir(parents=True)
    (top / "taken").write_text("mine\n")
    (top / "gone").write_text("mine\n")
    (top / "turned").write_text("a file\n")
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    (top / "a.txt").write_text("by the run\n")
    (top / "b.txt").unlink()
    (top / "made" / "by").mkdir(parents=True)
    (top / "made" / "by" / "run").write_text("x\n")
    (top / "old" / "empty").rmdir()
    (top / "old").rmdir()
    for name in ("taken", "gone"):
        (top / name).write_text("by the run\n")
    (top / "turned").unlink()
    (top / "turned").mkdir()
    (top / "turned" / "new").write_text("x\n")
    after = shadow.take(OWNER)
    (top / "taken").write_text("by somebody\n")
    (top / "gone").unlink()
    (top / "turned" / "more").write_text("by somebody\n")
    steps = plan(shadow, [Span(before, after)])
    assert [(step.path, step.does, step.why_not) for step in steps] == [
        ("a.txt", "write", ""),
        ("b.txt", "write", ""),
        ("gone", "write", "it is not there any more"),
        ("made", "remove folder", ""),
        ("made/by", "remove folder", ""),
        ("made/by/run", "delete", ""),
        ("old", "make folder", ""),
        ("old/empty", "make folder", ""),
        ("taken", "write", "it has changed since"),
        ("turned", "write", "there is a folder now, with something else in it"),
        ("turned/new", "delete", ""),
    ]
    assert [step.path for step in plan(shadow, [Span(before, after)], ["b.txt"])] == ["b.txt"]
    undone = undo(shadow, [Span(before, after)], OWNER, ["made/by/run", "b.txt"])
    assert sorted(undone.paths) == ["b.txt", "made", "made/by", "made/by/run"]
    assert (top / "b.txt").read_text() == "b\n"
    assert not (top / "made").exists()
    assert (top / "a.txt").read_text() == "by the run\n"


def test_some_lines_are_taken_back(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / "f").write_bytes(b"".join(b"%d\rx\xff\n" % number for number in range(20)) + b"no end")
    was = (top / "f").read_bytes()
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    lines = was.split(b"\n")
    lines[3:4] = [b"changed", b"and more"]
    del lines[12]
    (top / "f").write_bytes(b"\n".join([*lines, b""]))
    (top / "new").write_text("new\n")
    (top / "b.txt").unlink()
    span = Span(before, shadow.take(OWNER))
    told = {one.path or one.was: one for one in changed_lines(shadow, span[:2])[0]}
    found = {change.path: change for change in changes(shadow, *span[:2])}
    assert len(told["f"].lines) == 3

    undone = reject(shadow, span, found["f"], [told["f"].lines[0], told["f"].lines[2]], OWNER)
    assert undone.paths == {"f"}
    assert (top / "f").read_bytes() == was.replace(b"11\rx\xff\n", b"")
    assert reject(shadow, span, found["f"], told["f"].lines[:1], OWNER).refused[0].why_not == "it has changed since"
    undo_undo(shadow, undone, OWNER)
    reject(shadow, span, found["f"], told["f"].lines, OWNER)
    assert (top / "f").read_bytes() == was
    for name in ("new", "b.txt"):
        assert reject(shadow, span, found[name], told[name].lines, OWNER).paths == {name}
    assert (top / "b.txt").read_text() == "b\n"
    assert not (top / "new").exists()


def test_two_runs_in_one_folder_keep_what_is_theirs(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    one, two = Shadow(top), Shadow(top)
    first = one.take("run-1")
    (top / "a.txt").write_text("by the first\n")
    (top / "both").write_text("by the first\n")
    second = one.take("run-1")
    begun = two.take("run-2")
    (top / "b.txt").write_text("by the second\n")
    (top / "both").write_text("by the second\n")
    (top / "new").write_text("by the second\n")
    ended = two.take("run-2")
    # A call of the first that has lasted all the while, and says which file it writes.
    (top / "slow").write_text("by the first\n")
    last = one.take("run-1")
    undone = undo(one, [Span(first, second), Span(begun, last, ["slow"])], "run-1")
    assert {step.path: step.why_not for step in undone.refused} == {"both": "it has changed since"}
    assert sorted(undone.paths) == ["a.txt", "slow"]
    assert (top / "new").read_text() == (top / "b.txt").read_text() == "by the second\n"
    undone = undo(two, [Span(begun, ended)], "run-2")
    assert (undone.refused, sorted(undone.paths)) == ((), ["b.txt", "both", "new"])
    assert (top / "both").read_text() == "by the first\n"


def test_nothing_is_changed_through_a_link(tmp_path: Path) -> None:
    top, elsewhere = project(tmp_path / "p"), tmp_path / "elsewhere"
    (top / "d").mkdir()
    (top / "d" / "f").write_text("one\n")
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    (top / "d" / "f").write_text("by the run\n")
    after = shadow.take(OWNER)
    (top / "d").rename(elsewhere)
    (top / "d").symlink_to(elsewhere)
    undone = undo(shadow, [Span(before, after)], OWNER)
    assert [(step.path, step.why_not) for step in undone.refused] == [("d/f", "d is no folder any more")]
    assert (elsewhere / "f").read_text() == "by the run\n"


def test_what_was_left_out_is_not_taken_back(tmp_path: Path) -> None:
    """Nobody knows what was there: it may have been there before the run."""
    top = project(tmp_path / "p")
    (top / ".gitignore").write_text("many/\n")
    (top / "many").mkdir()
    for number in range(30):
        (top / "many" / f"{number}").touch()
    shadow = Shadow(top, Caps(ignored_files=20))
    before = shadow.take(OWNER)
    for number in range(20):
        (top / "many" / f"{number}").unlink()
    (top / ".env").write_text("KEY=by the run\n")
    after = shadow.take(OWNER)
    assert (list(before.left_out), list(after.left_out)) == (["many/"], [".env"])
    undone = undo(shadow, [Span(before, after)], OWNER)
    assert (undone.done, undone.refused) == ((), ())
    assert len(list((top / "many").iterdir())) == 10


def test_empty_folders_are_seen_beside_anything_large_that_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "_MOST_LOOKED_AT", 20)
    top = project(tmp_path / "p")
    (top / ".gitignore").write_text("node_modules/\n")
    for path in ("in/web/node_modules/void", "in/web/void", "later/void"):
        (top / path).mkdir(parents=True)
    for number in range(30):
        (top / "in/web/node_modules" / f"{number}").touch()
    shadow = Shadow(top, Caps(ignored_files=20))
    before = shadow.take(OWNER)
    assert before.empty == {"in/web/void", "later/void"}
    shutil.rmtree(top / "in/web/node_modules")
    undone = undo(shadow, [Span(before, shadow.take(OWNER))], OWNER)
    assert (undone.done, undone.refused) == ((), ())
    assert (top / "in/web/void").is_dir()


def test_what_the_persons_git_threw_away_comes_back(tmp_path: Path) -> None:
    top = project(tmp_path / "p")
    (top / "a.txt").write_text("staged only\n")
    git(top, "add", "a.txt")
    shadow = Shadow(top)
    was, before = content(top), shadow.take(OWNER)
    (top / "a.txt").write_text("by the run\n")
    (top / "b.txt").unlink()
    git(top, "reset", "--quiet", "--soft")
    after = shadow.take(OWNER)
    git(top, "add", "--all")
    git(top, "-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--amend", "-m", "again")
    git(top, "reflog", "expire", "--expire=now", "--all")
    git(top, "gc", "--quiet", "--prune=now")
    own = theirs(top)
    undo(shadow, [Span(before, after)], OWNER)
    assert content(top) == was
    assert theirs(top) == own


@pytest.mark.explore
@pytest.mark.parametrize("size", sampled([2_100_000, 21_000_000, 100_000_000], 3))
def test_large_files(size: int, tmp_path: Path) -> None:
    top = tmp_path / "p"
    top.mkdir()
    with (top / "large").open("wb") as file:
        file.write(b"begin")
        file.truncate(size)
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    with (top / "large").open("r+b") as file:
        file.seek(size - 3)
        file.write(b"end")
    after = shadow.take(OWNER)
    undone = undo(shadow, [Span(before, after)], OWNER)
    assert undone.paths == {"large"}
    data = (top / "large").read_bytes()
    assert (len(data), data[:5], data[-3:]) == (size, b"begin", b"\0\0\0")


def test_folders_come_back_with_the_permissions_that_they_had(tmp_path: Path, home: Path) -> None:
    top = project(tmp_path / "project")
    (top / ".gitignore").write_text("ignored/\n")
    modes = {"private": 0o700, "private/in": 0o750, "void": 0o711, "ignored": 0o1770, "plain": 0o755, "plain/in": 0o755}
    for path in modes:
        (top / path).mkdir()
    for path in ("private/in/diary", "ignored/file", "plain/in/file"):
        (top / path).write_text("1\n")
    for path, mode in modes.items():
        (top / path).chmod(mode)
    shadow = Shadow(top)
    before = shadow.take(OWNER)
    for path in ("private", "void", "ignored", "plain"):
        shutil.rmtree(top / path)
    undone = undo(shadow, [Span(before, shadow.take(OWNER))], OWNER)
    assert not undone.refused
    assert {path: stat.S_IMODE((top / path).stat().st_mode) for path in modes} == modes
    # One that was made private since, also if nothing in it has changed, is so again.
    (top / "plain").chmod(0o700)
    before = shadow.take(OWNER)
    shutil.rmtree(top / "plain")
    undo(shadow, [Span(before, shadow.take(OWNER))], OWNER)
    assert stat.S_IMODE((top / "plain").stat().st_mode) == 0o700


def test_a_folder_whose_permissions_are_not_known_is_nobody_elses(tmp_path: Path, home: Path) -> None:
    top = project(tmp_path / "project")
    (top / "folder").mkdir()
    (top / "folder" / "file").write_text("1\n")
    shadow = Shadow(top)
    before = replace(shadow.take(OWNER), folders={})  # as those of earlier versions are
    shutil.rmtree(top / "folder")
    undo(shadow, [Span(before, shadow.take(OWNER))], OWNER)
    assert stat.S_IMODE((top / "folder").stat().st_mode) == 0o700
