"""Commands that only read, and would take the machine's memory or disk doing so."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.greed import why_greedy
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.rules import covers_command, falls_short
from maverick_tui.agent.tools import parse_tool
from tests.agent.permissions.deciding import bash, decide
from tests.support.cases import each

NESTED = "(a{1,32767}){1,32767}"
DOUBLED = f"a{'+' * 30}"
PLUS = r"\+"  # of basic patterns

GREEDY = [
    f"grep -E '{NESTED}' src/a.py", f"egrep -c '{NESTED}' src/a.py", f"grep -rE '{NESTED}' src",
    f"git grep -E '{NESTED}'", f"git log -G'{NESTED}'", f"git log --grep='{NESTED}' -E",
    f"git diff --word-diff-regex='{NESTED}'", f"git -C src log -G'{NESTED}'", f"git show 'HEAD^{{/{NESTED}}}'",
    f"find . -regextype posix-extended -regex '{NESTED}'", f"grep -E --regexp='{NESTED}' src/a.py",
    r"grep '\(a\{1,32767\}\)\{1,32767\}' src/a.py", r"nl -b 'p\(a\{1,32767\}\)\{1,32767\}' src/a.py",
    "grep -E '(((a{1,250}){1,250}){1,250})' src/a.py", "grep -E 'a{1,255}{1,255}{1,255}' src/a.py",
    "grep -E 'a{32767}' src/a.py", "grep -E 'a{,32767}' src/a.py", "grep -E '(a{9000,})' src/a.py",
    "grep -E '([a)]{000000500}){000500}' src/a.py", f"grep -E '({'a' * 900}){{1,9}}' src/a.py",
    f"grep -E '{'a{1,900}|' * 3}' src/a.py", "grep -E -e 'a{1,900}' -e 'b{1,900}' -e 'c{1,900}' src/a.py",
    f"grep -E '{DOUBLED}' src/a.py", f"git grep -E '{DOUBLED}'", f"find . -regex '{DOUBLED}'",
    f"grep -E '{'(' * 30}a{'+)' * 30}' src/a.py", f"grep 'a{PLUS * 30}' src/a.py",
    f"grep -E '{'x.' * 9000}' src/a.py",
    "date '+%2000000000Y'", f"date '+{'%9999Y' * 9}'", "date '+%-_2000000000Y'", f"date '+%{'9' * 5000}Y'",
    "stat -c '%2000000000n' src/a.py", "stat --printf='%.2000000000n' src/a.py", "find . -printf '%200000000p'",
    "git for-each-ref --format='%(align:2000000000)a%(end)'", "git branch --format='%(align:width=2000000000)a%(end)'",
    "git log --format='%<(2000000000)%s'", "git log --format='%w(0,2000000000)%s'", "git log --format='%<|( 200000)%s'",
    "git log --date=format:%2000000000Y", "git blame --date=format:%2000000000Y src/a.py",
    "nl -w2000000000 src/a.py", "nl -w 2000000000 src/a.py", "nl -pw2000000000 src/a.py",
    "git grep --threads=100000 a", "echo {1..1000000000}",
]  # fmt: skip

ORDINARY = [
    "grep 1234567890 src/a.py", "grep -c 'main@{1700000000}' src/a.py", "head -c 10000000 src/a.py",
    "tail -n +1000000 src/a.py", "grep -A 1000000 x src/a.py", "sed -n 1,1000000000p src/a.py",
    "git log --since=1700000000", "git show 1234567890123456789012345678901234567890", "git diff -U1000000",
    "git log --format='%h %s' -n 10000000", "git log --format='%<(80)%s%w(72,4,8)%b' --date=format:%Y-%m-%d",
    "git for-each-ref --format='%(committerdate:iso8601) %(authordate:rfc2822) %(objectname:short=12)'",
    "git rev-parse 'main@{1700000000}'", "git show 'stash@{0}'", "git log -S'i++ + ++j' -- src",
    "git log -G'[0-9]{7}'",
    "find . -size +100000000c -name '*12345678*'", "find src -printf '%-60p %10s %TY-%Tm-%Td\\n'",
    "find . -mmin -1000000", "find . -name '*%20240101*' -printf '%p\\n'",
    "date +%s%3N", "date '+%Y-%m-%dT%H:%M:%S'", "stat -c '%-40n %12s' src/a.py", "nl -ba -w 6 src/a.py",
    "grep -E '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}' src/a.py",
    "grep -E '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' src/a.py", r"grep -E '([0-9]{1,3}\.){3}[0-9]{1,3}' src/a.py",
    r"grep '^\(#\{1,6\}\) \+[A-Z]' src/a.py", "grep -rE 'AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36,255}' src",
    r"grep -rE 'https?://([a-z0-9-]+\.)+[a-z]{2,}(/[^ ]*)?' src", "grep -E '^.{121,}$' src/a.py",
    "grep -n 'C++' src/a.py",
    "grep -E '.{0,500}needle.{0,500}' src/a.py", "grep -c '^+++ ' src/a.py", "git log -S'<<<<<<< HEAD' -- src",
    f"echo '{NESTED} %2000000000Y {DOUBLED}'", f"cat {' '.join(['src/a.py'] * 500)}",
]  # fmt: skip


@pytest.mark.parametrize("mode", ["default", "plan"])
@each("command", GREEDY)
def test_what_would_take_all_memory_asks(command: str, mode: str, project: Path) -> None:
    judge = Judge(["Bash"], project, person=True)
    assert decide(judge, "Bash", bash(command), mode) == "ask"


def test_what_the_calls_of_a_command_take_is_added_up(project: Path) -> None:
    judge = Judge(["Bash"], project, person=True)
    assert decide(judge, "Bash", bash("grep -E 'a{1,900}' src/a.py | grep -E 'b{1,900}'")) == "allow"
    assert decide(judge, "Bash", bash("grep -E 'a{1,900}' src/a.py | grep -E 'b{1,900}' | grep -E 'c{1,900}'")) == "ask"


@each("command", ORDINARY)
def test_reading_of_every_day_does_not(command: str, project: Path) -> None:
    judge = Judge(["Bash"], project, person=True)
    assert decide(judge, "Bash", bash(command)) == "allow"


@each("command", GREEDY)
def test_no_rule_with_a_wildcard_covers_it(command: str, project: Path) -> None:
    rules = [
        "grep",
        "egrep",
        "find",
        "nl",
        "date",
        "stat",
        *(f"git {name}" for name in ("grep", "log", "show", "diff")),
    ]
    rules += ["git branch", "git blame", "git for-each-ref"]
    judge = Judge([f"Bash({rule}:*)" for rule in rules], project, person=False)
    assert decide(judge, "Bash", bash(command)) == "deny"


def test_a_rule_of_its_very_words_covers_it(project: Path) -> None:
    command = f"grep -E '{NESTED}' src/a.py"
    assert decide(Judge([f"Bash({command})"], project, person=False), "Bash", bash(command)) == "allow"
    judge = Judge(["Bash"], project, person=True)
    judge.grant(parse_tool("Bash(grep:*)"))
    assert decide(judge, "Bash", bash(command)) == "ask"
    judge.grant(parse_tool(f"Bash({command})"))
    assert decide(judge, "Bash", bash(command)) == "allow"


def test_whoever_is_refused_is_told_why(project: Path) -> None:
    command, why = f"grep -E '{NESTED}' src/a.py", "so often that it may take all memory"
    for judge in (Judge(["Bash"], project, person=True), Judge(["Bash(grep:*)"], project, person=False)):
        assert why in judge.judge("Bash", bash(command)).reason
    assert why in falls_short("grep:*", command, project)
    assert why in falls_short("git:*", f"git grep -E '{NESTED}'", project)


def test_behind_a_pipe_it_is_another_command(tmp_path: Path) -> None:
    assert covers_command("pytest:*", "pytest -q | grep -E 'a{1,300}'", tmp_path)
    assert not covers_command("pytest:*", f"pytest -q | grep -E '{NESTED}'", tmp_path)


def test_what_does_more_than_read_is_for_its_rule_to_cover(tmp_path: Path) -> None:
    assert covers_command("git commit:*", f"git commit -m 'Refuse {NESTED} and %2000000000Y'", tmp_path)


def test_a_pattern_of_many_repetitions_is_counted_at_once() -> None:
    assert why_greedy([["grep", "-E", "a" + "{1,9}" * 20_000 + "+" * 20_000]])
