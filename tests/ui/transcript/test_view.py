"""The transcript on a screen: what it shows, where it stands, and that it stays there."""

from __future__ import annotations

import logging

import pytest
from textual.events import Resize

from maverick_tui.events import kinds as ev
from maverick_tui.runs.entries import ToolEntry
from maverick_tui.ui.preferences import Verbosity
from maverick_tui.ui.transcript import tool_rows
from maverick_tui.ui.transcript.view import Transcript
from tests.support.runs import PARAGRAPH, STREAM_BROKE, Tape, history
from tests.ui.transcript.host import TranscriptApp, all_rows, draw_all, opened, resize
from tests.ui.waiting import until

NUMBERED = "\n\n".join(f"paragraph {number}" for number in range(60))


def tape(text: str = NUMBERED) -> Tape:
    return Tape().connect().prompt("Look").say(text)


def numbered(start: int, end: int) -> str:
    return "".join(f"word{number} " for number in range(start, end))


def top(app: TranscriptApp) -> str:
    """The first row in view that says something."""
    return next(row.split("  ")[-1].strip() for row in app.view if row.strip())


async def test_paths_are_told_from_the_folder_also_of_calls_that_a_fork_shows_before_its_agent_is_loaded() -> None:
    run = Tape().connect().prompt("Look").tool("Read", {"file_path": "/work/shop/cart.py"}).done()
    loaded = [event for event in run.events if isinstance(event, ev.AgentLoaded)]
    async with opened([event for event in run.events if event not in loaded]) as (app, _):
        assert "Read  /work/shop/cart.py" in "\n".join(app.view)
        app.tell(loaded)
        app.draw()
        assert "Read  cart.py" in "\n".join(app.view)


# -- following -----------------------------------------------------------------------------------------------------


async def test_it_follows_the_end_of_what_is_written() -> None:
    run = Tape().connect().prompt("Look")
    async with opened(run, size=(80, 10)) as (app, _):
        for number in range(30):
            app.tell(run.say(f"answer {number}"))
            app.draw()
            assert [row for row in app.view if row][-1].endswith(f"answer {number}")
    assert app.moves == [], "it has always followed"


async def test_frames_come_by_themselves() -> None:
    run = Tape().connect().prompt("Look").say("the beginning", is_open=True)
    async with opened(run) as (app, pilot):
        app.tell([ev.BlockGrew(run.at, 1, " and the end")])
        await until(pilot, lambda: app.view[2].endswith("the beginning and the end"), "a frame")


async def test_who_scrolls_away_is_told_how_much_is_new_and_can_go_back() -> None:
    run = tape()
    async with opened(run, size=(80, 20)) as (app, pilot):
        await pilot.press("pageup")
        first = top(app)
        assert app.moves == [(False, 0)]
        app.tell(run.say("one more\n\nand another").tool("Bash", {"command": "ls"}))
        app.draw()
        assert top(app) == first, "it stays where it is"
        await pilot.pause()
        assert app.moves[-1] == (False, 5)
        await pilot.press("j", "j")
        assert app.moves[-1] == (False, 5), "what is old stands between"
        await pilot.press("G")
        assert app.moves[-1] == (True, 0)
        assert "Bash  ls" in app.view[-1]


async def test_what_comes_into_view_is_not_new_any_more() -> None:
    run = tape()
    async with opened(run, size=(80, 20)) as (app, pilot):
        await pilot.press("k", "k")
        app.tell(run.say("\n\n".join(f"new {number}" for number in range(20))))
        app.draw()
        await pilot.pause()
        before = app.moves[-1][1]
        await pilot.press("pagedown")
        assert app.moves[-1] == (False, before - 16), "two of the eighteen had been seen"


