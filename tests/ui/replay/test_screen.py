"""A replay on the screen: it plays, goes where keys and mouse say, and sends nothing."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from maverick_tui import paths
from maverick_tui.events.kinds import Event, JobsScheduled, PromptQueued
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.entries import TextEntry
from maverick_tui.ui.app import MaverickApp
from maverick_tui.ui.history.screen import HistoryScreen
from maverick_tui.ui.keys import key_groups
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.replay.playing import SPEEDS, Player
from maverick_tui.ui.replay.recording import Recording
from maverick_tui.ui.replay.screen import ReplayScreen
from maverick_tui.ui.widgets.pending import JobLine
from maverick_tui.ui.widgets.prompt import Prompt
from tests.history.kept import keep
from tests.support.runs import STREAM_BROKE, Tape, history
from tests.ui.running import watching
from tests.ui.waiting import until

RUN = "7f3a00c0ffee"


def two_turns() -> list[Event]:
    tape = Tape().connect().prompt("First?").say("One answer.").done()
    return list(tape.wait(3600).prompt("Second?").say("Another answer.").done().events)


@asynccontextmanager
async def replaying(
    events: Sequence[Event], *, size: tuple[int, int] = (100, 30), speed: float = 1.0, is_paused: bool = True
) -> AsyncIterator[tuple[MaverickApp, ReplayScreen, Pilot[Any]]]:
    """The application, which was started to play a run again."""
    launch = Launch(Path("/nowhere/shop"), replays=Recording(events), speed=speed)
    app = MaverickApp(launch, preferences=Preferences())
    async with app.run_test(size=size) as pilot:
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await until(pilot, lambda: screen.player is not None, "it plays")
        if is_paused:
            player(screen).pause()
            screen.time_line.refresh_line()  # it may have said already that it plays
        yield app, screen, pilot


def player(screen: ReplayScreen) -> Player:
    assert screen.player is not None
    return screen.player


def shown(screen: ReplayScreen) -> str:
    """What stands in the transcript's view."""
    view = screen.transcript
    strips = view.render_lines(view.scrollable_content_region.reset_offset)
    return "\n".join(strip.text.rstrip() for strip in strips)


async def is_shown(screen: ReplayScreen, pilot: Pilot[Any], text: str) -> None:
    await until(pilot, lambda: text in shown(screen), f"{text!r} in\n{shown(screen)}")


def framed(screen: ReplayScreen) -> list[str]:
    """The rows of the time line, with the frame around it."""
    return [strip.text for strip in screen.time_line.render_lines(screen.time_line.region.reset_offset)]


def spot(screen: ReplayScreen, text: str) -> tuple[int, int]:
    """Where on the time line this text stands."""
    return next((row.index(text), y) for y, row in enumerate(framed(screen)) if text in row)


# -- playing ----------------------------------------------------------------------------------------------------------


async def test_it_plays_by_itself_to_the_end_and_once_more_from_the_beginning() -> None:
    events = two_turns()
    async with replaying(events, speed=1_000, is_paused=False) as (_, screen, pilot):
        await until(pilot, lambda: not player(screen).is_playing, "it is over")
        await is_shown(screen, pilot, "Another answer.")
        assert player(screen).count == len(events)
        assert "event " + f"{len(events)} of {len(events)}" in str(screen.time_line.border_title)
        player(screen).set_speed(0.1)
        await pilot.press("space")
        assert player(screen).count < len(events)
        await until(pilot, lambda: "Another" not in shown(screen), "it begins anew")


