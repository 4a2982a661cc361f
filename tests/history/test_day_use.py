"""What other runs have used today, out of their journals."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.history.day_use import DayLedger
from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.fuse_count import Used
from tests.history.kept import begun, ended, keep, lines, turn


def test_the_runs_of_today_count_as_soon_as_they_tell_it() -> None:
    now = time.time()
    keep("000000000001", [*begun("000000000001", now), *turn(at=now)])
    keep("000000000002", [*begun("000000000002", now, agent="planner"), *turn(at=now), *ended(now)])
    keep("000000000003", [*begun("000000000003", now - 9e4), *turn(at=now - 9e4), *ended(now - 9e4)])
    keep("000000000004", [*begun("000000000004", now), *turn(at=now)])
    ledger = DayLedger("000000000004")
    both, one = ledger.used_today("", now), ledger.used_today("planner", now)
    assert (both.usd, both.tokens, one.usd) == (0.5, 30, 0.25), "neither its own nor those of yesterday"
    assert round(one.minutes * 60) == 2
    with journal_of("000000000001").open("ab") as journal:
        journal.write(lines([*begun(at=now), *turn(2, at=now)])[len(lines(begun(at=now))) :] + b'{"seq":')
    assert ledger.used_today("", now).usd == 0.75
    assert ledger.used_today("nobody", now) == Used()


def test_what_has_told_nothing_new_is_not_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    for run_id in ("000000000001", "000000000002"):
        keep(run_id, [*begun(run_id, now), *turn(at=now)])
    ledger = DayLedger("000000000004")
    opened: list[str] = []
    really = Path.open

    def noted(path: Path, *how: Any) -> Any:
        opened.append(path.parent.name)
        return really(path, *how)

    monkeypatch.setattr(Path, "open", noted)
    before = ledger.used_today("", now)
    assert sorted(opened) == ["000000000001", "000000000002"]
    with really(journal_of("000000000002"), "ab") as journal:
        journal.write(lines([*begun(at=now), *turn(2, at=now)])[len(lines(begun(at=now))) :])
    opened.clear()
    assert ledger.used_today("", now).usd > before.usd
    assert opened == ["000000000002"]
