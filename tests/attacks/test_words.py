"""The words that we read in a command are those that real shells see, or we say that we do not know."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maverick_tui.agent.permissions.rules import covers_command
from maverick_tui.agent.permissions.shell import all_commands, one_command, plain_words
from tests.attacks.beyond import GRANTED, beyond
from tests.attacks.shell_tricks import KINDS
from tests.attacks.shells import words_of
from tests.support.cases import each
from tests.support.sampling import examples, sampled

SHELLS = [name for name in ("bash", "zsh", "dash") if shutil.which(name)]
NAME = "zz-no-such-program"
AT_ONCE = 30
OPTIONS = {
    "bash": "shopt -s extglob nullglob nocaseglob dotglob globstar xpg_echo; set -H",
    "zsh": "setopt rcquotes braceccl extendedglob kshglob nullglob nocaseglob globdots magicequalsubst shwordsplit",
}
"""What users choose that could change how words are read."""

NASTY = [
    *"'\"\\$`;&|<>(){}[]*?!#~=^%@+-,.:/ \t\n\r\v\f",
    *("a", "b", "x", "1", "$x", "${x}", "$(", "${", "$((", "))", "$'", '$"', "\\'", '\\"', "\\\n", "''", '""'),
    *("&&", "||", ";;", "<<", "<<<", ">>", ">&", "&>", "<(", ">(", "|&", "=(", "=a", "~/", "~+", "{a,b}", "{1..2}"),
    *("--", "-x", "#a", " #", "a#", "!!", "!$", "^a", "*", "?(a)", "@(a)", "[a]", "a=b", "a[0]=1", "\\;", "\\\\;"),
    *("\u00a0", "\u2003", "\u3000", "\u2028", "\u0085", "\ufeff", "\u200b", "é", "漢", "\x1b", "\x07", "\x7f", "\x01"),
    *("\\c", "\\x27", "\\047", "\\u0027", "\\n", "if", "then", "do", "time", "function", "eval", "in"),
]
PIECES = [
    *("''", '""', "'a'", '"a"', "'~'", '"="', "\\a", "\\~", "a", "b", "1", "~", "~+", "~-", "=", "=ls", ":", "{", "}"),
    *("@", "^", "#", "!", ",", ".", "..", "-", "/", "%", "+", "_", "é"),
]
_CAT = "cat() { /bin/cat; };"
"""For documents that are words: there is no other program here."""
KNOWN = [
    trick.command.replace("{P}", "PWNED").replace("{V}", "victim").replace("{O}", "/o").replace("{H}", "/h")
    for tricks in (*KINDS.values(), *map(beyond, GRANTED))
    for trick in tricks
    if len(trick.command) < 400
]


@st.composite
def _mutated(draw: st.DrawFn) -> str:
    """A known trick with a few pieces taken out, put in, or exchanged."""
    text = draw(st.sampled_from(KNOWN))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 3)))
        text = text[:start] + draw(st.sampled_from(["", *NASTY])) + text[end:]
    return text


_pieces = st.lists(st.sampled_from(NASTY), max_size=12).map("".join)
_mild = st.lists(st.sampled_from(["a", "b", " ", "'", '"', "\\", "$", "x", "-", "=", "/", "\n"]), max_size=10).map(
    "".join
)
COMMANDS = st.one_of(
    _pieces.map(f"{NAME} ".__add__),
    _mild.map(f"{NAME} ".__add__),
    st.tuples(_pieces, _pieces).map(f" {NAME} ".join),
    _mutated(),
    _mutated().map(f"{NAME} ".__add__),
    _mutated().map(lambda command: command.replace("git log", NAME).replace("git add", NAME)),
    st.text(max_size=20),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Files whose names an expansion would find; nothing may come to them, or go."""
    made = tmp_path_factory.mktemp("words")
    names = {"a", "b", "x", "-x", "ab", "1", "a b", NAME}
    for name in names:
        (made / name).write_text("")
    yield made
    assert {path.name for path in made.iterdir()} == names, "something was run"


def check(commands: list[str], folder: Path, name: str, options: str = "") -> None:
    """Whatever we give words for has these words in this shell, and is the only command there is."""
    known = [(command, words) for command in commands if (words := plain_words(command)) is not None]
    for command, words in known:
        assert words, f"{command!r} is a command without a word"
        assert "\0" not in command, f"{command!r} is cut short by whoever runs it"
        command.encode()  # half a character would be another one by the time it is run
    for is_known, batch in (
        (False, [item for item in known if item[1][0] == NAME]),
        (True, [item for item in known if item[1][0] != NAME]),
    ):
        is_argument = is_known or name == "dash"
        # Blank lines before a command are nothing to a shell, but they would come between it and its new name.
        texts = [command.lstrip(" \t\n") if is_argument else command for command, _ in batch]
        seen = words_of(name, texts, folder, as_arguments=is_argument, options=_CAT + options)
        for number, (command, words) in enumerate(batch):
            assert number < len(seen), f"{name} ended at {command!r}, which we read as {words}"
            assert seen[number].commands == [words], f"{name} reads {command!r} otherwise than {words}"


@pytest.mark.parametrize("name", SHELLS)
@pytest.mark.parametrize("head", sampled(["", f"{NAME} ", "instead"], 2))
def test_shells_see_the_words_of_every_trick(head: str, name: str, folder: Path) -> None:
    commands = [
        command.replace("git log", NAME).replace("git add", NAME) if head == "instead" else head + command
        for command in KNOWN
    ]
    check(commands, folder, name)


