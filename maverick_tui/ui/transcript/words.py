"""Words: what a double click selects."""

from __future__ import annotations

import re

from rich.cells import cell_len

_WORD = re.compile(r"""[^\s"'`()\[\]{}<>,;│]+""")
"""Paths, links and names are one word; brackets and quotes around them are not part of it."""


def word_at(text: str, cell: int) -> tuple[int, int]:
    """First character of the word at a cell, and the one after its last; of blanks, nothing."""
    for word in _WORD.finditer(text):
        start = cell_len(text[: word.start()])
        if start <= cell < start + cell_len(word[0]):
            return word.span()
    return 0, 0
