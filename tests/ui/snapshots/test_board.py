"""The board of all live runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from maverick_tui.runs.board import RunModel
from maverick_tui.ui.board.screen import BoardScreen
from maverick_tui.ui.board.side_by_side import SideBySideScreen
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from tests.support.runs import BEGAN, STREAM_BROKE, Tape
from tests.ui.snapshots.conftest import Shot
from tests.ui.snapshots.story import FOLDER, NARROW, WIDE, Nowhere, StoryApp
from tests.ui.waiting import until

ASKED = ("Review the changes on this branch", "Why is the cart off by one cent?", "Write tests for the invoices")
TODOS = {"todos": [{"content": "Look", "status": "completed"}, {"content": "Mend", "status": "pending"}]}
SAID = "Two things stand out:\n\n1. `Cart.total()` rounds **each line**.\n2. `discount` may be negative.\n"


def _tapes() -> list[Tape]:
    """Some runs, each in another state."""
    tapes = []
    for number in range(8):
        agent = ("reviewer", "explorer", "tester")[number % 3]
        tape = Tape(agent, FOLDER, at=BEGAN - 8 * number - 10).connect().prompt(ASKED[number % 3])
        tape.tool("TodoWrite", TODOS, "ok").say(SAID)
        if number % 2:
            tape.tool("Write", {"file_path": f"{FOLDER}/money.py", "content": "x"}, "ok").use(1_200 * number, 300)
        tape.wait(max(0.0, BEGAN - 1 - tape.at))
        tapes.append(tape)
    tapes[0].ask("Bash", {"command": "git push origin discounts"})
    tapes[1].call("Bash", {"command": "make test ARGS='-n 4 tests/shop'"})
    tapes[2].think("The rounding", is_open=True)
    tapes[3].done()
    tapes[4].done("failed", failure=STREAM_BROKE)
    tapes[5].say("I will now", is_open=True)
    tapes[6].done("interrupted")
    return tapes


def _board() -> StoryApp:
    preferences = Preferences()
    preferences.change(theme="maverick-dark")
    return StoryApp(Launch(Path(FOLDER)), preferences)


async def _to_board(pilot: Pilot[Any], *keys: str) -> None:
    app = pilot.app
    assert isinstance(app, StoryApp)
    for number, tape in enumerate(_tapes()):
        run = RunModel(f"{number:012x}", tape.agent, app.board)
        app.board.add(run)
        run.connect(Nowhere())
        app.play(run, tape.events)
    app.now = BEGAN + 2
    app.clear_notifications()
    await pilot.press("ctrl+s")
    await until(pilot, lambda: isinstance(app.screen, BoardScreen) and app.screen.focused, "the board is there")
    screen: Any = app.screen
    await until(pilot, lambda: len(screen.rows.cards) == 8, "the runs are listed")
    await pilot.press(*keys)
    # It goes on asking other processes, of which there are none.
    app.workers.cancel_group(screen, "looking")


def test_rows(shot: Shot) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await _to_board(pilot, "down", "insert")

    assert shot(_board(), NARROW, drive)


def test_rows_and_a_question(shot: Shot) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await _to_board(pilot, "space")
        screen: Any = pilot.app.screen
        pane = screen._peeking.questions
        await until(pilot, lambda: pane.display and pane.transcript.shown.changes.are_drawn, "its question is shown")

    assert shot(_board(), WIDE, drive)


def test_side_by_side(shot: Shot) -> None:
    async def drive(pilot: Pilot[Any]) -> None:
        await _to_board(pilot, "insert", "insert", "f4")
        await until(pilot, lambda: isinstance(pilot.app.screen, SideBySideScreen) and pilot.app.screen.focused, "both")
        screen: Any = pilot.app.screen
        pilot.app.clear_notifications()
        await until(pilot, lambda: not screen.query("Toast"), "nothing lies above them")
        await until(
            pilot,
            lambda: all(pane.shown.transcript.shown.changes.are_drawn for pane in screen.panes),
            "their transcripts are drawn",
        )

    assert shot(_board(), WIDE, drive)
