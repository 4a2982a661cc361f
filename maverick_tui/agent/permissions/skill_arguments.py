"""Files that Claude Code may read because a skill is told of them: the text of one may say `@$ARGUMENTS`, `@"$0"`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from maverick_tui.agent.permissions.quoting import without_quotes

_BLANKS = re.compile(r"[\s\ufeff]+")
_QUOTES = re.compile("[\"']")
_NO_LETTERS = re.compile(r"(?<![^A-Za-z0-9_])[^A-Za-z0-9_]+\Z")
"""Looked for only behind a letter, or in a text of signs alone the time would grow with the square of its length."""


def mentioned_in(text: str) -> set[str]:
    """What the words of a text, and the text itself, may name behind an `@`.

    Claude Code takes a `#` and what follows for the lines to be read, and cuts off a word whatever is no letter of
    ASCII at its end; in quotes a name has blanks, too. Words that it counts (`$0`) it reads as a shell does (measured).
    """
    named = (name for one in (text, *without_quotes(text)) for name in _named_in(one))
    return {cut for name in named for cut in (name, _NO_LETTERS.sub("", name)) if cut}


def _named_in(text: str) -> Iterator[str]:
    for word in {text, *_QUOTES.split(text), *_BLANKS.split(text)}:
        yield from (word, word.partition("#")[0])