async def test_unfolding_is_nothing_new() -> None:
    run = tape().tool("Bash", {"command": "ls"}, "\n".join("abcdef"))
    async with opened(run, size=(80, 20)) as (app, pilot):
        await pilot.press("k", "enter")
        assert app.transcript.page.folding.is_expanded(app.store.entries[-1])
        app.tell(run.say("new"))
        app.draw()
        await pilot.pause()
        assert app.moves[-1] == (False, 2), "the new row and the gap above it"


# -- keys ----------------------------------------------------------------------------------------------------------


async def test_keys_that_scroll() -> None:
    async with opened(tape(), size=(80, 12)) as (app, pilot):
        view, last = app.transcript, app.transcript.scroll_offset.y
        for key, y in [
            ("up", last - 1), ("k", last - 2), ("down", last - 1), ("j", last), ("j", last),
            ("pageup", last - 10), ("pageup", last - 20), ("pagedown", last - 10), ("home", 0), ("up", 0),
            ("end", last), ("g", 0), ("G", last),
        ]:  # fmt: skip
            await pilot.press(key)
            assert (key, view.scroll_offset.y, view.viewport.is_following) == (key, y, y == last)


async def test_keys_that_jump_between_prompts() -> None:
    run = Tape().connect()
    for number in range(5):
        run.prompt(f"prompt {number}").say(PARAGRAPH * 3).done()
    async with opened(run, size=(80, 12)) as (app, pilot):
        for number in (4, 3, 2, 1, 0, 0):
            await pilot.press("left_curly_bracket")
            assert top(app).endswith(f"▌ prompt {number}")
        for number in (1, 2, 3, 4):
            await pilot.press("right_curly_bracket")
            assert top(app).endswith(f"▌ prompt {number}")
        await pilot.press("right_curly_bracket")
        assert app.transcript.viewport.is_following


async def test_the_prompt_that_was_jumped_to_is_chosen_also_where_nothing_has_to_move() -> None:
    run = Tape().connect()
    for number in range(3):
        run.prompt(f"prompt {number}").say("Yes.").done()
    async with opened(run) as (app, pilot):
        for key, number in [("left", 0), ("right", 1), ("right", 2), ("left", 1)]:
            await pilot.press(f"{key}_curly_bracket", "y")
            assert app.clipboard == f"prompt {number}"
        await pilot.press("right_curly_bracket", "right_curly_bracket", "y")
        assert app.clipboard == "Yes.", "behind the last one nothing is chosen"


async def test_jumping_works_where_nothing_was_drawn_yet() -> None:
    async with opened(history(30, 600), size=(80, 12)) as (app, pilot):
        for number in range(30, 20, -1):
            await pilot.press("left_curly_bracket")
            assert top(app).endswith(f"▌ Question number {number}: what about the next module?")
        await pilot.press("g", "right_curly_bracket", "right_curly_bracket")
        assert top(app).endswith("▌ Question number 3: what about the next module?")


async def test_keys_that_choose_fold_and_copy() -> None:
    run = Tape().connect().prompt("Look").say("An answer.").tool("Bash", {"command": "ls"}, "a\nb").done()
    async with opened(run) as (app, pilot):
        view = app.transcript
        for key, expected in [
            ("left_square_bracket", "Bash\nls\n\na\nb"),
            ("left_square_bracket", "An answer."),
            ("left_square_bracket", "Look"),
            ("left_square_bracket", "Look"),
            ("right_square_bracket", "An answer."),
        ]:
            await pilot.press(key, "y")
            assert app.clipboard == expected
            assert sum("▶" in row for row in app.view) == 1
        await pilot.press("right_square_bracket")
        for key in ("enter", "space", "o"):
            was_open = view.page.folding.is_expanded(app.store.entries[2])
            await pilot.press(key)
            assert view.page.folding.is_expanded(app.store.entries[2]) != was_open
        assert any(row.strip().endswith("⎿ a") or row.strip() == "a" for row in app.view)


