"""MaverickApp: brings the picker, the runs and their screens together."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import work
from textual.screen import Screen

from maverick_tui.inert import one_line
from maverick_tui.paths import too_much
from maverick_tui.ui.board import Board, RunModel
from maverick_tui.ui.launch import Launch, RunSetup, open_setup
from maverick_tui.ui.log_file import kept_log
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.shell import Shell

if TYPE_CHECKING:
    from textual.worker import Worker

    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.runs.events import Event
    from maverick_tui.ui.notifications import Notifier
    from maverick_tui.ui.picker.items import RunSummary
    from maverick_tui.ui.picker.screen import PickerScreen
    from maverick_tui.ui.run.screen import RunScreen

log = logging.getLogger(__name__)

CLOSE_WITHIN = 4.0
SWITCH_INTERVAL = 0.001
"""Seconds that the thread which reads keys waits for the interpreter while another one works; Python says 0.005."""
WARNED_FOR = 60.0
"""Seconds that a warning about the folder is shown, unless somebody clicks it away."""
CHANGES_RUNS = (
    "connected", "connect_failed", "run_named", "turn_started", "turn_ended", "permission_asked", "permission_settled",
)  # fmt: skip
"""What a list of runs shows."""


class MaverickApp(Shell):
    """Mission control. Runs belong to the application: they go on whatever screen is shown."""

    def __init__(
        self, launch: Launch, *, preferences: Preferences | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """Start as the command line says."""
        first = ("lines", "picker") if launch.agent is None else ("run", "prompt", "panel", "status")
        super().__init__(("tokens", *first), preferences)
        self.launch = launch
        self.board = Board(self._event_applied)
        self._notifier: Notifier | None = None
        self._setup: asyncio.Future[RunSetup] | None = None
        self._leaving = asyncio.Event()
        self._clock = clock
        self._shown_picker: PickerScreen | None = None
        self._first: RunModel | None = None
        """The run that the command line asks for."""
        self._left: RunModel | None = None
        """The run that was on the screen last."""

    # -- starting -----------------------------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[Any]:
        """The first screen; a blank one below it would be painted for nothing."""
        self._setup = asyncio.get_running_loop().create_future()
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
        self._entitle(self._first)
        self.theme_changed_signal.subscribe(self, self._theme_changed)
        self._make_ready()
        self._tell_problems(self.preferences.problems, "Preferences")
        if not self.launch.is_demo and (warning := too_much(self.launch.cwd)):
            self.notify(warning, title="Not a project", severity="warning", timeout=WARNED_FOR, markup=False)
        gc.freeze()  # what is there now stays; looking through it would hold up a key each time
        gc.set_threshold(20_000, 50, 1_000)
        gc.enable()

    @work(name="start", exit_on_error=False)
    async def _make_ready(self) -> None:
        """Load what runs need, in threads, and begin with the run that was asked for."""
        from maverick_tui.ui import warmup

        await asyncio.to_thread(warmup.load_runs)
        if self._leaving.is_set():
            return
        self._hold_setup()
        if self._first is not None and self.launch.agent is not None:
            self._start(self._first, self.launch.agent, {}, self.launch.prompt)
        await asyncio.to_thread(warmup.load_engine)
        await self._remap_keys()

    @work(name="setup", group="setup", exit_on_error=False)
    async def _hold_setup(self) -> None:
        """Keep the folder, the settings and a scripted model there for as long as the application runs."""
        from maverick_tui.exceptions import MaverickError

        setup_is = self._setup
        assert setup_is is not None
        try:
            async with open_setup(self.launch) as setup:
                setup_is.set_result(setup)
                if self._shown_picker is not None and self._shown_picker.is_attached:
                    self._shown_picker.set_cwd(setup.cwd)
                await self._leaving.wait()
        except Exception as error:  # whatever it is, those who wait for it are told
            if not isinstance(error, MaverickError | OSError | TimeoutError):
                log.exception("The setup of the runs has failed")
            if not setup_is.done():
                setup_is.set_exception(error)
                setup_is.exception()  # perhaps nobody waits
            text = one_line(str(error) or type(error).__name__)
            self.notify(text, title="Maverick cannot start runs", severity="error", timeout=30, markup=False)

    # -- the picker ---------------------------------------------------------------------------------------------------

    def _picker(self) -> PickerScreen:
        cwd = self._setup_result().cwd if self._setup_is_ready() else None if self.launch.is_demo else self.launch.cwd
        from maverick_tui.ui.picker.screen import PickerScreen

        self._shown_picker = PickerScreen(
            cwd, runs=self._summaries(), badge=self.launch.badge, folder=self.launch.folder
        )
        return self._shown_picker

    def _setup_result(self) -> RunSetup:
        assert self._setup is not None
        return self._setup.result()

    def _setup_is_ready(self) -> bool:
        return self._setup is not None and self._setup.done() and self._setup.exception() is None

    def _summaries(self) -> list[RunSummary]:
        if not self.board.runs:
            return []
        from maverick_tui.runs.truth import truth
        from maverick_tui.ui.picker.items import RunSummary

        out = []
        for run in self.board.runs.values():
            now = truth(run.store, self._clock())
            title = run.store.name or run.store.first_prompt
            out.append(RunSummary(run.run_id, run.agent, now.word, now.glyph, now.detail, title))
        return out

    def _go_to(self, screen: Screen[Any]) -> None:
        """Show a screen instead of the one that is there; a run's draft is not lost by it."""
        from maverick_tui.ui.run.screen import RunScreen

        if isinstance(self.screen, RunScreen) and self.screen.run.run_id in self.board.runs:
            self._left = self.screen.run
            self._left.draft = self.screen.draft
        self._entitle(screen.run if isinstance(screen, RunScreen) else None)
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
        if self._setup is not None and self._setup.done() and self._setup.exception() is not None:
            self._setup = asyncio.get_running_loop().create_future()  # what was wrong may have been put right
            self._hold_setup()
        run.revive = None
        serve = partial(self._serve, run, agent, dict(inputs), prompt)
        _worker: Worker[None] = self.run_worker(serve, name=run.run_id, group="runs", exit_on_error=False)

    def _show_run(self, run: RunModel) -> None:
        self._go_to(self._run_screen(run))

    def _run_screen(self, run: RunModel) -> RunScreen:
        from maverick_tui.ui.run.screen import RunScreen

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
        from maverick_tui.ui.serving import ask_first, serve_run

        assert self._setup is not None

        def receive(event: Event) -> None:
            if event.type == "connect_failed" and run.handle is None:  # it has not even begun
                run.revive = lambda: self._start(run, agent, inputs, prompt)
            self.board.receive(run, event)

        asked = await ask_first(self, run, agent, inputs, self._setup, receive)
        if asked is None:
            return
        found, given = asked
        await serve_run(
            run,
            found,
            given,
            self._setup,
            on_event=receive,
            on_draft=lambda text: self._suggest(run, text),
            prompt=prompt,
        )

    def _suggest(self, run: RunModel, text: str) -> None:
        """Put a prompt into an empty editor: the agent's own, or the demo's."""
        screen = self._screen_of(run)
        if run.store.queue or run.store.entries:
            return  # the person was faster
        from maverick_tui.ui.widgets.prompt import typed

        run.suggestion = text = typed(text)  # as the prompt has it, so that it is known again
        if screen is None or not screen.is_mounted:
            run.draft = run.draft or text
        elif not screen.prompt.text:
            screen.prompt.set_text(text)

    def _screen_of(self, run: RunModel) -> RunScreen | None:
        from maverick_tui.ui.run.screen import RunScreen

        for screen in reversed(self.screen_stack):
            if isinstance(screen, RunScreen) and screen.run is run:
                return screen
        return None

    def _entitle(self, run: RunModel | None) -> None:
        """Say in the title of the terminal's window which run is shown, and how it is."""
        if run is None:
            self.entitle()
            return
        from maverick_tui.runs.truth import headline

        now = headline(run.store)
        self.entitle(f"{now.glyph} {run.title}: {now.word}")

    def _event_applied(self, run: RunModel, event: Event) -> None:
        screen = self._screen_of(run)
        if screen is not None:
            screen.event_applied(event)
        if event.type == "block_grew" or run.run_id not in self.board.runs:
            return
        if screen is not None:
            self._entitle(run)
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
        from maverick_tui.ui.run.screen import RunScreen

        if isinstance(self.screen, RunScreen):
            other = self.board.beside(self.screen.run, event.direction)
            if other is not self.screen.run:
                self._show_run(other)

    # -- closing a run ------------------------------------------------------------------------------------------------

    def on_run_screen_close_wanted(self) -> None:
        """Close the run on the screen."""
        from maverick_tui.ui.run.screen import RunScreen

        if isinstance(self.screen, RunScreen):
            self._close_run(self.screen.run)

    def on_picker_screen_close_requested(self, event: PickerScreen.CloseRequested) -> None:
        """Close a run of the list."""
        if (run := self.board.runs.get(event.run_id)) is not None:
            self._close_run(run)

    def _close_run(self, run: RunModel) -> None:
        """End a run and forget it; if something would be lost, ask first."""
        from maverick_tui.ui.dialogs.closing import before_closing

        if (question := before_closing(run, self._draft_of(run), is_at_work=run in self.board.at_work)) is None:
            self._forget_run(run)
        else:
            _ = self.push_screen(question, lambda yes: self._forget_run(run) if yes else None)

    def _draft_of(self, run: RunModel) -> str:
        screen = self._screen_of(run)
        return screen.draft if screen is not None and screen.is_mounted else run.draft

    def _forget_run(self, run: RunModel) -> None:
        if run.run_id not in self.board.runs:
            return
        screen, beside = self._screen_of(run), self.board.remove(run)
        self._left = beside if self._left is run else self._left
        run.close()
        if run.handle is None:  # it waits for its setup, or for an answer to a dialog, and would wait on
            for worker in self.workers:
                if worker.name == run.run_id:
                    worker.cancel()
        if screen is not None:
            self._go_to(self._run_screen(beside) if beside is not None else self._picker())
        elif self._shown_picker is not None and self._shown_picker is self.screen:
            self._shown_picker.runs = self._summaries()

    # -- leaving ------------------------------------------------------------------------------------------------------

    def _end_on_signals(self) -> None:
        """End in good order when the terminal goes, or somebody asks for it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            if (number := getattr(signal, name, None)) is not None:
                with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; not the main thread
                    loop.add_signal_handler(number, self._end_now, 128 + number)

    def _end_now(self, code: int) -> None:
        if self.is_running and not self._leaving.is_set():  # a window that closes while we leave says so once more
            self._leaving.set()
            self._leave(code)

    async def action_quit(self) -> None:
        """Quit; with an agent at work, or something that was not sent, ask first."""
        from maverick_tui.ui.dialogs.closing import before_quitting
        from maverick_tui.ui.dialogs.confirm import ConfirmScreen

        if isinstance(self.screen, ConfirmScreen):
            return
        question = before_quitting({run: self._draft_of(run) for run in self.board.runs.values()})
        if question is None:
            self._end_now(0)
        else:
            _ = self.push_screen(question, lambda yes: self._end_now(0) if yes else None)

    @work(name="leave", exit_on_error=False)
    async def _leave(self, code: int) -> None:
        """Close every run, so that no CLI stays behind, and then the application."""
        waiting = [worker for worker in self.workers if worker.group in ("runs", "setup") and worker.is_running]
        for run in self.board.runs.values():
            run.close()
        for worker in waiting:  # one that waits for its setup, or for an answer to a dialog, would wait on
            if worker.name in self.board.runs and self.board.runs[worker.name].handle is None:
                worker.cancel()
        if waiting:
            with suppress(TimeoutError, asyncio.TimeoutError):
                async with asyncio.timeout(CLOSE_WITHIN):
                    await asyncio.gather(*(worker.wait() for worker in waiting), return_exceptions=True)
        self.exit(code)


def run_app(launch: Launch) -> int:
    """Run the application; its exit code."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        with kept_log():
            app = MaverickApp(launch)
            app.run()
    finally:
        sys.setswitchinterval(interval)
    return app.return_code or app.return_value or 0
