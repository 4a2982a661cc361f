"""LeavingScreen: what is to become of agents at work that can do without us."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from maverick_tui.inert import inert, one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.dialogs.short_questions import answer

Fate = Literal["leave", "interrupt", "end"]
_ROOM_FOR_ALL = 68
"""Columns in which all answers have room beside each other."""
LOOK_EVERY = 0.5
"""Seconds after which it asks about what is so by then."""


class Asked(NamedTuple):
    """What is asked as things are now."""

    title: str
    text: str
    leave: str = "Leave at work"
    """What the first answer does."""
    may_stop: bool = True
    """Whether something is at work that hears us: else to interrupt and to end are not offered."""


class LeavingScreen(ReadDialog[Fate | None]):
    """Asks; Enter leaves them at work, and None is to stay. Agents go on meanwhile, and the question goes with them.

    But for staying, an answer counts only once all of it has been on the screen.
    """

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "#leave"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_ROOM_FOR_ALL, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "choose('leave')", "Leave at work", id="leaving.leave"),
        Binding("i", "choose('interrupt')", "Interrupt", id="leaving.interrupt"),
        Binding("e", "choose('end')", "End", id="leaving.end"),
        Binding("n,escape", "stay", "Stay", key_display="Esc", id="leaving.stay"),
        Binding("left,up", "app.focus_previous", "Answer before", show=False, id="leaving.before"),
        Binding("right,down", "app.focus_next", "Next answer", show=False, id="leaving.next"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="leaving.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="leaving.page_down"),
    ]

    def __init__(self, ask: Callable[[], Asked]) -> None:
        """`ask` says what is asked as things are when it is called."""
        super().__init__()
        self._ask = ask
        self._asked = ask()

    def compose(self) -> ComposeResult:
        """Title, text, and what can be done."""
        asked = self._asked
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content(one_line(asked.title)), classes="dialog--title", markup=False)
            yield Static(Content(inert(asked.text)), classes="dialog--text", markup=False)
            with Horizontal(classes="dialog--buttons -stacked"):
                yield Button(answer("l", asked.leave), id="leave", compact=True)
                yield Button(answer("i", "Interrupt"), id="interrupt", compact=True)
                yield Button(answer("e", "End"), id="end", compact=True)
                yield Button(answer("Esc", "Stay"), id="stay", compact=True)

    def on_mount(self) -> None:
        """Something may have happened since it was made; of lines that break, and of what arrives, no run tells."""
        self._offer_to_stop()
        self.call_after_refresh(self.follow)
        self.set_interval(LOOK_EVERY, self.follow)

    def _offer_to_stop(self) -> None:
        for name in ("#interrupt", "#end"):
            self.query_one(name, Button).display = self._asked.may_stop

    def follow(self) -> None:
        """Something has happened behind it: ask about what is so now."""
        if not self.is_mounted or (asked := self._ask()) == self._asked:
            return
        self._asked = asked
        self.ask_anew(asked.title, asked.text)
        leave = self.query_one("#leave", Button)
        leave.label = answer("l", asked.leave)
        leave.refresh(layout=True)  # a Button keeps the width of the label that it had
        self._offer_to_stop()
        if self.focused is None or not self.focused.display:
            leave.focus()  # which keeps whatever it is
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is at rest, or does not hear us, is neither interrupted nor ended."""
        return self._asked.may_stop or action != "choose" or parameters == ("leave",)

    def action_choose(self, fate: Fate) -> None:
        """Leave, with this for the agents, if it is known what is asked."""
        if not self.show_unread():
            _ = self.dismiss(fate)

    def action_stay(self) -> None:
        """Leave nothing."""
        _ = self.dismiss(None)

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        fates: dict[str | None, Fate] = {"leave": "leave", "interrupt": "interrupt", "end": "end"}
        if (fate := fates.get(event.button.id)) is not None:
            self.action_choose(fate)
        else:
            self.action_stay()