async def test_without_a_choice_the_last_answer_is_copied_and_the_last_call_folded() -> None:
    run = Tape().connect().prompt("Look").say("An answer.").tool("Bash", {"command": "ls"}, "a").done()
    async with opened(run) as (app, pilot):
        await pilot.press("y")
        assert app.clipboard == "An answer."
        await pilot.press("enter")
        assert app.transcript.page.folding.is_expanded(app.store.entries[2])
        again = run.prompt("Again").say("Another one.").tool("Bash", {"command": "ls"}, "a").say("In two parts.")
        app.tell(again)
        app.draw()
        await pilot.press("Y")
        assert app.clipboard == "In two parts.", "what follows the last call, as it is printed without a terminal"
        await pilot.press("alt+y")
        assert app.clipboard == "Another one.\n\nIn two parts."
        app.tell(run.think("Well.").say("And a third.", chunk=3))
        app.draw()
        await pilot.press("Y")
        assert app.clipboard == "In two parts.\n\nAnd a third."


async def test_keys_do_nothing_where_there_is_nothing() -> None:
    async with opened() as (app, pilot):
        await pilot.press("up", "j", "g", "G", "left_curly_bracket", "right_curly_bracket", "left_square_bracket")
        await pilot.press("enter", "y", "Y", "n", "N", "pageup", "pagedown")
        assert app.clipboard == ""
        assert "".join(app.view).strip() == ""


# -- staying on the same text ----------------------------------------------------------------------------------------


async def test_text_that_streams_does_not_move_what_is_read() -> None:
    run = tape()
    async with opened(run, size=(80, 12)) as (app, _):
        app.transcript.scroll_to_line(20)
        before = app.view
        for number in range(20):
            app.tell(run.say(f"new {number}"))
            app.draw()
            assert app.view == before


async def test_a_block_above_that_grows_does_not_move_what_is_read() -> None:
    run = Tape().connect().prompt("Look")
    call = run.call("Bash", {"command": "ls"})
    run.say(NUMBERED)
    async with opened(run, size=(80, 12), verbosity="full") as (app, _):
        app.transcript.scroll_to_line(30)
        before = app.view
        app.tell(run.answer(call, "\n".join("abcdefgh")))
        app.draw()
        assert app.view == before


async def test_what_a_subagent_does_above_does_not_move_what_is_read() -> None:
    run = Tape().connect().prompt("Look")
    agent = run.call("Agent", {"description": "look", "prompt": "Look"})
    run.say(NUMBERED)
    async with opened(run, size=(80, 12)) as (app, _):
        app.transcript.scroll_to_line(30)
        before = app.view
        for number in range(10):
            app.tell(run.say(f"inside {number}", parent=agent).tool("Read", {"file_path": "x"}, parent=agent))
            app.draw()
            assert app.view == before
        app.transcript.scroll_to_line(0)
        assert [row[8:].split("   ")[0] for row in app.view[3:7]] == ["", "│ inside 0", "│ ✔ Read  x", "│"]


async def test_folding_above_does_not_move_what_is_read() -> None:
    run = Tape().connect().prompt("Look").tool("Bash", {"command": "ls"}, "\n".join("abcdefgh")).say(NUMBERED)
    async with opened(run, size=(80, 12)) as (app, _):
        app.transcript.scroll_to_line(30)
        before = app.view
        for _ in range(3):
            app.transcript.toggle(app.store.entries[1])
            assert app.view == before


async def test_what_is_unfolded_stays_where_it_was_clicked() -> None:
    run = tape().tool("Bash", {"command": "ls"}, "\n".join(f"output {number}" for number in range(50)))
    async with opened(run, size=(80, 12)) as (app, _):
        row = app.view.index(next(row for row in app.view if "Bash" in row))
        app.transcript.toggle(app.store.entries[-1])
        assert "Bash" in app.view[row], "and not scrolled away, though the end was followed"
        assert not app.transcript.viewport.is_following
        app.transcript.toggle(app.store.entries[-1])
        assert "Bash" in app.view[row]
        assert app.transcript.viewport.is_following


