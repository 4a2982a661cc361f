"""Which words of a call name what its program leaves out: values of `--exclude` and its like, and what `find` skips.

Only those that cannot be anything else. A word may also be the value of the option before it (`tar -V --exclude x`),
or belong to a program that is run by this one (`fd a -x cp {} -E x`).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple


def left_out(call: Sequence[str]) -> Iterator[int]:
    """Which words of a call, as they are written, say what it does not look at."""
    if program := _PROGRAMS.get(call[0]):
        yield from program.left_out(call)
    if call[0] in _GREPS:
        yield from _inverted(call)


def passed_over(call: Sequence[str]) -> Iterator[int]:
    """Which words of a call of `find` name what it passes over: with `-not -path x`, or `-path x -prune -o`.

    None where another word may turn that into its opposite.
    """
    words = [word for word in map(_plain, call) if word is not None]
    if call[0] not in _FINDERS or len(words) < len(call) or not _FIND_ALIKE.isdisjoint(words):
        return
    own = list(takewhile(lambda word: not word.startswith(_NOT_ITS_OWN), words))
    if _OR.isdisjoint(words):
        for at in range(3, len(own)):
            before, negation, test = own[at - 3 : at]
            is_negated = negation in _NOT and before not in _NOT and not before.startswith("-")
            if is_negated and test in _NAMES:
                yield at
        return
    for at in range(3, len(own), 4):
        if own[1].startswith("-") or own[at - 1] not in _NAMES or own[at + 1 : at + 3] != ["-prune", "-o"]:
            return
        yield at


def _plain(written: str) -> str | None:
    """What a word is without its quotes; None if that is not certain."""
    return shlex.split(written)[0] if _CERTAIN.fullmatch(written) else None


def _inverted(call: Sequence[str]) -> Iterator[int]:
    """The pattern of a `grep -v`, which is its first word that is no option, if none of its options is another one."""
    words = [_plain(word) or "-" for word in call]
    at = next((at for at in range(1, len(words)) if not _FLAGS_OF_GREP.fullmatch(words[at])), len(words))
    if any("v" in flags for flags in words[1:at]) and not any(word.startswith("-") for word in words[at:]):
        yield from range(at, len(words))[:1]


class _Program(NamedTuple):
    """How a program is told what to leave out."""

    options: frozenset[str]
    """To other programs the same may be short for an option without a value: `tee --ignore .git/config`."""
    flags: str = ""
    """Letters of options that have no value, so that what stands behind them is none either."""
    has_lists: bool = False
    """Whether such an option has all values that follow."""
    end: re.Pattern[str] = re.compile("--")
    """A word behind which nobody can tell what is an option of its own."""
    is_tar: bool = False
    """Whether its first word is options also without a `-`, and behind the first file there may be none: on macOS."""

    def left_out(self, call: Sequence[str]) -> Iterator[int]:
        """Which of the words of a call say what is left out, as long as all of them are certain."""
        is_free, is_value, is_listing = True, False, False  # free: certainly no value of the option before
        for at, written in enumerate(call[1:], start=1):
            joined = _JOINED.fullmatch(written)
            is_bundle = self.is_tar and at == 1 and not written.startswith("-")
            word = written if joined else _plain(f"-{written}" if is_bundle else written)
            is_option = word in self.options
            if word is None or self.end.fullmatch(word) or (is_option and not is_free):
                return
            is_listing = not word.startswith(("-", "@")) and (is_value or (is_listing and self.has_lists))
            if is_listing or (joined and joined["option"] in self.options):  # joined, it names nothing to anybody
                yield at
            elif self.is_tar and is_free and (word == "-" or not word.startswith("-")):
                return
            is_free, is_value = self._takes_no_value(word), is_option

    def _takes_no_value(self, word: str) -> bool:
        """Whether what stands behind a word of it is certainly not the value of an option."""
        is_flag = all(letter in self.flags for letter in word[1:])  # also where it is `-` alone
        return not word.startswith("-") or is_flag or word in _FLAGS or (word.startswith("--") and "=" in word)


_FLAGS = frozenset({"--hidden", "--no-ignore", "--delete", "--archive", "--recursive"})
_GREPS, _FLAGS_OF_GREP = ("grep", "egrep", "fgrep"), re.compile("-[rRnEFiIlLwohHcqsv]+")
_GREP = _Program(frozenset({"--exclude", "--exclude-dir"}), "rRnEFiIlLwohHcqsv")
_TAR = _Program(
    frozenset({"--exclude"}),
    "cxtvzjJ",
    end=re.compile(r"-(?![cxtvzjJ]*[fC]?$|-exclude$|-[a-z-]+=).*"),  # `cVf` has two values, the next words
    is_tar=True,
)
_FD = _Program(frozenset({"-E", "--exclude"}), "HIuaispgl", end=re.compile("--|-[^-]*[xX].*|--exe.*"))
_CHECKER = _Program(frozenset({"--exclude", "--extend-exclude"}))
_COUNTER = _Program(frozenset({"--exclude-dir"}))
_PROGRAMS = {
    **dict.fromkeys(_GREPS, _GREP),
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _TAR),
    **dict.fromkeys(("fd", "fdfind"), _FD),
    **dict.fromkeys(("black", "flake8", "mypy", "ruff"), _CHECKER),
    **dict.fromkeys(("cloc", "scc"), _COUNTER),
    "ack": _Program(frozenset({"--ignore-dir"})),
    "ag": _Program(frozenset({"--ignore", "--ignore-dir"})),
    "du": _Program(frozenset({"--exclude"}), "achks"),
    "eslint": _Program(frozenset({"--ignore-pattern"})),
    "pytest": _Program(frozenset({"--ignore"}), "qvx"),
    "rsync": _Program(frozenset({"--exclude"}), "avzrnhPqtul"),
    "tokei": _Program(frozenset({"-e", "--exclude"})),
    "tree": _Program(frozenset({"-I"}), "adfhpsuC", end=re.compile("--|-(?:[^-]*[^adfhpsuC-]){2}.*")),  # as `-LPo`
    "zip": _Program(frozenset({"-x"}), "rqy", has_lists=True),
}
_FINDERS = frozenset({"find", "bfs"})
_NAMES = frozenset({"-name", "-iname", "-path", "-ipath", "-wholename"})
_NOT, _OR = frozenset({"!", "-not"}), frozenset({"-o", "-or"})
_NOT_ITS_OWN = ("-exec", "-ok", "-fprintf")
"""How words begin behind which there are those of another program, or two values."""
_FIND_ALIKE = frozenset({"(", ",", "-d", "-depth", "-delete", "-mindepth"})
"""Words by which what is passed over may still be found."""
_CERTAIN = re.compile(r"(?:[\w@%+:,./=!-]|'[^'\n]*'|\"[^\"$`\\\n]*\")+|\\[()!;]|\{\}")
"""A word that stands for itself in every shell."""
_JOINED = re.compile(r"(?P<option>--[a-z-]+)=(?:[\w@%+:,./*?{}-]|'[^'\n]*'|\"[^\"$`\\\n]*\")*")
