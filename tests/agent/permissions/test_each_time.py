"""What asks each time does so whichever rules for commands an agent has: a person may have allowed more for the run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.agent.permissions.judge import PLANNING, Judge, Judgement
from maverick_tui.agent.permissions.standing import NONE, RuleBook, Standing, user_file
from maverick_tui.agent.tools import ToolRule, parse_tool
from maverick_tui.git.programs import programs_named, started_by_settings
from tests.agent.permissions.deciding import bash, decide, judge_in, write
from tests.support.sampling import sampled

AGENTS = (["Bash"], ["Bash(git log:*)"], ["Bash(npm test:*)", "Read"], ["Monitor"], ["Monitor(git log:*)"])
"""What agents may have of commands: all of them, or few."""
EACH_TIME = {
    "what git's hooks run": "git mv evil.sh hk/pre-commit",
    "a folder with hooks": "mkdir hk/more",
    "what a folder brings along": "cp -r vend/. .",
    "what the agent's own hook runs": "black scripts/hook.py",
    "the same, put there by copying": "cp vend/hook.py scripts",
    "what a setting of git runs": "cp evil.sh tools/clean.sh",
    "git's own folder": "cp evil.sh .git/hooks/pre-push",
    "settings of Claude Code": "touch .claude/settings.json",
    "rules": "rm .maverick/rules.toml",
    "start-up files": "cp evil.sh ~/.bashrc",
    "keys": "cp ~/.ssh/id_rsa x",
    "keys behind a link": "cp keys x",
    "links of a folder that are followed": "diff -r src linked",
    "a folder with keys": "grep -r x ~",
    "a whole folder": "rm -r .",
    "rules that git takes away": "git clean -fd",
    "installed packages": "cp evil.py .venv/lib/python3.12/site-packages/evil.py",
    "programs on PATH": "cp evil.sh bin/ls",
    "unpacking": "patch -p1 -i evil.patch",
    "a download": "wget -r http://example.org",
    "files that a file names": "tar -cf x.tar -T list",
    "the configuration of git": "git config alias.x '!sh'",
    "Maverick itself": "maverick rules allow Bash",
    "a place that a pattern stands for": "touch .gi?/config",
    "a command that is too long": "touch " + " ".join(f"./{number}" for number in range(400)),
}


@pytest.fixture
def armed(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which things are started by git, by the agent's own hooks and by their names."""
    subprocess.run(["git", "init", "--quiet", project], check=True)
    for name, value in (("core.hooksPath", "hk"), ("filter.x.clean", "tools/clean.sh")):
        subprocess.run(["git", "config", name, value], cwd=project, check=True)
    for name in ("evil.sh", "evil.py", "hk/README", "vend/hk/x", "vend/hook.py", "scripts/hook.py", "tools/clean.sh",
                 "bin/ls", "list", ".venv/pyvenv.cfg", ".venv/lib/python3.12/site-packages/x.py",
                 ".maverick/rules.toml"):  # fmt: skip
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text("")
    (project / "linked").mkdir()
    (project / "linked" / "key").symlink_to(Path.home() / ".ssh")
    (Path.home() / ".ssh").mkdir(exist_ok=True)
    monkeypatch.setenv("PATH", f"{project}/bin:/usr/bin:/bin")
    return project


def judged(allowed: list[str], command: str, project: Path, mode: str = "default", **more: Any) -> Judgement:
    judge = Judge(
        allowed,
        project,
        person=True,
        git_programs=programs_named,
        git_starts=started_by_settings,
        started=["python3 scripts/hook.py"],
        **more,
    )
    return judge.judge(parse_tool(allowed[0]).name, bash(command), mode=mode)


@pytest.mark.parametrize("what", EACH_TIME)
def test_what_asks_each_time_does_so_with_any_rules_for_commands(what: str, armed: Path) -> None:
    command = EACH_TIME[what]
    for allowed in (*AGENTS, [f"Bash({command})"]):
        found = judged(allowed, command, armed)
        assert (found.decision, found.is_asked_each_time, bool(found.reason)) == ("ask", True, True), (allowed, found)


@pytest.mark.parametrize("allowed", AGENTS)
def test_so_do_the_mode_plan_rules_that_may_be_about_it_and_rules_that_cannot_be_read(
    allowed: list[str], armed: Path
) -> None:
    def is_each_time(command: str, mode: str = "default", standing: Standing = NONE) -> bool:
        found = judged(allowed, command, armed, mode, standing=lambda: standing)
        assert found.decision == "ask"
        return found.is_asked_each_time

    assert not is_each_time("make docs")
    assert is_each_time("make docs", "plan")
    assert is_each_time("make docs", standing=Standing((), "The rules cannot be read."))
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f"deny = {json.dumps(['Bash(make push:*)'])}")
    assert is_each_time("make $(cat list)", standing=RuleBook(armed)())


@pytest.mark.parametrize("allowed", sampled(AGENTS, 3))
def test_ordinary_commands_may_be_allowed_for_a_run(allowed: list[str], armed: Path) -> None:
    for command in ("git mv evil.sh evil2.sh", "mkdir docs", "black evil.py", "cp evil.sh src", "git add hk/README"):
        found = judged(allowed, command, armed)
        assert (found.decision, found.is_asked_each_time) == ("ask", False), (command, found)


