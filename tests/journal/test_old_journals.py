"""A journal of each schema that there has ever been can be read, for nobody's past is lost by an update."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.events.kinds import SCHEMA, BlockGrew, RunEnded, RunStarted
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.store import RunStore

KEPT = Path(__file__).parent / "kept"
TOLD = {1: (53, "Then password: hunting for it is done.")}
"""How many events the journal of each schema holds, and what its last block says. Journals in `kept` never change."""


@pytest.mark.parametrize("schema", range(1, SCHEMA + 1))
def test_what_was_kept_then_can_be_read(schema: int) -> None:
    reading = read_journal(KEPT / f"schema-{schema}.jsonl")
    count, said = TOLD[schema]
    assert not reading.problem
    assert isinstance(reading.events[0], RunStarted)
    assert isinstance(reading.events[-1], RunEnded)
    assert len(reading.events) == count
    grown = [event for event in reading.events if isinstance(event, BlockGrew)]
    assert "".join(event.text for event in grown if event.block == grown[-1].block) == said
    store = RunStore()
    for event in reading.events:
        store.apply(event)
    assert store.is_ended
    assert store.entries
