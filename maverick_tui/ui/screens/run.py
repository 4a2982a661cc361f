"""RunScreen: one run, live. The prompt has the focus; the transcript, the figures and the truth stand around it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen

from maverick_tui.inert import inert
from maverick_tui.paths import shipped
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.ui.key_ids import key_names
from maverick_tui.ui.screens.questions import ARMED_AFTER, Questions, answers_to
from maverick_tui.ui.transcript.folding import VERBOSITIES, Verbosity
from maverick_tui.ui.transcript.sources import answer_of_turn, source
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.find_bar import FindBar
from maverick_tui.ui.widgets.prompt import Prompt
from maverick_tui.ui.widgets.queue_lines import QueueLines
from maverick_tui.ui.widgets.run_header import RunHeader
from maverick_tui.ui.widgets.truth_line import TruthLine
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel

if TYPE_CHECKING:
    from textual.timer import Timer

    from maverick_tui.runs.events import Event, PermissionAsked
    from maverick_tui.ui.board import Answer, RunModel
    from maverick_tui.ui.rendering.palette import Palette

MODES = ("default", "acceptEdits", "plan", "dontAsk")
WIDE = 100
"""Columns from which on the usage panel has room beside the transcript."""
SHORT = 9
"""Rows below which everything goes that the answer, the truth and the prompt can do without."""
STATUS_EVERY = 1 / 8
_URGENT = (
    "interrupt_requested",
    "permission_asked",
    "permission_settled",
    "turn_started",
    "turn_ended",
    "connect_failed",
)
"""What a person waits for: it is on the screen at once."""
_CHANGES_KEYS = ("permission_asked", "permission_settled", "turn_started", "turn_ended", "connect_failed")
_CHANGES_FILES = ("run_started", "turn_ended")
_CONTINUE = "Your last answer broke off. Continue exactly where it stopped; do not repeat what you have already said."


class RunScreen(Screen[None]):
    """Shows a run and takes what the person wants of it; everything it shows comes from the run's store."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("run", "prompt", "panel", "status")]
    BINDING_GROUP_TITLE = "Run"
    AUTO_FOCUS = "Prompt"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (SHORT, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "escape", "Interrupt", id="run.interrupt", priority=True, show=False),
        Binding("shift+tab", "cycle_mode", "Next permission mode", id="run.mode", priority=True, show=False),
        Binding("tab", "switch_focus", "Between prompt and transcript", id="run.focus", priority=True, show=False),
        Binding("ctrl+n", "new_run", "Another agent", id="run.new", priority=True, show=False),
        Binding("ctrl+pagedown", "other_run(1)", "Next run", id="run.next", priority=True, show=False),
        Binding("ctrl+pageup", "other_run(-1)", "Run before", id="run.previous", priority=True, show=False),
        Binding("ctrl+o", "verbosity", "Show more or less", id="run.verbosity", priority=True, show=False),
        Binding("ctrl+b", "toggle_panel", "Usage panel", id="run.panel", priority=True, show=False),
        Binding("ctrl+f", "find", "Find", id="run.find", priority=True, show=False),
        Binding("pageup", "page(-1)", "Up a page", id="run.page_up", priority=True, show=False),
        Binding("pagedown", "page(1)", "Down a page", id="run.page_down", priority=True, show=False),
        Binding("ctrl+end", "follow", "To the end, and follow it", id="run.follow", priority=True, show=False),
        Binding(
            "alt+up", "edit_queued", "Take back the last queued prompt", id="run.edit_queued", priority=True, show=False
        ),
        Binding("f4", "edit_transcript", "Transcript in your editor", id="run.editor", priority=True, show=False),
        Binding("ctrl+y", "allow_once", "Allow once", id="approval.allow_once", priority=True, show=False),
        Binding("ctrl+t", "allow_run", "Allow for this run", id="approval.allow_run", priority=True, show=False),
        Binding("ctrl+x", "deny", "Deny", id="approval.deny", priority=True, show=False),
        Binding("ctrl+r", "deny_reason", "Deny with a reason", id="approval.deny_reason", priority=True, show=False),
        Binding("f5", "banner_retry", "Retry the prompt", id="banner.retry", priority=True, show=False),
        Binding("f6", "banner_continue", "Continue from here", id="banner.continue", priority=True, show=False),
        Binding("f7", "banner_copy", "Copy what came", id="banner.copy", priority=True, show=False),
        Binding("f8", "banner_details", "Details of the failure", id="banner.details", priority=True, show=False),
        Binding("slash", "find", "Find", id="transcript.find", show=False),
        Binding("e", "edit_transcript", "Transcript in your editor", id="transcript.editor", show=False),
        Binding("i", "focus_prompt", "Back to the prompt", id="transcript.leave", show=False),
    ]

    class NewRunWanted(Message):
        """The person wants another agent."""

    class OtherRunWanted(Message):
        """The person wants to see the next run, or the one before."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class VerbosityChanged(Message):
        """More, or less, is to be shown from now on."""

        def __init__(self, verbosity: Verbosity) -> None:
            super().__init__()
            self.verbosity = verbosity

    class PanelToggled(Message):
        """The usage panel was opened or closed."""

        def __init__(self, is_closed: bool) -> None:
            super().__init__()
            self.is_closed = is_closed

    def __init__(
        self,
        run: RunModel,
        *,
        palette: Callable[[], Palette],
        verbosity: Verbosity = "normal",
        is_panel_closed: bool = False,
        badge: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Show the run."""
        super().__init__()
        self.run = run
        self.store = run.store
        self._palette = palette
        self._verbosity = verbosity
        self._badge = badge
        self._clock = clock
        self._status_timer: Timer | None = None
        self._status_is_urgent = False
        self._questions = Questions(run.store, clock)
        self._asks_reason_for = ""
        self._hint = ""
        self._keys: Mapping[str, str] = {}
        self.set_class(is_panel_closed, "-panel-closed")

    def compose(self) -> ComposeResult:
        """The answer first, the truth second, everything else quiet."""
        # Textual would find out after it has applied all styles, and apply them again.
        self.set_class(self.app.size.width < WIDE, "-narrow")
        self.set_class(self.app.size.width >= WIDE, "-wide")
        yield RunHeader(self.store, name=self.run.agent, badge=self._badge)
        with Horizontal(id="run-body"):
            yield Transcript(self.store, palette=self._palette, verbosity=self._verbosity, clock=self._clock)
            yield UsagePanel(self.store)
        yield UsageLine(self.store)
        yield FindBar()
        yield QueueLines(self.store)
        yield TruthLine(self.store)
        yield Prompt(history=self.run.history)

    def on_mount(self) -> None:
        """Take up the state that is there, and keep the clocks going."""
        self.prompt.set_text(self.run.draft)
        self._questions.look()
        self.keys_changed()
        self.set_interval(1.0, self._tick)
        self._refresh_status()
        self.call_after_refresh(self._read_repository)

    # -- parts ------------------------------------------------------------------------------------------------------

    @property
    def transcript(self) -> Transcript:
        """The transcript."""
        return self.query_one(Transcript)

    @property
    def prompt(self) -> Prompt:
        """The prompt."""
        return self.query_one(Prompt)

    def keys_changed(self) -> None:
        """The keys may be others: say so wherever they are named."""
        self._keys = key_names(self.app, self.prompt, self)
        self.transcript.set_keys(self._keys)
        self.query_one(QueueLines).key = self._keys["run.edit_queued"]

    # -- events -----------------------------------------------------------------------------------------------------

    def event_applied(self, event: Event) -> None:
        """The store has changed. Nothing is drawn here: that is done in frames."""
        if not self.is_attached or not self.is_mounted:
            return
        self.transcript.wake(at_once=event.type != "block_grew")
        if event.type == "block_grew" and self._status_timer is not None:
            return
        if event.type in ("permission_asked", "permission_settled", "tool_finished", "turn_ended"):
            self._questions.look()
        if event.type in _CHANGES_KEYS:
            self.refresh_bindings()
        if event.type in _CHANGES_FILES:
            self._read_repository()
        is_urgent = event.type in _URGENT
        if self._status_timer is not None and is_urgent and not self._status_is_urgent:
            self._status_timer.stop()
            self._status_timer = None
        if self._status_timer is None:
            self._status_is_urgent = is_urgent
            delay = STATUS_EVERY if event.type == "block_grew" else 0.01
            self._status_timer = self.set_timer(delay, self._refresh_status)

    @work(exclusive=True, group="repository", exit_on_error=False)
    async def _read_repository(self) -> None:
        """Which branch is checked out, and how many files are changed; in a thread, since git is asked."""
        from maverick_tui.ui.picker.reading import read_repository

        if self.store.started is None or not self.store.started.cwd:
            return
        repository = await asyncio.to_thread(read_repository, Path(self.store.started.cwd))
        if repository is not None:
            self.query_one(RunHeader).set_branch(repository.branch, repository.changed)

    def _tick(self) -> None:
        self.transcript.tick()
        self._refresh_status()

    def _refresh_status(self) -> None:
        self._status_timer = None
        now = self._clock()
        self.query_one(TruthLine).refresh_truth(now)
        self.query_one(UsagePanel).refresh_figures(now)
        self.query_one(UsageLine).refresh_figures(now)
        self.query_one(QueueLines).refresh_queue()
        self._refresh_header()
        self._set_hints()

    def _refresh_header(self) -> None:
        place, total, waiting = self.run.board_position()
        self.query_one(RunHeader).refresh_header(place=place, total=total, waiting=waiting)

    def _set_hints(self) -> None:
        if self._asks_reason_for and self._asks_reason_for not in self.store.questions:
            self._asks_reason_for = ""
        enter, escape = self._keys["prompt.send"], self._keys["run.interrupt"]
        if self._asks_reason_for:
            hint, placeholder = f"{enter} deny with this reason   {escape} back", "Why not? The agent is told."
        elif self._questions.in_words:
            hint, placeholder = f"{enter} answer   {escape} interrupt", "Your answer, or the number of an option"
        elif self.store.is_running:
            hint, placeholder = f"{enter} queue   {escape} interrupt", "Follow up: it is sent when the agent is done"
        elif self._may_be_empty():
            hint, placeholder = f"{enter} run", "Anything to add? Without a word it runs as its author wrote it"
        else:
            more = f"{self._keys['prompt.newline']} new line   {self._keys['app.help']} help"
            hint, placeholder = f"{enter} send   {more}", "What shall it do?"
        prompt = self.prompt
        if hint != self._hint:
            self._hint = hint
            prompt.border_subtitle = Content(hint)
        if str(prompt.placeholder) != placeholder:
            prompt.placeholder = placeholder

    # -- prompts ----------------------------------------------------------------------------------------------------

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        text = event.text.strip()
        if self._asks_reason_for:
            is_taken = self._answer(self.store.questions.get(self._asks_reason_for), "deny", reason=text)
            self._asks_reason_for = ""
            self._set_hints()
        elif (question := self._questions.in_words) is not None and text:
            is_taken = self._answer(question, "once", answers=answers_to(question, text))
        else:
            is_taken = True
            if text or self._may_be_empty():
                self.send(event.text)
        if not is_taken:  # nothing that was typed is lost
            self.prompt.set_text("\n".join(filter(None, (event.text, self.prompt.text))))

    def _may_be_empty(self) -> bool:
        started = self.store.started
        return bool(started and started.has_own_prompt and not self.store.entries)

    def send(self, text: str) -> None:
        """Send a prompt to the run."""
        self.transcript.action_bottom()
        self.run.ask(text)

    def action_edit_queued(self) -> None:
        """Take the prompt that was queued last back into the editor."""
        if self.store.queue:
            prompt_id, text = list(self.store.queue.items())[-1]
            self.run.take_back(prompt_id)
            self.prompt.set_text("\n".join(filter(None, (text, self.prompt.text))))
            self.set_focus(self.prompt)

    # -- steering ---------------------------------------------------------------------------------------------------

    def action_escape(self) -> None:
        """Leave what is open; with nothing open, interrupt."""
        store = self.store
        if self.get_selected_text():
            self.clear_selection()
        elif self._asks_reason_for:
            self._asks_reason_for = ""
            self._set_hints()
        elif self.query_one(FindBar).has_class("-open"):
            self._close_find()
        elif store.is_running or store.questions or store.queue:
            self.run.interrupt()
        elif self.focused is not self.prompt:
            self.action_focus_prompt()

    def action_cycle_mode(self) -> None:
        """Take the next permission mode."""
        mode = self.store.mode
        following = MODES[(MODES.index(mode) + 1) % len(MODES)] if mode in MODES else MODES[0]
        self.run.set_mode(following)

    @on(UsagePanel.ToggleRequested)
    @on(UsageLine.ToggleRequested)
    def _usage_clicked(self, event: Message) -> None:
        event.stop()
        self.action_toggle_panel()

    @on(RunHeader.ModeClicked)
    def _mode_clicked(self, event: RunHeader.ModeClicked) -> None:
        event.stop()
        self.action_cycle_mode()

    # -- approvals --------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of questions and banners act only while there is one; else they are the prompt's."""
        if action in ("allow_once", "allow_run", "deny", "deny_reason"):
            return self._questions.first is not None
        if action.startswith("banner_"):
            return self.store.current_failure is not None and not self.store.is_running
        return True

    def _answer(
        self,
        question: PermissionAsked | None,
        decision: Answer,
        *,
        reason: str = "",
        answers: dict[str, str] | None = None,
    ) -> bool:
        """Answer a question; whether there is one, and it has been there for long enough to be meant."""
        if question is None or not self._is_armed(question):
            return False
        self.run.answer(question.request, decision, reason, answers)
        return True

    def _is_armed(self, question: PermissionAsked) -> bool:
        if self._questions.is_armed(question):
            return True
        self.notify(f"This question is new: its keys act after {ARMED_AFTER} s.", timeout=2)
        return False

    def action_allow_once(self, entry: int = 0) -> None:
        """Allow the call that waits; with the number of an entry, that one."""
        self._answer(self._questions.about(entry), "once")

    def action_allow_run(self, entry: int = 0) -> None:
        """Allow the call that waits, and those like it in this run."""
        self._answer(self._questions.about(entry), "run")

    def action_deny(self, entry: int = 0) -> None:
        """Deny the call that waits."""
        self._answer(self._questions.about(entry), "deny")

    def action_deny_reason(self, entry: int = 0) -> None:
        """Deny it with what stands in the prompt, or ask for a reason."""
        question = self._questions.about(entry)
        if question is None or not self._is_armed(question):
            return
        if self.prompt.text.strip():
            self._answer(question, "deny", reason=self.prompt.take().strip())
        else:
            self._asks_reason_for = question.request
            self.set_focus(self.prompt)
            self._set_hints()

    # -- the banner -------------------------------------------------------------------------------------------------

    def action_banner_retry(self) -> None:
        """Send the last prompt again; if it was not a prompt that failed, connect again."""
        banner = self.store.current_failure
        failed = [
            entry.text
            for entry in self.store.entries
            if isinstance(entry, PromptEntry) and banner is not None and entry.turn == banner.turn
        ]
        if failed:
            self.send(failed[-1])
        else:
            self.run.reconnect()

    def action_banner_continue(self) -> None:
        """Ask the agent to go on where its answer broke off."""
        banner = self.store.current_failure
        if banner is not None and banner.failure.error == "StreamingError":
            self.send(_CONTINUE)

    def action_banner_copy(self) -> None:
        """Copy what came before it broke; if nothing came, what went wrong."""
        if (banner := self.store.current_failure) is not None:
            self.transcript.copy("\n\n".join(answer_of_turn(self.store, banner.turn)) or source(banner))

    def action_banner_details(self) -> None:
        """Show everything that is known about the failure."""
        from maverick_tui.ui.screens.details import DetailsScreen

        if (banner := self.store.current_failure) is not None:
            _ = self.app.push_screen(DetailsScreen(banner.failure))

    # -- looking ----------------------------------------------------------------------------------------------------

    def action_switch_focus(self) -> None:
        """Between prompt and transcript."""
        if self.focused is self.prompt:
            self.set_focus(self.transcript)
        else:
            self.action_focus_prompt()

    def action_focus_prompt(self) -> None:
        """Back to the prompt, at once: what is typed next is for it."""
        self.set_focus(self.prompt)

    def action_page(self, direction: int) -> None:
        """Scroll the transcript by a page, wherever the focus is."""
        if direction < 0:
            self.transcript.action_page_up()
        else:
            self.transcript.action_page_down()

    def action_follow(self) -> None:
        """To the end of the transcript, and follow it."""
        self.transcript.action_bottom()

    def action_verbosity(self) -> None:
        """Show the next amount of detail."""
        self._verbosity = VERBOSITIES[(VERBOSITIES.index(self._verbosity) + 1) % len(VERBOSITIES)]
        self.transcript.set_verbosity(self._verbosity)
        self.notify(f"Detail: {self._verbosity}", timeout=2)
        self.post_message(self.VerbosityChanged(self._verbosity))

    def action_toggle_panel(self) -> None:
        """Open or close the usage panel."""
        self.toggle_class("-panel-closed")
        self.post_message(self.PanelToggled(self.has_class("-panel-closed")))

    def action_new_run(self) -> None:
        """To the picker; this run goes on."""
        self.post_message(self.NewRunWanted())

    def action_other_run(self, direction: int) -> None:
        """To the next run."""
        self.post_message(self.OtherRunWanted(direction))

    def action_edit_transcript(self) -> None:
        """Open the transcript as Markdown in the person's editor."""
        self.run_worker(self._edit_transcript(), group="editor", exclusive=True)

    async def _edit_transcript(self) -> None:
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.runs.export import as_markdown
        from maverick_tui.ui.widgets.own_editor import edit_text

        try:
            await edit_text(self.app, as_markdown(self.store))
        except MaverickError as error:
            self.notify(inert(str(error)), title="Editor", severity="warning", markup=False)

    @on(Transcript.Moved)
    def _moved(self, event: Transcript.Moved) -> None:
        event.stop()
        self.query_one(TruthLine).set_unseen(0 if event.is_following else event.unseen, event.is_following)

    @on(TruthLine.FollowClicked)
    def _follow_clicked(self, event: TruthLine.FollowClicked) -> None:
        event.stop()
        self.action_follow()

    @on(Transcript.Found)
    def _found(self, event: Transcript.Found) -> None:
        event.stop()
        self.query_one(FindBar).show_result(event.at, event.total)

    @on(Transcript.Copied)
    def _copied(self, event: Transcript.Copied) -> None:
        event.stop()
        self.notify(f"Copied {len(event.text):,} characters.", timeout=2)

    # -- finding ----------------------------------------------------------------------------------------------------

    async def action_find(self) -> None:
        """Open the line to find text with."""
        await self.query_one(FindBar).open()

    @on(FindBar.Wanted)
    def _find(self, event: FindBar.Wanted) -> None:
        event.stop()
        if event.needle != self.transcript.search.needle:
            self.transcript.find(event.needle)
        elif event.step:
            self.transcript.action_match(event.step)

    @on(FindBar.Left)
    def _left_find(self, event: FindBar.Left) -> None:
        event.stop()
        if self.query_one(FindBar).has_class("-open"):  # it may have been closed since
            self.set_focus(self.transcript)

    def _close_find(self) -> None:
        self.query_one(FindBar).close()
        self.transcript.find("")
        self.action_focus_prompt()
