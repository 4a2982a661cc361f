"""The open questions of a run: which one keys answer, since when they may, and what an answer in words means."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maverick_tui.runs.events import PermissionAsked
    from maverick_tui.runs.store import RunStore

ARMED_AFTER = 0.4
"""Seconds before a question can be answered: a key that was meant for something else must not answer it."""


class Questions:
    """Keys answer the question that has waited longest; a click answers the one that it hits."""

    def __init__(self, store: RunStore, clock: Callable[[], float]) -> None:
        """Look at the questions of a store."""
        self._store = store
        self._clock = clock
        self._first = ""
        self._first_since = 0.0

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
        """The question about the call whose entry has that number; of 0, the first."""
        if not number:
            return self.first
        for question in self._store.questions.values():
            call = self._store.call(question.call)
            if call is not None and call.number == number:
                return question
        return None

    def look(self) -> None:
        """To be called when questions may have come or gone: one that was second may be the first now."""
        request = self.first.request if self.first is not None else ""
        if request != self._first:
            self._first, self._first_since = request, self._clock()

    def is_armed(self, question: PermissionAsked) -> bool:
        """Whether somebody can have seen it, so that a key or a click is meant for it."""
        since = max(question.at, self._first_since) if question.request == self._first else question.at
        return self._clock() - since >= ARMED_AFTER


def answers_to(question: PermissionAsked, text: str) -> dict[str, str]:
    """What the text says to each thing that is asked: options by their numbers, or anything in words.

    Several things are answered line by line, or all with the same words.
    """
    asked = question.arguments.get("questions")
    parts = [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    each = lines if len(lines) == len(parts) else [text.strip()] * len(parts)
    return {str(one.get("question")): _answer(one, said) for one, said in zip(parts, each, strict=True)}


def _answer(one: dict[str, Any], said: str) -> str:
    options = one.get("options")
    labels = [str(each.get("label")) for each in options if isinstance(each, dict)] if isinstance(options, list) else []
    chosen = [part.strip() for part in said.split(",")] if one.get("multiSelect") else [said]
    named = [labels[int(part) - 1] for part in chosen if part.isdecimal() and 0 < int(part) <= len(labels)]
    return ", ".join(named) if len(named) == len(chosen) else said
