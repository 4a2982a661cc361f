"""ScopesScreen: what is to stop, from one call of a tool to all runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.arming import ArmedDialog

_MOST_KEYS = 9
"""Scopes that have a number to be chosen by."""
_WIDE = 64
"""Columns from which only long commands do not fit in their row: below, what becomes of a run would not, either."""


class Scope(NamedTuple):
    """Something that can be stopped: what kind of thing, and which."""

    kind: str
    name: str
    note: str = ""
    call: str = ""
    """The call, if it is one, or a subagent."""


class ScopesScreen(ArmedDialog[Scope | None]):
    """Asks which of them is to stop, the smallest first; None is none of them."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "OptionList"
    HORIZONTAL_BREAKPOINTS = [(0, "-wraps"), (_WIDE, "-cuts")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,alt+s", "leave", "Stop nothing", key_display="Esc", id="scopes.leave", show=False),
        *(
            Binding(str(number), f"choose({number})", f"Stop the one with number {number}", id=f"scopes.{number}")
            for number in range(1, _MOST_KEYS + 1)
        ),
    ]

    def __init__(self, scopes: Sequence[Scope]) -> None:
        super().__init__(classes="dialog")
        self._scopes = list(scopes)

    def compose(self) -> ComposeResult:
        """Title, what can be stopped, and what the keys do."""
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content("What is to stop?"), classes="dialog--title", markup=False)
            rows = (self._row(at, scope) for at, scope in enumerate(self._scopes, 1))
            yield OptionList(*rows, compact=True)
            numbers = "1" if len(self._scopes) == 1 else f"1-{min(len(self._scopes), _MOST_KEYS)}"
            yield Static(Content(f"{numbers} or Enter stop   Esc back"), classes="dialog--hint", markup=False)

    def _row(self, number: int, scope: Scope) -> Content:
        key = f"{number}  " if number <= _MOST_KEYS else "   "
        note = f"  {one_line(scope.note)}" if scope.note else ""
        return Content.assemble((key, "dim"), (f"{scope.kind:<10}", "dim"), one_line(scope.name), (note, "dim"))

    def action_choose(self, number: int) -> None:
        """Leave with the one of that number."""
        if number <= len(self._scopes):
            _ = self.dismiss(self._scopes[number - 1])

    def action_leave(self) -> None:
        """Stop nothing."""
        _ = self.dismiss(None)

    @on(OptionList.OptionSelected)
    def _select(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_choose(event.option_index + 1)
