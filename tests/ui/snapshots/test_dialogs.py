"""What opens above a run."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui.runs.board import Attachment
from tests.support.sampling import sampled
from tests.ui.snapshots import tapes
from tests.ui.snapshots.conftest import RunShot
from tests.ui.snapshots.story import NARROW, WIDE, StoryApp

at_both_sizes = pytest.mark.parametrize("size", sampled([(NARROW,), (WIDE,)], 2, ["80x24", "120x40"]))


@at_both_sizes
def test_help(run_shot: RunShot, size: tuple[int, int]) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        await pilot.press("f1")

    assert run_shot(tapes.repaired(), size, ask)


@at_both_sizes
def test_quit_while_it_runs(run_shot: RunShot, size: tuple[int, int]) -> None:
    async def leave(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+q")

    assert run_shot(tapes.repaired(), size, leave)


def test_quit_while_it_could_go_on(run_shot: RunShot) -> None:
    async def heard() -> None:
        pytest.fail("nobody has left")

    async def leave(pilot: Pilot[Any]) -> None:
        assert isinstance(pilot.app, StoryApp)
        pilot.app.first.attached = Attachment(lambda: None, heard)
        pilot.app.first.has_journal = True
        await pilot.press("ctrl+q")

    assert run_shot(tapes.repaired(), NARROW, leave)


def test_what_is_to_stop(run_shot: RunShot) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        await pilot.press("alt+s")

    tape = tapes.repaired()
    tape.call("Bash", {"command": "pytest -q tests/shop"}, seconds=2)
    assert run_shot(tape, NARROW, ask)