async def test_whoever_stops_in_a_wait_sees_how_long_it_had_been() -> None:
    tape = Tape().connect().prompt("Go")
    call = tape.call("Bash", {"command": "make"}, seconds=100)
    async with replaying(list(tape.answer(call, "Made.").done().events)) as (_, screen, pilot):
        recording = player(screen).recording
        began = 1 + next(at for at, event in enumerate(recording.events) if event.type == "tool_began")
        player(screen).go_to(player(screen).rhythm.moment_of(began) + 1.0)
        assert player(screen).now == pytest.approx(recording.times[began - 1] + 50.2)
        await is_shown(screen, pilot, "50.2s")
        for _ in range(2):
            await pilot.press("w")
            assert player(screen).now == pytest.approx(recording.times[began - 1] + 50.2)


async def test_the_person_says_how_fast_it_goes_and_whether_it_waits() -> None:
    async with replaying(two_turns()) as (_, screen, pilot):
        found = []
        for key in ("plus", "plus", "minus", "minus", "minus"):
            await pilot.press(key)
            found.append(player(screen).speed)
        assert found == [2, 5, 2, 1, 0.5]
        assert " 0.5x " in screen.time_line.text
        for direction, end in ((-1, 0.1), (1, 1_000)):
            for _ in SPEEDS:
                player(screen).change_speed(direction)
            assert player(screen).speed == end
        length = player(screen).rhythm.length
        assert length < 60, "nobody wants to look at long waits"
        await pilot.press("w")
        assert player(screen).rhythm.length > 3600
        assert "waits in full" in str(screen.time_line.border_title)
        await pilot.press("w")
        assert player(screen).rhythm.length == length


async def test_it_goes_from_event_to_event_and_back() -> None:
    events = two_turns()
    async with replaying(events) as (_, screen, pilot):
        await pilot.press("home", "full_stop", "full_stop", "full_stop", "comma")
        assert player(screen).count == 3
        player(screen).go_to_event(len(events) - 3)
        await is_shown(screen, pilot, "Another")
        before = shown(screen)
        await pilot.press("comma", "comma", "full_stop", "full_stop")
        assert player(screen).count == len(events) - 3
        await is_shown(screen, pilot, before)


async def test_it_goes_from_prompt_to_prompt_and_back() -> None:
    async with replaying(two_turns()) as (_, screen, pilot):
        await pilot.press("home", "right_square_bracket")
        await is_shown(screen, pilot, "First?")
        await pilot.press("right_square_bracket")
        await is_shown(screen, pilot, "Second?")
        assert "Another" not in shown(screen)
        await pilot.press("right_square_bracket")
        await is_shown(screen, pilot, "Another answer.")
        await pilot.press("left_square_bracket", "left_square_bracket")
        await until(pilot, lambda: "One answer." not in shown(screen), "it is before the first answer")
        assert "First?" in shown(screen)
        await pilot.press("left_square_bracket")
        assert player(screen).count == 1


async def test_cost_and_tokens_are_those_of_the_moment() -> None:
    async with replaying(two_turns(), size=(120, 30)) as (_, screen, pilot):
        for key, facts in (
            ("end", "prompt 2 of 2 · 18.4k in · 960 out · $0.043"),
            ("left_square_bracket", "prompt 2 of 2 · 9.2k in · 480 out · ≥$0.021"),
            ("left_square_bracket", "prompt 1 of 2 · 0 in · 0 out"),
        ):
            await pilot.press(key)
            await until(pilot, lambda facts=facts: facts in str(screen.time_line.border_title), facts)  # type: ignore[misc]


async def test_what_is_said_above_the_bar_is_of_one_kind_all_the_time() -> None:
    async with replaying(two_turns(), size=(80, 24)) as (_, screen, pilot):
        kinds = set()
        for count in range(1, len(player(screen).recording) + 1):
            player(screen).go_to_event(count)
            await until(pilot, lambda: not player(screen).is_seeking)
            facts = str(screen.time_line.border_title).split(" · ")
            kinds.add(tuple(re.sub(r"[~\d.,k]+", "9", fact) for fact in facts if "$" not in fact))
        assert len(kinds) == 1, kinds


