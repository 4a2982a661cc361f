"""WorktreeScreen: what is to become of a run's worktree, and what would be lost by that."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from maverick_tui.inert import one_line, whole_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.dialogs.short_questions import answer

Becomes = Literal["merge", "keep", "remove", "leave"]
_ROOM_FOR_ALL = 76
_MOST_FILES = 6


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

    @property
    def text(self) -> Content:
        """The same to be read."""
        parts: list[str | tuple[str, str] | Content] = [("◇ ", "$text-accent"), f"{one_line(self.branch)}\n"]
        for path in self.files[:_MOST_FILES]:
            parts += [("  ± ", "$text-muted"), f"{whole_line(path)}\n"]
        if len(self.files) > _MOST_FILES:
            parts.append((f"  and {len(self.files) - _MOST_FILES} more\n", "$text-muted"))
        parts.append(f"\nMerging brings all of it into {one_line(self.onto)}; keeping leaves its branch. ")
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

    CSS_PATH = shipped("styles") / "dialogs.tcss"
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
        with Vertical(classes="dialog--box -roomy"):
            title = f"What becomes of the worktree of {one_line(self._left.run)}?"
            yield Static(Content(title), classes="dialog--title", markup=False)
            yield Static(self._left.text, classes="dialog--text", markup=False)
            with Horizontal(classes="dialog--buttons -stacked"):
                yield Button(answer("m", "Merge"), id="merge", compact=True)
                yield Button(answer("k", "Keep"), id="keep", compact=True)
                yield Button(answer("r", "Remove"), id="remove", compact=True)
                yield Button(answer("l", "Leave"), id="leave", compact=True)
                yield Button(answer("Esc", "Back"), id="stay", compact=True)

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
