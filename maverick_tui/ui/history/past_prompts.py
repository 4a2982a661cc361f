"""PastPromptsScreen: finds a prompt among those of all runs, to be sent again or changed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.runs.moments import moment
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.lines import RoleLooks
from maverick_tui.ui.widgets.inert_input import InertInput

if TYPE_CHECKING:
    from maverick_tui.history.index import RunIndex
    from maverick_tui.history.prompts import PastPrompt
    from maverick_tui.ui.history.asking import IndexThread


class PastPromptsScreen(Dialog[str | None]):
    """Finds while one types; leaves with the prompt that was chosen, or with None."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("dialogs", "lines")]
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Newer", id="past.newer", show=False, priority=True),
        Binding("down,ctrl+r", "move(1)", "Older", id="past.older", show=False, priority=True),
        Binding("pageup", "move(-10)", "Ten newer", id="past.page_up", show=False, priority=True),
        Binding("pagedown", "move(10)", "Ten older", id="past.page_down", show=False, priority=True),
        Binding("enter", "choose", "Put it into the prompt", id="past.choose", show=False, priority=True),
        Binding("escape", "leave", "Back", key_display="Esc", id="past.leave", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(classes="dialog")
        self._found: Sequence[PastPrompt] = ()
        self._index: IndexThread | None = None

    def compose(self) -> ComposeResult:
        """What to look for, what is found, and what the keys do."""
        with RoleLooks(classes="dialog--box -large"):
            yield Static(Content("Prompts of all runs"), classes="dialog--title", markup=False)
            yield InertInput(placeholder="Words in it", compact=True, classes="field--control")
            yield ChoiceList(lambda _at: self.action_choose())
            hint = "Enter puts it into the prompt   ↑↓ choose   Esc back"
            yield Static(Content(hint), classes="field--description", markup=False)

    def on_mount(self) -> None:
        """List the newest; the index is opened in a thread of its own."""
        from maverick_tui.ui.history.asking import IndexThread

        self.query_one(ChoiceList).show((), notice="Looking through your runs …")
        self._index = IndexThread(self._tell, lambda _done, _total: None)
        self._look("")

    async def on_unmount(self) -> None:
        """Nobody waits for an answer any more."""
        if self._index is not None:
            await self._index.close(None)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self._look(event.value)

    def _look(self, text: str) -> None:
        words = text.split()

        def ask(index: RunIndex) -> Iterator[Sequence[PastPrompt]]:
            yield index.prompts(words)

        if self._index is not None:
            self._index.ask("prompts", ask, self._show)

    def _show(self, found: Sequence[PastPrompt]) -> None:
        self._found, now = found, time.time()
        rows = [
            (((one_line(one.text), "text"),), ((f"{one_line(one.agent)}  {moment(one.at, now)}", "muted"),))
            for one in found
        ]
        self.query_one(ChoiceList).show(rows, notice="No prompt has these words in it.")

    def _tell(self, why: str) -> None:
        self.query_one(ChoiceList).show((), notice=why)

    def action_move(self, by: int) -> None:
        """Highlight another one."""
        self.query_one(ChoiceList).move(by)

    def action_choose(self) -> None:
        """Leave with all of the highlighted one."""
        if not self._found or self._index is None:
            return
        prompt = self._found[self.query_one(ChoiceList).at]

        def ask(index: RunIndex) -> Iterator[str]:
            yield index.whole_prompt(prompt)

        self._index.ask("whole", ask, self._leave_with)

    def _leave_with(self, text: str) -> None:
        if self.is_attached:
            _ = self.dismiss(text)

    def action_leave(self) -> None:
        """Leave the prompt as it is."""
        _ = self.dismiss(None)
