"""InputsForm: asks for the inputs that an agent declares, one field each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Button, Input, Select, Static

from maverick_tui.inert import inert, one_line
from maverick_tui.inputs import InputSpec, Value, as_text, validate
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.left_forms import left_forms
from maverick_tui.ui.dialogs.left_once import Dialog
from maverick_tui.ui.dialogs.short_questions import answer
from maverick_tui.ui.widgets.inert_input import InertInput

InputValues = dict[str, Value | None]

_KINDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "on or off"}


class Choices(Select[str], inherit_bindings=False):
    """A select that leaves Enter to the form."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,down,up", "show_overlay", "Choose", show=False, id="inputs.choose")
    ]


class Toggle(Static, can_focus=True):
    """A switch that says in words whether it is on, and leaves Enter to the form."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,left,right", "switch", "Switch", show=False, id="inputs.switch")
    ]

    value: reactive[bool] = reactive(False, init=False)

    class Changed(Message):
        """It has been switched."""

        def __init__(self, toggle: Toggle) -> None:
            super().__init__()
            self.toggle = toggle

        @property
        def control(self) -> Toggle:
            """Who has changed."""
            return self.toggle

    def __init__(self, value: bool, *, classes: str) -> None:
        super().__init__(classes=classes, markup=False)
        self.set_reactive(Toggle.value, value)

    def render(self) -> Content:
        """Glyph and word."""
        return Content("● on" if self.value else "○ off")

    def watch_value(self) -> None:
        """Tell the form."""
        self.post_message(self.Changed(self))

    def action_switch(self) -> None:
        """Change it."""
        self.value = not self.value

    def on_click(self) -> None:
        """A click is as good as a key."""
        self.action_switch()


class InputField(Vertical):
    """One input: what it is, where it is entered, and what is wrong with it."""

    def __init__(self, spec: InputSpec, begun: str | None = None) -> None:
        """`begun` is what was entered before; None has the field begin with its default."""
        super().__init__(classes="field")
        self.spec = spec
        self._begun = begun

    def compose(self) -> ComposeResult:
        """Name, description, the control, and room for a problem."""
        yield Static(self._label(), classes="field--label", markup=False)
        if self.spec.description:
            yield Static(Content(one_line(self.spec.description)), classes="field--description", markup=False)
        yield self._control()
        yield Static("", classes="field--problem", markup=False)

    def _label(self) -> Content:
        kind = "one of these" if self.spec.choices else _KINDS[self.spec.type]
        may_be_empty = not self.spec.required and self.spec.default is None
        notes = [kind, *(["may be empty"] if may_be_empty else [])]
        return Content.assemble((self.spec.name, "bold"), "  ", (", ".join(notes), "dim"))

    def _control(self) -> Widget:
        spec, default = self.spec, as_text(self.spec.default)
        if spec.type == "boolean":
            return Toggle(bool(spec.default), classes="field--control")
        if spec.choices:
            options = [(Content(one_line(as_text(choice))), as_text(choice)) for choice in spec.choices]
            value = default or Select.NULL
            blank = not spec.required or spec.default is None
            return Choices(
                options,
                prompt="choose with Space",
                allow_blank=blank,
                value=value,
                compact=True,
                classes="field--control",
            )
        begun = inert(default) if self._begun is None else self._begun
        return InertInput(begun, compact=True, classes="field--control")

    @property
    def control(self) -> Widget:
        """What takes the focus."""
        return self.query_one(".field--control")

    @property
    def raw(self) -> str:
        """What was entered, as text."""
        control = self.control
        if isinstance(control, Toggle):
            return as_text(control.value)
        if isinstance(control, Select):
            return "" if control.value is Select.NULL else str(control.value)
        assert isinstance(control, Input)
        return control.value

    def report(self, problem: str) -> None:
        """Say what is wrong, or that nothing is."""
        self.set_class(bool(problem), "-wrong")
        self.query_one(".field--problem", Static).update(Content(f"✘ {problem}" if problem else ""))


class InputsForm(Dialog[InputValues | None]):
    """Asks for every input; leaves with their values, or with None if it was given up."""

    CSS_PATH = shipped("styles") / "dialogs.tcss"
    AUTO_FOCUS = ".field--control"
    BINDINGS = [
        Binding("enter", "next", "Next field, or run", show=False, id="inputs.next"),
        Binding("ctrl+enter,ctrl+j,ctrl+s", "submit", "Run", id="inputs.submit"),
        Binding("escape", "cancel", "Cancel", id="inputs.cancel"),
    ]

    def __init__(self, agent: str, specs: Sequence[InputSpec]) -> None:
        super().__init__(classes="dialog")
        self._agent = one_line(agent)
        self._specs = tuple(specs)
        self._left = ("inputs", self._agent)

    def compose(self) -> ComposeResult:
        """A title, the fields, and two buttons."""
        left = left_forms(self.app).get(self._left, {})
        with Vertical(classes="dialog--box -medium"):
            yield Static(Content(f"{self._agent} asks"), classes="dialog--title", markup=False)
            with VerticalScroll(classes="dialog--fields", can_focus=False):
                yield from (InputField(spec, left.get(spec.name)) for spec in self._specs)
            with Horizontal(classes="dialog--buttons"):
                yield Button(answer("Enter", "Run"), id="run", compact=True)
                yield Button(answer("Esc", "Cancel"), id="cancel", compact=True)

    @property
    def _fields(self) -> list[InputField]:
        return list(self.query(InputField))

    def action_next(self) -> None:
        """Go to the next field; after the last one, run."""
        controls = [field.control for field in self._fields]
        at = controls.index(self.focused) if self.focused in controls else len(controls)
        if at + 1 < len(controls):
            controls[at + 1].focus()
        else:
            self.action_submit()

    def action_submit(self) -> None:
        """Leave with the values, or show what is wrong with them at the first wrong field."""
        checked = validate(self._specs, {field.spec.name: field.raw for field in self._fields})
        wrong = [field for field in self._fields if field.spec.name in checked.problems]
        for field in self._fields:
            field.report(checked.problems.get(field.spec.name, ""))
        if wrong:
            wrong[0].control.focus()
        else:
            left_forms(self.app).pop(self._left, None)
            _ = self.dismiss(checked.values)

    def action_cancel(self) -> None:
        """Give up; what was typed is here again the next time."""
        left_forms(self.app)[self._left] = {
            field.spec.name: field.raw
            for field in self._fields
            if isinstance(field.control, Input) and field.raw != inert(as_text(field.spec.default))
        }
        _ = self.dismiss(None)

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_next()

    @on(Input.Changed)
    @on(Select.Changed)
    @on(Toggle.Changed)
    def _change(self, event: Input.Changed | Select.Changed | Toggle.Changed) -> None:
        """A field that is being corrected is not wrong until it is looked at again."""
        event.stop()
        for field in self._fields:
            if field.control is event.control:
                field.report("")

    @on(Button.Pressed)
    def _press(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "run":
            self.action_submit()
        else:
            self.action_cancel()
