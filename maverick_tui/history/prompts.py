"""All that a person has asked in any run, newest first, each text once: to be asked again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from maverick_tui.history.updating import PIECE_BITS, RUN_SHIFT

Ask = Callable[[str, Sequence[Any]], list[Any]]


class PastPrompt(NamedTuple):
    """A prompt, the beginning of a long one; in which run it stands, and at which event."""

    text: str
    at: float
    agent: str
    run: int
    number: int


def find_prompts(ask: Ask, words: Sequence[str], limit: int) -> list[PastPrompt]:
    """Prompts that have all these words in them, as parts of words too."""
    wanted = "".join(" AND prompt LIKE ? ESCAPE '\\'" for _ in words)
    rows = ask(
        "SELECT prompt, max(turns.started_at), agent, turns.run, number FROM turns JOIN runs USING (run)"
        f" WHERE origin = 'person' AND prompt <> ''{wanted} GROUP BY prompt ORDER BY 2 DESC LIMIT ?",
        [*("%" + re.sub(r"([\\%_])", r"\\\1", word) + "%" for word in words), limit],
    )
    return [PastPrompt(*row) for row in rows]


def whole_prompt(ask: Ask, prompt: PastPrompt) -> str:
    """All of it."""
    first = prompt.run << RUN_SHIFT | prompt.number << PIECE_BITS
    rows = ask(
        "SELECT text FROM texts WHERE rowid >= ? AND rowid < ? ORDER BY rowid", [first, first + (1 << PIECE_BITS)]
    )
    whole = "".join(text for (text,) in rows)
    return whole if whole.startswith(prompt.text) else prompt.text
