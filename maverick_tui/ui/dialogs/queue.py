"""QueueScreen: the prompts that wait for their turn, to be changed, moved, dropped or sent now."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.lines import RoleLooks
from maverick_tui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel

_LOOK_EVERY = 0.2
"""Seconds after which it shows what has become of the queue."""
_LEAST, _MOST = 3, 12
"""Rows of the list."""
_KEYS = "Enter edit   s send now   i interrupt and send\nx drop   Shift+↑↓ move   Esc back"
_EDITING = "Enter keep it so   Esc leave it as it was"
_LOST = "It waits no more: it was sent as it was, or dropped.\nEnter or Esc take this into your prompt"
_EMPTY = "Nothing waits. What you send while the agent works waits here for its turn."


def state_of(run: RunModel, prompt_id: str) -> str:
    """What a prompt that waits is waiting for, in a word."""
    store = run.store
    return "held" if prompt_id in store.held else "now" if prompt_id in store.urgent else "queued"


class QueueScreen(ArmedDialog[None]):
    """Shows the queue as it stands, also while it changes; what is wanted of it goes to the run at once."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("dialogs", "lines", "prompt")]
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "mark(-1)", "The one above", id="queue.up", show=False),
        Binding("down", "mark(1)", "The one below", id="queue.down", show=False),
        Binding("shift+up", "shift(-1)", "Send it earlier", id="queue.earlier", show=False),
        Binding("shift+down", "shift(1)", "Send it later", id="queue.later", show=False),
        Binding("enter,e", "edit", "Edit it", id="queue.edit", show=False),
        Binding("s", "send_now", "Send it now, into the running turn where that can be", id="queue.send", show=False),
        Binding("i", "interrupt", "Interrupt, and send it", id="queue.interrupt", show=False),
        Binding("x,delete", "drop", "Drop it", id="queue.drop", show=False),
        Binding("escape,alt+k", "leave", "Back", key_display="Esc", id="queue.leave", show=False),
    ]

    def __init__(self, run: RunModel, changed: Callable[[str], None], take_in: Callable[[str], None]) -> None:
        """The queue of a run. `changed` hears what becomes of a prompt until that is kept, or left as it was.

        `take_in` gets it if that prompt waits no more.
        """
        super().__init__(classes="dialog")
        self._run = run
        self._changed = changed
        self._take_in = take_in
        self._marked = next(iter(run.store.queue), "")
        """The id of the prompt that keys act on."""
        self._dropped = ""
        """The id of the last one that was dropped here."""
        self._edited = ""
        """The id of the one that is being changed."""
        self._was = ""
        """What that says until it is changed."""
        self._shown: object = None
        self._ids: list[str] = []
        """What stands in which row: the queue itself may have moved on since."""

    def compose(self) -> ComposeResult:
        """What waits, where one of them is changed, and what the keys do."""
        with RoleLooks(classes="dialog--box"):
            yield Static(Content("Prompts that wait"), classes="dialog--title", markup=False)
            yield ChoiceList(lambda _at: self.action_edit())
            yield Prompt()
            yield Static(Content(_KEYS), id="queue-keys", classes="field--description", markup=False)

    def on_mount(self) -> None:
        """Show what waits, from now on."""
        self.query_one(Prompt).display = False
        self._show()
        self.set_interval(_LOOK_EVERY, self._show)

    def _show(self) -> None:
        queue = self._run.store.queue
        rows = [
            (((f"{state_of(self._run, one):8}", "muted"), (one_line(text), "text")), ()) for one, text in queue.items()
        ]
        self._ids = ids = list(queue)
        choices = self.query_one(ChoiceList)
        if self._marked not in queue:  # it was sent, or dropped: on with the one that has its place
            if self._marked != self._dropped:
                self.wait_still()  # a key that is on its way was meant for what is gone
            self._marked = ids[min(choices.at, len(ids) - 1)] if ids else ""
        if self._edited and self._edited not in queue:
            self._lose_edited()
        if (rows, self._marked) != self._shown:
            self._shown = (rows, self._marked)
            choices.styles.height = max(_LEAST, min(len(rows), _MOST))
            choices.show(rows, ids.index(self._marked) if ids else 0, notice=_EMPTY)

    # -- what is wanted -----------------------------------------------------------------------------------------------

    def action_mark(self, by: int) -> None:
        """Let the keys act on another one."""
        if ids := self._ids:
            self._marked = ids[max(0, min(ids.index(self._marked) + by, len(ids) - 1))]
            self._show()

    def _take_clicked(self) -> bool:
        """A click may have marked another one; whether the one that is seen to be marked still waits."""
        at = self.query_one(ChoiceList).at
        self._marked = self._ids[at] if at < len(self._ids) else ""
        if self._marked in self._run.store.queue:
            return True
        self._show()  # the mark goes to another one, which was not meant
        return False

    def action_shift(self, by: int) -> None:
        """Send it earlier, or later."""
        if self._take_clicked():
            self._run.move_prompt(self._marked, by)
            self._show()

    def action_send_now(self) -> None:
        """Give it to the agent at the next moment at which that takes something in."""
        if self._take_clicked():
            self._run.steer(self._marked)
            self._show()

    def action_interrupt(self) -> None:
        """Stop what is being done, and send it."""
        if self._take_clicked():
            self._run.interrupt()
            self._run.steer(self._marked)
            self._show()

    def action_drop(self) -> None:
        """Take it back."""
        if self._take_clicked():
            self._dropped = self._marked
            self._run.take_back(self._marked)
            self._show()

    def action_leave(self) -> None:
        """Leave what is being changed as it was, or the queue as it is."""
        if self._edited:
            self._take_in_lost(self.query_one(Prompt).whole_text)
            self._leave_editing()
        else:
            _ = self.dismiss(None)

    # -- changing one -------------------------------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Change it, where it stands."""
        if not self._edited and self._take_clicked():
            self._edited = self._marked
            prompt = self.query_one(Prompt)
            prompt.display = True
            prompt.set_text(self._run.store.queue[self._edited])
            self._was = prompt.whole_text
            self.set_focus(prompt)
            self.query_one("#queue-keys", Static).update(Content(_EDITING))

    @on(Prompt.Changed)
    def _tell_changed(self) -> None:
        if self._edited:
            words = self.query_one(Prompt).whole_text
            self._changed(words if words != self._was else "")

    @on(Prompt.Submitted)
    def _keep(self, event: Prompt.Submitted) -> None:
        event.stop()
        if self._edited in self._run.store.queue and event.text.strip() and event.text != self._was:
            self._change(self._edited, event.text)
        else:
            self._take_in_lost(event.text)
        self._leave_editing()
        self._show()

    def _change(self, prompt_id: str, words: str) -> None:
        """Let a prompt say this; of a run at rest, which hears nothing, it is taken back and the person's to send."""
        if self._run.rest is None:
            self._run.edit_prompt(prompt_id, words)
        else:
            self._run.take_back(prompt_id)
            self._take_in(words)
            self.notify("The run is at rest: this is in your prompt now.", title="Queue", markup=False)

    def _lose_edited(self) -> None:
        """It was sent or dropped: whoever has changed it types on, and nothing of that is lost."""
        if self.query_one(Prompt).whole_text == self._was:
            self._leave_editing()
            self.notify("It waits no more: it was sent as it was, or dropped.", title="Queue", markup=False)
        else:
            self.query_one("#queue-keys", Static).update(Content(_LOST))

    def _take_in_lost(self, words: str) -> None:
        if self._edited not in self._run.store.queue and words.strip() and words != self._was:
            self._take_in(words)

    def _leave_editing(self) -> None:
        """No prompt is changed any more."""
        prompt = self.query_one(Prompt)
        self._edited = ""
        self._changed("")
        self.set_focus(None)
        prompt.display = False
        self.query_one("#queue-keys", Static).update(Content(_KEYS))
