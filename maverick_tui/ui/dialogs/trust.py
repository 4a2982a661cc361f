"""TrustScreen: shows the files that an agent would run, line by line as they are, and asks whether they may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from maverick_tui.inert import one_line, whole_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.dialogs.short_questions import answer
from maverick_tui.ui.lines import Line, LineView, RoleLooks
from maverick_tui.ui.rendering.source_lines import source_lines
from maverick_tui.ui.rendering.wrap import wrap_words
from maverick_tui.ui.short_names import short_path

ARMED_AFTER = 1.0
"""Seconds without a key before a yes counts: more than elsewhere, for nobody has asked for it to come up."""
OF_PROJECT = "It comes with this project and runs on your machine. Read it first; a change ends the trust."
BY_PROJECT = "It runs what this project says, on your machine. Read it first; a change ends the trust."
COMMANDS = "Its commands start in this folder and may run code that is in it. A change of them ends the trust."


@dataclass(frozen=True, slots=True)
class ShownFile:
    """A file whose bytes are to be trusted."""

    path: Path
    content: bytes
    has_changed: bool = False
    """Whether the file was trusted before with other content."""
    title: str = ""
    """What it is called, if it is no file."""


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """Who would run what, and the files that say so."""

    agent: str
    runs: tuple[str, ...]
    files: tuple[ShownFile, ...]
    what: str = OF_PROJECT
    """What is at stake."""

    def lines(self, width: int) -> list[Line]:
        """What is at stake and what would run, then every file as a whole."""
        return list(self._lines(width))

    def _lines(self, width: int) -> Iterator[Line]:
        yield from (((line, "text"),) for line in wrap_words(self.what, width))
        if self.runs:
            yield ()
            yield (("WOULD RUN", "strong"),)
        for run in self.runs:
            first, *rest = wrap_words(whole_line(run), max(width - 2, 8))
            yield ("• ", "warning"), (first, "text")
            yield from (((f"  {line}", "text"),) for line in rest)
        for file in self.files:
            yield ()
            change = "! has changed since you trusted it" if file.has_changed else ""
            name = file.title or short_path(file.path)
            if not change or cell_len(f"{name}  {change}") > width:
                yield from (((line, "strong"),) for line in wrap_words(name, width))
                yield from (((line, "warning"),) for line in wrap_words(change, width) if line)
            else:
                yield (name, "strong"), (f"  {change}", "warning")
            yield from source_lines(file.content, width)


class TrustScreen(ReadDialog[bool]):
    """Asks for trust; the answer is no unless somebody says yes after having seen the question."""

    CSS_PATH = [shipped("styles") / "lines.tcss", shipped("styles") / "dialogs.tcss"]
    AUTO_FOCUS = "#no"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (64, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (20, "-tall")]
    BINDINGS = [
        Binding("y", "answer(True)", "Trust and run", id="trust.yes"),
        Binding("n", "answer(False)", "Do not run", id="trust.no"),
        Binding("escape", "leave", "Do not run", id="trust.leave", show=False),
        Binding("left,right", "app.focus_next", "Other answer", show=False, id="trust.other"),
        Binding("up,k", "scroll(-1)", "Up", show=False, id="trust.up"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="trust.down"),
        Binding("pageup,ctrl+u", "page(-1)", "Page up", show=False, id="trust.page_up"),
        Binding("pagedown,space,ctrl+d", "page(1)", "Page down", show=False, id="trust.page_down"),
        Binding("home", "end(-1)", "Top", show=False, id="trust.top"),
        Binding("end", "end(1)", "Bottom", show=False, id="trust.bottom"),
    ]

    def __init__(self, question: TrustQuestion, *, armed_after: float = ARMED_AFTER) -> None:
        super().__init__()
        self.question = question
        self.armed_after = armed_after

    def compose(self) -> ComposeResult:
        """The question, what it is about, and two buttons."""
        with RoleLooks(classes="dialog--box -large"):
            yield Static(Content(f"Trust {one_line(self.question.agent)}?"), classes="dialog--title", markup=False)
            yield LineView(id="source")
            with Horizontal(classes="dialog--buttons"):
                yield Button(answer("y", "Trust and run"), id="yes", compact=True)
                yield Button(answer("n", "Do not run"), id="no", compact=True)
                yield Static("↑↓ PgUp PgDn  read", classes="dialog--hint", markup=False)

    def on_mount(self) -> None:
        """Show the files."""
        self._source.show(self.question.lines)

    @property
    def _source(self) -> LineView:
        return self.query_one("#source", LineView)

    def action_answer(self, answer: bool) -> None:
        """Leave with this answer; a yes has to wait until everything that it is about has been seen."""
        if not self.is_armed:
            self.tell_to_wait()
        elif not answer or not self.show_unread():
            _ = self.dismiss(answer)

    def action_leave(self) -> None:
        """Leave without trusting it; nobody hits Escape by accident."""
        _ = self.dismiss(False)

    def action_scroll(self, by: int) -> None:
        """Read on, line by line."""
        self._source.go_by(by)

    def action_page(self, by: int) -> None:
        """Read on, page by page."""
        self._source.go_by(by * max(self._source.page - 1, 1))

    def action_end(self, to: int) -> None:
        """Go to the first or to the last line."""
        self._source.top = 0 if to < 0 else self._source.last_top

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        self.action_answer(event.button.id == "yes")
