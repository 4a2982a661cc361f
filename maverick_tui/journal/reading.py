"""Reads journals: a torn end is cut off, what is damaged is said to be so, and so is a journal of the future."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from maverick_tui.events.kinds import Event, NewerSchemaError
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.lines import Decoder


class Reading(NamedTuple):
    """What a journal holds."""

    events: list[Event]
    size: int
    """Bytes of it that were understood."""
    problem: str = ""
    """Why nothing was read beyond that, where it is not the end."""


def read_journal(path: Path, offset: int = 0, first: int = 0) -> Reading:
    """The events of a journal, as far as it can be understood. ConfigError if there is none, or it is a newer one.

    It is read from the line at that byte on, whose event has the number `first`.
    """
    decoder = Decoder(first)
    size, problem = offset, ""
    try:
        with path.open("rb") as lines:
            lines.seek(offset)
            for line in lines:
                if not line.endswith(b"\n"):
                    break  # whoever wrote it was ended in the middle of the line
                decoder.add((line,))
                size += len(line)
    except FileNotFoundError as error:
        raise ConfigError(f"There is no journal at {path}.", hint="See `maverick runs list`.") from error
    except OSError as error:
        raise ConfigError(f"The journal {path} cannot be read: {error.strerror or error}.") from error
    except NewerSchemaError as error:
        raise ConfigError(str(error), hint="Update Maverick to open this run.") from error
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        problem = f"The journal {path} is damaged after {first + len(decoder.events)} events: {error}"
    return Reading(decoder.events, size, problem)
