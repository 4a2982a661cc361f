"""PathScreen: asks for a file or a folder, and says at once what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from maverick_tui.inert import inert, one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.widgets.inert_input import InertInput


class PathScreen(Dialog[Path | None]):
    """One line, which is taken once nothing is wrong with it; None leaves everything as it was."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "Input"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", key_display="Esc", id="path.leave", show=False)
    ]

    def __init__(
        self, title: str, text: str, suggested: Path, *, enter: str, problem_of: Callable[[Path], str]
    ) -> None:
        """`enter` is what Enter does; `problem_of` says what is wrong with a path, or nothing."""
        super().__init__(classes="dialog")
        self._title, self._text, self._enter = one_line(title), inert(text), one_line(enter)
        self._suggested = suggested
        self._problem_of = problem_of

    def compose(self) -> ComposeResult:
        """What is wanted, the line, what is wrong with it, and what the keys do."""
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content(self._title), classes="dialog--title", markup=False)
            yield Static(Content(self._text), classes="dialog--text", markup=False)
            with Vertical(classes="dialog--fields"):
                yield InertInput(inert(str(self._suggested)), compact=True, classes="field--control")
                yield Static("", classes="field--problem", markup=False)
            yield Static(Content(f"Enter {self._enter}   Esc back"), classes="dialog--hint", markup=False)

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value.strip()
        path = Path(typed).expanduser().absolute()
        problem = self._problem_of(path) if typed else "Name one."
        if problem:
            self.query_one(".field--problem", Static).update(Content(f"✘ {one_line(problem)}"))
        else:
            _ = self.dismiss(path)

    def action_leave(self) -> None:
        """Leave everything as it was."""
        _ = self.dismiss(None)
