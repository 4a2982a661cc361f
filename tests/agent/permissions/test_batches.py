"""What a batch goes by is written by nobody else: the runs that it starts work in the folder that it lies in."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.batch.folder import opened
from maverick_tui.batch.items import Item
from maverick_tui.git.programs import programs_named
from maverick_tui.worktrees import records
from tests.agent.permissions.deciding import TOOLS, bash, decide
from tests.executor.files.support import git

FILES = ("results.jsonl", "failures.jsonl", "runs.jsonl", "batch.json", ".lock")


def begin(folder: Path) -> Path:
    with opened(folder, "cook") as batch:
        batch.take_in([Item(1, "1", "prompt", {}, "", "k1")])
    return folder


@pytest.mark.parametrize("person", [True, False])
def test_no_run_writes_what_a_batch_goes_by(person: bool, project: Path, tmp_path: Path) -> None:
    judge = Judge(TOOLS, project, person=person, git_programs=programs_named)
    asked = "ask" if person else "deny"
    assert decide(judge, "Write", {"file_path": "sub/prompts.batch/results.jsonl"}) == "allow", "there is no batch yet"
    begin(project / "sub/prompts.batch")  # while the judge is at work
    beyond = begin(tmp_path / "of another/other.batch")
    (project / "link").symlink_to("sub/prompts.batch")
    (project / "file").symlink_to("sub/prompts.batch/runs.jsonl")
    for folder in ("sub/prompts.batch", "link", "src/../sub/PROMPTS.batch", str(beyond)):
        for name in FILES:
            one = judge.judge("Write", {"file_path": f"{folder}/{name}", "content": "x"}, mode="acceptEdits")
            assert one.decision == asked, (folder, name)
            assert not person or one.is_asked_each_time, (folder, name)
    assert decide(judge, "Edit", {"file_path": "file", "old_string": "a", "new_string": "b"}) == asked
    for command in (
        *("echo x >> sub/prompts.batch/results.jsonl", "cd sub/prompts.batch && echo x > results.jsonl"),
        *("mv sub other", "mv sub/prompts.batch other", "rm -r sub", "cp src/results.jsonl sub/prompts.batch/"),
        *("cp -rl sub/prompts.batch src/", "ln sub/prompts.batch/results.jsonl src/x", "tee link/runs.jsonl"),
        *("cp -r new/. sub/", "tar xf new.tar -C sub/prompts.batch results.jsonl", "echo x | tee -a file"),
    ):
        (project / "new/prompts.batch").mkdir(parents=True, exist_ok=True)
        (project / "new/prompts.batch/results.jsonl").touch()
        (project / "src/results.jsonl").touch()
        one = judge.judge("Bash", bash(command))
        assert one.decision == asked, command
        assert not person or one.is_asked_each_time, command


def test_what_a_batch_goes_by_is_read_and_what_is_beside_it_is_written(project: Path) -> None:
    begin(project / "out")
    judge = Judge(TOOLS, project, person=True, git_programs=programs_named)
    assert decide(judge, "Read", {"file_path": "out/results.jsonl"}) == "allow"
    assert decide(judge, "Bash", bash("wc -l out/results.jsonl")) == "allow"
    for path in ("out/1.md", "results.jsonl", "src/batch.json"):
        assert decide(judge, "Write", {"file_path": path}) == "allow", path
    begin(project)
    assert decide(judge, "Write", {"file_path": "src/batch.json"}) == "allow"
    assert decide(judge, "Write", {"file_path": "results.jsonl"}) == "ask"


def test_git_does_not_take_it_away_unasked_nor_bring_it_by_a_merge(project: Path) -> None:
    git(project, "init", "-q")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", "--allow-empty")
    begin(project / "prompts.batch")
    judge = Judge(TOOLS, project, person=True, git_programs=programs_named)
    for command in ("git stash -u", "git clean -fd", "git clean -fd prompts.batch"):
        assert judge.judge("Bash", bash(command)).is_asked_each_time, command
    top = records.place_for(project, "agent-1")
    top.mkdir(parents=True)
    records.write(records.Worktree("a" * 12, "agent", str(project), ".", str(top), "branch", "base"))
    there = Judge(TOOLS, top, person=True, git_programs=programs_named)
    assert decide(there, "Write", {"file_path": "prompts.batch/results.jsonl"}) == "ask"
    assert decide(there, "Write", {"file_path": "prompts.batch/1.md"}) == "allow"
