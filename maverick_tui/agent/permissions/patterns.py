"""Patterns for names of files: all that any shell, with any of its options, may put in the place of one.

Shells do not agree on what a pattern fits: options make them blind to case, let them see hidden files, or bring further
signs; where a name or the language is not UTF-8, bash counts bytes; before 5.2 it takes `.*` for `..`. So more than any
of them would find is found here, and whoever asks looks at all of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path

MOST_FILES = 1_000
"""Files that all patterns of a command may stand for."""
MOST_SEEN = 50_000
"""Names that are looked at for all patterns of a command."""
MOST_SEARCHES = 40
"""Folders that are looked through before a command searches them."""
MOST_HELD = 30_000
"""Names in paths that are held against rules, for all rules together."""

NUMBER = "\1"
"""In a pattern of ours: any number."""

_CUT = re.compile(r"[\^{]|.?#")
"""From there on zsh may have ideas of its own: EXTENDED_GLOB, BRACE_CCL."""
_ANY = re.compile(r"[*?\x01]+|\[(?=.*\]).*|[^\x00-\x7f]+", re.DOTALL)
_CHOICE = re.compile(r"\[([^\[\]]+)\]")
_OF_THESE = re.compile(r"[\w,]+", re.ASCII)
"""What makes a choice among these very characters: it has no ranges and nothing that it leaves out."""


class _TooManyError(Exception):
    """More names than are looked at."""


class Limits:
    """How much is left to look at for one command: it may have many patterns, and go to many folders."""

    def __init__(self) -> None:
        self._names, self._files, self._searches = MOST_SEEN, MOST_FILES, MOST_SEARCHES
        self._held = MOST_HELD

    @property
    def names(self) -> int:
        """Names that may still be looked at."""
        return self._names

    @property
    def are_reached(self) -> bool:
        """Whether there is more than is looked at; from then on nothing can be told."""
        return min(self._names, self._files, self._searches, self._held) < 0

    def spend(self, *, names: int = 0, files: int = 0, searches: int = 0, held: int = 0) -> bool:
        """Take note of what is looked at; whether that may be."""
        self._names -= names
        self._files -= files
        self._searches -= searches
        self._held -= held
        return not self.are_reached


def could_stand_for(
    pattern: str, folder: Path, limits: Limits | None = None, *, is_perhaps: bool = False
) -> list[str] | None:
    """The paths that a shell in this folder may make of a pattern, and more; None if that cannot be told.

    With `is_perhaps` it may well be no pattern, but part of some text: then it is read as bash does, each name of the
    path for itself.
    """
    limits = limits or Limits()
    parts = [part for part in pattern.split("/") if part]
    if "***" in pattern or (not is_perhaps and ("~" in pattern or not all(map(_has_whole_brackets, parts)))):
        return None  # `***/` follows links in zsh, and `~` leaves out what another pattern fits
    search = _Search(folder, limits)
    found = ["/" if pattern.startswith("/") else ""]
    try:
        for number, part in enumerate(parts):
            end = "" if number == len(parts) - 1 else "/"
            itself = search.below(found) if "**" in part else []  # which stands for no folder, too
            inside = [f"{base}{name}{end}" for base in itself or found for name in search.fitting(part, base)]
            found = list(dict.fromkeys([*itself, *inside]))
    except _TooManyError:
        return None
    return list(filter(None, found)) if limits.spend(files=len(found)) else None


class _Search:
    """Looks through folders, and gives up when it has seen too much."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits

    def fitting(self, part: str, base: str) -> list[str]:
        """The names in a folder that one part of a pattern fits."""
        if part in (".", ".."):
            return [part]
        fits = fits_name(part)
        # No shell takes anything for `..` that does not begin with a dot.
        certain = [name for name in (".", "..") if part.startswith(".") and fits(name)]
        if os.path.lexists(self._path(f"{base}{part}")):  # also where the folder cannot be listed
            certain.append(part)
        return list(dict.fromkeys([*certain, *(entry.name for entry in self._entries(base) if fits(entry.name))]))

    def below(self, bases: list[str]) -> list[str]:
        """The folders, and all below them. Some shells follow links there, so there must be none."""
        found = list(bases)
        for base in found:
            for entry in self._entries(base):
                if entry.is_dir(follow_symlinks=False):
                    found.append(f"{base}{entry.name}/")
                elif entry.is_symlink() and os.path.isdir(entry.path):  # noqa: PTH112 - Path.is_dir raises for some
                    raise _TooManyError
        return found

    def _entries(self, base: str) -> list[os.DirEntry[str]]:
        found: list[os.DirEntry[str]] = []
        self._spend(1)
        try:
            with os.scandir(self._path(base)) as entries:
                found += islice(entries, self._limits.names + 1)
        except (OSError, ValueError):  # no folder, or one that a shell cannot list either
            return []
        self._spend(len(found))
        return found

    def _spend(self, looks: int) -> None:
        if not self._limits.spend(names=looks):
            raise _TooManyError

    def _path(self, below: str) -> str:
        return os.path.join(self._folder, below)  # noqa: PTH118 - `below` may be empty, or absolute


def _has_whole_brackets(part: str) -> bool:
    """If not, a bracket might reach over a slash, or be no bracket at all."""
    return re.fullmatch(r"[^\[\]]*(\[[^\[\]]+\][^\[\]]*)*", part) is not None


def fits_name(part: str) -> Callable[[str], bool]:
    """Whether a name may be meant; one that is not ASCII always may, for what its letters are depends on the locale."""
    is_cut = _CUT.search(part)
    if is_cut is None and _is_of_choices(part):
        return _fits_choices(part)
    before = part[: is_cut.start()] if is_cut else part
    # Where it is cut in the middle of a choice, that may be made any number of times.
    before = before[: before.rfind("[")] if is_cut and before.rfind("[") > before.rfind("]") else before
    first, *others = _ANY.split(before + "*" if is_cut else before)
    first, others = first.lower(), [piece.lower() for piece in others]
    is_numbered = NUMBER in part

    def fits(name: str) -> bool:
        if is_numbered and not any(map(str.isdigit, name)):
            return False
        if not name.isascii():
            return True
        text = name.lower()
        if not others:
            return text == first
        end = len(text) - len(others[-1])
        at = len(first)
        if not text.startswith(first) or end < at or not text.endswith(others[-1]):
            return False
        for piece in others[:-1]:
            at = text.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True

    return fits


def _is_of_choices(part: str) -> bool:
    """Whether the only signs in it are brackets, each of which stands for one character: `.[dev]`, `[p]ython`."""
    return "[" in part and part.isascii() and not re.search(r"[*?\x01]", part) and _has_whole_brackets(part)


def _fits_choices(part: str) -> Callable[[str], bool]:
    """Whether a name is one of those that the choices make, or has the brackets themselves, which may be quoted."""
    texts = _CHOICE.split(part.lower())
    pieces = [_one_of(text) if at % 2 else re.escape(text) for at, text in enumerate(texts)]
    meant = re.compile("".join(pieces))
    return lambda name: not name.isascii() or meant.fullmatch(name.lower()) is not None


def _one_of(choice: str) -> str:
    one = f"[{choice}]" if _OF_THESE.fullmatch(choice) else "."
    return rf"(?:{one}|{re.escape(f'[{choice}]')})"
