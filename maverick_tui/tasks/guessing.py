"""Guesses at a title that nobody has named: the same words in another order, mistyped, or a part of what was said."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from maverick_tui.tasks.words import WEAK, clean, tokens

ALIKE = 81.0
"""How alike two words must be, of 100; short ones have less to go by."""
SHORT_ALIKE = 80.0
LEAST_TITLE = 4
"""Letters of a title that is asked about because it is a part of what was said; shorter ones are a part of anything."""
LEAST_SWAPPED = 4
"""Letters of a word in which two may have changed places."""
MOST_WORDS = 12
MOST_MISTYPED = 3

_DIGIT = re.compile(r"\d")


def guessed(words: str, text: str, titles: Sequence[str]) -> list[int]:
    """Which of these titles may be meant; `text` has them all, one in a line."""
    said = [word for word in tokens(words) if word not in WEAK] or list(tokens(words))
    given = sorted(dict.fromkeys(said), key=len, reverse=True)[:MOST_WORDS]
    near = _near(given, text, titles)
    own_text = text if len(near) == len(titles) else " ".join([titles[at] for at in near])
    vocabulary = {word: clean(word) for word in set(own_text.split())}
    similar = _similar(given, set(vocabulary.values()))
    if not any(similar):
        return []
    if all(similar) and (found := _having(similar, near, titles)):
        return found
    known = set().union(*similar)
    fits = {word for word, plain in vocabulary.items() if not plain or plain in known or plain in WEAK}
    begun = [at for at in near if titles[at].partition(" ")[0] in fits]
    return [at for at in begun if fits.issuperset(own := titles[at].split()) and _weighs_enough(own, known)]


def _near(given: Sequence[str], text: str, titles: Sequence[str]) -> Sequence[int]:
    """The titles that have one of the words, or a piece of one that may be mistyped; all of them, if they are many."""
    there = [word for word in given if word in text]
    mistyped = [word for word in given if word not in there][:MOST_MISTYPED]
    pieces = [*there, *(piece for word in mistyped for piece in _pieces(word) if piece)]
    if sum(map(text.count, pieces)) > len(titles) // 4:
        return range(len(titles))
    found = {at for piece in pieces if piece in text for at, title in enumerate(titles) if piece in title}
    return sorted(found)


def _pieces(word: str) -> list[str]:
    """Parts of a word of which one is left as it is, whichever letters are mistyped."""
    if len(word) < 4:
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
    """Those of the titles that have all of these somewhere."""
    for word in sorted(words, key=len, reverse=True):  # each time there are fewer to look at
        left = [at for at in left if word in titles[at]]
    return left


def _having(similar: Sequence[set[str]], near: Sequence[int], titles: Sequence[str]) -> list[int]:
    """Those of the titles that have one of each."""
    left = holding([next(iter(one_of)) for one_of in similar if len(one_of) == 1], titles, near)
    return [at for at in left if all(not one_of.isdisjoint(tokens(titles[at])) for one_of in similar)]


def _similar(given: Sequence[str], vocabulary: set[str]) -> list[set[str]]:
    """The words of the titles that each of these may be: itself if it is there, else those that it may be mistyped for.

    Only some are looked for as mistyped; whoever makes more mistakes has not meant a title.
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


def _weighs_enough(title: Sequence[str], known: set[str]) -> bool:
    return sum(len(word) for word in map(clean, title) if word in known) >= LEAST_TITLE
