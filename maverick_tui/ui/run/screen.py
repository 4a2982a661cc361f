"""RunScreen: one run, live. The prompt has the focus; the transcript, the figures and the truth stand around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from maverick_tui.agent.catalog.choices import PERMISSION_MODES
from maverick_tui.inert import inert
from maverick_tui.paths import shipped
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.ui.open_questions import SCOPES
from maverick_tui.ui.preferences import VERBOSITIES, Verbosity
from maverick_tui.ui.run.answering import AnsweringScreen
from maverick_tui.ui.run.run_view import SHORT, WIDE
from maverick_tui.ui.transcript.sources import answer_of_turn, source
from maverick_tui.ui.transcript.view import Transcript
from maverick_tui.ui.widgets.pending import QueueLines
from maverick_tui.ui.widgets.run_header import RunHeader
from maverick_tui.ui.widgets.status_line import StatusLine
from maverick_tui.ui.widgets.usage_panel import UsageLine, UsagePanel

if TYPE_CHECKING:
    from maverick_tui.ui.widgets.find_bar import FindBar

_CONTINUE = "Your last answer broke off. Continue exactly where it stopped; do not repeat what you have already said."


class RunScreen(AnsweringScreen):
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
        Binding("alt+x", "drop_queued", "Drop the last queued prompt", id="run.drop_queued", priority=True, show=False),
        Binding("f2", "name_run", "Name this run", id="run.name", priority=True, show=False),
        Binding("f9", "close_run", "Close this run", id="run.close", priority=True, show=False),
        Binding("f4", "edit_transcript", "Transcript in your editor", id="run.editor", priority=True, show=False),
        Binding("ctrl+y", "allow_once", "Allow once", id="approval.allow_once", priority=True, show=False),
        Binding(
            "ctrl+t",
            "allow_run",
            "Allow this very call for the run",
            id="approval.allow_run",
            priority=True,
            show=False,
        ),
        Binding(
            "alt+t",
            "allow_alike",
            "Allow what begins alike for the run",
            id="approval.allow_alike",
            priority=True,
            show=False,
        ),
        Binding(
            "alt+a",
            "allow_all",
            "Allow all of the tool for the run",
            id="approval.allow_all",
            priority=True,
            show=False,
        ),
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

    _find_bar: FindBar | None = None
    _finds_from: Widget | None = None
    """What had the focus when the person began to find something."""

    class NewRunWanted(Message):
        """The person wants another agent."""

    class OtherRunWanted(Message):
        """The person wants to see the next run, or the one before."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class CloseWanted(Message):
        """The person has done with this run."""

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

    # -- steering -----------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of questions and banners act only while there is one; else they are the prompt's."""
        if action == "deny" and not parameters and self.prompt.has_focus and self.prompt.selected_text:
            return False  # its key cuts
        if action in ("allow_once", "deny", "deny_reason", *SCOPES):
            return self._questions.first is not None
        if action in ("drop_queued", "edit_queued"):
            return bool(self.store.queue)
        if action.startswith("banner_"):
            return self.store.current_failure is not None and not self.store.is_running
        return True

    def action_escape(self) -> None:
        """Leave what is open; with nothing open, interrupt; with nothing to interrupt, end what is scheduled."""
        store = self.store
        if self.get_selected_text():
            self.clear_selection()
        elif self.prompt.is_choosing:
            self._choice.refuse()
        elif self._asks_reason_for:
            self._leave_reason()
            self._set_hints()
        elif self._find_bar is not None and self._find_bar.has_class("-open"):
            self._close_find(self._find_bar)
        elif store.is_running or store.questions or store.queue.keys() - store.held:
            self.run.interrupt()
        elif self.focused is not self.prompt:
            self.action_focus_prompt()
        elif store.jobs:
            self.run.interrupt()

    def action_cycle_mode(self) -> None:
        """Take the next permission mode, where there is something to permit."""
        mode, modes = self.store.mode, PERMISSION_MODES
        if self.store.started is not None and not mode:
            self.notify("This agent has nothing to permit.")
            return
        following = modes[(modes.index(mode) + 1) % len(modes)] if mode in modes else modes[0]
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

    def action_new_run(self) -> None:
        """To the picker; this run goes on."""
        self.post_message(self.NewRunWanted())

    def action_other_run(self, direction: int) -> None:
        """To the next run."""
        self.post_message(self.OtherRunWanted(direction))

    def action_close_run(self) -> None:
        """End this run, and take it from the list."""
        self.post_message(self.CloseWanted())

    def action_name_run(self) -> None:
        """Ask what the run is to be called."""
        from maverick_tui.ui.dialogs.naming import NameScreen

        def name(words: str | None) -> None:
            if words is not None:
                self.run.name(words)

        _ = self.app.push_screen(NameScreen(self.store.name), name)

    # -- the banner ---------------------------------------------------------------------------------------------------

    def action_banner_retry(self) -> None:
        """Send the last prompt, or command, again; if it was not a prompt that failed, connect again."""
        banner = self.store.current_failure
        failed = [
            entry
            for entry in self.store.entries
            if isinstance(entry, PromptEntry) and banner is not None and entry.turn == banner.turn
        ]
        if failed:
            self.send(failed[-1].text, is_command=failed[-1].is_command)
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
            self.transcript.copy(*answer_of_turn(self.store, banner.turn) or [source(banner)])

    def action_banner_details(self) -> None:
        """Show everything that is known about the failure."""
        from maverick_tui.ui.overlays.details import DetailsScreen

        if (banner := self.store.current_failure) is not None:
            _ = self.app.push_screen(DetailsScreen(banner.failure))

    # -- looking ------------------------------------------------------------------------------------------------------

    def action_switch_focus(self) -> None:
        """Between prompt and transcript; in a command that has been begun, to its end."""
        if self.focused is self.prompt and self.prompt.is_choosing:
            if not self.prompt.complete():
                self._choice.refuse()
        elif self.focused is self.prompt:
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
        if self.size.width < WIDE:
            self.notify(f"The panel needs {WIDE} columns; the line above the prompt has the figures.", timeout=4)
            return
        self.toggle_class("-panel-closed")
        self.post_message(self.PanelToggled(self.has_class("-panel-closed")))

    def action_edit_transcript(self) -> None:
        """Open the transcript as Markdown in the person's editor."""
        self._edit_transcript()

    @work(group="editor", exclusive=True)
    async def _edit_transcript(self) -> None:
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.runs.export import as_markdown
        from maverick_tui.ui.editor import edit_text

        try:
            await edit_text(self.app, as_markdown(self.store))
        except MaverickError as error:
            self.notify(inert(str(error)), title="Editor", severity="warning", markup=False)

    @on(Transcript.Moved)
    def _moved(self, event: Transcript.Moved) -> None:
        event.stop()
        self.query_one(StatusLine).set_unseen(0 if event.is_following else event.unseen, event.is_following)

    @on(StatusLine.FollowClicked)
    def _follow_clicked(self, event: StatusLine.FollowClicked) -> None:
        event.stop()
        self.action_follow()

    @on(Transcript.Found)
    def _found(self, event: Transcript.Found) -> None:
        event.stop()
        if self._find_bar is not None:  # the keys from match to match act also before anything was to be found
            self._find_bar.show_result(event.at, event.total)

    @on(Transcript.Copied)
    def _copied(self, event: Transcript.Copied) -> None:
        event.stop()
        self.notify(f"Copied {event.characters:,} characters.", timeout=2)

    # -- finding ------------------------------------------------------------------------------------------------------

    async def action_find(self) -> None:
        """Open the line to find text with."""
        if self._find_bar is None:
            from maverick_tui.ui.widgets.find_bar import FindBar

            bar = FindBar()
            await self.mount(bar, before=self.query_one(QueueLines))
            self._find_bar = bar  # not before its parts are there
        if not self._find_bar.has_class("-open"):
            self._finds_from = self.focused
        self._find_bar.open()

    def on_find_bar_wanted(self, event: FindBar.Wanted) -> None:
        """Find it, or go to the next place."""
        event.stop()
        if event.needle != self.transcript.search.needle:
            self.transcript.find(event.needle)
        elif event.step:
            self.transcript.action_match(event.step)

    def on_find_bar_left(self, event: FindBar.Left) -> None:
        """On to what was found."""
        event.stop()
        if self._find_bar is not None and self._find_bar.has_class("-open"):  # it may have been closed since
            self.set_focus(self.transcript)

    def _close_find(self, bar: FindBar) -> None:
        """Leave everything as it was before: the entries, and who has the focus."""
        bar.close()
        self.transcript.find("")
        self.set_focus(self._finds_from or self.prompt)
