"""CommitScreen: what is to be committed, and with which message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from maverick_tui.inert import inert, one_line
from maverick_tui.ui.changes.asking import STYLES
from maverick_tui.ui.changes.file_list import LETTERS, counts, shown_path
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.lines import Line, LineView, RoleLooks
from maverick_tui.ui.overlays import Overlay
from maverick_tui.ui.rendering.wrap import TAB, wrap_words
from maverick_tui.ui.widgets.prompt import Prompt
from maverick_tui.ui.widgets.status_line import cut_middle

if TYPE_CHECKING:
    from maverick_tui.review.commit_preview import Preview
    from maverick_tui.review.kinds import ChangedFile
    from maverick_tui.review.run_review import RunReview
    from maverick_tui.ui.changes.looking import Mark

LEAST_FILES, MOST_FILES, MOST_RUN = 3, 8, 3
"""Rows of the windows on what is committed, and on what git runs."""
_AROUND = 13
"""Rows of the terminal around them, so that the message is seen as well."""
_LONGEST_FILTER = 24
_LONGEST_BRANCH = 30
ASK_AGENT = (
    "Propose a message for a commit of what you have changed in {files}: a first line of at most 72 characters that "
    "says why, then a blank line and a few more words if they are needed. Answer with the message alone, and commit "
    "nothing."
)

Marks = Mapping[str, "frozenset[Mark] | None"]
"""What is chosen: files by their paths, whole (None) or only some hunks."""


def files_to_commit(review: RunReview, files: Sequence[ChangedFile], marks: Marks) -> list[ChangedFile]:
    """Those that are chosen; if none is, all that are kept and not committed yet. ConfigError if none can be.

    What is not kept may be a secret, and nobody has seen what has changed in it.
    """
    from maverick_tui.review.committing import uncommitted

    differing = uncommitted(review.root, [path for file in files for path in (file.path, file.was) if path])
    wanted = marks.keys() if marks else differing - {file.path for file in files if file.not_kept}
    return [file for file in files if file.path in wanted or (file.was in wanted and not marks)]


class CommitWanted(NamedTuple):
    """What is to be done with a message: commit, ask the agent for one, or nothing now."""

    does: Literal["commit", "ask", "leave"]
    message: str


class CommitScreen(ReadDialog[CommitWanted]):
    """Asks for a message, below what would be committed.

    Enter counts only once nothing was typed for a moment, before or after: a letter has opened it, and the words behind
    that may be none of a message. And only once all was seen that is committed, and all that git runs for that.
    """

    CSS_PATH = STYLES
    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("alt+m", "ask", "Ask the agent for a message", id="commit.ask", show=False, priority=True),
        Binding("pageup", "page(-1)", "Files above", id="commit.page_up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Files below", id="commit.page_down", show=False, priority=True),
        Binding("escape", "leave", "Commit nothing", key_display="Esc", id="commit.leave", show=False),
    ]

    def __init__(
        self,
        files: Sequence[ChangedFile],
        marks: Marks,
        coming: Preview,
        message: str,
        typed: Callable[[str], None] = lambda _words: None,
    ) -> None:
        """`message` is what was written before; `typed` hears what stands there."""
        super().__init__()
        self._files = files
        self._marks = marks
        self._coming = coming
        self._message = message
        self._typed = typed

    def compose(self) -> ComposeResult:
        """The files, the message, and what the keys do."""
        count, runs = len(self._files), self._coming.runs
        with RoleLooks(classes="dialog--box -roomy"):
            title = f"Commit {count} {'file' if count == 1 else 'files'} {self._where}, and nothing else"
            yield Static(Content(title), classes="dialog--title", markup=False)
            yield ChoiceList(lambda _at: None, folds=True)
            if runs:
                yield Static(Content("Git will run what this repository names:"), classes="dialog--text", markup=False)
                programs = LineView(id="runs")
                programs.styles.height = min(len(runs), MOST_RUN)
                yield programs
            yield Prompt(id="words", placeholder="Why was this changed?")
            yield Static("", id="keys", classes="field--description", markup=False)

    @property
    def _where(self) -> str:
        branch = one_line(self._coming.shown.head.branch.removeprefix("refs/heads/"))
        return f"to {cut_middle(branch, _LONGEST_BRANCH)}" if branch else "to no branch"

    def on_mount(self) -> None:
        """Show the files, and what was written before."""
        self.query_one(ChoiceList).show([self._row(file) for file in self._files])
        self._make_room()
        for programs in self.query("#runs").results(LineView):
            programs.show(self._programs)
        self.query_one(Prompt).set_text(self._message)

    def on_resize(self) -> None:
        """There is more room now, or less."""
        self._make_room()
        self.call_after_refresh(self._make_room)  # paths may take other lines

    def _make_room(self) -> None:
        """Of the files as many are in view as leave room for what git runs, and for the message."""
        files, runs = self.query_one(ChoiceList), self._coming.runs
        count = files.line_count
        room = self.app.size.height - _AROUND - (1 + min(len(runs), MOST_RUN) if runs else 0)
        files.styles.height = rows = max(1, min(count, MOST_FILES, max(room, LEAST_FILES)))
        more = "\nPgDn more" if count > rows or len(runs) > MOST_RUN else ""
        keys = f"Enter commit   Ctrl+J new line   Alt+M ask the agent{more}   Esc back"
        self.query_one("#keys", Static).update(Content(keys))

    def _programs(self, width: int) -> list[Line]:
        """A row for each: whoever names one chooses how long that is, and is not to push others out of sight."""
        return [(("• ", "warning"), (cut_middle(name, width - 2), "text")) for name in self._coming.runs]

    def _row(self, file: ChangedFile) -> tuple[Line, Line]:
        was = f"{shown_path(file.was)} → " if file.was else ""
        start: Line = ((f"{LETTERS[file.status]} ", "muted"), (f"{was}{shown_path(file.path)}", "text"))
        hunks = self._marks.get(file.path)
        if hunks is not None:
            return (*start, (f"  {len(hunks)} {'hunk' if len(hunks) == 1 else 'hunks'}", "accent")), ()
        whole = self._coming.whole[file.path]
        # At the end of the row, which no long name pushes out of it.
        end: Line = ((f"{whole.mode}  ", "warning"),) if whole.mode else ()
        if whole.filter:
            return start, (*end, (f"by the filter {cut_middle(one_line(whole.filter), _LONGEST_FILTER)}", "muted"))
        if whole.unshown:
            lines = "1 line that is" if whole.unshown == 1 else f"{whole.unshown:,} lines that are"
            end = (*end, (f"with {lines} not shown here  ", "warning"))
        return start, (*end, *counts(whole))

    @on(Prompt.Changed)
    def _changed(self) -> None:
        prompt = self.query_one(Prompt)
        self._typed(words := prompt.whole_text)
        if words and words != self._message:  # and was not only put back
            self._message = words
            self.call_after_refresh(prompt.scroll_visible, animate=False)
        if not self.is_armed:
            self.wait_still()

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        if not self.is_armed:
            self.query_one(Prompt).set_text(event.text)
            self.wait_still()
            self.tell_to_wait()
        elif event.text.strip() and self.show_unread():
            self.query_one(Prompt).set_text(event.text)
        elif event.text.strip():
            _ = self.dismiss(CommitWanted("commit", event.text.strip()))

    def action_page(self, by: int) -> None:
        """Look at the page before, or at the next one; the keys stay with the message."""
        super().action_page(by)
        self.query_one(ChoiceList).turn(by)
        for programs in self.query("#runs").results(LineView):
            programs.go_by(by * programs.page)

    def action_ask(self) -> None:
        """Have the agent propose one."""
        _ = self.dismiss(CommitWanted("ask", self.query_one(Prompt).whole_text))

    def action_leave(self) -> None:
        """Commit nothing; the words stay."""
        _ = self.dismiss(CommitWanted("leave", self.query_one(Prompt).whole_text))


class SaidScreen(Overlay):
    """What git and its hooks have said."""

    def __init__(self, title: str, said: str) -> None:
        super().__init__(title)
        self._said = inert(said)

    def lines(self, width: int) -> list[Line]:
        """It, wrapped."""
        return [
            ((part, "text"),) for line in self._said.expandtabs(TAB).split("\n") for part in wrap_words(line, width)
        ]
