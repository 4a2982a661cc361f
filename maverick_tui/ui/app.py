"""MaverickApp: brings the picker, the runs and their screens together."""

from __future__ import annotations

import asyncio
import gc
import logging
import re
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import Theme

from maverick_tui import paths
from maverick_tui.inert import one_line
from maverick_tui.ui.board import Board, RunModel
from maverick_tui.ui.launch import Launch
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.themes import THEMES
from maverick_tui.ui.waiting_keys import WaitingKeys

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.events import Event as InputOrOther

    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.runs.events import Event
    from maverick_tui.ui.notifications import Notifier
    from maverick_tui.ui.picker.items import RunSummary
    from maverick_tui.ui.picker.screen import PickerScreen
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.screens.run import RunScreen
    from maverick_tui.ui.stage import Stage

log = logging.getLogger(__name__)

QUIT_AGAIN_WITHIN = 2.0
CLOSE_WITHIN = 4.0
CHANGES_RUNS = ("connected", "connect_failed", "turn_started", "turn_ended", "permission_asked", "permission_settled")
"""What a list of runs shows."""


class MaverickApp(App[int]):
    """Mission control. Runs belong to the application: they go on whatever screen is shown."""

    TITLE = "Maverick"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy_or_quit", "Copy the selection; twice: quit", id="app.quit", priority=True, show=False),
        Binding("ctrl+q", "quit", "Quit", id="app.quit_now", priority=True, show=False),
        Binding("f1", "help", "Help", id="app.help", priority=True),
        Binding("ctrl+z", "suspend_process", "Suspend", id="app.suspend", priority=True, show=False),
    ]

    def __init__(
        self, launch: Launch, *, preferences: Preferences | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """Start as the command line says."""
        # Textual loads the styles of every screen but the first by itself.
        first = ("lines", "picker") if launch.agent is None else ("run", "prompt", "panel", "status")
        super().__init__(css_path=[paths.shipped("styles") / f"{name}.tcss" for name in ("tokens", *first)])
        self.launch = launch
        self.board = Board(self._event_applied)
        self.preferences = preferences or Preferences.load()
        self._notifier: Notifier | None = None
        self._stage: asyncio.Future[Stage] | None = None
        self._ctrl_c_at = 0.0
        self._leaving = asyncio.Event()
        self._waiting_keys = WaitingKeys(self)
        self._clock = clock
        self._shown_picker: PickerScreen | None = None
        self._first: RunModel | None = None
        """The run that the command line asks for."""
        self._left: RunModel | None = None
        """The run that was on the screen last."""
        for theme in THEMES:
            self.register_theme(theme)
        chosen = self.preferences.theme if self.preferences.theme in self.available_themes else THEMES[0].name
        # Assigned, it would have all styles parsed once more after the first frame.
        self.set_reactive(App.theme, chosen)
        self.stylesheet.set_variables(self.get_css_variables())

    # -- starting ---------------------------------------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """The way to the terminal."""
        if sys.platform == "win32":
            return super().get_driver_class()
        from maverick_tui.ui.driver import TerminalDriver

        return TerminalDriver

    def get_default_screen(self) -> Screen[Any]:
        """The first screen; a blank one below it would be painted for nothing."""
        self._stage = asyncio.get_running_loop().create_future()
        screen: Screen[Any]
        if self.launch.agent is None:
            screen = self._picker()
        else:
            self._first = self._new_run(self.launch.agent)
            screen = self._run_screen(self._first)
        # Textual gives every screen but the first one a callback, and wants it back when it is switched away from.
        screen._push_result_callback(screen, None)
        return screen

    def on_mount(self) -> None:
        """What the first screen does not need comes after it has been painted."""
        self._end_on_signals()
        self.call_after_refresh(self._after_first_frame)

    def _after_first_frame(self) -> None:
        if not self.is_running:  # somebody has left before there was anything to see
            return
        self.theme_changed_signal.subscribe(self, self._theme_changed)
        self.run_worker(self._make_ready(), name="start", exit_on_error=False)
        for problem in self.preferences.problems:
            self.notify(problem, title="Preferences", severity="warning", timeout=15, markup=False)
        gc.freeze()  # what is there now stays; looking through it would hold up a key each time
        gc.set_threshold(20_000, 50, 1_000)
        gc.enable()

    async def _make_ready(self) -> None:
        """Load what runs need, in threads, and begin with the run that was asked for."""
        from maverick_tui.ui import warmup

        await asyncio.to_thread(warmup.load_runs)
        self.run_worker(self._hold_stage(), name="stage", group="stage", exit_on_error=False)
        if self._first is not None and self.launch.agent is not None:
            self._start(self._first, self.launch.agent, {}, self.launch.prompt)
        await asyncio.to_thread(warmup.load_engine)
        await self._remap_keys()

    async def _hold_stage(self) -> None:
        """Keep the folder, the settings and a scripted model there for as long as the application runs."""
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.ui.stage import open_stage

        stage_is = self._stage
        assert stage_is is not None
        try:
            async with open_stage(self.launch) as stage:
                stage_is.set_result(stage)
                if self._shown_picker is not None and self._shown_picker.is_attached:
                    self._shown_picker.set_cwd(stage.cwd)
                await self._leaving.wait()
        except Exception as error:  # whatever it is, those who wait for it are told
            if not isinstance(error, MaverickError | OSError | TimeoutError):
                log.exception("The stage of the runs has failed")
            if not stage_is.done():
                stage_is.set_exception(error)
                stage_is.exception()  # perhaps nobody waits
            text = one_line(str(error) or type(error).__name__)
            self.notify(text, title="Maverick cannot start runs", severity="error", timeout=30, markup=False)

    def _end_on_signals(self) -> None:
        """End in good order when the terminal goes, or somebody asks for it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            if (number := getattr(signal, name, None)) is not None:
                with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; not the main thread
                    loop.add_signal_handler(number, self._end_now, 128 + number)

    def _end_now(self, code: int) -> None:
        self.run_worker(self._leave(code), name="leave", exit_on_error=False)

    async def on_event(self, event: InputOrOther) -> None:
        """Take an event; keys that no screen can take yet wait for it."""
        if not self._waiting_keys.keep(event):
            await super().on_event(event)

    async def on_descendant_focus(self) -> None:
        """A screen can be typed to."""
        for event in self._waiting_keys.take():
            await super().on_event(event)

    # -- the picker -------------------------------------------------------------------------------------------------

    def _picker(self) -> PickerScreen:
        cwd = self._stage_result().cwd if self._stage_is_ready() else None if self.launch.is_demo else self.launch.cwd
        from maverick_tui.ui.picker.screen import PickerScreen

        self._shown_picker = PickerScreen(
            cwd, runs=self._summaries(), badge=self.launch.badge, folder=self.launch.folder
        )
        return self._shown_picker

    def _stage_result(self) -> Stage:
        assert self._stage is not None
        return self._stage.result()

    def _stage_is_ready(self) -> bool:
        return self._stage is not None and self._stage.done() and self._stage.exception() is None

    def _summaries(self) -> list[RunSummary]:
        if not self.board.runs:
            return []
        from maverick_tui.runs.truth import truth
        from maverick_tui.ui.picker.items import RunSummary

        out = []
        for run in self.board.runs.values():
            now = truth(run.store, self._clock())
            out.append(RunSummary(run.run_id, run.agent, now.word, now.glyph, now.detail))
        return out

    def _go_to(self, screen: Screen[Any]) -> None:
        """Show a screen instead of the one that is there; a run's draft is not lost by it."""
        from maverick_tui.ui.screens.run import RunScreen

        if isinstance(self.screen, RunScreen):
            self._left = self.screen.run
            self._left.draft = self.screen.prompt.text
        _ = self.switch_screen(screen)

    def on_picker_screen_agent_chosen(self, event: PickerScreen.AgentChosen) -> None:
        """An agent is to be run."""
        run = self._new_run(event.listing.name)
        self._show_run(run)
        self._start(run, event.listing, event.inputs, None)

    def on_picker_screen_back_requested(self) -> None:
        """Back to the run from which one came."""
        if self._left is not None:
            self._show_run(self._left)

    def on_picker_screen_run_chosen(self, event: PickerScreen.RunChosen) -> None:
        """A run is to be shown."""
        if (run := self.board.runs.get(event.run_id)) is not None:
            self._show_run(run)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def _new_run(self, agent: str) -> RunModel:
        from maverick_tui.ui.widgets.prompt_history import PromptHistory

        run = RunModel(uuid.uuid4().hex[:12], agent, self.board, PromptHistory(self.launch.cwd))
        self.board.add(run)
        return run

    def _start(
        self, run: RunModel, agent: AgentListing | str, inputs: Mapping[str, object], prompt: str | None
    ) -> None:
        """Serve a run; it connects while the person is still typing."""
        if self._stage is not None and self._stage.done() and self._stage.exception() is not None:
            self._stage = asyncio.get_running_loop().create_future()  # what was wrong may have been put right
            self.run_worker(self._hold_stage(), name="stage", group="stage", exit_on_error=False)
        run.revive = None
        self.run_worker(
            self._serve(run, agent, dict(inputs), prompt), name=run.run_id, group="runs", exit_on_error=False
        )

    def _show_run(self, run: RunModel) -> None:
        self._go_to(self._run_screen(run))

    def _run_screen(self, run: RunModel) -> RunScreen:
        from maverick_tui.ui.screens.run import RunScreen

        return RunScreen(
            run,
            palette=self.text_palette,
            verbosity=self.preferences.verbosity,
            is_panel_closed=self.preferences.is_panel_closed,
            badge=self.launch.badge,
            clock=self._clock,
        )

    async def _serve(
        self, run: RunModel, agent: AgentListing | str, inputs: dict[str, object], prompt: str | None
    ) -> None:
        """The worker of a run: from its beginning to its end, whatever is on the screen."""
        from maverick_tui.ui.serving import serve_run

        assert self._stage is not None

        def receive(event: Event) -> None:
            if event.type == "connect_failed" and run.handle is None:  # it has not even begun
                run.revive = lambda: self._start(run, agent, inputs, prompt)
            self.board.receive(run, event)

        found, given = agent, inputs
        if isinstance(agent, str):
            asked = await self._ask_before(run, agent, receive)
            if asked is None:
                return
            found, given = asked
        await serve_run(
            run,
            found,
            given,
            self._stage,
            on_event=receive,
            on_draft=lambda text: self._suggest(run, text),
            prompt=prompt,
        )

    async def _ask_before(
        self, run: RunModel, name: str, receive: Callable[[Event], None]
    ) -> tuple[AgentListing | str, dict[str, object]] | None:
        """Find a named agent, and ask what the picker would have asked; None if it may not run."""
        from maverick_tui.exceptions import ConfigError
        from maverick_tui.ui.dialogs.before_run import Refused, ask_before_run
        from maverick_tui.ui.serving import find_agent, refuse

        assert self._stage is not None
        try:
            listing = await asyncio.to_thread(find_agent, name, (await asyncio.shield(self._stage)).cwd)
        except Exception:
            return name, {}  # the run meets the same error, and tells it
        asked = await ask_before_run(self, listing)
        if isinstance(asked, Refused):
            reason = asked.reason or "Its inputs were not filled in: nothing was run."
            refuse(run, ConfigError(reason, hint="Start again, or choose another agent."), receive)
            return None
        return listing, dict(asked.inputs)

    def _suggest(self, run: RunModel, text: str) -> None:
        """Put a prompt into an empty editor: the agent's own, or the demo's."""
        screen = self._screen_of(run)
        if run.store.queue or run.store.entries:
            return  # the person was faster
        if screen is None or not screen.is_mounted:
            run.draft = run.draft or text
        elif not screen.prompt.text:
            screen.prompt.set_text(text)

    def _screen_of(self, run: RunModel) -> RunScreen | None:
        from maverick_tui.ui.screens.run import RunScreen

        for screen in self.screen_stack:
            if isinstance(screen, RunScreen) and screen.run is run:
                return screen
        return None

    def _event_applied(self, run: RunModel, event: Event) -> None:
        screen = self._screen_of(run)
        if screen is not None:
            screen.event_applied(event)
        if event.type == "block_grew":
            return
        if event.type in CHANGES_RUNS and self._shown_picker is not None and self._shown_picker is self.screen:
            self._shown_picker.runs = self._summaries()
        if self._notifier is None:
            from maverick_tui.ui.notifications import Notifier

            self._notifier = Notifier()
        alert = self._notifier.told(run.agent, event, has_focus=self.app_focus and screen is not None, run=run.run_id)
        if alert is not None and not self.is_headless:
            if alert.rings and self.preferences.has_bell:
                self.bell()
            if alert.escape and self.preferences.has_notifications and self._driver is not None:
                self._driver.write(alert.escape)
        if alert is not None and screen is None:
            self.notify(alert.text, title=one_line(run.agent), markup=False)

    def on_run_screen_new_run_wanted(self) -> None:
        """Another agent is wanted."""
        self._go_to(self._picker())

    def on_run_screen_other_run_wanted(self, event: RunScreen.OtherRunWanted) -> None:
        """Another run is to be shown."""
        from maverick_tui.ui.screens.run import RunScreen

        if isinstance(self.screen, RunScreen):
            other = self.board.beside(self.screen.run, event.direction)
            if other is not self.screen.run:
                self._show_run(other)

    # -- looks --------------------------------------------------------------------------------------------------------

    def text_palette(self) -> Palette:
        """The colours of text in the theme of the moment."""
        from maverick_tui.ui.rendering.palette import Palette

        theme: Theme = self.current_theme
        variables = self.theme_variables
        return Palette.of(
            variables,
            background=variables["background"],
            foreground=variables["foreground"],
            dark=theme.dark,
            ansi=theme.ansi,
        )

    def _theme_changed(self, theme: Theme) -> None:
        from maverick_tui.ui.screens.run import RunScreen

        self.preferences.change(theme=theme.name)
        for screen in self.screen_stack:
            if isinstance(screen, RunScreen):
                screen.transcript.restyle()

    def on_run_screen_verbosity_changed(self, event: RunScreen.VerbosityChanged) -> None:
        """Remember how much is to be shown."""
        self.preferences.change(verbosity=event.verbosity)

    def on_run_screen_panel_toggled(self, event: RunScreen.PanelToggled) -> None:
        """Remember whether the panel is open."""
        self.preferences.change(is_panel_closed=event.is_closed)

    async def _remap_keys(self) -> None:
        """Take the person's own keys; in a thread, since all screens are imported to know what there is a key for."""
        from maverick_tui.ui.key_ids import own_keys

        keymap, problems = await asyncio.to_thread(own_keys)
        for problem in problems:
            self.notify(problem, title="Keys", severity="warning", timeout=15, markup=False)
        if keymap:
            from maverick_tui.ui.screens.run import RunScreen

            self.set_keymap(keymap)
            for screen in self.screen_stack:
                if isinstance(screen, RunScreen) and screen.is_mounted:
                    screen.keys_changed()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the palette offers besides the commands of the screen."""
        yield from super().get_system_commands(screen)
        from maverick_tui.ui.palette_commands import screen_commands

        yield from screen_commands(screen)
        yield SystemCommand(
            "Bell: off" if self.preferences.has_bell else "Bell: on",
            "Ring when a run ends or needs you",
            lambda: self.preferences.change(has_bell=not self.preferences.has_bell),
        )
        yield SystemCommand(
            "Notifications: off" if self.preferences.has_notifications else "Notifications: on",
            "Desktop notification when a run ends or needs you",
            lambda: self.preferences.change(has_notifications=not self.preferences.has_notifications),
        )

    def get_key_display(self, binding: Binding) -> str:
        """A key as keyboards have it: F5 and PgUp, and not f5 and pgup."""
        display, names = super().get_key_display(binding).replace("⏎", "enter"), {"pgup": "PgUp", "pgdn": "PgDn"}
        return re.sub(r"\b[a-z]\w+", lambda name: names.get(name[0], name[0].capitalize()), display)

    def action_help(self) -> None:
        """Show what the keys do here."""
        from maverick_tui.ui.screens.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.action_close()
        else:
            _ = self.push_screen(HelpScreen())

    # -- leaving ------------------------------------------------------------------------------------------------------

    def action_copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, the second time within two seconds, quit."""
        from textual.widgets import Input, TextArea

        focused = self.focused
        typed = focused.selected_text if isinstance(focused, TextArea | Input) else ""
        if selected := self.screen.get_selected_text() or typed:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
            self.notify(f"Copied {len(selected):,} characters.", timeout=2)
            return
        now = time.monotonic()
        if now - self._ctrl_c_at <= QUIT_AGAIN_WITHIN:
            self.run_worker(self.action_quit(), exit_on_error=False)
            return
        self._ctrl_c_at = now
        self.notify("Press Ctrl+C again to quit.", timeout=QUIT_AGAIN_WITHIN)

    async def action_quit(self) -> None:
        """Quit; with an agent at work, ask first."""
        from maverick_tui.ui.dialogs.confirm import ConfirmScreen

        if isinstance(self.screen, ConfirmScreen):
            return
        running = self.board.at_work
        if not running:
            self._end_now(0)
            return
        names = ", ".join(run.agent for run in running)
        what = "is" if len(running) == 1 else "are"
        dialog = ConfirmScreen(
            "Quit while an agent is at work?",
            f"{names} {what} still running. Quitting interrupts; what came so far is not kept after the end.",
            yes="Quit",
            no="Stay",
        )
        _ = self.push_screen(dialog, lambda yes: self._end_now(0) if yes else None)

    async def _leave(self, code: int) -> None:
        """Close every run, so that no CLI stays behind, and then the application."""
        self._leaving.set()
        waiting = [worker for worker in self.workers if worker.group in ("runs", "stage") and worker.is_running]
        for run in self.board.runs.values():
            run.close()
        for worker in waiting:  # one that waits for its stage, or for an answer to a dialog, would wait on
            if worker.name in self.board.runs and self.board.runs[worker.name].handle is None:
                worker.cancel()
        if waiting:
            with suppress(TimeoutError, asyncio.TimeoutError):
                async with asyncio.timeout(CLOSE_WITHIN):
                    await asyncio.gather(*(worker.wait() for worker in waiting), return_exceptions=True)
        self.exit(code)


def run_app(launch: Launch) -> int:
    """Run the application; its exit code."""
    app = MaverickApp(launch)
    app.run()
    return app.return_code or app.return_value or 0
