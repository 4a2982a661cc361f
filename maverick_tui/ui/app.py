"""MaverickApp: brings the picker, the runs and their screens together."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import select
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import work
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.events import InputEvent, Key, MouseDown, Paste
from textual.notifications import Notify, SeverityLevel
from textual.screen import Screen
from textual.theme import Theme

from maverick_tui import paths
from maverick_tui.inert import inert, one_line
from maverick_tui.ownership import strangers_repository
from maverick_tui.runs.board import Board, RunModel
from maverick_tui.threads import wait_for_awaited
from maverick_tui.ui.board.visiting import BoardVisits
from maverick_tui.ui.changes.visiting import ChangesVisits
from maverick_tui.ui.drawn import Drawn
from maverick_tui.ui.far_runs import FarRuns
from maverick_tui.ui.forking import Forks
from maverick_tui.ui.history.visiting import HistoryVisits
from maverick_tui.ui.inbox.asking_elsewhere import AskingElsewhere
from maverick_tui.ui.inbox.visiting import InboxVisits
from maverick_tui.ui.kept_runs import KeptRuns
from maverick_tui.ui.launch import HeldSetup, Launch, load_rest, load_runs
from maverick_tui.ui.leaving import Leaving
from maverick_tui.ui.log_file import kept_log
from maverick_tui.ui.meant_clicks import MeantClicks
from maverick_tui.ui.meant_keys import MeantKeys, let_typing_arrive, may_go_elsewhere
from maverick_tui.ui.navigation import NamesKeys, Navigation, TypedKeys
from maverick_tui.ui.preferences import Preferences
from maverick_tui.ui.serving import Serving
from maverick_tui.ui.textual_private.asking import (
    let_be_left,
    notices,
    on_crash,
    steadied,
    terminal_driver,
    withdraw,
    write_beside,
)
from maverick_tui.ui.textual_private.timers import let_late_timers_go_off
from maverick_tui.ui.textual_private.widths import give_marks_cells, gives_marks_cells
from maverick_tui.ui.themes import theme_commands, use_themes
from maverick_tui.ui.told_work import work_told
from maverick_tui.ui.unfinished import tidy_snapshots
from maverick_tui.ui.worktrees import Worktrees

if TYPE_CHECKING:
    from textual.driver import Driver
    from textual.events import Event as InputOrOther

    from maverick_tui.events.kinds import AgentLoaded, Event
    from maverick_tui.ui.alerts import Alerts
    from maverick_tui.ui.board.screen import BoardScreen
    from maverick_tui.ui.board.side_by_side import SideBySideScreen
    from maverick_tui.ui.changes.screen import ChangesScreen
    from maverick_tui.ui.history.screen import HistoryScreen
    from maverick_tui.ui.inbox.screen import InboxScreen
    from maverick_tui.ui.picker.screen import PickerScreen
    from maverick_tui.ui.run.screen import RunScreen

SWITCH_INTERVAL = 0.0002
"""Seconds that the thread which reads keys waits for the interpreter while another one works; Python says 0.005."""
GARBAGE = (2_000, 500, 1_000)
"""When to look for garbage. A look through 20,000 objects holds up a key for 6 ms; one through 2,000 nobody notices."""
WARNED_FOR = 60.0
"""Seconds that a warning about the folder is shown, unless somebody clicks it away."""
QUIT_AGAIN_WITHIN = 2.0
READ_WITHIN = 2.0
"""Seconds in which a terminal takes what is said at the end, or is not told."""
CLEAR = "\x1b[0m\x1b[2J"
MOST_NOTICES = 2
"""Notices that are shown at a time: they cover what one reads."""
CHANGES_RUNS = (
    "connected", "connect_failed", "run_named", "turn_started", "turn_ended", "permission_asked", "permission_settled",
    "continue_planned", "continue_called_off", "task_progressed",
)  # fmt: skip
"""What a list of runs shows."""


class MaverickApp(App[int]):
    """Mission control. Runs go on whatever screen is shown, in processes of their own."""

    TITLE = "Maverick"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy_or_quit", "Copy the selection; twice: quit", id="app.quit", priority=True, show=False),
        Binding("ctrl+q", "quit", "Quit", id="app.quit_now", priority=True, show=False),
        Binding("f1", "help", "Help", id="app.help", priority=True),
        Binding("ctrl+p", "command_palette", "All commands", id="app.palette", priority=True, show=False),
        Binding("alt+i", "inbox", "Inbox: the questions of all runs", id="app.inbox", priority=True, show=False),
        Binding(
            "alt+n", "next_needing", "To the next run that needs you", id="app.next_needing", priority=True, show=False
        ),
        Binding("ctrl+l", "redraw", "Draw the screen anew", id="app.redraw", priority=True, show=False),
        Binding("ctrl+z", "suspend_process", "Suspend", id="app.suspend", priority=True, show=False),
    ]

    def __init__(
        self, launch: Launch, *, preferences: Preferences | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        """Start as the command line says, with the styles of the first screen; Textual loads those of others."""
        shows_run = launch.agent is not None or launch.replays is not None
        place = "prompt" if launch.replays is None else "replay"
        first = ("run", "panel", "status", place) if shows_run else ("lines", "picker")
        let_late_timers_go_off()
        super().__init__(css_path=[paths.shipped("styles") / f"{name}.tcss" for name in ("tokens", *first)])
        self.launch = launch
        self.preferences = preferences or Preferences.load()
        use_themes(self, self.preferences.theme)
        on_crash(self, self._end_after_failure)
        self.board = Board(self._event_applied)
        self._setup = HeldSetup(launch)
        self._alerts: Alerts | None = None
        self._typed = TypedKeys(self)
        self._meant = MeantKeys(self, self._take)
        self._clicks = MeantClicks()
        self._drawn = Drawn(self)
        self.when_drawn = self._drawn.then
        self.keys_pressed = 0
        """How many keys there were: by that it is known whether another one was in between."""
        self.went_elsewhere_at = 0.0
        """When a key or a click came that may go to another question: one that answers may overtake it."""
        self._clock = clock
        self._navigation = Navigation(self, self.board, launch, self._setup, self.preferences, clock)
        self._leaving = Leaving(self, self.board, self._navigation)
        is_to_start = not (launch.attaches or launch.opens)
        self._serving = Serving(self, self._setup, self._navigation, self._leaving.begun, is_to_start=is_to_start)
        self._kept = KeptRuns(self, self.board, self._navigation, self._serving, lambda: self._setup.cwd)
        self._serving.kept = self._kept
        self._far = FarRuns(self, self.board, self._navigation, self._kept.give_back, self._leaving.begun)
        self._history = HistoryVisits(self, self.board, clock)
        self._boards = BoardVisits(
            self, self.board, self._navigation, self.preferences, clock, self._serving.attach, self._far.attach
        )
        self._inbox = InboxVisits(self, self.board, self._navigation, self._serving, self._far, clock)
        self._forks = Forks(self, self.board, self._navigation, self._serving.go_on, self._kept.folder_of)
        self._changes = ChangesVisits(self, self.board, self._navigation, self._open_listed)
        self._boards.guest_heard = self._changes.hear
        self._worktrees = Worktrees(self, self.board)
        self._ctrl_c_at = 0.0
        self._first: RunModel | None = None
        """The run that the command line asks for."""

    # -- starting -----------------------------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[Any]:
        """The first screen; a blank one below it would be painted for nothing."""
        screen: Screen[Any]
        if (recording := self.launch.replays) is not None:
            screen = self._navigation.make_replay(lambda: recording, self.launch.speed)
        elif self.launch.agent is None:
            screen = self._navigation.make_picker()
        else:
            forked = self.launch.forks.run_id if self.launch.forks is not None else ""
            known = self.launch.resumes or self.launch.opens or self.launch.attaches or forked
            self._first = self._new_run(self.launch.agent, known)
            self._first.fuse = self.launch.fuse
            self._first.is_read_only = self.launch.is_read_only
            self._first.wants_worktree = self.launch.worktree
            self._first.has_journal = bool(self.launch.resumes)
            if self.launch.opens:
                self._kept.await_reading(self._first)
            screen = self._navigation.make_run_screen(self._first)
        let_be_left(screen)
        return screen

    def on_mount(self) -> None:
        """What the first screen does not need comes after it has been painted."""
        self._leaving.end_on_signals()
        self.call_after_refresh(self._after_first_frame)

    def _after_first_frame(self) -> None:
        if not self.is_running:  # somebody has left before there was anything to see
            return
        self._navigation.entitle(self._first)
        self.theme_changed_signal.subscribe(self, self._theme_changed)
        self.app_resume_signal.subscribe(self, lambda _app: self._come_back())
        self._make_ready()
        self._tell_problems(self.preferences.problems, "Preferences")
        works_here = not self.launch.is_demo and self.launch.replays is None and not self.launch.attaches
        if works_here:
            stranger = strangers_repository(self.launch.cwd)
            self._warn("Not a project", paths.too_much(self.launch.cwd))
            self._warn("Another user's repository", stranger.words if stranger else "")

    def _warn(self, title: str, warning: str) -> None:
        if warning:
            self.notify(warning, title=title, severity="warning", timeout=WARNED_FOR, markup=False)

    @work(name="start", exit_on_error=False)
    async def _make_ready(self) -> None:
        """Get ready for what is to be done; what is there then stays, and is not looked through for garbage again."""
        try:
            await self._load_and_begin()
        finally:
            gc.freeze()
            gc.set_threshold(*GARBAGE)
            gc.enable()

    async def _load_and_begin(self) -> None:
        """Load what runs need, in threads, and begin with the run that was asked for. A replay needs nothing of it."""
        if not self.is_headless and gives_marks_cells(os.environ):
            await asyncio.to_thread(give_marks_cells)
        if self.launch.replays is not None:
            await self._take_own_keys()
            return
        await asyncio.to_thread(load_runs)
        if self._leaving.begun.is_set():
            return
        self._serving.hold_setup(is_for_run=self._first is not None and not (self.launch.opens or self.launch.attaches))
        self._kept.follow_returning()
        if self._first is not None and self.launch.opens:
            self.open_kept(self.launch.opens, self.launch.opens_at)
        elif self._first is not None and self.launch.machine:
            self._far.attach(self._first, self.launch.machine)
        elif self._first is not None and self.launch.attaches:
            self._serving.attach(self._first)
        elif self._first is not None and self.launch.resumes:
            self._kept.resume(self._first, self.launch.prompt, self.launch.cwd)
        elif self._first is not None and self.launch.forks is not None:
            self._forks.begin(self._first, self.launch.forks, self.launch.prompt or "")
        elif self._first is not None and self.launch.agent is not None:
            self._serving.start(self._first, self.launch.agent, {}, self.launch.prompt)
        await asyncio.to_thread(load_rest)
        self._changes.read_styles()
        await self._take_own_keys()
        work_told(self, AskingElsewhere(self, self.board, self._navigation).look(), group="asking", title="Other runs")
        if not self.launch.is_demo:
            self._far.look()
            self._worktrees.tidy()
            tidy_snapshots(self)

    async def _take_own_keys(self) -> None:
        """Take the person's own keys; in a thread, since all screens are imported to know what there is a key for."""
        from maverick_tui.ui.own_keys import own_keys

        keymap, problems = await asyncio.to_thread(own_keys, type(self))
        self._tell_problems(problems, "Keys")
        if keymap:
            self.set_keymap(keymap)
            for screen in self.screen_stack:
                if isinstance(screen, NamesKeys):  # one that is coming up has perhaps named them already
                    screen.call_after_refresh(screen.keys_changed)

    # -- from screen to screen ----------------------------------------------------------------------------------------

    def on_picker_screen_agent_chosen(self, event: PickerScreen.AgentChosen) -> None:
        """An agent is to be run."""
        run = self._new_run(event.listing.name)
        run.wants_worktree = event.worktree
        self._navigation.show_run(run)
        self._serving.start(run, event.listing, event.inputs, None)

    def on_picker_screen_run_chosen(self, event: PickerScreen.RunChosen) -> None:
        """A run is to be shown."""
        self._open_listed(event.run_id)

    def _open_listed(self, run_id: str) -> None:
        """Show a run; one that is not on the board lives in a process of its own, or has ended meanwhile."""
        run = self.board.runs.get(run_id.rpartition(":")[2])
        if run is not None and run.rest is not None and run.rest.machine:  # it was not reached, and may be now
            self._far.open(f"{run.rest.machine}:{run.run_id}")
        elif ":" in run_id:  # one on another machine
            self._far.open(run_id)
        elif run is not None:
            self._navigation.show_run(run)
        else:
            self.open_kept(run_id)

    def on_picker_screen_folder_wanted(self) -> None:
        """The folder of the runs could not be made, and perhaps can by now."""
        self._serving.renew_setup()

    def on_picker_screen_back_requested(self) -> None:
        """Back to the run from which one came."""
        self._navigation.go_back()

    def on_picker_screen_close_requested(self, event: PickerScreen.CloseRequested) -> None:
        """Close a run of the list."""
        if (run := self.board.runs.get(event.run_id)) is not None:
            self._worktrees.close(run, partial(self._leaving.close_run, run))

    def action_inbox(self) -> None:
        """To the open questions of all runs."""
        self._inbox.show()

    def action_next_needing(self) -> None:
        """To the next run that waits for a person."""
        self._inbox.go_to_next(self._open_listed)

    def on_inbox_screen_back_requested(self) -> None:
        """Back to what is below the inbox."""
        self._inbox.leave()

    def on_inbox_screen_run_chosen(self, event: InboxScreen.RunChosen) -> None:
        """A run that asks is to be shown."""
        self._inbox.open(event.run)

    def action_history(self) -> None:
        """To all runs that are kept."""
        self._history.show()

    def on_history_screen_back_requested(self) -> None:
        """Back to what is below the history."""
        self._history.leave()

    def on_history_screen_run_chosen(self, event: HistoryScreen.RunChosen) -> None:
        """A run of the history is to be shown."""
        self._history.leave()
        self.open_kept(event.run_id, event.number, event.words)

    def on_history_screen_replay_requested(self, event: HistoryScreen.ReplayRequested) -> None:
        """A run of the history is to play again."""
        self.replay_run(event.run_id)

    def action_board(self) -> None:
        """To all runs that are alive."""
        self._boards.show()

    def on_board_screen_back_requested(self) -> None:
        """Back to what is below the board."""
        self._boards.leave()

    def on_board_screen_run_chosen(self, event: BoardScreen.RunChosen | SideBySideScreen.RunChosen) -> None:
        """A run of the board is to be shown."""
        self._boards.leave()
        self._open_listed(event.card.key)

    def on_board_screen_end_requested(self, event: BoardScreen.EndRequested) -> None:
        """Close a run of the board."""
        self._leaving.close_run(event.run)

    def on_board_screen_side_by_side_requested(self, event: BoardScreen.SideBySideRequested) -> None:
        """Some runs are to be shown at once."""
        self._boards.show_side_by_side(event.cards)

    on_side_by_side_screen_run_chosen = on_board_screen_run_chosen

    def on_side_by_side_screen_back_requested(self) -> None:
        """Back to the board."""
        self._boards.leave_side_by_side()

    def on_run_screen_fork_requested(self, event: RunScreen.ForkRequested) -> None:
        """A run of its own is to go on from a turn of this one."""
        self._forks.ask(event.run, event.turn)

    def on_run_screen_changes_requested(self, event: RunScreen.ChangesRequested) -> None:
        """What a run has changed is to be shown."""
        self._changes.show(event.run, event.call)

    def on_board_screen_changes_requested(self, event: BoardScreen.ChangesRequested) -> None:
        """The same of a run of the board."""
        self._boards.show_changes(event.card, self._changes)

    def on_changes_screen_back_requested(self) -> None:
        """Back to what is below the changes."""
        self._changes.leave()

    def on_changes_screen_call_chosen(self, event: ChangesScreen.CallChosen) -> None:
        """A call is to be shown where it stands in its transcript."""
        self._changes.leave()
        self._boards.leave()
        self._changes.go_to_call(event.author)

    def action_new_run(self) -> None:
        """To the picker; the run on the screen goes on."""
        self._navigation.show_picker()
        self._serving.warm()

    def action_other_run(self, direction: int) -> None:
        """To the next run, or to the one before."""
        self._navigation.show_other_run(direction)

    def replay_run(self, run_id: str) -> None:
        """Let a kept run play again, above what is shown; nothing is asked, run or sent."""
        from maverick_tui.ui.replay.recording import read_recording

        _ = self.push_screen(self._navigation.make_replay(partial(read_recording, run_id)))

    def action_replay_run(self) -> None:
        """Let the run on the screen play again, as far as it has come."""
        if (run := self._navigation.shown_run) is None:
            return
        if run.is_kept:
            self.replay_run(run.run_id)
        else:
            self.notify("This run is not kept, so it cannot be replayed.", severity="warning")

    def action_close_run(self) -> None:
        """Close the run on the screen."""
        if (run := self._navigation.shown_run) is not None:
            self._worktrees.close(run, partial(self._leaving.close_run, run))

    def action_race(self) -> None:
        """Give one prompt to several agents or models, and keep what one of them makes of it."""
        work_told(self, self._race(), group="race", title="Race")

    async def _race(self) -> None:
        from maverick_tui.ui.race.starting import ask_and_race

        await ask_and_race(self, await asyncio.shield(self._setup.ready))

    def action_worktree(self) -> None:
        """Ask what is to become of the worktree of the run on the screen."""
        if (run := self._navigation.shown_run) is not None:
            self._worktrees.ask(run)

    def open_kept(self, run_id: str, number: int | None = None, words: Sequence[str] = ()) -> None:
        """Show a run of the board, or one that is kept: at the event with that number, with these words marked."""
        self._kept.open(run_id, number, words)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def _new_run(self, agent: str, run_id: str = "") -> RunModel:
        run = RunModel(run_id or uuid.uuid4().hex[:12], agent, self.board)
        self.board.add(run)
        return run

    @property
    def run_folders(self) -> list[Path]:
        """The folders that runs work in, of those of this machine that are known."""
        return [
            Path(run.store.loaded.cwd)
            for run in self.board.runs.values()
            if run.store.loaded is not None and not run.machine
        ]

    def _suggest(self, run: RunModel, text: str) -> None:
        """Put a prompt into an empty editor: the agent's own, or the demo's.

        One that the editor would take for a command is not put there: its author may be a clone, and only a person
        gives commands. With an empty editor, Enter has the agent begin with it as a prompt.
        """
        screen = self._navigation.screen_of(run)
        is_guest = run.attached is not None and run.attached.is_guest
        if run.store.queue or run.store.entries or is_guest:
            return  # the person was faster, or somebody was long ago
        from maverick_tui.ui.run.prompting import is_shell
        from maverick_tui.ui.run.slash_commands import slash_command
        from maverick_tui.ui.widgets.pastes import typed

        text = typed(text)  # as the prompt has it, so that it is known again
        if is_shell(text) or slash_command(text) is not None:
            return
        kept = self._navigation.prompt_of(run)
        kept.suggestion = text
        if screen is None or not screen.is_mounted:
            kept.draft = kept.draft or text
        elif not screen.prompt.text:
            screen.prompt.suggest(text)

    def _event_applied(self, run: RunModel, event: Event) -> None:
        screen = self._navigation.screen_of(run)
        if screen is not None:
            screen.event_applied(event)
        if event.type == "agent_loaded" and not run.tells_past and not run.store.entries:
            self._navigation.restore_draft(run, is_new=True)
        self._boards.hear(run, event)
        self._changes.hear(run, event)
        if event.type == "agent_loaded" and (draft := cast("AgentLoaded", event).draft):
            self._suggest(run, draft)
        if event.type == "block_grew" or run.run_id not in self.board.runs:
            return
        self._leaving.follow()
        if screen is not None:
            self._navigation.entitle(run)
        if event.type in CHANGES_RUNS:
            self._navigation.runs_changed()
        if run.tells_past:
            return
        if self._alerts is None:
            from maverick_tui.ui.alerts import Alerts

            self._alerts = Alerts(self, self.preferences)
        is_in_inbox = event.type == "permission_asked" and self._inbox.is_in_sight
        is_shown = is_in_inbox or self._boards.is_shown or self._navigation.is_in_sight(run)
        self._alerts.hear(run, event, is_shown=is_shown)

    # -- the terminal, its keys and its colours -----------------------------------------------------------------------

    def get_driver_class(self) -> type[Driver]:
        """The way to the terminal."""
        return terminal_driver() or steadied(super().get_driver_class())

    def on_driver_signal_resume(self) -> None:
        """Paint everything: the terminal was somebody else's, and Textual paints it anew only in another size."""
        self.refresh(layout=True)

    def action_redraw(self) -> None:
        """Draw all of the screen: somebody else has written to the terminal, or it shows something in its own way."""
        write_beside(self, CLEAR)
        self.refresh(layout=True)

    async def on_event(self, event: InputOrOther) -> None:
        """Take an event; keys that no screen can take yet wait for it, and none can any more once we leave."""
        if self.screen_stack and self._clicks.passes_over(event, self.screen):
            return
        for meant in self._meant.take(event):
            await self._take(meant)

    async def _take(self, event: InputOrOther) -> None:
        if isinstance(event, InputEvent | Paste) and self._leaving.begun.is_set():
            return
        self.keys_pressed += isinstance(event, Key | Paste) and not event.is_forwarded
        if isinstance(event, Paste) and not event.is_forwarded:  # what comes with it over a slow line may be no key
            from maverick_tui.ui.widgets.pastes import typed

            event.text = typed(event.text)  # for Textual's own inputs as for ours
            self._see_anew()
        elif isinstance(event, Key | MouseDown) and self.screen_stack and may_go_elsewhere(self.screen, event):
            self.went_elsewhere_at = self._clock()
        if not self._typed.keep(event):
            await self._hand_on(event)

    async def on_descendant_focus(self) -> None:
        """A screen can be typed to."""
        for event in self._typed.take():
            await self._hand_on(event)

    async def _hand_on(self, event: InputOrOther) -> None:
        if isinstance(event, Key) and self.screen_stack:
            await let_typing_arrive(self.screen, event)
        await super().on_event(event)

    def on_terminal_supports_synchronized_output(self) -> None:
        """The terminal has answered, and so has drawn what was written before it was asked."""
        self._drawn.answered()

    def on_app_focus(self) -> None:
        """Whoever comes back to the window has seen nothing yet; the click that brings it up means the window."""
        self._see_anew()

    def _come_back(self) -> None:
        """The terminal is ours again: nothing of what is on the screen has been seen there, and time has passed."""
        self._drawn.begin_anew()
        self._see_anew()

    def _see_anew(self) -> None:
        """Let nothing be allowed for a moment."""
        from maverick_tui.ui.dialogs.arming import ArmedDialog

        self._see_questions_anew()
        if isinstance(self.screen, ArmedDialog):
            self.screen.wait_still()

    def _see_questions_anew(self) -> None:
        """Let no question be answered for a moment."""
        from maverick_tui.ui.transcript.view import Transcript

        for transcript in self.screen.query(Transcript):
            transcript.questions_seen.look_anew()

    def get_key_display(self, binding: Binding) -> str:
        """A key as keyboards have it: F5 and PgUp, and not f5 and pgup."""
        display, names = super().get_key_display(binding).replace("⏎", "enter"), {"pgup": "PgUp", "pgdn": "PgDn"}
        return re.sub(r"\b[a-z]\w+", lambda name: names.get(name[0], name[0].capitalize()), display)

    def _theme_changed(self, theme: Theme) -> None:
        self.preferences.change(theme=theme.name)
        for screen in self._navigation.run_screens:
            screen.transcript.restyle()
        self._inbox.restyle()
        self._boards.restyle()
        self._changes.restyle()

    def _end_after_failure(self) -> None:
        """End after a failure of our own: Textual would print the values of variables with it, secrets among them."""
        from rich.text import Text

        from maverick_tui.ui.log_file import log_failure

        self.bell()
        self.panic(Text(log_failure(sys.exception())))

    def on_notify(self, event: Notify) -> None:
        """Make room for a notice: the same goes, and the oldest, but what warns stays longer than what only tells."""
        new = event.notification
        others = [one for one in notices(self) if one.identity != new.identity]
        for same in [one for one in others if (one.title, one.message) == (new.title, new.message)]:
            withdraw(self, same)
            others.remove(same)
        others.sort(key=lambda one: (one.severity != "information", one.raised_at))
        for old in others[: len(others) + 1 - MOST_NOTICES]:
            withdraw(self, old)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a notice; names of runs and agents come from files and other machines."""
        super().notify(inert(message), title=one_line(title), severity=severity, timeout=timeout, markup=markup)

    def _tell_problems(self, problems: Sequence[str], title: str) -> None:
        """Tell what is wrong with the person's settings, all of it at once: of many notices few would be seen."""
        if problems:
            self.notify("\n".join(problems), title=title, severity="warning", timeout=15, markup=False)

    # -- what can be done everywhere ----------------------------------------------------------------------------------

    def action_command_palette(self) -> None:
        """Show all commands, unless something is asked that has to be answered first."""
        from maverick_tui.ui.keys import CommandFinder

        is_there = any(isinstance(screen, CommandFinder) for screen in self.screen_stack)  # perhaps below the help
        if not is_there and not self.screen.has_class("dialog"):
            _ = self.push_screen(CommandFinder(id="--command-palette"))

    def search_themes(self) -> None:
        """Show all themes in our own finder, which is left once however often somebody presses."""
        from textual.theme import ThemeProvider

        from maverick_tui.ui.keys import CommandFinder

        _ = self.push_screen(CommandFinder([ThemeProvider], placeholder="Search for themes…"))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the palette offers: the commands of the screen, and what holds everywhere."""
        from maverick_tui.ui.alerts import alert_commands
        from maverick_tui.ui.keys import screen_commands
        from maverick_tui.ui.run.screen import RunScreen

        ours = list(screen_commands(screen))
        not_ours = {
            "Keys",  # the help shows them, and what they do elsewhere
            "Maximize",  # questions and the status line would be gone with the rest of the screen
            "Minimize",
        }
        named = {command.title for command in ours} | not_ours
        yield from (command for command in super().get_system_commands(screen) if command.title not in named)
        yield from ours
        if isinstance(screen, RunScreen):
            yield SystemCommand("Export this run", "Markdown, a page, its events or a recording", screen.action_export)
        yield from theme_commands(self)
        yield SystemCommand(
            "Race: one prompt to several", "Agents or models, each in a worktree of its own; keep one", self.action_race
        )
        yield from alert_commands(self.preferences)

    def action_help(self) -> None:
        """Show what the keys do here."""
        from maverick_tui.ui.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.action_close()
        else:
            _ = self.push_screen(HelpScreen())

    def copy_to_clipboard(self, text: str) -> None:
        """Put text on the clipboard; who cuts or copies nothing keeps what is there.

        It is pasted into shells and editors, which obey what is in it: what a file or a model has put there is inert.
        """
        if text:
            super().copy_to_clipboard(inert(text))

    def action_copy_or_quit(self) -> None:
        """Copy what is selected; with nothing selected, the second time within two seconds, quit."""
        from textual.widgets import Input, TextArea

        from maverick_tui.ui.widgets.prompt import Prompt

        focused = self.focused
        typed = focused.selected_text if isinstance(focused, TextArea | Input) else ""
        typed = "" if isinstance(focused, Prompt) and focused.shows_suggestion else typed
        if selected := self.screen.get_selected_text() or typed:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
            self.notify(f"Copied {len(selected):,} characters.", timeout=2)
            return
        now = time.monotonic()
        if now - self._ctrl_c_at <= QUIT_AGAIN_WITHIN:
            self.call_later(self.action_quit)
            return
        self._ctrl_c_at = now
        self.notify("Press Ctrl+C again to quit.", timeout=QUIT_AGAIN_WITHIN)

    @property
    def farewell(self) -> list[str]:
        """What is said once the application is gone: which agents are still there, and how to come back to them."""
        return [f"{one_line(words)}: maverick attach {name}" for words, name in self._leaving.left]

    async def action_quit(self) -> None:
        """Quit; with an agent at work, or something that was not sent, ask first."""
        self._leaving.quit()


def _is_read() -> bool:
    """Whether what is printed now is taken: a terminal that has stopped would hold up our end."""
    return sys.platform == "win32" or bool(select.select([], [sys.stdout], [], READ_WITHIN)[1])


def _say(text: str) -> None:
    with suppress(OSError):  # the terminal may be gone, or take nothing
        if _is_read():
            print(text, flush=True)


def run_app(launch: Launch) -> int:
    """Run the application; its exit code."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        with kept_log():
            app = MaverickApp(launch)
            app.run()
            wait_for_awaited(_say)
    finally:
        sys.setswitchinterval(interval)
    if app.farewell:
        _say("\n".join(app.farewell))
    return app.return_code or app.return_value or 0
