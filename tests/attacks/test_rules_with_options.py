"""Rules for git that say options first, or what starts it: they reach no further than those that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rules import falls_short
from maverick_tui.agent.permissions.standing import RuleBook
from maverick_tui.git.programs import programs_named, started_by_settings
from tests.agent.permissions.deciding import bash, decide, write
from tests.attacks.sandbox import Sandbox
from tests.executor.files.support import git
from tests.support.cases import each
from tests.support.sampling import sampled


@each(
    ("rule", "command"),
    [
        ("git -C src:*", "git -C src -c alias.x='!touch P' x"),
        ("git -C:*", "git -C src -c alias.x='!touch P' x"),
        ("git --no-pager:*", "git --no-pager -c alias.x='!touch P' x"),
        ("git --no-pager:*", "git --no-pager --exec-path=src x"),
        ("/usr/bin/git:*", "/usr/bin/git -c alias.x='!touch P' x"),
        ("timeout 60 git:*", "timeout 60 git -c alias.x='!touch P' x"),
        ("git -C . log:*", "git -C . log --output=here.txt"),
        ("/usr/bin/git log:*", "/usr/bin/git log --output=x"),
        ("timeout 60 git log:*", "timeout 60 git log --output=x"),
        ("timeout 60 find:*", "timeout 60 find . -delete"),
        ("timeout -s KILL 5 git log:*", "timeout -s KILL 5 git log --output=x -- grep x"),
        ("sudo -u x git:*", "sudo -u x git -c alias.x='!touch P' x"),
        ("sudo -u x git fetch:*", "sudo -u x git fetch --upload-pack=x origin"),
        ("sudo -u x find:*", "sudo -u x find . -delete"),
        ("timeout 60 git fetch:*", "timeout 60 git fetch --upload-pack=x origin"),
        ("git-fetch:*", "git-fetch --upload-pack=x origin"),
        ("env X=1 pytest:*", "env X=1 pytest -p evil"),
    ],
)
def test_a_rule_covers_no_more_because_of_what_stands_before(rule: str, command: str, sandbox: Sandbox) -> None:
    assert decide(Judge([f"Bash({rule})"], sandbox.project, person=False), "Bash", bash(command)) == "deny"


@each("before", ["", "-C src", "-C .", "--git-dir=.git", "--no-optional-locks -C .", "-c color.ui=never"])
@each("program", ["git", "/usr/bin/git", "timeout 60 git", "env git", "command git", "timeout -s KILL 5 git"])
def test_git_looks_by_no_rule_where_it_would_run_something(program: str, before: str, sandbox: Sandbox) -> None:
    command = " ".join(filter(None, (program, before, "status")))
    judge = Judge(
        [f"Bash({command}:*)", f"Bash({command})"],
        sandbox.project,
        person=False,
        git_programs=programs_named,
        git_starts=started_by_settings,
    )
    git(sandbox.project, "config", "core.fsmonitor", "touch PWNED")
    assert decide(judge, "Bash", bash(command)) == "deny"


@pytest.mark.parametrize("person", sampled([False, True], 2))
def test_git_goes_to_a_folder_only_where_nothing_there_makes_it_run_something(person: bool, sandbox: Sandbox) -> None:
    judge = Judge(
        ["Bash(git log:*)"], sandbox.project, person=person, git_programs=programs_named, git_starts=started_by_settings
    )
    hostile = sandbox.project / "sub"
    hostile.mkdir()
    git(hostile, "init", "-q")
    git(hostile, "config", "core.fsmonitor", "touch PWNED")
    (hostile / "inner").mkdir()
    (sandbox.project / "link").symlink_to("src")
    (sandbox.project / "away").symlink_to(sandbox.project.parent)
    refused = "ask" if person else "deny"
    for folder in ("sub", "sub/inner", "link", "away", "..", "/", "'~'", "s?b", "missing"):
        assert decide(judge, "Bash", bash(f"git -C {folder} log")) == refused, folder
        assert decide(judge, "Bash", bash(f"git --no-pager -C {folder} log | head")) == refused, folder
    for command in ("git -C src log -1", "git -P -C src log | head -n 2", "git --no-pager log | grep x"):
        assert decide(judge, "Bash", bash(command)) == "allow", command
    git(sandbox.project, "config", "core.fsmonitor", "touch PWNED")
    assert decide(judge, "Bash", bash("git -C src log -1")) == refused


def test_no_rule_is_named_instead_that_covers_all_that_a_program_starts(sandbox: Sandbox) -> None:
    for rule, command in (
        ("timeout 60 git log:*", "timeout 60 git log --output=x"),
        ("git -C src log:*", "git -C src log --output=x"),
    ):
        told = falls_short(rule, command, sandbox.project)
        assert told.endswith("is not"), told
    assert falls_short("date:*", "date -s x", sandbox.project).endswith("; Bash(date -s *) would")


@each("option", ["-d", "-d -C x"])
@each("line", ["npm {} pub", "npm {} unpub x", "npm {} i x", "docker {} container rm x", "xargs npm {} pub"])
def test_no_number_of_options_hides_another_name_of_what_is_denied(option: str, line: str, tmp_path: Path) -> None:
    write(
        'allow = ["Bash(npm:*)", "Bash(docker:*)", "Bash(xargs npm:*)"]\n'
        'deny = ["Bash(npm publish:*)", "Bash(npm unpublish:*)", "Bash(npm install:*)", "Bash(docker rm:*)"]\n'
    )
    judge = Judge(["Bash"], tmp_path, person=True, standing=RuleBook(tmp_path, "x"))
    for count in (7, 40):
        command = line.format(" ".join([option] * count))
        assert decide(judge, "Bash", bash(command)) != "allow", command
    assert decide(judge, "Bash", bash("npm -d -d -d -d -d -d -d -d view x")) == "allow"
