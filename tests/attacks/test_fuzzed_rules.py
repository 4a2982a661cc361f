"""Commands made of everything a shell knows: whatever a standing rule lets through is run, and looked at."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import Standing, StandingRule

PIECES = [
    "alpha", "beta", "alpha", "al''pha", "\\alpha", "/tmp/alpha", "./alpha", "--run=beta", "-e", "beta.txt", "a b",
    " ", " ", " ", "  ", "\t", "\n", ";", "&", "&&", "||", "|", "|&", "!", "(", ")", "{", "}", "{ ", "; }", "$(", "`",
    ")", "'", '"', "\\", "\\\n", "$'", "$\"", "$(beta)", "`beta`", "${x:=beta}", "$((1))", "$x", "$0", "$*", "~", "#",
    ">", ">>", "<", "2>&1", ">|", "<(beta)", ">(beta)", "<<E\nbeta\nE\n", "<<<", "> made", "x=beta", "x=1 ", "PATH=.",
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


@given(st.lists(st.sampled_from(PIECES), max_size=7).map("".join))
def test_whatever_a_rule_lets_through_is_what_it_says(folder: Path, rest: str) -> None:
    command = f"alpha {rest}"
    rule = StandingRule("allow", "Bash(alpha:*)", folder / "rules.toml")
    judge = Judge(["Bash"], folder / "work", person=True, standing=lambda: Standing((rule,)))
    if judge.judge("Bash", {"command": command}, mode="acceptEdits").decision == "allow":
        for shell in ("/bin/bash", "/bin/sh"):
            assert ran(folder, command, shell) <= {"alpha"}, command


@given(
    st.lists(st.sampled_from(PIECES), max_size=7).map("".join), st.sampled_from(["", "alpha; ", "alpha | ", "alpha "])
)
def test_whatever_is_let_through_beside_a_denied_program_does_not_run_it(folder: Path, rest: str, first: str) -> None:
    command = f"{first}{rest} beta"
    rules = (
        StandingRule("allow", "Bash", folder / "rules.toml"),
        StandingRule("deny", "Bash(beta:*)", folder / "rules.toml"),
    )
    judge = Judge(["Bash"], folder / "work", person=True, standing=lambda: Standing(rules))
    if judge.judge("Bash", {"command": command}, mode="acceptEdits").decision == "allow":
        for shell in ("/bin/bash", "/bin/sh"):
            assert "beta" not in ran(folder, command, shell), command


def test_the_programs_would_be_seen(folder: Path) -> None:
    assert ran(folder, "alpha x; beta > made", "/bin/bash") == {"alpha", "beta", "work/made"}
