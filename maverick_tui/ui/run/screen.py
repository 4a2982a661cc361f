"""RunScreen: one run, live. The prompt has the focus; transcript, figures and status stand around it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen

from maverick_tui.inert import inert
from maverick_tui.modes import PERMISSION_MODES
from maverick_tui.paths import shipped
from maverick_tui.ui.keys import key_names
from maverick_tui.ui.preferences import VERBOSITIES, Preferences
from maverick_tui.ui.run.answering import ANSWERS, Answering
from maverick_tui.ui.run.keys import GOING_ON, RUN_KEYS
from maverick_tui.ui.run.prompting import Prompting
from maverick_tui.ui.run.recovery import Recovery
from maverick_tui.ui.run.status import StatusClock, StatusLines
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.painted import PAINT
from maverick_tui.ui.widgets.pastes import still_prompt
from maverick_tui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event, Noticed
    from maverick_tui.history.export.formats import PrinterFor
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.widgets.find_bar import FindBar
    from maverick_tui.ui.widgets.prompt_history import PromptState

WIDE = 100
"""Columns from which the usage panel has room beside the transcript."""
SHORT = 9
"""Rows below which everything goes that the answer, the status and the prompt can do without."""
_CHANGES_QUESTIONS = ("permission_asked", "permission_settled", "tool_finished", "turn_ended")
_CHANGES_KEYS = (
    "permission_asked",
    "permission_settled",
    "turn_started",
    "turn_ended",
    "connect_failed",
    "continue_planned",
    "continue_called_off",
)
_CHANGES_FILES = ("agent_loaded", "turn_ended")


class RunScreen(Screen[None]):
    """Shows a run and takes what the person wants of it; everything it shows comes from the run's store."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("run", "prompt", "panel", "status")]
    COMPONENT_CLASSES = PAINT
    BINDING_GROUP_TITLE = "Run"
    AUTO_FOCUS = "Prompt"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [*RUN_KEYS]

    class ForkRequested(Message):
        """A run of its own is to go on after a turn of this run; None is the last that has ended."""

        def __init__(self, run: RunModel, turn: int | None) -> None:
            super().__init__()
            self.run = run
            self.turn = turn

    class ChangesRequested(Message):
        """What this run has changed is to be shown; of one call, if it is named."""

        def __init__(self, run: RunModel, call: str = "") -> None:
            super().__init__()
            self.run = run
            self.call = call

    def __init__(
        self,
        run: RunModel,
        prompt: PromptState,
        preferences: Preferences,
        *,
        palette: Callable[[], Palette],
        badge: str = "",
        clock: Callable[[], float] = time.time,
        printer_for: PrinterFor | None = None,
    ) -> None:
        """Show the run as the person prefers it, and remember what they change about that."""
        super().__init__()
        self.run = run
        self.store = run.store
        self._preferences = preferences
        self.transcript = Transcript(
            run.store, palette=palette, moved=self._moved, verbosity=preferences.verbosity, clock=clock
        )
        self._prompt_state = prompt
        self.prompt = Prompt(history=prompt.history)
        self._status = StatusLines(run, badge, clock)
        self.status_clock = StatusClock(self._show_status)
        self._answering = Answering(run, self.transcript, self.prompt, clock)
        self._prompting = Prompting(
            run, self.prompt, self.transcript, self._answering, self._act_later, images=prompt.images
        )
        self._recovery = Recovery(run, self.transcript, self._prompting.send, clock)
        self._printer_for = printer_for
        self._changed_in_queue = ""
        """What is being made of a prompt that waits."""
        self._find_bar: FindBar | None = None
        self._was_shown = False
        self._fitted: Size | None = None
        """The size that its classes are for: covered by another screen it is given a size without them."""
        self._place: tuple[int, tuple[str, ...]] | None = None
        """The entry to begin with, and the words to mark."""
        self._read_before: tuple[int, int] | None = None
        """The entry, and which of its rows, that was at the top when the person left."""
        self._give_actions_to_parts()
        self.set_class(preferences.is_panel_closed, "-panel-closed")

    def _give_actions_to_parts(self) -> None:
        """Textual looks on the screen for what its keys do; these actions are the parts' own."""
        answering, prompting, recovery = self._answering, self._prompting, self._recovery
        self.action_page = self.transcript.action_pages
        self.action_follow = self.transcript.action_bottom
        for name, act in answering.actions.items():
            if name != "deny_reason":  # it changes what the prompt is for, which is to be said
                setattr(self, f"action_{name}", act)
        self.action_edit_queued = prompting.edit_queued
        self.action_drop_queued = prompting.drop_queued
        self.action_banner_retry = recovery.retry
        self.action_banner_continue = recovery.go_on
        self.action_banner_wait = recovery.wait
        self.action_banner_copy = recovery.copy
        self.action_banner_details = recovery.show_details

    def compose(self) -> ComposeResult:
        """The answer first, the status second, everything else quiet."""
        # Textual would find out after it has applied all styles, and apply them again.
        self._fitted = size = self.app.size
        self.add_class("-wide" if size.width >= WIDE else "-narrow", "-tall" if size.height >= SHORT else "-short")
        yield self._status.header
        with Horizontal(id="run-body"):
            yield self.transcript
            yield self._status.panel
        yield self._status.usage
        yield self._status.queue
        yield self._status.line
        yield self.prompt

    def on_mount(self) -> None:
        """Take up the state that is there, and keep the clocks going."""
        self.query("ToastRack").set(display=False)  # an empty one is hidden after the first frame, by a second layout
        state = self._prompt_state
        is_suggested = bool(state.draft) and state.draft == state.suggestion
        (self.prompt.suggest if is_suggested else self.prompt.set_text)(state.draft)
        self._answering.look()
        self.keys_changed()
        self.set_interval(1.0, self.tick)
        self.watch(self.app, "app_focus", self._focus_changed, init=False)
        self.status_clock.refresh_now()
        self.call_after_refresh(self._read_checkout)
        self.call_after_refresh(self._show_place)
        self.call_after_refresh(state.restore)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Have styles applied again when it comes back; the first time they are those of a moment ago."""
        if self._was_shown:
            self._read_checkout()  # something may have been committed
        event.refresh_styles, self._was_shown = event.refresh_styles and self._was_shown, True

    def on_resize(self, event: events.Resize) -> None:
        """Be laid out once for a size: while it comes up Textual tells the same one three times, and keys wait."""
        if event.size == self.outer_size == self._fitted:
            event.prevent_default()
        self._fitted = event.size

    # -- what is shown ------------------------------------------------------------------------------------------------

    @property
    def draft(self) -> str:
        """Everything that was typed and not sent."""
        return "\n".join(filter(None, (self._changed_in_queue, self._answering.draft)))

    def keys_changed(self) -> None:
        """The keys may be others: say so wherever they are named."""
        keys = key_names(self.app, self.prompt, self.transcript, self)
        if not self._may_go_on:
            keys |= dict.fromkeys(GOING_ON, "")
        self._answering.keys = self._prompting.keys = keys
        self.transcript.set_keys(keys)
        self._status.set_keys(keys)

    @property
    def _may_go_on(self) -> bool:
        return self.run.rest is None or self.run.rest.may_go_on

    def show_at(self, entry: int, words: Sequence[str] = ()) -> None:
        """Begin at an entry, with these words marked."""
        self._place = entry, tuple(word.rstrip("*").lower() for word in words if word.strip("*"))
        if self.is_mounted:
            self.call_after_refresh(self._show_place)

    def read_transcript(self) -> None:
        """Have the keys act on what was shown, once that is there."""
        self.call_after_refresh(self.set_focus, self.transcript)

    def read_from(self, entry: int, row: int) -> None:
        """Begin where a person has read before."""
        self._read_before = entry, row

    async def _show_place(self) -> None:
        if self._read_before is not None and self._place is None:
            self.transcript.restyle()
            self.transcript.read_from(*self._read_before)
        if self._place is None:
            return
        (entry, words), self._place = self._place, None
        self.transcript.restyle()  # it may not have been drawn yet
        if words:
            bar = await self._get_find_bar()
            # Whoever does something by now goes on with that.
            has_begun = self.focused is not self.prompt or self.prompt.text != self._prompt_state.draft
            bar.show(" ".join(words), takes_focus=not has_begun)
        self.transcript.show_entry(entry, " ".join(words), words)

    def run_reread(self) -> None:
        """The store holds more of the run, or it as it stands now, without having been told event by event."""
        if self.is_attached and self.is_mounted:
            self.transcript.read_anew()
            self._answering.look()
            self.refresh_bindings()
            self._read_checkout()
            self.status_clock.refresh_now()

    def event_applied(self, event: Event) -> None:
        """The store has changed. Nothing is drawn here: that is done in frames."""
        is_growth, is_due = event.type == "block_grew", self.status_clock.due is not None
        if is_growth and is_due and self.transcript.is_waking:
            return  # thousands of them may come in a second
        if not self.is_attached or not self.is_mounted:
            return
        self.transcript.wake(at_once=not is_growth)
        if is_growth and is_due:
            return
        if event.type in _CHANGES_QUESTIONS:
            self._answering.look()
        if event.type in _CHANGES_KEYS:
            self.refresh_bindings()
        if event.type in _CHANGES_FILES or (event.type == "noticed" and cast("Noticed", event).kind == "worktree"):
            self._read_checkout()
        self.status_clock.hear(event.type)

    def _focus_changed(self, has_focus: bool) -> None:
        """Whoever comes back to the window may have committed something in another."""
        if has_focus:
            self._read_checkout()

    @work(exclusive=True, group="checkout", exit_on_error=False)
    async def _read_checkout(self) -> None:
        """Which branch is checked out, and how many files are changed; in a thread, since git is asked."""
        loaded = self.store.loaded
        if loaded is None or not loaded.cwd or self.run.machine:
            return
        if loaded.project:
            self._status.header.set_has_gone(not await asyncio.to_thread(Path(loaded.cwd).is_dir))
        if self.run.rest is not None:
            return  # of a run that is only read, or elsewhere, the branch is the one that it has told
        from maverick_tui.git import head

        checkout = await asyncio.to_thread(head.read_checkout, Path(loaded.cwd))
        if checkout is not None:
            self._status.header.set_branch(checkout.branch, checkout.changed)

    def tick(self) -> None:
        """Another second is over; of a run that is only read, nothing takes longer by that."""
        if self.run.rest is None:
            self.transcript.tick()
        self.status_clock.refresh_now()

    def _show_status(self) -> None:
        if self.is_attached:
            self._status.refresh()
            self._prompting.show_hint()
            if self._answering.has_lost_question:  # what was sent by Enter is on its way: it is heard of first
                self.prompt.call_later(self.call_later, self._drop_lost_reason)

    def _drop_lost_reason(self) -> None:
        self._answering.drop_lost_reason()
        self._prompting.show_hint()

    def on_descendant_focus(self) -> None:
        """Say what the keys do for what has the focus."""
        if self._prompting.keys:
            self._prompting.show_hint()

    # -- prompts ------------------------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        self._prompting.submit(event.text)
        self.status_clock.refresh_now()  # a run that is not there yet cannot tell that it has heard it

    def _act_later(self, action: str) -> None:
        self.run_worker(self.run_action(action), group="command", exit_on_error=False)

    @on(Prompt.Changed)
    def _text_changed(self) -> None:
        self._prompting.place_changed()
        self.keep_draft()

    @property
    def unsent(self) -> tuple[str, dict[str, str]]:
        """What was typed and not sent, and reasons by their questions."""
        return self._answering.draft_alone, self._answering.reasons

    def keep_draft(self) -> None:
        """Keep what was typed, in case that nobody gets to send it."""
        draft, reasons = self.unsent
        typed = draft if draft != self._prompt_state.suggestion else ""
        self._prompt_state.keep("\n".join(filter(None, (self._changed_in_queue, typed))), reasons)

    @on(Prompt.BroughtBack)
    def _text_brought_back(self) -> None:
        self._answering.tell_brought_back()

    @on(Prompt.SelectionChanged)
    def _place_changed(self) -> None:
        self._prompting.place_changed()

    def bring_back(self, draft: str, reasons: Mapping[str, str]) -> None:
        """Put in what was typed before, above what has been typed since; reasons wait for their question's key."""
        draft = "\n".join(filter(None, (draft, *map(still_prompt, self._answering.bring_back(reasons)))))
        if draft and self.prompt.shows_suggestion:
            self.prompt.set_text("")
        if draft:
            self.prompt.put_before(draft)
            self._answering.draft_is_back()

    @on(Prompt.SearchRequested)
    def _search_prompts(self, event: Prompt.SearchRequested) -> None:
        from maverick_tui.ui.history.past_prompts import PastPromptsScreen

        event.stop()

        def put_in(text: str | None) -> None:
            if text:
                self.prompt.insert_here(still_prompt(text))  # which an agent's file may have suggested

        _ = self.app.push_screen(PastPromptsScreen(), put_in)

    # -- steering -----------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of questions and banners act only while there is one; else they are the prompt's."""
        if action in ANSWERS:
            return self._answering.is_possible(action, parameters)
        if action in ("drop_queued", "edit_queued", "show_queue"):
            return bool(self.store.queue) and self.store.looked_at is None and not self.run.is_only_watched
        if action.replace("_", ".", 1) in GOING_ON and not self._may_go_on:
            return False
        if action == "banner_wait" and not self._recovery.may_wait:
            return False
        if action in ("banner_wait", "banner_retry") and self.store.stall is not None:
            return not self.run.is_only_watched
        if action.startswith("banner_"):
            return self._recovery.failure is not None and not self.store.is_running
        return True

    def action_escape(self) -> None:
        """Leave what is open; with nothing open, interrupt, or call off what is to come; then end what is scheduled."""
        store = self.store
        if self.get_selected_text():
            self.clear_selection()
        elif self.prompt.is_choosing:
            self._prompting.refuse_choice()
        elif self._answering.asks_reason:
            self._answering.leave_reason()
            self._prompting.show_hint()
        elif self._find_bar is not None and self._find_bar.is_open:
            self._find_bar.close(self.prompt)
        elif store.is_running or store.shells or store.questions or store.planned or store.queue.keys() - store.held:
            self.run.interrupt()
        elif self.focused is not self.prompt:
            self.action_focus_prompt()
        elif store.jobs or any(task.is_task_alive for task in store.tasks.values()):
            self.run.interrupt()

    def action_stop_scope(self) -> None:
        """Ask what is to stop: a tool, a subagent, the turn, the run, or all runs."""
        from maverick_tui.ui.run.scopes import ask_scope

        ask_scope(self, self.run)

    def action_show_queue(self) -> None:
        """Show the prompts that wait, to be changed or sent now."""
        from maverick_tui.ui.dialogs.queue import QueueScreen

        def changed(words: str) -> None:
            self._changed_in_queue = still_prompt(words)
            self.keep_draft()

        _ = self.app.push_screen(QueueScreen(self.run, changed, lambda words: self.bring_back(still_prompt(words), {})))

    def action_cycle_mode(self) -> None:
        """Take the next permission mode, where there is something to permit."""
        mode, modes = self.store.mode, PERMISSION_MODES
        if self.store.loaded is not None and not mode:
            self.notify("This agent has nothing to permit.")
            return
        following = modes[(modes.index(mode) + 1) % len(modes)] if mode in modes else modes[0]
        self.run.set_mode(following)

    def action_name_run(self) -> None:
        """Ask what the run is to be called."""
        from maverick_tui.ui.dialogs.short_questions import NameScreen

        def name(words: str | None) -> None:
            if words is not None:
                self.run.name(words)

        _ = self.app.push_screen(NameScreen(self.store.name), name)

    def action_fork(self, turn: int | None = None) -> None:
        """Have a run of its own go on after that turn; without one, after the last."""
        self.post_message(self.ForkRequested(self.run, turn))

    def action_fork_here(self) -> None:
        """The same from the chosen entry: a prompt is asked anew, anything else is gone on from."""
        entry = self.transcript.chosen
        self.action_fork(None if entry is None or not entry.turn else entry.turn - (entry.kind == "prompt"))

    def action_changes(self) -> None:
        """Show what the run has changed."""
        self.post_message(self.ChangesRequested(self.run))

    def action_changes_here(self) -> None:
        """Show what the chosen call has changed; without one, what the run has."""
        self.post_message(self.ChangesRequested(self.run, getattr(self.transcript.chosen, "call", "")))

    def action_deny_reason(self, entry: int = 0) -> None:
        """Deny the call that waits with a reason, which is asked for."""
        self._answering.ask_reason(entry)
        self._prompting.show_hint()

    # -- looking ------------------------------------------------------------------------------------------------------

    def action_switch_focus(self) -> None:
        """Between prompt and transcript; in a command that has been begun, to its end."""
        if self.focused is self.prompt and self.prompt.is_choosing:
            self._prompting.complete()
        elif self.focused is self.prompt:
            self.set_focus(self.transcript)
        else:
            self.action_focus_prompt()

    def action_focus_prompt(self) -> None:
        """Back to the prompt, at once: what is typed next is for it."""
        self.set_focus(self.prompt)

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted while the transcript is read is for the prompt."""
        if self.focused is self.transcript:
            self.action_focus_prompt()
            self.prompt.post_message(events.Paste(event.text))

    def action_verbosity(self) -> None:
        """Show the next amount of detail, and remember it."""
        verbosity = VERBOSITIES[(VERBOSITIES.index(self._preferences.verbosity) + 1) % len(VERBOSITIES)]
        self._preferences.change(verbosity=verbosity)
        self.transcript.set_verbosity(verbosity)
        self.notify(f"Detail: {verbosity}", timeout=2)

    def action_toggle_panel(self) -> None:
        """Open or close the usage panel, and remember it."""
        if self.size.width < WIDE:
            self.notify(f"The panel needs {WIDE} columns; the line above the prompt has the figures.", timeout=4)
            return
        self.toggle_class("-panel-closed")
        self._preferences.change(is_panel_closed=self.has_class("-panel-closed"))

    async def action_find(self) -> None:
        """Open the line to find text with."""
        (await self._get_find_bar()).open()

    async def _get_find_bar(self) -> FindBar:
        if self._find_bar is None:
            from maverick_tui.ui.widgets.find_bar import FindBar

            bar = FindBar(self.transcript)
            await self.mount(bar, before=self._status.queue)
            self._find_bar = bar  # not before its parts are there
        return self._find_bar

    @work(group="editor", exclusive=True)
    async def action_edit_transcript(self) -> None:
        """Open the transcript as Markdown in the person's editor."""
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.history.export.markdown import as_markdown
        from maverick_tui.ui.editor import edit_text

        try:
            await edit_text(self.app, as_markdown(self.store))
        except MaverickError as error:
            self.notify(inert(str(error)), title="Editor", severity="warning", markup=False)

    @work(group="export", exclusive=True, exit_on_error=False)
    async def action_export(self, words: str = "") -> None:
        """Export the run: in a format, to a file, as the words say."""
        from maverick_tui.ui.run.exporting import Exporting

        await Exporting(self.run, self._printer_for).export(self.app, words)

    def _moved(self, is_at_end: bool, unseen: int) -> None:
        self._status.line.set_unseen(unseen, is_at_end)
