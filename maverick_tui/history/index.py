"""RunIndex: all kept runs, to be listed, searched and opened at a place."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from maverick_tui.exceptions import ConfigError
from maverick_tui.history.database import (
    SUMMARY,
    TURN,
    index_file,
    is_broken,
    is_busy,
    is_unwritable,
    make_tables,
    memory_database,
    open_database,
    remove_database,
    writing,
)
from maverick_tui.history.filters import Filter, match_expression
from maverick_tui.history.listed import UNREAD, Hit, ListedRun
from maverick_tui.history.prompts import PastPrompt, find_prompts, whole_prompt
from maverick_tui.history.reading import read_run
from maverick_tui.history.scanning import Summary, Turn
from maverick_tui.history.sessions.taking_in import THEIRS, list_sessions, read_sessions, unread
from maverick_tui.history.totals import OF_DAYS, OF_MODELS, OF_RUNS, Totals
from maverick_tui.history.updating import NUMBER_BITS, OURS, PIECE_BITS, RUN_SHIFT, Progress, let_go_of_words, update
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_alive, journal_of, runs_folder
from maverick_tui.journal.reading import Reading, read_journal

_OPENS, _CLOSES = "\x02", "\x03"
_SNIPPET = 24
"""Words of a snippet."""
_RANKED = 1_000
"""Places, the last ones, among which the best are chosen: to weigh all places of a frequent word takes too long."""
_MARK = re.compile(f"([{_OPENS}{_CLOSES}])")
_NUMBER = f"(rowid >> {PIECE_BITS}) & {(1 << NUMBER_BITS) - 1}"
_COPIED = (
    f"CASE source WHEN '{THEIRS}' THEN (SELECT total(mine.cost_usd) FROM turns AS mine WHERE mine.run = runs.run"
    " AND EXISTS (SELECT 1 FROM turns AS other WHERE other.request = mine.request AND other.request <> ''"
    " AND other.started_at = mine.started_at AND other.run < mine.run)) ELSE 0 END"
)
"""What the turns have cost that another session has, too."""
_IS_UNREAD = (
    "EXISTS (SELECT 1 FROM journals AS theirs WHERE theirs.run = runs.run"
    f" AND theirs.source = '{THEIRS}' AND theirs.read_mtime IS NULL)"
)
_NOTHING = Filter()
_NEWEST = "last_at DESC, run DESC"
ORDERS = {
    "time": _NEWEST,
    "cost": f"coalesce(cost_usd, 0) DESC, {_NEWEST}",
    "duration": f"worked + max(0, last_at - coalesce(working_since, last_at)) DESC, {_NEWEST}",
    "agent": f"agent COLLATE NOCASE, {_NEWEST}",
}
"""In which runs can be listed."""


class RunIndex:
    """The index, up to date. Where the state folder cannot be written to it lives in memory. For one thread."""

    def __init__(self, *, is_new: bool = False, on_progress: Progress | None = None) -> None:
        """With `is_new` it is made once more from the journals; `on_progress` is told how far that has come."""
        self._file = index_file()
        self._on_progress = on_progress
        self.is_in_memory = False
        self._live: tuple[int, ...] = ()
        try:
            self._connection = open_database(self._file)
        except (sqlite3.Error, OSError) as error:
            if isinstance(error, sqlite3.Error) and not (is_unwritable(error) or is_busy(error)):
                raise
            self._use_memory()
        if is_new:
            self._empty()
        self.refresh()

    def __enter__(self) -> RunIndex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    # -- up to date ---------------------------------------------------------------------------------------------------

    def refresh(self) -> int:
        """Take in what has changed; how many runs that were. Sessions of Claude Code are listed, and not read yet."""
        changed = 0
        try:
            changed = self._update()
        except sqlite3.Error as error:
            if is_busy(error):
                pass  # who writes takes it in as well; the next time we see it
            elif is_broken(error):
                self._start_anew()
            elif is_unwritable(error) and not self.is_in_memory:
                self._connection.close()
                self._use_memory()
                changed = self._update()
            else:
                raise
        except OSError as error:
            raise ConfigError(
                f"The runs in {runs_folder()} cannot be read: {error.strerror or error}.", hint="Make it readable."
            ) from error
        asked = "SELECT run, run_id FROM runs JOIN journals USING (run) WHERE ended_at IS NULL AND source = ?"
        unended = self._ask(asked, [OURS])
        self._live = tuple(run for run, run_id in unended if is_alive(journal_of(run_id)))
        return changed

    def let_go_of_words(self) -> None:
        """Wait until no word of a run that is gone is in the file; where others are in the way, it goes on later."""
        with suppress(sqlite3.OperationalError):
            let_go_of_words(self._connection)

    @property
    def unread_sessions(self) -> int:
        """How many sessions of Claude Code are listed by their beginnings alone, and cannot be searched yet."""
        return len(unread(self._connection))

    def read_sessions(
        self, seconds: float | None = None, *, only: str = "", on_progress: Progress | None = None
    ) -> int:
        """Read what was said in sessions of Claude Code, or in only one, the latest first; how many that were.

        There may be gigabytes of them: it ends after so many seconds, and goes on the next time. A session that is
        being read is not cut short.
        """
        try:
            sessions = [one for one in unread(self._connection) if only in ("", one.run_id)]
            return read_sessions(self._connection, sessions, seconds, on_progress)
        except sqlite3.Error as error:
            if is_busy(error) or is_unwritable(error):
                return 0  # they stay listed
            if not is_broken(error):
                raise
            self._start_anew()
            return 0

    def _update(self) -> int:
        return update(self._connection, self._on_progress) + list_sessions(self._connection, self._on_progress)

    def _empty(self) -> None:
        try:
            with writing(self._connection):
                make_tables(self._connection)
        except sqlite3.Error as error:
            if is_broken(error):
                self._start_anew()
            elif is_unwritable(error) or is_busy(error):
                self._connection.close()
                self._use_memory()
            else:
                raise

    def _use_memory(self) -> None:
        self.is_in_memory = True
        self._connection = memory_database()

    def _start_anew(self) -> None:
        self._connection.close()
        with suppress(OSError):
            remove_database(self._file)
        try:
            self._connection = open_database(self._file)
        except sqlite3.Error:
            self._use_memory()
        self._update()

    def _ask(self, question: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        try:
            return self._connection.execute(question, values).fetchall()
        except sqlite3.DatabaseError as error:
            if not is_broken(error):
                raise
            self._start_anew()
            return self._connection.execute(question, values).fetchall()

    # -- asking -------------------------------------------------------------------------------------------------------

    def count(self, wanted: Filter = _NOTHING) -> int:
        """How many runs there are."""
        where, values = self._where(wanted, with_words=True)
        return int(self._ask(f"SELECT count(*) FROM runs JOIN journals USING (run) WHERE {where}", values)[0][0])

    def runs(
        self, wanted: Filter = _NOTHING, limit: int | None = None, skip: int = 0, order_by: str = "time"
    ) -> list[ListedRun]:
        """Runs, newest first or in another of `ORDERS`, those that are live before all others.

        Words are looked for in what is listed.
        """
        where, values = self._where(wanted, with_words=True)
        order = f"ORDER BY run IN ({self._live_list}) DESC, {ORDERS[order_by]} LIMIT ? OFFSET ?"
        return self._runs(f"{where} {order}", [*values, -1 if limit is None else limit, skip])

    def run(self, run_id: str) -> ListedRun:
        """The run of that id. ConfigError if there is none."""
        found = self._runs("run_id = ?", [run_id])
        if not found:
            raise ConfigError(f"There is no run {run_id!r}.", hint="See `maverick runs list`.")
        return found[0]

    def turns(self, run_id: str) -> list[Turn]:
        """The turns of a run, in their order; a session of Claude Code is read for them if it has not been yet."""
        self.read_sessions(only=run_id)
        columns = ", ".join(TURN)
        rows = self._ask(
            f"SELECT {columns} FROM turns JOIN journals USING (run) WHERE run_id = ? ORDER BY number", [run_id]
        )
        turns = [Turn(*row) for row in rows]
        for turn in turns:
            turn.is_estimate = bool(turn.is_estimate)
        return turns

    def taken(self, only: str = "") -> list[tuple[str, float | None, float]]:
        """What each of our runs that has ended has cost, and how many seconds its turns took, with its agent; the last
        first. Of all agents, or of `only` one.
        """
        where = "source = ? AND turns > 0 AND ended_at IS NOT NULL" + (" AND agent = ?" if only else "")
        return self._ask(
            f"SELECT agent, cost_usd, worked FROM runs JOIN journals USING (run) WHERE {where} ORDER BY {_NEWEST}",
            [OURS, *([_utf8(only)] if only else [])],
        )

    def prompts(self, words: Sequence[str] = (), limit: int = 200) -> list[PastPrompt]:
        """What was asked in any run, newest first and each text once, with all these words in it."""
        return find_prompts(self._ask, [_utf8(word) for word in words], limit)

    def whole_prompt(self, prompt: PastPrompt) -> str:
        """All of a prompt that was found, of which only the beginning is listed."""
        return whole_prompt(self._ask, prompt)

    def last_words(self, run_id: str) -> str:
        """The end of what was answered last; empty if nothing was, or it is a session that is still to be read."""
        rows = self._ask(
            "SELECT text FROM journals JOIN texts ON texts.rowid >= run << :shift AND texts.rowid < (run + 1) << :shift"
            " WHERE run_id = :run_id AND kind = 'answer' ORDER BY texts.rowid DESC LIMIT 1",
            {"shift": RUN_SHIFT, "run_id": run_id},
        )
        return str(rows[0][0]) if rows else ""

    def totals(self, wanted: Filter = _NOTHING) -> Totals:
        """What the runs have used, by day, agent and model."""
        where, values = self._where(wanted, with_words=True)
        runs = f"SELECT runs.run FROM runs JOIN journals USING (run) WHERE {where}"
        since = wanted.since or 0.0
        totals = Totals.of(
            self._ask(OF_DAYS.format(runs=runs), [*values, *values, *values, since]),
            self._ask(OF_RUNS.format(runs=runs), values),
            self._ask(OF_MODELS.format(runs=runs), values),
        )
        totals.unread = int(
            self._ask(f"SELECT count(*) FROM runs WHERE run IN ({runs}) AND {_IS_UNREAD}", values)[0][0]
        )
        return totals

    def search(self, wanted: Filter, limit: int = 20) -> list[Hit]:
        """Where the words were said or done, the best places first, of those of a frequent word the latest.

        ConfigError if there are no words.
        """
        expression = match_expression(wanted.words, goes_on=wanted.goes_on)
        if not expression:
            raise ConfigError("There is no word to search for.", hint="Write what was said or done.")
        where, values = self._where(wanted, with_words=False)
        runs = f" AND rowid >> {RUN_SHIFT} IN (SELECT run FROM runs WHERE {where})" if where != "1" else ""
        asked = _utf8(expression)
        best = self._ask(
            "SELECT rowid FROM (SELECT rowid, bm25(texts) AS worth FROM texts WHERE texts MATCH ?"
            f"{runs} ORDER BY rowid DESC LIMIT {_RANKED}) ORDER BY worth, rowid DESC LIMIT ?",
            [asked, *values, limit],
        )
        if not best:
            return []
        wanted_rows = [row for (row,) in best]
        # With the plus, the matches between the first and the last are gone through once, and not once for each.
        rows = self._ask(
            f"WITH found AS (SELECT rowid AS row, rowid >> {RUN_SHIFT} AS run, {_NUMBER} AS number, kind,"
            f" snippet(texts, 0, char(2), char(3), '…', {_SNIPPET}) AS snippet FROM texts"
            f" WHERE texts MATCH ? AND rowid BETWEEN ? AND ? AND +rowid IN ({', '.join(map(str, wanted_rows))}))"
            " SELECT row, run_id, number, (SELECT turn FROM turns WHERE turns.run = found.run AND turns.number <="
            " found.number ORDER BY turns.number DESC LIMIT 1), kind, snippet"
            " FROM found JOIN journals ON journals.run = found.run",
            [asked, min(wanted_rows), max(wanted_rows)],
        )
        hits = {
            row: Hit(run_id, number, turn, kind, _parts(snippet)) for row, run_id, number, turn, kind, snippet in rows
        }
        return [hits[row] for row in wanted_rows if row in hits]

    def end_of(self, run_id: str, least: int = 1_000) -> Reading:
        """At least so many of a run's last events, from a place on where they can be understood."""
        return self._read_from(run_id, "number <= runs.events - ?", least)

    def around(self, run_id: str, number: int, beyond: int | None = None) -> Reading:
        """The events of a run from shortly before one of them on: to the end, or so many beyond it."""
        return self._read_from(run_id, "number <= ?", number, None if beyond is None else number + beyond)

    def _read_from(self, run_id: str, condition: str, value: int, until: int | None = None) -> Reading:
        path = journal_of(run_id)
        if not path.exists():
            return read_run(run_id)
        rows = self._ask(
            "SELECT places.number, offset FROM places JOIN runs USING (run) JOIN journals USING (run)"
            f" WHERE run_id = ? AND places.{condition} ORDER BY places.number DESC LIMIT 1",
            [run_id, value],
        )
        number, offset = rows[0] if rows else (0, 0)
        reading = read_journal(path, offset, number, until)
        if reading.problem and offset:  # the journal is not the one that the index knows
            return read_journal(path)
        return reading

    def _runs(self, condition: str, values: Sequence[Any]) -> list[ListedRun]:
        columns = ", ".join(SUMMARY)
        rows = self._ask(
            f"SELECT run_id, {self._state}, name, tags, (SELECT json_group_array(path) FROM files WHERE"
            f" files.run = runs.run), size, source, file, {_COPIED}, {columns} FROM runs JOIN journals USING (run)"
            f" WHERE {condition}",
            values,
        )
        return [
            ListedRun(run_id, state, name, _tuple(tags), _tuple(files), size, Summary(*about), source, file, copied)
            for run_id, state, name, tags, files, size, source, file, copied, *about in rows
        ]

    @property
    def _live_list(self) -> str:
        return ", ".join(map(str, self._live))

    @property
    def _state(self) -> str:
        return (
            f"CASE WHEN runs.run IN ({self._live_list}) THEN 'running' WHEN ended_at IS NULL THEN 'interrupted'"
            f" WHEN {_IS_UNREAD} THEN '{UNREAD}' ELSE outcome END"
        )

    def _where(self, wanted: Filter, *, with_words: bool) -> tuple[str, list[Any]]:
        """A condition on runs, and the values in it."""
        like = "LIKE ? ESCAPE '\\'"
        tests: list[tuple[str, Any]] = []
        if wanted.agent:
            tests.append((f"agent {like}", _within(wanted.agent)))
        if wanted.repo:
            tests.append((f"CASE repository WHEN '' THEN folder ELSE repository END {like}", _within(wanted.repo)))
        if wanted.state:
            tests.append((f"{self._state} = ?", wanted.state))
        if wanted.since is not None:
            tests.append(("last_at >= ?", wanted.since))
        if wanted.tag:
            tests.append(("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)", wanted.tag))
        if wanted.source:
            source = "(SELECT source FROM journals WHERE journals.run = runs.run)"  # a search has no other table
            tests.append((f"{source} = ?", wanted.source))
        if with_words:
            listed = "name || ' ' || first_prompt || ' ' || agent || ' ' || folder || ' ' || branch || ' ' || tags"
            tests += [(f"{listed} {like}", _within(word)) for word in wanted.words]
        return " AND ".join(test for test, _ in tests) or "1", [_utf8(value) for _, value in tests]


def _within(text: str) -> str:
    """A pattern for what contains the text."""
    return "%" + re.sub(r"([\\%_])", r"\\\1", text) + "%"


def _utf8(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _tuple(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _parts(snippet: str) -> tuple[str, ...]:
    """What is before, in and after each match, by turns."""
    parts, is_match = [""], False
    for part in _MARK.split(snippet):
        if part in (_OPENS, _CLOSES):
            if is_match != (part == _OPENS):
                is_match = part == _OPENS
                parts.append("")
        else:
            parts[-1] += part
    flat = ["".join(" " if character.isspace() else character for character in part) for part in parts]
    return tuple(one_line(f"|{part}|")[1:-1] for part in flat)
