"""Patterns for file names, matched in bounded time whatever the pattern."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Iterator
from itertools import product

MOST_ALTERNATIVES = 100
"""The most patterns that the braces of one may stand for."""
_MOST_CHARACTERS = 2_000
"""Braces are looked for anew after each pair, which takes the square of their number."""
ESCAPABLE = re.compile(r"[*?\[\]{}()!,#^ \\]")
ESCAPED = re.compile(rf"\\({ESCAPABLE.pattern})")
"""A sign that is an ordinary character, since a backslash stands before it; before others, that is one itself."""
_OF_BRACES = re.compile(rf"{ESCAPED.pattern}|[{{}},]")
_OF_NAME = re.compile(rf"{ESCAPED.pattern}|(?P<choice>\[!?\]?[^\]]*\])")
_MOST_CHOICES = 3
"""In one name: of more, either all stand for themselves, or none."""


class BadPatternError(ValueError):
    """A pattern that cannot be used."""


def matcher(pattern: str, *, broadly: bool = False) -> Callable[[str], bool]:
    """A test for paths with /. `*` stays inside a name, `**` does not; without a / any folder will do.

    Read `broadly`, brackets and braces stand for themselves as well: `[id]` is `i`, `d` and `[id]`.
    """
    patterns = dict.fromkeys((*written_out(pattern), *((pattern,) if broadly else ())))
    alternatives = [_compiled(one, broadly=broadly) for one in patterns]

    def matches(path: str) -> bool:
        parts = path.split("/")
        return any(_matches(parts, alternative) for alternative in alternatives)

    return matches


def names_in(pattern: str) -> int:
    """How many names a path is held against: those of all patterns that the braces stand for."""
    return sum(one.count("/") + 1 for one in written_out(pattern))


_Part = re.Pattern[str] | None
"""None is `**`: any number of folders, or none."""


def _compiled(pattern: str, *, broadly: bool) -> list[_Part]:
    names = [name for name in pattern.removeprefix("./").split("/") if name not in ("", ".")]
    if not names:
        raise BadPatternError("it names nothing")
    if "/" not in pattern.removeprefix("./").rstrip("/"):
        names.insert(0, "**")
    if names[-1] == "**":
        names.append("*")
    compiled: list[_Part] = []
    for name in names:
        if name != "**":
            compiled.append(re.compile("|".join(map(fnmatch.translate, _readings(name, broadly=broadly)))))
        elif not compiled or compiled[-1] is not None:
            compiled.append(None)
    return compiled


def _readings(name: str, *, broadly: bool) -> list[str]:
    """What one name of a pattern may mean, as fnmatch has it, which knows no backslash."""
    pieces, at = list[tuple[str, ...]](), 0
    for found in _OF_NAME.finditer(name):
        pieces.append((name[at : found.start()],))
        choice = found["choice"]
        pieces.append((_plainly(found[1]),) if choice is None else (choice, _plainly(choice))[: 2 if broadly else 1])
        at = found.end()
    pieces.append((name[at:],))
    if sum(len(piece) > 1 for piece in pieces) > _MOST_CHOICES:
        return ["".join(piece[which] for piece in pieces) for which in (0, -1)]
    return ["".join(some) for some in product(*pieces)]


def _plainly(text: str) -> str:
    return re.sub(r"[*?\[]", r"[\g<0>]", text)


def _matches(parts: list[str], pattern: list[_Part]) -> bool:
    """Follow all ways through the pattern at once, so that there is nothing to backtrack to."""
    places = _reachable({0}, pattern)
    for part in parts:
        next_places = set()
        for place in places:
            if place == len(pattern):
                continue
            wanted = pattern[place]
            if wanted is None:
                next_places.add(place)
            elif wanted.match(part):
                next_places.add(place + 1)
        places = _reachable(next_places, pattern)
        if not places:
            return False
    return len(pattern) in places


def _reachable(places: set[int], pattern: list[_Part]) -> set[int]:
    return places | {place + 1 for place in places if place < len(pattern) and pattern[place] is None}


def written_out(pattern: str) -> list[str]:
    """`a.{b,c}` as a.b and a.c; braces may stand inside braces."""
    if len(pattern) > _MOST_CHARACTERS:
        raise BadPatternError(f"it has more than {_MOST_CHARACTERS:,} characters")
    found, waiting = [], [pattern]
    while waiting:
        one = waiting.pop()
        braces = _braces(one)
        if braces is None:
            found.append(one)
        else:
            start, end = braces
            waiting += [f"{one[:start]}{choice}{one[end + 1 :]}" for choice in _choices(one[start + 1 : end])]
        if len(found) + len(waiting) > MOST_ALTERNATIVES:
            raise BadPatternError(f"its braces stand for more than {MOST_ALTERNATIVES} patterns")
    return found


def _braces(text: str) -> tuple[int, int] | None:
    """The first matching pair; a brace without a partner is an ordinary character."""
    opened: list[int] = []
    for found in _OF_BRACES.finditer(text):
        if found[0] == "{":
            opened.append(found.start())
        elif found[0] == "}" and opened:
            start = opened.pop()
            if not opened:
                return start, found.start()
    return None


def _choices(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for found in _OF_BRACES.finditer(text):
        depth += (found[0] == "{") - (found[0] == "}")
        if found[0] == "," and depth == 0:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]