@pytest.mark.parametrize("options", ["", "options"])
@pytest.mark.parametrize("length", [2, pytest.param(3, marks=pytest.mark.explore)])
@pytest.mark.parametrize("name", SHELLS)
def test_shells_see_every_word_of_these_pieces(name: str, length: int, options: str, folder: Path) -> None:
    words = map("".join, product(PIECES, repeat=length))
    commands = [f"{NAME} {word}" for word in words]
    if options:
        commands = [command for command in commands if not any(word.may_expand for word in one_command(command) or ())]
    for some in range(0, len(commands), 1_000):
        check(commands[some : some + 1_000], folder, name, OPTIONS.get(name, "") if options else "")


@pytest.mark.parametrize("name", SHELLS)
def test_shells_see_the_words_before_a_redirection(name: str, folder: Path) -> None:
    before = (
        "",
        "a",
        "0",
        "1",
        "2",
        "9",
        "00",
        "12",
        "a0",
        "'0'",
        "\\0",
        '"0"',
        "-0",
        "0a",
        "--",
        "-- 0",
        "{a}",
        "&",
        "0 ",
    )
    behind = (
        ">/dev/null",
        ">>/dev/null",
        "> /dev/null",
        "</dev/null",
        ">&1",
        ">&2",
        "<&1",
        "&>/dev/null",
        ">|/dev/null",
    )
    texts = [f"{NAME} {word}{sign}{more}" for word, sign, more in product(before, behind, ("", " 2>&1", " 0", "0"))]
    known = [(text, calls[0]) for text in texts if (calls := all_commands(text)) is not None]
    known = [item for item in known if name != "dash" or "&>" not in item[0]]  # which bash and zsh alone have
    assert len(known) > 50
    seen = words_of(name, [text for text, _ in known], folder, as_arguments=name == "dash")
    for (text, words), shown in zip(known, seen, strict=True):
        assert shown.commands == [[word.text for word in words]], f"{name} reads {text!r} otherwise"


@pytest.mark.explore
@pytest.mark.parametrize("name", [name for name in OPTIONS if name in SHELLS])
def test_options_of_a_shell_change_no_word_that_is_certain(name: str, folder: Path) -> None:
    commands = [
        f"{NAME} {command}" for command in [*KNOWN, "'it''s'", "a^b", "a#", "a{b}", "{a}", "HEAD@{1}", "HEAD~1"]
    ]
    certain = [command for command in commands if not any(word.may_expand for word in one_command(command) or ())]
    assert len(certain) > len(commands) / 2
    check(certain, folder, name, OPTIONS[name])


@pytest.mark.parametrize("name", SHELLS)
@settings(
    max_examples=examples(6, 80), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(commands=st.lists(COMMANDS, max_size=AT_ONCE))
def test_shells_see_the_words_that_we_see(name: str, commands: list[str], folder: Path) -> None:
    check(commands, folder, name)


@each(
    "command",
    [
        "",
        " ",
        "\n",
        "# only a comment",
        "a; b",
        "a && b",
        "a | b",
        "a &",
        "a\nb",
        "a > b",
        "a $(b)",
        "a `b`",
        "a $x",
        "a ${x}",
        "a *",
        "a ?",
        "a [b]",
        "a ~",
        "a ~/b",
        "a {b,c}",
        "a <(b)",
        "a 'b",
        'a "b',
        "a \\",
        "a $'\\'' ; b ; : \\'",
        "a=b c",
        "a+=b c",
        "a[0]=b c",
        "! a",
        "time a",
        "{ a; }",
        "( a )",
        "if a; then b; fi",
        "function a { b; }",
        "a() { b; }",
        "[[ a ]]",
        "(( a ))",
        "a\0b",
        "a \ud800",
        "=a b",
        "a =b",
        "a b(e:c:)",
        "a # b\nc",
        "a\r\nb",
        "coproc a",
        "a <<b\nc\nb",
        "a 'it''s'",
        "a {b}",
    ],
)
def test_what_is_not_one_plain_command_has_no_words(command: str) -> None:
    assert plain_words(command) is None


@each(
    ("command", "words"),
    [
        ("ls", ["ls"]),
        ("  git   log  ", ["git", "log"]),
        ("git log --oneline -3", ["git", "log", "--oneline", "-3"]),
        ("git log 'a b'", ["git", "log", "a b"]),
        ('git log "a b"', ["git", "log", "a b"]),
        ("git log 'a;b' 'c$(d)'", ["git", "log", "a;b", "c$(d)"]),
        ("git log --format='%h %s'", ["git", "log", "--format=%h %s"]),
        ("git log -- src", ["git", "log", "--", "src"]),
        ("git commit -m 'it'\\''s'", ["git", "commit", "-m", "it's"]),
        ('git log ""', ["git", "log", ""]),
        ("npm run test -- --watch=false", ["npm", "run", "test", "--", "--watch=false"]),
        ("git log HEAD~1..HEAD", ["git", "log", "HEAD~1..HEAD"]),
    ],
)
def test_plain_commands_have_their_words(command: str, words: list[str]) -> None:
    assert plain_words(command) == words


LOOK_ALIKE = [*KNOWN, "rm -rf build && ls src docs", "~/bin/deploy prod", "$HOME/bin/x y", "$(pwd)/x", "echo 'a b'"]


def test_a_rule_for_a_command_is_about_no_other_whose_words_look_the_same(tmp_path: Path) -> None:
    for command in (command for command in LOOK_ALIKE if "*" not in command):
        quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command.split())
        is_same = plain_words(quoted) == plain_words(command)
        for rule in (command, f"{command}:*", f"{command} *"):
            assert is_same or not covers_command(rule, quoted, tmp_path), rule
