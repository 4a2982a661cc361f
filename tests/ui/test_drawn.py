"""When the terminal has drawn what was written to it: it is asked, and asked again only once it has answered."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from maverick_tui.ui import drawn
from maverick_tui.ui.drawn import Drawn


class Terminal:
    """An application whose terminal is asked, and whose timers the test lets run out."""

    def __init__(self) -> None:
        self.asked = 0
        self.timers: list[Callable[[], None]] = []

    def call_after_refresh(self, _write: object, *_what: object) -> None:
        self.asked += 1

    def set_timer(self, _seconds: float, act: Callable[[], None]) -> SimpleNamespace:
        self.timers.append(act)
        return SimpleNamespace(stop=lambda: self.timers.remove(act) if act in self.timers else None)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setattr(drawn, "write_beside", lambda *_: None)
    return Terminal()


def test_one_answer_counts_for_one_question_and_none_is_asked_before_it(terminal: Terminal) -> None:
    done = list[str]()
    it = Drawn(cast(Any, terminal))
    it.then(lambda: done.append("at once"))
    assert (done, terminal.asked) == (["at once"], 0), "it may never answer"
    it.answered()
    for name in ("first", "second", "third"):
        it.then(lambda name=name: done.append(name))  # type: ignore[misc]
    assert (done[1:], terminal.asked) == ([], 1)
    it.answered()
    assert (done[1:], terminal.asked) == (["first"], 2), "what came behind it may have been drawn later"
    it.answered()
    assert (done[1:], terminal.asked) == (["first", "second", "third"], 2)
    assert not terminal.timers


def test_what_is_asked_for_by_what_was_waited_for_comes_after_the_next_answer(terminal: Terminal) -> None:
    done = list[str]()
    it = Drawn(cast(Any, terminal))
    it.answered()
    it.then(lambda: it.then(lambda: done.append("then")))
    it.then(lambda: done.append("behind"))
    it.answered()
    assert done == []
    it.answered()
    it.answered()
    assert done == ["then", "behind"]
    assert terminal.asked == 3


def test_an_answer_that_never_comes_is_given_up_and_the_next_one_counts_again(terminal: Terminal) -> None:
    done = list[str]()
    it = Drawn(cast(Any, terminal))
    it.answered()
    it.then(lambda: done.append("one"))
    it.then(lambda: done.append("two"))
    terminal.timers.pop()()
    it.then(lambda: done.append("three"))
    assert (done, terminal.asked) == (["one", "two", "three"], 1)
    it.answered()
    it.then(lambda: done.append("four"))
    assert (done[3:], terminal.asked) == ([], 2)
    it.begin_anew()
    assert done[3:] == ["four"]
