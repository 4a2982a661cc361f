"""Which task somebody means: by its title, by words of it, or by words with a typing mistake.

Only words that stand in a title, one after the other and all of them, name it: `is_clear` tells. A title that is a part
of what was said, one with the same words in another order, and one with words that are only like them are guesses: they
are asked about, and never changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from maverick_tui.tasks.words import LEFT_OUT, UNSPACED, folded, guessed, holding, telling, tokens

LEAST_CUT = 12
"""The fewest letters of a title that was shown cut."""
MOST = 5
"""The most tasks that a question names."""
LONGEST_QUERY = 600
"""The longest name of a task: a title has 200 letters, and some become three when case is folded."""

_QUOTED = re.compile(r"'(?P<a>.+)'|\"(?P<b>.+)\"|[“„](?P<c>.+)[”“]|«(?P<d>.+)»")
_NUMBERED = re.compile(r"(?P<title>.+) \((?P<number>[1-9]\d{0,3})\)")
_ABOUT = re.compile(
    r"(?:(?:the|my|that|this) )?(?:(?:task|todo|to-do|item|entry)(?: (?:about|called|named|titled|to|for)|:)|"
    r"one (?:about|called|named|for)) "
)
"""How a description of a task may begin, which is not part of its title."""
_THE_TASK = re.compile(r"(?:the|my|that|this) (?P<words>.+) (?:task|todo|to-do|item|entry)")
_SAID_WITH_IT = frozenset({"the", "my"})
"""What may be said along with the words of a title. Not "a": that is also a name, as of a vitamin or a plan."""


class Candidate(NamedTuple):
    """A task that could be meant."""

    id: int
    title: str
    completed: bool
    name: str
    """What it is asked about by: its title, and a number if several have that."""


def sought(query: str) -> str:
    """The words as they are looked for: without quotes around them, and without the mark of a title shown cut."""
    words = " ".join(folded(query).split())[:LONGEST_QUERY]
    if quoted := _QUOTED.fullmatch(words):
        words = str(quoted[quoted.lastgroup or 0]).strip()
    return words.removesuffix("…").rstrip()


def is_quoted(query: str) -> bool:
    """Whether it is in quotes: then it is a whole title, if there is one."""
    return _QUOTED.fullmatch(" ".join(folded(query).split())) is not None


def is_clear(query: str, title: str) -> bool:
    """Whether these words name this very title; what is only similar, or more than it, does not."""
    words, title = sought(query), " ".join(folded(title).split())
    if not words:
        return False
    if words == title or without_number(words) == title:
        return True
    return _is_cut_from(query, words, title) or _names(_wordings(words), tokens(title))


def says_more(query: str, title: str) -> bool:
    """Whether more was said than the title has: then something else was meant."""
    return len(telling(tokens(sought(query)))) > len(telling(tokens(folded(title))))


def meant(query: str, titles: Sequence[str]) -> list[int]:
    """Where the titles are that these words could mean; see `meant_in`."""
    return meant_in(query, "\n".join(titles))


def meant_in(query: str, text: str) -> list[int]:
    """In which lines the titles are that these words could mean; one if it is clear which.

    They are all those that the words name; else those that are guessed: with a word that begins like that, with the
    same words in another order, with words that these may be mistyped for, or those that are a part of what was said.
    In numbers no mistakes are forgiven.
    """
    words = sought(query)
    if not words:
        return []
    text = folded(text)
    titles = text.split("\n")
    having = [at for at, title in enumerate(titles) if words in title] if words in text else []
    same = [at for at in having if titles[at] == words]
    if same and is_quoted(query):
        return same
    if not same and (counted := without_number(words)):
        alike = [at for at, title in enumerate(titles) if title == counted]
        if alike:
            return alike if len(alike) > 1 else []
    whole = {at for at in having if titles[at] == words or _is_cut_from(query, words, titles[at])}
    if named := whole | _named(words, text, titles):
        return sorted(named)
    return _beginning(words, having, titles) or guessed(words, text, titles)


def chosen(query: str, found: Sequence[Candidate], titles: Iterable[str]) -> list[Candidate]:
    """Those of the tasks which could be meant that are: open ones before those that are done.

    One that is done and has the very title is not left out for an open one that only has its words. Of several with one
    title a number says which, as its `name` does; `titles` are those of all tasks, which no name may be taken for.
    """
    words = sought(query)
    still_open = [one for one in found if not one.completed]
    same = [one for one in found if folded(one.title) == words]
    if not same and any(folded(one.title) == without_number(words) for one in found):
        return [one for one in _counted(still_open or found, titles) if folded(one.name) == words]
    if same and all(one.completed for one in same):
        return _counted([*still_open, *same], titles)
    return _counted(still_open or found, titles)


def called(name: str, found: Sequence[Candidate], titles: Iterable[str]) -> Candidate | None:
    """The one of these tasks that a question calls by this name; None if it would call none so."""
    for title in map(folded, names_in(name)):
        if alike := [one for one in found if folded(one.title) == title]:
            still_open = [one for one in alike if not one.completed]
            return next((one for one in _counted(still_open or alike, titles) if one.name == name), None)
    return None


def names_in(name: str) -> tuple[str, ...]:
    """The titles that a task may have which is called by this name."""
    return tuple(filter(None, (name, without_number(name))))


def without_number(name: str) -> str:
    """The title in a name that says which of several it is; empty for another name."""
    numbered = _NUMBERED.fullmatch(name)
    return numbered["title"] if numbered else ""


def _counted(found: Sequence[Candidate], titles: Iterable[str]) -> list[Candidate]:
    """The same with a number for each that has the title of another; one that makes a title of a task is left out."""
    names = [folded(one.title) for one in found]
    times = Counter(names)
    if len(times) == len(found):
        return list(found)
    taken = set(map(folded, titles))
    numbers = Counter[str]()
    counted = []
    for one, name in zip(found, names, strict=True):
        if times[name] > 1:
            numbers[name] += 1
            while f"{name} ({numbers[name]})" in taken:
                numbers[name] += 1
        counted.append(one._replace(name=f"{one.title} ({numbers[name]})") if numbers[name] else one)
    return counted


def _is_cut_from(query: str, words: str, title: str) -> bool:
    """Whether this is how a title is shown where there is no room for all of it."""
    is_cut = query.rstrip(" '\"”»").endswith("…")
    return is_cut and len(words) >= LEAST_CUT and title.startswith(words)


def _wordings(words: str) -> set[tuple[str, ...]]:
    """The words of a title that may have been said by this, with and without what is said around it."""
    said = [words]
    if about := _ABOUT.match(words):
        said.append(words[about.end() :])
    if the_task := _THE_TASK.fullmatch(words):
        said.append(the_task["words"])
    found = set()
    for own in map(tokens, said):
        if telling(own):
            found |= {own, tuple(word for word in own if word not in _SAID_WITH_IT)}
    return found


def _names(wordings: Collection[tuple[str, ...]], title: tuple[str, ...]) -> bool:
    """Whether one of these stands in the title as it is."""
    short = tuple(word for word in title if word not in LEFT_OUT)
    return any(_has_run(own, said) for said in wordings for own in (title, short))


def _has_run(title: tuple[str, ...], said: tuple[str, ...]) -> bool:
    return any(title[at : at + len(said)] == said for at in range(len(title) - len(said) + 1))


def _named(words: str, text: str, titles: Sequence[str]) -> set[int]:
    found: set[int] = set()
    for said in _wordings(words):
        if all(word in text for word in said):
            having = holding(said, titles, range(len(titles)))
            found.update(at for at in having if _names((said,), tokens(titles[at])))
    return found


def _beginning(words: str, having: Sequence[int], titles: Sequence[str]) -> list[int]:
    """Those that hold the words where one begins; where nobody writes spaces, anywhere."""
    search = re.compile(re.escape(words) if words >= UNSPACED else rf"(?<!\w){re.escape(words)}").search
    return [at for at in having if search(titles[at])]
