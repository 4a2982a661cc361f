"""The application around its runs: who is told what, what is remembered, how it ends."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from textual.events import AppBlur, Event, Key, Mount, Paste
from textual.pilot import Pilot
from textual.widgets._toast import Toast

from maverick_tui.exceptions import ConfigError
from maverick_tui.plain_settings import read_here
from maverick_tui.runs import commands
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.ui.app import QUIT_AGAIN_WITHIN, MaverickApp
from maverick_tui.ui.launch import Launch, RunSetup
from maverick_tui.ui.picker import reading
from maverick_tui.ui.picker.agent_list import AgentList
from maverick_tui.ui.picker.edges import KeyHints
from maverick_tui.ui.picker.screen import PickerScreen
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.widgets.run_header import RunHeader
from tests.runs.pretending import Pretender
from tests.support.runs import Tape
from tests.ui.running import FedApp, Kept, watching
from tests.ui.waiting import PATIENCE, until


def begun(agent: str = "reviewer") -> Tape:
    return Tape(agent).connect().prompt("Go").say("An answer.")


def notices(app: MaverickApp) -> list[str]:
    return [f"{one.title}: {one.message}" for one in app._notifications]


# -- runs that are not on the screen --------------------------------------------------------------------------------


async def test_a_run_that_is_not_on_the_screen_says_when_it_needs_somebody_and_when_it_is_done() -> None:
    async with watching(begun()) as (app, pilot):
        second, tape = app._new_run("[b]explorer[/b]"), begun("explorer")
        app._start(second)
        app.tell(tape.ask("Bash", {"command": "ls"}), second)
        await pilot.pause()
        assert notices(app) == ["[b]explorer[/b] · Go: needs you: Bash wants permission"]
        app.tell(tape.done(), second)
        app.tell(begun().done(), app.run_model)
        await pilot.pause()
        assert notices(app)[1:] == ["[b]explorer[/b] · Go: done in 4.2 s, $0.021"], (
            "the run on the screen needs no words"
        )


async def test_who_looks_at_another_window_is_told_by_their_own_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mark: str
) -> None:
    told, words = tmp_path / "told", 'echo "$MAVERICK_EVENT $0 $1" >> "$2"'
    command = json.dumps(["/bin/sh", "-c", words, "{title}", "{text}", str(told)])
    monkeypatch.setenv("MAVERICK_NOTIFY_COMMAND", command)
    async with watching(begun()) as (app, pilot):
        app.tell(begun().ask("Bash", {"command": "ls"}))
        app.post_message(AppBlur())
        await until(pilot, lambda: not app.app_focus)
        app.tell(begun().done())
        await until(pilot, lambda: told.exists() and told.read_text().endswith("\n"), "it is told")
        await until(pilot, lambda: not any(one.group == "news" for one in app.workers), "it has ended")
    assert told.read_text().startswith("done reviewer done in")
    assert told.read_text().count("\n") == 1


async def test_the_picker_lists_the_runs_and_goes_back_to_one() -> None:
    async with watching(begun()) as (app, pilot):
        second = app._new_run("explorer")
        app._start(second)
        app.tell(begun("explorer"), second)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen" and app.screen.is_mounted)
        rows = [row.item.name for row in app.screen.query_one(AgentList).rows if row.item is not None][:2]
        assert rows == ["reviewer", "explorer"]
        await pilot.press("home", "enter")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is app.run_model)


async def test_the_picker_keeps_up_with_the_runs_and_goes_back_to_the_one_that_was_left() -> None:
    async with watching(begun()) as (app, pilot):
        app._start(app._new_run("explorer"))
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen" and app.screen.is_mounted)
        assert isinstance(app.screen, PickerScreen)
        assert [run.marks[0][0][2:] for run in app.screen.runs] == ["waiting for the model", "starting"]
        app.tell(begun().done())
        assert [run.marks[0][0][2:] for run in app.screen.runs] == ["done", "starting"]
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.run is app.run_model)


async def test_drafts_stay_with_their_runs() -> None:
    async with watching(begun()) as (app, pilot):
        second = app._new_run("explorer")
        app._start(second)
        for run, text in ((app.run_model, "one"), (second, "two")):
            await pilot.press(*text, "ctrl+pagedown")
            await is_left(app, pilot, run)
        assert app.run_screen.prompt.text == "one"
        await pilot.press("ctrl+pageup")
        await until(pilot, lambda: app.run_screen.run is second and app.screen.is_mounted)
        assert app.run_screen.prompt.text == "two"


@pytest.mark.parametrize("away", ["ctrl+pagedown", "ctrl+n"])
async def test_a_key_does_not_overtake_what_was_typed_before_it(away: str) -> None:
    async with watching(begun()) as (app, pilot):
        second = app._new_run("explorer")
        app._start(second)
        for key in (*"one", away):  # all of it at once, as after a line has stalled
            app.post_message(Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: app.top != "RunScreen" or app.run_screen.run is second, "it is left")
        assert app._navigation.draft_of(app.run_model) == "one"


async def is_left(app: FedApp, pilot: Pilot[Any], run: RunModel) -> None:
    await until(pilot, lambda: app.run_screen.run is not run and app.screen.is_mounted)


async def test_with_one_run_there_is_no_other() -> None:
    async with watching(begun()) as (app, pilot):
        screen = app.run_screen
        await pilot.press("ctrl+pagedown", "ctrl+pageup")
        assert app.screen is screen


async def test_typing_takes_the_place_of_a_suggestion_and_enter_sends_it() -> None:
    async with watching(Tape().connect()) as (app, pilot):
        prompt = app.run_screen.prompt
        app._suggest(app.run_model, "Its own prompt")
        await pilot.press("ctrl+c")
        assert app._ctrl_c_at, "nobody has selected anything to copy"
        await pilot.press(*"abc")
        assert prompt.text == "abc"
        prompt.set_text("")
        app._suggest(app.run_model, "Its own prompt")
        await pilot.press("right", *"!")  # who moves in it edits it
        assert prompt.text == "Its own prompt!"
        prompt.set_text("")
        app._suggest(app.run_model, "Its own prompt")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.top == "PickerScreen" and app.screen.is_mounted)
        app._navigation.show_run(app.run_model)
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.is_mounted)
        assert app.run_screen.prompt.shows_suggestion, "also for who comes back"
        await pilot.press("enter")
        assert [getattr(one, "text", "") for one in app.kept.take()] == ["Its own prompt"]


async def test_a_prompt_is_suggested_only_where_nothing_was_written_yet() -> None:
    async with watching(Tape().connect()) as (app, pilot):
        app._suggest(app.run_model, "Its own prompt")
        assert app.run_screen.prompt.text == "Its own prompt"
        app._suggest(app.run_model, "Another")
        assert app.run_screen.prompt.text == "Its own prompt"
        app.run_screen.prompt.take()
        app.tell(begun())
        app._suggest(app.run_model, "Too late")
        assert app.run_screen.prompt.text == ""
        other = app._new_run("explorer")
        app._suggest(other, "For later")
        app._start(other)
        await pilot.press("ctrl+pagedown")
        await until(pilot, lambda: app.run_screen.run is other and app.screen.is_mounted)
        assert app.run_screen.prompt.text == "For later"


async def test_what_an_agent_suggests_is_no_command() -> None:
    async with watching(Tape().connect()) as (app, pilot):
        for text in ("!touch x\n\nReview the branch", "\n\n!touch x", "/export md x.md", "\n/quit"):
            app._suggest(app.run_model, text)
            assert app.run_screen.prompt.text == "", text
        await pilot.press("!", "l", "s", "enter")
        assert [type(one) for one in app.kept.take()] == [commands.RunShell], "the person's own is one"


# -- what is remembered ---------------------------------------------------------------------------------------------


async def test_what_was_chosen_is_there_at_the_next_start(home: Path) -> None:
    async with watching(begun(), size=(120, 30), preferences=Preferences.load()) as (app, pilot):
        await pilot.press("ctrl+o", "ctrl+b")
        app.theme = "maverick-light"
        await until(pilot, lambda: app.preferences.theme == "maverick-light")
        app.preferences.wait()
    async with watching(begun(), size=(120, 30), preferences=Preferences.load()) as (app, _):
        assert app.theme == "maverick-light"
        assert app.run_screen.transcript.page.folding.verbosity == "full"
        assert app.run_screen.has_class("-panel-closed")


async def test_preferences_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    path = tmp_path / "interface.json"
    path.write_text("{")
    async with watching(begun(), preferences=Preferences.load(path)) as (app, pilot):
        await until(pilot, lambda: any("the defaults are used" in notice for notice in notices(app)))


async def test_few_notices_are_shown_at_a_time_and_neither_header_nor_prompt_is_covered() -> None:
    app = FedApp()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.top == "RunScreen" and app.run_screen.is_mounted)
        app.clear_notifications()
        app.notify("This matters. " * 8, title="first", severity="warning")
        for number in range(4):
            app.notify(f"Copied {number}. " * 8, title=str(number))
        await until(pilot, lambda: [one.title for one in app._notifications] == ["first", "3"])
        await until(pilot, lambda: [one._notification.title for one in app.screen.query(Toast)] == ["first", "3"])
        await until(pilot, lambda: all(one.region.height > 1 for one in app.screen.query(Toast)))
        places = [one.region for one in app.screen.query(Toast)]
        assert min(place.y for place in places) == app.run_screen.query_one(RunHeader).region.bottom
        assert max(place.bottom for place in places) <= app.run_screen.prompt.region.y
        app.notify("Worse.", title="second", severity="error")
        await until(pilot, lambda: [one.title for one in app._notifications] == ["first", "second"])
        app.notify("Again.", title="second", severity="error")
        app.notify("Again.", title="second", severity="error")
        app.notify("first", title="first", severity="warning")
        await until(pilot, lambda: notices(app) == ["second: Again.", "first: first"])


# -- the palette ----------------------------------------------------------------------------------------------------


async def test_the_palette_offers_what_the_keys_do() -> None:
    async with watching(begun().ask("Bash", {"command": "ls"}).wait(1)) as (app, pilot):
        offered = {command.title: command for command in app.get_system_commands(app.screen)}
        assert {"Usage panel", "Allow once", "Deny", "Find", "Another agent", "Help"} <= set(offered)
        assert "Retry the prompt" not in offered, "there is no banner"
        assert offered["Allow once"].help == "^y"
        await offered["Deny"].callback()
        assert [type(one) for one in app.kept.take()] == [commands.AnswerPermission]
        offered["Bell: off"].callback()
        assert not app.preferences.has_bell
        assert "Bell: on" in {command.title for command in app.get_system_commands(app.screen)}
        offered["Notifications: off"].callback()
        assert not app.preferences.has_notifications
        offered["Theme: maverick-light"].callback()
        assert not app.current_theme.dark
        assert "Theme: maverick-light" not in {command.title for command in app.get_system_commands(app.screen)}
        await pilot.press("ctrl+p", *"usage", "enter")
        await until(pilot, lambda: app.top == "RunScreen" and app.preferences.is_panel_closed)


# -- leaving --------------------------------------------------------------------------------------------------------


async def test_ctrl_c_copies_what_is_selected_in_the_prompt() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.press(*"some words", "shift+home", "ctrl+c")
        assert app.clipboard == "some words"
        assert app.is_running
        assert not any("again to quit" in notice for notice in notices(app))


async def test_one_ctrl_c_now_and_one_much_later_do_not_quit() -> None:
    async with watching(begun().done()) as (app, pilot):
        await pilot.press("ctrl+c")
        assert any("Press Ctrl+C again to quit." in notice for notice in notices(app))
        app._ctrl_c_at -= QUIT_AGAIN_WITHIN + 1
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert not app._exit


async def test_quitting_closes_every_run() -> None:
    async with watching(begun().done()) as (app, pilot):
        second = app._new_run("explorer")
        app._start(second)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)
        for run in app.board.runs.values():
            assert isinstance(run.handle, Kept)
            assert run.handle.take() == [commands.CloseRun()]
    assert app.return_value == 0


async def test_quitting_names_all_that_is_at_work_and_asks_once() -> None:
    async with watching(begun()) as (app, pilot):
        second = app._new_run("explorer")
        third = app._new_run("explorer")
        for run in (second, third):
            app._start(run)
            app.tell(begun("explorer"), run)
        await pilot.press("ctrl+c", "ctrl+c")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        assert len(app.screen_stack) == 2
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "reviewer, explorer (2 runs) are still running" in text
        await pilot.press("ctrl+q", "n")
        assert app.top == "RunScreen"
        assert not app._exit


async def test_the_exit_code_of_a_signal_is_kept() -> None:
    async with watching(begun()) as (app, pilot):
        app._leaving.end_now(143)
        await until(pilot, lambda: app._exit)
    assert app.return_value == 143


# -- what cannot begin ----------------------------------------------------------------------------------------------


class BrokenSetup:
    """Fails as often as it is told to."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.opened = 0

    def __call__(self, launch: Launch) -> Any:
        self.opened += 1
        if self.opened <= self.failures:
            return self._broken()
        return _Setup(launch.cwd)

    def _broken(self) -> Any:
        raise ConfigError("timeout = 'x' is not a number.", hint="Correct the settings.")


