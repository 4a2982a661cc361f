"""Standing rules where a project has several worktrees: what is forbidden is forbidden in all of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import RuleBook, Standing, project_file
from maverick_tui.git.programs import programs_named
from maverick_tui.worktrees import records
from tests.agent.permissions.deciding import TOOLS, bash, decide, judge_in, write
from tests.executor.files.support import git


@pytest.mark.explore
def test_many_worktrees_make_no_rule_heavier_and_no_call_doubtful(project: Path) -> None:
    rules = ["Read(.env)", "Read(keys/**)", "Edit(docs/**)", "Read(//etc/x)"]
    write(f"deny = {json.dumps(rules)}", project_file(project))
    tops = [records.place_for(project, f"agent-{number}") for number in range(40)]
    for number, top in enumerate(tops):
        (top / "keys").mkdir(parents=True)
        (top / "keys" / "a").touch()
        records.write(records.Worktree(f"{number:012}", "agent", str(project), ".", str(top), "branch", "base"))
    git(project, "init", "-q")
    judge, last = judge_in(project), tops[-1]
    assert judge.judge("Bash", bash("cat " + " ".join(f"src/f{number}" for number in range(180)))).decision == "allow"
    # The same as if each place had rules of its own.
    told = judge.standing.rules
    places = [replace(rule, base=one, elsewhere=()) for one in (project, last) for rule in told]
    apart = Judge(TOOLS, project, person=True, git_programs=programs_named, standing=lambda: Standing(tuple(places)))
    decided = set[str]()
    for command in (
        *("grep -r x .", f"grep -r x {last}", f"grep -r x {last.parent}", f"cat {last}/keys/*", f"cat {last}/KEYS/a"),
        *(f"cd {last} && cat keys/a", f"cd {last} && git diff", "git log -p", f"rm -r {last}/docs", f"cat {last}/a"),
        *(f"ls {last}/keys", "cat .env", "cat /etc/x", f"echo x > {last}/docs/a", f"tar c {last}", "make"),
    ):
        decided.add(found := judge.judge("Bash", bash(command)).decision)
        assert found == apart.judge("Bash", bash(command)).decision, command
    assert decided == {"allow", "ask", "deny"}


def test_what_is_forbidden_is_forbidden_in_every_worktree_of_the_project(project: Path) -> None:
    write('deny = ["Read(.env)"]', project_file(project))
    write('ask = ["Edit(docs/**)"]')
    judge = judge_in(project)
    assert judge.judge("Read", {"file_path": ".env"}).decision == "deny"
    made = []
    for number, run_id in enumerate(("aaaa00000001", "aaaa00000002", "aaaa00000003")):  # while the judge is at work
        top = records.place_for(project, f"agent-{number}")
        top.mkdir(parents=True)
        of = str(project if number < 2 else project / "src")
        records.write(records.Worktree(run_id, "agent", of, ".", str(top), "branch", "base"))
        made.append(top)
    own, other, not_ours = made
    for one in (judge, judge_in(own)):
        for top in (project, own, other):
            denied = one.judge("Read", {"file_path": f"{top}/.env"})
            assert (denied.decision, denied.rule and denied.rule.entry) == ("deny", "Read(.env)")
            assert one.judge("Bash", bash(f"cat {top}/.env")).decision == "deny"
            asked = one.judge("Edit", {"file_path": f"{top}/docs/a"}, mode="acceptEdits")
            assert (asked.decision, asked.rule and asked.rule.entry) == ("ask", "Edit(docs/**)")
        about_another = one.judge("Read", {"file_path": f"{not_ours}/.env"})
        assert about_another.rule is None
    assert len(RuleBook(own)().rules) == 2, "each is listed once"


def test_what_is_denied_is_denied_in_every_worktree_whoever_makes_it_meanwhile(project: Path) -> None:
    git(project, "init", "-q")
    (project / "prod.txt").write_text("a\n")
    git(project, "add", ".")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
    write('deny = ["Read(prod.txt)"]', project_file(project))
    judge = Judge(["Bash", "Read"], project, person=False, standing=RuleBook(project))
    assert decide(judge, "Read", {"file_path": "prod.txt"}) == "deny"
    git(project, "worktree", "add", "-q", ".claude/worktrees/w1")
    there = project / ".claude/worktrees/w1"
    assert decide(judge, "Read", {"file_path": str(there / "prod.txt")}) == "deny"
    for command in ("cat prod.txt", "git show HEAD:prod.txt", "git log -p"):
        assert judge.judge("Bash", bash(command), here=there).decision == "deny", command
    assert judge.judge("Bash", bash("cat a.txt"), here=there).decision == "allow"


def test_what_is_denied_is_denied_in_a_worktree_wherever_it_is_by_now(project: Path) -> None:
    write('deny = ["Read(prod.txt)"]')
    judge, by = judge_in(project), ("-c", "user.name=a", "-c", "user.email=a@b")
    assert decide(judge, "Read", {"file_path": "prod.txt"}) == "deny"
    git(project, "init", "-q")  # while the agent is at work
    git(project, *by, "commit", "-qm", "first", "--allow-empty")
    git(project, "worktree", "add", "-q", "one/w")
    assert decide(judge, "Read", {"file_path": "one/w/prod.txt"}) == "deny"
    for name in ("two", "three"):
        (project / name).mkdir()
    for before, after in (("one", "two"), ("two", "one"), ("one", "three")):
        git(project, "worktree", "move", f"{before}/w", f"{after}/w")
        assert decide(judge, "Read", {"file_path": f"{after}/w/prod.txt"}) == "deny", after
    git(project, "worktree", "remove", "three/w")
    assert decide(judge, "Read", {"file_path": "three/w/prod.txt"}) == "allow"


def test_a_rule_of_a_bare_repositorys_worktree_is_about_nothing_beside_it(project: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    by = ("-c", "user.name=a", "-c", "user.email=a@b")
    git(project, "init", "-q")
    git(project, *by, "commit", "-qm", "x", "--allow-empty")
    git(project, "push", "-q", str(tmp_path / "bare.git"), "HEAD:refs/heads/main")
    for name in ("one", "two"):
        git(tmp_path / "bare.git", "worktree", "add", "-q", "-b", name, str(tmp_path / name), "main")
    write('deny = ["Read(docs/**)"]', project_file(tmp_path / "one"))
    judge = Judge(["Read"], tmp_path / "one", person=True, standing=RuleBook(tmp_path / "one"))
    assert decide(judge, "Read", {"file_path": str(tmp_path / "two/docs/a")}) == "deny"
    assert decide(judge, "Read", {"file_path": str(tmp_path / "docs/a")}) != "deny"


def test_the_name_of_a_worktree_is_looked_at_like_any_other(project: Path) -> None:
    for name in (".git", ".vscode", ".maverick", "node_modules"):
        path = f".claude/worktrees/{name}/x"
        assert decide(judge_in(project), "Write", {"file_path": path, "content": "x"}) == "ask", path
    assert decide(judge_in(project), "Write", {"file_path": ".claude/worktrees/fix/a.py", "content": "x"}) == "allow"
