"""Checks of what is kept: the folder for it, the journals of runs, and the index that is made of them."""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from maverick_tui import paths
from maverick_tui.doctor.files import CHANGE, OTHERS, is_open, why_not_written
from maverick_tui.doctor.findings import Finding, Situation

_MB = 1 << 20
_LITTLE_ROOM, _NO_ROOM = 1024 * _MB, 32 * _MB
_READING = 0.5
"""Seconds for reading journals as a whole; of those that are left, the beginning and the end are looked at."""
_SMALL = 2 * _MB
"""The most of one journal that is read as a whole."""
_TAIL = 1 << 16

Kept = Literal["whole", "alive", "interrupted", "unreadable", "newer"]


def check_state_folder(_: Situation) -> Iterator[Finding]:
    """Whether anything can be kept, and for us alone."""
    from maverick_tui.journal.folders import runs_folder

    name, folder, runs = "State folder", paths.user_state(), runs_folder()
    there = next(one for one in (runs, folder, *folder.parents) if one.exists())
    free = shutil.disk_usage(there).free
    details = {"folder": str(folder), "exists": folder.exists(), "free_bytes": free}
    if why := why_not_written(there):
        hint = "Make it writable, or set MAVERICK_STATE_DIR to a folder that is."
        yield Finding(name, "wrong", f"{there} cannot be written: {why}", hint, details)
    elif free < _LITTLE_ROOM:
        fact = f"{folder}: {free // _MB} MB of room are left"
        yield Finding(name, "wrong" if free < _NO_ROOM else "warning", fact, "Make room on that disk.", details)
    elif is_open(folder, CHANGE):  # they could put other runs, and another list of what is trusted, there
        yield Finding(name, "warning", f"others can change {folder}", f"Run: chmod go-w {folder}", details)
    elif is_open(runs):
        yield Finding(name, "warning", f"others can read {runs}", f"Run: chmod -R go= {runs}", details)
    else:
        yield Finding(name, "fine", f"{folder}, {free / 1024 / _MB:.0f} GB of room", details=details)


def check_kept_runs(situation: Situation) -> Iterator[Finding]:
    """How many there are, and whether they can be read."""
    from maverick_tui.journal.folders import runs_folder

    if not situation.settings.keep_runs:
        fact = "none from now on, by the setting keep_runs"
        yield Finding("Kept runs", "warning", fact, "Set it to true to find runs again: maverick config edit")
        return
    try:
        yield _kept_runs()
    except OSError as error:
        fact = f"{runs_folder()} cannot be read: {error.strerror or error}"
        yield Finding("Kept runs", "wrong", fact, "Make it readable, or set MAVERICK_STATE_DIR to another folder.")


def _kept_runs() -> Finding:
    from maverick_tui.journal.folders import journal_of, kept_runs, runs_folder

    journals = {journal: journal.stat() for journal in map(journal_of, kept_runs()) if journal.exists()}
    size = sum(one.st_size for one in journals.values())
    until = time.monotonic() + _READING
    newest = sorted(journals, key=lambda journal: journals[journal].st_mtime, reverse=True)
    states = {
        journal: _state_of(journal, as_a_whole=journals[journal].st_size <= _SMALL and time.monotonic() < until)
        for journal in newest
    }
    counts = Counter(states.values())
    details = {"folder": str(runs_folder()), "runs": len(journals), "bytes": size}
    details |= {state: counts[state] for state in ("interrupted", "unreadable", "newer")}
    fact = f"{len(journals)}, {size / _MB:.1f} MB" if journals else "none yet"
    if counts["interrupted"]:
        fact += f", {counts['interrupted']} interrupted"
    if counts["unreadable"]:
        bad = next(journal for journal in newest if states[journal] == "unreadable")
        hint = f"See {bad.parent}; remove it if nothing in it is of use."
        return Finding("Kept runs", "wrong", f"{fact}; {counts['unreadable']} cannot be read", hint, details)
    if counts["newer"]:
        fact = f"{fact}; {counts['newer']} of a newer Maverick"
        return Finding("Kept runs", "warning", fact, "Update Maverick to open them.", details)
    if any(one.st_mode & OTHERS for one in journals.values()) and os.name == "posix":
        return Finding(
            "Kept runs", "warning", f"{fact}; others can read some", f"Run: chmod -R go= {runs_folder()}", details
        )
    return Finding("Kept runs", "fine", fact, details=details)


def _state_of(journal: Path, *, as_a_whole: bool) -> Kept:
    """How a journal ended: by its last line, and if that is wanted, by all before."""
    from maverick_tui.events.kinds import NewerSchemaError, RunEnded
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.journal.folders import is_alive
    from maverick_tui.journal.lines import Decoder
    from maverick_tui.journal.reading import read_journal

    alive = is_alive(journal)
    try:
        if as_a_whole:
            reading = read_journal(journal)
            if reading.problem:
                return "unreadable"
            has_ended = bool(reading.events) and isinstance(reading.events[-1], RunEnded)
        else:
            with journal.open("rb") as file:
                first = file.readline()
                file.seek(max(journal.stat().st_size - _TAIL, 0))
                last = file.read().rpartition(b"\n")[0].rpartition(b"\n")[2]
            Decoder().add([first] if first.endswith(b"\n") else [])
            has_ended = f'"type":"{RunEnded.type}"'.encode() in last
    except ConfigError as error:
        return "newer" if isinstance(error.__cause__, NewerSchemaError) else "unreadable"
    except NewerSchemaError:
        return "newer"
    except (OSError, ArithmeticError, LookupError, TypeError, ValueError):
        return "unreadable"
    return "alive" if alive else "whole" if has_ended else "interrupted"


def check_index(_: Situation) -> Iterator[Finding]:
    """Whether runs can be listed and searched. A bad index is made anew by whoever needs it, so none is wrong."""
    from maverick_tui.history.database import index_file, look_at

    name, file = "Index of runs", index_file()
    if not file.exists():
        yield Finding(name, "fine", "none yet: it is made when runs are listed", details={"file": str(file)})
        return
    seen = look_at(file)
    details = {"file": str(file), "bytes": seen.size, "runs": seen.runs}
    if seen.problem:
        yield Finding(name, "warning", f"{file}: {seen.problem}", "Make it anew: maverick runs reindex", details)
    elif is_open(file):
        yield Finding(name, "warning", f"others can read {file}", f"Run: chmod go= {file}", details)
    else:
        yield Finding(
            name, "fine", f"{seen.runs} run{'' if seen.runs == 1 else 's'}, {seen.size / _MB:.1f} MB", details=details
        )
