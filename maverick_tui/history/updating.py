"""Brings the index up to date: what has changed since the last time is read, from where it was left, and no more.

A journal is opened if the system says that it is another one or has grown. It is read before the index is locked, in
parts of moderate size; a part that another process was quicker to write is given up.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple
from itertools import islice
from math import inf
from operator import attrgetter
from pathlib import Path
from time import monotonic
from typing import IO, Any, NamedTuple

from maverick_tui.history.cut_answers import count_cut_answers
from maverick_tui.history.database import BUSY_SECONDS, SUMMARY, TURN, writing
from maverick_tui.history.labels import FILE as LABELS
from maverick_tui.history.labels import read_labels
from maverick_tui.history.scanning import DAMAGE, Scan, Summary
from maverick_tui.journal.folders import JOURNAL, kept_journals

log = logging.getLogger(__name__)

OURS = "maverick"
"""The source of runs that have a journal."""
_OF_ONE_RUN = (*DAMAGE, sqlite3.DataError, sqlite3.IntegrityError, sqlite3.InterfaceError)
"""What may be wrong with what one journal says, beyond its lines. What is wrong with the index itself is none of it."""
_HEAD = 256
"""Bytes by which a journal is known to be the same one: its first line names the run and the time."""
_WORDS_LEFT, _MERGING = 1, 2
"""In the head of the file: whether words of what was forgotten are left in it, or being merged away."""
_PAGES = 500
"""How much is merged in one transaction, some hundredths of a second."""
_WORDS_SECONDS = 0.25
"""How long a list waits for that, each time it is brought up to date."""
_LINES = 40_000
"""Lines that are written to the index in one transaction."""
_PIECE = 8_192
"""Characters of a text that stand in one row; a snippet is made of a whole row."""
PIECE_BITS, NUMBER_BITS = 11, 31
RUN_SHIFT = PIECE_BITS + NUMBER_BITS
"""A row of the full text is known by its run, the number of its event, and which piece of its text it is."""


_values_of = attrgetter(*SUMMARY)  # `astuple` copies each of them


class Changed(NamedTuple):
    """A run that is to be read, by what the system says of its file and of its labels."""

    run_id: str
    folder: Path
    """Where its labels are."""
    inode: int
    size: int
    mtime: int
    labels: int
    source: str = OURS
    file: str = ""
    """Where the events are, if that is not the journal in its folder."""
    read_mtime: int | None = None
    read_at: float | None = None


Progress = Callable[[int, int], None]
"""Told how many of how many runs have been read."""


def update(connection: sqlite3.Connection, on_progress: Progress | None = None) -> int:
    """Read what has changed; how many runs that were. OSError if the folder of runs cannot be read."""
    known = {
        run_id: about
        for run_id, *about in connection.execute(
            "SELECT run_id, inode, size, mtime, labels FROM journals WHERE source = ?", (OURS,)
        )
    }
    changed: list[Changed] = []
    for run_id, folder, about in kept_journals():
        now = Changed(
            run_id, Path(folder), signed(about.st_ino), about.st_size, about.st_mtime_ns, labels_changed(folder)
        )
        if known.pop(run_id, None) != [now.inode, now.size, now.mtime, now.labels]:
            changed.append(now)
    changed.sort(key=lambda one: one.mtime)  # a search looks at what came last first
    for done, one in enumerate(changed, 1):
        _read(connection, one)
        if on_progress is not None:
            on_progress(done, len(changed))
    if known:
        forget_for_good(connection, known)
    let_go_of_words(connection, _WORDS_SECONDS)
    return len(changed) + len(known) + count_cut_answers(connection, OURS)


def signed(number: int) -> int:
    """As SQLite has it: some file systems use all 64 bits."""
    return number - (1 << 64) if number >= 1 << 63 else number


def labels_changed(folder: str) -> int:
    """When the labels in a run's folder were written."""
    try:
        return os.stat(f"{folder}{os.sep}{LABELS}").st_mtime_ns  # noqa: PTH116 - there may be thousands
    except OSError:
        return 0


