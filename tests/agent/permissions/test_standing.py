"""Standing rules: what a person or a project has said once and for all, and what a judge makes of it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import paths
from maverick_tui.agent.permissions.judge import Judge, Judgement
from maverick_tui.agent.permissions.standing import RuleBook, project_file, user_file, wrong_with
from maverick_tui.agent.tools import BUILTIN_TOOLS, ToolRule
from maverick_tui.git.programs import programs_named
from tests.agent.permissions.deciding import bash, decide
from tests.executor.files.support import git

TOOLS = sorted(BUILTIN_TOOLS)


def write(text: str, file: Path | None = None) -> Path:
    file = file or user_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def judge_in(project: Path, *, person: bool = True, agent: str = "", trusted: bool = False) -> Judge:
    book = RuleBook(project, agent, lambda _path, _content: trusted)
    return Judge(TOOLS, project, person=person, git_programs=programs_named, standing=book)


def judged(project: Path, tool: str, arguments: dict[str, Any], **more: Any) -> Judgement:
    return judge_in(project, **more).judge(tool, arguments, mode="acceptEdits")


@pytest.mark.parametrize("person", [True, False])
def test_what_a_rule_allows_runs_and_nothing_besides(person: bool, project: Path) -> None:
    write('allow = ["Bash(pytest:*)", "Bash(git log:*)", "Edit(docs/**)", "WebFetch(domain:example.org)"]')
    judge = Judge(
        ["Bash(ls:*)", "Edit(src/**)", "WebFetch(domain:x.org)"], project, person=person, standing=RuleBook(project)
    )
    for tool, arguments in (
        ("Bash", bash("pytest -q tests")),
        ("Bash", bash("git log --stat")),
        ("Edit", {"file_path": "docs/a.md"}),
        ("WebFetch", {"url": "https://www.example.org/a", "prompt": "x"}),
    ):
        found = judge.judge(tool, arguments, mode="default")
        assert (found.decision, found.rule and found.rule.file) == ("allow", user_file())
    refused = "ask" if person else "deny"
    for command in (
        "pytest -q; rm -rf x",
        "pytest $(id)",
        "pytest > out",
        "pytest -p evil",
        "X=1 pytest",
        "git log --output=x",
        "git -c core.pager=x log",
        "/tmp/pytest",
        "pytest &",
    ):
        assert decide(judge, "Bash", bash(command), "default") == refused, command
    assert decide(judge, "Edit", {"file_path": "docs/../.git/config"}, "default") == refused
    assert decide(judge, "Edit", {"file_path": "setup.py"}, "default") == refused
    assert decide(judge, "WebFetch", {"url": "https://example.org.evil.com/", "prompt": "x"}, "default") == refused


def test_no_rule_gives_an_agent_a_tool_that_it_does_not_have(project: Path) -> None:
    write('allow = ["Bash", "Edit"]')
    judge = Judge(["Read"], project, person=True, standing=RuleBook(project))
    assert decide(judge, "Bash", bash("ls")) == "deny"


def test_in_mode_plan_nothing_is_allowed_by_a_rule(project: Path) -> None:
    write('allow = ["Bash(make:*)"]')
    assert decide(judge_in(project), "Bash", bash("make test"), "default") == "allow"
    assert decide(judge_in(project), "Bash", bash("make test"), "plan") == "ask"


def test_a_bare_edit_stays_inside_and_keys_are_asked_about_whatever_a_rule_says(project: Path) -> None:
    write('allow = ["Edit", "Read", "Bash"]')
    judge = judge_in(project)
    assert decide(judge, "Edit", {"file_path": "src/a.py"}, "default") == "allow"
    for path in ("../outside.py", "/etc/hosts", ".git/hooks/pre-commit", ".maverick/rules.toml", "~/.ssh/config"):
        assert decide(judge, "Edit", {"file_path": path}, "default") == "ask", path
    assert decide(judge, "Read", {"file_path": "~/.ssh/id_rsa"}) == "ask"
    assert decide(judge, "Bash", bash("cat ~/.ssh/id_rsa")) == "ask"
    assert decide(judge, "Bash", bash(f"echo x >> {user_file()}")) == "ask"


def test_git_that_only_looks_does_not_run_what_a_repository_names(project: Path) -> None:
    git(project, "init", "-q")
    write('allow = ["Bash(git diff:*)"]')
    judge = Judge(["Bash"], project, person=True, git_programs=programs_named, standing=RuleBook(project))
    assert decide(judge, "Bash", bash("git diff")) == "allow"
    git(project, "config", "diff.external", "touch PWNED")
    assert decide(judge, "Bash", bash("git diff")) == "ask"


DENIED = (
    "git push",
    "git push origin main",
    "/usr/bin/git push",
    "git -C . push",
    "git -c a.b=c push -f",
    "ls && git push",
    "ls | git push",
    "env X=1 git push",
    "nohup git push",
    "timeout 5 git push",
    "sudo git push",
)
DOUBTFUL = (
    "bash -c 'git push'",
    "echo git push | sh",
    "xargs git push",
    "$(echo git) push",
    "eval git push",
    "g=git; $g push",
    "git pus*",
    "for x in 1; do git push; done",
    "git push > log",
    "g''it push",
)


@pytest.mark.parametrize("person", [True, False])
def test_what_is_denied_is_refused_however_it_is_said(person: bool, project: Path) -> None:
    write('allow = ["Bash"]\ndeny = ["Bash(git push:*)"]')
    judge = judge_in(project, person=person)
    for command in DENIED:
        assert decide(judge, "Bash", bash(command)) == "deny", command
    for command in DOUBTFUL:
        assert decide(judge, "Bash", bash(command)) == ("ask" if person else "deny"), command
    for command in ("git pull", "git log", "make push", "echo pushed", "git stash"):
        assert decide(judge, "Bash", bash(command)) == "allow", command
    assert decide(judge, "Monitor", bash("git push")) == "deny"


def test_nothing_that_was_granted_answers_what_may_be_denied(project: Path) -> None:
    write('deny = ["Bash(git push:*)"]')
    judge = judge_in(project)
    judge.grant(ToolRule("Bash"))
    found = judge.judge("Bash", bash("bash -c 'git push'"), mode="default")
    assert (found.decision, found.is_asked_each_time) == ("ask", True)
    assert decide(judge, "Bash", bash("git push")) == "deny"


def test_a_file_that_may_not_be_read_is_read_by_nobody(project: Path) -> None:
    (project / "conf").mkdir()
    (project / "conf" / "prod.env").write_text("x")
    (project / "link").symlink_to("conf/prod.env")
    write('deny = ["Read(conf/*.env)"]')
    judge = judge_in(project)
    for path in ("conf/prod.env", "./src/../conf/prod.env", str(project / "conf" / "prod.env"), "link"):
        assert decide(judge, "Read", {"file_path": path}) == "deny", path
    for command in ("cat conf/prod.env", "cat link", "cd conf && cat prod.env", "head conf/*.env", "tac conf/p*"):
        assert decide(judge, "Bash", bash(command)) in ("deny", "ask"), command
    for tool, arguments in (
        ("Grep", {"pattern": "x"}),
        ("Grep", {"pattern": "x", "path": "conf"}),
        ("Bash", bash("grep -r x .")),
        ("Bash", bash("rg x")),
    ):
        assert decide(judge, tool, arguments) == "ask", arguments
    assert decide(judge, "Read", {"file_path": "src/a.py"}) == "allow"
    assert decide(judge, "Grep", {"pattern": "x", "path": "src"}) == "allow"
    assert decide(judge, "Bash", bash("cat src/a.py")) == "allow"


def test_what_may_not_be_edited_may_be_read(project: Path) -> None:
    write('deny = ["Edit(src/**)"]')
    judge = judge_in(project)
    for tool in ("Edit", "Write"):
        assert decide(judge, tool, {"file_path": "src/a.py"}) == "deny"
    assert decide(judge, "NotebookEdit", {"notebook_path": "src/a.ipynb"}) == "deny"
    assert decide(judge, "Bash", bash("sed -i s/a/b/ src/a.py")) == "deny"
    assert decide(judge, "Bash", bash("cat src/a.py")) == "allow"
    assert decide(judge, "Read", {"file_path": "src/a.py"}) == "allow"


def test_deny_wins_over_ask_and_ask_over_allow(project: Path) -> None:
    write('allow = ["Bash(make:*)"]\nask = ["Bash(make release:*)"]\n[agents.careful]\ndeny = ["Bash(make:*)"]')
    assert decide(judge_in(project), "Bash", bash("make test")) == "allow"
    found = judged(project, "Bash", bash("make release"))
    assert (found.decision, found.rule and found.rule.entry) == ("ask", "Bash(make release:*)")
    assert decide(judge_in(project, agent="careful"), "Bash", bash("make test")) == "deny"
    assert decide(judge_in(project, person=False), "Bash", bash("make release")) == "deny"


def test_a_project_may_forbid_and_ask_and_allows_nothing_before_it_is_trusted(project: Path) -> None:
    git(project, "init", "-q")
    text = 'allow = ["Bash(make:*)", "Edit(docs/**)"]\nask = ["Bash(git log:*)"]\ndeny = ["Read(src/a.py)"]'
    file = write(text, project_file(project))
    deep = project / "src"
    for cwd in (project, deep):
        judge = judge_in(cwd)
        assert decide(judge, "Bash", bash("make")) == "ask"
        assert decide(judge, "Bash", bash("git log")) == "ask"
        assert decide(judge, "Read", {"file_path": str(project / "src" / "a.py")}) == "deny"
    trusting = judge_in(project, trusted=True)
    found = trusting.judge("Bash", bash("make"), mode="default")
    assert (found.decision, found.rule and found.rule.file) == ("allow", file)
    assert (
        decide(judge_in(deep, trusted=True), "Edit", {"file_path": str(project / "docs" / "a")}, "default") == "allow"
    )
    assert decide(judge_in(deep, trusted=True), "Edit", {"file_path": "docs/a"}, "default") == "ask"


def test_whoever_forbids_something_forbids_it_at_once(project: Path) -> None:
    judge = judge_in(project)
    assert decide(judge, "Bash", bash("git log")) == "allow"
    file = write('deny = ["Bash(git log:*)"]')
    assert decide(judge, "Bash", bash("git log")) == "deny"
    file.unlink()
    assert decide(judge, "Bash", bash("git log")) == "allow"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("allow = [", "cannot be read"),
        ('allow = "Bash"', "a list of rules"),
        ('permit = ["Bash"]', "none of allow"),
        ('deny = ["Bsh(x)"]', "no tool Bsh"),
        ('deny = ["Bash(x"]', "Name(rule)"),
        ('deny = ["WebFetch(example.org)"]', "domain:"),
        ("agents = 1", "[agents.NAME]"),
        ("\udcff".encode("utf-8", "surrogateescape").decode("latin-1"), "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_lets_nothing_run_by_itself(text: str, why: str, project: Path) -> None:
    write(f'{text}\nallow = ["Bash(make:*)"]' if text.startswith("permit") else text)
    found = judged(project, "Bash", bash("git log"))
    assert found.decision == "ask"
    assert why in found.reason
    assert str(user_file()) in found.reason
    assert judged(project, "Read", {"file_path": "src/a.py"}, person=False).decision == "deny"


def test_a_file_of_rules_may_be_anything(project: Path) -> None:
    file = project_file(project)
    file.parent.mkdir()
    os.mkfifo(file)
    assert decide(judge_in(project), "Bash", bash("git log")) == "ask"
    file.unlink()
    file.symlink_to("/dev/zero")
    assert decide(judge_in(project), "Bash", bash("git log")) == "ask"
    file.unlink()
    file.symlink_to(file.name)
    assert decide(judge_in(project), "Bash", bash("git log")) == "ask"


def test_where_the_rules_are(project: Path) -> None:
    assert user_file() == paths.user_config() / "rules.toml"
    assert project_file(project) == project / ".maverick" / "rules.toml"


@pytest.mark.parametrize(
    "entry",
    ["Bash", "Bash(git status:*)", "Read(src/**)", "Edit(~/notes/**)", "mcp__git__*", "own:lookup", "Skill(pdf)"],
)
def test_rules(entry: str) -> None:
    assert wrong_with(entry) == ""


@pytest.mark.parametrize("entry", ["", "Bash)", "Bash(a),Bash(b", "own:x(y)", "mcp__git__log(x)", "Grpe"])
def test_what_is_no_rule(entry: str) -> None:
    assert wrong_with(entry)
