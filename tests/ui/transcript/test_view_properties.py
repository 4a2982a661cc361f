"""The transcript under any run and any person: what is drawn bit by bit is what would be drawn at once."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from maverick_tui.events.kinds import Event
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.preferences import VERBOSITIES
from maverick_tui.ui.transcript import frames
from maverick_tui.ui.transcript.folding import Folding
from maverick_tui.ui.transcript.page import Page
from maverick_tui.ui.transcript.view import Transcript
from tests.runs.test_store_properties import ANY_EVENT
from tests.support.sampling import examples
from tests.ui.transcript.anything import AnyRun
from tests.ui.transcript.host import TranscriptApp, all_rows, draw_all, opened, shown

EXAMPLES = settings(deadline=None, max_examples=examples(8, 15))
SIZES = [(34, 8), (80, 24), (120, 40)]
DOES = ["nothing", "draw", "draw a bit", "look", "fold", "scroll", "find", "choose", "show more"]


def renew(transcript: Transcript, store: RunStore, like: Folding | None = None) -> None:
    """Let a transcript begin with another store, as if it were a new one; hundreds of applications would take long."""
    verbosity = like.verbosity if like else "normal"
    transcript._read(Page(store, transcript.page._palette, transcript.page.keys, verbosity, transcript.page._clock))
    transcript.page.folding._chosen = dict(like._chosen) if like else {}
    transcript.page.marks_chosen = transcript.has_focus
    transcript.shown.move_to(0)
    transcript.restyle()


def drawn_at_once(app: TranscriptApp, events: Sequence[Event], like: Folding) -> list[str]:
    """The rows of a transcript that has all events before it draws anything."""
    store = RunStore()
    for event in events:
        store.apply(event)
    renew(app.transcript, store, like)
    draw_all(app.transcript)
    return all_rows(app.transcript)


@pytest.mark.parametrize("size", SIZES)
async def test_rows_are_those_of_a_drawing_at_once(size: tuple[int, int]) -> None:
    async with opened(size=size) as (app, _):

        @EXAMPLES
        @given(data=st.data())
        def check(data: st.DataObject) -> None:
            run, told, transcript = AnyRun(data.draw), [], app.transcript
            app.now = run.at + 10_000
            renew(transcript, RunStore())
            for step in range(data.draw(st.integers(1, 25))):
                events = run.next() if step else run.begin()
                told += events
                for event in events:
                    note(repr(event))
                    transcript.page.store.apply(event)
                do(transcript, data)
            draw_all(transcript)
            transcript.page.chosen = None
            rows = all_rows(transcript)
            assert rows == drawn_at_once(app, told, transcript.page.folding)

        check()


def do(transcript: Transcript, data: st.DataObject) -> None:
    """What a person, or the clock, may do at any moment."""
    what, entries = data.draw(st.sampled_from(DOES)), transcript.page.store.entries
    if what == "draw":
        draw_all(transcript)
    elif what == "draw a bit":
        budget, frames.BUDGET = frames.BUDGET, 0.0
        transcript.shown.frames.draw()
        frames.BUDGET = budget
    elif what == "look":
        assert len(shown(transcript)) == transcript.size.height
        if (page := transcript.page).is_ready:
            lines = range(transcript.shown.top_line, transcript.shown.top_line + transcript.size.height)
            assert page.rows(lines.start, len(lines)) == [page.row(line) for line in lines]
    elif what == "fold" and entries:
        transcript.toggle(data.draw(st.sampled_from(entries)))
    elif what == "choose":
        transcript.action_entry(data.draw(st.sampled_from([-1, 1])))
    elif what == "scroll":
        transcript.scroll_to_line(data.draw(st.integers(0, 60)))
    elif what == "find":
        transcript.find(data.draw(st.sampled_from(["", "one", "界", "line"])))
        transcript.action_match(1)
    elif what == "show more":
        transcript.set_verbosity(data.draw(st.sampled_from(VERBOSITIES)))


async def test_no_event_stops_the_drawing() -> None:
    async with opened(size=(60, 16)) as (app, _):

        @EXAMPLES
        @given(st.lists(ANY_EVENT, max_size=30))
        def check(events: list[Event]) -> None:
            renew(app.transcript, RunStore())
            for event in events:
                app.transcript.page.store.apply(event)
                app.transcript.shown.frames.draw()
            draw_all(app.transcript)
            rows = all_rows(app.transcript)
            assert rows == drawn_at_once(app, events, app.transcript.page.folding)

        check()
