"""Titles and what is said about them, word by word, as they are compared."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_EDGES = ".,;:!?…\"'()[]{}<>“”„«»¿¡"
LEFT_OUT = frozenset({"the", "my", "a", "an"})
"""What may be left out of a title."""
WEAK = LEFT_OUT | frozenset(
    "your our his her its their this that these those it one task todo to-do item entry to for of in on at by from and "
    "or about with is are be do as all me you we i".split()
)
"""Words that mean nothing by themselves."""
UNSPACED = "\u2e80"
"""From this character on, scripts have no spaces between words."""


def folded(text: str) -> str:
    """The text as it is compared: case, kinds of apostrophe and ways of writing an accent make no difference."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFC", text).casefold()
    plain = unicodedata.normalize("NFC", plain)
    return plain.replace("\u2019", "'").replace("\u2018", "'").replace("\u02bc", "'")


def tokens(words: str) -> tuple[str, ...]:
    """The words one by one, without the punctuation around them."""
    return tuple(filter(None, map(clean, words.split())))


def clean(word: str) -> str:
    """A word without the punctuation around it; signs in it tell C from C++."""
    return word if word.isalnum() else word.strip(_EDGES).lstrip("#")


def telling(words: Iterable[str]) -> list[str]:
    """The words that tell which task it is; a number alone could be its place in the list."""
    return [
        word
        for word in words
        if word not in WEAK and (len(word) > 1 or word >= UNSPACED) and any(map(str.isalpha, word))
    ]