def _read(connection: sqlite3.Connection, changed: Changed) -> None:
    try:
        with (changed.folder / JOURNAL).open("rb") as file:
            _read_open(connection, changed, file)
    except FileNotFoundError:
        return  # it was deleted a moment ago
    except PermissionError as error:
        _list_unread(connection, changed, f"{error.strerror}")
    except _OF_ONE_RUN as error:  # the others are listed all the same
        log.exception("The journal of the run %s cannot be read", changed.run_id)
        _list_unread(connection, changed, f"{type(error).__name__}: {error}")


def _list_unread(connection: sqlite3.Connection, changed: Changed, why: str) -> None:
    """List a run of which nothing can be told but why."""
    scan = Scan()
    scan.summary.problem = f"It cannot be read: {why}."
    scan.summary.last_at = scan.summary.started_at = changed.mtime / 1e9
    write_scan(connection, changed, scan, b"", is_new=True)


def _read_open(connection: sqlite3.Connection, changed: Changed, file: IO[bytes]) -> None:
    head = file.read(_HEAD)
    scan = _going_on(connection, changed, file, head)
    is_new = scan is None
    scan = scan or Scan()
    while True:
        before = scan.offset
        file.seek(before)
        scan.take(islice(file, _LINES))
        if is_new and not scan.offset:
            scan.summary.started_at = scan.summary.last_at = changed.mtime / 1e9  # nothing in it says when it was
        if not write_scan(connection, changed, scan, head, is_new=is_new) or scan.is_newer or scan.offset == before:
            return
        scan, is_new = Scan(scan.summary, scan.carried), False


def _going_on(connection: sqlite3.Connection, changed: Changed, file: IO[bytes], head: bytes) -> Scan | None:
    """The scan that goes on where the last one has stopped; None if the journal is not the one that was read then."""
    row = connection.execute(
        f"SELECT inode, size, mtime, head, carried, {', '.join(SUMMARY)} FROM journals JOIN runs USING (run)"
        " WHERE run_id = ? AND source = ?",
        (changed.run_id, OURS),
    ).fetchone()
    if row is None:
        return None
    inode, size, mtime, old_head, carried, *summary = row
    scan = Scan(Summary(*summary), carried)
    scan.summary.problem = ""
    is_rewritten = size == changed.size and mtime != changed.mtime
    if inode != changed.inode or changed.size < scan.offset or is_rewritten or not head.startswith(old_head):
        return None
    if scan.offset:
        file.seek(scan.offset - 1)
        if file.read(1) != b"\n":
            return None
    return scan


def write_scan(connection: sqlite3.Connection, changed: Changed, scan: Scan, head: bytes, *, is_new: bool) -> bool:
    """Write what was found, unless somebody else has gone on from the same place meanwhile."""
    with writing(connection):
        row = connection.execute("SELECT run, carried FROM journals WHERE run_id = ?", (changed.run_id,)).fetchone()
        if row is None and not is_new:
            return False
        if row is not None and is_new:
            forget(connection, changed.run_id)
        elif row is not None and json.loads(row[1])["number"] != scan.began_at:
            return False
        run = row[0] if row is not None else None
        run = put_journal(connection, run, changed, scan.carried, head)
        put_run(connection, run, changed, scan.summary)
        _put_found(connection, run, scan)
    return True


def put_journal(
    connection: sqlite3.Connection, run: int | None, changed: Changed, carried: str, head: bytes = b""
) -> int:
    """Note what was read, and how far; the number of the run."""
    stamp = changed.run_id, changed.inode, changed.size, changed.mtime, changed.labels, head, carried
    read = changed.source, changed.file, changed.read_mtime, changed.read_at
    row = connection.execute(
        "INSERT OR REPLACE INTO journals (run, run_id, inode, size, mtime, labels, head, carried, source, file,"
        " read_mtime, read_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING run",
        (run, *stamp, *read),
    ).fetchone()
    return int(row[0])


def put_run(connection: sqlite3.Connection, run: int, changed: Changed, summary: Summary) -> None:
    """List a run, by the name and the tags that it has."""
    labels = read_labels(changed.folder)
    name = labels.name if labels.named_at >= summary.told_name_at else summary.told_name
    values = [*map(_bound, _values_of(summary)), _bound(name), json.dumps(labels.tags)]
    connection.execute(
        f"INSERT OR REPLACE INTO runs (run, {', '.join(SUMMARY)}, name, tags) VALUES (?{', ?' * len(values)})",
        (run, *values),
    )


