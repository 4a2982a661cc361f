"""Which of very many names are meant by some letters, found in slices: keys have their turn in between."""

from __future__ import annotations

import asyncio
import re
import shlex
import time
from bisect import insort
from collections.abc import Mapping, Sequence

MOST = 30
"""How many names are offered."""
SLICE = 0.002
"""Seconds of looking before keys get their turn."""
_AT_ONCE = 200
"""Names between two looks at the clock."""
_NEARER = 2
"""By how many kinds of match a file is nearer that has been used in this run."""

Key = tuple[int, int, int, str]


def mention(name: str) -> str:
    """How a prompt names a file."""
    return f'@"{name}"' if any(map(str.isspace, name)) else f"@{name}"


def shell_word(name: str) -> str:
    """How a command of the shell names a file: as one word, which is no option, and nothing in it is run."""
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def fits(name: str, wanted: str) -> bool:
    """Whether the letters follow each other in a name."""
    return _letters(wanted.lower()).match(name.lower()) is not None


class Ranking:
    """Finds names by letters that follow each other in them; more letters are looked for among what the fewer found."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._known = {name for name in names}  # noqa: C416 - set() would hold up the keys, in whichever thread
        self._found: tuple[str, Sequence[str]] = ("", names)
        """What was looked for last, and all names that it fits."""

    async def best(self, wanted: str, recent: Mapping[str, int]) -> list[str]:
        """The names that fit best; `recent` says how long ago files were used, 0 being the last one.

        Models have named those, whatever they liked: nothing is offered but names that were read.
        """
        wanted = wanted.lower()
        before, among = self._found
        names = among if wanted.startswith(before) else self._names
        if not wanted:
            used = [name for name in recent if name in self._known]
            return [*used, *(name for name in names[:_AT_ONCE] if name not in recent)][:MOST]
        letters = _letters(wanted)
        fitting: list[str] = []
        best: list[Key] = []
        until = time.perf_counter() + SLICE
        for at in range(0, len(names), _AT_ONCE):
            portion = [name for name in names[at : at + _AT_ONCE] if letters.match(name.lower())]
            fitting += portion
            for name in portion:
                key = _key(name, wanted, letters, recent)
                if len(best) < MOST or key < best[-1]:
                    insort(best, key)
                    del best[MOST:]
            if time.perf_counter() > until:
                await asyncio.sleep(0)
                until = time.perf_counter() + SLICE
        self._found = (wanted, fitting)
        return [key[3] for key in best]


def _letters(wanted: str) -> re.Pattern[str]:
    """Takes a number of steps that is at most the length of the name."""
    return re.compile("".join(f"[^{re.escape(one)}]*+{re.escape(one)}" for one in wanted))


def _key(name: str, wanted: str, letters: re.Pattern[str], recent: Mapping[str, int]) -> Key:
    """What orders the names that fit, the best first."""
    lower = name.lower()
    last = lower.rfind("/") + 1  # in the file's own name the letters count for more than in its folders
    at = lower.rfind(wanted)
    if at >= 0:
        kind = 2 if at < last else 0 if lower.startswith(wanted, last) else 1
    else:
        kind = 3 if letters.match(lower, last) else 4
    if (ago := recent.get(name)) is None:
        return kind, len(recent), len(name), name
    return kind - _NEARER, ago, len(name), name
