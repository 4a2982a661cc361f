"""UndoScreen: what would become of every path if changes were taken back, before anything is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from maverick_tui.exceptions import MaverickError
from maverick_tui.inert import one_line
from maverick_tui.review.kinds import Scope
from maverick_tui.ui.changes.asking import MOST_ROWS, STYLES
from maverick_tui.ui.changes.file_list import shown_path
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.lines import Line, RoleLooks, clickable

if TYPE_CHECKING:
    from maverick_tui.snapshots.planning import Step

_DOES = {
    "write": "comes back as it was",
    "delete": "is deleted, as it was not there",
    "make folder": "folder, comes back",
    "remove folder": "folder, is removed",
}


class Way(NamedTuple):
    """A way back: what is taken back, in words, and which part of the run that is."""

    words: str
    scope: Scope
    paths: tuple[str, ...] | None = None


class Agreed(NamedTuple):
    """The way that was agreed to, and what was shown of it."""

    way: Way
    steps: list[Step]


Plan = Callable[[Way], Coroutine[Any, Any, "list[Step]"]]


class UndoScreen(ReadDialog[Agreed | None]):
    """Shows the plan of each way back, and asks for one; None if nothing is to be taken back.

    A way is agreed to only once each of its paths has been on the screen.
    """

    CSS_PATH = STYLES
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,right", "other(1)", "Take back something else", id="undo.other", show=False),
        Binding("shift+tab,left", "other(-1)", "The one before", id="undo.before", show=False),
        Binding("up,k", "move(-1)", "Row up", id="undo.up", show=False),
        Binding("down,j", "move(1)", "Row down", id="undo.down", show=False),
        Binding("pageup", "page(-1)", "Page up", id="undo.page_up", show=False),
        Binding("pagedown", "page(1)", "Page down", id="undo.page_down", show=False),
        Binding("y,enter", "agree", "Take it back", id="undo.agree", show=False),
        Binding("n,escape", "leave", "Take nothing back", key_display="Esc", id="undo.leave", show=False),
    ]

    def __init__(self, ways: Sequence[Way], plan: Plan, *, is_at_work: bool) -> None:
        """`plan` says what a way does; `is_at_work` whether the agent may be writing at this moment."""
        super().__init__()
        self._ways = list(ways)
        self._plan = plan
        self._is_at_work = is_at_work
        self._way = 0
        self._shown: list[Step] = []
        """What is to be done, as it stands on the screen."""

    def compose(self) -> ComposeResult:
        """Which way, what it does, and the keys."""
        with RoleLooks(classes="dialog--box"):
            yield Static("", id="way", classes="dialog--title", markup=False)
            yield Static("", id="sum", classes="dialog--text", markup=False)
            yield ChoiceList(lambda _at: None, folds=True)
            yield Static("", id="keys", classes="field--description", markup=False)

    def on_mount(self) -> None:
        """Show the first way."""
        self._say("")
        self._look()

    @work(exclusive=True, exit_on_error=False)
    async def _look(self) -> None:
        from maverick_tui.review.taking_back import long_commands

        way = self._ways[self._way]
        number = f"  {self._way + 1} of {len(self._ways)}" if len(self._ways) > 1 else ""
        self.query_one("#way", Static).update(Content(f"Take back {one_line(way.words)}?{number}"))
        rows = self.query_one(ChoiceList)
        try:
            steps = await self._plan(way)
        except MaverickError as error:
            self._say(one_line(f"{error.message} {error.hint}"))
            rows.show([])
            return
        done, refused = ([one for one in steps if bool(one.why_not) is is_not] for is_not in (False, True))
        self._shown = done
        rows.show([_row(step) for step in (*refused, *done)], notice="There is nothing to take back.")
        self._make_room()
        words = f"{_paths(len(done))} before." if done else "Nothing can be taken back."
        if refused:
            words += f" {len(refused)} left as {'it is' if len(refused) == 1 else 'they are'}, for the reasons below."
        if warning := long_commands(done):
            words += f" {warning}"
        if self._is_at_work:
            words += " The agent is at work: what it writes from now on stays."
        self._say(words)

    def on_resize(self) -> None:
        """Paths may take other lines now."""
        self.call_after_refresh(self._make_room)

    def _make_room(self) -> None:
        rows = self.query_one(ChoiceList)
        rows.styles.height = max(1, min(rows.line_count, MOST_ROWS))

    def _say(self, words: str) -> None:
        """Say what would come of it, and which keys there are for that."""
        self.query_one("#sum", Static).update(Content(words))
        agree = [("y take it back", "screen.agree")] if self._shown else []
        other = [("Tab another way back", "screen.other(1)")] if len(self._ways) > 1 else []
        keys = clickable((*agree, *other, ("Esc leave all as it is", "screen.leave")))
        self.query_one("#keys", Static).update(keys)
        self.wait_for_reading()

    def action_other(self, by: int) -> None:
        """Show another way back."""
        self._way, self._shown = (self._way + by) % len(self._ways), []
        self._look()

    def action_move(self, by: int) -> None:
        """Read on."""
        self.query_one(ChoiceList).move(by)

    def action_page(self, by: int) -> None:
        """Read on, page by page."""
        super().action_page(by)
        self.query_one(ChoiceList).turn(by)

    def action_agree(self) -> None:
        """Take it back."""
        if self._shown and not self.show_unread():
            _ = self.dismiss(Agreed(self._ways[self._way], self._shown))

    def action_leave(self) -> None:
        """Take nothing back."""
        _ = self.dismiss(None)


def _row(step: Step) -> tuple[Line, Line]:
    if step.why_not:
        return ((("✘ ", "error"), (f"{shown_path(step.path)}  ", "text")), ((one_line(step.why_not), "warning"),))
    does = "comes back" if step.does == "write" and step.left is None else _DOES[step.does]
    return ((("↶ ", "accent"), (f"{shown_path(step.path)}  ", "text")), ((does, "muted"),))


def _paths(count: int) -> str:
    return "1 path will be as it was" if count == 1 else f"{count} paths will be as they were"
