"""The open questions of a run: which one keys answer, since when they may, and how much they may allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from maverick_tui.agent.tools import EDIT_TOOLS

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked
    from maverick_tui.runs.choosing import Choice
    from maverick_tui.runs.store import RunStore

ARMED_AFTER = 0.4
"""Seconds on the screen before a question can be answered: a key that was meant for something else is no answer."""
SCOPES = ("allow_run", "allow_alike", "allow_all")
"""Actions that allow something for the run: the very call, what is like it, and all of the tool."""


def by_scope(grants: Sequence[str]) -> dict[str, int]:
    """The place of the grant that each action allows: of two, the second is for all of the tool."""
    actions = SCOPES[::2] if len(grants) == 2 else SCOPES
    return {action: place for place, action in enumerate(actions[: len(grants)])}


def is_wanted_twice(action: str, tool: str) -> bool:
    """Whether a key allows more than the very call: of a tool that edits, any further such edit of the file."""
    return action in SCOPES[1:] or (action in SCOPES and tool in EDIT_TOOLS)


class OpenQuestions:
    """Keys answer the question that has waited longest; a click answers the one that it hits."""

    def __init__(
        self,
        store: RunStore,
        clock: Callable[[], float],
        choices: dict[str, Choice],
        when_drawn: Callable[[Callable[[], None]], None] = lambda act: act(),
    ) -> None:
        """Look at the questions of a store; `choices` has how far those of the agent's own are answered.

        `when_drawn` does something once the terminal shows which one is the first.
        """
        self._when_drawn = when_drawn
        self._store = store
        self._choices = choices
        self._clock = clock
        self._first = ""
        self._first_at = self._first_since = 0.0
        self._turns = 0
        """How often another one has become the first, or the same one was to be seen anew."""
        self.choice: Choice | None = None
        """How far the question that wants words has been answered."""

    @property
    def first(self) -> PermissionAsked | None:
        """The question that keys answer."""
        return next(iter(self._store.questions.values()), None)

    @property
    def in_words(self) -> PermissionAsked | None:
        """The same, if it is one of the agent's own that wants words and not a yes."""
        first = self.first
        return first if first is not None and first.tool == "AskUserQuestion" else None

    def about(self, number: int) -> PermissionAsked | None:
        """The question about the call whose entry has that number; for 0, the first one."""
        if not number:
            return self.first
        for question in self._store.questions.values():
            call = self._store.calls.get(question.call)
            if call is not None and call.number == number:
                return question
        return None

    def look(self) -> bool:
        """To be called when questions may have come or gone; whether another one is the first now."""
        request = self.first.request if self.first is not None else ""
        if is_another := request != self._first:
            self._first, self._first_at = request, self._clock()
            self.see_anew()
            self.choice = None
            if (question := self.in_words) is not None:
                from maverick_tui.runs.choosing import Choice

                known = self._choices.get(request)
                self.choice = known if known is not None and not known.is_complete else Choice(question)
                self._choices[request] = self.choice
        return is_another

    def see_anew(self) -> None:
        """Have a yes to the first one wait for what the terminal draws now, and for the moment to read it."""
        self._first_since = inf
        self._turns += 1
        self._when_drawn(partial(self._is_drawn, self._turns))

    def forget_first(self) -> None:
        """Take whichever is the first at the next look for one that has just become it."""
        self._first = ""

    def _is_drawn(self, turn: int) -> None:
        if turn == self._turns:  # else another one is shown by now, or the same one anew
            self._first_since = self._clock()

    def first_since(self, question: PermissionAsked, *, denies: bool = False) -> float:
        """Since when keys answer this one: `inf` until the terminal shows that, which a denial need not wait for."""
        if question.request != self._first:
            return 0.0
        return self._first_at if denies else self._first_since

    def is_armed(self, question: PermissionAsked, seen_since: float, *, denies: bool = False) -> bool:
        """Whether somebody has had a moment to read it, so that a key or a click is meant for it.

        When it was asked does not count: that is told by the clock of the run's machine, which may be ahead of ours.
        """
        since = max(seen_since, self.first_since(question, denies=denies))
        return self._clock() - since >= ARMED_AFTER
