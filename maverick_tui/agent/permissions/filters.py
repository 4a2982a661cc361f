"""Calls that read nothing but what is piped into them, and only print: `head -5`, `grep -v x`, `sort -k 2`.

Each option is known, and whether a value belongs to it. So every other word is an operand, and no file is among those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from maverick_tui.agent.permissions.greed import why_greedy


class Filter(NamedTuple):
    """What a program may be called with so that it is one."""

    flags: str = ""
    """Letters of options without a value."""
    valued: str = ""
    """Letters of options with one, in the same word or as the next."""
    names: str = ""
    """Long options; one with a `=` has its value behind that, in the same word."""
    texts: int = 0
    """How many operands are texts and no files."""
    value: str = r"[^-].*"
    """A regular expression for values of short options."""


_NUMBER = r"[-+]?\d+[kKMG]?"
_SEARCH = Filter(
    "acEFGhHiIlLnoPqsvwx",
    "ABCem",
    "after-context= before-context= color color= context= count extended-regexp fixed-strings ignore-case invert-match"
    " line-number line-regexp max-count= no-filename only-matching perl-regexp quiet text word-regexp",
    texts=1,
)
_BELOW = _SEARCH._replace(flags=f"{_SEARCH.flags}bRrUyZz", names=f"{_SEARCH.names} recursive")
"""The same of files, and of folders."""
_CHOOSES_FILES = re.compile(r"--(?:include|exclude|exclude-dir|color)=.*", re.DOTALL)
"""Options that may stand anywhere, and have no value in another word."""
_FILTERS: dict[str, Filter] = {
    "cat": Filter("AbeEnstTuv", names="number show-all squeeze-blank"),
    "cut": Filter("ns", "bcdf", "bytes= characters= complement delimiter= fields= only-delimited output-delimiter="),
    "egrep": _SEARCH,
    "fgrep": _SEARCH,
    "fold": Filter("bs", "w", "spaces width=", value=_NUMBER),
    "grep": _SEARCH,
    "head": Filter("qv", "cn", "bytes= lines=", value=_NUMBER),
    "nl": Filter("p", "b", value="[at]"),
    "rev": Filter(),
    "sort": Filter(
        "bdfghiMnrRsuVz",
        "kt",
        "dictionary-order field-separator= general-numeric-sort human-numeric-sort ignore-case ignore-leading-blanks"
        " key= numeric-sort reverse stable unique version-sort",
    ),
    "tac": Filter(),
    "tail": Filter("qv", "cn", "bytes= lines=", value=_NUMBER),
    "tr": Filter("cCdst", names="complement delete squeeze-repeats", texts=2),
    "uniq": Filter("cdDiu", "fsw", "count repeated unique ignore-case", value=_NUMBER),
    "wc": Filter("clmwL", names="bytes chars lines words max-line-length"),
}


def is_filter(words: Sequence[str]) -> bool:
    """Whether a call, behind a pipe, takes nothing but the output of another one, and only prints."""
    name, *rest = words
    if why_greedy([words]):
        return False
    if name == "sed":  # it has a language that writes and runs: only printing lines by their numbers is known of it
        return len(rest) == 2 and rest[0] == "-n" and re.fullmatch(r"(\d+|\$)(,(\d+|\$))?p", rest[1]) is not None
    known = _FILTERS.get(name)
    operands = None if known is None else operands_of(rest, known)
    if known is None or operands is None:
        return False
    is_told = known is _SEARCH and any(re.match(r"-[^-]*e", word) for word in rest)  # what to look for, by an option
    return len(operands) <= known.texts and not (is_told and operands)


def operands_of(words: Sequence[str], known: Filter) -> list[str] | None:
    """The words that are neither options nor their values; None unless all options are known.

    What stands behind the first of them is one, too, to some systems: so there must be no option.
    """
    waiting = iter(words)
    for word in waiting:
        if not word.startswith("-") or word in ("-", "--"):
            operands = [*waiting] if word == "--" else [word, *waiting]
            return None if any(operand.startswith("-") for operand in operands) else operands
        if word.startswith("--"):
            if "".join(word[2:].partition("=")[:2]) not in known.names.split():
                return None
        elif not _is_known(word[1:], waiting, known):
            return None
    return []


def searched_alone(words: Sequence[str]) -> list[str]:
    """The files and folders which a search names and beyond which it looks at nothing; empty if that is not certain."""
    name, *rest = words
    plain = [word for word in rest if not _CHOOSES_FILES.fullmatch(word)]
    is_told = any(re.match(r"-[^-]*e", word) for word in plain)
    operands = operands_of(plain, _BELOW) if _FILTERS.get(name) is _SEARCH and not is_told else None
    return operands[1:] if operands else []


def _is_known(letters: str, following: Iterator[str], known: Filter) -> bool:
    """Whether all letters of a word are known; the last may have its value in the next word."""
    for at, letter in enumerate(letters, 1):
        if letter in known.valued:
            value = letters[at:] or next(following, "")
            return re.fullmatch(known.value, value, re.DOTALL) is not None
        if letter not in known.flags and letter not in "0123456789":
            return False
    return True
