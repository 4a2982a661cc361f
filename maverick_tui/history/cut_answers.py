"""Counts what answers had written when the process of their run was killed: nobody will report it, but it is paid for.

Of a run that is at work it is not counted here: it reports it soon. And to know a price takes as long as to list a
thousand runs.
"""

from __future__ import annotations

import sqlite3

from maverick_tui.agent.engine.prices import list_price
from maverick_tui.history.database import writing
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.usage import Usage


def count_cut_answers(connection: sqlite3.Connection, source: str) -> int:
    """Count them, each once; how many that were. If the run goes on, its journal tells the same, and is read again."""
    asked = "SELECT run, run_id, model, unreported FROM runs JOIN journals USING (run) WHERE unreported AND source = ?"
    cut = [row for row in connection.execute(asked, (source,)).fetchall() if not is_alive(journal_of(row[1]))]
    for run, _, model, tokens in cut:
        cost = list_price(model, Usage(output_tokens=tokens)) or 0.0
        with writing(connection):
            connection.execute(
                "UPDATE runs SET output_tokens = output_tokens + unreported, cost_usd = cost_usd + ?,"
                " is_estimate = cost_usd IS NOT NULL, unreported = 0 WHERE run = ? AND unreported = ?",
                (cost, run, tokens),  # unless somebody else has counted it, or has read on, meanwhile
            )
    return len(cut)
