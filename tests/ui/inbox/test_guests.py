"""Which runs of others are followed while the inbox is open, and what becomes of them."""

from __future__ import annotations

from typing import Any

import pytest

from maverick_tui.host.live import LiveRun
from maverick_tui.runs.board import Attachment, Board, RunModel
from maverick_tui.ui.inbox.guests import AT_ONCE, Guests
from maverick_tui.ui.picker import elsewhere
from tests.ui.running import Kept


def live(run_id: str, phase: str = "asks", machine: str = "") -> LiveRun:
    return LiveRun(run_id, {"phase": phase, "agent": "tester"}, 1.0, has_host=True, machine=machine)


async def heard() -> None:
    """At once."""


async def test_those_that_ask_are_followed_some_at_a_time_and_left_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    board, left, there = Board(lambda *_: None), list[str](), list[tuple[str, str]]()
    ours = RunModel("ours", "", board)
    board.add(ours)
    here = [live("ours"), live("works", "working"), *(live(f"asks{number}") for number in range(AT_ONCE + 2))]

    async def listed(known: Any) -> list[LiveRun]:
        return [run for run in here if run.run_id not in known]

    def attach(run: RunModel) -> None:
        run.connect(Kept())
        run.attached = Attachment(lambda: left.append(run.run_id), heard, known=None)

    def attach_there(run: RunModel, machine: str) -> None:
        there.append((machine, run.run_id))
        attach(run)

    class Workers:
        async def run(self) -> None:
            for work in self.waiting:
                await work

        def __init__(self) -> None:
            self.waiting: list[Any] = []

        def run_worker(self, work: Any, **_: Any) -> None:
            self.waiting.append(work)

    monkeypatch.setattr(elsewhere, "live_elsewhere", listed)
    workers: Any = Workers()
    far = [live("far", machine="gpu"), live("farther", "done", "gpu"), live("asks9", machine="gpu")]
    followed = Guests(
        workers, board, attach=attach, attach_there=attach_there, runs_there=lambda: far, changed=lambda _: None
    )

    def are_read() -> bool:
        return followed.are_read

    assert are_read(), "there are none yet"
    assert not await followed.look(), "there are more"
    assert not are_read()
    assert list(followed.runs) == [f"asks{number}" for number in range(AT_ONCE)]
    for run in followed.runs.values():
        assert run.attached is not None
        run.attached = run.attached._replace(known=3)
    assert await followed.look()
    assert there == [("gpu", "far")]
    assert len(followed.runs) == AT_ONCE + 3

    first = followed.runs["asks0"]
    followed.release(first, board)
    assert board.runs["asks0"] is first
    assert "asks0" not in followed.runs
    followed.leave()
    await workers.run()
    assert sorted(left) == sorted([*(f"asks{number}" for number in range(1, AT_ONCE + 2)), "far"])
    assert not followed.runs
    assert are_read()
