"""The mouse on a transcript: folding, selecting, copying, scrolling."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from maverick_tui.events import kinds as ev
from tests.support.runs import PARAGRAPH, Tape
from tests.ui.transcript.host import TranscriptApp, opened
from tests.ui.waiting import until

WORDS = " ".join(f"word{number}" for number in range(40))


def find(app: TranscriptApp, text: str) -> tuple[int, int]:
    """Where the text is in view; the transcript fills the screen."""
    for y, row in enumerate(app.view):
        if text in row:
            return row.index(text), y
    raise AssertionError(f"{text!r} is not in view:\n" + "\n".join(app.view))


async def drag(pilot: Pilot[Any], start: tuple[int, int], end: tuple[int, int]) -> None:
    """Press at one place, move and release at another."""
    await pilot.mouse_down(offset=start)
    await pilot.hover(offset=end)
    await pilot.mouse_up(offset=end)
    await pilot.pause()


# -- clicks --------------------------------------------------------------------------------------------------------


async def test_a_click_on_a_call_opens_and_closes_it() -> None:
    run = Tape().connect().prompt("Look").tool("Bash", {"command": "ls"}, "a\nb").say("Done.").done()
    async with opened(run) as (app, pilot):
        x, y = find(app, "Bash")
        for column, is_open in ((x, True), (x + 1, False)):  # in one place it would be a double click
            await pilot.click(offset=(column, y))
            assert app.transcript.page.folding.is_expanded(app.store.entries[1]) == is_open


async def test_a_click_on_what_was_opened_does_not_close_it() -> None:
    run = Tape().connect().prompt("Look").tool("Bash", {"command": "ls"}, "aaa\nbbb").done()
    async with opened(run, verbosity="full") as (app, pilot):
        await pilot.click(offset=find(app, "aaa"))
        assert app.transcript.page.folding.is_expanded(app.store.entries[1])
        assert app.transcript.page.chosen == app.store.entries[1].number


async def test_a_click_on_a_thought_and_on_what_the_agent_sent() -> None:
    run = Tape().connect().prompt("Look").put(ev.PromptSent(0, 1, "You are to look.\nNow.")).think("Hm.\nAha.").done()
    async with opened(run) as (app, pilot):
        await pilot.click(offset=find(app, "thought for"))
        assert find(app, "┊ Aha.")
        await pilot.click(offset=find(app, "▌ Look"))
        assert not app.transcript.page.folding.is_expanded(app.store.entries[0]), "only its mark opens it"
        await pilot.click(offset=find(app, "the agent sent: You are to look."))
        assert find(app, "▏ Now.")
        await pilot.click(offset=find(app, "▾ the agent sent"))
        assert not app.transcript.page.folding.is_expanded(app.store.entries[0])


async def test_clicks_beside_everything_do_nothing() -> None:
    async with opened(Tape().connect().prompt("Look")) as (app, pilot):
        await pilot.click(offset=(5, 15))
        assert app.transcript.page.chosen is None
    async with opened() as (app, pilot):
        await pilot.click(offset=(5, 5))
        await pilot.click(offset=(5, 5), times=2)
        assert app.transcript.page.chosen is None


async def test_two_clicks_select_a_word_and_three_a_line() -> None:
    run = Tape().connect().prompt("Look").say("See `shop/cart.py:12` (it rounds).\n\nAnd more.").done()
    async with opened(run) as (app, pilot):
        x, y = find(app, "cart.py")
        await pilot.click(offset=(x, y), times=2)
        assert app.screen.get_selected_text() == "shop/cart.py:12"
        await pilot.click(offset=(x, y), times=3)
        assert app.screen.get_selected_text() == "See shop/cart.py:12 (it rounds)."


# -- selecting -----------------------------------------------------------------------------------------------------


async def test_wrapped_text_is_copied_as_one_line_without_the_gutter() -> None:
    async with opened(Tape().connect().prompt("Look").say(WORDS + "\n\nAnother paragraph.").done()) as (app, pilot):
        await drag(pilot, find(app, "word0"), (find(app, "Another")[0] + 6, find(app, "Another")[1]))
        assert app.screen.get_selected_text() == WORDS + "\n\nAnother"
        await pilot.press("y")
        assert app.clipboard == WORDS + "\n\nAnother"
        assert app.screen.get_selected_text() in (None, ""), "it has done its work"


@pytest.mark.parametrize("is_upwards", [False, True])
async def test_a_part_of_a_row(is_upwards: bool) -> None:
    async with opened(Tape().connect().prompt("Look").say("日本語 text **bold** end").done()) as (app, pilot):
        y = find(app, "日本語")[1]
        ends = [(8, y), (8 + 6 + 1 + 3, y)]  # three wide characters, a blank, and "text"
        await drag(pilot, *(reversed(ends) if is_upwards else ends))
        assert app.screen.get_selected_text() == "日本語 text"
        assert [segment.text for segment in app.transcript.page.row(y) if segment.style == _selection(app)]


def _selection(app: TranscriptApp) -> Any:
    palette = app.text_palette()
    return palette.base + palette.selection


async def test_dragging_over_the_gutter_takes_only_the_text() -> None:
    run = Tape().connect().prompt("Look").say("One.").tool("Bash", {"command": "ls"}).say("Two.").done()
    async with opened(run) as (app, pilot):
        await drag(pilot, (0, 0), (79, find(app, "Two.")[1]))
        lines = app.screen.get_selected_text()
        assert lines is not None
        assert lines.splitlines()[0] == "Look"
        assert lines.splitlines()[2] == "One."
        assert lines.splitlines()[-1] == "Two."
        assert "09:46" not in lines


async def test_a_drag_does_not_fold() -> None:
    run = Tape().connect().prompt("Look").tool("Bash", {"command": "ls"}, "a").done()
    async with opened(run) as (app, pilot):
        x, y = find(app, "Bash")
        await drag(pilot, (x, y), (x + 8, y))
        assert not app.transcript.page.folding.is_expanded(app.store.entries[1])
        assert app.screen.get_selected_text() == "Bash  ls"


async def test_a_selection_stays_on_its_text_while_more_comes_above_and_below() -> None:
    run = Tape().connect().prompt("Look")
    agent = run.call("Agent", {"description": "look", "prompt": "Look"})
    run.say("The answer.")
    async with opened(run) as (app, pilot):
        x, y = find(app, "The answer.")
        await drag(pilot, (x, y), (x + 10, y))
        app.tell(run.say("inside", parent=agent).say("And more."))
        app.draw()
        assert find(app, "The answer.")[1] == y + 2
        assert app.screen.get_selected_text() == "The answer."


async def test_folding_and_resizing_end_a_selection() -> None:
    run = Tape().connect().prompt("Look").tool("Bash", {"command": "ls"}, "a").say("The answer.").done()
    async with opened(run) as (app, pilot):
        for does in ("fold", "restyle"):
            x, y = find(app, "The answer.")
            await drag(pilot, (x, y), (x + 10, y))
            assert app.screen.get_selected_text() == "The answer."
            if does == "fold":
                app.transcript.toggle(app.store.entries[1])
            else:
                app.transcript.restyle()
            await pilot.pause()
            assert not app.screen.get_selected_text()


async def test_escape_clears_a_selection() -> None:
    async with opened(Tape().connect().prompt("Look").say("The answer.").done()) as (app, pilot):
        x, y = find(app, "The answer.")
        await drag(pilot, (x, y), (x + 10, y))
        await pilot.press("escape")
        assert not app.screen.get_selected_text()


# -- the wheel -----------------------------------------------------------------------------------------------------


async def test_the_wheel_scrolls_away_from_the_end_and_back_to_it() -> None:
    async with opened(Tape().connect().prompt("Look").say(PARAGRAPH * 20), size=(80, 12)) as (app, pilot):
        view, last = app.transcript, app.transcript.scroll_offset.y

        def turn(kind: type[events.MouseEvent]) -> None:
            app.post_message(kind(None, 5, 5, 0, 0, 0, False, False, False, 5, 5))

        turn(events.MouseScrollUp)
        await until(pilot, lambda: view.scroll_offset.y < last, "up")
        assert not view.viewport.is_following
        for _ in range(20):
            turn(events.MouseScrollDown)
        await until(pilot, lambda: view.viewport.is_following, "down")
