"""AlwaysScreen: which rule is to allow such calls for good."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Input, Static

from maverick_tui.inert import inert, one_line
from maverick_tui.paths import shipped
from maverick_tui.threads import in_thread
from maverick_tui.ui.dialogs.inputs import Choices
from maverick_tui.ui.dialogs.reading import ReadDialog
from maverick_tui.ui.dialogs.short_questions import answer
from maverick_tui.ui.wanted_twice import WantedTwice
from maverick_tui.ui.widgets.inert_input import InertInput

if TYPE_CHECKING:
    from maverick_tui.ui.rule_trial import RuleTrial

_AFTER_TYPING = 0.5
"""Seconds without a key after which a rule is tried out."""
_TRIAL = "trial"


class RuleWanted(NamedTuple):
    """A rule, and whether it is for one agent alone."""

    rule: str
    is_for_agent: bool


class AlwaysScreen(ReadDialog[RuleWanted | None]):
    """Offers rules from little to much, which can be changed; what each would have allowed is told before it is saved.

    Leaves with None if nothing is to be allowed.
    """

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = "#rule"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "offer(-1)", "Less", id="always.less", show=False),
        Binding("down", "offer(1)", "More", id="always.more", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False, id="always.page_up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="always.page_down"),
        Binding("enter", "write", "Write the rule", id="always.write", show=False),
        Binding("escape", "leave", "Back", key_display="Esc", id="always.leave", show=False),
    ]

    def __init__(self, rules: Sequence[str], file: str, agent: str, trial: RuleTrial | None, note: str = "") -> None:
        """`trial` says what a rule for an agent would have allowed; None where that cannot be known."""
        super().__init__()
        self._rules, self._file, self._agent = list(rules), inert(file), agent
        self._at = 0
        self._trial, self._note = trial, note
        self._twice = WantedTwice(time.monotonic, self, at_once=False)

    def compose(self) -> ComposeResult:
        """The rule, whom it is for, what it would have allowed, and where it is written."""
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content("Always allow"), classes="dialog--title", markup=False)
            if self._note:
                yield Static(Content(self._note), classes="dialog--text", markup=False)
            with Vertical(classes="dialog--fields -whole"):
                more = f"  ↑ ↓ {len(self._rules)} to choose from" if len(self._rules) > 1 else ""
                yield Static(Content.assemble(("rule", "bold"), (more, "dim")), classes="field--label", markup=False)
                yield InertInput(inert(self._rules[0]), compact=True, classes="field--control", id="rule")
                yield Static("", classes="field--description", id="whole", markup=False)
                yield Static(Content.assemble(("for", "bold")), classes="field--label", markup=False)
                whom = [(Content(f"{one_line(self._agent)} alone"), "agent"), (Content("every agent"), "all")]
                yield Choices(whom, value="agent", allow_blank=False, compact=True, classes="field--control")
            yield Static("", classes="dialog--text", id="broad", markup=False)
            yield Static("", classes="dialog--text", id="tried", markup=False)
            yield Static(Content(f"It is written to {self._file}"), classes="field--description", markup=False)
            with Horizontal(classes="dialog--buttons"):
                yield Button(answer("Enter", "Write the rule"), id="write", compact=True)
                yield Button(answer("Esc", "Back"), id="back", compact=True)

    def on_mount(self) -> None:
        """Say at once what the first one would have allowed."""
        self._say_how_much()
        self._look(0)

    def on_resize(self) -> None:
        """There is more room for the rule now, or less."""
        self.call_after_refresh(self._show_whole)

    def on_unmount(self) -> None:
        """Nobody waits for what is being tried out."""
        if self._trial is not None:
            self._trial.stop()

    def action_offer(self, step: int) -> None:
        """Offer another rule."""
        self._at = max(0, min(len(self._rules) - 1, self._at + step))
        line = self.query_one("#rule", Input)
        line.value = inert(self._rules[self._at])
        line.cursor_position = len(line.value)

    def action_leave(self) -> None:
        """Allow nothing."""
        _ = self.dismiss(None)

    @property
    def _wanted(self) -> RuleWanted:
        return RuleWanted(self.query_one("#rule", Input).value.strip(), self.query_one(Choices).value == "agent")

    @on(Input.Changed)
    @on(Choices.Changed)
    def _changed(self) -> None:
        if not self.is_armed:
            self.wait_still()
        self.forget_read()
        self._say_how_much()
        self._show_whole()
        self._look(_AFTER_TYPING)

    def _show_whole(self) -> None:
        """Below the line all of a rule that is longer: nobody is to allow what they see the end of."""
        line, whole = self.query_one("#rule", Input), self.query_one("#whole", Static)
        whole.display = cell_len(line.value) >= line.content_size.width
        whole.update(Content(line.value))

    def _say_how_much(self, then: str = "") -> None:
        """Say of a rule for all of a tool that it is one: of many a call no other can be offered."""
        words, told = _all_of(self._wanted.rule), self.query_one("#broad", Static)
        told.display = bool(words)
        told.update(Content.assemble((f"{words}\n{then}".strip(), "$text-warning")))

    @work(exclusive=True, group=_TRIAL)
    async def _look(self, delay: float) -> None:
        import asyncio

        if self._trial is None:
            return
        told, (rule, is_for_agent) = self.query_one("#tried", Static), self._wanted  # later they may be gone
        await asyncio.sleep(delay)
        told.update(Content("Looking through your past calls …"))
        told.update(Content(inert(await in_thread(self._trial.try_out, rule, self._agent if is_for_agent else ""))))
        self.wait_for_reading()

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_write()

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "write":
            self.action_write()
        else:
            self.action_leave()

    def action_write(self) -> None:
        """Leave with the rule, if it is one."""
        from maverick_tui.agent.permissions.rule_files import SECRET_TOLD, has_secret
        from maverick_tui.agent.permissions.rule_texts import wrong_with

        wanted = self._wanted
        if problem := wrong_with(wanted.rule) or (SECRET_TOLD if has_secret(wanted.rule) else ""):
            self.workers.cancel_group(self, _TRIAL)  # which would write over it
            self.query_one("#tried", Static).update(Content(f"✘ {one_line(problem)}"))
        elif self.show_unread():
            return
        elif _all_of(wanted.rule):  # less may have been meant
            if self._twice.press(wanted, partial(self._dismiss_with, wanted)) != "second":
                self._say_how_much("Press Enter again if that is meant.")
        else:
            self._dismiss_with(wanted)

    def _dismiss_with(self, wanted: RuleWanted) -> None:
        _ = self.dismiss(wanted)


def _all_of(rule: str) -> str:
    """What is to be known of a rule that says nothing but a tool; empty of any other, and of what is none."""
    from maverick_tui.agent.tools import parse_tool
    from maverick_tui.exceptions import InvalidToolError

    try:
        tool = parse_tool(rule)
    except InvalidToolError:
        return ""
    return f"It allows every use of {one_line(tool.name)}, and not only this one." if tool.rule is None else ""
