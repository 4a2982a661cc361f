"""What is never taken back: what a run has not written, and what is not where it was shown any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.review.kinds import START
from maverick_tui.review.run_review import RunReview
from tests.review.played import PlayedRun, now
from tests.snapshots.folders import project

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


def test_lines_that_were_shown_before_the_file_changed_are_not_rejected_elsewhere(folder: Path) -> None:
    (folder / "a.txt").write_text("".join(f"{number}\n" for number in range(40)))
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "30\n", "thirty\n")
    review = RunReview(RUN)
    review.files()
    shown = review.hunks(START, "a.txt")
    (folder / "a.txt").write_text(left := "mine\n" + (folder / "a.txt").read_text())
    review.files()
    (refused,) = review.reject(START, "a.txt", shown).refused
    assert refused.why_not == "these lines have changed since they were shown"
    assert (folder / "a.txt").read_text() == left
    assert review.last_undo is None

    _, thirty = review.hunks(START, "a.txt")
    assert not review.reject(START, "a.txt", [thirty]).refused
    assert (folder / "a.txt").read_text() == left.replace("thirty", "30")


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
