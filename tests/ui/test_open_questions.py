"""Which question keys answer, since when, and what words mean as an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maverick_tui.events import kinds as ev
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.open_questions import ARMED_AFTER, OpenQuestions
from tests.runs.story import ask, asked, call

COLOURS = {"question": "Which colour?", "options": [{"label": "Red"}, {"label": "Blue"}]}


def asks(*questions: Any) -> ev.PermissionAsked:
    return ev.PermissionAsked(0.0, "q", "c", "AskUserQuestion", {"questions": list(questions)})


class Clock:
    now = 4.0

    def __call__(self) -> float:
        return self.now


def two() -> tuple[RunStore, Clock, OpenQuestions]:
    """Two calls that were asked about in the same moment."""
    clock = Clock()
    store = asked(
        call("Bash", id="c1"), call("Bash", id="c2"), ask("c1", request="q1", at=4.0), ask("c2", request="q2", at=4.0)
    )
    questions = OpenQuestions(store, clock, {})
    questions.look()
    return store, clock, questions


def test_without_questions_there_is_nothing_to_answer() -> None:
    questions = OpenQuestions(asked(), Clock(), {})
    questions.look()
    assert (questions.first, questions.in_words, questions.about(0), questions.about(7)) == (None, None, None, None)


def test_keys_answer_the_first_and_a_click_the_one_that_it_hits() -> None:
    store, _, questions = two()
    assert questions.about(0) is questions.first
    assert questions.first is not None
    assert questions.first.request == "q1"
    second = questions.about(store.entries[2].number)
    assert second is not None
    assert second.request == "q2"
    assert questions.about(store.entries[0].number) is None, "that is a prompt"


def test_a_question_can_be_answered_after_a_moment() -> None:
    _, clock, questions = two()
    assert questions.first is not None
    assert not questions.is_armed(questions.first, 4.0)
    clock.now += ARMED_AFTER - 0.01
    assert not questions.is_armed(questions.first, 4.0)
    clock.now += 0.02
    assert questions.is_armed(questions.first, 4.0)


def test_a_question_of_a_machine_whose_clock_is_ahead_can_be_answered() -> None:
    store, clock, questions = two()
    store.questions.clear()
    store.questions["q"] = ev.PermissionAsked(clock.now + 300, "q", "c1", "Bash", {"command": "ls"})
    questions.look()
    assert not questions.is_armed(store.questions["q"], clock.now)
    seen_at = clock.now
    clock.now += ARMED_AFTER
    assert questions.is_armed(store.questions["q"], seen_at)


def test_the_key_that_answered_the_first_question_does_not_answer_the_second() -> None:
    store, clock, questions = two()
    clock.now += 60
    store.apply(ev.PermissionSettled(clock.now, "q1", "c1", "once"))
    questions.look()
    assert questions.first is not None
    assert questions.first.request == "q2"
    assert not questions.is_armed(questions.first, 4.0)
    clock.now += ARMED_AFTER
    assert questions.is_armed(questions.first, 4.0)


def test_only_a_question_of_the_agents_own_wants_words() -> None:
    store, _, questions = two()
    assert questions.in_words is None
    store.questions.clear()
    store.questions["q"] = asks(COLOURS)
    assert questions.in_words is store.questions["q"]


def test_whoever_answers_begins_anew_with_each_question() -> None:
    store, _, questions = two()
    found = []
    for request in ("a", "b"):
        store.questions = {request: ev.PermissionAsked(0.0, request, "c", "AskUserQuestion", {"questions": [COLOURS]})}
        questions.look()
        assert questions.choice is not None
        found.append((questions.choice.request, questions.choice.at))
        questions.choice.say("1")
    assert found == [("a", 0), ("b", 0)]


def test_nothing_is_chosen_where_permission_is_asked() -> None:
    _, _, questions = two()
    assert questions.choice is None


def test_one_that_becomes_the_first_can_be_answered_once_the_terminal_shows_that() -> None:
    clock, drawn = Clock(), list[Callable[[], None]]()
    questions = OpenQuestions(two()[0], clock, {}, drawn.append)
    questions.look()
    first = questions.first
    assert first is not None
    clock.now += 60
    assert not questions.is_armed(first, 0.0)
    for act in drawn:
        act()
    assert not questions.is_armed(first, 0.0), "and a moment after that"
    clock.now += ARMED_AFTER
    assert questions.is_armed(first, 0.0)
