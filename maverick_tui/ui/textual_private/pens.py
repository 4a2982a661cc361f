"""Pens: what a terminal writes in, as the codes of a style, and the shortest way from one to another."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from rich.color import ColorSystem
from rich.style import Style
from textual.strip import Strip

_LETTERS = {*map(str, range(30, 40)), *map(str, range(90, 98))}
_GROUND = {*map(str, range(40, 50)), *map(str, range(100, 108))}
_OFF = {"1": "22", "2": "22", "3": "23", "4": "24", "5": "25", "7": "27", "9": "29"}
"""What ends an attribute, in the terminals that know it; all others end with everything else."""
_UNSEEN = frozenset("12358")
"""Attributes that change nothing about a blank."""


class _Parts(NamedTuple):
    attributes: tuple[str, ...]
    letters: str
    ground: str


def codes(style: Style | None, colours: ColorSystem | None) -> str:
    """The codes of a style; none for one that has no look of its own."""
    if style is None or colours is None:
        return ""
    return Strip.render_ansi(style, colours) if style._ansi is None else style._ansi


@lru_cache(4096)
def step(before: str | None, after: str) -> str:
    """What leads from one pen to another; None is one that is not known."""
    if after == before:
        return ""
    anew = f"\x1b[0;{after}m" if after else "\x1b[0m"
    if before is None or not after or (changes := _changes(_parts(before), _parts(after))) is None:
        return anew
    return min(f"\x1b[{';'.join(changes)}m", anew, key=len)


@lru_cache(4096)
def on_blanks(pen: str) -> str:
    """All of a pen that is seen of a blank: its background, unless there is a line through it or below it."""
    parts = _parts(pen)
    return parts.ground if _UNSEEN.issuperset(parts.attributes) else pen


def is_erased_alike(pen: str) -> bool:
    """Whether a cell that is erased looks as a blank of this pen does: erasing knows the background alone."""
    return _UNSEEN.issuperset(_parts(pen).attributes)


def _changes(before: _Parts, after: _Parts) -> list[str] | None:
    """The codes of what is different; None if something cannot be ended on its own."""
    ended = [_OFF.get(attribute) for attribute in before.attributes if attribute not in after.attributes]
    if None in ended:
        return None
    # Bold and dim end together.
    kept = [each for each in before.attributes if _OFF.get(each) not in ended]
    out = [end for end in dict.fromkeys(ended) if end is not None]
    out += [attribute for attribute in after.attributes if attribute not in kept]
    if after.letters != before.letters:
        out.append(after.letters or "39")
    if after.ground != before.ground:
        out.append(after.ground or "49")
    return out


@lru_cache(4096)
def _parts(pen: str) -> _Parts:
    attributes, letters, ground = [], "", ""
    numbers = pen.split(";") if pen else []
    while numbers:
        first = numbers.pop(0)
        if first in ("38", "48"):
            taken = 4 if numbers[0] == "2" else 2
            first, numbers = ";".join([first, *numbers[:taken]]), numbers[taken:]
        kind = first.partition(";")[0]
        if kind in _LETTERS:
            letters = first
        elif kind in _GROUND:
            ground = first
        else:
            attributes.append(first)
    return _Parts(tuple(attributes), letters, ground)
