"""Runs of which nothing is kept, or no more: what they did is not taken back with another run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from maverick_tui.journal.folders import delete_run
from maverick_tui.review.removing import release_snapshots
from maverick_tui.review.run_review import RunReview
from maverick_tui.runs.calls_at_work import Recalled, Work
from maverick_tui.runs.tracked_folder import TrackedFolder
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.work_times import WorkTime, note, runs_at_work, times_of
from tests.review.played import PlayedRun, make_unreadable, why
from tests.support.sampling import sampled

RUN, OTHER, LATER = "run-aaaa", "run-bbbb", "run-cccc"
DOUBT = f"the run {OTHER} (not kept) may have changed it at the same time"


def other(folder: Path, run_id: str = OTHER) -> TrackedFolder:
    """A run that is not kept."""
    found = TrackedFolder(folder, run_id, Recalled([], {}, {}))
    found.add(found.take(), [])
    return found


@contextmanager
def at_work(run: TrackedFolder) -> Iterator[None]:
    """While a command of it runs, as `Tracking` has it."""
    run.take()
    run.note_work(is_going_on=True)
    yield
    run.add(run.take(), [Work("1")])
    assert not run.is_noted


@pytest.mark.explore
@pytest.mark.parametrize("where", sampled(["lib", ""], 2))
def test_what_a_run_did_that_is_not_kept_while_a_command_ran_is_not_that_commands(nested: Path, where: str) -> None:
    run, there = PlayedRun(nested, RUN), other(nested / where)
    theirs = str(Path(where) / "theirs.txt")
    call = run.begin("Bash", command="make")
    with at_work(there):
        (nested / theirs).write_text("theirs\n")
        run.take("done")
        assert why(RunReview(RUN)) == {theirs: DOUBT}, "also while it goes on"
    (nested / "mine.txt").write_text("mine\n")
    run.finish(call)
    for _ in range(2):
        assert why(RunReview(RUN)) == {"mine.txt": "", theirs: DOUBT}
        (found,) = (one for one in RunReview(RUN).files() if one.path == theirs)
        assert {author.kind for author in found.authors} == {"call", "run"}
        there.release()
    # What comes later is its own again.
    run.bash((nested / theirs).unlink)
    run.bash(lambda: (nested / "more.txt").write_text("more\n"))
    assert why(RunReview(RUN))["more.txt"] == ""


@pytest.mark.explore
def test_a_run_that_was_deleted_has_still_done_what_it_did(nested: Path) -> None:
    run, there, noted = PlayedRun(nested, RUN), PlayedRun(nested, OTHER), other(nested)
    there.write("undone.txt", "theirs\n")
    there.end_turn()
    call = run.begin("Bash", command="make")
    with at_work(noted):
        there.bash(lambda: (nested / "theirs.txt").write_text("theirs\n"))
    there.close()
    assert RunReview(OTHER).undo(paths=["undone.txt"]).paths == {"undone.txt"}
    (nested / "mine.txt").write_text("mine\n")
    run.finish(call)
    assert why(RunReview(RUN)) == {"mine.txt": "", "theirs.txt": DOUBT.replace("not kept", "Do it")}
    delete_run(OTHER)
    release_snapshots([OTHER])
    assert run.shadow.owners() == [RUN]
    assert why(RunReview(RUN)) == {"mine.txt": "", "theirs.txt": DOUBT, "undone.txt": DOUBT}


@pytest.mark.parametrize("closed", sampled(["folder", "journal"], 2))
def test_a_run_that_cannot_be_read_has_still_done_what_it_did(nested: Path, closed: str) -> None:
    run, there, noted = PlayedRun(nested, RUN), PlayedRun(nested, OTHER), other(nested)
    call = run.begin("Bash", command="make")
    with at_work(noted):
        there.bash(lambda: (nested / "theirs.txt").write_text("theirs\n"))
    (nested / "mine.txt").write_text("mine\n")
    run.finish(call)
    there.close()
    make_unreadable(OTHER, closed)
    assert why(RunReview(RUN)) == {"mine.txt": "", "theirs.txt": DOUBT}


def test_times_are_known_as_long_as_somebody_was_there(nested: Path) -> None:
    first, there = other(nested, RUN), other(nested)
    with at_work(there):
        (nested / "theirs.txt").write_text("theirs\n")
    with at_work(other(nested, LATER)):
        (nested / "later.txt").write_text("later\n")
    place = Shadow(nested).place
    there.release()
    assert list(runs_at_work(place)) == [OTHER, LATER], "nobody knows when the first one began"
    first.release()
    assert list(runs_at_work(place)) == [LATER]
    inner = other(nested / "lib")
    Shadow(nested).release(LATER)
    assert not place.exists()
    assert list(runs_at_work(inner.shadow.place)) == [LATER], "it may have worked there, too"
    assert times_of(inner.shadow.place, LATER).root == str(nested)  # type: ignore[union-attr]


def test_what_was_cut_short_tells_what_came_before(tmp_path: Path) -> None:
    for time in (WorkTime(1, None, 1.0, 1.0, None), WorkTime(1, 2, 1.0, 2.0, ["a\udcff"])):
        note(tmp_path, tmp_path, RUN, 1.0, time)
    note(tmp_path, tmp_path, RUN, 1.0, WorkTime(2, 3, 2.0, 3.0, [f"{number}" for number in range(3_000)]))
    with (tmp_path / "work" / f"{RUN}.jsonl").open("a") as file:
        file.write("[4, ")
    found = times_of(tmp_path, RUN)
    assert found is not None
    assert [(one.since, one.paths) for one in found.times] == [(1, ["a\udcff"]), (2, None)]
    assert times_of(tmp_path, OTHER) is None
