"""The benchmark of kept runs measures journals that are like real ones."""

from __future__ import annotations

import pytest

from maverick_tui.events.kinds import BlockGrew
from maverick_tui.history import opening as history_opening
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.index import RunIndex
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.ui.replay.recording import read_recording
from tests.bench import opening, replay
from tests.bench.claude_sessions import write_session
from tests.bench.history import FRAME, NEEDLE, Words, write_run


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


def test_its_sessions_are_read_like_any_other() -> None:
    write_session(100, Words(1))
    with RunIndex() as index:
        assert index.read_sessions() == 1
        assert index.runs()[0].about.turns == 3
        assert index.search(parse_filter(NEEDLE))


@pytest.mark.explore  # `history/test_opening.py` reads one in parts
async def test_a_long_run_is_shown_before_all_of_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_opening, "_SMALL", 0)
    made = write_run(opening.RUN, 3_000, Words(1), 1_790_000_000.0)
    for number in (None, made // 2):
        times = await opening.opened(number)
        assert 0 < times.first < times.whole


@pytest.mark.explore  # `ui/replay` shows how runs play again
async def test_a_long_run_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "ROUNDS", 2)
    monkeypatch.setattr(replay, "DRAGGED", 2)
    write_run(replay.RUN, 900, Words(1), 1_790_000_000.0)
    figures = await replay.replayed("it", read_recording(replay.RUN))
    assert [figure.value > 0 for figure in figures] == [True] * 3