async def test_no_key_is_named_for_what_waits_in_the_run() -> None:
    tape = Tape().connect().prompt("Go").say("Half")
    tape.put(PromptQueued(tape.at, "later", "And then this"))
    tape.put(JobsScheduled(tape.at, ({"id": "a", "prompt": "Is it built?", "when": "Every minute"},)))
    async with replaying(list(tape.events)) as (_, screen, pilot):
        await pilot.press("end")
        await until(pilot, lambda: "And then this" in str(screen.status.queue.render()), "the queue is shown")
        assert "edits" not in str(screen.status.queue.render())
        await until(pilot, lambda: screen.query(JobLine), "the job is shown")
        assert "ends" not in str(screen.query_one(JobLine).render())


# -- the time line ----------------------------------------------------------------------------------------------------


async def test_the_mouse_takes_it_anywhere() -> None:
    async with replaying(two_turns()) as (_, screen, pilot):
        line, bar = screen.time_line, screen.time_line._bar
        left = line.content_region.x - line.region.x
        await pilot.mouse_down(line, offset=(left + bar[-1], 1))
        await until(pilot, lambda: player(screen).is_at_end, "the end")
        await is_shown(screen, pilot, "Another answer.")
        await pilot.hover(line, offset=(left + bar[0], 1))
        await until(pilot, lambda: player(screen).moment == 0.0, "the beginning")
        await pilot.hover(line, offset=(left + bar[len(bar) // 2], 0))
        await until(pilot, lambda: abs(player(screen).moment / player(screen).rhythm.length - 0.5) < 0.05, "the middle")
        await pilot.mouse_up(line, offset=(left + bar[len(bar) // 2], 1))
        await pilot.hover(line, offset=(left + bar[-1], 1))
        assert not player(screen).is_at_end, "who has let it go moves nothing"


async def test_the_mouse_plays_pauses_and_leaves() -> None:
    async with replaying(two_turns()) as (app, screen, pilot):
        line = screen.time_line
        await pilot.click(line, offset=spot(screen, "▷"))
        assert player(screen).is_playing
        await pilot.click(line, offset=spot(screen, "Space pause"))
        assert not player(screen).is_playing
        await pilot.press("home")  # from wherever it has come to meanwhile
        await pilot.click(line, offset=spot(screen, "] prompt"))
        await is_shown(screen, pilot, "First?")
        await pilot.click(line, offset=spot(screen, "[] prompt"))
        assert player(screen).count == 1
        await pilot.click(line, offset=spot(screen, "+- speed"))
        assert player(screen).speed == 2
        await pilot.mouse_down(line, offset=spot(screen, "●"))
        await pilot.mouse_up(line, offset=spot(screen, "Esc leave"))
        assert not app._exit, "who lets go of the bar there has not clicked"
        await pilot.click(line, offset=spot(screen, "Esc leave"))
        await until(pilot, lambda: app._exit, "it is left")


async def test_prompts_and_failures_are_marked_on_the_bar() -> None:
    tape = Tape().connect().prompt("Go").say("Half of an").done("failed", failure=STREAM_BROKE).wait(4)
    async with replaying([*tape.prompt("Again").say("All of it.").done().events]) as (_, screen, pilot):
        await pilot.press("home")
        assert (screen.time_line.text.count("┃"), screen.time_line.text.count("✘")) == (2, 1)


async def test_it_fits_every_terminal() -> None:
    async with replaying(two_turns(), size=(9, 5)) as (_, screen, pilot):
        line = screen.time_line
        for width, height in ((9, 5), (20, 8), (40, 12), (120, 40), (80, 24)):
            await pilot.resize_terminal(width, height)
            await until(pilot, partial(lambda height: line.region.bottom == height, height), f"at {width}x{height}")
            await pilot.press("end", "comma", "left_square_bracket", "home", "right")
            assert line.size.height == 1
            assert line.region.height == (1 if height < 9 else 3)


# -- looking ----------------------------------------------------------------------------------------------------------


async def test_who_reads_something_stays_there_while_time_goes_by_below() -> None:
    events = list(history(6))
    async with replaying(events) as (_, screen, pilot):
        await pilot.press("end")
        await is_shown(screen, pilot, "done in")
        await pilot.press("pageup", "pageup", "pageup")
        before = shown(screen)
        await pilot.press("comma", "comma", "comma")
        await until(pilot, lambda: not player(screen).is_seeking)
        await is_shown(screen, pilot, before)
        await pilot.press("full_stop", "full_stop")
        await is_shown(screen, pilot, before)


async def test_what_is_read_may_be_gone_at_another_moment() -> None:
    async with replaying(two_turns(), size=(100, 10)) as (_, screen, pilot):
        await pilot.press("end")
        await is_shown(screen, pilot, "Another answer.")
        await pilot.press("up")
        assert not screen.transcript.viewport.is_following
        await pilot.resize_terminal(100, 11)
        await until(pilot, lambda: screen.transcript.viewport.is_following, "the larger view has reached the end")
        await pilot.press("home", "right_square_bracket")
        await is_shown(screen, pilot, "First?")
        assert screen.transcript.viewport.is_following


async def test_what_was_opened_stays_open() -> None:
    tape = Tape().connect().prompt("Go").tool("Bash", {"command": "ls"}, "one.py\ntwo.py\nthree.py")
    async with replaying(list(tape.say("Seen.").done().events)) as (_, screen, pilot):
        await pilot.press("end")
        await is_shown(screen, pilot, "Seen.")
        assert "two.py" not in shown(screen)
        await pilot.press("tab", "o")
        await is_shown(screen, pilot, "two.py")
        player(screen).step(-1)
        await is_shown(screen, pilot, "two.py")


async def test_the_keys_that_are_named_count_also_in_the_transcript() -> None:
    async with replaying(two_turns(), speed=0.01) as (_, screen, pilot):
        await pilot.press("end")
        await is_shown(screen, pilot, "Another answer.")
        await pilot.click(screen.transcript, offset=(8, 2))
        await pilot.press("left_square_bracket")
        assert not player(screen).is_at_end, "who clicks there has the keys of the time line"
        await pilot.press("tab")
        named = "Space play   ←→ scrub   [] entry   Enter open   y copy   Tab time line   Esc leave"
        assert named in framed(screen)[-1]
        await pilot.press("space")
        assert player(screen).is_playing
        player(screen).pause()
        at = player(screen).count
        await pilot.press("left_square_bracket")
        assert screen.transcript.chosen is not None
        assert player(screen).count == at
        told = {group.title: [key for row in group.rows.values() for key in row.keys] for group in key_groups(screen)}
        assert "Space" in told["Replay"]
        assert {"[", "]", "Home", "End"} <= set(told["Time line"])
        assert {"[", "]", "Home", "End"} <= set(told["Transcript"])
        await pilot.press("shift+tab")
        assert "[] prompt" in framed(screen)[-1]


async def test_there_is_nothing_to_type_to_and_keys_of_questions_do_nothing() -> None:
    tape = Tape().connect().prompt("Go").ask("Bash", {"command": "ls"})
    async with replaying(list(tape.events)) as (_, screen, pilot):
        await pilot.press("end")
        await is_shown(screen, pilot, "wants permission")
        assert not screen.query(Prompt)
        await pilot.press("ctrl+y", "ctrl+x", "ctrl+t", "enter", "x", "y")
        assert screen.store.questions
        await pilot.click(screen.transcript, offset=(14, 6))
        assert screen.store.questions


# -- coming and going -------------------------------------------------------------------------------------------------


async def test_who_came_for_the_replay_alone_is_done_when_it_is_left() -> None:
    async with replaying(two_turns()) as (app, _, pilot):
        await pilot.press("escape")
        await until(pilot, lambda: app._exit)
        assert app.return_code in (None, 0)


async def test_nothing_is_made_ready_but_the_persons_own_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    for name in ("load_runs", "load_rest"):
        monkeypatch.setattr(f"maverick_tui.ui.app.{name}", partial(loaded.append, name))
    paths.user_config().mkdir(parents=True)
    (paths.user_config() / "config.toml").write_text('[keys]\n"replay.play" = "p"\n"run.verbosity" = "f12"\n')
    async with replaying(two_turns()) as (app, screen, pilot):
        await until(pilot, lambda: "p play" in framed(screen)[-1], "the key is named")
        assert loaded == []
        assert not app._setup.ready.done()
        await pilot.press("p")
        assert player(screen).is_playing
        await pilot.press("f12")
        assert screen.transcript.page.folding.verbosity == "full"


async def test_a_run_on_the_screen_plays_again_and_goes_on_below() -> None:
    events = two_turns()
    keep(RUN, events)
    async with watching(Tape().connect().prompt("Go").say("I am at work.", is_open=True)) as (app, pilot):
        app.replay_run(RUN)
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player, "it plays")
        await pilot.press("end")
        screen = app.screen
        assert isinstance(screen, ReplayScreen)
        await is_shown(screen, pilot, "Another answer.")
        assert app.kept.take() == []
        app.tell(Tape().ask("Bash", {"command": "ls"}))
        await until(pilot, lambda: "⚑ 1 needs you" in screen.status.header.text, "the header says so")
        assert [one.message for one in app._notifications] == ["needs you: Bash wants permission"], "it is out of sight"
        await pilot.press("q")
        await until(pilot, lambda: app.top == "RunScreen")
        assert "I am at work." in app.shown()


async def test_the_key_of_a_run_plays_it_again_if_it_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(Tape().connect().prompt("Go")) as (app, pilot):
        await pilot.press("alt+p")
        assert "not kept" in next(iter(app._notifications)).message
        keep(app.run_model.run_id, two_turns())
        monkeypatch.setattr(RunModel, "is_kept", True)
        await pilot.press("alt+p")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player, "it plays")


async def test_a_run_of_the_history_plays_again_above_it() -> None:
    keep(RUN, two_turns())
    async with watching(Tape().connect()) as (app, pilot):
        await pilot.press("f3")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen) and app.screen.focused, "the history is there")
        listed = app.screen
        assert isinstance(listed, HistoryScreen)
        await until(pilot, lambda: listed._pane.rows.row is not None, "the run is listed")
        await pilot.press("end", "alt+p")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player, "it plays")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is listed, "back at the history")


