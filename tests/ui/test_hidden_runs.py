"""Runs that are not on the screen: their words wait at their hosts, and nothing of that can be seen."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.strip import Strip

from maverick_tui.events import kinds as ev
from maverick_tui.host import pacing
from maverick_tui.host.lines import ReaderHello
from maverick_tui.host.remote import connected
from maverick_tui.runs.entries import TextEntry
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.run.screen import RunScreen
from tests.host.served_run import RUN, Served
from tests.support.runs import Tape
from tests.ui.test_attached import attached, shown
from tests.ui.waiting import until

WORDS = "Some **words** of an answer, with `code` and a list:\n\n- one\n- two\n\n```python\nprint('héllo 👩‍👧')\n```\n"


@pytest.fixture(autouse=True)
def _for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a host holds back comes by itself after an hour."""
    monkeypatch.setattr(pacing, "HELD", (3600.0, 3600.0))


def cells(app: MaverickApp) -> list[Strip]:
    """The transcript as it stands on the screen."""
    assert isinstance(app.screen, RunScreen)
    transcript = app.screen.transcript
    return transcript.render_lines(transcript.scrollable_content_region.reset_offset)


def begun() -> Tape:
    tape = Tape().connect().prompt("Go").say("The first words. ", is_open=True)
    return more(tape, WORDS)


def more(tape: Tape, text: str) -> Tape:
    """The block that is open grows, three letters at a time."""
    for start in range(0, len(text), 3):
        tape.wait(0.01).put(ev.BlockGrew(round(tape.at, 3), tape._block, text[start : start + 3]))
    return tape


async def leave(app: MaverickApp, run: Served, pilot: Pilot[Any]) -> None:
    """To the picker, until the host knows it: a command that comes after it has arrived."""
    await pilot.press("ctrl+n")
    await until(pilot, lambda: isinstance(app.screen, PickerScreen))
    app.board.runs[RUN].name("Mine")
    await until(pilot, lambda: run.commands)


async def test_who_comes_back_in_the_middle_of_an_answer_sees_each_cell_of_it() -> None:
    tape = begun()
    async with attached(tape) as (run, app, pilot):
        await until(pilot, lambda: "The first words." in shown(app))
        await leave(app, run, pilot)
        past = len(tape.events)
        run.tell(more(tape, f"{WORDS}The middle.\n\n{WORDS}").events[past:])
        streaming = app.board.runs[RUN].store.streaming
        assert isinstance(streaming, TextEntry)
        async with connected(RUN, ReaderHello(past)) as other:
            await other.reader.readline()  # by now it would have come
        await pilot.pause()
        assert "The middle." not in streaming.text
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and "The middle." in shown(app))
        past = len(tape.events)
        run.tell(more(tape, "The end.").events[past:])
        await until(pilot, lambda: "The end." in shown(app), "each word at once, as before")
        left = cells(app)
    async with attached(tape) as (_, app, pilot):
        await until(pilot, lambda: "The end." in shown(app))
        assert cells(app) == left


async def test_a_question_of_a_run_that_is_not_looked_at_is_heard_at_once() -> None:
    tape = begun()
    async with attached(tape) as (run, app, pilot):
        await until(pilot, lambda: "The first words." in shown(app))
        await leave(app, run, pilot)
        past = len(tape.events)
        run.tell(more(tape, WORDS).ask("Bash", {"command": "make"}).events[past:])
        await until(pilot, lambda: any("needs you" in notice.message for notice in app._notifications))
        assert app.board.runs[RUN].store.needs_person
