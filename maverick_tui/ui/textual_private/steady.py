"""Steady: what follows a character of doubtful width stands where we think, whatever the terminal thinks of it.

Terminals do not agree on how many cells an emoji with a selector or joiners takes, a flag, a colour of skin, or a vowel
of Hindi. One that counts otherwise than we do would show all that follows in its row in the wrong cells, and leave
there what nobody knows of. So such characters are written in a box: the cells that we count are blanked first, and
afterwards the cursor is set behind them. What a terminal draws beyond the box is covered by what follows; where nothing
follows, they are written in a way that all terminals agree on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len

# All but scripts of South and Southeast Asia, vowels and finals of Hangul, joiners and selectors, what surrounds a
# character, private use, halves of flags, colours of skin, late emoji and tags. Whole blocks, and said the other way
# round, the frequent ones first: so a search needs a single look at most characters.
_SUSPECT = re.compile(
    "[^\x00-\u08ff\u2500-\u3098\u2010-\u20cf\u2100-\u24ff\u309b-\u3247\u3250-\ua7ff\uac00-\ud7af\ud800-\udfff"
    "\uf900-\ufdff\ufe10-\uffff\U0001f200-\U0001f3fa\U0001f400-\U0001fa6f\U00012000-\U0001f1e5\u10a0-\u115f"
    "\u1200-\u16ff\u1d00-\u200a\U00010000-\U000109ff\U0001fb00-\U000dffff]"
)
_SEQUENCE = re.compile(r"(\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.|[\x00-\x1f\x7f])", re.DOTALL)
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_ERASE = re.compile(r"\x1b\[(\d+)X")
_KEEP_CURSOR, _CURSOR_BACK = "\x1b7", "\x1b8"
_JOINER, _AS_EMOJI = "\u200d", "\ufe0f"
_VIRAMA = 9
"""How Unicode combines what takes the vowel off a letter; the next letter is often drawn into it."""
_FIRST_HALF, _LAST_HALF = "\U0001f1e6", "\U0001f1ff"


def is_doubtful(text: str) -> bool:
    """Whether there may be characters in a text that terminals give different widths."""
    return not text.isascii() and _SUSPECT.search(text) is not None


def steady(data: str) -> str:
    """What is written to a terminal, with every character of doubtful width in a box."""
    if not is_doubtful(data):
        return data
    out: list[str] = []
    room = 0  # cells that are written right behind, as one goes from the end to the beginning
    for number, part in reversed(list(enumerate(_SEQUENCE.split(data)))):
        if number % 2 == 0:
            steadied, room = _steadied(part, room)
            out.append(steadied)
            continue
        if (erased := _ERASE.fullmatch(part)) is not None:
            room = max(room, int(erased[1]))
        elif not _COLOURS.fullmatch(part):
            room = 0
        out.append(part)
    return "".join(reversed(out))


def _steadied(text: str, room: int) -> tuple[str, int]:
    if not is_doubtful(text):
        return text, room + (len(text) if text.isascii() else cell_len(text))
    out = []
    for cluster in reversed(list(_clusters(text))):
        cells = cell_len(cluster)
        out.append(_boxed(cluster, cells, room) if cells and _is_odd(cluster) else cluster)
        room += cells
    return "".join(reversed(out)), room


def _boxed(cluster: str, cells: int, room: int) -> str:
    if _widest(cluster) - cells > room:
        return _plainer(cluster, cells)
    ahead = "\x1b[C" if cells == 1 else f"\x1b[{cells}C"
    return f"{_KEEP_CURSOR}{' ' * cells}{_CURSOR_BACK}{_KEEP_CURSOR}{cluster}{_CURSOR_BACK}{ahead}"


def _clusters(text: str) -> Iterator[str]:
    """The text in parts that a terminal may draw as one character."""
    start = 0
    for at in range(1, len(text)):
        if not _belongs(text[start:at], text[at]):
            yield text[start:at]
            start = at
    if text:
        yield text[start:]


def _belongs(before: str, character: str) -> bool:
    if character.isascii():
        return False
    if before[-1] == _JOINER or _clings(character):
        return True
    if _FIRST_HALF <= character <= _LAST_HALF:
        return len(before) == 1 and _FIRST_HALF <= before <= _LAST_HALF
    return _ends_in_virama(before) and character.isalpha()


@lru_cache(1024)
def _clings(character: str) -> bool:
    """Whether it is drawn on, into or together with what stands before it."""
    from unicodedata import category  # a library of its own

    kind = category(character)
    return (
        kind in ("Mn", "Mc", "Me")
        or "\u200b" <= character <= _JOINER
        or "\u1160" <= character <= "\u11ff"
        or "\ud7b0" <= character <= "\ud7ff"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _ends_in_virama(text: str) -> bool:
    from unicodedata import combining

    return combining(text[-1]) == _VIRAMA


def _is_odd(cluster: str) -> bool:
    """Whether terminals differ about it; a letter alone has the same width in all of them, whatever its script."""
    if not is_doubtful(cluster):
        return False
    from unicodedata import category

    return len(cluster) > 1 or category(cluster)[0] not in "LNP"


def _widest(cluster: str) -> int:
    """The most cells that a terminal may give it: each of its characters for itself, and none of them narrow."""
    from unicodedata import category

    is_wide = _AS_EMOJI in cluster
    return sum(
        2 if is_wide or character >= "\U0001f000" or "\ue000" <= character <= "\uf8ff" else max(cell_len(character), 1)
        for character in cluster
        if category(character) not in ("Mn", "Me", "Cf")
    )


def _plainer(cluster: str, cells: int) -> str:
    """Something like it that is as wide as we count in every terminal: its first character, or a flag's letters."""
    if _FIRST_HALF <= cluster[0] <= _LAST_HALF:
        shown = "".join(chr(ord(one) - ord(_FIRST_HALF) + ord("A")) for one in cluster if one <= _LAST_HALF)
    else:
        shown = "" if _is_odd(cluster[0]) else cluster[0]
    return shown[:cells] + " " * (cells - cell_len(shown[:cells]))
