"""Grep's two matchers: what RE2 finds is what Python finds, and what neither can do in its limits is said."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maverick_tui.executor.files import search_worker
from maverick_tui.executor.files.search_worker import finder
from tests.support.cases import each

CHARACTERS = "aAbkKsSxyZ019_ -.:(){}[]\"'\\/\t\r\n\x0b\x1c\x1f\x85éß\u017f\u212aİ\u0131Σς٣ⅷ漢🎈\u2028\ufffd"
ATOMS = [
    *("a", "K", "s", "ab", "x", "_", " ", "-", ":", "/", "0", "é", "\u017f", "\u212a", "İ", "漢", "🎈", "{", "}", "]"),
    *(".", "^", "$", "|", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\.", r"\(", r"\[", r"\\", r"\"", r"\-"),
    *(r"\t", r"\n", r"\r", r"\x41", r"\xe9", "[ab]", "[^ab]", "[a-z]", "[^a-z0-9_]", r"[\w.]", r"[^\s]", r"[\d-]"),
    *("[]a]", "[^]]", r"[\]\[]", "[A-z]", "[é-\u017f]"),
]
REPEATS = ["", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,}", "{1,2}?"]
GROUPS = ["({})", "(?:{})", "(?P<name>{})"]

repeated = st.builds("{}{}".format, st.sampled_from(ATOMS), st.sampled_from(REPEATS))
pieces = st.lists(repeated, max_size=4).map("".join)
grouped = st.builds(
    lambda group, one, other, repeat: group.format(f"{one}|{other}" if other else one) + repeat,
    st.sampled_from(GROUPS),
    pieces,
    pieces,
    st.sampled_from(REPEATS),
)
patterns = st.builds(
    "{}{}{}{}".format, st.sampled_from(["", "", "(?i)"]), pieces, st.one_of(st.just(""), grouped), pieces
)
texts = st.text(st.sampled_from(CHARACTERS), max_size=40)


def by_python(pattern: str, text: str, *, ignore_case: bool) -> list[tuple[int, int]]:
    """What a search means: each line by itself, without its end."""
    compiled = re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    lines = [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]
    return [(number, match.start()) for number, line in enumerate(lines) if (match := compiled.search(line))]


@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
@given(patterns, texts, st.booleans())
@example("^$", "\n\n", False)
@example("^", "a\r\n\r\nb\r", False)
@example(r"\s$", "a \r\n", False)
@example("k", "\u212a\nk\n", True)
@example("", "", False)
def test_both_matchers_find_the_same(pattern: str, text: str, ignore_case: bool) -> None:
    try:
        expected = by_python(pattern, text, ignore_case=ignore_case)
    except re.error:
        with pytest.raises(re.error):
            finder(pattern, ignore_case=ignore_case)
        return
    assert list(finder(pattern, ignore_case=ignore_case)(text)) == expected


@each(
    "pattern",
    [r"def \w+\(", r"^\s*class\b", "function() {", r"TODO|FIXME", r"(?i)error", "größe", r"[^\"']+\.py$", r"x{2,5}y"],
)
def test_ordinary_patterns_are_matched_in_linear_time(pattern: str) -> None:
    assert search_worker._compiled_by_re2(pattern, ignore_case=False) is not None


@pytest.mark.filterwarnings("ignore:Possible nested set:FutureWarning")
@each("pattern", ["(?=x)", "(?<!x)y", r"(a)\1", "x{,3}", r"\Z", r"\A", r"\B", "[[:alpha:]]", "(?s).", "x*+", "x{2000}"])
def test_what_would_mean_something_else_to_re2_is_left_to_python(pattern: str) -> None:
    assert search_worker._compiled_by_re2(pattern, ignore_case=False) is None
    assert list(finder(pattern)("axa\nx yy\n")) == by_python(pattern, "axa\nx yy\n", ignore_case=False)
