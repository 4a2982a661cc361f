"""A document as a word is the text that real shells see, and nothing in it runs, also where an old shell reads it."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from maverick_tui.agent.permissions.documents import text_of
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.shell import plain_words
from tests.agent.permissions.deciding import bash, decide
from tests.attacks.shells import words_of
from tests.attacks.test_words import SHELLS
from tests.support.cases import each
from tests.support.sampling import sampled

CAT = "cat() { /bin/cat; };"
PIECES = [
    *("a", " ", "\n", "\\", "'", '"', "`", "$", "(", ")", "#", "$(", "(b)", "$x", "${", "}", "EOF", "EOF\n", "\nEOF\n"),
    *("<<", "<<'E'", ";", "&", "|", "*", "~", "!", "é", "\t", ")\"; id; \"$(", "case a in a)", "esac"),
]  # fmt: skip
LENGTHS = [2, pytest.param(3, marks=pytest.mark.explore)]


def bodies(length: int) -> list[str]:
    return ["".join(some) for some in product(["", *PIECES], repeat=length)]


def command(body: str, *, mark: str = "'EOF'") -> str:
    return f'zz-no-such-program -m "$(cat <<{mark}\n{body}\nEOF\n)"'


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("mark", sampled(["'EOF'", "EOF"], 2))
@pytest.mark.parametrize("name", sampled(SHELLS, 2))
def test_shells_see_the_text_that_we_see(name: str, mark: str, length: int, tmp_path: Path) -> None:
    texts = [command(body, mark=mark) for body in bodies(length)]
    known = [(text, words) for text in texts if (words := plain_words(text)) is not None]
    assert len(known) > len(texts) / 6
    (folder := tmp_path / "here").mkdir()
    for start in range(0, len(known), 500):
        some = known[start : start + 500]
        seen = words_of(name, [text for text, _ in some], folder, as_arguments=name == "dash", options=CAT)
        for number, (text, words) in enumerate(some):
            assert number < len(seen), f"{name} ended at {text!r}"
            assert seen[number].commands == [words], text
    assert list(folder.iterdir()) == []


def end_by_signs(text: str) -> int | None:
    """Where `$(` ends for a shell that knows nothing of documents: by parentheses, quotes, and comments."""
    waiting, at = [")"], 2
    while at < len(text):
        sign, last = text[at], waiting[-1]
        if last == "\n" and sign == "\n":
            waiting.pop()
        elif last in "'\n" and sign != last:
            pass
        elif sign == "\\":
            at += 1
        elif sign == last:
            waiting.pop()
            if not waiting:
                return at + 1
        elif sign == "(" and (last == ")" or text[at - 1] == "$"):
            waiting.append(")")
        elif sign == "{" and text[at - 1] == "$":
            waiting.append("}")
        elif sign in '`"' or (sign == "'" and last in ")`"):
            waiting.append(sign)
        elif sign == "#" and last == ")" and text[at - 1] in " \t\n":
            waiting.append("\n")
        at += 1
    return None


@pytest.mark.parametrize("length", LENGTHS)
def test_an_old_shell_finds_the_same_end_or_none(length: int) -> None:
    read = [word for body in bodies(length) if text_of(word := f"\"$(cat <<'EOF'\n{body}\nEOF\n)\"", "") is not None]
    assert any("'" in word and "(b)" in word for word in read)
    for word in read:
        end = end_by_signs(word[1:])
        assert end in (None, len(word) - 2), word
    hidden = "\"$(cat <<'EOF'\n'(')\"; touch P; \"(\nEOF\n)\""
    assert end_by_signs(hidden[1:]) != len(hidden) - 2, "it would be seen"
    assert text_of(hidden, "") is None


@each(
    "text",
    [
        "git commit -m \"$(cat <<'EOF'\nFix it\nEOF\n)\"",
        'git commit -m "$(cat <<\'EOF\'\nDon\'t "fix" `it` (yet)\n\n- $x \\ y; z > .git | sh\n<a@b.c>\nEOF\n)"',
        "git commit -q -m \"$(cat <<'EOF'\nFix it\nEOF\n)\" 2>&1 | tail -3",
        'git commit -m "$(cat <<EOF\nFix it (all of it)\nEOF\n)"',
    ],
)
def test_a_message_is_covered_by_a_rule_for_commits(text: str, tmp_path: Path) -> None:
    assert decide(Judge(["Bash(git commit:*)"], tmp_path, person=False), "Bash", bash(text)) == "allow"


@each(
    "text",
    [
        "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\"; touch P",
        "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\" && git push",
        "git commit -m \"$(cat <<'EOF'\nx\nEOF\n)\" > P",
        "git commit -m \"$(cat <<'EOF'\nx\nEOF\ntouch P\n)\"",
        "git commit -m \"$(cat <<'EOF'; touch P\nx\nEOF\n)\"",
        "git commit -m \"$(cat <<'EOF' | sh\ntouch P\nEOF\n)\"",
        "git commit -m \"$(cat - .env <<'EOF'\nx\nEOF\n)\"",
        'git commit -m "$(cat .env)"',
        "git commit -m \"$(bash <<'EOF'\ntouch P\nEOF\n)\"",
        "git commit -m \"$(./cat <<'EOF'\nx\nEOF\n)\"",
        'git commit -m "$(cat <<EOF\n$(touch P)\nEOF\n)"',
        'git commit -m "$(cat <<EOF\n`touch P`\nEOF\n)"',
        'git commit -m "$(cat <<EOF\n$ANTHROPIC_API_KEY\nEOF\n)"',
        'git commit -m "$(cat <<EOF\n\\$x\nEOF\n)"',
        "git commit -m \"$(cat <<'EOF'\nEOF\ntouch P\nEOF\n)\"",
        "git commit -m \"$(cat <<'EOF'\nEOF(b)\ntouch P\nEOF\n)\"",
        'git commit -m "$(cat <<\'EOF\'\n)"; touch P; "(\nEOF\n)"',
        "git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\" -m 'x)\"; touch P; #'",
        "git commit -m $(cat <<'EOF'\nx\nEOF\n)",
        "git commit \"$(cat <<'EOF'\nx\nEOF\n)$(touch P)\"",
        "git \"$(cat <<'EOF'\npush\nEOF\n)\"",
        "git commit -m \"$(cat <<'EOF'\nx\n)\"",
        "git commit -m \"$(cat <<'EOF'\nx\x00y\nEOF\n)\"",
    ],
)
def test_nothing_besides_is(text: str, tmp_path: Path) -> None:
    assert decide(Judge(["Bash(git commit:*)"], tmp_path, person=False), "Bash", bash(text)) == "deny"


def test_what_a_document_says_to_a_shell_is_read_as_a_command(tmp_path: Path) -> None:
    judge = Judge(["Bash"], tmp_path, person=False)
    for text in ("sh -c", "eval", "git config core.pager"):
        told = f"{text} \"$(cat <<'EOF'\ncp x .git/hooks/pre-commit\nEOF\n)\""
        assert decide(judge, "Bash", bash(told)) == "deny"
