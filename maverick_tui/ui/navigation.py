"""Navigation: which screen is shown, the picker or a run, and the way back; and what is typed while one comes up."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from textual import events
from textual.app import App
from textual.screen import Screen

from maverick_tui.inert import inert
from maverick_tui.threads import in_thread
from maverick_tui.ui.drafts import END_TOLD, Draft, Drafts
from maverick_tui.ui.question_words import QuestionWords, Said
from maverick_tui.ui.textual_private.asking import set_title
from maverick_tui.ui.themes import text_palette
from maverick_tui.ui.unsent import Unsent
from maverick_tui.ui.widgets.pastes import still_prompt

if TYPE_CHECKING:
    from maverick_tui.host.live import LiveRun
    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.ui.launch import HeldSetup, Launch
    from maverick_tui.ui.picker.items import Item
    from maverick_tui.ui.picker.screen import PickerScreen
    from maverick_tui.ui.preferences import Preferences
    from maverick_tui.ui.race.screen import RaceScreen
    from maverick_tui.ui.replay.recording import Recording
    from maverick_tui.ui.replay.screen import ReplayScreen
    from maverick_tui.ui.run.screen import RunScreen
    from maverick_tui.ui.widgets.prompt_history import PromptState

log = logging.getLogger(__name__)


@runtime_checkable
class NamesKeys(Protocol):
    """A screen that says what keys do, in words of its own."""

    def keys_changed(self) -> None:
        """The keys may be others."""


@runtime_checkable
class ListsRuns(Protocol):
    """A screen that lists runs as they stand."""

    def runs_changed(self) -> None:
        """A run has come, or stands otherwise."""


class Navigation:
    """Goes from screen to screen of an application; what is typed in a run is not lost by it."""

    def __init__(
        self,
        app: App[Any],
        board: Board,
        launch: Launch,
        setup: HeldSetup,
        preferences: Preferences,
        clock: Callable[[], float],
    ) -> None:
        """`clock` is the one that the screens of runs go by."""
        self._app = app
        self._board = board
        self._launch = launch
        self._setup = setup
        self._preferences = preferences
        self._clock = clock
        self._picker: PickerScreen | None = None
        self._prompts: dict[str, PromptState] = {}
        self._places: dict[str, tuple[int, int] | None] = {}
        """Where a person read in a run when they left it; None at its end."""
        self.far_items: Sequence[Item] = ()
        """Rows of the picker for runs on other machines."""
        self.far_runs: Sequence[LiveRun] = ()
        """The same runs, as their machines tell of them."""
        self.unsent = Unsent()
        tell = partial(app.notify, title="Prompt", severity="warning", markup=False)
        # What is new in the demo is no part of the project.
        self.drafts = Drafts(launch.cwd, self.unsent, tell, lambda: self.keeps_runs if not launch.is_demo else False)
        self.words = QuestionWords(self.keep_draft)
        """What was typed for runs on other screens than theirs."""
        self.on_reread: Callable[[RunModel], None] = lambda _run: None
        """Hears that a run's store has become another one."""
        self._left: RunModel | None = None
        """The run that was on the screen last."""
        self._is_to_keep: bool | None = None
        """Whether runs would be kept, where nobody has made them ready."""

    # -- screens ------------------------------------------------------------------------------------------------------

    def make_picker(self) -> PickerScreen:
        """A picker of the agents in the folder of the runs; where that is not there yet, it waits for `picker_in`."""
        from maverick_tui.ui.picker.screen import PickerScreen

        self._picker = PickerScreen(
            self._setup.cwd,
            runs=self._run_items(),
            badge=self._launch.badge,
            folder=self._launch.folder,
            elsewhere=self._runs_elsewhere,
        )
        return self._picker

    async def _runs_elsewhere(self) -> list[Item]:
        from maverick_tui.ui.picker.elsewhere import read_elsewhere

        self.runs_changed()  # ours are looked at as often, so that none of the rows stands still
        return await read_elsewhere(self._board.runs, self._clock())

    def make_run_screen(self, run: RunModel) -> RunScreen:
        """A screen of the run, which is shown now."""
        from maverick_tui.ui.run.screen import RunScreen

        self._board.show(run)
        palette = partial(text_palette, self._app)
        screen = RunScreen(
            run,
            self.prompt_of(run),
            self._preferences,
            palette=palette,
            badge=self._launch.badge,
            clock=self._clock,
            printer_for=self._launch.printer_for,
        )
        if (place := self._places.get(run.run_id)) is not None:
            screen.read_from(*place)
        _ = screen.call_after_refresh(self.bring_words_back)
        return screen

    def make_replay(self, read: Callable[[], Recording], speed: float = 1.0) -> ReplayScreen:
        """A screen on which a kept run plays again."""
        from maverick_tui.runs.board import RunModel
        from maverick_tui.ui.replay.screen import ReplayScreen

        return ReplayScreen(
            RunModel("", "", self._board),
            read,
            self._preferences,
            palette=partial(text_palette, self._app),
            leave=self._leave_replay,
            badge=self._launch.badge,
            speed=speed,
        )

    def _leave_replay(self) -> None:
        """Back to what is below; whoever came for the replay alone is done."""
        if len(self._app.screen_stack) > 1:
            _ = self._app.pop_screen()
        else:
            self._app.exit()

    @property
    def run_screens(self) -> list[RunScreen]:
        """The screens of runs that there are, the uppermost first."""
        from maverick_tui.ui.run.screen import RunScreen

        return [screen for screen in reversed(self._app.screen_stack) if isinstance(screen, RunScreen)]

    def screen_of(self, run: RunModel) -> RunScreen | None:
        """The screen of a run, if there is one; it is asked about each event of each run, so it takes no detours."""
        for screen in reversed(self._app.screen_stack):
            if getattr(screen, "run", None) is run:
                return cast("RunScreen", screen)
        return None

    @property
    def open_race(self) -> RaceScreen | None:
        """A race that nobody has decided yet: it ends with its screen."""
        if "maverick_tui.ui.race.screen" not in sys.modules:  # nobody has begun one
            return None
        from maverick_tui.ui.race.screen import RaceScreen

        races = (screen for screen in reversed(self._app.screen_stack) if isinstance(screen, RaceScreen))
        return next((race for race in races if race.is_open), None)

    @property
    def shown_run(self) -> RunModel | None:
        """The run on the screen, with nothing above it."""
        return next((screen.run for screen in self.run_screens if screen is self._app.screen), None)

    def is_in_sight(self, run: RunModel) -> bool:
        """Whether the screen of a run can be seen; what shines through a dialog can."""
        screen, stack = self.screen_of(run), self._app.screen_stack
        return screen is not None and all(above.is_modal for above in stack[stack.index(screen) + 1 :])

    def draft_of(self, run: RunModel) -> str:
        """What was typed for a run and not sent."""
        screen = self.screen_of(run)
        return screen.draft if screen is not None and screen.is_mounted else self.prompt_of(run).draft

    def typed_in(self, run: RunModel) -> str:
        """The same, unless we have put it there."""
        draft = self.draft_of(run)
        typed = draft if draft != self.prompt_of(run).suggestion else ""
        return "\n".join(filter(None, (typed, self.words.of(run).whole)))

    def prompt_of(self, run: RunModel) -> PromptState:
        """What is kept of the prompt of a run."""
        if run.run_id not in self._prompts:
            from maverick_tui.ui.widgets.prompt_history import PromptHistory, PromptState

            history = PromptHistory(self._launch.cwd, may_write=self._will_keep_runs)
            state = self._prompts[run.run_id] = PromptState(history)
            state.keep, state.restore = partial(self._keep_draft, run, state), partial(self.restore_draft, run)
        return self._prompts[run.run_id]

    @property
    def keeps_runs(self) -> bool | None:
        """Whether the settings let runs be kept; None if that is not known: nothing that is typed for them may be."""
        ready = self._setup.ready
        if not ready.done():
            return self._is_to_keep
        return ready.result().config.keep_runs if ready.exception() is None else None

    async def learn_keeps_runs(self) -> None:
        """Find that out, though the application is left before its runs could begin."""
        if self._setup.ready.done() or self._launch.is_demo:
            return
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.ui.launch import load_settings

        try:
            self._is_to_keep = (await in_thread(load_settings)).keep_runs
        except (MaverickError, OSError) as error:
            log.warning("Whether runs are kept is not known: %s", error)

    async def _will_keep_runs(self) -> bool:
        """The same, once that is known."""
        await asyncio.wait({self._setup.ready})
        return bool(self.keeps_runs)

    def _keep_draft(self, run: RunModel, state: PromptState, text: str, reasons: Mapping[str, str]) -> None:
        said = self.words.of(run) + Said("", reasons)
        text = "\n".join(filter(None, (text, said.text)))
        self.drafts.keep(run, Draft(text, state.images.paths_in(text), said.reasons))

    def keep_draft(self, run: RunModel) -> None:
        """There are other words for a run, in its prompt or beside it, and nobody has typed them there."""
        if (screen := self.screen_of(run)) is not None and screen.is_mounted:
            screen.keep_draft()
        else:
            state = self.prompt_of(run)
            self._keep_draft(run, state, state.draft if state.draft != state.suggestion else "", {})

    def bring_words_back(self) -> None:
        """What was typed elsewhere for the runs that have a screen stands in their prompts from now on."""
        for screen in self.run_screens:
            if screen.is_mounted and (said := self.words.take(screen.run)):
                screen.bring_back(*said)

    def look_at_drafts(self) -> None:
        """Keep what stands in all prompts now, also what they have not told of yet."""
        for screen in self.run_screens:
            if screen.is_mounted:
                screen.keep_draft()

    def keep_undelivered(self, unheard: Mapping[RunModel, Mapping[str, str]], *, is_typed_kept: bool) -> set[str]:
        """Keep what was sent to runs that were not there yet, or did not hear; the ids of those runs.

        What stands in their prompts is kept behind it, unless the person was asked about that.
        """
        kept = set()
        for run in self._board.runs.values():
            sent = still_prompt("\n".join(unheard.get(run, {}).values()))
            if sent and (is_typed_kept or self.drafts.would_keep(run, sent)):
                typed = self.typed_in(run) if is_typed_kept else ""
                text = "\n".join(filter(None, [sent, typed]))
                self.drafts.keep(run, Draft(text, self.prompt_of(run).images.paths_in(text), {}, is_whole=not typed))
                kept.add(run.run_id)
        return kept

    def restore_draft(self, run: RunModel, *, is_new: bool = False) -> None:
        """Bring back what an application that is gone has left in the prompt of a run, or of a new one like it."""
        if not (is_new and self._launch.is_demo):  # those are for the project, and no part of the demo
            self._app.run_worker(self._restore_draft(run, is_new), group="drafts", exit_on_error=False)

    async def _restore_draft(self, run: RunModel, is_new: bool) -> None:
        left = await self.drafts.read(run, is_new=is_new)
        state = self.prompt_of(run)
        for wrong in await state.images.bring_back(left.images):
            self._app.notify(inert(wrong), title="Draft", severity="warning", markup=False)
        if not left or run.run_id not in self._board.runs:
            return
        self.drafts.is_shown(run, left)
        screen = self.screen_of(run)
        if screen is not None and screen.is_mounted:
            screen.bring_back(left.text, left.reasons)
        else:
            later = state.draft if state.draft != state.suggestion else ""
            state.draft = "\n".join(filter(None, (left.text, *map(still_prompt, left.reasons.values()), later)))
        if left.lacks_end:
            self._app.notify(END_TOLD, title="Draft", severity="warning", timeout=10, markup=False)

    # -- from one to the other ----------------------------------------------------------------------------------------

    def show_picker(self) -> None:
        """To the picker; the run on the screen goes on."""
        self._leave_run()
        self._board.show(None)
        self.entitle(None)
        self._switch_to(self.make_picker())

    def show_run(self, run: RunModel) -> None:
        """To a run."""
        self._leave_run()
        self.entitle(run)
        self._switch_to(self.make_run_screen(run))

    def show_other_run(self, direction: int) -> None:
        """To the next run, or to the one before."""
        if (run := self.shown_run) is not None and (other := self._board.beside(run, direction)) is not run:
            self.show_run(other)

    def next_needing(self) -> RunModel | None:
        """The run that waits for a person after the one on the screen, in the order in which they have asked."""
        waiting = [run for run in self._board.runs.values() if run.is_served and run.store.needs_person]
        waiting.sort(key=lambda run: min(question.at for question in run.store.questions.values()))
        shown = self.shown_run
        if shown in waiting:
            at = waiting.index(shown)
            waiting = [*waiting[at + 1 :], *waiting[:at]]
        return next(iter(waiting), None)

    def go_back(self) -> None:
        """Back to the run from which one came."""
        if self._left is not None:
            self.show_run(self._left)

    def forget(self, run: RunModel) -> RunModel | None:
        """Take a run from the board, and from the way back; the one beside it, if there is any."""
        beside = self._board.remove(run)
        self._prompts.pop(run.run_id, None)
        self._places.pop(run.run_id, None)
        _ = self.words.take(run)
        self.drafts.drop(run.run_id)
        if self._left is run:
            self._left = beside
        return beside

    def _leave_run(self) -> None:
        if (run := self.shown_run) is not None and run.run_id in self._board.runs:
            self._left = run
            if (screen := self.screen_of(run)) is not None and screen.is_mounted:
                self._places[run.run_id] = screen.transcript.reading_place
                self.prompt_of(run).draft, reasons = screen.unsent  # a reason is no prompt when one comes back
                for request, reason in reasons.items():
                    self.words.note(run, request, Said("", {request: reason}))

    def _switch_to(self, screen: Screen[Any]) -> None:
        _ = self._app.switch_screen(screen)

    # -- what the screens are told ------------------------------------------------------------------------------------

    def show_state(self, run: RunModel) -> None:
        """Have the screen of a run, if there is one, say how it stands now."""
        if (screen := self.screen_of(run)) is not None and screen.is_mounted:
            screen.status_clock.refresh_now()

    def picker_in(self, cwd: Path) -> None:
        """Let the picker show the agents of this folder."""
        if self._picker is not None and self._picker.is_attached:
            self._picker.set_cwd(cwd)

    def cannot_start(self, reason: str) -> bool:
        """Whether the picker is there to say why no run can begin."""
        is_there = self._picker is not None and self._picker.is_attached
        if self._picker is not None and is_there:
            self._picker.cannot_start(reason)
        return is_there

    def runs_changed(self) -> None:
        """Let what lists runs on the screen list them as they stand."""
        if self._picker is not None and self.shows_picker:
            self._picker.runs = self._run_items()
        elif (lists := self.list_in_sight()) is not None:
            lists.runs_changed()

    @property
    def lists_runs(self) -> bool:
        """Whether runs are listed on the screen, in the picker or elsewhere."""
        return self.shows_picker or self.list_in_sight() is not None

    def list_in_sight(self) -> ListsRuns | None:
        """What lists runs, also below a dialog."""
        uncovered = next((screen for screen in reversed(self._app.screen_stack) if not screen.is_modal), None)
        return uncovered if isinstance(uncovered, ListsRuns) else None

    @property
    def shows_picker(self) -> bool:
        """Whether the picker is on the screen, with nothing above it."""
        return self._picker is not None and self._picker is self._app.screen

    def _run_items(self) -> list[Item]:
        runs = self._board.runs
        far = [item for item in self.far_items if item.run_id.rpartition(":")[2] not in runs]
        if not runs:
            return far
        from maverick_tui.ui.picker.items import item_of

        return [item_of(run, self._clock()) for run in runs.values()] + far

    def entitle(self, run: RunModel | None) -> None:
        """Say in the title of the terminal's window which run is shown, and how it is."""
        if self._app.is_headless:
            return
        title = self._app.TITLE or ""
        if run is not None:
            from maverick_tui.runs.status import headline

            now = headline(run.store)
            title = f"{now.glyph} {run.title}: {now.word} - {title}"
        set_title(self._app, title)