@pytest.mark.parametrize("allowed", sampled(AGENTS, 4))
def test_what_git_would_run_that_is_only_to_look_is_told_first(allowed: list[str], project: Path) -> None:
    for name in ("", "src"):
        subprocess.run(["git", "init", "--quiet", project / name], check=True)
    for command in ("git status && make", "cd src && git status -s && make"):
        assert judged(allowed, command, project).causes == frozenset(), command
    subprocess.run(["git", "config", "core.fsmonitor", "touch PWNED; false"], cwd=project / "src", check=True)
    assert judged(allowed, "git status && make", project).causes == frozenset(), "that is another repository"
    told = "This repository makes git do more than read it: core.fsmonitor."
    for command in ("cd src && git status", "git -C src diff", "cd src && git log -p && make"):
        found = judged(allowed, command, project)
        assert (found.decision, found.reason[: len(told)], found.causes) == ("ask", told, frozenset({told})), (
            command,
            found,
        )
    subprocess.run(["git", "config", "core.fsmonitor", "touch PWNED; false"], cwd=project, check=True)
    for command in ("git status", "git diff", "git status && make", "make; git log -p", "timeout 5 git status"):
        found = judged(allowed, command, project)
        assert (found.decision, found.is_asked_each_time, found.causes) == ("ask", False, frozenset({told})), (
            command,
            found,
        )
        assert (found.reason.startswith(told), found.reason.count(told)) == (True, 1), (command, found)
    assert judged(allowed, "git add src/a.py", project).causes == frozenset(), "that is more than to look"


@pytest.mark.parametrize("rule", ["git log:*", None])
def test_what_was_allowed_without_knowing_what_git_runs_does_not_answer(rule: str | None, armed: Path) -> None:
    judge = Judge(["Bash(npm test:*)"], armed, person=True, git_programs=programs_named)
    judge.grant(ToolRule("Bash", rule))
    assert decide(judge, "Bash", bash("git log -p")) == "ask"
    subprocess.run(["git", "config", "--unset", "filter.x.clean"], cwd=armed, check=True)
    assert decide(judge, "Bash", bash("git log -p")) == "allow"


def test_in_mode_plan_a_question_says_that_it_is_the_mode(project: Path) -> None:
    edit = {"file_path": "a.py", "old_string": "a", "new_string": "b"}
    judge = Judge(["Edit"], project, person=True)
    assert judge.judge("Edit", edit, mode="plan").reason == PLANNING
    assert judge.judge("Edit", edit, mode="default").reason == ""


def test_all_rules_that_ask_about_a_call_are_told_and_to_be_allowed(project: Path) -> None:
    commit, env, docs, api = rules = "Bash(git commit:*)", "Read(.env)", "Edit(docs/**)", "Edit(docs/api/**)"
    write(f"ask = {json.dumps(rules)}")
    for tool, arguments, certain, perhaps in (
        ("Bash", bash("git commit -F .env"), (commit, env), ()),
        ("Edit", {"file_path": str(project / "docs/api/a.md")}, (docs, api), ()),
        ("Edit", {"file_path": str(project / "docs/a.md")}, (docs,), ()),
        ("Bash", bash("echo hi > out.txt; $x"), (), rules),
    ):
        judgement = judge_in(project).judge(tool, arguments)
        assert judgement.decision == "ask"
        told = [f"ask {rule} in {user_file()}" for rule in certain]
        named = [f"named {text}" for text in told]
        doubtful = [f"perhaps ask {rule} in {user_file()}" for rule in (*certain, *perhaps)]
        assert judgement.causes == frozenset([*told, *named, *doubtful]), arguments
        assert all(cause in judgement.reason for cause in told)
        assert not perhaps or f"whether one of these rules is about it: {', '.join(perhaps)}." in judgement.reason


def test_what_a_rule_may_be_about_is_no_occasion_to_allow_what_it_names(project: Path) -> None:
    write('ask = ["Bash(git push:*)", "Bash(rm -rf:*)"]')
    judge, rule = judge_in(project), f"ask Bash(git push:*) in {user_file()}"
    for command in ("npm test > out.txt", "for f in src/*; do wc -l $f; done", "X=1 make build", "rm *.pyc", "$x"):
        causes = judge.judge("Bash", bash(command)).causes
        assert (f"perhaps {rule}" in causes, f"named {rule}" in causes, rule in causes) == (True, False, False), command
    for command in ("git ${x:-push} > x", "git pus* > x",
                    "git push > out.txt", "X=1 git push", "(git push)", "x=push; git $x", "git-push > x",
                    "for r in a; do git push $r; done", "g'i't pu\\sh > x", "bash -c 'git push' > x"):  # fmt: skip
        causes = judge.judge("Bash", bash(command)).causes
        assert (f"named {rule}" in causes, rule in causes) == (True, False), command
    assert rule in judge.judge("Bash", bash("git push")).causes
    assert f"named ask Bash(rm -rf:*) in {user_file()}" in judge.judge("Bash", bash("rm -fr x > y")).causes
