"""ForkScreen: how a fork of a run is to go on: what it is asked, and by which agent and model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Static

from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.inputs import Choices
from maverick_tui.ui.dialogs.left_forms import left_forms
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.dialogs.short_questions import answer
from maverick_tui.ui.widgets.inert_input import InertInput
from maverick_tui.ui.widgets.prompt import Prompt


class ForkWanted(NamedTuple):
    """How it is to go on; without a prompt it waits for one, and without a model it has its agent's."""

    prompt: str
    agent: str
    model: str = ""
    brings_files: bool = False
    """Whether it begins with the files of that turn, in a worktree of its own."""


class ForkScreen(Dialog[ForkWanted | None]):
    """Asks how a fork is to go on; leaves with that, or with None if nothing is to be forked."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("dialogs", "prompt")]
    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,ctrl+s", "submit", "Fork", id="fork.submit", show=False),
        Binding("escape", "cancel", "Cancel", id="fork.cancel", show=False),
    ]

    def __init__(
        self,
        turn: int,
        prompt: str,
        agent: str,
        agents: Sequence[str],
        model: str,
        *,
        run_id: str = "",
        mode: str = "",
        has_files: bool = False,
    ) -> None:
        """Fork a run after that turn; `agents` are those to choose from, `model` is what `agent` has if none is named.

        `mode` is the permission mode in which `agent` begins, `has_files` if the files of that turn are known.
        """
        super().__init__(classes="dialog")
        self._turn = turn
        self._prompt = prompt
        self._left = ("fork", run_id, turn)
        self._agent = agent
        self._agents = list(dict.fromkeys((agent, *agents)))
        self._model = one_line(model)
        self._mode = one_line(mode)
        self._has_files = has_files

    def compose(self) -> ComposeResult:
        """What happens, the fields, and two buttons."""
        after = f"after turn {self._turn}" if self._turn else "before the first turn"
        what = "has the conversation up to there" if self._turn else "begins with nothing"
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content(f"Fork {after}"), classes="dialog--title", markup=False)
            yield Static(Content(f"A new run {what}; this one stays."), markup=False)
            with VerticalScroll(classes="dialog--fields", can_focus=False):
                yield _label("prompt", "optional: if empty, the fork waits for one")
                yield Prompt()
                yield _label("agent", self._begins_in(self._agent), id="mode")
                yield Choices(
                    [(Content(one_line(name)), name) for name in self._agents],
                    value=self._agent,
                    allow_blank=False,
                    compact=True,
                    classes="field--control",
                    id="agents",
                )
                if self._has_files:
                    yield _label("files", "")
                    then = f"as they were after turn {self._turn}, in a new worktree"
                    yield Choices(
                        [(Content("as they are now"), "now"), (Content(then), "then")],
                        value="now",
                        allow_blank=False,
                        compact=True,
                        classes="field--control",
                        id="files",
                    )
                yield _label("model", "may be empty")
                yield InertInput(placeholder=self._model, compact=True, classes="field--control")
            with Horizontal(classes="dialog--buttons"):
                yield Button(answer("Enter", "Fork"), id="fork", compact=True)
                yield Button(answer("Esc", "Cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        """Let the prompt have its text once there is room: how many lines it takes depends on that."""
        self.call_after_refresh(self._suggest)

    def _suggest(self) -> None:
        """The prompt that came next there, selected: whoever types another one replaces it."""
        prompt = self.query_one(Prompt)
        if not prompt.text:
            left = left_forms(self.app).get(self._left, {}).get("prompt", self._prompt)
            prompt.set_text(left)
            if left == self._prompt:
                prompt.select_all()

    def action_submit(self) -> None:
        """Leave with what the fields say."""
        self._leave(self.query_one(Prompt).whole_text)

    def _leave(self, prompt: str) -> None:
        agent, model = self.query_one("#agents", Choices).value, self.query_one(Input).value
        brings = self._has_files and self.query_one("#files", Choices).value == "then"
        left_forms(self.app).pop(self._left, None)
        _ = self.dismiss(ForkWanted(prompt.strip(), str(agent), model.strip(), brings))

    def action_cancel(self) -> None:
        """Fork nothing; what was typed is here again the next time."""
        if (text := self.query_one(Prompt).whole_text) and text != self._prompt:
            left_forms(self.app)[self._left] = {"prompt": text}
        _ = self.dismiss(None)

    @on(Prompt.Submitted)
    def _send(self, event: Prompt.Submitted) -> None:
        event.stop()
        self._leave(event.text)

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_submit()

    @on(Choices.Changed)
    def _name_model(self, event: Choices.Changed) -> None:
        event.stop()
        if event.select.id == "files":
            return
        self.query_one(Input).placeholder = self._model if event.value == self._agent else "its own"
        self.query_one("#mode", Static).update(_named("agent", self._begins_in(str(event.value))))

    def _begins_in(self, agent: str) -> str:
        """In which mode that agent begins: another one is chosen for what it may do."""
        if agent != self._agent:
            return "begins in its own mode"
        return f"begins in mode {self._mode}" if self._mode else ""

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "fork":
            self.action_submit()
        else:
            self.action_cancel()


def _label(name: str, note: str, id: str | None = None) -> Static:
    return Static(_named(name, note), classes="field--label", id=id, markup=False)


def _named(name: str, note: str) -> Content:
    return Content.assemble((name, "bold"), "  ", (note, "dim"))