class TypedKeys:
    """Textual gives keys to the widget that has the focus; before a new screen has one, they would be lost."""

    def __init__(self, app: App[Any]) -> None:
        """Nothing waits yet."""
        self._app = app
        self._waiting: list[events.Event] = []

    def keep(self, event: events.Event) -> bool:
        """Whether the event is one of the person's that nobody can take yet; then it is kept."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return False
        if self._is_coming_up():
            self._waiting.append(event)
            return True
        self._focus_for_typing()
        return False

    def take(self) -> list[events.Event]:
        """What has been kept, in order; from now on it is the caller's."""
        kept, self._waiting = self._waiting, []
        return kept

    def _is_coming_up(self) -> bool:
        if not self._app.screen_stack:
            return True
        screen = self._app.screen
        return bool(screen.AUTO_FOCUS) and not screen.is_mounted and screen.focused is None

    def _focus_for_typing(self) -> None:
        """Let what is typed go where it goes when a screen comes up, if nothing has the focus.

        Textual takes it away while the terminal has none, gives it back only if something had it before that, and does
        neither for what is pasted.
        """
        self._app.app_focus = True
        screen = self._app.screen
        if screen.focused is None and screen.AUTO_FOCUS:
            first = next((widget for widget in screen.query(screen.AUTO_FOCUS) if widget.focusable), None)
            screen.set_focus(first)
