"""What a person looks at: more or less of a run, what was found, the figures, another run."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
from textual.events import AppBlur, AppFocus, Resize
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from maverick_tui.events import kinds as events
from maverick_tui.git import head
from maverick_tui.runs.store import RunStore
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.widgets.find_bar import FindBar
from maverick_tui.ui.widgets.run_header import RunHeader
from maverick_tui.ui.widgets.status_line import StatusLine
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import Kept, watching
from tests.ui.waiting import until


def worked() -> Tape:
    """A run with something of everything, longer than a screen."""
    tape = Tape().connect().prompt("First question").think("Where does it round?")
    tape.tool("Bash", {"command": "git diff --stat"}, "cart.py | 2 +-\n1 file changed")
    tape.say("\n\n".join(f"Paragraph {number} about the needle in cart {number}." for number in range(1, 30)))
    return tape.done().prompt("Second question").say("A short answer.").done()


def remembered(preferences: Preferences) -> str:
    return preferences.verbosity


# -- more and less --------------------------------------------------------------------------------------------------


async def test_ctrl_o_shows_more_then_less_and_is_remembered() -> None:
    preferences = Preferences()
    async with watching(worked(), size=(100, 80), preferences=preferences) as (app, pilot):
        assert "1 file changed" in app.shown()  # its last line, in the line of the call
        assert "cart.py | 2 +-" not in app.shown()
        await pilot.press("ctrl+o")
        assert remembered(preferences) == "full"
        assert "cart.py | 2 +-" in app.shown()
        assert "Where does it round?" in app.shown()
        await pilot.press("ctrl+o")
        assert remembered(preferences) == "quiet"
        assert "thought" not in app.shown()


async def test_a_chosen_tool_call_opens_and_closes_by_key_and_by_mouse() -> None:
    async with watching(worked(), size=(100, 80)) as (app, pilot):
        await pilot.press("tab", "enter")
        assert "cart.py | 2 +-" in app.shown()
        await pilot.press("enter")
        assert "cart.py | 2 +-" not in app.shown()
        lines = app.shown().splitlines()
        y = next(number for number, line in enumerate(lines) if "git diff --stat" in line)
        await pilot.click(app.run_screen.transcript, offset=(20, y))
        assert "cart.py | 2 +-" in app.shown()


async def test_the_usage_panel_opens_closes_and_agrees_with_the_usage() -> None:
    preferences = Preferences()
    async with watching(worked(), size=(120, 30), preferences=preferences) as (app, pilot):
        panel, line = app.run_screen.query_one(UsagePanel), app.run_screen.query_one(UsageLine)
        assert (panel.display, line.display) == (True, False)
        await until(pilot, lambda: "18,400" in panel.text)  # two turns of 1,200 and 8,000 from the cache
        assert "960" in panel.text
        await pilot.press("ctrl+b")
        assert preferences.is_panel_closed
        assert (panel.display, line.display) == (False, True)
        await pilot.click(UsageLine)
        assert (panel.display, line.display) == (True, False)


async def test_where_there_is_no_room_for_the_panel_nothing_is_remembered_about_it() -> None:
    preferences = Preferences()
    async with watching(worked(), size=(80, 24), preferences=preferences) as (app, pilot):
        await pilot.press("ctrl+b")
        assert not preferences.is_panel_closed
        assert not app.run_screen.has_class("-panel-closed")
        assert any("needs 100 columns" in str(told.message) for told in app._notifications)


# -- moving ---------------------------------------------------------------------------------------------------------


async def test_it_follows_the_end_until_one_scrolls_away_and_then_says_how_much_is_new() -> None:
    tape = worked()
    async with watching(tape) as (app, pilot):
        assert "A short answer." in app.shown()
        await pilot.press("pageup")
        assert "A short answer." not in app.shown()
        before = app.shown()
        app.tell(tape.prompt("Third question").say("One.\n\nTwo.\n\nThree."))
        line = app.run_screen.query_one(StatusLine)
        await until(pilot, lambda: "new line" in line.text)
        assert app.shown() == before
        await pilot.press("ctrl+end")
        assert "Three." in app.shown()
        await until(pilot, lambda: "new line" not in line.text)


async def test_jumping_from_prompt_to_prompt_and_to_the_ends() -> None:
    async with watching(worked()) as (app, pilot):
        await pilot.press("tab", "left_curly_bracket")
        assert "Second question" not in app.shown().splitlines()[0]
        await pilot.press("g")
        assert "First question" in app.shown().splitlines()[0]
        await pilot.press("right_curly_bracket")
        assert "Second question" in app.shown()
        await pilot.press("G")
        assert "A short answer." in app.shown()
        await pilot.press("k", "j", "up", "down", "pageup", "pagedown", "home", "end")
        assert "A short answer." in app.shown()


def called() -> Tape:
    """A call whose output has something to find, and is not shown."""
    tape = Tape().connect().prompt("Go").tool("Bash", {"command": "ls"}, "one\nneedle\ntwo\nthree")
    return tape.say("The answer.").done()


@pytest.mark.explore
@pytest.mark.parametrize(
    ("keys", "focused"),
    sampled([(["ctrl+f"], "Prompt"), (["tab", "ctrl+f"], "Transcript"), (["tab", "slash"], "Transcript")], 2),
)
async def test_who_leaves_find_has_everything_as_it_was(keys: list[str], focused: str) -> None:
    async with watching(called()) as (app, pilot):
        assert "needle" not in app.shown()
        await pilot.press(*keys, *"needle")
        await until(pilot, lambda: "needle" in app.shown(), "the call is opened")
        await pilot.press("enter")
        await until(pilot, lambda: type(app.focused).__name__ == "Transcript")
        await pilot.press("ctrl+f", "escape")
        await until(pilot, lambda: "needle" not in app.shown(), "it is closed again")
        assert type(app.focused).__name__ == focused


async def test_what_the_person_has_opened_stays_open_after_find() -> None:
    async with watching(called()) as (app, pilot):
        await pilot.press("ctrl+f", *"needle")
        await until(pilot, lambda: "needle" in app.shown(), "the call is opened")
        await pilot.press("enter")
        await until(pilot, lambda: type(app.focused).__name__ == "Transcript")
        await pilot.press("o", "o", "escape")
        await until(pilot, lambda: not app.run_screen.query_one(FindBar).has_class("-open"))
        assert "needle" in app.shown()


async def test_another_verbosity_has_the_last_word_over_what_find_has_opened() -> None:
    async with watching(called()) as (app, pilot):
        await pilot.press("ctrl+f", *"needle")
        await until(pilot, lambda: "needle" in app.shown(), "the call is opened")
        await pilot.press("ctrl+o", "escape")
        await until(pilot, lambda: not app.run_screen.query_one(FindBar).has_class("-open"))
        assert "needle" in app.shown(), "in full"


@pytest.mark.explore
async def test_find_begins_where_the_person_is() -> None:
    async with watching(worked()) as (app, pilot):
        await pilot.press("tab", "g", *["j"] * 20)
        seen = app.shown()
        await pilot.press("slash", *"para")
        transcript = app.run_screen.transcript
        await until(pilot, lambda: transcript.page.search.needle == "para")
        number = transcript.page.search.at + 1
        assert f"Paragraph {number} " in seen
        assert f"Paragraph {number - 1} " not in seen, "it is the first in view"
        await pilot.press(*"graph 2")
        await until(pilot, lambda: transcript.page.search.needle == "paragraph 2")
        assert "Paragraph 20 " in app.shown(), "the next one below, though 2 is above"


async def test_the_hint_of_a_key_is_that_of_what_has_the_focus() -> None:
    async with watching(worked()) as (app, pilot):
        for keys, hint in (((), "Enter send"), (("tab",), "Enter open"), (("slash",), "Enter to the match")):
            await pilot.press(*keys)
            await until(pilot, lambda: str(app.run_screen.prompt.border_subtitle).startswith(hint), hint)  # noqa: B023


async def test_find_goes_from_match_to_match() -> None:
    async with watching(worked()) as (app, pilot):
        await pilot.press("ctrl+f", *"paragraph")
        bar = app.run_screen.query_one(FindBar)
        await until(pilot, lambda: "29 of 29" in str(bar.query_one("#find-result").render()))
        assert "Paragraph 29" in app.shown()
        await pilot.press("enter", "n")
        assert app.run_screen.transcript.has_focus
        assert "Paragraph 1 " in app.shown()
        await pilot.press("N")
        assert "Paragraph 29" in app.shown()
        await pilot.press("escape")
        assert not bar.has_class("-open")
        assert app.run_screen.prompt.has_focus
        await pilot.press("tab", "slash", *"nowhere")
        await until(pilot, lambda: "nothing found" in str(bar.query_one("#find-result").render()))
        assert bar.query_one(Input).value == "nowhere"


async def test_copying_the_last_answer_and_a_chosen_entry() -> None:
    async with watching(worked()) as (app, pilot):
        await pilot.press("tab", "Y")
        assert app.clipboard == "A short answer."
        await pilot.press("left_square_bracket", "left_square_bracket", "y")
        assert app.clipboard == "Second question"


async def test_a_selection_is_copied_by_ctrl_c_without_the_gutter() -> None:
    async with watching(worked()) as (app, pilot):
        lines = app.shown().splitlines()
        y = next(number for number, line in enumerate(lines) if "A short answer." in line)
        x = lines[y].index("A short")
        transcript = app.run_screen.transcript
        await pilot.mouse_down(transcript, offset=(0, y))
        await pilot.hover(transcript, offset=(x + 7, y))
        await pilot.mouse_up(transcript, offset=(x + 7, y))
        await pilot.press("ctrl+c")
        assert app.clipboard.startswith("A short")
        assert ":" not in app.clipboard


# -- around the run -------------------------------------------------------------------------------------------------


async def test_help_lists_the_keys_of_this_screen() -> None:
    async with watching(worked()) as (app, pilot):
        await pilot.press("f1")
        assert app.top == "HelpScreen"
        await pilot.press("f1")
        assert app.top == "RunScreen"


async def test_another_agent_and_back_keeps_the_run_and_the_draft() -> None:
    tape = worked()
    async with watching(tape) as (app, pilot):
        await pilot.press(*"draft", "ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen")
        app.tell(tape.prompt("Meanwhile").say("It went on."))
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen" and app.screen.is_mounted)
        await until(pilot, lambda: "It went on." in app.shown())
        assert app.run_screen.prompt.text == "draft"


async def test_two_runs_stand_side_by_side_and_the_header_says_who_waits() -> None:
    async with watching(worked()) as (app, pilot):
        second = app._new_run("explorer")
        app._start(second)
        app.tell(Tape("explorer").connect().prompt("Go").ask("Bash", {"command": "ls"}), second)
        header = app.run_screen.query_one(RunHeader)
        app.run_screen.status_clock.refresh_now()
        assert "1 of 2 runs" in header.text
        assert "⚑ 1 needs you" in header.text
        await pilot.press("ctrl+pagedown")
        await until(pilot, lambda: app.run_screen.run is second and app.run_screen.is_mounted)
        await until(pilot, lambda: "wants permission" in app.shown())
        await pilot.press("ctrl+pageup")
        await until(pilot, lambda: app.run_screen.run is app.run_model)


async def test_ctrl_c_twice_quits_and_a_running_agent_is_asked_about() -> None:
    tape = worked()
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+c")
        assert app.is_running
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app._exit)
    async with watching(worked().prompt("Go on").say("Well", is_open=True)) as (app, pilot):
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        await pilot.press("escape")
        assert app.top == "RunScreen"
        await pilot.press("ctrl+q", "y")
        await until(pilot, lambda: app._exit)


@pytest.mark.parametrize("theme", sampled(["maverick-light", "maverick-ansi", "nord"], 3))
async def test_another_theme_redraws_everything_and_is_remembered(theme: str) -> None:
    preferences = Preferences()
    async with watching(worked(), preferences=preferences) as (app, pilot):
        before = app.shown()
        app.theme = theme
        await until(pilot, lambda: preferences.theme == theme)
        assert app.shown() == before


async def test_what_is_shown_can_be_rebuilt_from_the_events_alone() -> None:
    tape = worked()
    told = [events.event_from_json(_through_json(event)) for event in tape.events]
    async with watching(tape) as (app, _pilot):
        again = RunStore()
        for event in told:
            again.apply(event)
        fresh = [(entry.kind, getattr(entry, "text", "")) for entry in again.entries]
        assert fresh == [(entry.kind, getattr(entry, "text", "")) for entry in app.run_model.store.entries]


def _through_json(event: events.Event) -> dict[str, object]:
    import json

    from maverick_tui.events.wire import to_json

    data: dict[str, object] = json.loads(json.dumps(to_json(event)))
    return data


async def test_it_shrinks_to_almost_nothing_and_comes_back_whole() -> None:
    async with watching(worked(), size=(120, 40)) as (app, pilot):
        before = app.shown()
        await pilot.resize_terminal(20, 5)
        await pilot.pause(0.2)
        await pilot.resize_terminal(120, 40)
        await until(pilot, lambda: app.shown() == before)


async def test_how_many_files_are_changed_is_shown_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "read_checkout", lambda _cwd: head.Checkout("discounts", 3))
    async with watching() as (app, pilot):
        started = Tape()
        loaded = Tape()
        del started.events[1:], loaded.events[0]
        app.tell(started)
        await pilot.pause(0.05)
        app.tell(loaded)
        header = app.run_screen.query_one(RunHeader)
        await until(pilot, lambda: header._branch == "discounts")


async def test_how_many_files_are_changed_is_read_again_by_whoever_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = iter(range(9, 0, -1))
    monkeypatch.setattr(head, "read_checkout", lambda _cwd: head.Checkout("main", next(changed)))
    async with watching(worked()) as (app, pilot):
        header = app.run_screen.query_one(RunHeader)
        await until(pilot, lambda: header._changed > 0)
        before = header._changed
        await app.push_screen(Screen())
        _ = app.pop_screen()
        await until(pilot, lambda: 0 < header._changed < before, "back from another screen")
        before = header._changed
        app.post_message(AppBlur())
        app.post_message(AppFocus())
        await until(pilot, lambda: 0 < header._changed < before, "back from another window")


async def test_it_is_laid_out_once_for_a_size_however_often_that_is_told() -> None:
    async with watching(worked(), size=(100, 30)) as (app, pilot):
        laid_out = Mock()
        app.run_screen.screen_layout_refresh_signal.subscribe(app.run_screen, laid_out)
        app.run_screen.post_message(Resize(app.size, app.size))
        await pilot.pause()
        laid_out.assert_not_called()
        await pilot.resize_terminal(60, 20)
        await until(pilot, lambda: laid_out.called)
        assert app.run_screen.outer_size == (60, 20)


@pytest.mark.explore
@pytest.mark.parametrize("above", [Screen, ModalScreen])
async def test_it_has_the_layout_of_a_size_that_it_was_given_below_another_screen(above: type[Screen[None]]) -> None:
    async with watching(worked(), size=(120, 40)) as (app, pilot):
        panel = app.run_screen.query_one(UsagePanel)
        assert panel.region
        for size, has_panel in (((80, 24), False), ((120, 40), True)):
            await app.push_screen(above())
            await pilot.resize_terminal(*size)
            _ = app.pop_screen()
            await until(pilot, lambda: app.run_screen.outer_size == size)  # noqa: B023
            await until(pilot, lambda: bool(panel.region) is has_panel)  # noqa: B023
            assert app.run_screen.has_class("-wide") is has_panel


async def test_the_place_where_one_reads_is_kept_while_one_looks_at_another_run() -> None:
    tape = Tape().connect().prompt("Go")
    for number in range(12):
        tape.say(f"Paragraph {number}.\n\n" + "It goes on and on. " * 30)
    async with watching(tape) as (app, pilot):
        other = app._new_run("explorer")
        other.connect(Kept())
        app.tell(Tape("explorer").connect().prompt("Else").say("Here.").done(), other)
        await pilot.press("pageup", "pageup")
        first = app.shown().splitlines()[:5]
        place = app.run_screen.transcript.reading_place
        assert place is not None
        await pilot.press("ctrl+pagedown")
        await until(pilot, lambda: app.run_screen.run is other)
        app.tell(tape.say("News, and more of them."))
        await pilot.press("ctrl+pageup")
        await until(
            pilot, lambda: app.run_screen.run is app.run_model and app.run_screen.transcript.reading_place == place
        )
        assert app.shown().splitlines()[:5] == first
        await pilot.press("ctrl+end", "ctrl+pagedown")
        await until(pilot, lambda: app.run_screen.run is other)
        await pilot.press("ctrl+pageup")
        await until(pilot, lambda: app.run_screen.run is app.run_model and "more of them" in app.shown())