class _Setup:
    def __init__(self, cwd: Path) -> None:
        self.cwd = cwd

    async def __aenter__(self) -> RunSetup:
        return RunSetup(self.cwd, read_here())

    async def __aexit__(self, *_: object) -> None:
        return None


async def test_settings_that_are_wrong_are_told_by_the_run_and_can_be_put_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def found(*_: object, **__: object) -> tuple[None, dict[str, object]]:
        return None, {}

    setup = BrokenSetup(failures=2)
    monkeypatch.setattr("maverick_tui.ui.launch.open_setup", setup)
    monkeypatch.setattr("maverick_tui.ui.in_process.find_and_ask", found)
    monkeypatch.setattr("maverick_tui.ui.in_process._make", lambda *_: Pretender())
    app = MaverickApp(Launch(Path.cwd(), "explorer", "Show me around"), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        (run,) = app.board.runs.values()
        await until(pilot, lambda: run.store.failure is not None)
        assert isinstance(app.screen, RunScreen)
        await until(pilot, lambda: "is not a number" in _shown(app))
        assert "F5 connect again" in _shown(app)
        assert not notices(app), "the run tells it, and nothing covers its keys"
        await pilot.press("f5")
        await until(pilot, lambda: setup.opened == 2)
        await until(pilot, lambda: sum(entry.kind == "failure" for entry in run.store.entries) == 2)
        await pilot.press(*"hi", "enter")
        await until(pilot, lambda: run.store.figures.turns == 2)
        prompts = [entry.text for entry in run.store.entries if isinstance(entry, PromptEntry)]
        assert prompts == ["Show me around", "hi"]
        assert run.store.loaded is not None


def _shown(app: MaverickApp) -> str:
    assert isinstance(app.screen, RunScreen)
    view = app.screen.transcript
    return "\n".join(strip.text for strip in view.render_lines(view.scrollable_content_region.reset_offset))


async def test_an_error_that_nobody_has_thought_of_is_told_as_well(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_launch: Launch) -> Any:
        raise ZeroDivisionError("[b]oops[/b]")

    read, is_told = reading.read_agents, threading.Event()

    def read_late(cwd: Path) -> Any:
        assert is_told.wait(PATIENCE)
        return read(cwd)

    monkeypatch.setattr(reading, "read_agents", read_late)
    monkeypatch.setattr("maverick_tui.ui.launch.open_setup", broken)
    app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        assert isinstance(app.screen, PickerScreen)
        hints = app.screen.query_one(KeyHints)
        await until(pilot, lambda: hints.notice == "✘ [b]oops[/b]")
        is_told.set()
        await until(pilot, lambda: app.screen.query_one(AgentList).item is not None, "the agents are there")
        assert hints.notice == "✘ [b]oops[/b]"
        assert not notices(app)
    assert "The setup of the runs has failed" in caplog.text


async def test_a_demo_with_wrong_settings_says_so_and_lists_its_agents_once_they_are_put_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    setup = BrokenSetup(failures=2)
    monkeypatch.setattr("maverick_tui.ui.launch.open_setup", setup)
    app = MaverickApp(Launch(Path.cwd(), is_demo=True), preferences=Preferences())
    async with app.run_test(size=(80, 24)) as pilot:
        assert isinstance(app.screen, PickerScreen)
        agents = app.screen.query_one(AgentList)
        wrong = "✘ timeout = 'x' is not a number. Correct the settings. Ctrl+R tries again."
        await until(pilot, lambda: agents.notice == wrong)
        await pilot.press("enter")
        assert not app.screen.query_one(KeyHints).notice, "none are being read"
        await pilot.press("ctrl+r")
        await until(pilot, lambda: setup.opened == 2 and agents.notice == wrong)
        await pilot.press("ctrl+r")
        await until(pilot, lambda: agents.rows)
        assert not notices(app)


async def test_a_picker_that_comes_up_after_the_settings_were_put_right_has_the_demos_agents(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("maverick_tui.ui.launch.open_setup", BrokenSetup(failures=1))
    app = MaverickApp(Launch(Path.cwd(), "explorer", is_demo=True), preferences=Preferences())
    async with app.run_test(size=(80, 24)) as pilot:
        (run,) = app.board.runs.values()
        await until(pilot, lambda: run.store.failure is not None)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen))
        await until(pilot, lambda: app.screen.query_one(AgentList).rows)


