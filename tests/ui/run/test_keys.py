"""Keys and clicks on the screen of a run that are not about questions: leaving, finding, queueing, figures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from textual.app import SystemCommand
from textual.command import CommandList
from textual.events import Key, Paste
from textual.pilot import Pilot
from textual.widgets import Input

from maverick_tui.events import kinds as events
from maverick_tui.runs import commands
from maverick_tui.ui.keys import CommandFinder
from maverick_tui.ui.widgets.find_bar import FindBar
from maverick_tui.ui.widgets.pending import QueueLines
from maverick_tui.ui.widgets.run_header import RunHeader
from maverick_tui.ui.widgets.status_line import StatusLine
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel
from tests.support.runs import STREAM_BROKE, Tape
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until


def begun() -> Tape:
    return Tape().connect().prompt("Go").say("An answer with one needle.\n\nAnd another needle.")


def long() -> Tape:
    return Tape().connect().prompt("Go").say("\n\n".join(f"Paragraph {number}." for number in range(60)))


async def click(app: FedApp, pilot: Pilot[Any], words: str) -> None:
    rows = app.shown().splitlines()
    y = next(number for number, row in enumerate(rows) if words in row)
    assert await pilot.click(app.run_screen.transcript, offset=(rows[y].index(words) + 1, y))
    await pilot.pause()


# -- escape --------------------------------------------------------------------------------------------------------


async def test_escape_leaves_one_thing_after_the_other_before_it_interrupts() -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        screen = app.run_screen
        await pilot.press("ctrl+f", *"needle", "enter", "ctrl+r")
        await click(app, pilot, "And another")
        await pilot.click(screen.transcript, offset=(16, 2), times=2)
        assert screen.get_selected_text()
        for is_selected, is_finding, is_interrupted in [
            (False, True, False),  # the selection
            (False, True, False),  # the reason
            (False, False, False),  # the line to find with
            (False, False, True),
        ]:
            await pilot.press("escape")
            assert bool(screen.get_selected_text()) == is_selected
            assert screen.query_one(FindBar).has_class("-open") == is_finding
            assert (commands.Interrupt() in app.kept.take()) == is_interrupted


async def test_escape_takes_back_what_waits_for_a_connection() -> None:
    tape = Tape()
    tape.put(events.Connecting(tape.at)).put(events.PromptQueued(tape.at, "p", "Early"))
    async with watching(tape) as (app, pilot):
        await pilot.press("escape")
        assert app.kept.take() == [commands.Interrupt()]


async def test_an_interrupt_is_on_the_screen_though_text_streams() -> None:
    tape = begun().say("more and more", is_open=True)
    async with watching(tape) as (app, pilot):
        line = app.run_screen.query_one(StatusLine)
        app.tell(tape.put(events.BlockGrew(tape.at, 2, " text")))
        slow = app.run_screen.status_clock.due
        assert slow is not None
        app.tell(tape.put(events.InterruptRequested(tape.at)))
        assert app.run_screen.status_clock.due is not slow, "it does not wait for the next figures"
        await until(pilot, lambda: "interrupting" in line.text)


async def test_the_clock_starts_no_second_round_of_figures() -> None:
    tape = begun().say("more and more", is_open=True)
    async with watching(tape) as (app, _):
        screen = app.run_screen
        app.tell(tape.put(events.BlockGrew(tape.at, 2, " text")))
        due = screen.status_clock.due
        assert due is not None
        screen.tick()
        assert due.cancelled()
        assert screen.status_clock.due is None


# -- finding -------------------------------------------------------------------------------------------------------


async def test_the_line_to_find_with() -> None:
    async with watching(begun()) as (app, pilot):
        search = app.run_screen.transcript.page.search

        def result() -> str:
            return str(app.run_screen.query_one("#find-result").render())

        await pilot.press("ctrl+f", *"needle")
        bar = app.run_screen.query_one(FindBar)
        assert result() == "2 of 2"
        for key, at in (("down", 1), ("down", 2), ("up", 1)):
            await pilot.press(key)
            assert (search.at + 1, result()) == (at, f"{at} of 2")
        await pilot.press("enter", "N")
        assert result() == "2 of 2", "also with keys of the transcript"
        await pilot.press("slash")
        assert bar.query_one(Input).has_focus
        await pilot.press("tab")
        assert app.run_screen.prompt.has_focus
        await pilot.press("ctrl+f", "escape")
        assert (bar.query_one(Input).value, search.needle, result()) == ("", "", "")


async def test_the_keys_from_match_to_match_before_anything_was_to_be_found() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press("tab", "n", "N")
        assert app.run_screen.transcript.has_focus
        assert not app.run_screen.query(FindBar)


async def test_what_comes_while_one_searches_is_found_too() -> None:
    tape = begun()
    async with watching(tape) as (app, pilot):
        await pilot.press("ctrl+f", *"needle", "enter")
        app.tell(tape.say("A third needle."))
        await pilot.press("n")
        assert str(app.run_screen.query_one("#find-result").render()) == "3 of 3"


async def test_find_is_typed_in_a_transcript_only() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press("slash", "e", "i")
        assert app.run_screen.prompt.text == "/ei"


# -- between prompt and transcript ------------------------------------------------------------------------------------


async def test_tab_and_i_and_pages_from_anywhere() -> None:
    async with watching(long()) as (app, pilot):
        screen = app.run_screen
        for key, focused in (("tab", screen.transcript), ("i", screen.prompt), ("tab", screen.transcript)):
            await pilot.press(key)
            assert screen.focused is focused
        await pilot.press("tab")
        last = screen.transcript.scroll_offset.y
        await pilot.press("pageup", "pageup")
        assert screen.transcript.scroll_offset.y < last - 20
        for key, is_following in (("pagedown", False), ("ctrl+end", True)):
            await pilot.press(key)
            assert screen.transcript.viewport.is_following == is_following
        assert screen.prompt.has_focus


async def test_a_click_on_what_is_new_goes_to_it() -> None:
    tape = long()
    async with watching(tape) as (app, pilot):
        await pilot.press("pageup")
        line = app.run_screen.query_one(StatusLine)
        await until(pilot, lambda: "▼ to the end" in line.text)
        app.tell(tape.say("It is new."))
        await until(pilot, lambda: "▼ 2 new lines" in line.text)
        await pilot.click(line, offset=(line.size.width - 3, 0))
        assert app.run_screen.transcript.viewport.is_following
        await until(pilot, lambda: "▼" not in line.text)


async def test_sending_a_prompt_goes_to_the_end() -> None:
    async with watching(long()) as (app, pilot):
        await pilot.press("pageup", *"more", "enter")
        assert app.run_screen.transcript.viewport.is_following


# -- modes and figures -------------------------------------------------------------------------------------------------


async def test_modes_go_round_and_can_be_clicked() -> None:
    tape = Tape(permission_mode="default").connect()
    async with watching(tape) as (app, pilot):
        for mode in ("acceptEdits", "plan", "dontAsk", "default"):
            await pilot.press("shift+tab")
            assert app.kept.take() == [commands.SetMode(mode)]
            app.tell(tape.put(events.ModeChanged(tape.at, mode)))
            await pilot.pause()
            app.run_screen.status_clock.refresh_now()
            assert mode in app.run_screen.query_one(RunHeader).text
        header = app.run_screen.query_one(RunHeader)
        await pilot.click(header, offset=(header.text.index("default") + 2, 0))
        assert app.kept.take() == [commands.SetMode("acceptEdits")]


async def test_a_mode_that_is_none_of_ours_is_followed_by_the_first() -> None:
    async with watching(Tape(permission_mode="bypassPermissions").connect()) as (app, pilot):
        await pilot.press("shift+tab")
        assert app.kept.take() == [commands.SetMode("default")]


async def test_where_nothing_is_to_be_permitted_there_is_no_mode() -> None:
    async with watching(Tape(permission_mode="").connect()) as (app, pilot):
        await pilot.press("shift+tab")
        assert app.kept.take() == []
        assert "default" not in app.run_screen.query_one(RunHeader).text


async def test_the_figures_agree_with_the_usage_to_the_token() -> None:
    tape = Tape().connect().prompt("Go").say("Done.")
    tape.done(input_tokens=12_345, output_tokens=678, cache_read_tokens=90_123, cache_write_tokens=456, cost_usd=1.25)
    async with watching(tape, size=(120, 30)) as (app, pilot):
        panel = app.run_screen.query_one(UsagePanel)
        await until(pilot, lambda: "102,924" in panel.text, "all that it has read")
        for figure in ("678", "90,123", "456", "$1.25"):
            assert figure in panel.text
        await pilot.click(panel)
        assert app.run_screen.query_one(UsageLine).display
        assert app.preferences.is_panel_closed


# -- the queue ---------------------------------------------------------------------------------------------------------


async def test_prompts_that_wait_are_listed_the_last_three_of_them() -> None:
    tape = begun()
    async with watching(tape) as (app, pilot):
        lines = app.run_screen.query_one(QueueLines)
        assert not lines.display
        for number in range(5):
            tape.put(events.PromptQueued(tape.at, f"p{number}", f"[b]Number[/b] {number}\nsecond line"))
        app.tell(tape)
        await until(pilot, lambda: lines.display)
        assert str(lines.render()).splitlines() == [
            "  2 more queued",
            "  queued  [b]Number[/b] 2 second line",
            "  queued  [b]Number[/b] 3 second line",
            "  queued  [b]Number[/b] 4 second line   (Alt+↑ edits, Alt+x drops, Alt+k more)",
        ]
        tape.put(events.PromptQueued(tape.at, "p5", "long " * 40))
        app.tell(tape)
        await until(pilot, lambda: "long" in str(lines.render()))
        for width, end in ((100, "…   (Alt+↑ edits, Alt+x drops, Alt+k more)"), (50, "long…"), (40, "long…")):
            await pilot.resize_terminal(width, 30)
            await until(pilot, lambda columns=width: lines.size.width == columns)  # type: ignore[misc]
            last = str(lines.render()).splitlines()[-1]
            assert last.startswith("  queued  long long")
            assert last.endswith(end)
            assert len(last) <= width
        for number in range(6):
            tape.put(events.PromptDropped(tape.at, f"p{number}"))
        app.tell(tape)
        await until(pilot, lambda: not lines.display)


async def test_taking_back_keeps_what_is_being_typed() -> None:
    tape = begun().put(events.PromptQueued(0.0, "p", "Queued"))
    async with watching(tape) as (app, pilot):
        await pilot.press(*"new", "alt+up")
        assert app.run_screen.prompt.text == "Queued\nnew"


# -- the banner --------------------------------------------------------------------------------------------------------


async def test_what_the_banner_says_about_its_keys_can_be_clicked() -> None:
    async with watching(begun().done("failed", failure=STREAM_BROKE)) as (app, pilot):
        await click(app, pilot, "copy")
        assert app.clipboard == "An answer with one needle.\n\nAnd another needle."
        await click(app, pilot, "details")
        assert app.top == "DetailsScreen"
        await pilot.press("escape")
        await click(app, pilot, "retry")
        await click(app, pilot, "continue from here")
        sent = [one.text for one in app.kept.take() if isinstance(one, commands.SendPrompt)]
        assert sent[0] == "Go"
        assert "Continue" in sent[1]


async def test_a_failure_with_nothing_said_copies_what_went_wrong() -> None:
    tape = Tape().connect().prompt("First").say("An earlier answer.").done().prompt("Second")
    async with watching(tape.done("failed", failure=STREAM_BROKE)) as (app, pilot):
        await pilot.press("f7")
        assert app.clipboard.startswith("The stream broke after 24 messages")
        await pilot.press("f5")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)
        assert sent.text == "Second"


async def test_a_connection_that_is_lost_after_an_answer_does_not_ask_again() -> None:
    tape = begun().done()
    tape.put(events.ConnectFailed(tape.at, STREAM_BROKE))
    async with watching(tape) as (app, pilot):
        assert "F5 connect again" in app.shown()
        await pilot.press("f5")
        assert app.kept.take() == [commands.Reconnect()]


async def test_an_agent_that_failed_on_its_own_prompt_is_tried_with_it_again() -> None:
    tape = Tape(has_own_prompt=True).connect().prompt("").done("failed", failure=STREAM_BROKE)
    async with watching(tape) as (app, pilot):
        await pilot.press("f5")
        (sent,) = app.kept.take()
        assert isinstance(sent, commands.SendPrompt)
        assert sent.text == ""


# -- hints -------------------------------------------------------------------------------------------------------------


async def test_the_prompt_says_what_its_keys_do_now() -> None:
    tape = Tape().connect()
    async with watching(tape) as (app, pilot):

        def hint() -> str:
            return str(app.run_screen.prompt.border_subtitle)

        await until(pilot, lambda: hint() == "Enter send   ^j new line   F1 help")
        app.tell(tape.prompt("Go"))
        await until(pilot, lambda: hint() == "Enter queue   Esc interrupt")
        app.tell(tape.ask("AskUserQuestion", {"questions": []}))
        await until(pilot, lambda: hint() == "Enter answer   Esc interrupt")
    async with watching(Tape(has_own_prompt=True).connect()) as (app, pilot):
        await until(pilot, lambda: str(app.run_screen.prompt.border_subtitle) == "Enter run")


async def test_keys_of_ones_own_act_and_are_named(home: Path) -> None:
    from maverick_tui import paths

    config = paths.user_config() / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    keys = {
        "approval.deny": "f9",
        "run.interrupt": "ctrl+g",
        "run.nonsense": "f3",
        "prompt.send": "left_square_bracket",
    }
    config.write_text("\n".join(["[keys]", *(f'"{name}" = "{key}"' for name, key in keys.items())]))
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        await until(pilot, lambda: "F9 deny" in app.shown(), "the transcript names the new key")
        await until(pilot, lambda: any("run.nonsense" in notice.message for notice in app._notifications))
        await until(pilot, lambda: str(app.run_screen.prompt.border_subtitle) == "[ queue   ^g interrupt")
        await pilot.press("f9")
        (answer,) = app.kept.take()
        assert isinstance(answer, commands.AnswerPermission)
        assert answer.decision == "deny"
        await pilot.press("ctrl+x", "ctrl+g")
        assert app.kept.take() == [commands.Interrupt()]


# -- the editor --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keys", [("f4",), ("tab", "e")])
async def test_without_an_editor_it_says_how_to_set_one(keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.setattr("maverick_tui.ui.editor._ALWAYS_THERE", ())
    async with watching(begun()) as (app, pilot):
        await pilot.press(*keys)
        await until(pilot, lambda: any("$EDITOR" in notice.message for notice in app._notifications))


async def test_a_terminal_that_cannot_be_handed_over_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", sys.executable)
    async with watching(begun()) as (app, pilot):
        await pilot.press("f4")
        await until(pilot, lambda: any("cannot be handed" in notice.message for notice in app._notifications))


# -- little room -------------------------------------------------------------------------------------------------------


@pytest.mark.explore
async def test_a_terminal_of_a_few_columns_shows_what_fits_and_comes_back() -> None:
    async with watching(Tape("reviewer").connect().prompt("Go").say("An answer."), size=(80, 24)) as (app, pilot):
        for width in (1, 2, 3, 4, 80):
            await pilot.resize_terminal(width, 24)
            await until(pilot, lambda: app.screen.size.width == width)  # noqa: B023
            await pilot.press("a", "ctrl+f", "escape", "backspace")
        assert "An answer." in app.shown()


async def test_a_tiny_terminal_has_room_for_the_answer_the_truth_and_the_prompt() -> None:
    async with watching(begun(), size=(20, 5)) as (app, pilot):
        await pilot.press(*"hello")
        rows = [strip.text.strip() for strip in app.screen._compositor.render_strips()]
        assert rows[1:3] == ["And another", "needle."]
        assert "waiting" in rows[3]
        assert rows[4] == "hello"
        assert app.run_screen.prompt.border_subtitle
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "An answer with one needle." in app.shown())
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "╭" in text
        assert "hello" in text


async def test_a_page_of_commands_is_turned_before_they_are_laid_out() -> None:
    async with watching() as (app, pilot):
        app.action_command_palette()
        await until(pilot, lambda: isinstance(app.screen, CommandFinder), "the palette")
        palette = app.screen
        assert isinstance(palette, CommandFinder)
        palette.action_turn_page(1)  # there is no list yet
        await until(pilot, lambda: bool(palette.query(CommandList)), "its list")
        commands = palette.query_one(CommandList)
        commands.clear_options()
        commands.add_option("One")
        palette.action_turn_page(1)
        palette.action_turn_page(-1)
        await pilot.press("pagedown", "pageup", "escape")
        await until(pilot, lambda: app.top == "RunScreen", "the run again")


async def test_what_is_deleted_in_the_palette_is_what_was_typed_before() -> None:
    async with watching() as (app, pilot):
        for show in (app.action_command_palette, app.action_change_theme):
            show()
            await until(pilot, lambda: app.top == "CommandFinder" and isinstance(app.focused, Input), "the palette")
            line = app.focused
            assert isinstance(line, Input)
            for key in (*"mouse", *["backspace"] * 5, *"hm", "home", "t", "end", "backspace", *"eme", "escape"):
                app.post_message(Key(key, key if len(key) == 1 else None))  # in one packet
            await until(pilot, lambda: app.top == "RunScreen", "the run again")
            assert line.value == "theme"


@pytest.mark.explore
async def test_the_palette_is_there_once_also_below_the_help() -> None:
    async with watching(begun().done()) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandFinder), "the palette")
        await pilot.press("f1")
        await until(pilot, lambda: app.top == "HelpScreen", "the help above it")
        await pilot.press("ctrl+p", "escape")
        await until(pilot, lambda: isinstance(app.screen, CommandFinder), "back to the palette")
        for size in ((20, 5), (6, 2), (5, 3), (3, 3), (1, 1), (80, 24)):  # as where a window is split again and again
            await pilot.resize_terminal(*size)
        await until(pilot, lambda: app.screen.query_one(Input).size.width > 40, "and it is there still")


async def test_enter_held_down_in_a_list_of_commands_does_what_was_chosen_once() -> None:
    done: list[int] = []
    async with watching(begun().done()) as (app, pilot):
        app.get_system_commands = lambda _: [SystemCommand("Only one", "", lambda: done.append(1))]  # type: ignore[method-assign,assignment]
        for show in (app.action_command_palette, app.action_change_theme):
            show()
            await until(pilot, lambda: app.top == "CommandFinder" and app.screen.query(CommandList), "the list")
            listed = app.screen.query_one(CommandList)
            await until(pilot, lambda: listed.option_count and app.screen.focused, "what is in it")  # noqa: B023
            for _ in range(5):  # in one packet
                app.post_message(Key("enter", "\r"))
            await until(pilot, lambda: app.top == "RunScreen", "the run again")
        await until(pilot, lambda: app.theme == min(app.available_themes), "it was chosen")
        assert done == [1]


async def test_the_palette_is_left_while_it_looks_for_commands() -> None:
    async with watching(begun().done()) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandFinder) and app.screen.query(Input), "the palette")
        line = app.screen.query_one(Input)
        await app.screen.query_one(CommandList).remove()  # as its end does
        line.value = "run"
        await pilot.pause()


async def test_nothing_of_the_palette_takes_the_rest_of_the_screen_away() -> None:
    async with watching(begun().done()) as (app, _):
        assert app.screen.focused is not None
        assert app.screen.focused.allow_maximize
        titles = {command.title for command in app.get_system_commands(app.screen)}
        assert not titles & {"Maximize", "Minimize"}
        assert "Theme" in titles


async def test_nothing_that_is_pasted_into_the_palette_steers_the_terminal() -> None:
    async with watching(begun().done()) as (app, pilot):
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, CommandFinder) and app.screen.query(Input), "the palette")
        app.post_message(Paste("a\x9b31m\x90b\u202ec\u200bd"))
        line = app.screen.query_one(Input)
        await until(pilot, lambda: line.value, "it is there")
        assert line.value == "a\ufffd31m\ufffdb\ufffdc\ufffdd"


async def test_what_is_pasted_while_the_transcript_is_read_is_in_the_prompt_once() -> None:
    async with watching(begun().done()) as (app, pilot):
        screen = app.run_screen
        await pilot.press("tab")
        assert screen.focused is screen.transcript
        app.post_message(Paste("two words"))
        await until(pilot, lambda: screen.prompt.text, "it is there")
        await pilot.press("!")
        app.post_message(Paste(" more"))
        await until(pilot, lambda: "more" in screen.prompt.text, "and what follows it")
        assert screen.prompt.text == "two words! more"
