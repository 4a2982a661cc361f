"""A file that may not be read is in git's objects as well once somebody has added it, by mistake and only for a moment:
no commit has it, and the model finds its hash unasked.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import RuleBook
from maverick_tui.git import reached
from tests.agent.permissions.deciding import bash, decide, write

ME = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")


def git(*words: str, fed: str = "") -> str:
    return subprocess.run(["git", *ME, *words], input=fed, check=True, capture_output=True, text=True).stdout.strip()


def begin() -> str:
    """A repository in which `.env` was added and taken back, before two commits without it; returns its hash."""
    git("init", "-q", "-b", "main")
    Path(".gitignore").write_text(".env\n")
    Path(".env").write_text("SECRET=1\n")
    git("add", "-f", ".env")
    git("rm", "-q", "--cached", ".env")
    for number in range(2):
        Path("a.txt").write_text(f"{number}\n")
        git("add", ".")
        git("commit", "-qm", f"{number}")
    return git("hash-object", ".env")


def judge_here(*, person: bool = True) -> Judge:
    return Judge(["Bash"], Path.cwd(), person=person, standing=RuleBook(Path.cwd()))


def test_what_no_name_reaches_is_not_shown_by_its_hash_where_a_file_may_not_be_read() -> None:
    env = begin()
    tree = git("mktree", fed=f"100644 blob {env}\tnotes\n")
    commit = git("commit-tree", tree, "-m", "x")
    first, last = git("rev-parse", "HEAD~1"), git("rev-parse", "HEAD")
    shown = [
        *(f"git show {env}", f"git show {env[:7]}", f"git show {env.upper()}", f"git cat-file -p {env}"),
        *(f"git cat-file blob {env}", f"git diff {env} HEAD:a.txt", f"git diff HEAD:a.txt {env}"),
        *(f"git diff {last}..{commit}", f"git diff ^{commit} {last}", f"git show {commit}", f"git log -p {commit}"),
        *(f"git show {tree}:notes", f"git show {commit}:notes", f"git grep SECRET {tree}", f"git show x-1-g{env}"),
        *(f"git archive {tree}", f"git restore --source={commit} .", f"git restore -s{commit} .", f"git -P show {env}"),
        *(f"echo {env} | git cat-file --batch", "git cat-file --batch --batch-all-objects", "git fsck --lost-found"),
        *(f"echo {env} | git show --stdin", f"git show {last} {env}", "git cat-file -p $(git hash-object .env)"),
        *(f"git checkout {commit}", f"git stash show -p {commit}", f"git diff-tree -p {first} {commit}"),
    ]
    harmless = [
        *(f"git show {last}", f"git show {first[:8]}", f"git log -p {first}", f"git diff {first}..{last}"),
        *(f"git show {last}:a.txt", f"git cat-file -p {last}", f"git checkout {first}", f"git log --stat {commit}"),
        *("git show", "git log -p --author feed", "git show HEAD~1", "git diff"),
    ]
    write('allow = ["Bash"]')
    for command in (*shown, *harmless):
        assert decide(judge_here(), "Bash", bash(command)) == "allow", command
    write('allow = ["Bash"]\ndeny = ["Read(.env)", "Edit(.env)"]')
    for command in shown:
        assert decide(judge_here(), "Bash", bash(command)) in ("ask", "deny"), command
        assert decide(judge_here(person=False), "Bash", bash(command)) == "deny", command
    for command in harmless:
        assert decide(judge_here(), "Bash", bash(command)) == "allow", command
    write('allow = ["Bash"]\nask = ["Read(.env)"]')
    assert decide(judge_here(), "Bash", bash(f"git show {env}")) == "ask"
    write('allow = ["Bash"]\ndeny = ["Read(//elsewhere/.env)"]')
    assert decide(judge_here(), "Bash", bash(f"git show {env}")) == "allow", "the rule is about no file of it"


def test_a_hash_of_which_git_does_not_tell_in_time_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    begin()
    monkeypatch.setattr(reached, "SECONDS", 0.0)
    write('allow = ["Bash"]\ndeny = ["Read(.env)"]')
    assert decide(judge_here(), "Bash", bash(f"git show {git('rev-parse', 'HEAD')}")) == "ask"
