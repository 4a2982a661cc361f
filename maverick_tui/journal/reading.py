"""Reads journals: a torn end is cut off, what is damaged is said to be so, and so is a journal of the future."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from maverick_tui.events.kinds import Event, NewerSchemaError
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.lines import Decoder

DAMAGE = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)
"""What a line raises that no journal of ours has."""


class Reading(NamedTuple):
    """What a journal holds."""

    events: list[Event]
    size: int
    """Bytes of it that were read."""
    problem: str = ""
    """What of it could not be read, and why."""
    first: int = 0
    """The number of the first of these events."""
    is_cut: bool = False
    """Whether it is the end that could not be read: nobody knows what has become of the run."""


class Damage:
    """Lines of a journal that could not be read, and were left out."""

    def __init__(self, lines: int = 0, first: str = "") -> None:
        self.lines = lines
        self.first = first
        """Where the first of them is, and what is wrong with it."""

    def add(self, events: int, error: Exception) -> None:
        """One more, after so many events."""
        self.lines += 1
        self.first = self.first or f"{events:,} events: {error}"

    @property
    def words(self) -> str:
        """What there is to say; empty if all could be read."""
        if not self.lines:
            return ""
        return f"damaged after {self.first} ({self.lines} {'line' if self.lines == 1 else 'lines'} left out)"


def read_journal(path: Path, offset: int = 0, first: int = 0, until: int | None = None) -> Reading:
    """The events of a journal, without what cannot be understood. ConfigError if there is none, or it is a newer one.

    It is read from the line at that byte on, whose event has the number `first`; no further than `until`, if there are
    as many.
    """
    decoder, damage = Decoder(first), Damage()
    most = None if until is None else until - first
    size, is_cut = offset, False
    try:
        with path.open("rb") as lines:
            lines.seek(offset)
            for line in lines:
                if not line.endswith(b"\n"):
                    break  # whoever wrote it was ended in the middle of the line
                count = len(decoder.events)
                if most is not None and count >= most:
                    break
                try:
                    decoder.add((line,))
                    is_cut = False
                except NewerSchemaError:
                    raise
                except DAMAGE as error:
                    del decoder.events[count:]
                    decoder.missing += len(line)  # no event takes less than a byte
                    damage.add(first + count, error)
                    is_cut = True
                size += len(line)
    except FileNotFoundError as error:
        raise ConfigError(f"There is no journal at {path}.", hint="See `maverick runs list`.") from error
    except OSError as error:
        raise ConfigError(f"The journal {path} cannot be read: {error.strerror or error}.") from error
    except NewerSchemaError as error:
        raise ConfigError(str(error), hint="Update Maverick to open this run.") from error
    problem = f"The journal {path} is {damage.words}" if damage.lines else ""
    return Reading(decoder.events, size, problem, first, is_cut)
