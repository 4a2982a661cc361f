"""Choice: how far a person has come with answering what an agent asks by AskUserQuestion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from maverick_tui.events.kinds import PermissionAsked


_DIGITS = 9
"""More of a number need not be read, and Python refuses thousands."""


class QuestionPart(NamedTuple):
    """One thing that is asked; its texts are as the model wrote them."""

    question: str
    options: tuple[tuple[str, str], ...]
    """Label and description of each."""
    takes_several: bool


class Choice:
    """Takes the answers one by one: an option by its number, several where that is meant, or anything in words."""

    def __init__(self, question: PermissionAsked) -> None:
        self.request = question.request
        # What cannot be read can still be answered: the words go back as they are.
        self.parts = parts_of(question.arguments) or [QuestionPart("", (), takes_several=False)]
        self.marked: set[int] = set()
        """The options of the part of the moment that are marked; the first is 0."""
        self._said: list[str] = []

    @property
    def at(self) -> int:
        """The place of the part that is to be answered next."""
        return len(self._said)

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to be answered."""
        return self.at >= len(self.parts)

    @property
    def answers(self) -> dict[str, str]:
        """What was answered, by question."""
        return {part.question: said for part, said in zip(self.parts, self._said, strict=False)}

    def said(self, place: int) -> str | None:
        """The answer to a part, if it has one."""
        return self._said[place] if place < len(self._said) else None

    def no_option(self, text: str) -> str:
        """The first number that no option has, in an answer of numbers alone; `text` is read as `say` does."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        left = self.parts[self.at :]
        for part, said in zip(left, lines if len(lines) == len(left) else [text.strip()], strict=False):
            chosen = _chosen(part, said)
            if part.options and all(word.isdecimal() for word in chosen):
                for word in chosen:
                    if not 0 < int(word[:_DIGITS]) <= len(part.options):
                        return word
        return ""

    def choose(self, option: int) -> None:
        """Take an option; where several may be taken, mark it, or take the mark away."""
        part = self.parts[self.at]
        if part.takes_several:
            self.marked ^= {option}
        else:
            self._said.append(part.options[option][0])

    def say(self, text: str) -> None:
        """Take words: for the next part, or line by line for all that are left. What is marked goes with them."""
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        left = len(self.parts) - self.at
        for said in lines if len(lines) == left else [text.strip()]:
            if not self.is_complete:
                self._said.append(self._meant(self.parts[self.at], said))
                self.marked = set()

    def _meant(self, part: QuestionPart, said: str) -> str:
        count, marked = len(part.options), sorted(self.marked)
        chosen = _chosen(part, said)
        numbers = [int(word) for word in chosen if word.isdecimal() and len(word) <= _DIGITS]
        named = [number - 1 for number in numbers if 0 < number <= count]
        is_named = len(named) == len(chosen)
        options = [*marked, *(option for option in named if is_named and option not in marked)]
        return ", ".join([*(part.options[option][0] for option in options), *([said] if said and not is_named else [])])


def _chosen(part: QuestionPart, said: str) -> list[str]:
    """The options that somebody names, where several may be named; numbers need no comma between them."""
    if not part.takes_several:
        return [said]
    words = said.replace(",", " ").split()
    return words if all(map(str.isdecimal, words)) else [word.strip() for word in said.split(",")]


def parts_of(arguments: Mapping[str, Any]) -> list[QuestionPart]:
    """What is asked, as far as it can be read."""
    asked = arguments.get("questions")
    found = [one for one in asked if isinstance(one, Mapping)] if isinstance(asked, list | tuple) else []
    return [
        QuestionPart(str(one.get("question", "")), tuple(_options(one)), bool(one.get("multiSelect"))) for one in found
    ]


def _options(one: Mapping[str, Any]) -> list[tuple[str, str]]:
    options = one.get("options")
    found = [each for each in options if isinstance(each, Mapping)] if isinstance(options, list | tuple) else []
    return [(str(each.get("label", "")), str(each.get("description") or "")) for each in found]
