"""Fuzzy matching: what is found, what comes first, and that no name makes it slow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.ui.picker.matching import EVERYTHING, Fit, match


def found(query: str, name: str, description: str = "") -> Fit:
    result = match(query, name, description)
    assert result is not None
    return result


def letters(text: str, positions: frozenset[int]) -> str:
    return "".join(text[at] for at in sorted(positions))


@pytest.mark.parametrize(
    ("query", "name"),
    [("rev", "reviewer"), ("rvw", "reviewer"), ("RN", "release-notes"), ("notes", "release-notes"), ("r n", "rn")],
)
def test_letters_of_a_name_in_their_order_match(query: str, name: str) -> None:
    assert letters(name, found(query, name).in_name)


@pytest.mark.parametrize(("query", "name"), [("ver", "rev"), ("x", "reviewer"), ("rr-", "reviewer"), ("rev x", "rev")])
def test_anything_else_does_not(query: str, name: str) -> None:
    assert match(query, name, "") is None


def test_the_best_letters_are_the_ones_that_are_marked() -> None:
    assert found("rn", "barn-release-notes").in_name == {5, 13}
    assert found("not", "none-notes").in_name == {5, 6, 7}


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("re", "reviewer", "pure-core"),
        ("rn", "release-notes", "turn"),
        ("test", "test-writer", "tracer-east"),
        ("doc", "doc", "documenter"),
    ],
)
def test_what_is_nearer_to_the_query_comes_first(query: str, better: str, worse: str) -> None:
    assert found(query, better).score > found(query, worse).score


def test_a_name_comes_before_a_description() -> None:
    assert found("diff", "differ").score > found("diff", "reviewer", "Reads the diff.").score


def test_a_description_matches_by_its_words() -> None:
    text = "Reads the diff of this branch"
    assert letters(text, found("diff", "x", text).in_description) == "diff"
    assert letters(text, found("brch", "x", text).in_description) == "brch"
    assert letters(text, found("branch diff", "x", text).in_description) == "diffbranch"
    assert match("rdb", "x", text) is None  # letters that are scattered over a sentence say nothing


def test_each_word_may_be_in_another_place() -> None:
    result = found("rev diff", "reviewer", "Reads the diff.")
    assert (letters("reviewer", result.in_name), letters("Reads the diff.", result.in_description)) == ("rev", "diff")


def test_without_a_query_everything_matches() -> None:
    assert match("", "reviewer", "") == EVERYTHING == match("  ", "reviewer", "")


def test_characters_whose_lower_case_is_longer_keep_their_places() -> None:
    assert found("x", "İİx").in_name == {2}


def test_a_name_that_can_be_read_in_very_many_ways_is_read_in_one() -> None:
    assert found("a" * 20 + "b", "a-" * 30 + "b").score > 0


@given(st.text(max_size=12), st.text(max_size=64), st.text(max_size=200))
def test_what_is_marked_is_what_was_typed(query: str, name: str, description: str) -> None:
    result = match(query, name, description)
    if result is not None:
        assert all(at < len(name) for at in result.in_name)
        assert all(at < len(description) for at in result.in_description)
        if query.split():
            assert result.in_name | result.in_description
