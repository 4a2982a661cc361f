"""RaceForm: which agents and models are to race, for what, and by which test."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from maverick_tui.exceptions import did_you_mean
from maverick_tui.inert import one_line
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.left_forms import left_forms
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.widgets.inert_input import InertInput
from maverick_tui.ui.widgets.prompt import Prompt

MOST = 8
_LONGEST = 20_000
LEFT = "race"
"""What was typed here and did not become a race, among the forms that were left."""


class RaceWish(NamedTuple):
    """What is to race."""

    agents: tuple[str, ...]
    models: tuple[str, ...]
    prompt: str
    test: tuple[str, ...]


class RaceForm(Dialog[RaceWish | None]):
    """Three lines and a prompt; Enter goes on, and starts the race from the last. None is to have none."""

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("dialogs", "prompt")]
    AUTO_FOCUS = "#agents"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", key_display="Esc", show=False, id="race_form.leave"),
        Binding("up", "app.focus_previous", "Line before", show=False, id="race_form.before"),
        Binding("down", "app.focus_next", "Next line", show=False, id="race_form.next"),
    ]

    def __init__(self, known: Collection[str]) -> None:
        """`known` are the agents that there are."""
        super().__init__(classes="dialog")
        self._known = sorted(known)
        self._has_begun = False
        """Whether what was left here the last time is there again."""

    def compose(self) -> ComposeResult:
        """A line for each, and what is wrong with them."""
        left = left_forms(self.app).get(LEFT, {})
        names = ", ".join(map(one_line, self._known[:4])) or "their names"
        lines = (
            ("agents", "Agents", f"with commas between them: {names}"),
            ("models", "Models", "none for the agents' own; each agent races with each of them"),
            ("prompt", "Prompt", "what all of them should do"),
            ("test", "Test", "a command that says whether it works, such as make test; none for no test"),
        )
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content("One prompt to several, each in a worktree"), classes="dialog--title", markup=False)
            with Vertical(classes="dialog--fields"):  # a VerticalScroll would take the arrows
                for name, label, words in lines:
                    with Vertical(classes="field"):
                        yield Static(Content(label), markup=False)
                        if name == "prompt":
                            yield Prompt(placeholder=words, id=name)
                        else:
                            yield InertInput(
                                left.get(name, ""),
                                placeholder=words,
                                id=name,
                                compact=True,
                                classes="field--control",
                                max_length=_LONGEST,
                            )
            yield Static("", id="problem", classes="field--problem", markup=False)
            yield Static(Content("Enter next, and start   Esc back"), classes="dialog--hint", markup=False)

    def on_mount(self) -> None:
        """Let the prompt have its text once there is room: how many lines it takes depends on that."""
        self.call_after_refresh(self._bring_back)

    def _bring_back(self) -> None:
        prompt, self._has_begun = self.query_one(Prompt), True
        prompt.is_in_form = True
        if not prompt.text:
            prompt.set_text(left_forms(self.app).get(LEFT, {}).get("prompt", ""))

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        if event.input.id == "test":
            self._start()
        else:
            self.focus_next()

    @on(Prompt.Submitted)
    def _go_on(self, event: Prompt.Submitted) -> None:
        event.stop()
        event.prompt.set_text(event.text)
        self.focus_next()

    def _start(self) -> None:
        """Start it, if it can be understood."""
        self._keep()
        wish, problem = self._read()
        if problem:
            self.query_one("#problem", Static).update(Content(problem))
        else:
            _ = self.dismiss(wish)

    def action_leave(self) -> None:
        """No race."""
        self._keep()
        _ = self.dismiss(None)

    def _keep(self) -> None:
        """Have it here again until a race begins with it."""
        if not self._has_begun:
            return
        left_forms(self.app)[LEFT] = {name: self._text(name) for name in ("agents", "models", "prompt", "test")}

    def _read(self) -> tuple[RaceWish, str]:
        """What was typed, and what is wrong with it."""
        agents, models = (self._words(name) for name in ("agents", "models"))
        prompt, problem = self._text("prompt"), ""
        try:
            test = tuple(shlex.split(self._text("test")))
        except ValueError as error:
            test, problem = (), f"The test cannot be read: {error}."
        unknown = [name for name in agents if name not in self._known]
        many = len(agents) * max(len(models), 1)
        if unknown:
            problem = one_line(f"There is no agent {unknown[0]!r}. {did_you_mean(unknown[0], self._known)}")
        elif not 2 <= many <= MOST:
            problem = f"{many} cannot race: 2 to {MOST} can, by agents or by models."
        elif not prompt:
            problem = "Say what they should do."
        return RaceWish(agents, models, prompt, test), problem

    def _words(self, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word.strip() for word in self._text(name).split(",") if word.strip()))

    def _text(self, name: str) -> str:
        if name == "prompt":
            return self.query_one(Prompt).whole_text.strip()
        return self.query_one(f"#{name}", InertInput).value.strip()
