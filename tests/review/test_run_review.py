"""What a run has changed, told apart from what others did in the same folder; and the way back."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from maverick_tui.events.kinds import RunForked, RunReopened
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.folders import journal_of
from maverick_tui.review.kinds import START, Scope
from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots.caps import NotTrackedError
from tests.review.played import PlayedRun
from tests.snapshots.folders import content, git, project, theirs

RUN, OTHER = "run-aaaa", "run-bbbb"


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    return project(tmp_path / "project")


def test_files_hunks_and_texts_say_whose_they_are(folder: Path) -> None:
    run = PlayedRun(folder, RUN, "Make it \x1b[31mred")
    edit = run.edit("a.txt", "two", "zwei")
    (folder / "a.txt").write_text("eins\nzwei\nthree\n")
    bash = run.bash(lambda: (folder / "new.bin").write_bytes(b"\0\1"), "cc -o new.bin")
    run.end_turn()
    (folder / "mine.txt").write_text("mine\n")
    review = RunReview(RUN)

    assert [(one.path, one.status, one.added, one.deleted) for one in review.files()] == [
        ("a.txt", "changed", 2, 2),
        ("new.bin", "added", 0, 0),
    ]
    a, new = review.files()
    assert [one.kind for one in a.authors] == ["call", "you"]
    assert a.authors[0][1:] == (RUN, "Make it ␛[31mred", 1, "Make it ␛[31mred", edit, "Edit", "a.txt")
    assert new.is_binary
    assert [(one.call, one.about) for one in new.authors] == [(bash, "cc -o new.bin")]
    assert [one.path for one in review.files(with_others=True)] == ["a.txt", "mine.txt", "new.bin"]

    (hunk,) = review.hunks(START, "a.txt")
    assert hunk.hunk.lines == ("-one", "-two", "+eins", "+zwei", " three")
    whose = [[one.call or one.kind for one in authors] for authors in hunk.line_authors]
    assert whose == [["you"], [edit], ["you"], [edit], []]
    assert hunk.lines == ((0, 2, 0, 2),)
    assert review.hunks(START, "new.bin") == []
    assert review.texts(START, "a.txt") == (b"one\ntwo\nthree\n", b"eins\nzwei\nthree\n")
    assert review.texts(START, "new.bin") == (b"", b"\0\1")
    assert [(turn.number, [call.call for call in turn.calls]) for turn in review.turns] == [(1, [edit, bash])]


@pytest.mark.explore
def test_only_the_first_lines_of_a_huge_change_are_read_and_what_is_cut_cannot_be_taken_back(folder: Path) -> None:
    between = "".join(f"{number}\n" for number in range(20))
    (folder / "a.txt").write_text(f"one\n{between}two\n")
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / "a.txt").write_text(f"eins\n{between}zwei\n" + "drei\n" * 90))
    review = RunReview(RUN)
    assert not any(one.hunk.is_cut for one in review.hunks(START, "a.txt"))
    first, cut = shown = review.hunks(START, "a.txt", most=20)
    assert [(len(one.hunk.lines), one.hunk.is_cut) for one in shown] == [(5, False), (15, True)]
    (refused,) = review.reject(START, "a.txt", [cut]).refused
    assert "these lines have changed" in refused.why_not
    assert review.reject(START, "a.txt", [first]).paths
    assert (folder / "a.txt").read_text().startswith("one\n")
    (all_of_it,) = review.plan(START)
    assert not all_of_it.why_not


def test_scopes_are_a_turn_a_call_and_all_since_a_turn(folder: Path) -> None:
    run = PlayedRun(folder, RUN, "First")
    first = run.edit("a.txt", "one", "1")
    run.end_turn()
    (folder / "b.txt").write_text("by me\n")
    run.turn("Second")
    second = run.edit("a.txt", "two", "2")
    third = run.write("c.txt", "c\n")
    review = RunReview(RUN)

    def told(scope: Scope) -> list[str]:
        return [f"{one.path} +{one.added} -{one.deleted}" for one in review.files(scope)]

    assert told(START) == ["a.txt +2 -2", "c.txt +1 -0"]
    assert told(Scope("since", 2)) == ["a.txt +1 -1", "c.txt +1 -0"]
    assert told(Scope("turn", 1)) == ["a.txt +1 -1"]
    assert told(Scope("turn", 2)) == ["a.txt +1 -1", "c.txt +1 -0"]
    assert told(Scope("call", call=first)) == told(Scope("call", call=second)) == ["a.txt +1 -1"]
    assert told(Scope("call", call=third)) == ["c.txt +1 -0"]
    assert review.texts(Scope("turn", 1), "a.txt").after == b"1\ntwo\nthree\n"
    with pytest.raises(ConfigError, match="no turn 7: its turns are 1 to 2"):
        review.files(Scope("turn", 7))
    with pytest.raises(ConfigError, match="no call 'x'"):
        review.files(Scope("call", call="x"))

    run.write("d.txt", "d\n")
    assert "d.txt +1 -0" not in told(START)[:-1]
    assert review.refresh()
    assert told(Scope("turn", 2))[-1] == "d.txt +1 -0"
    assert not review.refresh()


def test_undo_takes_back_the_run_alone_and_redo_in_another_review_gives_it_back(folder: Path) -> None:
    (folder / "staged.txt").write_text("staged\n")
    git(folder, "add", "staged.txt")
    (folder / "b.txt").write_text("not staged\n")
    before, index = content(folder), theirs(folder)
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "two", "2")
    run.write("deep/new/x.txt", "x\n")
    run.bash((folder / "b.txt").unlink, "rm b.txt")
    run.end_turn()
    (folder / "mine.txt").write_text("mine\n")
    left = content(folder)

    review = RunReview(RUN)
    assert review.last_undo is None
    assert {(step.path, step.does, step.why_not) for step in review.plan()} == {
        ("a.txt", "write", ""),
        ("b.txt", "write", ""),
        ("deep", "remove folder", ""),
        ("deep/new", "remove folder", ""),
        ("deep/new/x.txt", "delete", ""),
    }
    assert content(folder) == left
    undone = review.undo()
    assert not undone.refused
    assert content(folder) == {**before, "mine.txt": left["mine.txt"]}
    assert review.plan() == []
    assert [one.path for one in review.files()] == []

    again = RunReview(RUN)
    assert again.last_undo is not None
    assert set(again.last_undo.paths) >= {"a.txt", "b.txt", "deep/new/x.txt"}
    assert not again.redo().refused
    assert content(folder) == left
    assert theirs(folder) == index
    assert {one.kind for file in again.files() for one in file.authors} == {"call"}
    assert RunReview(RUN).last_undo is None
    with pytest.raises(ConfigError, match="was taken back"):
        RunReview(RUN).redo()
    # What was given back is the run's again, and so is what it does afterwards.
    review = RunReview(RUN)
    review.undo()
    run.turn("Once more")
    run.edit("a.txt", "three", "3")
    run.end_turn()
    review.refresh()
    assert [(step.path, step.why_not) for step in review.plan()] == [("a.txt", "")]
    review.undo()
    assert content(folder) == {**before, "mine.txt": left["mine.txt"]}


def test_undo_of_turns_and_calls(folder: Path) -> None:
    run = PlayedRun(folder, RUN, "First")
    run.edit("a.txt", "one", "1")
    run.end_turn()
    run.turn("Second")
    call = run.write("c.txt", "c\n")
    run.edit("b.txt", "b", "B")
    run.end_turn()
    review = RunReview(RUN)
    assert review.undo(Scope("call", call=call)).paths == {"c.txt"}
    assert review.undo(Scope("since", 2)).paths == {"b.txt"}
    assert review.undo(Scope("turn", 1), ["b.txt"]).paths == frozenset()
    assert review.undo(Scope("turn", 1)).paths == {"a.txt"}
    assert git(folder, "status", "--porcelain") == ""
    for paths in ("a.txt", "b.txt", "c.txt"):
        assert RunReview(RUN).redo().paths == {paths}
    assert (folder / "a.txt").read_text() == "1\ntwo\nthree\n"


def test_paths_that_you_have_changed_are_refused_one_by_one(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.edit("b.txt", "b", "B")
    (folder / "b.txt").write_text("B, and mine\n")
    run.edit("b.txt", "B", "C")
    run.write("c.txt", "c\n")
    run.end_turn()
    (folder / "a.txt").write_text("mine\n")
    review = RunReview(RUN)
    assert {step.path: step.why_not for step in review.plan()} == {
        "a.txt": "it has changed since (by you)",
        "b.txt": "somebody else has changed it, too (by you)",
        "c.txt": "",
    }
    undone = review.undo()
    assert undone.paths == {"c.txt"}
    assert {step.path for step in undone.refused} == {"a.txt", "b.txt"}
    assert (folder / "a.txt").read_text() == "mine\n"
    assert (folder / "b.txt").read_text() == "C, and mine\n"


@pytest.mark.explore
def test_what_could_not_be_given_back_is_once_nothing_is_in_its_way(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.edit("b.txt", "b", "B")
    run.end_turn()
    review = RunReview(RUN)
    review.undo(paths=["a.txt"])
    review.undo(paths=["b.txt"])
    run.turn("More")
    run.write("c.txt", "c\n")
    run.end_turn()
    RunReview(RUN).undo()
    (folder / "b.txt").write_text("mine\n")
    (folder / "c.txt").write_text("mine\n")
    assert RunReview(RUN).redo().paths == {"a.txt"}  # the last ones are refused, and in nobody's way
    assert [step.path for step in RunReview(RUN).redo().refused] == ["c.txt"]
    (folder / "b.txt").write_text("b\n")
    (folder / "c.txt").unlink()
    assert [RunReview(RUN).redo().paths for _ in range(2)] == [{"c.txt"}, {"b.txt"}]
    assert ((folder / "b.txt").read_text(), (folder / "c.txt").read_text()) == ("B\n", "c\n")
    assert RunReview(RUN).last_undo is None
    run.turn("Both")
    run.bash(lambda: [(folder / name).write_text("X\n") for name in ("b.txt", "c.txt")])
    run.end_turn()
    RunReview(RUN).undo(Scope("turn", 3))
    (folder / "b.txt").write_text("mine\n")
    undone = RunReview(RUN).redo()
    assert (undone.paths, [step.path for step in undone.refused]) == (frozenset({"c.txt"}), ["b.txt"])
    (folder / "b.txt").write_text("B\n")
    assert RunReview(RUN).redo().paths == {"b.txt"}  # the rest of it


def test_what_is_given_back_is_what_was_shown_whatever_was_taken_back_since(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.edit("b.txt", "b", "B")
    run.write("c.txt", "c\n")
    run.end_turn()
    RunReview(RUN).undo(paths=["a.txt", "c.txt"])
    shown = (review := RunReview(RUN)).plan_redo()
    assert shown.paths == ("a.txt", "c.txt")
    RunReview(RUN).undo(paths=["b.txt"])  # in another window
    (folder / "c.txt").write_text("mine\n")
    undone = review.redo(shown)
    assert (undone.paths, [step.path for step in undone.refused]) == (frozenset({"a.txt"}), ["c.txt"])
    assert (folder / "b.txt").read_text() == "b\n"

    shown = review.plan_redo()
    assert shown.paths == ("b.txt",), "the rest of the other one is in nobody's way"
    RunReview(RUN).redo(shown)
    (folder / "c.txt").unlink()
    with pytest.raises(ConfigError, match="has been given back meanwhile"):
        review.redo(shown)
    assert not (folder / "c.txt").exists()


@pytest.mark.explore
def test_what_had_something_in_its_way_when_it_was_shown_is_not_given_back_unasked(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.edit("b.txt", "b", "B")
    run.end_turn()
    review = RunReview(RUN)
    review.undo()
    (folder / "b.txt").write_text("mine\n")
    shown = review.plan_redo()
    assert shown.paths == ("a.txt",)
    (folder / "b.txt").write_text("b\n")
    undone = review.redo(shown)
    assert undone.paths == {"a.txt"}
    assert [(step.path, step.why_not) for step in undone.refused] == [("b.txt", "it has changed since this was shown")]


def test_two_runs_in_one_folder_never_take_back_each_others_work(folder: Path) -> None:
    one, two = PlayedRun(folder, RUN, "One"), PlayedRun(folder, OTHER, "Two")
    one.write("one.txt", "1\n")
    two.write("two.txt", "2\n")
    one.edit("a.txt", "one", "1")
    two.edit("a.txt", "two", "2")
    # Both have a command at work at the same time, and nobody knows which of them it was.
    mine = one.begin("Bash", command="make one")
    other = two.begin("Bash", command="make two")
    (folder / "whose.txt").write_text("?\n")
    one.finish(mine)
    two.finish(other)
    # An edit at that time is known to be what it was to be, unless somebody was at the file, too.
    other = two.begin("Bash", command="make slowly")
    one.write("known.txt", "known\n")
    call = one.begin("Write", file_path=str(folder / "doubt.txt"), content="doubt\n")
    (folder / "doubt.txt").write_text("doubt\nand more\n")
    one.finish(call)
    two.finish(other)
    review = RunReview(RUN)
    why = {step.path: step.why_not for step in review.plan()}
    assert why == {
        "a.txt": f"it has changed since (by the run {OTHER} (Two))",
        "doubt.txt": f"the run {OTHER} (Two) may have changed it at the same time",
        "known.txt": "",
        "one.txt": "",
        "whose.txt": f"the run {OTHER} (Two) may have changed it at the same time",
    }
    assert [author.kind for author in review.files()[0].authors] == ["call", "run"]
    assert review.undo().paths == {"known.txt", "one.txt"}
    assert (folder / "two.txt").read_text() == "2\n"
    theirs_too = RunReview(OTHER)
    assert {step.path for step in theirs_too.plan() if not step.why_not} == {"a.txt", "two.txt"}
    theirs_too.undo()
    assert (folder / "a.txt").read_text() == "1\ntwo\nthree\n"


@pytest.mark.parametrize(("mine", "changed"), [
    ("one\ntwo\nthree\ndef mine(): compute(1)\n", "one\ntwo\nthree\ndef mine(): compute(2)\n"),
    ("one\ntwo\nthree\nmy line", "one\ntwo\nthree\nmy line\nagent line\n"),
])  # fmt: skip
def test_lines_of_yours_that_the_run_has_changed_are_not_rejected_with_it(
    folder: Path, mine: str, changed: str
) -> None:
    run = PlayedRun(folder, RUN)
    run.write("n.txt", "x\n")
    run.end_turn()
    (folder / "a.txt").write_text(mine)
    run.turn("Go on")
    run.bash(lambda: (folder / "a.txt").write_text(changed))
    review = RunReview(RUN)
    undone = review.reject(START, "a.txt", review.hunks(START, "a.txt"))
    assert [step.why_not.partition(":")[0] for step in undone.refused] == ["lines that are not its own alone"]
    assert (folder / "a.txt").read_text() == changed


def test_hunks_are_rejected_but_not_what_is_yours_in_them(folder: Path) -> None:
    lines = [f"line {number}\n" for number in range(30)]
    (folder / "a.txt").write_text("".join(lines))
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "line 2\n", "two\n")
    run.edit("a.txt", "line 25\n", "twenty-five\nand a half\n")
    (folder / "a.txt").write_text((folder / "a.txt").read_text().replace("line 5\n", "mine\n"))
    review = RunReview(RUN)
    first, second = (review.files(), review.hunks(START, "a.txt"))[1]
    assert [one.kind for one in first.authors] == ["call", "you"]
    undone = review.reject(START, "a.txt", [first])
    assert [step.why_not for step in undone.refused] == ["lines that are not its own alone: 6"]
    review.files()
    assert not review.reject(START, "a.txt", review.hunks(START, "a.txt")[-1:]).refused
    assert (folder / "a.txt").read_text() == "".join(lines).replace("line 5\n", "mine\n")
    assert not review.files(), "all that is left of it is yours"
    assert [one.path for one in review.files(with_others=True)] == ["a.txt"]
    RunReview(RUN).redo()
    assert "and a half\n" in (folder / "a.txt").read_text()
    # What has changed since it was looked at stays.
    review.files()
    second = review.hunks(START, "a.txt")[-1]
    (folder / "a.txt").write_text((folder / "a.txt").read_text() + "more\n")
    assert [step.why_not for step in review.reject(START, "a.txt", [second]).refused] == ["it has changed since"]


def test_what_a_run_did_when_it_was_killed_is_left_if_it_may_be_yours(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.begin("Bash", command="make")
    (folder / "b.txt").write_text("by whom?\n")
    review = RunReview(RUN)
    assert [[one.kind for one in file.authors] for file in review.files()] == [["call"], ["call", "you"]]
    assert {step.path: step.why_not for step in review.plan()} == {
        "a.txt": "",
        "b.txt": "you may have changed it at the same time",
    }
    run.live()
    review.refresh()
    assert review.is_at_work
    assert {step.path for step in review.plan() if not step.why_not} == {"a.txt", "b.txt"}
    run.close()


def test_a_run_that_was_killed_long_ago_is_in_nobodys_way(folder: Path) -> None:
    old = PlayedRun(folder, OTHER)
    old.begin("Bash", command="make")
    ago = time.time() - 3_600
    run = PlayedRun(folder, RUN)
    run.bash(lambda: (folder / "b.txt").write_text("by the run\n"))
    run.end_turn()
    old.live()
    os.utime(journal_of(OTHER), (ago, ago))
    assert [(step.path, bool(step.why_not)) for step in RunReview(RUN).plan()] == [("b.txt", True)]
    old.close()
    os.utime(journal_of(OTHER), (ago, ago))
    assert [(step.path, step.why_not) for step in RunReview(RUN).plan()] == [("b.txt", "")]
    # It goes on: what its last call did is its own, as long as nobody else can have done it.
    run.tell(RunReopened(time.time()))
    call = run.begin("Bash", command="make")
    (folder / "c.txt").write_text("when it was killed\n")
    run.tell(RunReopened(time.time() - 1))
    run.finish(call)
    assert {step.path: step.why_not for step in RunReview(RUN).plan()} == {
        "b.txt": "",
        "c.txt": "you may have changed it at the same time",
    }


def test_what_was_done_in_a_folder_that_is_gone_can_still_be_seen(folder: Path) -> None:
    run = PlayedRun(folder, RUN)
    run.edit("a.txt", "one", "1")
    run.end_turn()
    after = run.take("end")
    shutil.rmtree(folder)
    review = RunReview(RUN)
    assert [one.path for one in review.files()] == ["a.txt"]
    assert review.texts(Scope("turn", 1), "a.txt").after == b"1\ntwo\nthree\n"
    assert (review.last_undo, review.tree_after(1), review.tree_after(2)) == (None, after, "")
    for work in (review.plan, review.undo, review.redo):
        with pytest.raises(ConfigError, match="is gone"):
            work()


def test_a_fork_has_its_own_changes_alone(folder: Path) -> None:
    PlayedRun(folder, OTHER).write("b.txt", "by the other run\n")
    run = PlayedRun(folder, RUN, "Asked of the other run")
    run.tell(RunForked(time.time()))
    run.take("start")
    run.turn("Asked of the fork")
    run.edit("a.txt", "one", "1")
    run.end_turn()
    review = RunReview(RUN)
    assert [(turn.number, turn.prompt) for turn in review.turns] == [(2, "Asked of the fork")]
    assert [one.path for one in review.files()] == ["a.txt"]
    with pytest.raises(ConfigError, match="no turn 1"):
        review.files(Scope("turn", 1))


def test_a_run_without_snapshots_says_why(folder: Path) -> None:
    from maverick_tui.events.kinds import ChangesUntracked
    from tests.history.kept import begun, keep

    keep(RUN, [*begun(RUN), ChangesUntracked(1.0, "it is a home directory")])
    review = RunReview(RUN)
    assert review.untracked == "it is a home directory"
    assert review.last_undo is None
    assert review.tree_after(1) == ""
    with pytest.raises(NotTrackedError, match="because it is a home directory"):
        review.files()
    with pytest.raises(ConfigError, match="is not kept"):
        RunReview("run-none")
