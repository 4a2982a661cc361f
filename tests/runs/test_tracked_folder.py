"""How much of a folder a run's calls have changed, also of a run that goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.git.keeping import KeepingGit
from maverick_tui.masking.redact import MASK
from maverick_tui.runs.calls_at_work import CallsAtWork, Recalled, Work, work_of
from maverick_tui.runs.tracked_folder import Changed, TrackedFolder
from maverick_tui.usage import Usage
from tests.runs.tracked import RUN
from tests.snapshots.folders import project


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    return project(tmp_path / "project")


def test_a_long_past_costs_no_more_questions_than_a_short_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tracked, told = TrackedFolder(folder, RUN, Recalled([], {}, {})), list[ev.SnapshotTaken]()
    for number in range(4):
        (folder / f"{number}.txt").write_text("x\n")
        taken = tracked.take()
        call = f"{number}" if number % 2 else ""
        changed = tracked.add(taken, [Work(call)] if call else [])
        calls = (call,) if call else ()
        told.append(ev.SnapshotTaken(0.0, taken.id, str(tracked.shadow.folder), taken.number, "done", 1, calls))
    assert changed == Changed(2, 2, 0)
    asked, together = [], KeepingGit.together

    def counted(*given: Any, **more: Any) -> list[bytes]:
        asked.append(given)
        return together(*given, **more)

    monkeypatch.setattr(KeepingGit, "together", counted)
    costs = []
    for past in (told[:2], told):
        asked.clear()
        again = TrackedFolder(folder, RUN, Recalled(past, {}, {}))
        costs.append(len(asked))
    assert again.has_begun
    assert again.add(again.take(), []) == Changed(2, 2, 0)
    assert costs[0] == costs[1] <= 3


def test_a_call_whose_file_is_not_known_may_have_written_any(folder: Path) -> None:
    tracked = TrackedFolder(folder, RUN, Recalled([], {}, {}))
    tracked.add(tracked.take(), [])
    for number, name in enumerate(("a\0b", f"{MASK}.txt", 7), 1):
        (folder / f"{number}.txt").write_text("x\n")
        work = work_of("1", "Write", {"file_path": name})
        assert tracked.add(tracked.take(), [work]) == Changed(number, number, 0)
    (folder / "other.txt").write_text("mine\n")
    work = work_of("2", "Write", {"file_path": "1.txt"})
    assert tracked.add(tracked.take(), [work]) == Changed(3, 3, 0)


def test_what_tools_make_anew_is_not_counted(folder: Path) -> None:
    tracked = TrackedFolder(folder, RUN, Recalled([], {}, {}))
    tracked.add(tracked.take(), [])
    (folder / "__pycache__").mkdir()
    for name in ("new.txt", "__pycache__/new.txt"):
        (folder / name).write_text("x\n")
    assert tracked.add(tracked.take(), [Work("1")]) == Changed(1, 1, 0)


def test_with_a_turn_all_ends_but_what_was_launched_to_go_on() -> None:
    calls, turn = CallsAtWork(), ev.TurnEnded(1.0, 1, "interrupted", Usage())
    for agent, inner in (("stopped", "lost"), ("launched", "goes-on")):
        calls.hear(ev.ToolCalled(1.0, agent, "Agent", {}))
        calls.hear(ev.TaskProgressed(1.0, agent, "running"))
        calls.hear(ev.ToolCalled(1.0, inner, "Bash", {}, parent=agent))
        calls.begin(Work(inner))
    calls.hear(ev.ToolFinished(1.0, "launched", "It works in the background."))
    calls.hear(ev.ToolFinished(1.0, "stopped", "Interrupted.", is_error=True))
    calls.begin(Work("cut"))
    assert calls.hear(turn)
    assert (set(calls.going), set(calls.ended)) == ({"goes-on"}, {"lost", "cut"})
    calls.seen(dict(calls.ended))
    assert calls.hear(ev.ToolFinished(1.0, "goes-on", ""))
    assert calls.hear(turn)
    assert (set(calls.going), set(calls.ended)) == (set(), {"goes-on"})
