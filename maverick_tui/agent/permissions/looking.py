"""Words of a command that name a place and change nothing there: it is left out, tested or only looked at.

They are found by the grammar of the shell. A word that is not certain to be one of these stays where it is, and counts
as a place that may be changed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.agent.permissions.left_out import left_out, passed_over
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
    skipped: list[Node] = []
    tests, waiting = list[str](), [root]
    while waiting:
        node = waiting.pop()
        waiting += node.children
        if node.type == "command":
            parts = node.children
            words = [_text(part) for part in parts]
            found += (parts[at] for at in left_out(words))
            skipped += (parts[at] for at in passed_over(words))
        elif node.type == "file_redirect" and len(node.children_by_field_name("destination")) > 1:
            return command, command, []  # words of the call are among them
        elif node.type == "test_command" and (test := _TEST.fullmatch(_text(node))):
            found.append(node)
            tests.append(f"test -e {test['place']}")
    tests += (f"test -e {_text(node)}" for node in (*found, *skipped) if node.type != "test_command")
    return _without(text, found), _without(text, [*found, *skipped]), tests


def _without(text: str, nodes: Sequence[Node]) -> str:
    source = text.encode(errors="replace")
    for node in sorted(nodes, key=lambda one: one.start_byte, reverse=True):
        source = source[: node.start_byte] + b"true" + source[node.end_byte :]
    return source.decode()


def _text(node: Node) -> str:
    return (node.text or b"").decode()


_TEST = re.compile(r"\[\[?\s+(?:!\s+)?-[defhLrswx]\s+(?P<place>\"?(?:\$HOME\b|~)?[\w@%+:,./-]*\"?)\s+\]\]?")
_UNCERTAIN = re.compile(
    r"\(\s*\)|\b(?:alias|enable|function|hash|trap)\b|<<|\$'|\\\n|`|(?<!\S)#|[\ud800-\udfff]"
    r"|\b(?:POSIXLY_CORRECT|posix|TAR_OPTIONS|ZIP|ZIPOPT)\b"
)
"""By which a name may come to mean another program, a program reads its words differently, somebody reads the commands
that are run, or the grammar may take a text for a command.
"""
_ON_PATH = re.compile(
    r"(?<![^\s;&|])PATH=(?P<quote>\"?)(?:~|\$HOME|\$\{HOME\})/\.local/bin:\$(?:PATH|\{PATH\})(?P=quote)(?![^\s;&|])"
)
"""Where the person's own programs are, put among the places that programs are looked for in."""
_LOOKERS = {"jq": r"-\w*i|--in", "diff": r"--?o", "tree": r"-\w*[oR]|--o"}
"""Programs that change no file, but with options like these."""
_OF_GIT, _FLAGS_OF_GIT = frozenset({"add", "check-ignore", "stage"}), frozenset("-A -f -n -q -u -v --all --".split())
"""Commands of git's that change no file which they name, with these options."""
