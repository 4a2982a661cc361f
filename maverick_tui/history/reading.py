"""Reads the events of a run that is listed, wherever they are kept."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.sessions.reading import read_session
from maverick_tui.journal.claude_sessions import session_file
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.journal.reading import Reading, read_journal
from maverick_tui.runs.past import past_of
from maverick_tui.runs.store import CUT, GONE


def is_foreign(run_id: str) -> bool:
    """Whether it is a session of Claude Code that has no journal: no run of ours has gone on with it."""
    return not journal_of(run_id).exists() and session_file(run_id) is not None


def file_of(run_id: str) -> Path:
    """The journal of a run, or the file that Claude Code keeps a session in."""
    journal = journal_of(run_id)
    return journal if journal.exists() else session_file(run_id) or journal


def read_run(run_id: str) -> Reading:
    """All events of a run, as far as they can be understood. ConfigError if there are none to be read."""
    return read_session(run_id) if is_foreign(run_id) else read_journal(journal_of(run_id))


class Told(NamedTuple):
    """What a run has told so far, and whether some process still writes to it."""

    reading: Reading
    is_alive: bool

    @property
    def events(self) -> list[Event]:
        """All of it; a run whose process is gone has an end, and so has what is known of one."""
        told = self.reading.events
        if self.is_alive or not told:
            return told
        return past_of(told, CUT if self.reading.is_cut else GONE).events


def unreadable(run_id: str, problem: str) -> ConfigError:
    """Nothing of a run can be read."""
    return ConfigError(
        f"The journal of the run {run_id} holds no events that can be read. {problem}".rstrip(),
        hint=f"Look at its file, or remove it with `maverick runs delete {run_id}`.",
        path=str(journal_of(run_id)),
    )


def read_told(run_id: str) -> Told:
    """The same, with an end where it must have had one. ConfigError if it cannot be read."""
    was_alive = is_alive(journal_of(run_id))  # asked first: a run that ends meanwhile has its end in what is read then
    return Told(read_run(run_id), was_alive)
