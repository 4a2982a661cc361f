"""Long texts that were pasted: a few words stand for each in the prompt, and the whole is sent."""

from __future__ import annotations

import re
from collections.abc import Iterable

from maverick_tui.inert import inert

MOST_LINES = 20
MOST_CHARACTERS = 2_000
"""A longer text is shown by a few words."""

_MARK = re.compile(r"\[pasted [\d,]+ (?:lines|characters)(?: #\d+)?\]")
_LINE_END = re.compile("\\r\\n?|[\\u2028\\u2029]")
_COMMAND = re.compile(r"\A\n*(?=[!/])")
_COMES_BACK = re.compile(r"\A\n*(?=!|/(?!compact(?:\s|$)))", re.IGNORECASE)
"""Of our commands only `/compact` waits among prompts, and is one again."""


def typed(text: str) -> str:
    """What the person typed or pasted, with the line ends of every system and without anything a terminal obeys."""
    return inert(_LINE_END.sub("\n", text))


def as_prompt(text: str) -> str:
    """A text that nobody has typed here, with a blank where it would be taken for a command of the person's own.

    A page may begin with a `!` (`![badge](...)`) or a `/`, and whoever pastes it does not want its lines run, nor to
    have them obeyed. A single line that is seen whole may be a command.
    """
    text = typed(text)
    is_seen = "\n" not in text.strip("\n") and len(text) <= MOST_CHARACTERS
    return text if is_seen else _COMMAND.sub(r"\g<0> ", text, count=1)


def still_prompt(text: str) -> str:
    """A text that was a prompt before, as it stands in one, with such a blank: the Enter that sends it again neither
    runs it nor obeys it, whoever wrote it (`/export md FILE`).
    """
    return _COMES_BACK.sub(r"\g<0> ", typed(text), count=1)


class Pastes:
    """What stands for what in one prompt."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    @property
    def marks(self) -> Iterable[str]:
        """The words that stand for something."""
        return self._texts.keys()

    def shorten(self, text: str) -> str:
        """What is to stand in the prompt for a text that was pasted: itself, unless it is long."""
        text = as_prompt(text)
        lines = len(text.splitlines())
        if lines <= MOST_LINES and len(text) <= MOST_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        mark, number = f"[pasted {size}]", 1
        while self._texts.get(mark, text) != text:
            number += 1
            mark = f"[pasted {size} #{number}]"
        self._texts[mark] = text
        return mark

    def whole(self, text: str) -> str:
        """The text with everything in it that words stand for; such words that were typed stay as they are."""
        return _MARK.sub(lambda found: self._texts.get(found[0], found[0]), text) if self._texts else text

    def forget(self) -> None:
        """The prompt is another one."""
        self._texts.clear()
