"""InboxScreen: all open questions of all runs, and the one that is looked at in full below them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.inbox.asked import Asked, open_questions
from maverick_tui.ui.inbox.question_list import QuestionList
from maverick_tui.ui.inbox.question_pane import QuestionPane
from maverick_tui.ui.lines import ROLE_CLASSES
from maverick_tui.ui.picker.edges import KeyHints
from maverick_tui.ui.run.keys import QUESTION_KEYS

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.question_words import QuestionWords
    from maverick_tui.ui.rendering.palette import Palette

LOOK_EVERY = 2.0
"""Seconds between looks at the runs of other processes."""
TOGETHER = 0.02
"""Seconds in which what runs tell is gathered."""
SOON = 0.1
"""Seconds after which the rest is looked at, if they are many."""
NOTHING = "Nothing waits for you. What any run asks from now on comes up here."
LOOKING = "Looking for what other runs ask …"
BEGINS_FOR = 3.0
"""Seconds in which older questions than the first that is known may be found elsewhere, and are highlighted instead."""
LOW = 16
"""Rows below which there is no room for a frame around the list."""


class Elsewhere(Protocol):
    """Runs of other processes and machines that ask something."""

    @property
    def runs(self) -> Mapping[str, RunModel]:
        """Those that are followed."""

    @property
    def are_read(self) -> bool:
        """Whether each of them has told what it has asked."""

    async def look(self) -> bool:
        """Follow those that ask something by now; whether these are all."""


class InboxScreen(Screen[None]):
    """Keys answer the question that is highlighted; then the next one is. Nothing that comes moves the highlight."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("lines", "run", "prompt", "inbox")]
    COMPONENT_CLASSES = ROLE_CLASSES
    BINDING_GROUP_TITLE = "Inbox"
    AUTO_FOCUS = "QuestionList"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (LOW, "-high")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open_run", "to the run", key_display="Enter", id="inbox.open"),
        Binding("tab", "switch_focus", "type an answer", key_display="Tab", id="inbox.focus"),
        Binding("tab", "leave_words", "to the list", key_display="Tab", id="inbox.focus_list"),
        Binding("escape", "leave", "back", key_display="Esc", id="inbox.leave", priority=True),
        *QUESTION_KEYS,
    ]

    class RunChosen(Message):
        """This run is to be shown."""

        def __init__(self, run: RunModel) -> None:
            super().__init__()
            self.run = run

    class BackRequested(Message):
        """Whatever was there before is to be shown again."""

    def __init__(
        self,
        runs: Callable[[], Iterable[RunModel]],
        elsewhere: Elsewhere,
        words: QuestionWords,
        *,
        palette: Callable[[], Palette],
        clock: Callable[[], float] = time.time,
        gone: Callable[[], None] = lambda: None,
    ) -> None:
        """`runs` are those of this application, and `words` has what is typed for any run; `gone` hears that the screen
        is left, in whatever way.
        """
        super().__init__()
        self._runs = runs
        self._elsewhere = elsewhere
        self._gone = gone
        self._is_looking = False
        self._has_looked = False
        """Whether all runs that ask something were found since this screen is here."""
        self._due: asyncio.TimerHandle | None = None
        self._title = Static("", id="inbox-title", markup=False)
        self.pane = QuestionPane(palette=palette, go_home=self._go_home, words=words, clock=clock)
        self.questions = QuestionList(self._moved, self._choose, self.pane.type, clock)
        self._hints = KeyHints(id="keys")
        self.pane.serve_keys(self)

    def compose(self) -> ComposeResult:
        """How many wait, which they are, one of them in full, and the keys."""
        yield self._title
        yield self.questions
        yield self.pane
        yield self._hints

    def on_mount(self) -> None:
        """List what is known at once, and look for more."""
        self.keys_changed()
        self._show_questions()
        self.set_interval(1.0, self.runs_changed)  # how long they have waited is told as well
        self.set_interval(LOOK_EVERY, self._look)
        self._look()
        self.set_timer(BEGINS_FOR, self._has_begun)

    def _has_begun(self) -> None:
        """From now on nothing that comes moves the highlight."""
        self.questions.begins = False

    def keys_changed(self) -> None:
        """The keys may be others."""
        self.pane.keys_changed()

    def runs_changed(self) -> None:
        """Questions may have come or gone. A hundred runs may say so at once: that is one look."""
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(TOGETHER, self._show_questions)

    def on_unmount(self) -> None:
        """Nobody looks any more."""
        if self._due is not None:
            self._due.cancel()
        self._gone()

    def _show_questions(self) -> None:
        self._due = None
        if not self.is_mounted or not self.is_attached:
            return
        self.pane.look()
        self.questions.notice = NOTHING if self._has_looked and self._elsewhere.are_read else LOOKING
        rows = open_questions({**self._elsewhere.runs, **{run.run_id: run for run in self._runs()}}.values())
        if rows != self.questions.rows:
            self._title.update(_counted(rows))
            self.questions.show(rows)
            self._make_room()
        else:
            self.questions.refresh()

    @work(exit_on_error=False)
    async def _look(self) -> None:
        if not self._is_looking:
            self._is_looking = True
            try:
                are_all = await self._elsewhere.look()
            finally:
                self._is_looking = False
            self._has_looked = self._has_looked or are_all
            self.runs_changed()
            if not are_all:
                self.set_timer(SOON, self._look)

    def _make_room(self) -> None:
        """The list has all the room while there is no question to be seen."""
        self.set_class(not self.questions.rows and not self.pane.is_typing, "-empty")

    # -- the list -----------------------------------------------------------------------------------------------------

    def _moved(self, asked: Asked | None) -> None:
        """Show what is highlighted, unless somebody is typing for what is shown, and it only went by itself."""
        if self.pane.is_typing and not self.questions.has_focus:
            return
        self.pane.show(asked.run if asked is not None else None, asked.question.request if asked is not None else "")

    def _choose(self, asked: Asked) -> None:
        self.post_message(self.RunChosen(asked.run))

    def _go_home(self) -> None:
        self.set_focus(self.questions)

    @on(QuestionPane.Settled)
    def _settled(self, event: QuestionPane.Settled) -> None:
        event.stop()
        if event.words:
            text = f"The question was {event.words}." if event.words[0].isalpha() else event.words
            self.notify(one_line(text), title=one_line(event.run.title), timeout=5, markup=False)

    # -- keys ---------------------------------------------------------------------------------------------------------

    @property
    def takes_words(self) -> bool:
        """Whether characters that are typed are for the question, and do not go to another one."""
        return self.pane.takes_words

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of questions act only while there is one; words are typed only where they are wanted."""
        if action == "open_run":
            return bool(self.questions.rows) and not self.pane.prompt.has_focus
        if action == "switch_focus":
            return bool(self.pane.prompt.display) and not self.pane.prompt.has_focus
        if action == "leave_words":
            return self.pane.prompt.has_focus
        return self.pane.is_possible(action, parameters)

    def action_open_run(self) -> None:
        """Go to the run that asks."""
        if (asked := self.questions.row) is not None:
            self._choose(asked)

    def action_switch_focus(self) -> None:
        """To where words are typed."""
        self.set_focus(self.pane.prompt)

    def action_leave_words(self) -> None:
        """Back to the list; what was typed stays."""
        self.set_focus(self.questions)

    def on_descendant_focus(self) -> None:
        """Other keys act."""
        self.refresh_bindings()

    def action_leave(self) -> None:
        """Back from the prompt to the list, and from that to where one came from."""
        if self.pane.leave_words():
            self._moved(self.questions.row)
            self._make_room()
        else:
            self.post_message(self.BackRequested())


def _counted(rows: Sequence[Asked]) -> Content:
    """The title, and how many wait."""
    title = ("Inbox", "bold $text-primary")
    if not rows:
        return Content.assemble(title)
    runs = len({asked.run.run_id for asked in rows})
    of = f" of {runs} runs" if runs > 1 else ""
    wait = f"question{of} waits" if len(rows) == 1 else f"questions{of} wait"
    return Content.assemble(title, (f"   ⚑ {len(rows)} {wait} for you", "$text-warning"))
