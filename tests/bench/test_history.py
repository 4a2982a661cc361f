"""The benchmark of kept runs measures journals that are like real ones."""

from __future__ import annotations

from maverick_tui.events.kinds import BlockGrew
from maverick_tui.history.index import RunIndex
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from tests.bench.history import FRAME, Words, write_run


def test_its_journals_are_read_like_any_other() -> None:
    run_id = "5a1100000000"
    made = write_run(run_id, 900, Words(1), 1_790_000_000.0)
    reading = read_journal(journal_of(run_id))
    assert (len(reading.events), reading.problem) == (made, "")
    lines = journal_of(run_id).read_text().count("\n")
    assert made / FRAME < lines < made
    assert sum(isinstance(event, BlockGrew) for event in reading.events) > made / 2
    with RunIndex() as index:
        assert index.run(run_id).about.events == made
