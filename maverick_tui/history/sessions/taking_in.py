"""Brings sessions of Claude Code into the index: all of them by their beginnings at once, each as a whole in time.

There may be thousands, of gigabytes. A session is listed by a glance at its beginning; what was said and done in it is
read later, the latest first, for as long as there is time. One that has changed is read again as a whole: its entries
are a tree, and what is added may make another branch of it the conversation.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from maverick_tui.agent.fields import CLAUDE_CODE
from maverick_tui.history.database import SUMMARY, writing
from maverick_tui.history.scanning import DAMAGE, Scan, Summary
from maverick_tui.history.sessions.files import LARGEST
from maverick_tui.history.sessions.reading import Glance, glance, session_lines
from maverick_tui.history.updating import (
    OURS,
    Changed,
    Progress,
    forget,
    forget_for_good,
    labels_changed,
    put_journal,
    put_run,
    signed,
    write_scan,
)
from maverick_tui.journal.claude_sessions import SessionFile, session_files
from maverick_tui.journal.folders import runs_folder
from maverick_tui.masking.redact import known_values, masked, redact

THEIRS = "claude"
"""The source of sessions."""
SEARCHED = 2_000_000_000
"""Bytes of sessions, the latest, that are read as a whole; what is older is listed, and not searched."""
READ_AGAIN = 30.0
"""Seconds after which a session that goes on is read once more."""
_AT_ONCE = 100
"""Sessions that are listed in one transaction."""
_UNREAD = Scan().carried
_NEVER = -1
"""In the place of the time as of which a session was read: it is not to be."""


class _Known(NamedTuple):
    run: int
    stamp: tuple[int, int, int]
    """Of its file: inode, size and time."""
    labels: int
    read_mtime: int | None
    read_at: float | None


def list_sessions(connection: sqlite3.Connection, on_progress: Progress | None = None) -> int:
    """List all sessions that are not those of our runs; how many have changed."""
    columns = "run_id, run, inode, size, mtime, labels, read_mtime, read_at"
    known = {
        run_id: _Known(run, (inode, size, mtime), labels, read_mtime, read_at)
        for run_id, run, inode, size, mtime, labels, read_mtime, read_at in connection.execute(
            f"SELECT {columns} FROM journals WHERE source = ?", (THEIRS,)
        )
    }
    asked = "SELECT run_id FROM journals WHERE source = ? UNION SELECT session_id FROM conversations"
    ours = {run_id for (run_id,) in connection.execute(asked, (OURS,))}
    new: list[Changed] = []
    changed: list[tuple[_Known, Changed]] = []
    kept = runs_folder()
    for session in _latest():
        if session.session_id in ours:
            continue
        before, stamp = known.pop(session.session_id, None), _stamp(session)
        labels = labels_changed(f"{kept}{os.sep}{session.session_id}")
        if before is not None and (before.stamp, before.labels) == (stamp, labels):
            continue
        now = Changed(session.session_id, kept / session.session_id, *stamp, labels, THEIRS, session.path)
        if before is None:
            new.append(now)
        else:
            changed.append((before, now))
    new.sort(key=lambda one: one.mtime)  # a search looks at what came last first
    for first in range(0, len(new), _AT_ONCE):
        _list(connection, new[first : first + _AT_ONCE])
        if on_progress is not None:
            on_progress(min(first + _AT_ONCE, len(new)), len(new))
    if changed:
        with writing(connection):
            for before, now in changed:
                _renew(connection, before, now)
    if known:
        forget_for_good(connection, known)
    return len(new) + len(changed) + len(known)


def _latest() -> list[SessionFile]:
    """All sessions; one that several projects have, by its latest file."""
    found: dict[str, SessionFile] = {}
    for session in session_files():
        other = found.get(session.session_id)
        if other is None or other.about.st_mtime_ns < session.about.st_mtime_ns:
            found[session.session_id] = session
    return [*found.values()]


def _stamp(session: SessionFile) -> tuple[int, int, int]:
    about = session.about
    return signed(about.st_ino), about.st_size, about.st_mtime_ns


def _list(connection: sqlite3.Connection, new: list[Changed]) -> None:
    mask = partial(masked, values=known_values())  # to look for secrets in the environment takes longer than a glance
    glances = [(one, _glance(one, mask)) for one in new]
    with writing(connection):
        for one, seen in glances:
            if connection.execute("SELECT 1 FROM journals WHERE run_id = ?", (one.run_id,)).fetchone():
                continue  # another process was quicker
            read = one._replace(read_mtime=_NEVER) if seen.is_of_program else one
            run = put_journal(connection, None, read, _UNREAD)
            if seen.first_prompt:
                put_run(connection, run, one, _summary(one, seen))


def _glance(one: Changed, mask: Callable[[str], str] = redact) -> Glance:
    try:
        return glance(Path(one.file), mask)
    except OSError:
        return Glance()


def _summary(one: Changed, seen: Glance) -> Summary:
    at = one.mtime / 1e9
    summary = Summary(CLAUDE_CODE, seen.first_prompt, folder=seen.folder, branch=seen.branch, engine="claude-code")
    summary.started_at = summary.last_at = summary.ended_at = at
    return summary


def _renew(connection: sqlite3.Connection, before: _Known, now: Changed) -> None:
    """Note that a session has changed; what is known of it stays until it is read."""
    stamp = now._replace(read_mtime=before.read_mtime, read_at=before.read_at)
    put_journal(connection, before.run, stamp, _UNREAD)
    columns = ", ".join(SUMMARY)
    row = connection.execute(f"SELECT {columns} FROM runs WHERE run = ?", (before.run,)).fetchone()
    if row is None:
        return
    summary = Summary(*row)
    if before.stamp != (now.inode, now.size, now.mtime):
        summary.last_at = summary.ended_at = now.mtime / 1e9
    put_run(connection, before.run, now, summary)


# -- what was said and done --------------------------------------------------------------------------------------------


def unread(connection: sqlite3.Connection) -> list[Changed]:
    """Sessions that are to be read as a whole, the latest first."""
    kept = runs_folder()
    rows = connection.execute(
        "SELECT run_id, inode, size, mtime, labels, file FROM (SELECT *, sum(min(size, ?))"
        " OVER (ORDER BY mtime DESC, run DESC) AS so_far FROM journals WHERE source = ?)"
        " WHERE so_far <= ? AND read_mtime IS NOT mtime AND read_mtime IS NOT ? AND (read_at IS NULL OR read_at < ?)"
        " ORDER BY mtime DESC, run DESC",
        (LARGEST, THEIRS, SEARCHED, _NEVER, time.time() - READ_AGAIN),
    )
    return [
        Changed(run_id, kept / run_id, inode, size, mtime, labels, THEIRS, file)
        for run_id, inode, size, mtime, labels, file in rows
    ]


def read_sessions(
    connection: sqlite3.Connection, sessions: list[Changed], seconds: float | None, on_progress: Progress | None = None
) -> int:
    """Read as many of these as there is time for, all of them if there is no limit; how many that were."""
    if sessions and seconds != 0:
        import_module("maverick_tui.history.sessions.telling")  # the SDK takes a while, which is no time of reading
    until = time.monotonic() + (seconds or 0)
    for done, one in enumerate(sessions, 1):
        is_late = seconds is not None and time.monotonic() >= until
        if not is_late:
            _read(connection, one)
        if on_progress is not None:
            on_progress(len(sessions) if is_late else done, len(sessions))
        if is_late:
            return done - 1
    return len(sessions)


def _read(connection: sqlite3.Connection, one: Changed) -> None:
    scan = Scan()
    try:
        scan.take(session_lines(one.run_id, Path(one.file)))
    except OSError as error:
        scan.summary.problem = f"It cannot be read: {error.strerror or error}."
    except DAMAGE as error:  # a newer version may store something else
        scan.summary.problem = f"It cannot be understood: {error}"
    scan.places.clear()  # they are bytes of a journal
    scan.conversations.clear()  # no run of ours has it
    read = one._replace(read_mtime=one.mtime, read_at=round(time.time(), 3))
    if scan.number:
        write_scan(connection, read, scan, b"", is_new=True)
        return
    with writing(connection):
        row = connection.execute("SELECT run FROM journals WHERE run_id = ?", (one.run_id,)).fetchone()
        listed = connection.execute("SELECT 1 FROM runs JOIN journals USING (run) WHERE run_id = ?", (one.run_id,))
        was_listed = listed.fetchone() is not None
        forget(connection, one.run_id)
        run = put_journal(connection, row[0] if row else None, read, scan.carried)
        if was_listed and scan.summary.problem:
            seen = _summary(one, _glance(one))
            seen.problem = scan.summary.problem
            put_run(connection, run, read, seen)
