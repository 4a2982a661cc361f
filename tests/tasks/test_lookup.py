"""Which task somebody means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maverick_tui.tasks import TaskStore
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.lookup import is_clear, meant


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("buy milk", "Buy milk"),
        ("MILK", "Buy milk"),
        ("grocries", "Buy groceries"),
        ("by milk", "Buy milk"),
        ("milk buy", "Buy milk"),
        ("report", "Write the repot"),
        ("holiday", "Book holidays"),
        ("the milk", "Buy milk"),
        ("buy oat milk at the shop", "Buy milk"),
        ("invoice 12", "Invoice no. 12"),
        ("STRASSE", "Straße fegen"),
        ("Write a very lo…", "Write a very long book"),
        ("task", "The task about tea"),
    ],
)
def test_it_is_meant(query: str, title: str) -> None:
    assert meant(query, ["Something else", title]) == [1]


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("send invoice to ACME", "Send invoice to Globex"),
        ("task 2", "Task 1"),
        ("invoice 12", "Invoice 13"),
        ("call bob", "Call Rob"),
        ("buy silk", "Buy milk"),
        ("call mama", "ma"),
        ("paint the house", "Pay"),
        ("xyz", "Buy milk"),
        ("...", "Buy milk"),
        ("'", "Buy milk"),
        ("", "Buy milk"),
        ("…", "Buy milk"),
        ("the", "Buy milk"),
        (".*", "Buy milk"),
        ("%", "Buy milk"),
    ],
)
def test_it_is_not_meant_for_it_would_be_changed_without_a_question(query: str, title: str) -> None:
    assert meant(query, [title]) == []


@pytest.mark.parametrize(
    ("query", "title", "is_said"),
    [
        ("MILK", "Buy milk", True),
        ("milk buy", "Buy milk", True),
        ("the milk", "Buy milk", True),
        ("buy oat milk at the shop", "Buy milk", True),
        ("Write a very lo…", "Write a very long book", True),
        ("tea", "Book team event", False),
        ("Marina", "Call Martina", False),
        ("grocries", "Buy groceries", False),
        ("gro", "Buy groceries", False),
    ],
)
def test_words_of_the_title_are_clear_and_words_like_them_are_a_guess(query: str, title: str, is_said: bool) -> None:
    assert meant(query, [title]) == [0]
    assert is_clear(query, title) is is_said


def test_whole_words_are_meant_before_parts_of_longer_ones() -> None:
    assert meant("tea", ["Book team event", "Buy tea"]) == [1]
    assert meant("ma", ["Call Roma", "Buy milk"]) == [], "the middle of a word is nothing that somebody says"


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=8))
def test_whatever_is_said_an_answer_comes_and_the_whole_title_is_clear(query: str, titles: list[str]) -> None:
    found = meant(query, titles)
    assert found == sorted(set(found))
    assert all(0 <= at < len(titles) for at in found)
    for title in titles:
        if title.strip() and title == " ".join(title.split()) and not title.endswith("…"):
            [at] = meant(title, titles)
            assert titles[at].casefold() == title.casefold()


def test_open_tasks_are_meant_before_those_that_are_done(factory: SessionFactory) -> None:
    store = TaskStore(factory)
    for title in ("Buy milk", "Buy milk", "Sell milk", "Milk the cow"):
        store.add("u", title)
    store.complete("u", 1)
    assert [one.id for one in store.find("u", "buy milk")] == [2]
    assert [one.title for one in store.find("u", "milk")] == ["Buy milk", "Sell milk", "Milk the cow"]
    for number in (2, 3):
        store.complete("u", number)
    assert [one.id for one in store.find("u", "milk")] == [4]
    store.complete("u", 4)
    assert [one.id for one in store.find("u", "milk")] == [1, 3, 4], "of one title the first will do"
    assert store.find("u", " ") == []


def test_a_question_names_only_a_few(factory: SessionFactory) -> None:
    store = TaskStore(factory)
    for number in range(20):
        store.add("u", f"milk {number}")
    assert len(store.find("u", "milk")) == 6
