"""Which calls that only read are told to make so much of so little that they may take the machine's memory or disk:
`grep -E '(a{1,9999}){1,9999}' x`, `date '+%2000000000Y'`.

What was measured stays modest below these limits: the matchers of the C library copy what is repeated, and need memory
by the square of how much that comes to, 160 MB for 3,000 copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import prod

_MOST_COPIES = 2000
"""To how many signs all patterns of a command may come once their repetitions are written out."""
_LONG = 10_000
"""Signs of a pattern that is too long without any repetition."""
_WIDEST = 10_000
"""Signs to which a format may fill up what it prints."""
_MOST_REPEATED = 65_535
"""No matcher repeats more often, so what says more is none of a pattern: `main@{1700000000}`."""
_WITH_PATTERNS = frozenset("egrep fgrep find git grep nl".split())
_WITH_FORMATS = frozenset("date git stat".split())
_PRINTING = {"-printf": 1, "-fprintf": 2}
"""What stands before a format of find, and how many words before."""
_REPEATS = re.compile(r"\\?(?:\{(?P<least>[0-9]*)(?P<is_range>,?)(?P<most>[0-9]*)\\?\}|\+)")
"""In basic patterns with backslashes, in extended ones without."""
_MAY_END_GROUP = frozenset(")}*+?")
"""What stands before a repetition of more than one sign: of a group, or of something that is repeated already."""
_NUMBER_IN_FORMAT = re.compile(r"(?<![A-Za-z0-9])[0-9]+")
"""Not the end of a name: `iso8601`."""
_WIDTH_OF_NL = re.compile(r"(?:-[A-Za-z]*)?([0-9]+)")


def why_greedy(calls: Iterable[Sequence[str]]) -> str:
    """Why calls that only read, all of one command, may take more than that, as a clause; empty if they do not."""
    copies = 0
    for name, *words in calls:
        if name in _WITH_PATTERNS:
            copies += sum(map(_copies, words))
            if copies > _MOST_COPIES:
                return f"{name} would repeat parts of its pattern so often that it may take all memory"
        formats = _formats_of_find(words) if name == "find" else words if name in _WITH_FORMATS else []
        if any(map(_is_too_wide, formats)) or (name == "nl" and any(map(_is_wide_nl, words))):
            return f"{name} would fill up what it prints to more than {_WIDEST:,} characters"
    return ""


def _formats_of_find(words: Sequence[str]) -> list[str]:
    return [word for at, word in enumerate(words) for back in (1, 2) if _PRINTING.get(words[at - back]) == back]


def _copies(word: str) -> int:
    """How many signs a word is at most, taken for a pattern with all that it repeats written out; 0 if that is not
    worth counting.

    Which group is repeated is not looked for, since that depends on the kind of pattern: each repetition of one counts
    for all that is in the word. Even a `+` makes a copy, so that a row of them doubles with each.
    """
    signs, groups = len(word), [1]
    for found in _REPEATS.finditer(word):
        before = word[: found.start()][-1:]
        if before in _MAY_END_GROUP:
            groups.append(_times(found))
        elif found[0][-1] == "}":
            signs += _times(found)
    copies = signs * prod(groups)
    return copies if copies > len(word) or len(word) > _LONG else 0


def _times(found: re.Match[str]) -> int:
    if found[0][-1] == "+":
        return 2
    least, most = _number(found["least"]), _number(found["most"])
    times = most or least + len(found["is_range"])
    return times if 1 <= times <= _MOST_REPEATED else 1


def _is_too_wide(word: str) -> bool:
    return "%" in word and sum(map(_number, _NUMBER_IN_FORMAT.findall(word))) > _WIDEST


def _is_wide_nl(word: str) -> bool:
    found = _WIDTH_OF_NL.fullmatch(word)
    return found is not None and _number(found[1]) > _WIDEST


def _number(digits: str) -> int:
    """What digits say; of a great many, which Python would not read, only that it is much."""
    return int(digits.lstrip("0")[:12] or 0)
