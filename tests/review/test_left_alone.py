"""What is never taken back: what a run has not written, and what is not where it was shown any more."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from threading import Event, Thread, current_thread
from typing import Any

import pytest

from maverick_tui import folder_locks
from maverick_tui.events import kinds as ev
from maverick_tui.review import undo_records
from maverick_tui.review.kinds import START
from maverick_tui.review.run_review import RunReview
from maverick_tui.review.taking_back import long_commands
from maverick_tui.review.undo_records import UndoRecords
from maverick_tui.snapshots import undoing
from maverick_tui.snapshots.caps import NotTrackedError
from maverick_tui.snapshots.planning import Span
from maverick_tui.snapshots.restoring import NotRestoredError
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import Snapshot
from maverick_tui.snapshots.undoing import Undone
from tests.review import played
from tests.review.played import PlayedRun, now, why
from tests.snapshots.folders import content, project

RUN = "run-aaaa"


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    return project(tmp_path / "project")


def test_while_a_call_waits_for_an_answer_what_changes_is_not_its_own(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.live()
    run.write("x.txt", "x\n")
    run.tell(ev.ToolCalled(now(), "asked", "Bash", {"command": "make"}))
    run.tell(ev.ToolCalled(now(), "question", "AskUserQuestion", {}), ev.ToolBegan(now(), "question"))
    (folder / "a.txt").write_text("mine, while it waits\n")
    review = RunReview(RUN)
    assert [one.path for one in review.files()] == [step.path for step in review.plan()] == ["x.txt"]

    run.tell(ev.PermissionSettled(now(), "1", "asked", "once"))
    run.take("call")
    (folder / "b.txt").write_text("made\n")
    review.refresh()
    assert review.is_at_work
    assert [one.path for one in review.files()] == ["b.txt", "x.txt"]


@pytest.mark.explore
def test_before_an_undo_it_is_told_how_long_commands_ran_for_you_may_have_saved_something_meanwhile(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(float(number) for number in range(1_000, 2_000))
    monkeypatch.setattr(played, "now", lambda: next(clock))  # each event a second after the one before
    run = PlayedRun(folder, RUN)
    run.edit("b.txt", "b", "B")
    assert long_commands(RunReview(RUN).plan()) == "", "what an edit makes of its file is known"
    call = run.begin("Bash", command="make")
    (folder / "a.txt").write_text("mine, or made\n")
    for _ in range(60):
        next(clock)
    run.finish(call)
    review = RunReview(RUN)
    assert {step.path: step.lasted for step in review.plan()} == {"a.txt": 62.0, "b.txt": 0.0}
    assert long_commands(review.plan()).startswith("A command or a hook ran for 62 s: ")
    review.undo()
    review.redo()
    assert {step.path: step.lasted for step in RunReview(RUN).plan()} == {"a.txt": 62.0, "b.txt": 0.0}


def test_what_was_saved_while_hooks_of_an_edit_ran_is_told_as_well(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(played, "now", lambda: clock[0])
    run = PlayedRun(folder, RUN)
    for name, seconds, more in (("slow", 7, "mine\n"), ("quick", 1, "by a formatter\n"), ("as asked", 7, "")):
        call = run.begin("Write", file_path=str(folder / name), content="1\n")
        (folder / name).write_text(f"1\n{more}")
        clock[0] += seconds
        run.finish(call)
    steps = RunReview(RUN).plan()
    assert {step.path: step.lasted for step in steps} == {"slow": 7.0, "quick": 0.0, "as asked": 0.0}
    assert long_commands(steps).startswith("A command or a hook ran for 7 s: ")
    run.edit("slow", "1", "2")
    assert {step.path: step.lasted for step in RunReview(RUN).plan()}["slow"] == 7.0


def test_a_command_has_not_run_for_as_long_as_its_snapshot_was_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(played, "now", lambda: clock[0])
    run = PlayedRun(folder, RUN)

    def take(when: str, *, is_always: bool = True) -> str:
        clock[0] += 9 if when == "done" else 0
        return PlayedRun.take(run, when, is_always=is_always)

    monkeypatch.setattr(run, "take", take)
    for name, seconds in (("quick", 0.5), ("slow", 5)):
        call = run.begin("Bash", command="make")
        (folder / name).write_text("made\n")
        clock[0] += seconds
        run.finish(call)
    assert {step.path: step.lasted for step in RunReview(RUN).plan()} == {"quick": 0.0, "slow": 6.0}


def test_lines_that_were_shown_before_the_file_changed_are_not_rejected_elsewhere(folder: Path) -> None:
    (folder / "a.txt").write_text("".join(f"{number}\n" for number in range(40)))
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "30\n", "thirty\n")
    review = RunReview(RUN)
    review.files()
    shown = review.hunks(START, "a.txt")
    (folder / "a.txt").write_text(left := "mine\n" + (folder / "a.txt").read_text())
    review.files()
    planned = [step for step in review.plan_rejection(START, "a.txt", shown) if step.why_not]
    (refused,) = review.reject(START, "a.txt", shown).refused
    assert planned == [refused], "it is known before"
    assert refused.why_not == "these lines have changed since they were shown"
    assert (folder / "a.txt").read_text() == left
    assert review.last_undo is None

    _, thirty = review.hunks(START, "a.txt")
    assert not review.reject(START, "a.txt", [thirty]).refused
    assert (folder / "a.txt").read_text() == left.replace("thirty", "30")


def test_what_could_not_be_given_back_can_be_later(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.write("x.txt", "x\n")
    review = RunReview(RUN)
    review.undo()
    (folder / "x.txt").write_text("mine\n")
    assert [(step.path, step.why_not) for step in review.redo().refused] == [("x.txt", "there is something else now")]
    assert (folder / "a.txt").read_text() == "1\ntwo\nthree\n"
    assert review.last_undo is not None
    assert (review.last_undo.paths, [step.path for step in review.last_undo.steps]) == ((), ["x.txt"])
    (folder / "a.txt").write_text("mine, too\n")
    (folder / "x.txt").unlink()
    assert not review.redo().refused
    assert (folder / "x.txt").read_text() == "x\n"
    assert (folder / "a.txt").read_text() == "mine, too\n"
    assert review.last_undo is None


def test_a_call_may_begin_before_it_is_told(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.live()
    run.tell(ev.ToolBegan(now(), "early"), ev.ToolCalled(now(), "early", "Bash", {"command": "make"}))
    (folder / "made").write_text("made\n")
    review = RunReview(RUN)
    assert review.is_at_work
    assert [[author.call for author in one.authors] for one in review.files()] == [["early"]]


def test_what_you_do_beside_a_command_in_the_background_is_not_its_own(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.live()
    served = run.begin("Bash", command="npm run dev", run_in_background=True)
    run.tell(ev.TaskProgressed(now(), served, "running"), ev.ToolFinished(now(), served, "started"))
    run.end_turn()
    (folder / "a.txt").write_text("yours\n")
    run.turn("Go on")
    run.edit("b.txt", "b", "by the run")
    run.bash(lambda: (folder / "new.txt").write_text("by the run\n"))
    (folder / "mine.txt").write_text("yours\n")
    yours = "you may have changed it at the same time"
    expected = {"a.txt": yours, "b.txt": "", "mine.txt": yours, "new.txt": ""}
    assert {step.path: step.why_not for step in RunReview(RUN).plan()} == expected
    run.tell(ev.TaskProgressed(now(), served, "completed"))
    run._going.clear()
    run._ended.append(served)
    run.end_turn()
    assert {step.path: step.why_not for step in RunReview(RUN).plan()} == expected
    run.close()


def test_what_you_do_after_a_call_that_has_changed_nothing_is_not_its_own(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.live()
    run.bash(lambda: None, "ls")
    run.edit("b.txt", "nowhere", "b")
    (folder / "a.txt").write_text("yours\n")
    (folder / "b.txt").write_text("yours\n")
    assert all(step.why_not for step in RunReview(RUN).plan())
    run.close()


def test_what_you_did_before_a_call_that_no_snapshot_was_taken_before_is_not_its_own(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.live()
    run.write("x.txt", "x\n")
    run.tell(ev.ChangesUntracked(now(), "it takes more than 30 s to look at this folder"))
    run.tell(ev.ToolCalled(now(), "first", "Bash", {"command": "make"}), ev.ToolBegan(now(), "first"))
    run.tell(ev.ToolFinished(now(), "first", "made"))
    (folder / "a.txt").write_text("yours, while nothing runs\n")
    run.tell(ev.ToolCalled(now(), "second", "Bash", {"command": "make"}), ev.ToolBegan(now(), "second"))
    assert RunReview(RUN).is_at_work
    assert played.why(RunReview(RUN)) == {"a.txt": "you may have changed it at the same time", "x.txt": ""}
    run.close()


def test_what_you_did_between_two_processes_of_a_run_is_not_its_own(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.write("x.txt", "x\n")
    run.end_turn()
    (folder / "a.txt").write_text("yours, while there is no process\n")
    run.tell(ev.RunReopened(now()))  # and takes no snapshots
    run.live()
    run.tell(ev.ToolCalled(now(), "later", "Bash", {"command": "make"}), ev.ToolBegan(now(), "later"))
    assert played.why(RunReview(RUN)) == {"a.txt": "you may have changed it at the same time", "x.txt": ""}
    run.close()


def test_what_was_not_shown_is_not_taken_back(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.write("deep/x.txt", "x\n")
    run.write("new.txt", "new\n")
    review = RunReview(RUN)
    shown = review.plan()
    run.edit("a.txt", "two", "2")  # while a person looks at the plan
    run.write("deep/y.txt", "y\n")
    left = {path: (folder / path).read_text() for path in ("a.txt", "deep/y.txt")}
    review.refresh()
    undone = review.undo(shown=shown)
    assert undone.paths == {"deep/x.txt", "new.txt"}
    since = "it has changed since this was shown"
    told = {step.path: step.why_not for step in undone.refused}
    assert told.items() >= dict.fromkeys(left, since).items()
    assert {path: (folder / path).read_text() for path in left} == left


def fill(disk: Path) -> None:
    with suppress(OSError), (disk / "filling").open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)


def test_what_is_taken_back_while_the_disk_gets_full_is_told_and_can_be_given_back(
    folder: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_STATE_DIR", str(small_disk))
    run = PlayedRun(folder, RUN)
    before = run.shadow.take(RUN)
    run.write("x.txt", "x\n")
    span, steps = Span(before, run.shadow.take(RUN)), RunReview(RUN).plan()
    os.close(run._file)  # or the disk is in use

    def taken_back() -> Undone:
        undone = undoing.undo(run.shadow, [span], RUN)
        fill(small_disk)
        return undone

    def nothing_done() -> Undone:
        fill(small_disk)
        raise NotRestoredError("The files are as they were.")

    records = UndoRecords(run.shadow, RUN)
    with pytest.raises(NotRestoredError):
        records.recorded(steps, nothing_done)
    assert [one.to_give_back for one in records.read()] == []
    (small_disk / "filling").unlink()
    assert records.recorded(steps, taken_back).paths == {"x.txt"}
    assert not (folder / "x.txt").exists()
    assert [one.to_give_back for one in records.read()] in ([], [{"x.txt"}]), "as far as there is room to look"
    (small_disk / "filling").unlink()
    with monkeypatch.context() as patched:  # there is room for a look, but not for what it has found
        patched.setattr(UndoRecords, "_write", lambda *_: Path("/dev/full").write_bytes(b"x"))
        assert [one.to_give_back for one in records.read()] == [{"x.txt"}]
    assert RunReview(RUN).redo().paths == {"x.txt"}
    assert (folder / "x.txt").read_text() == "x\n"


def test_two_who_take_back_at_the_same_moment_leave_the_way_to_give_it_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = PlayedRun(folder, RUN)
    before = run.shadow.take(RUN)
    run.write("x.txt", "x\n")
    span, steps = Span(before, run.shadow.take(RUN)), RunReview(RUN).plan()
    is_second_there, is_first_done = Event(), Event()

    def locked(place: Path) -> AbstractContextManager[None]:
        if current_thread() is second:
            is_second_there.set()
        return folder_locks.alone(place)

    def taken_back() -> Undone:
        second.start()
        assert is_second_there.wait(10)
        return undoing.undo(run.shadow, [span], RUN)

    def nothing_left() -> Undone:
        is_second_there.set()
        assert is_first_done.wait(10)
        return Undone(before, before, (), ())

    monkeypatch.setattr(undo_records, "alone", locked, raising=False)
    second = Thread(target=lambda: UndoRecords(run.shadow, RUN).recorded(steps, nothing_left))
    assert UndoRecords(run.shadow, RUN).recorded(steps, taken_back).paths == {"x.txt"}
    is_first_done.set()
    second.join(10)
    assert not (folder / "x.txt").exists()
    assert RunReview(RUN).redo().paths == {"x.txt"}
    assert (folder / "x.txt").read_text() == "x\n"


def test_what_was_moved_stays_where_it_is_if_it_cannot_go_back(folder: Path) -> None:
    (folder / "notes").mkdir()
    for name in ("draft.md", "notes/x", "notes/y"):
        (folder / name).write_text(f"an hour of work on {name}\n")
    run = PlayedRun(folder, RUN)

    def move() -> None:
        (folder / "draft.md").rename(folder / "a.txt")
        (folder / "notes").rename(folder / "old")
        (folder / "new.txt").write_text("by the run\n")

    run.bash(move)
    (folder / "draft.md").write_text("another one\n")
    (folder / "notes").mkdir()
    (folder / "notes" / "x").write_text("another one\n")
    review = RunReview(RUN)
    taken = "there is something else now (by you)"
    assert why(review) == {
        "a.txt": "it holds what was in draft.md, which stays as it is",
        "draft.md": taken,
        "new.txt": "",
        "notes/x": taken,
        "notes/y": "",
        "old/x": "it holds what was in notes/x, which stays as it is",
        "old/y": "",
    }
    review.undo()
    assert (folder / "old" / "x").exists()
    # What was moved back stays there just so.
    (folder / "old" / "y").write_text("another one\n")
    redone = review.redo()
    assert "notes/y" in {step.path for step in redone.refused}
    assert (folder / "notes" / "y").read_text() == "an hour of work on notes/y\n"


def test_what_a_person_saves_while_an_undo_goes_on_is_not_replaced_by_a_redo(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (folder / "a.txt").read_text()
    run = PlayedRun(folder, RUN)
    run.write("a.txt", "the run's\n")
    run.write("x.txt", "x\n")
    run.end_turn()
    take = Shadow.take

    def saved_before(shadow: Shadow, *arguments: Any, **options: Any) -> Snapshot:
        if (folder / "a.txt").read_text() == before:  # it is back, and the undo has not ended
            (folder / "a.txt").write_text("mine\n")
        return take(shadow, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Shadow, "take", saved_before)
        assert "a.txt" in RunReview(RUN).undo().paths
    assert (folder / "a.txt").read_text() == "mine\n"
    assert RunReview(RUN).redo().paths == {"x.txt"}
    assert (folder / "a.txt").read_text() == "mine\n"
    assert [step.path for step in RunReview(RUN).plan() if not step.why_not] == ["x.txt"]


@pytest.mark.explore
def test_what_was_undone_while_no_snapshot_could_be_taken_of_it_can_be_given_back_once_one_can(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(folder)
    run = PlayedRun(folder, RUN)
    run.write("a.txt", "the run's\n")
    run.write("x.txt", "x\n")
    run.write("y.txt", "y\n")
    run.end_turn()
    left = content(folder)
    take = Shadow.take

    def refused_once_it_is_done(shadow: Shadow, *arguments: Any, **options: Any) -> Snapshot:
        if not (folder / "x.txt").exists():
            raise NotTrackedError("the disk is full", folder)
        return take(shadow, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Shadow, "take", refused_once_it_is_done)
        undone = RunReview(RUN).undo()
        assert undone.after is None
        assert content(folder) == before
        assert RunReview(RUN).last_undo is None
    (folder / "y.txt").write_text("mine\n")
    assert RunReview(RUN).redo().paths == {"a.txt", "x.txt"}
    assert content(folder) == {**left, "y.txt": ("file", left["y.txt"][1], b"mine\n")}
    assert RunReview(RUN).last_undo is None
