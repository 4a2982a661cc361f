"""Fuzzy matching: of names by their letters, of descriptions by their words.

Textual's own matcher tries every way in which the letters can be found, which takes seconds for some names. This one
takes a number of steps that is at most the length of the name times that of the query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")

_START_OF_NAME, _START_OF_WORD, _NEXT, _ELSEWHERE = 5, 4, 3, 1
_IN_NAME = 100
"""A name that matches comes before a description that does."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How well something matches, and which characters of its name and its description do."""

    score: int = 0
    in_name: frozenset[int] = frozenset()
    in_description: frozenset[int] = frozenset()


EVERYTHING = Fit()


def match(query: str, name: str, description: str) -> Fit | None:
    """Match each word of the query with the name or with one word of the description; None if one matches neither."""
    score, in_name, in_description = 0, set[int](), set[int]()
    name, description = _lower(name), _lower(description)
    for term in _lower(query).split():
        if found := _in_name(term, name):
            score += _IN_NAME + found[0]
            in_name |= set(found[1])
        elif positions := _in_words(term, description):
            score += len(term)
            in_description |= set(positions)
        else:
            return None
    return Fit(score, frozenset(in_name), frozenset(in_description))


def _lower(text: str) -> str:
    """Lower case with every character in its place; that of some is two characters long."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(map(_lower_character, text))


def _lower_character(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character


def _in_name(term: str, name: str) -> tuple[int, list[int]] | None:
    """The best way in which the letters of the term follow each other in the name."""
    if not _is_subsequence(term, name):
        return None
    starts = {word.start() for word in _WORD.finditer(name)}
    # best[j]: score and positions of the term's first letters if the last of them is the name's character j.
    best: dict[int, tuple[int, list[int]]] = {}
    for index, letter in enumerate(term):
        reached: dict[int, tuple[int, list[int]]] = {}
        before: tuple[int, list[int]] | None = None if index else (0, [])
        for at, character in enumerate(name):
            if character == letter:
                bonus = _START_OF_NAME if at == 0 else _START_OF_WORD if at in starts else _ELSEWHERE
                ways = [(before[0] + bonus, before[1])] if before is not None else []
                if at - 1 in best:
                    ways.append((best[at - 1][0] + max(_NEXT, bonus), best[at - 1][1]))
                if ways:
                    score, positions = max(ways, key=lambda way: way[0])
                    reached[at] = (score, [*positions, at])
            if at in best and (before is None or best[at][0] > before[0]):
                before = best[at]
        best = reached
    score, positions = max(best.values(), key=lambda way: way[0])
    # Of two names that match equally well, the shorter one is nearer to what was typed.
    return score * 2 - min(len(name) - len(term), 20) // 4, positions


def _in_words(term: str, text: str) -> list[int]:
    """The term as it is, or as the first and further letters of one word."""
    if (at := text.find(term)) >= 0:
        return list(range(at, at + len(term)))
    for word in _WORD.finditer(text):
        if word[0][0] == term[0] and _is_subsequence(term, word[0]):
            positions, at = [], word.start()
            for letter in term:
                at = text.index(letter, at)
                positions.append(at)
                at += 1
            return positions
    return []


def _is_subsequence(term: str, text: str) -> bool:
    at = 0
    for letter in term:
        at = text.find(letter, at) + 1
        if not at:
            return False
    return True
