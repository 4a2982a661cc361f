"""Comments on lines of a run's changes, and all of them as one prompt for the agent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from maverick_tui.inert import inert, one_line

_FENCE = re.compile(r"`{3,}")


class Comment(NamedTuple):
    """What somebody says to lines of a file; those are the numbers of the first and the last one, counted from 1."""

    path: str
    first: int
    last: int
    code: tuple[str, ...]
    """The lines, as they are or were there."""
    text: str
    """What is said; may be empty of lines that were rejected."""
    is_rejected: bool = False
    """Whether the lines were taken back."""


def as_prompt(comments: Sequence[Comment]) -> str:
    """One prompt that quotes file, lines and code of each comment, in the order of files and lines.

    What is quoted stays a quotation, whatever is in it: its fences are longer than any in the code.
    """
    ordered = sorted(comments, key=lambda one: (one.path, one.first, one.last))
    return "\n\n".join((_opening(ordered), *map(_quoted, ordered))) if ordered else ""


def _opening(comments: Sequence[Comment]) -> str:
    if all(one.is_rejected for one in comments):
        return "I have taken back some of your changes. Do not make them again as they were."
    opening = "I have looked at your changes. Please see to each of these comments."
    taken_back = " Where one says so, I have taken your change back." if any(c.is_rejected for c in comments) else ""
    return opening + taken_back


def _quoted(comment: Comment) -> str:
    where = f"line {comment.first}" if comment.first == comment.last else f"lines {comment.first}-{comment.last}"
    name = inert(comment.path.encode(errors="surrogateescape").decode(errors="replace")).replace("\n", "\u240a")
    taken_back = ", which I have taken back" if comment.is_rejected else ""
    head = f"{_in_code(one_line(name))}, {where}{taken_back}:"
    code = [inert(line).replace("\n", "\u240a") for line in comment.code]
    fence = "`" * max(3, *(len(found) + 1 for line in code for found in _FENCE.findall(line)), 0)
    text = inert(comment.text.strip())
    return "\n".join((head, "", fence, *code, fence, *(("", text) if text else ())))


def _in_code(text: str) -> str:
    """The text between as many signs as make it code, whatever is in it."""
    sign = "`" * max(1, *(len(found) + 1 for found in re.findall("`+", text)), 0)
    return f"{sign} {text} {sign}" if "`" in text else f"{sign}{text}{sign}"