async def test_leaving_does_not_wait_for_what_has_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asyncio.Event()

    async def ask(*_: object, **__: object) -> None:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("maverick_tui.ui.in_process.find_and_ask", ask)
    monkeypatch.setattr("maverick_tui.ui.leaving.CLOSE_WITHIN", 3_600.0)
    app = MaverickApp(Launch(Path.cwd(), "explorer"), preferences=Preferences())
    async with app.run_test() as pilot:
        await until(pilot, asked.is_set)
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app._exit)


async def test_who_leaves_before_the_first_frame_just_leaves() -> None:
    app = MaverickApp(Launch(Path.cwd(), "explorer"), preferences=Preferences())
    async with app.run_test():
        app.exit(3)
    assert app.return_value == 3


@pytest.mark.parametrize("blurs", ["before anything has the focus", "later"])
async def test_what_is_typed_in_a_window_without_focus_goes_to_the_prompt(blurs: str) -> None:
    class Unfocused(FedApp):
        async def on_event(self, event: Event) -> None:
            if isinstance(event, Mount) and blurs != "later":
                self.post_message(AppBlur())
            await super().on_event(event)

    app = Unfocused()
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.board.runs and app.run_model.handle is not None)
        if blurs == "later":
            app.post_message(AppBlur())
        await until(pilot, lambda: not app.app_focus)
        app.post_message(Paste("pasted "))
        await pilot.press(*"hey")
        assert app.run_screen.prompt.text == "pasted hey"


