"""Which task somebody means: by its title, by words of it, or by words with a typing mistake.

A task that is only about something alike is not meant. What is found by a mistake, or by half a word, is a guess:
`is_clear` tells, and then it is asked about before it is changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

ALIKE = 81.0
"""How alike two words must be, of 100; short ones have less to go by."""
SHORT_ALIKE = 80.0
LEAST_TITLE = 4
"""Letters of a title that can be meant by being a part of what was said; shorter ones are a part of anything."""
MOST = 5
"""Tasks that a question names at most."""
MOST_WORDS = 12
MOST_MISTYPED = 3
LONGEST_QUERY = 600
"""Nobody says more to name a task: a title has 200 letters, and some become three when case is folded."""

_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_FILLERS = frozenset({"a", "an", "the", "my", "that", "this", "task", "todo", "one", "about", "for", "to"})


class Candidate(NamedTuple):
    """A task that could be meant."""

    id: int
    title: str
    completed: bool


def sought(query: str) -> str:
    """The words as they are looked for; a title that was shown cut is looked for without the mark of it."""
    return " ".join(query.casefold().split())[:LONGEST_QUERY].removesuffix("…").rstrip()


def is_clear(query: str, title: str) -> bool:
    """Whether these are words of this very title, and not only like them."""
    words, title = sought(query), title.casefold()
    if words == title or _whole(words, query).search(title):
        return True
    given, own = _telling(words), _telling(title)
    return bool(given) and bool(own) and (given <= own or own <= given)


def _telling(words: str) -> set[str]:
    """The words that tell something; all of them if none does."""
    found = set(_WORD.findall(words))
    return found - _FILLERS or found


def _whole(words: str, query: str) -> re.Pattern[str]:
    """Finds the words where they are no part of longer ones; what was shown cut may end within one."""
    end = "" if query.rstrip().endswith("…") else r"(?!\w)"
    return re.compile(rf"(?<!\w){re.escape(words)}{end}")


def meant(query: str, titles: Sequence[str]) -> list[int]:
    """Where the titles are that these words could mean; one if it is clear.

    It is the title of that name; else those that contain the words; else those that have all of them, or have no
    others; else those that have words which begin like that. Where their order does not matter, typing mistakes are
    forgiven; in numbers they are not.
    """
    words = sought(query)
    if not words:
        return []
    folded = [title.casefold() for title in titles]
    if words in folded:
        return [folded.index(words)]  # the same title twice: the first will do
    holding = [at for at, title in enumerate(folded) if words in title]
    for pattern in (_whole(words, query), re.compile(rf"(?<!\w){re.escape(words)}")):
        if found := [at for at in holding if pattern.search(folded[at])]:
            return found
    return _alike(words, folded)


def _alike(words: str, titles: Sequence[str]) -> list[int]:
    # Ten thousand titles are to be looked through while somebody waits, so the loops are those of the library.
    given = sorted(_telling(words), key=len, reverse=True)[:MOST_WORDS]
    if not given:
        return []
    if found := _having([{word} for word in given], titles):
        return found
    text = "\n".join(titles)
    vocabulary = set(text.split())
    similar = _similar(given, vocabulary)
    if not any(similar):
        return []
    if all(similar) and (found := _having(similar, titles)):
        return found
    known = _any_of(set().union(*similar, _FILLERS))
    inside = set(re.findall(rf"^(?:{known})(?: (?:{known}))*$", text, re.MULTILINE))
    return [at for at, title in enumerate(titles) if title in inside and _weighs_enough(title.split())]


def _having(similar: Sequence[set[str]], titles: Sequence[str]) -> list[int]:
    """The titles that have one of each."""
    left: Sequence[int] = range(len(titles))
    for one_of in sorted(similar, key=len):  # each time there are fewer to look at
        if len(one_of) == 1:
            [word] = one_of
            left = [at for at in left if word in titles[at]]
        else:
            search = re.compile(_any_of(one_of)).search
            left = [at for at in left if search(titles[at])]
    return [at for at in left if all(not one_of.isdisjoint(titles[at].split()) for one_of in similar)]


def _any_of(words: Collection[str]) -> str:
    return "|".join(map(re.escape, sorted(words)))


def _similar(given: Sequence[str], vocabulary: set[str]) -> list[set[str]]:
    """The words of the titles that each of these may be: itself if it is there, else those that it may be mistyped for.

    Only some are looked for as mistyped; whoever makes more mistakes has not meant a title.
    """
    unknown = [word for word in given if word not in vocabulary and not _DIGIT.search(word)][:MOST_MISTYPED]
    by_length: dict[int, list[str]] = {}
    if unknown:
        for word in vocabulary:
            by_length.setdefault(len(word), []).append(word)
    return [
        {word} if word in vocabulary else _mistyped(word, by_length) if word in unknown else set[str]()
        for word in given
    ]


def _mistyped(word: str, by_length: Mapping[int, Sequence[str]]) -> set[str]:
    from rapidfuzz import fuzz, process

    least = SHORT_ALIKE if len(word) < 4 else ALIKE
    share = least / (200 - least)  # words of other lengths cannot be that much alike
    near = [other for length, some in by_length.items() if share <= length / len(word) <= 1 / share for other in some]
    found = process.extract(word, near, scorer=fuzz.ratio, score_cutoff=least, limit=50)
    return {other for other, _, _ in found if not _DIGIT.search(other)}


def _weighs_enough(title: Sequence[str]) -> bool:
    return sum(len(word) for word in title if word not in _FILLERS) >= LEAST_TITLE
