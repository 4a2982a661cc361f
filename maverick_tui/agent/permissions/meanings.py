"""What words of commands stand for where they are patterns, and calls with the folders among that written out.

Whoever looks at what a call searches, follows, checks or takes along as a folder is to see `tar chf - d*` as the shell
makes it: with `docs` among its words.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from maverick_tui.agent.permissions.leading import entries_of
from maverick_tui.agent.permissions.patterns import NUMBER, Limits, could_stand_for, fits_name
from maverick_tui.agent.permissions.shell import Words

Meaning = Callable[[str], Sequence[str]]
"""What a word stands for: itself, and what fits it if it is a pattern."""


def meaning_of(calls: Iterable[Words], here: Path, unread: Limits | None = None) -> Meaning:
    """What words of these calls may stand for, themselves included; by now it is known that it can be told.

    With `unread` there are texts as well that cannot be read: any word may be of one, and so many names are looked at
    for them.
    """
    patterns = {word.text for words in calls for word in words if word.may_expand or not word.is_exact}

    @cache
    def meant(text: str) -> list[str]:
        if text in patterns:
            return [text, *(could_stand_for(text, here) or ())]
        return [text, *((unread is not None and is_pattern(text) and perhaps(text, here, unread)) or ())]

    return meant


def with_folders(calls: Iterable[Sequence[str]], here: Path, meant: Meaning) -> Iterator[list[str]]:
    """The calls; and each that has patterns once more, with the folders behind each pattern that it stands for.

    A name that was found may look like an option, and be found by one shell and not by another: so there is a call
    without such names, and one with them.
    """
    for words in calls:
        yield [*words]
        fitting = [[word, *meant(word)[1:]] if at else [word] for at, word in enumerate(words)]
        if any(len(names) > 1 for names in fitting):
            plain = [[names[0], *filter(None, (_plain_folder(name, here) for name in names[1:]))] for names in fitting]
            yield [word for names in plain for word in names]
            options = [[name for name in names[1:] if name.startswith("-")] for names in fitting]
            if any(options):
                yield [word for pair in zip(plain, options, strict=True) for names in pair for word in names]


def _plain_folder(name: str, here: Path) -> str:
    """The name of a folder, as no option; empty if it is none."""
    is_folder = os.path.isdir(os.path.join(here, name))  # noqa: PTH112, PTH118 - pathlib raises for some
    return "" if not is_folder else f"./{name}" if name.startswith("-") else name


def is_pattern(word: str) -> bool:
    """Whether a word has a sign for names that are not known."""
    return any(sign in word for sign in ("*", "?", "[", NUMBER))


def perhaps(pattern: str, here: Path, limits: Limits) -> list[str] | None:
    """What a word of a command that cannot be read stands for if it is a pattern; None if that cannot be told."""
    readings = dict.fromkeys((os.path.expanduser(pattern), pattern))  # noqa: PTH111 - a pattern
    found = [could_stand_for(one, here, limits, is_perhaps=True) for one in readings]
    return None if None in found else [name for names in found for name in names or ()]


def links_at(words: Iterable[str], here: Path) -> list[str]:
    """The links in a folder that words of a command which cannot be read may stand for: `x=1; cat d*`. Of many a sign
    in such a text nobody knows whether it is one, so that other files do not count as named.
    """
    links = [entry.name for entry in entries_of(str(here)) if entry.is_symlink()]
    fitting = [fits_name(word) for word in words if "/" not in word and is_pattern(word)] if links else []
    return [name for name in links if any(fits(name) for fits in fitting)]
