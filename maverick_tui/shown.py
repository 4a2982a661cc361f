"""Values and places as text for a message."""

from __future__ import annotations

from collections.abc import Iterable

from maverick_tui.masking.redact import redact, redact_data

LONGEST = 60


def shown(value: object) -> str:
    """How the value would be written in Python, cut if it is long."""
    try:
        text = redact(repr(redact_data(value)))  # before it is quoted, and before it is cut
    except Exception:  # a number of too many digits, or an object of the author's
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def words_of(error: object) -> str:
    """What an exception says of itself; empty if that fails, as it may with an author's own."""
    try:
        return str(error)
    except Exception:
        return ""


def located(path: Iterable[object], message: str) -> str:
    """The message after the place that it is about, if that has a name: `prompt.query: it is empty`."""
    where = ".".join(map(str, path))
    return f"{where}: {message}" if where else message