async def test_who_clicks_on_an_answer_types_on_in_the_prompt() -> None:
    async with watching(begun()) as (app, pilot):
        await pilot.click(app.run_screen.transcript, offset=(12, 3))
        await pilot.press(*"hey")
        assert app.run_screen.prompt.text == "hey"


async def test_a_terminal_that_goes_after_the_end_starts_nothing() -> None:
    app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
    async with app.run_test():
        app.exit(0)
    app._leaving.end_now(129)  # until the loop is closed, a signal still comes here
    assert app.return_value == 0


async def test_who_leaves_while_it_leaves_changes_nothing() -> None:
    app = MaverickApp(Launch(Path.cwd()), preferences=Preferences())
    async with app.run_test() as pilot:
        app._leaving.end_now(0)
        app._leaving.end_now(129)
        await until(pilot, lambda: app._exit)
    assert app.return_value == 0


async def test_a_worker_that_is_ended_before_it_begins_is_not_missed() -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        app = MaverickApp(Launch(Path.cwd(), "explorer"), preferences=Preferences())
        async with app.run_test() as pilot:
            await until(pilot, app._setup.ready.done)
            app._serving.start(next(iter(app.board.runs.values())), "explorer", {}, None)
            app._serving.hold_setup()
            app.workers.cancel_all()
        gc.collect()
    assert not [str(one.message) for one in told if "never awaited" in str(one.message)]


