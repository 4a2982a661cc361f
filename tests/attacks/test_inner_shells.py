"""Commands within a command: what a shell in it is given counts as if it stood there by itself, however it is quoted.

So do git's own other names: `git-push` is `git push`.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import inner_texts
from maverick_tui.agent.permissions.judge import Judge, Judgement
from maverick_tui.agent.permissions.reading import WRAPPERS
from maverick_tui.agent.permissions.shell import inner_of
from maverick_tui.agent.permissions.standing import RuleBook, user_file
from tests.agent.permissions.deciding import bash
from tests.attacks.driving import Call, unattended
from tests.attacks.sandbox import Sandbox
from tests.attacks.shell_tricks import is_asked_for
from tests.conftest import ServeModel
from tests.support.cases import each
from tests.support.effort import effort

AROUND = [
    "sh -c '{}'", "bash -c '{}'", "/bin/sh -ec '{}'", "bash -euo pipefail -c '{}'", "bash -c -o pipefail '{}'",
    "env sh -c '{}'", "env X=1 sh -c '{}'", "timeout 5 sh -c '{}'", "sudo -u x sh -c '{}'", "busybox sh -c '{}'",
    "find README.md -exec sh -c '{}' ';'", "xargs -a file sh -c '{}'", "docker run x bash -lc '{}'", "zsh-5.9 -c '{}'",
    "fish --command='{}'", "eval '{}'", "eval -- '{}'", "builtin eval '{}'", "noglob eval '{}'", "trap '{}' EXIT",
    "watch '{}'", "ssh -p 22 host '{}'", "su x -c '{}'", "script -qc '{}' out", "flock file -c '{}'", "alias x='{}'",
    "git -c 'alias.q=!{}' q", "git -c 'core.pager={}' log", "git rebase -x '{}' HEAD~1", "git rebase --exec='{}' HEAD",
    "git submodule foreach '{}'", "env GIT_PAGER='{}' git log", "env -S '{}'", "npx -c '{}'", "tmux new -d '{}'",
    "true; eval '{}'", "eval '-v; {}'", "sh -c \"eval '{}'\"", "eval \"eval '{}'\"", "sh -c \"sh -c '{}'\" x",
    "echo '{}' | sh", "true && echo '{}' | bash",
]  # fmt: skip
"""Each runs what stands in it."""
PIPED = [
    "printf '%s%s' {0} {1} | sh", "printf '%s%s' {0} {1} | env sh -s x", "printf '%s%s' {0} {1} | sh -c sh",
    "echo {0}_{1} | tr -d _ | bash /dev/stdin", "echo {0}_{1} | tr -d _ | timeout 5 dash",
    "echo {1} | xargs -I% sh -c {0}%", "echo {0}_{1} | tr -d _ | xargs -0 sh -c",
    "echo {0}_{1} | tr -d _ | . /dev/stdin",
]  # fmt: skip
"""Each runs the two halves as one word."""


@cache
def judge_in(project: Path, person: bool) -> Judge:
    return Judge(["Bash"], project, person=person, standing=RuleBook(project))


def judged(sandbox: Sandbox, command: str, *, person: bool = True) -> Judgement:
    return judge_in(sandbox.project, person).judge("Bash", bash(command), mode="acceptEdits")


def rules(text: str) -> None:
    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(text)


def is_held(sandbox: Sandbox, command: str) -> bool:
    """Whether nothing that was allowed before lets a command run: it is refused, or asks each time."""
    found = judged(sandbox, command)
    return found.decision == "deny" or (found.decision == "ask" and found.is_asked_each_time)


def some_around(inner: str, all_of_them: Sequence[str] = AROUND) -> Sequence[str]:
    """A third of what can stand around a command, another one for another command."""
    return all_of_them if is_asked_for() else all_of_them[len(inner) // 2 % 3 :: 3]


def put(around: str, inner: str) -> str:
    """Between the quotes of another command; inside of double ones, what these would change is escaped."""
    return around.replace("{}", re.sub(r'(["\\])', r"\\\1", inner) if '"' in around else inner)


@each("inner", ["r\\m x", 'git -c x.y=z pu""sh', "/usr/lib/git-core/git-push . x"])
def test_what_is_denied_is_held_in_every_inner_shell(inner: str, sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]\ndeny = ["Bash(rm:*)", "Bash(git push:*)"]')
    let_through = [command for around in some_around(inner) if not is_held(sandbox, command := put(around, inner))]
    assert let_through == []


@each("inner", ["r$@m x", "R=r; ${R}m x", "/bin/r[m] x"])
def test_what_cannot_be_read_in_an_inner_shell_may_be_what_is_denied(inner: str, sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]\ndeny = ["Bash(rm:*)"]')
    simple = [one for one in AROUND if '"' not in one and "env -S" not in one]
    arounds = some_around(inner, simple)
    let_through = [command for around in arounds if not is_held(sandbox, command := put(around, inner))]
    assert let_through == []


def test_what_a_shell_reads_is_not_known(sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]\ndeny = ["Bash(rm:*)", "Read(secret.txt)", "Edit(kept.txt)"]')
    commands = [around.format("r", "m") for around in PIPED]
    unknown = [*commands, "git --config-env=alias.q=X q"]
    assert [command for command in unknown if not is_held(sandbox, command)] == []
    rules('allow = ["Bash"]\nask = ["Read(secret.txt)"]')
    assert [command for command in commands if judged(sandbox, command).decision != "ask"] == []


@each("inner", ["cat sec\\ret.txt", 'echo x > ke""pt.txt'])
def test_no_inner_shell_has_to_do_with_a_denied_file(inner: str, sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]\ndeny = ["Read(secret.txt)", "Edit(kept.txt)"]')
    (sandbox.project / "secret.txt").touch()
    let_through = [command for around in some_around(inner) if not is_held(sandbox, command := put(around, inner))]
    assert let_through == []


@each(
    "inner",
    [
        "cat ~/.a\\ws/credentials", 'echo x >> .g""it/config', "cp file .hus\\ky/pre-commit",
        "/usr/lib/git-core/git-con\\fig core.hooksPath evil", "git-init --template=src x", 'git app""ly e.patch',
    ],
)  # fmt: skip
def test_no_inner_shell_reaches_a_protected_place(inner: str, sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]')
    let_through = [command for around in some_around(inner) if not is_held(sandbox, command := put(around, inner))]
    assert let_through == []


@each(
    "command",
    [
        "git-config core.hooksPath evil", "/usr/lib/git-core/git-config core.hooksPath evil", "env git-config a.b c",
        "/usr/lib/git-core/git-init --template=src x", "GIT-CONFIG a.b c", "git-apply e.patch", "git-am e.patch",
        "env -i /usr/lib/git-core/git-apply e.patch", "git -c 'alias.q=con\"fig\"' q core.hooksPath evil",
    ],
)  # fmt: skip
def test_git_is_known_by_all_of_its_names(command: str, sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]')
    assert is_held(sandbox, command)
    assert judged(sandbox, command, person=False).decision == "deny"


def test_a_rule_about_one_name_of_git_is_about_the_other(sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]\ndeny = ["Bash(git push:*)", "Bash(git-pull:*)"]')
    for command in ("git-push", "/usr/lib/git-core/git-push x", "timeout 5 git-push", "git-pull", "git pull x"):
        assert judged(sandbox, command).decision == "deny", command
    rules('allow = ["Bash(git log:*)"]')
    assert judged(sandbox, "git-log -1").decision == "ask"


@each(
    "command",
    [
        "git commit -m 'rename \"a\" to b, its \\.git'", 'git commit -m "use sh -c and eval here"', "make all",
        "npm run watch -- --foo 'a b*'", "pytest -k 'not slow'", "python3 -c 'print(\"a\" + \"b\")'", "npm install zsh",
        "grep -rn '\\.git' src", "grep -c bash README.md", "sed -i 's/\"a\"/b/' file", "ls | grep bash", "which bash",
        "bash --version", "bash scripts/test.sh 'a$b'", "sh -c 'make all'", "bash -lc 'npm test && npm run lint'",
        "eval 'make all'", "trap - EXIT", "git -c user.name=\"O'Neil\" -c color.ui=false status", "ls | grep zsh",
        "git rebase --exec 'make test' main", "env FOO='a$b' make", "find src -name '*.py' -exec wc -l '{}' ';'",
        "ls | xargs wc -l", "awk '{print $1}' file", "sudo apt install fish", "echo 'say \"hi\"'", "man bash | cat",
        "docker compose exec web bash -c 'pytest -q'", "git submodule foreach 'echo x'", "ssh host uptime",
        "timeout 60 bash run.sh", "git switch -c foo", "screen -ls", "cp docs/git-push.md x.md",
        "git log --grep='x\\.ssh'", "env NODE_OPTIONS=--max-old-space-size=4096 npm run build", "npm i -g pnpm",
    ],
)  # fmt: skip
def test_ordinary_commands_go_on(command: str, sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]')
    assert judged(sandbox, command, person=False).decision == "allow", "no rule"
    rules('allow = ["Bash"]\ndeny = ["Bash(rm:*)", "Bash(git push:*)"]')
    assert judged(sandbox, command, person=False).decision == "allow", "rules about others"


def test_every_name_that_is_known_can_stand_alone_and_at_the_end() -> None:
    known = {
        *inner_texts._RUNNERS,
        *inner_texts._TAKE_TEXTS,
        *inner_texts._WITHOUT_PROGRAM,
        *WRAPPERS,
        "sh",
        "git",
        ".",
    }
    for name in known:
        for line in (name, f"mkdir {name}", f"env {name}", f"x {name} -c", f"git bisect run {name}", f"sudo {name} -"):
            inner_of(line)  # one that cannot be judged would be refused


@pytest.mark.explore
@each("command", [
    "env " + "eval " * 2_000, "sh " * 3_000, "eval '" + "sh -c x; " * 1_000 + "'", "env -S " * 1_000,
    "git commit -m \"$(cat <<'EOF'\n" + "refs/ " * 6_000 + "\nEOF\n)\"",
])  # fmt: skip
def test_texts_without_end_are_not_read_to_their_end(command: str, sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]\ndeny = ["Bash(rm:*)"]')
    assert effort(lambda: judged(sandbox, command)) < 60


def test_too_many_texts_may_be_anything(sandbox: Sandbox) -> None:
    rules('allow = ["Bash"]\ndeny = ["Bash(rm:*)"]')
    assert not is_held(sandbox, "eval 'true; " + "eval true; " * 10 + "'")
    assert is_held(sandbox, "eval 'true; " + "eval true; " * 100 + "'")


REAL = {
    "quoted": "sh -c 'r\"\"m README.md'",
    "escaped": "timeout 5 bash -c 'r\\m README.md'",
    "printed": "printf 'r%s README.md' m | sh",
    "trapped": "trap 'r\"\"m README.md' EXIT",
    "found": "find README.md -exec sh -c 'r\"\"m README.md' ';'",
    "alias": "git -c 'alias.q=!git com\"\"mit' q --allow-empty -m x",
    "dashed": "{X}/git-commit --allow-empty -m x",
    "config": "{X}/git-config core.hooksPath evil",
    "key": "eval 'cat ~/.a\"\"ws/credentials'",
    "hook": "sh -c 'echo x > .g\"\"it/hooks/post-commit'",
    "file": "eval 'cat src/ma\"\"in.py'",
}


@pytest.mark.explore  # what the judge says of them is above; that the CLI heeds it shows `test_shell_unattended.py`
async def test_they_are_refused_for_real(sandbox: Sandbox, serve: ServeModel) -> None:
    rules('deny = ["Bash(rm:*)", "Bash(git commit:*)", "Read(src/main.py)"]')
    found = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    calls = [Call(name, "Bash", bash(command.replace("{X}", found))) for name, command in REAL.items()]
    report = await unattended(sandbox, serve, [*calls, Call("made", "Bash", bash("sh -c 'true'"))], ["Bash"])
    wrong = [name for name, outcome in report.outcomes.items() if outcome.has_run is not (name == "made")]
    assert not wrong, report.explain(wrong)
    assert not report.changes, report.explain(wrong)
