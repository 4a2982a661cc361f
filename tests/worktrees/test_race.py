"""Races: the same prompt to several, what is shown of it, what is kept, and that nothing else is left."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from maverick_tui.host.places import hosted_runs
from maverick_tui.host.worktrees import is_worked_in
from maverick_tui.worktrees import races, records
from tests.support.command_line import Run, command_line
from tests.support.hosts import end_hosts, hosts, until
from tests.support.sampling import sampled
from tests.support.smith import write_smith
from tests.worktrees.projects import git, project_in, spoil, state

MAVERICK = [sys.executable, "-m", "maverick_tui"]
BOTH = ["--agent", "smith", "--agent", "joiner"]


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mark: str) -> Iterator[Path]:
    write_smith(home)
    write_smith(home, "joiner")
    folder = project_in(tmp_path / "shop")
    monkeypatch.chdir(folder)
    yield folder
    end_hosts(mark)


@pytest.fixture
def maverick(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return command_line(monkeypatch, capsys)


@contextmanager
def racing(prompt: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [*MAVERICK, "race", prompt, *BOTH, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True) as program:
        try:
            yield program
        finally:
            program.kill()


def test_the_one_that_passes_is_kept_and_nothing_is_left_of_the_others(project: Path, maverick: Run) -> None:
    ran = maverick(
        "race", "a.txt=NAME", *BOTH, "--test", "grep -q joiner a.txt", "--keep", "passed", "--merge", "--json"
    )
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    one, other = told["results"]
    assert (one["agent"], one["outcome"], one["test"]["passed"], one["kept"]) == ("smith", "done", False, False)
    assert (other["agent"], other["test"]["passed"], other["kept"]) == ("joiner", True, True)
    assert (other["files"], other["added"], other["removed"], other["cost_usd"]) == (1, 1, 3, 0.02)
    assert other["answer"] == "joiner has a.txt=NAME"
    assert "+joiner" in other["diff"]
    assert told["told"][0].startswith("2 joiner: main is at ")
    assert (project / "a.txt").read_text() == "joiner\n"
    assert git(project, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert git(project, "worktree", "list").count("\n") == 0
    assert list(hosted_runs()) == []
    assert races.left_behind() == []


@pytest.mark.explore  # `tests/ui/test_worktrees.py` has a race to its end
def test_without_a_choice_all_are_kept_as_branches_and_what_cannot_race_is_refused(
    project: Path, maverick: Run, home: Path
) -> None:
    ran = maverick("race", "a.txt=NAME", "--agent", "smith", "--model", "sonnet", "--model", "haiku")
    assert ran.code == 0, ran.err
    assert "1 ✔ smith · sonnet  done  1 file, +1 -3  $0.02" in ran.out
    assert "smith has a.txt=NAME" in ran.out
    assert "2 smith · haiku: It is on the branch maverick/smith-" in ran.out
    branches = git(project, "branch", "--list", "maverick/*", "--format=%(refname:short)").split()
    assert [git(project, "show", f"{branch}:a.txt") for branch in branches] == ["smith", "smith"]
    assert "branch" in maverick("worktree", "list").out
    for arguments, word in (
        (["--agent", "smith"], "2 to 8"),
        (["--agent", "smith", *(f"--model=m{number}" for number in range(9))], "2 to 8"),
        (["--agent", "nobody", "--agent", "smith"], "nobody"),
        ([*BOTH, "--keep", "3"], "none of 1 to 2"),
        ([*BOTH, "--allow", "Nonsense("], "--allow"),
    ):
        refused = maverick("race", "x", *arguments)
        assert refused.code
        assert word in refused.err
    assert list(hosted_runs()) == []


def test_a_race_without_a_repository_or_a_commit_starts_nothing(
    project: Path, maverick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "is in no git repository" in maverick("race", "x", *BOTH).err
    git(tmp_path, "init", "--quiet", "empty")
    monkeypatch.chdir(tmp_path / "empty")
    assert "has no commits yet" in maverick("race", "x", *BOTH).err
    assert not list(records.all_worktrees())


@pytest.mark.explore  # nor does any worktree: `attacks/test_git.py`, `test_worktrees.py`
def test_a_race_runs_no_program_of_a_repository_and_goes_by_its_commit(
    project: Path, maverick: Run, tmp_path: Path
) -> None:
    trace = spoil(project, tmp_path)
    first = git(project, "rev-parse", "HEAD")
    (project / ".git" / "HEAD").write_text(f"{first}\n")  # the person's own git would run all of that
    (project / "b.txt").write_text("mine\n")
    trace.unlink(missing_ok=True)
    told = json.loads(maverick("race", "a.txt=NAME", *BOTH, "--test", "test -f b.txt", "--keep", "2", "--json").out)
    assert [result["test"]["passed"] for result in told["results"]] == [True, True]
    assert not trace.exists()
    assert (project / "b.txt").read_text() == "mine\n"
    branch = told["results"][1]["branch"]
    assert git(project, "show", f"{branch}:a.txt") == "joiner"
    assert git(project, "rev-parse", f"{branch}^") == first == git(project, "rev-parse", "HEAD")
    assert git(project, "show", f"{branch}:big.bin") == "oid 1"


@pytest.mark.parametrize("number", sampled([signal.SIGKILL, signal.SIGTERM], 2))
def test_a_race_that_is_killed_leaves_no_branch_worktree_or_process(
    project: Path, maverick: Run, mark: str, number: signal.Signals
) -> None:
    before = state(project)
    with racing("a.txt=NAME;stuck") as program:
        until(lambda: len([one for one in records.all_worktrees() if (one.top / "a.txt").exists()]) == 2, "two at work")
        until(
            lambda: all((one.top / "a.txt").read_text() == f"{one.agent}\n" for one in records.all_worktrees()),
            "both have written",
        )
        assert len(hosts(mark)) == 2
        program.send_signal(number)
        program.wait()
        assert program.returncode == (-9 if number == signal.SIGKILL else 130)
        until(lambda: not hosts(mark), "the hosts have ended")
        assert state(project) == before
        assert not list(records.all_worktrees())
    maverick("worktree", "list")
    assert races.left_behind() == []


@pytest.mark.explore
def test_what_a_race_leaves_whose_hosts_were_killed_as_well_is_removed_by_whoever_comes_next(
    project: Path, maverick: Run, mark: str
) -> None:
    before = state(project)
    with racing("stuck;a.txt=NAME") as program:
        until(lambda: sum(one.is_there for one in records.all_worktrees()) == 2, "two worktrees")
        program.send_signal(signal.SIGSTOP)  # so that nobody sees to anything
        end_hosts(mark, signal.SIGKILL)
        program.kill()
        program.wait()
    assert len(list(records.all_worktrees())) == 2
    # A git that they were about to start may have their locks for a moment longer.
    until(lambda: not any(map(is_worked_in, records.all_worktrees())), "nobody holds their locks")
    listed = maverick("worktree", "list")
    assert "Removed what a race that was killed has left: 2 worktrees." in listed.err
    assert state(project) == before
    assert races.left_behind() == []


@pytest.mark.explore  # so do other runs that are detached, in `cli/test_live.py`
def test_a_race_that_is_left_running_goes_on_without_us(project: Path, maverick: Run, mark: str) -> None:
    ran = maverick("race", "a.txt=NAME", *BOTH, "--detach")
    ids = [line.split()[0] for line in ran.out.splitlines()]
    assert len(ids) == 2
    maverick("wait", *ids)
    assert len(hosts(mark)) == 2
    maverick("stop", *ids)
    assert {one.run_id for one in records.all_worktrees() if one.is_there} == set(ids)
