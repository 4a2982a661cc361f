"""Answers to what an agent asks: options by number or by click, several of them, and words of one's own."""

from __future__ import annotations

from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.runs.choosing import Choice
from tests.support.cases import each

COLOURS = {"question": "Which colour?", "options": [{"label": "Red"}, {"label": "Blue"}]}
SIZES = {"question": "Which sizes?", "options": [{"label": "S"}, {"label": "M"}, {"label": "L"}], "multiSelect": True}


def asks(*questions: Any) -> Choice:
    return Choice(ev.PermissionAsked(0.0, "q", "c", "AskUserQuestion", {"questions": list(questions)}))


def said(choice: Choice, *texts: str) -> dict[str, str]:
    for text in texts:
        assert not choice.is_complete
        choice.say(text)
    assert choice.is_complete
    return choice.answers


@each(
    ("text", "meant"),
    [
        ("1", "Red"), (" 2 ", "Blue"), ("3", "3"), ("0", "0"), ("-1", "-1"), ("²", "²"), ("٢", "Blue"), ("①", "①"),
        ("green, or 2", "green, or 2"), ("1,2", "1,2"), ("two\nlines", "two\nlines"),
    ],
)  # fmt: skip
def test_an_option_by_its_number_or_anything_in_words(text: str, meant: str) -> None:
    assert said(asks(COLOURS), text) == {"Which colour?": meant}


@pytest.mark.parametrize(("text", "meant"), [("1,3", "S, L"), ("2", "M"), ("1, 9", "1, 9"), ("all", "all")])
def test_several_options_where_several_may_be_chosen(text: str, meant: str) -> None:
    assert said(asks(SIZES), text) == {"Which sizes?": meant}


def test_several_questions_are_answered_one_by_one_or_line_by_line() -> None:
    both = {"Which colour?": "Blue", "Which sizes?": "S, M"}
    assert said(asks(COLOURS, SIZES), "2", "1,2") == both
    assert said(asks(COLOURS, SIZES), "2\n1,2") == both


def test_a_click_answers_or_marks() -> None:
    choice = asks(COLOURS, SIZES)
    choice.choose(1)
    assert (choice.said(0), choice.said(1), choice.at) == ("Blue", None, 1)
    for option in (2, 1, 0, 1):
        choice.choose(option)
    assert (choice.marked, choice.is_complete) == ({0, 2}, False)
    assert said(choice, "") == {"Which colour?": "Blue", "Which sizes?": "S, L"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("and one for me", "S, L, and one for me"),
        ("2", "S, L, M"),
        ("1, 2", "S, L, M"),
        ("1 2", "S, L, M"),
        ("9", "S, L, 9"),
    ],
)
def test_what_is_marked_goes_with_what_is_typed(text: str, meant: str) -> None:
    choice = asks(SIZES, COLOURS)
    for option in (0, 2):
        choice.choose(option)
    assert said(choice, text, "1") == {"Which sizes?": meant, "Which colour?": "Red"}


@pytest.mark.parametrize("questions", [None, "x", [], [1, None]])
def test_what_cannot_be_read_is_answered_in_words(questions: Any) -> None:
    choice = Choice(ev.PermissionAsked(0.0, "q", "c", "AskUserQuestion", {"questions": questions}))
    assert said(choice, "Take the blue one") == {"": "Take the blue one"}


@pytest.mark.parametrize("questions", [None, "x", [], [1, None], [{}], [{"question": 1, "options": "x"}]])
def test_questions_of_any_shape(questions: Any) -> None:
    choice = Choice(ev.PermissionAsked(0.0, "q", "c", "AskUserQuestion", {"questions": questions}))
    choice.say("1")
    assert choice.is_complete
    assert all(isinstance(part, str) for pair in choice.answers.items() for part in pair)


@each(
    ("text", "number"),
    [
        ("7", "7"), (" 0 ", "0"), ("9" * 5_000, "9" * 5_000), ("2", ""), ("٢", ""), ("seven", ""), ("7 of them", ""),
        ("", ""), ("2\n1,4", "4"), ("2\n1,3", ""), ("1,7", ""),
    ],
)  # fmt: skip
def test_the_number_of_no_option_is_known(text: str, number: str) -> None:
    assert asks(COLOURS, SIZES).no_option(text) == number
