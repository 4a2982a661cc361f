"""RunView: one run on the screen. What is shown comes from the run's store; the clocks and the status are kept here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, work
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen

from maverick_tui.ui.keys.bindings import key_names
from maverick_tui.ui.open_questions import OpenQuestions
from maverick_tui.ui.preferences import Verbosity
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.painted import PAINT
from maverick_tui.ui.widgets.pending import QueueLines
from maverick_tui.ui.widgets.prompt import Prompt
from maverick_tui.ui.widgets.run_header import RunHeader
from maverick_tui.ui.widgets.status_line import StatusLine
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel

if TYPE_CHECKING:
    from maverick_tui.runs.events import Event
    from maverick_tui.ui.board import RunModel
    from maverick_tui.ui.rendering.palette import Palette
    from maverick_tui.ui.widgets.pending import JobLine

WIDE = 100
"""Columns from which on the usage panel has room beside the transcript."""
SHORT = 9
"""Rows below which everything goes that the answer, the truth and the prompt can do without."""
STATUS_EVERY = 1 / 8
_URGENT = (
    "interrupt_requested",
    "permission_asked",
    "permission_settled",
    "prompts_held",
    "run_named",
    "turn_started",
    "turn_ended",
    "connect_failed",
)
"""What a person waits for: it is on the screen at once."""
_CHANGES_KEYS = ("permission_asked", "permission_settled", "turn_started", "turn_ended", "connect_failed")
_CHANGES_FILES = ("run_started", "turn_ended")


class RunView(Screen[None]):
    """The parts of the screen, and what they are told when an event has been applied."""

    COMPONENT_CLASSES = PAINT

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
        self._status_due: asyncio.TimerHandle | None = None
        self._status_is_urgent = False
        self._questions = OpenQuestions(run.store, clock)
        self._asks_reason_for = ""
        """The question that is to be denied with the reason that stands in the prompt."""
        self._aside = ""
        """What stood in the prompt before a reason was asked for."""
        self._unsaid = ("", "")
        """The question for which a reason was begun and left, and the words."""
        self._hint = ""
        self._keys: Mapping[str, str] = {}
        self._was_shown = False
        self._job_line: JobLine | None = None
        self.set_class(is_panel_closed, "-panel-closed")

    def compose(self) -> ComposeResult:
        """The answer first, the truth second, everything else quiet."""
        # Textual would find out after it has applied all styles, and apply them again.
        size = self.app.size
        self.add_class("-wide" if size.width >= WIDE else "-narrow", "-tall" if size.height >= SHORT else "-short")
        yield RunHeader(self.store, name=self.run.agent, badge=self._badge)
        with Horizontal(id="run-body"):
            yield Transcript(self.store, palette=self._palette, verbosity=self._verbosity, clock=self._clock)
            yield UsagePanel(self.store)
        yield UsageLine(self.store)
        yield QueueLines(self.store)
        yield StatusLine(self.store)
        yield Prompt(history=self.run.history)

    def on_mount(self) -> None:
        """Take up the state that is there, and keep the clocks going."""
        self.prompt.set_text(self.run.draft)
        self._look_for_questions()
        self.keys_changed()
        self.set_interval(1.0, self._tick)
        self._refresh_status()
        self.call_after_refresh(self._read_checkout)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Have styles applied again when it comes back; the first time they are those of a moment ago."""
        event.refresh_styles, self._was_shown = event.refresh_styles and self._was_shown, True

    # -- parts --------------------------------------------------------------------------------------------------------

    @cached_property
    def transcript(self) -> Transcript:
        """The transcript."""
        return self.query_one(Transcript)

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt."""
        return self.query_one(Prompt)

    @property
    def draft(self) -> str:
        """Everything that was typed and not sent."""
        return "\n".join(filter(None, (self._aside, self.prompt.text)))

    def _leave_reason(self) -> None:
        """Back to the draft alone: the words of a reason are no part of it. They come back with the question's key."""
        if self._asks_reason_for in self.store.questions:
            self._unsaid = (self._asks_reason_for, self.prompt.take())
        self._bring_draft_back()

    def _bring_draft_back(self) -> None:
        """No reason is asked for any more; what was put aside stands above what has been typed since."""
        self._asks_reason_for = ""
        if self._aside:
            draft, self._aside = self.draft, ""
            self.prompt.set_text(draft)

    def keys_changed(self) -> None:
        """The keys may be others: say so wherever they are named."""
        self._keys = key_names(self.app, self.prompt, self.transcript, self)
        self.transcript.set_keys(self._keys)
        self.query_one(QueueLines).set_keys(self._keys)
        self.query_one(StatusLine).interrupt_key = self._keys["run.interrupt"]

    # -- events -------------------------------------------------------------------------------------------------------

    def event_applied(self, event: Event) -> None:
        """The store has changed. Nothing is drawn here: that is done in frames."""
        if event.type == "block_grew" and self._status_due is not None and self.transcript.is_waking:
            return  # thousands of them may come in a second
        if not self.is_attached or not self.is_mounted:
            return
        self.transcript.wake(at_once=event.type != "block_grew")
        if event.type == "block_grew" and self._status_due is not None:
            return
        if event.type in ("permission_asked", "permission_settled", "tool_finished", "turn_ended"):
            self._look_for_questions()
        if event.type in _CHANGES_KEYS:
            self.refresh_bindings()
        if event.type in _CHANGES_FILES:
            self._read_checkout()
        is_urgent = event.type in _URGENT
        if self._status_due is not None and is_urgent and not self._status_is_urgent:
            self._status_due.cancel()
            self._status_due = None
        if self._status_due is None:
            self._status_is_urgent = is_urgent
            delay = STATUS_EVERY if event.type == "block_grew" else 0.01
            # Not a timer of Textual's: each of them is a task.
            self._status_due = asyncio.get_running_loop().call_later(delay, self._refresh_status)

    def _look_for_questions(self) -> None:
        before = self._questions.choice
        self._questions.look()
        if self._questions.choice is not before:
            self.transcript.set_choice(self._questions.choice)

    @work(exclusive=True, group="checkout", exit_on_error=False)
    async def _read_checkout(self) -> None:
        """Which branch is checked out, and how many files are changed; in a thread, since git is asked."""
        from maverick_tui.git import head

        if self.store.started is None or not self.store.started.cwd:
            return
        checkout = await asyncio.to_thread(head.read_checkout, Path(self.store.started.cwd))
        if checkout is not None:
            self.query_one(RunHeader).set_branch(checkout.branch, checkout.changed)

    def _tick(self) -> None:
        self.transcript.tick()
        self._refresh_status()

    def _refresh_status(self) -> None:
        if self._status_due is not None:
            self._status_due.cancel()
            self._status_due = None
        if not self.is_attached:
            return
        now = self._clock()
        self.query_one(StatusLine).refresh_status(now)
        self.query_one(UsagePanel).refresh_figures(now)
        self.query_one(UsageLine).refresh_figures(now)
        self.query_one(QueueLines).refresh_queue()
        self._refresh_jobs(now)
        self._refresh_header()
        self._set_hints()

    def _refresh_jobs(self, now: float) -> None:
        if self._job_line is None and self.store.jobs:  # few agents schedule anything
            from maverick_tui.ui.widgets.pending import JobLine

            self._job_line = JobLine(self.store)
            _ = self.mount(self._job_line, before=self.query_one(QueueLines))
        if self._job_line is not None:
            self._job_line.refresh_jobs(now, self._keys["run.interrupt"])

    def _refresh_header(self) -> None:
        place, total, waiting = self.run.board_position()
        self.query_one(RunHeader).refresh_header(place=place, total=total, waiting=waiting)

    def _set_hints(self) -> None:
        is_gone = bool(self._asks_reason_for) and self._asks_reason_for not in self.store.questions
        if is_gone and not self.prompt.text:
            self._bring_draft_back()
        enter, escape, tab = (self._keys[name] for name in ("prompt.send", "run.interrupt", "run.focus"))
        if is_gone and self._asks_reason_for:
            # Still no prompt: what was typed as a reason is not sent to the agent by the key that was meant to deny.
            hint, placeholder = f"this question is gone   {enter} keep as a draft", ""
        elif self.prompt.is_choosing:
            does = "does it" if self.prompt.is_whole else f"or {tab} completes it   ↑↓ choose"
            hint, placeholder = f"{enter} {does}   {escape} close", ""
        elif self._asks_reason_for:
            hint, placeholder = f"{enter} deny with this reason   {escape} back", "Why not? The agent is told."
        elif self._questions.in_words:
            hint, placeholder = f"{enter} answer   {escape} interrupt", "Your answer, or the number of an option"
        elif self._sends_held:
            drop, edit = self._keys["run.drop_queued"], self._keys["run.edit_queued"]
            hint = f"{enter} send what waits   {edit} edit it   {drop} drop it"
            placeholder = "Something else first? What is queued waits"
        elif self.store.is_running:
            hint, placeholder = f"{enter} queue   {escape} interrupt", "Follow up: it is sent when the agent is done"
        elif self._may_be_empty():
            hint, placeholder = f"{enter} run", "Anything to add? Without a word it runs as its author wrote it"
        else:
            more = f"{self._keys['prompt.newline']} new line   {self._keys['app.help']} help"
            hint, placeholder = f"{enter} send   {more}", "What shall it do?"
        if (elsewhere := self._hint_elsewhere()) and not self._asks_reason_for:
            hint = elsewhere
        prompt = self.prompt
        if hint != self._hint:
            self._hint = hint
            prompt.border_subtitle = Content(hint)
        if str(prompt.placeholder) != placeholder:
            prompt.placeholder = placeholder

    def _hint_elsewhere(self) -> str:
        """What the keys do while something else than the prompt has the focus."""
        keys, back = self._keys, f"{self._keys['run.focus']} prompt"
        if self.focused is self.transcript:
            stop = f"   {keys['run.interrupt']} interrupt" if self.store.is_running else ""
            return f"{keys['transcript.toggle']} open   {keys['transcript.copy']} copy   {back}{stop}"
        if self.focused is not None and self.focused is not self.prompt:
            return f"Enter to the match   {keys['run.interrupt']} close   {back}"
        return ""

    def on_descendant_focus(self) -> None:
        """Say what the keys do for what has the focus."""
        if self._keys:
            self._set_hints()

    @property
    def _sends_held(self) -> bool:
        """Whether Enter sends what an interrupt has held: nothing else is to be sent, and nothing runs."""
        return bool(self.store.held) and not self.store.is_running and not self.prompt.text.strip()

    def _may_be_empty(self) -> bool:
        started = self.store.started
        return bool(started and started.has_own_prompt and not self.store.entries)
