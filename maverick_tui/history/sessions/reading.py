"""Reads a session as if it had been kept by us: masked, as a journal is, and in its form."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.history.scanning import SHORT
from maverick_tui.history.sessions.files import Stored, lines_of, open_session, parsed, read_stored
from maverick_tui.history.sessions.prompts import branch_of, said_in, text_of
from maverick_tui.journal.claude_sessions import session_file
from maverick_tui.journal.lines import Decoder, Encoder
from maverick_tui.journal.reading import Reading

log = logging.getLogger(__name__)

_HEAD = 64 * 1024
"""Bytes at the beginning among which the first prompt is looked for, when there is no time to read them all."""
_LINES_AT_ONCE = 1_000
_PROGRAMS = ("sdk-py", "sdk-ts")
"""What the CLI calls programs that have it work for them, as we do: their sessions are not the person's own."""


class Glance(NamedTuple):
    """What the beginning of a session tells."""

    first_prompt: str = ""
    folder: str = ""
    branch: str = ""
    is_of_program: bool = False
    """Whether a program has begun it, and no person."""


def glance(path: Path, mask: Callable[[str], str]) -> Glance:
    """What a session is about, as far as its beginning tells, masked. OSError if it cannot be read."""
    with open_session(path) as file:
        for line in lines_of(file, _HEAD):
            entry = parsed(line) if b'"user"' in line else None
            if entry is None or entry.get("type") != "user":
                continue
            if entry.get("entrypoint") in _PROGRAMS:
                return Glance(is_of_program=True)
            if entry.get("isMeta") or entry.get("isSidechain") or entry.get("isCompactSummary"):
                continue
            said = said_in(entry)
            if said is not None and said.kind == "prompt" and said.text:
                return Glance(mask(said.text)[:SHORT], mask(text_of(entry, "cwd")), mask(branch_of(entry)))
    return Glance()


def session_lines(session_id: str, path: Path) -> Iterator[bytes]:
    """The lines that its journal would have; none if a person never asked anything, or a program has begun it.

    OSError if it cannot be read, ValueError if nothing can be made of it.
    """
    stored = read_stored(path)
    first = next((entry for entry in stored.entries if entry["type"] == "user"), {})
    return iter(()) if first.get("entrypoint") in _PROGRAMS else _lines(session_id, stored)


def _lines(session_id: str, stored: Stored) -> Iterator[bytes]:
    from maverick_tui.history.sessions.telling import events_of  # the SDK takes half a second to import

    try:
        events, encoder = events_of(session_id, stored), Encoder()
    except Exception as error:  # a newer CLI may store things that neither we nor the SDK have thought of
        log.exception("The session %s cannot be told", session_id)
        raise ValueError(f"{type(error).__name__}: {error}") from error
    for first in range(0, len(events), _LINES_AT_ONCE):
        yield from encoder.lines(first, events[first : first + _LINES_AT_ONCE]).splitlines(keepends=True)


def read_session(session_id: str) -> Reading:
    """The events of a session. ConfigError if it cannot be read, or holds none."""
    path = session_file(session_id)
    if path is None:
        raise ConfigError(f"There is no session {session_id!r}.", hint="See `maverick runs list`.")
    decoder = Decoder()
    try:
        decoder.add(_lines(session_id, read_stored(path)))
        size = path.stat().st_size
    except OSError as error:
        raise ConfigError(
            f"The session {path} cannot be read: {error.strerror or error}.", hint="Make it readable."
        ) from error
    except ValueError as error:
        raise ConfigError(
            f"The session {path} is not understood: {error}.", hint="Open it with the claude that has made it."
        ) from error
    if not decoder.events:
        raise ConfigError(f"Nobody has asked anything in the session {path}.", hint="See `maverick runs list`.")
    return Reading(decoder.events, size)
