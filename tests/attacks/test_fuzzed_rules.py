"""Commands made of everything a shell knows: whatever a standing rule lets through is run, and looked at."""

from __future__ import annotations

import os
import random
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import Standing, StandingRule

PIECES = [
    "alpha", "beta", "alpha", "al''pha", "\\alpha", 'be""ta', "be\\ta", "./alpha", "--run=beta", "-e", "beta.txt",
    "a b", "/tmp/alpha",
    " ", " ", " ", "  ", "\t", "\n", ";", "&", "&&", "||", "|", "|&", "!", "(", ")", "{", "}", "{ ", "; }", "$(", "`",
    ")", "'", '"', "\\", "\\\n", "$'", "$\"", "$(beta)", "`beta`", "${x:=beta}", "$((1))", "$x", "$0", "$*", "~", "#",
    ">", ">>", "<", "2>&1", ">|", "<(beta)", ">(beta)", "<<E\nbeta\nE\n", "<<<", "> made", "x=beta", "x=1 ", "PATH=.",
    " | head -1", " | grep x", "| tee made", "| sort -o made",
    "\"$(cat <<'E'\nbeta\nE\n)\"", "\"$(cat <<'E'\nE(b)\nbeta\nE\n)\"",
    "if ", "then ", "fi", "for x in a; do ", "; done", "case a in a) ", ";; esac", "while ", "function alpha ", "()",
    "env ", "exec ", "eval ", "command ", "xargs ", "sh -c ", "sudo ", "time ", "nohup ", "alias alpha=beta", "*", "?",
    "[a]", "{a,b}", "=beta", "\r", "\x00", "\x0b", "\u00a0", "\u2028", "é", "-", "--", "%", "^", ",", ":", "@", "+",
]  # fmt: skip
"""`alpha` is what the rule allows, and `beta` is what it does not."""
PROGRAM = '#!/bin/sh\nprintf "%s\\n" "${0##*/}" >> "$RAN"\n'


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / "bin").mkdir()
        (folder / "work").mkdir()
        for program in ("alpha", "beta"):
            (folder / "bin" / program).write_text(PROGRAM)
            (folder / "bin" / program).chmod(0o755)
        yield folder


def ran(folder: Path, command: str, shell: str) -> set[str]:
    """The programs that a shell runs for a command, and the files that it makes."""
    log = folder / "ran"
    log.write_text("")
    environment = {"PATH": str(folder / "bin"), "RAN": str(log), "HOME": str(folder)}
    subprocess.run(
        [shell, "-c", command], cwd=folder / "work", env=environment, capture_output=True, timeout=60, check=False
    )
    made = {str(path.relative_to(folder)) for path in (folder / "work").iterdir()}
    for path in (folder / "work").iterdir():
        path.unlink()
    return {*log.read_text().split(), *made}


WORDS = ["x", "-v", "a.txt", "gamma", "'a b'", '"c"', "--all", "d=e", "1"]
"""What no shell makes anything else of."""


def commands(count: int, first: str, seed: int) -> Iterator[str]:
    """Commands of plain words, and of whatever a shell knows; the same ones each time."""
    chance = random.Random(seed)
    for _ in range(count):
        some = [chance.choice(PIECES if chance.random() < 0.25 else WORDS) for _ in range(chance.randrange(5))]
        yield f"{first}{chance.choice(['', ' ', ' ']).join(some)}"


def held(folder: Path, count: int, first: str, *rules: StandingRule, around: str = "{}") -> list[str]:
    """The commands that these rules let through, `around` each; what each of them runs is looked at."""
    judge = Judge(["Bash"], folder / "work", person=True, standing=lambda: Standing(rules))
    seed = len(first) if count == FEW else int(os.environ.get("SEED", time.time()))
    wanted = [
        command
        for inner in commands(count, first, seed)
        for command in [around.format(shlex.quote(inner) if around != "{}" else inner)]
        if judge.judge("Bash", {"command": command}, mode="acceptEdits").decision == "allow"
    ]
    for command in wanted:
        for shell in ("/bin/bash", "/bin/sh"):
            assert ran(folder, command, shell) <= {"alpha"}, (command, seed)
    return wanted


FEW = 60
COUNTS = [FEW, pytest.param(5_000, marks=pytest.mark.explore)]


@pytest.mark.parametrize("count", COUNTS)
def test_whatever_a_rule_lets_through_is_what_it_says(count: int, folder: Path) -> None:
    allowed = held(folder, count, "alpha ", StandingRule("allow", "Bash(alpha:*)", folder / "rules.toml"))
    assert len(allowed) > count // 20


@pytest.mark.explore
@pytest.mark.parametrize("count", COUNTS)
def test_whatever_is_let_through_beside_a_denied_program_does_not_run_it(count: int, folder: Path) -> None:
    rules = [StandingRule("allow", "Bash", folder / "r"), StandingRule("deny", "Bash(beta:*)", folder / "r")]
    rules += [StandingRule("deny", "Edit(made)", folder / "r")]
    assert len(held(folder, count, "alpha ", *rules)) > count // 20
    assert len(held(folder, count, "alpha ", *rules, around="eval {}")) > count // 20


def test_the_programs_would_be_seen(folder: Path) -> None:
    assert ran(folder, "alpha x; beta > made", "/bin/bash") == {"alpha", "beta", "work/made"}
