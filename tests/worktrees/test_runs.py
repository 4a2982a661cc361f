"""Runs in worktrees of their own: what they change, what is told, how they go on, and what becomes of it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from threading import Barrier

import pytest

from maverick_tui.agent.engine.judging import rules_for
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.surroundings import Surroundings
from maverick_tui.events import kinds as ev
from maverick_tui.history.going_on import to_go_on
from maverick_tui.host.worktrees import is_worked_in
from maverick_tui.journal.folders import journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.placing import GONE, Wish, find_place, leave_place
from maverick_tui.worktrees import ending, races, records
from maverick_tui.worktrees.making import make
from maverick_tui.worktrees.removing import discard
from tests.support.command_line import Run, command_line
from tests.support.hosts import end_hosts
from tests.support.smith import write_smith
from tests.worktrees.projects import commit, git, project_in, state


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_smith(home)
    folder = project_in(tmp_path / "shop")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def maverick(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    run = command_line(monkeypatch, capsys)

    def here(*arguments: str) -> object:
        monkeypatch.chdir(project)  # a run may have gone elsewhere
        return run(*arguments)

    return here  # type: ignore[return-value]


def told(run_id: str) -> list[ev.Event]:
    return read_journal(journal_of(run_id)).events


def notices(run_id: str) -> list[str]:
    return [event.text for event in told(run_id) if isinstance(event, ev.Noticed) and event.kind == "worktree"]


def test_a_run_in_a_worktree_leaves_the_project_alone_until_it_is_merged(project: Path, maverick: Run) -> None:
    (project / "mine.txt").write_text("mine\n")
    before = state(project)
    ran = maverick("run", "smith", "a.txt=better", "--worktree", "--output", "json")
    run_id = json.loads(ran.out)["run_id"]
    worktree = records.worktree_of(run_id)
    assert worktree is not None
    assert f"on the branch {worktree.branch}: 1 uncommitted file." in ran.err
    assert f"`maverick worktree merge {run_id}`" in ran.err
    assert notices(run_id) == ["1 uncommitted file of the project is not in the worktree: mine.txt."]
    assert (project / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert state(project)[::2] == before[::2]
    (listed,) = json.loads(maverick("worktree", "list", "--json").out)
    assert (listed["state"], listed["uncommitted"], listed["commits"]) == ("left", ["a.txt"], 0)
    assert listed["lost"] == "1 uncommitted file"
    assert "1 uncommitted file" in maverick("worktree", "list").out
    refused = maverick("worktree", "remove", run_id[:6])
    assert refused.code == 1
    assert "it would lose 1 uncommitted file" in refused.err
    assert maverick("worktree", "merge", run_id[:6]).out.startswith("main is at ")
    assert (project / "a.txt").read_text() == "better\n"
    assert git(project, "log", "-1", "--format=%s") == "smith: a.txt=better"
    assert git(project, "worktree", "list").count("\n") == 0
    assert "No run has a worktree." in maverick("worktree", "list").out
    assert "No worktree is of a run" in maverick("worktree", "keep", run_id).err


def test_what_git_ignores_is_lost_by_merge_or_keep_only_if_a_person_says_so(
    project: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(project, __gitignore="*.py\n")
    maverick("run", "smith", "a.txt=better;model.py=an hour of work", "--worktree")
    (run_id,) = kept_runs()
    worktree = records.worktree_of(run_id)
    assert worktree is not None
    stays = f"Its worktree stays in {worktree.path}: no commit has what git ignores (model.py). `maverick worktree"
    kept = maverick("worktree", "keep", run_id)
    assert (kept.code, kept.out.startswith("All else is on the branch")) == (0, True)
    assert f"{stays} keep --yes {run_id}` removes it." in kept.out
    (listed,) = json.loads(maverick("worktree", "list", "--json").out)
    assert (listed["state"], listed["uncommitted"], listed["ignored"]) == ("left", [], ["model.py"])
    asked = list[str]()

    def says_yes(question: str) -> bool:
        asked.append(question)
        return len(asked) == 2

    monkeypatch.setattr("maverick_tui.cli.asking.is_anybody_there", lambda: True)
    monkeypatch.setattr("maverick_tui.cli.asking.says_yes", says_yes)
    for answer in (False, True):
        merged = maverick("worktree", "merge", run_id)
        assert (f"{stays} remove {run_id}` removes it." in merged.out) == worktree.top.exists() == (not answer)
    assert asked == ["Remove the worktree as well? It would lose what git ignores (model.py)."] * 2
    assert (project / "a.txt").read_text() == "better\n"
    assert not ending.has_branch(worktree)


def test_a_worktree_is_not_removed_with_more_than_was_said(
    project: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(project, __gitignore="*.py\n")
    maverick("run", "smith", "model.py=an hour of work", "--worktree")
    (run_id,) = kept_runs()
    worktree = records.worktree_of(run_id)
    assert worktree is not None
    late = worktree.top / "late.py"

    def says_yes(question: str) -> bool:
        assert ("late.py" in question) == late.exists()
        late.write_text("saved while the question stands")
        return True

    monkeypatch.setattr("maverick_tui.cli.asking.is_anybody_there", lambda: True)
    monkeypatch.setattr("maverick_tui.cli.asking.says_yes", says_yes)
    refused = maverick("worktree", "remove", run_id)
    assert "Nothing was removed: by now it would lose what git ignores (late.py, model.py)." in refused.err
    assert late.exists()
    assert maverick("worktree", "remove", run_id).code == 0
    assert not late.exists()


def test_a_worktree_in_which_nothing_was_done_goes_by_itself(project: Path, maverick: Run) -> None:
    before = state(project)
    ran = maverick("run", "smith", "nothing", "--worktree")
    assert (ran.code, ran.err) == (0, "")
    assert state(project) == before


def test_a_run_goes_on_in_its_worktree_which_is_made_again_or_else_in_the_project(project: Path, maverick: Run) -> None:
    maverick("run", "smith", "a.txt=better", "--worktree")
    (run_id,) = kept_runs()
    assert to_go_on(run_id).folder == project
    assert maverick("run", "--resume", run_id, "b.txt=better").code == 0
    worktree = records.worktree_of(run_id)
    assert worktree is not None
    assert set(ending.loss_of(worktree).uncommitted) == {"a.txt", "b.txt"}
    maverick("worktree", "keep", run_id)
    assert maverick("run", "--resume", run_id, "c.txt=better").code == 0
    assert (worktree.top / "b.txt").read_text() == "better\n"
    assert "is made again, from its branch" in notices(run_id)[-1]
    assert "2 files" in ending.changed_by(worktree).words
    maverick("worktree", "remove", "--yes", run_id)
    records.forget(run_id)
    assert maverick("run", "--resume", run_id, "d.txt=better").code == 0
    assert (project / "d.txt").exists()
    assert notices(run_id)[-1] == GONE


@pytest.mark.explore
@pytest.mark.parametrize("left", ["", '{"run_id": "'])
def test_a_run_does_not_go_on_in_the_project_where_its_worktrees_record_is_damaged(
    left: str, project: Path, maverick: Run
) -> None:
    maverick("run", "smith", "a.txt=better", "--worktree")
    (run_id,) = kept_runs()
    worktree = records.worktree_of(run_id)
    assert worktree is not None
    before = state(project)
    records.file_of(run_id).write_text(left)

    went_on = maverick("run", "--resume", run_id, "b.txt=better")
    assert went_on.code != 0
    assert "cannot be read" in went_on.err
    assert state(project) == before
    assert (worktree.top / "a.txt").read_text() == "better\n"
    for command in (["list"], ["merge", run_id[:8]]):
        said = maverick("worktree", *command).err
        assert f"of the run {run_id} cannot be read" in said, command
        assert worktree.top.name in said, "where its work is"
        assert f"{run_id}.json" in said, "and which file it is"


def test_an_agent_may_ask_for_a_worktree_and_where_there_can_be_none_that_is_told(
    project: Path, maverick: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_smith(home, "loner", '\n    isolation = "worktree"')
    ran = maverick("run", "loner", "a.txt=better")
    assert "on the branch maverick/loner-" in ran.err
    assert (project / "a.txt").read_text() == "one\ntwo\nthree\n"
    assert "isolation" in maverick("agents", "show", "loner").out
    refused = maverick("run", "loner", "a.txt=better", "--cwd", str(tmp_path))
    assert refused.code == 1
    assert "is in no git repository" in refused.err
    assert "without a worktree" in refused.err
    for arguments in (["--resume", "abcd"], ["--on", "far", "--detach"]):
        assert maverick("run", "smith", "x", "--worktree", *arguments).code == 2


def test_a_run_with_a_host_says_where_it_works_and_is_not_merged_before_it_has_ended(
    project: Path, maverick: Run, mark: str
) -> None:
    program = [sys.executable, "-m", "maverick_tui"]
    done = subprocess.run(
        [*program, "run", "--detach", "--worktree", "--with-changes", "smith", "a.txt=better"],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    run_id = done.stdout.strip()
    try:
        assert maverick("wait", run_id).out == f"{run_id} done\n"
        (live,) = json.loads(maverick("ps", "--json").out)
        assert (live["project"], Path(live["folder"]).name) == (str(project), f"smith-{run_id[:8]}")
        assert "  worktree  " in maverick("ps").out
        assert "has a process yet" in maverick("worktree", "merge", run_id).err
        assert "alive" in maverick("worktree", "list").out
        maverick("stop", run_id)
        assert "All of it is on the branch" in maverick("worktree", "keep", run_id).out
    finally:
        end_hosts(mark)
    assert git(project, "show", f"maverick/smith-{run_id[:8]}:a.txt") == "better"


@pytest.mark.explore
def test_a_worktree_stays_as_long_as_another_run_works_in_it_also_one_that_is_not_kept(
    project: Path, maverick: Run
) -> None:
    maverick("run", "smith", "a.txt=better", "--worktree")
    (run_id,) = kept_runs()
    worktree = records.worktree_of(run_id)
    assert worktree is not None
    program = [sys.executable, "-m", "maverick_tui", "run", "--no-keep", "smith", "early.txt=b;stuck"]
    with subprocess.Popen(program, cwd=worktree.path, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as other:
        while not (worktree.top / "early.txt").exists():
            assert other.poll() is None
            time.sleep(0.02)
        try:
            for how in (["merge"], ["keep", "--yes"], ["remove", "--yes"]):
                refused = maverick("worktree", *how, run_id)
                assert (refused.code, "Another run works in the worktree" in refused.err) == (1, True)
            (listed,) = json.loads(maverick("worktree", "list", "--json").out)
            assert (listed["state"], set(listed["uncommitted"])) == ("alive", {"a.txt", "early.txt"})
        finally:
            other.terminate()
    assert maverick("worktree", "merge", run_id).out.startswith("main is at ")
    assert (project / "early.txt").read_text() == "b\n"


def test_whatever_ends_a_run_or_its_race_leaves_the_worktree_to_others_that_work_in_it(project: Path) -> None:
    for race in ("", "0123456789ef"):
        own, other = "0123456789ab", "0123456789cd"
        with races.running(race) if race else nullcontext():
            place = find_place(Wish(own, is_wanted=True, race=race), "smith", None, project).cwd
            assert find_place(Wish(other), "smith", None, place).cwd == place
        leave_place(own)
        assert not race or races.tidy_up(is_worked_in) == []
        (place / "late.txt").write_text("important\n")
        leave_place(other)
        assert (place / "late.txt").exists()
        worktree = records.worktree_of(own)
        assert worktree is not None
        assert races.tidy_up(is_worked_in) == ([worktree] if race else [])
        discard(worktree)


def test_what_may_be_written_there_is_the_worktree_and_the_rules_are_the_projects(project: Path) -> None:
    (project / ".maverick").mkdir()
    (project / ".maverick" / "rules.toml").write_text('deny = ["Edit(src/**)"]\nallow = ["Bash(make:*)"]\n')
    (project / "src").mkdir()
    made = make("0123456789ab", "smith", project / "src").worktree
    places = Places(Surroundings(made.top))
    assert places.why_not_to_write("a.txt") == ""
    assert "Maverick" in places.why_not_to_write(str(records.file_of(made.run_id)))
    assert "Maverick" in places.why_not_to_write(str(made.top.parent / "other" / "a.txt"))
    assert "Maverick" in Places(Surroundings(project)).why_not_to_write(str(made.top / "a.txt"))
    standing = rules_for("smith", made.cwd)()
    found = {(rule.effect, rule.base, rule.elsewhere, rule.counts) for rule in standing.rules}
    assert found == {("deny", made.top, (project,), True), ("allow", made.top, (), False)}


def test_worktrees_are_looked_at_side_by_side(project: Path, maverick: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = 3
    for number in range(at_once):
        make(f"{number}123456789ab", "fixer", project)
    all_there = Barrier(at_once, timeout=20)
    looked = ending.loss_of

    def look(worktree: records.Worktree) -> ending.Loss:
        all_there.wait()
        return looked(worktree)

    monkeypatch.setattr(ending, "loss_of", look)
    assert maverick("worktree", "list").out.count("nothing") == at_once
