"""What is asked on the screen of changes: words to a piece of code, and which part of the run to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.review.kinds import START, Scope, TurnChanges
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.lines import Line, LineView, RoleLooks
from maverick_tui.ui.rendering.wrap import clean, cut
from maverick_tui.ui.widgets.prompt import Prompt

STYLES: list[str | PurePath] = [
    shipped("styles") / f"{name}.tcss" for name in ("dialogs", "lines", "prompt", "changes")
]
MOST_QUOTED = 8
"""Lines of code that are seen at a time while one writes about them."""
MOST_ROWS = 14


class WordsScreen(ArmedDialog[str | None]):
    """Asks for words to lines of code; None if there is to be nothing.

    Where something is done also without a word, Enter counts only once nothing was typed for a moment: the words may
    have been meant for another screen.
    """

    CSS_PATH = STYLES
    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", key_display="Esc", id="words.leave", show=False),
    ]

    def __init__(
        self,
        title: str,
        code: Sequence[str],
        words: str = "",
        *,
        verb: str,
        note: str = "",
        may_be_empty: bool = False,
        typed: Callable[[str], None] = lambda _words: None,
    ) -> None:
        """`verb` is what Enter does with them; `typed` hears what stands there."""
        super().__init__(classes="dialog")
        self._title = one_line(title)
        self._code = [clean(line) for line in code]
        self.words = words
        """What was said before; once it is left, what stands there."""
        self._verb = verb
        self._note = note
        self._may_be_empty = may_be_empty
        self._typed = typed
        if not may_be_empty:
            self.armed_after = 0.0

    def compose(self) -> ComposeResult:
        """Title, the code, where words are written, and what the keys do."""
        with RoleLooks(classes="dialog--box -roomy"):
            yield Static(Content(self._title), classes="dialog--title", markup=False)
            if self._note:
                yield Static(Content(self._note), classes="dialog--text", markup=False)
            code = LineView(id="quoted")
            code.styles.height = min(len(self._code), MOST_QUOTED)
            yield code
            yield Prompt(id="words")
            keys = f"Enter {self._verb}   Ctrl+J new line   Esc back"
            yield Static(Content(keys), classes="field--description", markup=False)

    def on_mount(self) -> None:
        """Show the code, and what was said before."""
        self.query_one(LineView).show(self._quoted)
        self.query_one(Prompt).set_text(self.words)

    def _quoted(self, width: int) -> list[Line]:
        looks = {"+": "success", "-": "error"}
        return [((cut(line, width), looks.get(line[:1], "muted")),) for line in self._code]

    @on(Prompt.Changed)
    def _changed(self) -> None:
        self._typed(self.query_one(Prompt).whole_text)
        if not self.is_armed:
            self.wait_still()

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        if not self.is_armed:
            self.query_one(Prompt).set_text(event.text)
            self.wait_still()
            self.tell_to_wait()
        elif event.text.strip() or self._may_be_empty:
            _ = self.dismiss(event.text.strip())

    def action_leave(self) -> None:
        """Say nothing."""
        self.words = self.query_one(Prompt).whole_text
        _ = self.dismiss(None)


class ScopeScreen(Dialog[Scope | None]):
    """Asks which part of a run is to be looked at; each turn with its prompt, and its calls below it."""

    CSS_PATH = STYLES
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Row up", id="scope.up", show=False),
        Binding("down,j", "move(1)", "Row down", id="scope.down", show=False),
        Binding("pageup", "move(-10)", "Page up", id="scope.page_up", show=False),
        Binding("pagedown", "move(10)", "Page down", id="scope.page_down", show=False),
        Binding("enter", "choose", "Look at that alone", id="scope.choose", show=False),
        Binding("s", "since", "Look at all since that turn", id="scope.since", show=False),
        Binding("0", "start", "Look at all since the start", id="scope.start", show=False),
        Binding("escape,t", "leave", "Back", key_display="Esc", id="scope.leave", show=False),
    ]

    def __init__(self, turns: Sequence[TurnChanges], scope: Scope) -> None:
        """`scope` is what is looked at now."""
        super().__init__(classes="dialog")
        self._scopes: list[Scope] = [START]
        self._rows: list[tuple[Line, Line]] = [((("All since the start", "text"),), ())]
        for turn in reversed(turns):
            prompt = one_line(turn.prompt) or "no words"
            self._scopes.append(Scope("turn", turn.number))
            counted = f" {len(turn.calls)} {'call' if len(turn.calls) == 1 else 'calls'}" if turn.calls else ""
            row: Line = ((f"turn {turn.number}  ", "accent"), (f"“{prompt}”", "text"))
            self._rows.append((row, ((counted, "muted"),)))
            for call in turn.calls:
                self._scopes.append(Scope("call", turn.number, call.call))
                self._rows.append((((f"    {call.tool} ", "muted"), (call.about, "text")), ()))
        wanted = scope._replace(kind="turn") if scope.kind == "since" else scope
        self._at = self._scopes.index(wanted) if wanted in self._scopes else 0

    def compose(self) -> ComposeResult:
        """The parts, and what the keys do."""
        with RoleLooks(classes="dialog--box -roomy"):
            yield Static(Content("Changes of which part?"), classes="dialog--title", markup=False)
            choices = ChoiceList(lambda _at: self.action_choose())
            choices.styles.height = min(len(self._rows), MOST_ROWS)
            yield choices
            keys = "Enter that alone   s all since that turn   0 all   Esc back"
            yield Static(Content(keys), classes="field--description", markup=False)

    def on_mount(self) -> None:
        """Show the parts once there is room, with the one that is looked at in view."""
        self.call_after_refresh(lambda: self.query_one(ChoiceList).show(self._rows, self._at))

    @property
    def _chosen(self) -> Scope:
        return self._scopes[self.query_one(ChoiceList).at]

    def action_move(self, by: int) -> None:
        """Highlight another one."""
        self.query_one(ChoiceList).move(by)

    def action_choose(self) -> None:
        """Look at that alone."""
        _ = self.dismiss(self._chosen)

    def action_since(self) -> None:
        """Look at all since before that turn."""
        chosen = self._chosen
        _ = self.dismiss(Scope("since", chosen.turn) if chosen.turn else START)

    def action_start(self) -> None:
        """Look at everything."""
        _ = self.dismiss(START)

    def action_leave(self) -> None:
        """Stay with what is looked at."""
        _ = self.dismiss(None)
