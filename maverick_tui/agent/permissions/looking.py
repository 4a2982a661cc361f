"""Words of a command that name a place and change nothing there: it is left out, tested or only looked at.

They are found by the grammar of the shell. A word that is not certain to be one of these stays where it is, and counts
as a place that may be changed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.agent.permissions.reading import only_reads
from maverick_tui.agent.permissions.shell import LONGEST, all_commands, inner_of, parsed, without_document

if TYPE_CHECKING:
    from tree_sitter import Node


class Purpose(NamedTuple):
    """A command by what it does with the places that it names."""

    command: str
    """The command without what it leaves out and tests, but for what `find` passes over."""
    changing: str
    """That without what `find` passes over and the calls that only look: what it may change."""
    looking: str
    """All that is at most read: what is left out, tests, and the calls that only look."""


def by_purpose(command: str) -> Purpose:
    """What a command may change, and what it only looks at."""
    is_all_of_path = "PATH" not in _ON_PATH.sub("", command)  # else it may name the place again: `${PATH%%:*}/x`
    left, rest, tests = _set_aside(_ON_PATH.sub("PATH=$PATH", command) if is_all_of_path else command)
    calls = [[word.text for word in words] for words in all_commands(rest) or ()]
    looking = [words for words in calls if _only_looks(words)]
    is_handed_on = len(looking) < len(calls) and "|" in rest.replace("||", "")  # others may take it for names
    if not looking or is_handed_on or inner_of(rest).texts or _UNCERTAIN.search(command):
        return Purpose(left, rest, "\n".join(tests))
    changing = "\n".join(shlex.join(words) for words in calls if words not in looking)
    return Purpose(left, changing, "\n".join((*tests, *map(shlex.join, looking))))


def _only_looks(words: Sequence[str]) -> bool:
    """Whether a call changes no file: at most, it prints what it finds."""
    name, *rest = words
    if name == "git" and rest and rest[0] in _OF_GIT:
        return all(word in _FLAGS_OF_GIT or not word.startswith("-") for word in rest)
    if name in _LOOKERS:
        return not any(re.match(_LOOKERS[name], word) for word in rest)
    return only_reads(words)


def _set_aside(command: str) -> tuple[str, str, list[str]]:
    """A command without what it leaves out and tests, first but for what `find` passes over, which says what it finds;
    and a test of each place: `tar czf --exclude x` reads x after all.
    """
    text = without_document(command)
    if len(text) > LONGEST or _UNCERTAIN.search(text) or (root := parsed(text)).has_error:
        return command, command, []
    found: list[Node] = []
    passed_over: list[Node] = []
    tests, waiting = list[str](), [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "command":
            found += _left_out(node)
            passed_over += _passed_over(node)
        elif node.type == "test_command" and (test := _TEST.fullmatch(_text(node))):
            found.append(node)
            tests.append(f"test -e {test['place']}")
    tests += (f"test -e {_text(node)}" for node in (*found, *passed_over) if node.type != "test_command")
    return _without(text, found), _without(text, [*found, *passed_over]), tests


def _without(text: str, nodes: Sequence[Node]) -> str:
    source = text.encode(errors="replace")
    for node in sorted(nodes, key=lambda one: one.start_byte, reverse=True):
        source = source[: node.start_byte] + b"true" + source[node.end_byte :]
    return source.decode()


def _left_out(command: Node) -> Iterator[Node]:
    """The words of a call that say what it does not look at."""
    words = [_text(part) for part in command.children]
    program = _PROGRAMS.get(words[0])
    yield from (command.children[at] for at in program.left_out(words)) if program else ()


def _passed_over(command: Node) -> Iterator[Node]:
    """The words of a call of `find` that name what it passes over."""
    words = [_text(part) for part in command.children]
    if words[0] in _FINDERS:
        yield from (command.children[at] for at in range(2, len(words)) if _is_passed_over(words, at))


def _is_passed_over(words: Sequence[str], at: int) -> bool:
    """Whether a word is the name of what `find` passes over: with `-not -path x`, or `-path x -prune -o`.

    Not where another word may turn that into its opposite.
    """
    if words[at - 1] not in _NAMES or not _FIND_ALIKE.isdisjoint(words) or not all(map(_CERTAIN.fullmatch, words)):
        return False
    if words[at - 2] in _NOT:
        before = words[at - 3]
        return _OR.isdisjoint(words) and not before.startswith("-") and before not in _NOT
    is_pruned = words[at + 1 : at + 2] == ["-prune"] and words[at + 2 : at + 3] == ["-o"]
    is_first = at == 3 or words[at - 2] == "-o"
    return is_pruned and is_first and _NOT.isdisjoint(words)


def _text(node: Node) -> str:
    return (node.text or b"").decode()


class _Program(NamedTuple):
    """How a program is told what to leave out."""

    options: frozenset[str]
    """To other programs the same may be short for an option without a value: `tee --ignore .git/config`."""
    flags: str = ""
    """Letters of options that have no value, so that what stands behind them is none either."""
    has_lists: bool = False
    """Whether such an option has all values that follow."""

    def left_out(self, words: Sequence[str]) -> Iterator[int]:
        """Which of the words of a call say what is left out, as long as all of them are certain."""
        is_listing = False
        for at in range(1, len(words)):
            word, before, joined = words[at], words[at - 1], _JOINED.fullmatch(words[at])
            is_certain = _CERTAIN.fullmatch(word) is not None
            if word == "--" or not (is_certain or joined):
                return
            is_value = at > 1 and before in self.options and self._takes_no_value(words[at - 2])
            is_listing = (
                is_certain and not word.startswith(("-", "@")) and (is_value or (is_listing and self.has_lists))
            )
            if is_listing or (joined and joined["option"] in self.options and self._takes_no_value(before)):
                yield at

    def _takes_no_value(self, word: str) -> bool:
        """Whether what stands behind a word of it is certainly not the value of an option."""
        is_flag = all(letter in self.flags for letter in word[1:])  # also where it is `-` alone
        return not word.startswith("-") or is_flag or word in _FLAGS or (word.startswith("--") and "=" in word)


_FLAGS = frozenset({"--hidden", "--no-ignore", "--delete", "--archive", "--recursive"})
_GREP = _Program(frozenset({"--exclude", "--exclude-dir", "-v", "-vE", "-Ev"}), "rRnEFiIlLwohHcqs")
_TAR = _Program(frozenset({"--exclude"}), "cvzjJ")
_FD = _Program(frozenset({"-E", "--exclude"}), "HIuaispgl")
_CHECKER = _Program(frozenset({"--exclude", "--extend-exclude"}))
_COUNTER = _Program(frozenset({"-e", "--exclude", "--exclude-dir"}))
_PROGRAMS = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), _GREP),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _TAR),
    **dict.fromkeys(("fd", "fdfind"), _FD),
    **dict.fromkeys(("black", "flake8", "mypy", "ruff"), _CHECKER),
    **dict.fromkeys(("cloc", "scc", "tokei"), _COUNTER),
    "ack": _Program(frozenset({"--ignore-dir"})),
    "ag": _Program(frozenset({"--ignore", "--ignore-dir"})),
    "du": _Program(frozenset({"--exclude"}), "achks"),
    "eslint": _Program(frozenset({"--ignore-pattern"})),
    "pytest": _Program(frozenset({"--ignore"}), "qvx"),
    "rsync": _Program(frozenset({"--exclude"}), "avzrnhPqtul"),
    "tree": _Program(frozenset({"-I"}), "adfhpsuC"),
    "zip": _Program(frozenset({"-x"}), "rqy", has_lists=True),
}
_FINDERS = frozenset({"find", "bfs"})
_NAMES = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename"})
_NOT, _OR = frozenset({"!", "\\!", "-not"}), frozenset({"-o", "-or"})
_FIND_ALIKE = frozenset({"(", "\\(", "'('", '"("', ",", "','", '","', "-d", "-depth", "-delete"})
"""Words by which what is passed over may still be found."""
_CERTAIN = re.compile(r"(?:[\w@%+:,./=!-]|'[^'\n]*'|\"[^\"$`\\\n]*\")+|\\[()!;]|\{\}")
"""A word that stands for itself in every shell."""
_JOINED = re.compile(r"(?P<option>--[a-z-]+)=(?:[\w@%+:,./*?{}-]|'[^'\n]*'|\"[^\"$`\\\n]*\")*")
_TEST = re.compile(r"\[\[?\s+(?:!\s+)?-[defhLrswx]\s+(?P<place>\"?(?:\$HOME\b|~)?[\w@%+:,./-]*\"?)\s+\]\]?")
_UNCERTAIN = re.compile(r"\(\s*\)|\b(?:alias|enable|function|hash|trap)\b|<<|\$'|\\\n|`|(?<!\S)#|[\ud800-\udfff]")
"""By which a name may come to mean another program, somebody reads the commands that are run, or the grammar may take
a text for a command.
"""
_ON_PATH = re.compile(
    r"(?<![^\s;&|])PATH=(?P<quote>\"?)(?:~|\$HOME|\$\{HOME\})/\.local/bin:\$(?:PATH|\{PATH\})(?P=quote)(?![^\s;&|])"
)
"""Where the person's own programs are, put among the places that programs are looked for in."""
_LOOKERS = {"jq": r"-\w*i|--in", "diff": r"--?o", "tree": r"-\w*[oR]|--o"}
"""Programs that change no file, but with options like these."""
_OF_GIT, _FLAGS_OF_GIT = frozenset({"add", "check-ignore", "stage"}), frozenset("-A -f -n -q -u -v --all --".split())
"""Commands of git's that change no file which they name, with these options."""
