"""Killed at any moment, an application leaves a journal with all that was on the screen, and no process."""

from __future__ import annotations

import os
import random
import re
import signal
import time

import pytest

from maverick_tui.events.kinds import BlockGrew, RunEnded
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.index import RunIndex
from maverick_tui.journal.folders import is_alive, journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from tests.support.processes import wait_until_gone
from tests.support.sampling import sampled
from tests.terminal.conftest import Maverick

pytestmark = pytest.mark.slow

WORDS = [f"w{number:05}" for number in range(20_000)]
ANSWER = {"steps": [" ".join(WORDS)], "pace": {"tokens_per_second": 200}}
ON_SCREEN = 0.1
"""Seconds for which a word was on the screen: what was there longer is kept."""
_WORD = re.compile(r"w\d{5}")


@pytest.mark.parametrize("seed", sampled(range(200), 200))
def test_killed_at_any_moment_it_has_kept_what_was_on_the_screen(
    maverick: Maverick, handyman: str, mark: str, seed: int
) -> None:
    app = maverick("--agent", handyman, "--prompt", "go", scenes=[{"answers": [ANSWER]}], is_ours=True)
    app.see(WORDS[0])
    seen: list[tuple[float, str]] = []
    end = time.monotonic() + random.Random(seed).uniform(0.0, 2.0)
    while time.monotonic() < end or not seen:
        if shown := _WORD.findall(app.look().text):
            seen.append((time.monotonic(), max(shown)))
        time.sleep(0.01)
    killed = time.monotonic()
    os.kill(app.pid, signal.SIGKILL)
    assert app.wait() == -signal.SIGKILL
    assert wait_until_gone(mark, 60.0) == {}
    (run_id,) = kept_runs()
    reading = read_journal(journal_of(run_id))
    assert not reading.problem
    assert not isinstance(reading.events[-1], RunEnded)
    assert not is_alive(journal_of(run_id))
    kept = _WORD.findall("".join(event.text for event in reading.events if isinstance(event, BlockGrew)))
    assert kept == WORDS[: len(kept)]
    assert max((word for at, word in seen if at < killed - ON_SCREEN), default=WORDS[0]) <= kept[-1]
    with RunIndex() as index:
        run = index.run(run_id)
        assert (run.state, run.about.events) == ("interrupted", len(reading.events))
        assert [hit.kind for hit in index.search(parse_filter(kept[-1]))] == ["answer"]