def _put_found(connection: sqlite3.Connection, run: int, scan: Scan) -> None:
    for number in {number for number, _, _ in scan.texts if number < scan.began_at}:  # what was open has grown
        first = _row(run, number, 0)
        connection.execute("DELETE FROM texts WHERE rowid >= ? AND rowid < ?", (first, first + (1 << PIECE_BITS)))
    connection.executemany(
        "INSERT INTO texts (rowid, text, kind) VALUES (?, ?, ?)",
        (
            (_row(run, number, place), piece, kind)
            for number, kind, text in scan.texts
            if text
            for place, piece in enumerate(_pieces(_bound(text)))
        ),
    )
    connection.executemany(
        f"INSERT OR REPLACE INTO turns (run, {', '.join(TURN)}) VALUES (?{', ?' * len(TURN)})",
        ((run, *map(_bound, astuple(turn))) for turn in scan.turns.values()),
    )
    connection.executemany(
        "INSERT OR REPLACE INTO places (run, number, offset) VALUES (?, ?, ?)", ((run, *place) for place in scan.places)
    )
    connection.executemany(
        "INSERT OR IGNORE INTO files (run, path) VALUES (?, ?)", ((run, _bound(path)) for path in scan.files)
    )
    connection.executemany(
        "INSERT OR IGNORE INTO conversations (session_id, run) VALUES (?, ?)",
        ((_bound(session), run) for session in scan.conversations),
    )


def forget(connection: sqlite3.Connection, run_id: str) -> None:
    """Remove all that is known of a run; inside of `writing`."""
    row = connection.execute("SELECT run FROM journals WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        return
    (run,) = row
    connection.execute("DELETE FROM texts WHERE rowid >= ? AND rowid < ?", (_row(run, 0, 0), _row(run + 1, 0, 0)))
    for table in ("journals", "runs", "turns", "places", "files", "conversations"):
        connection.execute(f"DELETE FROM {table} WHERE run = ?", (run,))


def forget_for_good(connection: sqlite3.Connection, run_ids: Iterable[str]) -> None:
    """Remove all that is known of these runs, and note that their words are still in the file."""
    with writing(connection):
        for run_id in run_ids:
            forget(connection, run_id)
        connection.execute(f"PRAGMA application_id = {_WORDS_LEFT}")


def let_go_of_words(connection: sqlite3.Connection, seconds: float = inf) -> None:
    """Have no word of what was forgotten in the file: FTS5 keeps them until it merges its parts.

    That takes a while where much is kept, so others write in between; after so many seconds it goes on the next time.
    """
    until = monotonic() + seconds
    (stage,) = connection.execute("PRAGMA application_id").fetchone()
    while stage and monotonic() < until:
        with writing(connection):
            before, pages = connection.total_changes, -_PAGES if stage == _WORDS_LEFT else _PAGES
            connection.execute("INSERT INTO texts (texts, rank) VALUES ('merge', ?)", (pages,))
            is_done = stage != _WORDS_LEFT and connection.total_changes - before < 2
            stage = 0 if is_done else _MERGING
            connection.execute(f"PRAGMA application_id = {stage}")
        if is_done:
            connection.execute("PRAGMA busy_timeout = 100")  # where somebody reads, it goes with the last who closes
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")


def _row(run: int, number: int, piece: int) -> int:
    return run << RUN_SHIFT | number << PIECE_BITS | piece


def _pieces(text: str) -> Iterator[str]:
    """The text in rows, parted between words; of one that is longer than all rows together, the beginning."""
    start = 0
    for _ in range(1 << PIECE_BITS):
        if len(text) - start <= _PIECE:
            break
        end = max(text.rfind(" ", start, start + _PIECE), text.rfind("\n", start, start + _PIECE))
        end = end if end > start else start + _PIECE
        yield text[start:end]
        start = end
    else:
        return
    yield text[start:]


def _bound(value: Any) -> Any:
    """A value as SQLite takes it: no halves of characters, no number that is too large, nothing that is no value."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, bool | float) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 1 << 62 else 0
    return str(value)
