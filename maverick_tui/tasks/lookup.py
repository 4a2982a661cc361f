"""Which task somebody means: by its title, by words of it, or by words with a typing mistake.

A task that is only about something alike is not meant: what is found here is changed without a question.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

ALIKE = 81.0
"""How alike two words must be, of 100; short ones have less to go by."""
SHORT_ALIKE = 80.0
LEAST_TITLE = 4
"""Letters of a title that can be meant by being a part of what was said; shorter ones are a part of anything."""
MOST = 5
"""Tasks that a question names at most."""

_WORD = re.compile(r"\w+")
_FILLERS = frozenset({"a", "an", "the", "my", "that", "this", "task", "todo", "one", "about", "for", "to"})


class Candidate(NamedTuple):
    """A task that could be meant."""

    id: int
    title: str
    completed: bool


def sought(query: str) -> str:
    """The words as they are looked for; a title that was shown cut is looked for without the mark of it."""
    return " ".join(query.casefold().split()).removesuffix("…").rstrip()


def meant(query: str, titles: Sequence[str]) -> list[int]:
    """Where the titles are that these words could mean; one if it is clear.

    It is the title of that name; else those that contain the words; else those that have all of them, or have no
    others. There their order does not matter, and typing mistakes are forgiven; in numbers they are not.
    """
    words = sought(query)
    if not words:
        return []
    folded = [title.casefold() for title in titles]
    if words in folded:
        return [folded.index(words)]  # the same title twice: the first will do
    return [at for at, title in enumerate(folded) if words in title] or _alike(words, folded)


def _alike(words: str, titles: Sequence[str]) -> list[int]:
    # Ten thousand titles are to be looked through while somebody waits, so the loops are those of the library.
    given = set(_WORD.findall(words))
    given = given - _FILLERS or given
    text = "\n".join(titles)
    vocabulary = set(text.split())
    similar = [_similar(word, vocabulary) for word in given]
    if not any(similar):
        return []
    whole: Sequence[int] = range(len(titles)) if all(similar) else ()
    for one_of in sorted(similar, key=len):  # each time there are fewer to look at
        search = re.compile(_any_of(one_of)).search
        whole = [at for at in whole if search(titles[at])]
    if whole := [at for at in whole if all(not one_of.isdisjoint(titles[at].split()) for one_of in similar)]:
        return whole
    known = _any_of(set().union(*similar, _FILLERS))
    inside = set(re.findall(rf"^(?:{known})(?: (?:{known}))*$", text, re.MULTILINE))
    return [at for at, title in enumerate(titles) if title in inside and _weighs_enough(title.split())]


def _any_of(words: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(words)))


def _similar(word: str, vocabulary: Collection[str]) -> set[str]:
    """The words of the titles that this one may be."""
    from rapidfuzz import fuzz, process

    if _has_digit(word):
        return {word} & set(vocabulary)
    least = SHORT_ALIKE if len(word) < 4 else ALIKE
    found = process.extract(word, vocabulary, scorer=fuzz.ratio, score_cutoff=least, limit=50)
    return {other for other, _, _ in found if not _has_digit(other)}


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _weighs_enough(title: Sequence[str]) -> bool:
    return sum(len(word) for word in title if word not in _FILLERS) >= LEAST_TITLE
