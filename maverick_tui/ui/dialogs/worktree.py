"""WorktreeScreen: what is to become of a run's worktree, and what would be lost by that."""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar, Literal, NamedTuple

from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from maverick_tui.inert import one_line, whole_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.dialogs.short_questions import answer
from maverick_tui.ui.lines import Line, LineView, RoleLooks
from maverick_tui.ui.rendering.wrap import fold

Becomes = Literal["merge", "keep", "remove", "leave"]
_ROOM_FOR_ALL = 76
_MOST_ROWS = 6
"""Of the files, that are in view."""
_MARGIN = 4


class Left(NamedTuple):
    """What there is in a worktree."""

    run: str
    branch: str
    onto: str
    """What it would be merged into."""
    files: tuple[str, ...] = ()
    """Those that are not committed."""
    lost: str = "nothing"
    """What would be lost if it were removed."""
    in_no_commit: str = ""
    """What would be lost also if it were merged or kept."""
    head: str = ""
    """What is checked out where it would be merged."""
    paths_in_no_commit: tuple[str, ...] = ()

    def rows(self, width: int) -> list[Line]:
        """The files, each whole."""
        runs = ([(whole_line(path), Style.null())] for path in self.files)
        folded = (enumerate(fold(one, max(width - _MARGIN, _MARGIN), hang=2)) for one in runs)
        return [
            (("  ± " if at == 0 else "      ", "muted"), *((part.text, "text") for part in line.segments))
            for lines in folded
            for at, line in lines
        ]

    @property
    def text(self) -> Content:
        """What comes of each answer."""
        parts = [f"Merging brings all of it into {one_line(self.onto)}; keeping leaves its branch. "]
        parts.append("What is not committed is committed first. ")
        if self.in_no_commit:
            parts.append(f"{one_line(_capital(self.in_no_commit))} is in neither; you are asked before that goes. ")
        parts.append(f"Removing loses {one_line(self.lost)}. Each of these ends the run, which can go on later.")
        return Content.assemble(*parts)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


class WorktreeScreen(ReadDialog[Becomes | None]):
    """Asks; None is to stay with the run, and `leave` to leave the worktree as it is.

    All else is done only once it has been on the screen what would come of it.
    """

    CSS_PATH: ClassVar[list[str | PurePath]] = [shipped("styles") / f"{name}.tcss" for name in ("dialogs", "lines")]
    AUTO_FOCUS = "#leave"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_ROOM_FOR_ALL, "-wide")]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "choose('merge')", "Merge", id="worktree.merge"),
        Binding("k", "choose('keep')", "Keep as a branch", id="worktree.keep"),
        Binding("r", "choose('remove')", "Remove", id="worktree.remove"),
        Binding("l", "choose('leave')", "Leave as it is", id="worktree.leave"),
        Binding("n,escape", "stay", "Back", key_display="Esc", id="worktree.stay"),
        Binding("left,up", "app.focus_previous", "Answer before", show=False, id="worktree.before"),
        Binding("right,down", "app.focus_next", "Next answer", show=False, id="worktree.next"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="worktree.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="worktree.page_down"),
    ]

    def __init__(self, left: Left) -> None:
        super().__init__()
        self._left = left

    def compose(self) -> ComposeResult:
        """Title, what there is, and what can be done."""
        with RoleLooks(classes="dialog--box -roomy"):
            title = f"What becomes of the worktree of {one_line(self._left.run)}?"
            yield Static(Content(title), classes="dialog--title", markup=False)
            branch = Content.assemble(("◇ ", "$text-accent"), one_line(self._left.branch))
            yield Static(branch, classes="dialog--text", markup=False)
            if self._left.files:
                yield LineView(id="left")
            yield Static(self._left.text, classes="dialog--text", markup=False)
            with Horizontal(classes="dialog--buttons -stacked"):
                yield Button(answer("m", "Merge"), id="merge", compact=True)
                yield Button(answer("k", "Keep"), id="keep", compact=True)
                yield Button(answer("r", "Remove"), id="remove", compact=True)
                yield Button(answer("l", "Leave"), id="leave", compact=True)
                yield Button(answer("Esc", "Back"), id="stay", compact=True)

    def on_mount(self) -> None:
        """List the files."""
        for files in self.query(LineView):
            files.show(self._left.rows)
        self._make_room()

    def on_resize(self) -> None:
        """They may take other lines now."""
        self.call_after_refresh(self._make_room)

    def _make_room(self) -> None:
        for files in self.query(LineView):
            files.styles.height = max(1, min(files.line_count, _MOST_ROWS))

    def action_page(self, by: int) -> None:
        """Read on, the files as well."""
        super().action_page(by)
        for files in self.query(LineView):
            files.go_by(by * files.page)

    def action_choose(self, becomes: Becomes) -> None:
        """That is what becomes of it."""
        if becomes == "leave" or not self.show_unread():
            _ = self.dismiss(becomes)

    def action_stay(self) -> None:
        """Back to the run."""
        _ = self.dismiss(None)

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        known: dict[str | None, Becomes] = {"merge": "merge", "keep": "keep", "remove": "remove", "leave": "leave"}
        if (becomes := known.get(event.button.id)) is not None:
            self.action_choose(becomes)
        else:
            self.action_stay()