async def test_a_run_without_a_setup_says_what_went_wrong_whatever_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_launch: Launch) -> Any:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("maverick_tui.ui.launch.open_setup", broken)
    app = MaverickApp(Launch(Path.cwd(), "explorer"), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "oops" in _shown(app))
        (run,) = app.board.runs.values()
        assert run.store.phase == "disconnected"


async def test_an_agent_that_is_not_there_says_which_key_leads_to_those_that_are() -> None:
    app = MaverickApp(Launch(Path.cwd(), "nobody"), preferences=Preferences())
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "There is no agent named 'nobody'." in _shown(app))
        assert "^n another agent" in _shown(app)
        await pilot.press("ctrl+n")
        await until(pilot, lambda: isinstance(app.screen, PickerScreen))


@pytest.mark.explore
async def test_what_is_closed_twice_at_once_takes_nothing_else_with_it() -> None:
    async with watching(begun()) as (app, pilot):
        for open_it in (app.action_command_palette, app.action_help):
            open_it()
            await until(pilot, lambda: app.top != "RunScreen" and app.screen.is_mounted, "it is open")
            dismiss = app.screen.dismiss
            for _ in range(2):
                _ = dismiss()
            await until(pilot, lambda: app.top == "RunScreen", "it is closed")


async def test_the_palette_offers_everything_once() -> None:
    async with watching(Tape().connect().prompt("Go").say("An answer.").done()) as (app, pilot):
        for keys in ([], ["tab"], ["ctrl+n"]):
            await pilot.press(*keys)
            await until(pilot, lambda: app.focused is not None)
            titles = [command.title for command in app.get_system_commands(app.screen)]
            assert len(titles) == len(set(titles)), titles
            assert {"Quit", "Help", "Theme"} <= set(titles)
            assert "Keys" not in titles, "there is Help"
