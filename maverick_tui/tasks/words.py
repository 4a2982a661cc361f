"""Titles and what is said about them, compared word by word, and guesses at a title that nobody has named."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

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

ALIKE = 81.0
"""How similar two words must be, out of 100; short ones have less to go by."""
SHORT_ALIKE = 80.0
LEAST_TITLE = 4
"""The fewest letters of a title that is asked about because it is part of what was said; shorter ones are part of
anything."""
LEAST_SWAPPED = 4
"""The fewest letters of a word in which two may have changed places."""
MOST_WORDS = 12
MOST_MISTYPED = 3

_DIGIT = re.compile(r"\d")


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


def guessed(words: str, text: str, titles: Sequence[str]) -> list[int]:
    """Which of these titles may be meant; `text` has them all, one in a line.

    They are those that contain all the words, in any order, including mistyped ones; otherwise those that contain no
    others.
    """
    said = tokens(words)
    told = [word for word in said if word not in WEAK] or said
    given = sorted(dict.fromkeys(told), key=len, reverse=True)[:MOST_WORDS]
    near = _near(given, text, titles)
    similar = _similar(given, {clean(word) for word in set(" ".join([titles[at] for at in near]).split())})
    if all(similar) and (found := _having(similar, near, titles)):
        return found
    return _within(frozenset(said), text, titles)


def _near(given: Sequence[str], text: str, titles: Sequence[str]) -> Sequence[int]:
    """The titles that have the rarest of the words, or a piece of it if it may be mistyped; others need not be read."""
    pieces_of: list[list[str]] = []
    for word in given:
        pieces_of.append([word] if word in text else [piece for piece in _pieces(word) if piece in text])
        if not pieces_of[-1]:
            return ()
    rarest = min(pieces_of, key=lambda pieces: sum(map(text.count, pieces)), default=[])
    found: set[int] = set()
    for piece in rarest:
        found.update([at for at, title in enumerate(titles) if piece in title])
    return sorted(found)


def _within(said: frozenset[str], text: str, titles: Sequence[str]) -> list[int]:
    """The titles that are part of what was said."""
    known, own = said | WEAK, said - WEAK
    if not any(word in text for word in own):
        return []
    begun = [
        at for at, title in enumerate(titles) if (first := title.partition(" ")[0]) in known or not first.isalnum()
    ]
    return [
        at
        for at in begun
        if known.issuperset(words := tokens(titles[at])) and sum(map(len, own.intersection(words))) >= LEAST_TITLE
    ]


def _pieces(word: str) -> list[str]:
    """Parts of a word, at least one of which is intact whichever letters are mistyped."""
    if len(word) < 3 or _DIGIT.search(word):  # what has so few letters, or numbers, is never mistaken for another
        return []
    if len(word) == 3:
        return [word[:2], word[1:]]
    count = _most_edits(word) + 1
    parts = [word[len(word) * at // count : len(word) * (at + 1) // count] for at in range(count)]
    if count == 2:  # the two letters between which it was cut may have changed places
        half = len(word) // 2
        parts.append(f"{word[: half - 1]}{word[half]}{word[half - 1]}{word[half + 1 :]}")
    return parts


def _most_edits(word: str) -> int:
    return 1 if len(word) < 8 else 2


def holding(words: Collection[str], titles: Sequence[str], left: Sequence[int]) -> Sequence[int]:
    """The titles that contain all of these."""
    for word in sorted(words, key=len, reverse=True):  # each time there are fewer to look at
        left = [at for at in left if word in titles[at]]
    return left


def _having(similar: Sequence[set[str]], near: Sequence[int], titles: Sequence[str]) -> list[int]:
    """The titles that contain one of each."""
    left = holding([next(iter(one_of)) for one_of in similar if len(one_of) == 1], titles, near)
    return [at for at in left if all(not one_of.isdisjoint(tokens(titles[at])) for one_of in similar)]


def _similar(given: Sequence[str], vocabulary: set[str]) -> list[set[str]]:
    """The words of the titles that each of these may be: itself if it is there, else those that it may be mistyped for.

    Only some are looked for as mistyped: with more mistakes than that, no title was meant.
    """
    unknown = [word for word in given if word not in vocabulary and not _DIGIT.search(word)][:MOST_MISTYPED]
    mistakable = [word for word in vocabulary if word.isalpha() or not _DIGIT.search(word)] if unknown else []
    return [
        {word} if word in vocabulary else _mistyped(word, mistakable) if word in unknown else set[str]()
        for word in given
    ]


def _mistyped(word: str, vocabulary: Collection[str]) -> set[str]:
    from rapidfuzz import fuzz, process
    from rapidfuzz.distance import OSA

    most = _most_edits(word)
    least = SHORT_ALIKE if len(word) < 4 else ALIKE
    near = [other for other in vocabulary if abs(len(other) - len(word)) <= most]
    found = process.extract(word, near, scorer=fuzz.ratio, score_cutoff=least, limit=50)
    return {other for other, _, _ in found if OSA.distance(word, other) <= most} | _swapped(word).intersection(near)


def _swapped(word: str) -> set[str]:
    """The word with two letters beside each other in the other order, for each two."""
    if len(word) < LEAST_SWAPPED:
        return set()
    return {f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}" for at in range(len(word) - 1)}
