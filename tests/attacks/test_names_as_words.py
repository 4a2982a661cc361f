"""A file may be called like a revision, an option, or a pattern that takes all memory. The model makes such a file, or
a clone brings it, and a `*` in a command has the name stand there.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.agent.permissions.deciding import bash, decide, judge_in, write

ME = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
RULES = 'deny = ["Read(.env)", "Read(conf/**)"]'
GREEDY = "(a{1,9999}){1,9999}"


def git(*words: str) -> str:
    return subprocess.run(["git", *ME, *words], check=True, capture_output=True, text=True).stdout.strip()


def shown(command: str) -> str:
    return subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True).stdout


def make(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("x\n")


@pytest.fixture
def once_committed() -> str:
    """A repository of which only the first commit has a `.env`; the hash of another that was never committed."""
    git("init", "-q", "-b", "main")
    make("README.md", "src/a.py", "src/b.py", "conf/key")
    Path(".env").write_text("SECRET=1\n")
    git("add", ".")
    git("commit", "-qm", "first")
    git("rm", "-q", ".env")
    git("commit", "-qm", "second")
    Path(".gitignore").write_text(".env\n")
    Path(".env").write_text("SECRET=2\n")
    git("add", "-f", ".env")
    git("rm", "-q", "--cached", ".env")
    return git("hash-object", ".env")


def test_a_name_is_a_revision_to_git(once_committed: str) -> None:
    blob = once_committed
    write(RULES)
    commands = [
        *("git cat-file -p main~1:.e*", "git cat-file -p main~1:?env", "git cat-file blob main~1:.[e]nv"),
        *("git cat-file -p m*:.e*", "git show main~1:.e* --", "git cat-file -p HEAD:c*/k*", "git -P show m*:.e* --"),
        *(f"git show {blob[:9]}* --", f"git cat-file -p ?{blob[1:]}", f"git diff {blob[:9]}* HEAD:README.md --"),
        *(f"git cat-file -p *{blob[-6:]}", "git grep ?E[Cm]* --", "git grep [Sm][Ea][Ci]*"),
    ]
    judge = judge_in(Path.cwd())
    assert decide(judge, "Bash", bash("git cat-file -p main~1:s*/a.py")) == "ask", "nobody knows what that is"
    make("main~1:.env", "HEAD:conf/key", blob, "SEC", "main~1")
    for command in commands:
        assert decide(judge, "Bash", bash(command)) in ("ask", "deny"), command
    assert "SECRET" in shown("git cat-file -p main~1:.e*"), "it is no mere suspicion"
    assert "SECRET" in shown(f"git show {blob[:9]}* --")
    write(f'allow = ["Bash"]\n{RULES}')
    make("show")
    for command in ("git s* main", "git -C s* README.md", "sh -c 'git show main~1:.e* --'"):
        assert decide(judge, "Bash", bash(command)) != "allow", command


def test_a_name_is_an_option_a_format_or_takes_all_memory(once_committed: str) -> None:
    assert once_committed
    commands = [
        *("tail +1?", "tail ??f README.md", "grep -E ?a* README.md", "egrep *9999* README.md", "git grep -E ?a* --"),
        *("git for-each-ref --format %*re*", "git for-each-ref --sort s*re", "cat [-]n*"),
    ]
    judge = judge_in(Path.cwd())
    make("+1f", GREEDY, "%(signature)", "signature", "-n.txt")
    for command in commands:
        assert decide(judge, "Bash", bash(command)) == "ask", command


def test_ordinary_names_are_files() -> None:
    git("init", "-q", "-b", "main")
    names = [
        *("a.py", "b.py", "src/c.py", "notes.md", "app/[slug]/page.tsx", "c++.md", "+page.svelte", "icon@2x.png"),
        *("It's (1) & more, #2!.txt", 'say "hi".txt', "feed", "2024", "$id.tsx", "été.md", "a=1.txt", "100%.txt"),
    ]
    make(*names, *(f"many/{number}@2x.png" for number in range(500)))
    git("add", ".")
    git("commit", "-qm", "x")
    write(RULES)
    judge = judge_in(Path.cwd())
    commands = [
        *("ls *.py", "cat *", "wc -l *.txt", "grep x *.py", "head -3 src/*.py app/*/*.tsx", "git diff -- *.md"),
        *("git log --oneline -- *", "git show HEAD -- *.md", "git grep x -- *.py", "git blame a*.py", "ls -l many/*"),
        *("git log -p -- 2*", "cat *.txt | sort", "git log --stat *.md"),
    ]
    for command in commands:
        assert decide(judge, "Bash", bash(command)) == "allow", command
