"""Which task somebody means, and that none is changed that was not named."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maverick_tui.tasks import TaskStore
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.lookup import is_clear, meant, says_more
from tests.support.cases import each

NAMED = [
    ("buy milk", "Buy milk"),
    ("MILK", "Buy milk"),
    ("the milk", "Buy milk"),
    ("buy the milk!", "Buy milk"),
    ("buy car", "Buy a car"),
    ("the milk task", "Buy milk"),
    ("the task about milk", "Buy milk"),
    ("task: buy milk", "Buy milk"),
    ("'Buy milk'", "Buy milk"),
    ("“Buy milk”", "Buy milk"),
    ("STRASSE", "Straße fegen"),
    ("café", unicodedata.normalize("NFD", "Das Café anrufen")),
    ("Anns birthday", "Plan Anns birthday"),
    ("ann's birthday", "Plan Ann\u2019s birthday"),
    ("молоко", "Купить молоко"),
    ("牛乳を買う", "牛乳を買う"),
    ("Write a very lo…", "Write a very long book"),
    ("task", "Task"),
    ("12", "12"),
    ("...", "..."),
]
"""What names a title."""

GUESSES = [
    ("Call the bank about the loan", "Call"),
    ("Buy milk chocolate for Ann's birthday", "Buy milk"),
    ("buy oat milk at the shop", "Buy milk"),
    ("milk buy", "Buy milk"),
    ("move files from B to A", "Move files from A to B"),
    ("call Ann", "Call Bob about Ann"),
    ("invoice 12", "Invoice no. 12"),
    ("grocries", "Buy groceries"),
    ("mlik", "Buy milk"),
    ("report", "Write the repot"),
    ("holiday", "Book holidays"),
    ("tea", "Book team event"),
    ("Marina", "Call Martina"),
    ("gro", "Buy groceries"),
    ("the", "Pay the rent"),
    ("a", "Buy a car"),
    ("2", "Buy 2 apples"),
    ("do task 2", "Do task 2 today"),
    ("牛乳", "牛乳を買う"),
    ("Allez acheter du lait frais", "Acheter du lait"),
]
"""What may be meant, and is asked about."""

OTHERS = [
    ("send invoice to ACME", "Send invoice to Globex"),
    ("task 2", "Task 1"),
    ("task 2", "Buy 2 apples"),
    ("invoice 12", "Invoice 13"),
    ("plan a", "Plan b"),
    ("vitamin a pills", "Vitamin b pills"),
    ("learn C++", "Learn C"),
    ("call one", "Call two"),
    ("task force meeting", "Air force meeting"),
    ("call bob", "Call Rob"),
    ("buy silk", "Buy milk"),
    ("call mama", "ma"),
    ("paint the house", "Pay"),
    ("buy milk (2)", "Buy milk"),
    ("ma", "Call Roma"),
    ("xyz", "Buy milk"),
    ("...", "Buy milk"),
    ("", "Buy milk"),
    ("…", "Buy milk"),
    ("the", "Buy milk"),
    (".*", "Buy milk"),
    ("%", "Buy milk"),
]
"""What does not name a title."""


@each(("query", "title"), NAMED)
def test_words_of_a_title_name_it(query: str, title: str) -> None:
    assert meant(query, ["Something else", title]) == [1]
    assert is_clear(query, title)


@each(("query", "title"), GUESSES)
def test_what_is_like_a_title_or_more_than_it_is_a_guess(query: str, title: str) -> None:
    assert meant(query, ["Something else", title]) == [1]
    assert not is_clear(query, title)


@each(("query", "title"), OTHERS)
def test_what_is_something_else_is_never_changed(query: str, title: str) -> None:
    assert not (meant(query, [title]) and is_clear(query, title))


def test_more_was_said_than_the_title_has() -> None:
    assert says_more("Call the bank about the loan", "Call")
    assert not says_more("grocries", "Buy groceries")


def test_all_that_the_words_name_are_meant() -> None:
    assert meant("pay the rent", ["Pay the rent for the garage", "Pay the rent", "Pay Bob"]) == [0, 1]
    assert meant("'pay the rent'", ["Pay the rent for the garage", "Pay the rent"]) == [1], "quotes mean it alone"
    assert meant("tea", ["Book team event", "Buy tea"]) == [1], "a whole word comes before a part of one"
    assert meant("buy milk", ["Buy milk", "Buy milk", "buy MILK"]) == [0, 1, 2]


WORDS = st.text(st.characters(codec="utf-8", categories=["Ll", "Lu", "Lo"]), min_size=2, max_size=6)
TITLES = st.lists(WORDS, min_size=1, max_size=4).map(" ".join)


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=8))
def test_whatever_is_said_an_answer_comes_and_a_whole_title_is_named(query: str, titles: list[str]) -> None:
    titles = [" ".join(title.split()) for title in titles]
    found = meant(query, titles)
    assert found == sorted(set(found))
    assert all(0 <= at < len(titles) for at in found)
    for at, title in enumerate(titles):
        if title and not title.endswith("…") and not title.startswith(("'", '"', "“", "„", "«")):
            assert at in meant(title, titles)
            assert is_clear(title, title)


@given(TITLES, WORDS, st.booleans())
def test_a_word_more_than_the_title_has_never_names_it(title: str, word: str, is_first: bool) -> None:
    assume(word.casefold() not in title.casefold() and word.lower() not in ("the", "my"))
    assert not is_clear(f"{word} {title}" if is_first else f"{title} {word}", title)


@given(st.permutations(["call", "ann", "about", "bob"]))
def test_words_in_another_order_never_name_it(words: list[str]) -> None:
    title = "call ann about bob"
    assert is_clear(" ".join(words), title) is (" ".join(words) == title)


@given(TITLES, st.integers(0), st.sampled_from(["drop", "double", "swap"]))
def test_a_typing_mistake_never_names_a_title(title: str, place: int, how: str) -> None:
    at = place % len(title)
    head, letter, tail = title[:at], title[at], title[at + 1 :]
    wrong = {"drop": head + tail, "double": head + 2 * letter + tail, "swap": head + tail[:1] + letter + tail[1:]}[how]
    assume(not set(wrong.casefold().split()) <= set(title.casefold().split()))
    assert not is_clear(wrong, title)


@given(TITLES, TITLES)
def test_what_names_two_titles_means_both(first: str, more: str) -> None:
    assert meant(first, [first, f"{first} {more}"]) == [0, 1]


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
    assert [one.id for one in store.find("u", "sell milk")] == [3]
    store.add("u", "Sell milk to Ann")
    assert [one.id for one in store.find("u", "sell milk")] == [5, 3], "the open one has the words, the other the title"
    assert store.find("u", " ") == []


def test_of_several_with_one_title_a_number_says_which(factory: SessionFactory) -> None:
    store = TaskStore(factory)
    for title in ("Buy milk", "Buy milk 2 go", "Buy milk"):
        store.add("u", title)
    assert [one.name for one in store.find("u", "buy milk")] == ["Buy milk (1)", "Buy milk 2 go", "Buy milk (2)"]
    assert [one.id for one in store.find("u", "buy milk (2)")] == [3]
    assert store.find("u", "buy milk (3)") == []
    named = store.called("u", "Buy milk (2)")
    assert named is not None
    assert named.id == 3
    store.complete("u", 3)
    assert store.called("u", "Buy milk (2)") is None, "there is one such open task, and nobody knows which was meant"


@pytest.mark.parametrize(
    ("titles", "query", "names"),
    [
        (("Buy milk", "buy milk"), "milk", ["Buy milk (1)", "buy milk (2)"]),
        (("Chapter", "Chapter (2)", "Chapter"), "chapter", ["Chapter (1)", "Chapter (2)", "Chapter (3)"]),
        (("Chapter", "chapter (1)", "Chapter"), "'chapter'", ["Chapter (2)", "Chapter (3)"]),
        (("Tea…", "Tea…"), "tea", ["Tea… (1)", "Tea… (2)"]),
    ],
)
def test_each_name_means_the_task_that_was_given_it(
    factory: SessionFactory, titles: tuple[str, ...], query: str, names: list[str]
) -> None:
    store = TaskStore(factory)
    for title in titles:
        store.add("u", title)
    found = store.find("u", query)
    assert [one.name for one in found] == names
    for one in found:
        assert store.called("u", one.name) == one
        assert store.called("u", one.name, one.id) == one
        assert [again.id for again in store.find("u", f'"{one.name}"')] == [one.id]


def test_with_its_id_a_name_means_the_same_task_whatever_number_it_would_have(factory: SessionFactory) -> None:
    store = TaskStore(factory)
    for _ in range(3):
        store.add("u", "Buy milk")
    store.delete("u", 1)
    second = store.called("u", "Buy milk (2)", 2)
    assert second is not None
    assert (second.id, second.name) == (2, "Buy milk (2)")
    assert store.called("v", "Buy milk (2)", 2) is None, "it is somebody else's"
    store.update("u", 2, title="Buy tea")
    assert store.called("u", "Buy milk (2)", 2) is None, "it is another task by now"


def test_a_question_names_only_a_few(factory: SessionFactory) -> None:
    store = TaskStore(factory)
    for number in range(20):
        store.add("u", f"milk {number}")
    assert len(store.find("u", "milk")) == 6