async def test_a_new_width_keeps_the_same_text_at_the_top() -> None:
    words = " ".join(f"word{number}" for number in range(600))
    async with opened(tape(words), size=(80, 12)) as (app, pilot):
        app.transcript.scroll_to_line(30)
        first = top(app).split()[0]
        for size in ((50, 12), (120, 12), (33, 9), (80, 12)):
            await resize(app, pilot, *size)
            assert first in top(app).split(), size
        assert top(app).split()[0] == first


@pytest.mark.parametrize("is_following", [True, False])
async def test_a_tiny_terminal_and_back(is_following: bool) -> None:
    run = tape().tool("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, "ok")
    run.ask("Bash", {"command": "ls"}, grants=("Bash(ls:*)",))
    async with opened(run, size=(120, 40)) as (app, pilot):
        if not is_following:
            app.transcript.scroll_to_line(40)
        before = app.view
        for size in ((20, 5), (1, 1), (20, 5), (120, 40)):
            await resize(app, pilot, *size)
            assert app.transcript.viewport.is_following == is_following
        assert app.view == before


async def test_what_is_too_narrow_to_be_wrapped_is_cut() -> None:
    run = tape("| a | b |\n|---|---|\n| one | two |\n\n```python\nx = 1\n```\n\n- item").done(
        "failed", failure=STREAM_BROKE
    )
    async with opened(run, size=(5, 9)) as (app, _):
        region = app.transcript.scrollable_content_region.reset_offset
        for line in range(app.transcript.page.blocks.lines):
            app.transcript.scroll_to_line(line)
            assert [strip.cell_length for strip in app.transcript.render_lines(region)] == [region.width] * 9


async def test_a_higher_terminal_shows_more_of_the_same() -> None:
    async with opened(tape(), size=(80, 12)) as (app, pilot):
        app.transcript.scroll_to_line(10)
        first = app.view
        await resize(app, pilot, 80, 30)
        assert app.view[:12] == first
        await resize(app, pilot, 80, 200)
        assert app.transcript.viewport.is_following, "there is nothing below"


@pytest.mark.parametrize("larger", [(80, 90), (200, 60)])
async def test_what_one_reads_while_an_answer_grows_is_not_lost_by_a_larger_window(larger: tuple[int, int]) -> None:
    run = Tape().connect().prompt("Go").say(numbered(0, 600), is_open=True)
    async with opened(run, size=(80, 12)) as (app, pilot):
        app.transcript.scroll_to_line(app.transcript.viewport.lowest - 8)
        first = top(app).split()[0]
        await resize(app, pilot, *larger)
        assert "word599" in "".join(app.view), "the larger view has reached the end"
        assert app.transcript.viewport.is_following
        app.tell([ev.BlockGrew(run.at, 1, numbered(600, 4_000))])
        app.draw()
        assert first in top(app).split(), "it follows the end no further than what was read"
        await until(pilot, lambda: app.moves[-1][1] > 0, "there are new lines below")
        await resize(app, pilot, 80, 12)
        assert top(app).split()[0] == first
        app.transcript.action_bottom()
        assert "word3999" in "".join(app.view)
        app.tell([ev.BlockGrew(run.at, 1, numbered(4_000, 4_400))])
        app.draw()
        assert "word4399" in "".join(app.view)


async def test_a_frame_between_a_new_size_and_its_event_does_not_move_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Tape().connect().prompt("Go").say(numbered(0, 600), is_open=True)
    resized = Transcript.on_resize

    def late(transcript: Transcript, event: Resize) -> None:
        app.tell([ev.BlockGrew(run.at, 1, "and more ")])
        transcript.shown.frames.draw()
        resized(transcript, event)

    async with opened(run, size=(80, 20)) as (app, pilot):
        monkeypatch.setattr(Transcript, "on_resize", late)
        app.transcript.scroll_to_line(app.transcript.viewport.lowest - 6)
        first = top(app).split()[0]
        await resize(app, pilot, 80, 30)
        await resize(app, pilot, 80, 20)
        assert top(app).split()[0] == first


async def test_a_larger_terminal_shows_everything_that_stands_above() -> None:
    run = Tape().connect()
    for turn in range(3):
        run.prompt(f"Question {turn}").tool("Bash", {"command": "ls"}, "a\nb").say("A line.\n\n" * 8).done()
    async with opened(run, size=(80, 20)) as (app, pilot):
        await pilot.press("k", "k")
        await resize(app, pilot, 120, 50)
        assert app.view == all_rows(app.transcript)[-50:]


# -- what is shown -----------------------------------------------------------------------------------------------------


async def test_verbosity_and_what_the_person_opened_in_spite_of_it() -> None:
    run = Tape().connect().prompt("Look").think("First this.\nThen that.")
    agent = run.call("Agent", {"description": "look", "prompt": "Look"})
    run.say("inside", parent=agent).answer(agent, "found").tool("Bash", {"command": "ls"}, "a\nb").say("Done.").done()
    async with opened(run, size=(80, 30)) as (app, _):

        def has(*words: str) -> list[bool]:
            return [any(word in row for row in app.view) for word in words]

        words = ("Then that.", "inside", "found", "⎿ b", "Done.", "thought for")
        assert has(*words) == [False, True, False, False, True, True]
        app.transcript.set_verbosity("full")
        assert has(*words[:3]) == [True, True, True]
        app.transcript.toggle(app.store.entries[1])
        assert has(*words[:3]) == [False, True, True]
        app.transcript.set_verbosity("quiet")
        assert has(*words) == [False, False, False, False, True, False]
        app.transcript.toggle(app.store.entries[2])
        assert has("inside", "found") == [True, True], "the subagent was opened"
        app.transcript.set_verbosity("normal")
        assert has(*words) == [False, True, False, False, True, True]


@pytest.mark.parametrize("verbosity", ["quiet", "normal"])
async def test_a_question_inside_a_closed_subagent_comes_into_view(verbosity: Verbosity) -> None:
    tape = Tape().connect().prompt("Go")
    agent = tape.call("Agent", {"description": "look"})
    inside = tape.call("Bash", {"command": "make"}, parent=agent)
    async with opened(tape, verbosity=verbosity) as (app, pilot):
        if verbosity == "normal":
            await pilot.press("left_square_bracket", "left_square_bracket", "enter", "enter")
        assert "make" not in "\n".join(app.view)
        app.tell(tape.put(ev.PermissionAsked(tape.at, "q", inside, "Bash", {"command": "make"})))
        app.draw()
        assert "make" in "\n".join(app.view)
        assert "^y once" in "\n".join(app.view)


async def test_open_text_of_a_subagent_has_its_guides_on_every_row() -> None:
    run = Tape().connect().prompt("Look")
    agent = run.call("Agent", {"description": "look", "prompt": "Look"})
    async with opened(run.say(PARAGRAPH, parent=agent, is_open=True)) as (app, _):
        rows = [row for row in app.view[4:] if row]
        assert len(rows) > 1
        assert all(row[8:10] == "│ " for row in rows)


async def test_a_huge_output_is_capped_and_says_so() -> None:
    output = "\n".join(f"line {number}" for number in range(5_000))
    run = Tape().connect().prompt("Look").tool("Bash", {"command": "seq 5000"}, output).done()
    async with opened(run, verbosity="full") as (app, _):
        rows = all_rows(app.transcript)
        assert len(rows) < 500
        assert any("… 4,600 more rows: e opens all of it in your editor" in row for row in rows)


async def test_a_long_run_costs_the_memory_of_what_is_looked_at() -> None:
    async with opened(history(200)) as (app, _):
        for _ in range(60):
            app.transcript.action_pages(-1)
            app.transcript.shown.frames.draw()
        kept = sum(len(block.rows or ()) for block in app.transcript.page.blocks)
        assert kept < 4_000


async def test_an_entry_that_cannot_be_drawn_is_shown_as_such(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("nobody has thought of this")

    monkeypatch.setattr(tool_rows, "summary", broken)
    run = tape("before").tool("Bash", {"command": "ls"}, "a").say("after").done()
    with caplog.at_level(logging.CRITICAL, "maverick_tui"):
        async with opened(run) as (app, _):
            text = "\n".join(app.view)
            assert "(this tool cannot be drawn) Bash ls a" in text
            assert "after" in text
            assert "done in" in text


async def test_open_text_that_cannot_be_drawn_bit_by_bit_is_drawn_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("nobody has thought of this")

    monkeypatch.setattr("maverick_tui.ui.rendering.live.LiveMarkdown.advance", broken)
    with caplog.at_level(logging.CRITICAL, "maverick_tui"):
        run = Tape().connect().prompt("Look").say("The *answer*", is_open=True)
        async with opened(run) as (app, _):
            assert app.view[2].endswith("The answer")
            app.tell(run.put(ev.BlockGrew(run.at, 1, " goes on.")).done())
            app.draw()
            assert app.view[2].endswith("The answer goes on.")


async def test_a_moment_that_no_calendar_has_is_left_out() -> None:
    async with opened([ev.AgentLoaded(0, "a", ""), ev.TurnStarted(1e300, 1, "Look")]) as (app, _):
        assert app.view[0].strip() == "▌ Look"


async def test_running_calls_and_thoughts_show_how_long_they_have_been_going_on() -> None:
    run = Tape().connect().prompt("Look").think("Hm", is_open=True)
    run.call("Bash", {"command": "sleep 9"})
    async with opened(run) as (app, _):
        for seconds in ("0.0s", "8.0s"):
            app.transcript.tick()
            app.draw()
            assert any(seconds in row and "● Bash  sleep 9" in row for row in app.view)
            app.now += 8
        assert any("thinking for 8.1 s" in row for row in app.view)


async def test_a_command_in_the_background_shows_for_how_long_it_lives_and_then_how_long_it_took() -> None:
    run = Tape().connect().prompt("Serve")
    server = run.call("Bash", {"command": "make serve"})
    run.progress(server, "running").answer(server, "It runs.", detail={"backgroundTaskId": "b1"}).done()
    async with opened(run) as (app, _):
        app.now += 30
        app.transcript.tick()
        app.draw()
        assert any(row.split()[:3] == ["31.4s", "●", "Bash"] for row in app.view)
        app.tell(run.wait(60).progress(server, "completed"))
        app.draw()
        assert any(row.split()[:3] == ["61.4s", "✔", "Bash"] for row in app.view)


async def test_another_theme_restyles_everything() -> None:
    async with opened(tape("Some *text*.").done()) as (app, pilot):
        dark = app.transcript.page.row(0)
        app.theme = "maverick-light"
        await pilot.pause()
        app.transcript.restyle()
        light = app.transcript.page.row(0)
        assert dark.text == light.text
        assert [segment.style for segment in dark] != [segment.style for segment in light]


async def test_other_names_of_keys_are_shown_at_once() -> None:
    run = tape("broken").done("failed", failure=STREAM_BROKE)
    async with opened(run, size=(100, 20)) as (app, _):
        assert any("F5 retry" in row for row in app.view)
        app.transcript.set_keys({"banner.retry": "^k"})
        assert any("^k retry" in row for row in app.view)


async def test_every_block_is_drawn_though_there_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maverick_tui.ui.transcript.frames.BUDGET", 0.0)
    run = tape(PARAGRAPH * 20).tool("Bash", {"command": "ls"}, "a").done()
    async with opened(size=(80, 20)) as (app, pilot):
        app.tell(run)
        await until(pilot, lambda: any("done in" in row for row in app.view), "the end is drawn")
        draw_all(app.transcript)
        assert isinstance(app.store.entries[2], ToolEntry)
        assert sum("The invoice rounds" in row for row in all_rows(app.transcript)) == 20
