"""Runs whose folders lie in each other: what one of them writes there is not taken back with the other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from maverick_tui.review.blame import blame
from maverick_tui.review.run_review import RunReview
from tests.review import played
from tests.review.played import PlayedRun, why
from tests.support.sampling import sampled

RUN, OTHER = "run-aaaa", "run-bbbb"
DOUBT = f"the run {OTHER} (Inner) may have changed it at the same time"


@pytest.mark.explore
@pytest.mark.parametrize("are_repositories", sampled([True, False], 2))
def test_what_a_run_inside_did_while_a_command_ran_is_not_that_commands(
    nested: Path, *, are_repositories: bool
) -> None:
    if not are_repositories:
        for top in (nested, nested / "lib"):
            shutil.rmtree(top / ".git")
    run, inner = PlayedRun(nested, RUN), PlayedRun(nested / "lib", OTHER, "Inner")
    call = run.begin("Bash", command="make")
    (nested / "mine.txt").write_text("mine\n")
    theirs = inner.bash(lambda: (nested / "lib" / "theirs.txt").write_text("theirs\n"))
    inner.edit("a.txt", "two", "2")
    run.finish(call)
    # Whose an edit is, what has become of the file says.
    assert why(RunReview(RUN)) == {"mine.txt": "", "lib/theirs.txt": DOUBT}
    review = RunReview(RUN)
    assert {one.path: [author.kind for author in one.authors] for one in review.files()} == {
        "mine.txt": ["call"],
        "lib/theirs.txt": ["call", "run"],
    }
    assert review.undo().paths == {"mine.txt"}
    assert {one.path for one in RunReview(OTHER).files()} == {"a.txt", "theirs.txt"}
    assert {one.call for one in blame(nested / "lib" / "theirs.txt")[0].authors} == {call, theirs}
    assert why(RunReview(OTHER)) == {
        "a.txt": "",
        "theirs.txt": f"the run {RUN} (Do it) may have changed it at the same time",
    }


def test_what_a_run_around_did_while_a_command_ran_is_not_that_commands(nested: Path) -> None:
    run, outer = PlayedRun(nested / "lib", RUN), PlayedRun(nested, OTHER, "Inner")
    call = run.begin("Bash", command="make")
    outer.bash(lambda: (nested / "lib" / "a.txt").write_text("theirs\n"))
    outer.write("lib/new.txt", "theirs\n")
    run.finish(call)
    assert why(RunReview(RUN)) == {"a.txt": DOUBT}


@pytest.mark.explore
def test_what_was_taken_back_of_another_run_meanwhile_is_not_the_commands(nested: Path) -> None:
    inner = PlayedRun(nested / "lib", OTHER, "Inner")
    inner.edit("a.txt", "two", "2")
    inner.close()
    run = PlayedRun(nested, RUN)
    call = run.begin("Bash", command="make")
    (nested / "mine.txt").write_text("mine\n")
    assert RunReview(OTHER).undo().paths == {"a.txt"}
    run.finish(call)
    assert why(RunReview(RUN)) == {"mine.txt": ""}


@pytest.mark.explore
def test_runs_that_were_not_at_work_at_that_time_are_in_nobodys_way(
    nested: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1_000.0]
    monkeypatch.setattr(played, "now", lambda: clock[0])
    run, inner = PlayedRun(nested, RUN), PlayedRun(nested / "lib", OTHER, "Inner")
    for one, path in ((inner, "lib/theirs.txt"), (run, "lib/mine.txt"), (inner, "lib/more.txt")):
        clock[0] += 60
        call = one.begin("Bash", command="make")
        (nested / path).write_text("made\n")
        one.finish(call)
    for one in (run, inner):
        one.end_turn()
    assert (why(RunReview(RUN)), why(RunReview(OTHER))) == ({"lib/mine.txt": ""}, {"more.txt": "", "theirs.txt": ""})