async def test_what_cannot_be_read_is_said_and_left() -> None:
    path = keep(RUN, two_turns())
    path.write_text(path.read_text() + "{broken\n")
    async with watching(Tape().connect()) as (app, pilot):
        app.replay_run("00000000dead")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen), "the screen is there")
        await until(pilot, lambda: app._notifications, "it is said")
        assert "There is no journal" in next(iter(app._notifications)).message
        await pilot.press("space", "end", "comma", "w", "plus")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen")
        app.replay_run(RUN)
        await until(pilot, lambda: len(app._notifications) > 1, "so is what is missing of a run")
        assert f"is damaged after {len(two_turns())} events" in list(app._notifications)[-1].message
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen) and app.screen.player, "the rest plays")


async def test_a_large_run_is_gone_through_in_slices_and_only_what_is_in_view_is_drawn() -> None:
    events = list(history(150))
    async with replaying(events) as (_, screen, pilot):
        await pilot.press("end")
        await is_shown(screen, pilot, "done in")
        drawn = [block for block in screen.transcript.page.blocks if block.is_measured]
        assert len(drawn) < len(screen.store.entries) / 4
        await pilot.press("left_square_bracket")
        await is_shown(screen, pilot, "Question number 150")
        assert isinstance(screen.store.entries[-3], TextEntry)
