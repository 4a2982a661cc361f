"""Words of commands, as the shell will see them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.agent.permissions import shell
from maverick_tui.agent.permissions.always_asked import TOO_LONG
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.places import Places
from maverick_tui.agent.permissions.shell import LONGEST, MOST_NAMED, all_commands, mentions, plain_words
from tests.support.cases import each


@each(
    ("command", "words"),
    [
        ("git diff --stat main", ["git", "diff", "--stat", "main"]),
        ("git  log\t'a b'", ["git", "log", "a b"]),
        (r"r\m -rf docs", ["rm", "-rf", "docs"]),
        ("'r'm \"a\"b", ["rm", "ab"]),
        ("r'm'", ["rm"]),
        (r'grep "foo\.bar\"" src', ["grep", r'foo\.bar"', "src"]),
        (r"find . \( -name \*.py \)", ["find", ".", "(", "-name", "*.py", ")"]),
        ("git diff HEAD~1 HEAD^ HEAD@{1}", ["git", "diff", "HEAD~1", "HEAD^", "HEAD@{1}"]),
        ("git log --format='%h;$(id)'", ["git", "log", "--format=%h;$(id)"]),
        ("ls ", ["ls"]),
    ],
)
def test_a_plain_command_has_the_words_that_the_shell_makes_of_it(command: str, words: list[str]) -> None:
    assert plain_words(command) == words


@each(
    "command",
    [
        r"git add $'\'' ; touch PWNED ; : \'",
        'echo $"x"',
        "ls $HOME",
        'ls ""~+/x',
        "ls ''~-/x",
        '""=ls',
        "ls a}",
        'ls "$HOME"',
        "ls `id`",
        "ls $(id)",
        "ls <(id)",
        "X=1 ls",
        "X+=1 ls",
        "X[0]=1 ls",
        "ls; id",
        "ls && id",
        "ls & id",
        "ls &",
        "ls | sh",
        "ls > f",
        "ls 2> f",
        "ls >| f",
        "ls &> f",
        "ls <> f",
        "ls <<< x",
        "ls <<E\nE",
        "ls\nid",
        "ls\r\nid",
        "ls\x0bid",
        "ls\u00a0x",
        "ls \\\n x",
        "ls *.py",
        "ls [a]",
        "ls {a,b}",
        "ls {1..3}",
        "ls ~",
        "ls ~root/x",
        "ls a:~/x",
        "=ls",
        "ls =id",
        "ls # x",
        "#x",
        "! ls",
        "time ls",
        "{ ls; }",
        "(ls)",
        "((1))",
        "[[ -f x ]]",
        "if ls; then id; fi",
        "f() { id; }",
        "function f { id; }",
        "coproc ls",
        "ls 'never closed",
        'ls "never closed',
        "ls \\",
        "ls a\0b",
        "ls \udc80",
        "",
        "   ",
        "x" * (LONGEST + 1),
        "(" * 2_000,
    ],
)
def test_whatever_is_not_plain_has_no_words(command: str) -> None:
    assert plain_words(command) is None


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        ("git log | head -3", ["git log", "head -3"]),
        ("ls && pwd; id\nls", ["ls", "pwd", "id", "ls"]),
        ("git diff 2>/dev/null || true", ["git diff", "true"]),
        ("ls > /dev/null 2>&1", ["ls"]),
        ("ls < /dev/null", ["ls"]),
        ("ls 0 > /dev/null", ["ls 0"]),
        ("ls a0>/dev/null", ["ls a0"]),
    ],
)
def test_plain_commands_may_follow_each_other(command: str, calls: list[str]) -> None:
    found = all_commands(command)
    assert found is not None
    assert [" ".join(word.text for word in words) for words in found] == calls


@each(
    "command",
    ["ls > f", "ls 2>&1 > f", "ls >/dev/nullx", "ls >/dev/null/../x", "ls >&f", "ls |& cat", "ls &", "ls; (id)",
    "ls <f",
     "ls >/dev/null x", "cat <<< $(id)", "ls >/dev/null &", "ls 3>/dev/null", "ls 0>/dev/null",
     "git diff -- 0>/dev/null", "grep -r x 0</dev/null", "git log -p -- 0>&1 | head", "ls; X=1", "ls;;", "ls && && id"],
)  # fmt: skip
def test_what_else_is_done_beside_them_is_not_plain(command: str) -> None:
    assert all_commands(command) is None


def test_a_very_long_chain_is_read_without_running_out_of_stack() -> None:
    assert len(all_commands("&&".join(["ls"] * 2_000)) or []) == 2_000


@each(
    "command",
    ["cp x .git/config", "echo x >.git/config", "cp --target='.git/config'", 'python -c "open(\'.git/config\')"',
     "for f in a; do cp $f .git/config; done", "x=.git/config; cp a $x", "cp {a,.git/config}", "cp x '.git'/config"],
)  # fmt: skip
def test_files_are_noticed_wherever_they_are_mentioned(command: str) -> None:
    assert ".git/config" in (mentions(command) or ())


@pytest.mark.explore
@pytest.mark.parametrize(
    "command",
    ["ls --" + "./" * 4_900, "ls -" + "/a" * 4_900, "git commit -" + "a" * 9_900, "$(x) -" + "a" * 300_000],
    ids=["dots", "folders", "git", "not plain"],
)
def test_an_option_that_is_too_long_is_not_looked_at_end_by_end(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has as many ends as letters: the square of its length, of which only so much is ever made."""
    made = looked_at = 0
    all_ends, look = shell.with_tails, Places.why_not_to_name

    def counting(text: str) -> Iterator[str]:
        nonlocal made
        for end in all_ends(text):
            made += len(end)
            yield end

    def looking(self: Places, name: str) -> str:
        nonlocal looked_at
        looked_at += len(name)
        return look(self, name)

    monkeypatch.setattr(shell, "with_tails", counting)
    monkeypatch.setattr(Places, "why_not_to_name", looking)
    assert mentions(command) is None
    assert made < MOST_NAMED + 3 * len(command)
    verdict = Judge(("Bash",), tmp_path, person=False).judge("Bash", {"command": command})
    assert (verdict.decision, verdict.reason) == ("deny", TOO_LONG)
    assert looked_at < 3 * MOST_NAMED


def test_a_list_in_a_long_text_is_no_option(tmp_path: Path) -> None:
    text = "- did this and that. " * 100
    judge = Judge(("Bash(gh pr create:*)",), tmp_path, person=False)
    assert judge.judge("Bash", {"command": f'gh pr create --title x --body "{text}"'}).decision == "allow"


def test_an_option_of_ordinary_length_is() -> None:
    found = mentions("tar -xf" + "a/" * 100 + ".git/hooks")
    assert found is not None
    assert ".git/hooks" in found
