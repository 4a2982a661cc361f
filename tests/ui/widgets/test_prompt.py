"""The prompt under every key it has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.binding import Binding
from textual.pilot import Pilot

from maverick_tui.ui.widgets.prompt import MOST_LINES, Prompt
from maverick_tui.ui.widgets.prompt_history import PromptHistory
from tests.support.sampling import sampled
from tests.ui.waiting import until
from tests.ui.widgets.prompt_app import PromptApp


async def paste(pilot: Pilot[str], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await pilot.pause()


def toasts(app: PromptApp) -> list[str]:
    return [notification.message for notification in app._notifications]


async def test_enter_sends_and_leaves_the_prompt_empty() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.set_text("\n  two words  \n")
        await pilot.press("enter")
        assert app.sent == ["  two words"]
        assert app.prompt.text == ""


async def test_whether_an_empty_prompt_means_anything_is_the_screens_to_say() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("enter")
        assert app.sent == [""]


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j", "alt+enter"])
async def test_a_new_line_is_begun(key: str) -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a", key, "b")
        assert app.prompt.text == "a\nb"
        assert app.sent == []


async def test_enter_after_a_backslash_begins_a_new_line_in_its_place() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a", "\\", "enter", "b", "enter")
        assert app.sent == ["a\nb"]


@pytest.mark.parametrize(
    ("sequence", "key"), [("\x1b\r", "ctrl+j"), ("\x1b\n", "ctrl+j"), ("\r", "enter"), ("\x1b[13;2u", "shift+enter")]
)
def test_terminals_without_names_for_alt_enter_do_not_send(sequence: str, key: str) -> None:
    Prompt()
    pressed = [event for event in XTermParser().feed(sequence) if isinstance(event, events.Key)]
    assert [event.key for event in pressed] == [key]


async def test_shift_enter_as_xterm_sends_it_begins_a_new_line() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        (event,) = XTermParser().feed("\x1b[27;2;13~")
        app.post_message(event)
        await pilot.pause()
        assert app.prompt.text == "\n"


async def test_pasted_lines_are_not_sent_and_cannot_steer_the_terminal() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await paste(pilot, "one\r\ntwo\rthree\n\tfour \x1b[31m\x07\x9b\u202e\u2028five\n")
        assert app.prompt.text == "one\ntwo\nthree\n\tfour \u241b[31m\u2407\ufffd\ufffd\nfive\n"
        assert app.sent == []
        assert app.prompt.cursor_location == app.prompt.document.end


async def test_an_emoji_that_comes_key_by_key_stays_whole_and_nothing_can_hide() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        for character in "❤\ufe0f a\ufe0f\u3164":
            app.prompt.post_message(events.Key(character, character))
        await pilot.pause()
        assert app.prompt.text == "❤\ufe0f a\ufffd\ufffd"
        words = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 👩\u200d👩\u200d👧 👩\u200d❤\ufe0f\u200d👨"
        for typed, text in ((words, words), ("a\u200db", "a\ufffdb"), ("\u200c", "\ufffd")):
            app.prompt.take()
            for character in typed:
                app.prompt.post_message(events.Key(character, character))
            await pilot.pause()
            assert app.prompt.text == text


async def test_what_is_pasted_from_the_applications_clipboard_is_inert_too() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.copy_to_clipboard("a\x1bb")
        await pilot.press("ctrl+v")
        assert app.prompt.text == "a\u241bb"


async def test_keys_that_come_at_once_act_in_their_order() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        for key in ("a", "b", "backspace", "c", "left", "d", "ctrl+j", "e", "enter", "f", "home", "g"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert app.sent == ["ad\nec"]
        assert app.prompt.text == "gf"


async def test_the_readline_habits() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        prompt = app.prompt
        prompt.set_text("one two three")
        await pilot.press("ctrl+w")
        assert prompt.text == "one two "
        await pilot.press("ctrl+a", "alt+d")
        assert prompt.text == " two "
        await pilot.press("ctrl+e", "alt+b", "x", "alt+f", "y", "alt+left", "alt+right", "z")
        assert prompt.text == " xtwoyz "
        await pilot.press("ctrl+left", "ctrl+right", "ctrl+k")
        assert prompt.text == " xtwoyz"
        await pilot.press("left", "ctrl+u")
        assert prompt.text == "z"
        await pilot.press("ctrl+underscore")
        assert prompt.text == " xtwoyz"
        await pilot.press("f7", "delete", "a", "b", "left", "ctrl+d", "backspace")
        assert prompt.text == ""


async def test_keys_that_are_the_screens_are_left_to_it() -> None:
    taken = {key for binding in Prompt.BINDINGS if isinstance(binding, Binding) for key in binding.key.split(",")}
    assert taken.isdisjoint({"escape", "ctrl+p", "ctrl+o", "ctrl+t", "ctrl+s", "pageup", "pagedown", "tab"})


def test_every_key_has_a_name_of_its_own_and_a_description() -> None:
    bindings = [binding for binding in Prompt.BINDINGS if isinstance(binding, Binding)]
    assert len(bindings) == len(Prompt.BINDINGS)
    names = [binding.id for binding in bindings]
    assert len(set(names)) == len(names)
    for binding in bindings:
        assert binding.id is not None
        assert binding.id.startswith("prompt.")
        assert binding.description


async def test_keys_can_be_mapped_anew() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.set_keymap({"prompt.send": "ctrl+s", "prompt.newline": "enter"})
        await pilot.press("a", "enter", "b", "ctrl+s")
        assert app.sent == ["a\nb"]


async def test_take_and_set_text_are_for_the_screen() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.set_text("an older\r\nprompt\x1b")
        await pilot.press("!")
        assert app.prompt.take() == "an older\nprompt\u241b!"
        assert app.prompt.text == ""


async def test_a_placeholder_is_no_markup() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.placeholder = "[b]bold[/b] [/nonsense]"
        await pilot.pause()
        rows = app.prompt.render_lines(app.prompt.region.reset_offset)
        assert "[b]bold[/b] [/nonsense]" in rows[1].text


@pytest.mark.parametrize(("height", "lines"), sampled([(24, 6), (50, MOST_LINES), (9, 1), (3, 1)], 3))
async def test_it_grows_with_its_text_within_bounds(height: int, lines: int) -> None:
    app = PromptApp()
    async with app.run_test(size=(80, height)) as pilot:
        prompt = app.prompt
        assert prompt.content_size.height == 1
        for _ in range(10):
            prompt.action_new_line()
        await pilot.pause()
        assert prompt.content_size.height == lines
        await pilot.press("ctrl+j")
        assert prompt.scroll_offset.y + prompt.content_size.height == prompt.wrapped_document.height == 12
        prompt.take()
        await pilot.pause()
        assert prompt.content_size.height == 1


async def test_a_scrollbar_does_not_flash_up_while_it_grows() -> None:
    app = PromptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        shown: list[bool] = []

        def note(is_shown: bool) -> None:
            shown.append(is_shown)

        app.prompt.watch(app.prompt, "show_vertical_scrollbar", note, init=False)
        await pilot.press(*["ctrl+j"] * 5)
        assert shown == []
        await pilot.press("ctrl+j")
        assert shown == [True]
        await pilot.resize_terminal(80, 50)
        await until(pilot, lambda: len(shown) > 1, "a terminal that is high enough")
        assert shown == [True, False]


async def test_the_cursor_does_not_blink() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a")
        assert not app.prompt.blink_timer._active.is_set()


async def test_a_click_moves_the_cursor() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        app.prompt.set_text("hello")
        app.set_focus(None)
        await pilot.click(app.prompt, offset=(4, 1))
        await pilot.press("x")
        assert app.prompt.text == "hexllo"


# -- earlier prompts --------------------------------------------------------------------------------------------------


async def sent_before(home: Path, *texts: str) -> PromptHistory:
    history = PromptHistory(home)
    for text in texts:
        history.add(text)
    await history.save()
    return PromptHistory(home)


async def test_the_arrow_keys_bring_earlier_prompts_and_the_draft_back(home: Path) -> None:
    app = PromptApp(await sent_before(home, "first", "second"))
    async with app.run_test() as pilot:
        prompt = app.prompt
        await pilot.press("d", "down", "up")
        assert prompt.text == "second"
        await pilot.press("up", "up")
        assert prompt.text == "first"
        await pilot.press("!", "down", "up")
        assert prompt.text == "first!"
        await pilot.press("down", "down", "down")
        assert prompt.text == "d"
        await pilot.press("up", "up", "enter", "up")
        assert app.sent == ["first!"]
        assert prompt.text == "first!"


async def test_within_lines_the_arrow_keys_move_the_cursor(home: Path) -> None:
    app = PromptApp(await sent_before(home, "older", "one\ntwo"))
    async with app.run_test(size=(30, 24)) as pilot:
        prompt = app.prompt
        prompt.set_text("a draft that is wrapped into two lines")
        await pilot.press("up")
        assert prompt.text.startswith("a draft")
        await pilot.press("up")
        assert (prompt.text, prompt.cursor_location) == ("one\ntwo", (0, 3))
        await pilot.press("down")
        assert (prompt.text, prompt.cursor_location) == ("one\ntwo", (1, 3))
        await pilot.press("up", "up")
        assert prompt.text == "older"
        await pilot.press("down")
        assert (prompt.text, prompt.cursor_location) == ("one\ntwo", (1, 3))
        await pilot.press("down")
        assert prompt.text.startswith("a draft")


async def test_what_is_sent_is_written_for_the_next_time(home: Path) -> None:
    app = PromptApp(PromptHistory(home))
    async with app.run_test() as pilot:
        await pilot.press("a", "enter", "enter", "b", "enter")
        await app.workers.wait_for_complete()
    assert await PromptHistory(home).texts() == ["a", "b"]


async def test_without_a_history_the_arrow_keys_only_move() -> None:
    app = PromptApp()
    async with app.run_test() as pilot:
        await pilot.press("a", "up", "down", "enter", "up")
        assert app.sent == ["a"]
        assert app.prompt.text == ""


async def test_a_history_that_cannot_be_used_is_said(home: Path) -> None:
    history = PromptHistory(home)
    history.path.mkdir(parents=True)
    app = PromptApp(history)
    async with app.run_test() as pilot:
        await pilot.press("a", "up")
        assert app.prompt.text == "a"
        await pilot.press("enter")
        await app.workers.wait_for_complete()
        assert app.sent == ["a"]
        reason = os.strerror(21)
        assert toasts(app) == [
            f"Earlier prompts cannot be read: {reason}",
            f"The prompt will not be remembered, its file cannot be written: {reason}",
        ]


async def test_a_few_words_stand_for_a_long_paste_which_is_sent_whole() -> None:
    app = PromptApp()
    long, other = "\n".join(f"line {number}" for number in range(30)), "\n".join("x" * 30)
    async with app.run_test() as pilot:
        await pilot.press(*"see ")
        await paste(pilot, long)
        await paste(pilot, other)
        await paste(pilot, long)
        await paste(pilot, "short")
        await paste(pilot, "y" * 2_500)
        shown = "see [pasted 30 lines][pasted 30 lines #2][pasted 30 lines]short[pasted 2,500 characters]"
        assert app.prompt.text == shown
        await pilot.press(*" [pasted 7 lines]", "enter")
        assert app.sent == [f"see {long}{other}{long}short{'y' * 2_500} [pasted 7 lines]"]
        await pilot.press(*"[pasted 30 lines]", "enter")
        assert app.sent[-1] == "[pasted 30 lines]", "what was sent is forgotten"


async def test_a_narrower_window_loses_no_word_and_says_where_the_placeholder_goes_on() -> None:
    app = PromptApp()
    app.prompt.placeholder = "Follow up: it is sent when the agent is done"
    async with app.run_test(size=(40, 24)) as pilot:
        await until(pilot, lambda: painted(app) == ["Follow up: it is sent when the agen…"])
        app.prompt.set_text("hello this is a long prompt that wraps around")
        await until(pilot, lambda: painted(app) == ["hello this is a long prompt that", "wraps around"])
        await pilot.resize_terminal(30, 12)
        await until(pilot, lambda: painted(app) == ["hello this is a long", "prompt that wraps around"])


async def test_what_nothing_is_remembered_of_has_nothing_to_search() -> None:
    app = PromptApp()
    async with app.run_test():
        assert "ctrl+r" not in app.screen.active_bindings


def painted(app: PromptApp) -> list[str]:
    """What stands there on the screen, without the frame."""
    region = app.prompt.content_region
    lines = [strip.text for strip in app.screen._compositor.render_strips()]
    return [line[region.x : region.right].strip() for line in lines[region.y : region.bottom]]
