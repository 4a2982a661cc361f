"""EditCallScreen: what is to be called instead of what an agent has asked about."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from maverick_tui.inert import one_line
from maverick_tui.markup.json_text import readable_json
from maverick_tui.paths import shipped
from maverick_tui.ui.dialogs.arming import ArmedDialog
from maverick_tui.ui.widgets.pastes import typed
from maverick_tui.ui.widgets.prompt import Prompt


def exact_json(data: Mapping[str, Any]) -> str:
    """It as JSON that says the same once it has been in a prompt: what would be another sign there is its number."""
    text = readable_json(data)
    for keeps in (_is_clear, str.isascii):
        if typed(text) == text:
            break
        text = "".join(one if one == "\n" or (keeps(one) and one.isprintable()) else _numbered(one) for one in text)
    return text


def _is_clear(sign: str) -> bool:
    from unicodedata import category

    return category(sign)[0] not in "CM" and category(sign) not in ("Zl", "Zp")


def _numbered(sign: str) -> str:
    return f"\\u{ord(sign):04x}" if sign.isascii() else json.dumps(sign)[1:-1]


class EditCallScreen(ArmedDialog[dict[str, Any] | None]):
    """The arguments of a call, to be changed before it runs: of a command its text, of all else JSON.

    So it is of a command that would not stay the same as text: what nobody changes is what was asked about.
    """

    CSS_PATH = [shipped("styles") / f"{name}.tcss" for name in ("dialogs", "prompt")]
    AUTO_FOCUS = "Prompt"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "run", "Run it once", key_display="Enter", id="edit_call.run", show=False, priority=True),
        Binding("escape", "leave", "Back", key_display="Esc", id="edit_call.leave", show=False),
    ]

    def __init__(self, tool: str, arguments: Mapping[str, Any], is_open: Callable[[], bool] = lambda: True) -> None:
        """`is_open` says whether the call still waits: nothing runs otherwise, and what was changed stays here."""
        super().__init__(classes="dialog")
        self._tool, self._arguments = tool, dict(arguments)
        self._is_open = is_open
        command = self._arguments.get("command")
        self._is_command = isinstance(command, str) and typed(command).rstrip().lstrip("\n") == command.strip("\n")

    def compose(self) -> ComposeResult:
        """What is called, and what the keys do."""
        with Vertical(classes="dialog--box"):
            title = f"Change this call of {one_line(self._tool)}, and run it once"
            yield Static(Content(title), classes="dialog--title", markup=False)
            with Vertical(classes="dialog--fields"):
                yield Prompt()
                yield Static("", classes="field--problem", markup=False)
            yield Static(Content("Enter run it   ^j new line   Esc back"), classes="dialog--hint", markup=False)

    def on_mount(self) -> None:
        """Let the prompt have its text once there is room."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        text = str(self._arguments["command"]) if self._is_command else exact_json(self._arguments)
        self.query_one(Prompt).set_text(text)

    @on(Prompt.Changed)
    def _changed(self) -> None:
        if not self.is_armed:
            self.wait_still()

    @on(Prompt.Submitted)
    def _submit(self, event: Prompt.Submitted) -> None:
        event.stop()
        changed, problem = self._read(event.text)
        if not self._is_open():
            problem = "The question was answered meanwhile, or withdrawn: nothing was done."
        if problem:
            self.query_one(Prompt).set_text(event.text)
            self.query_one(".field--problem", Static).update(Content(f"✘ {one_line(problem)}"))
        else:
            _ = self.dismiss(changed)

    def _read(self, text: str) -> tuple[dict[str, Any], str]:
        if self._is_command:
            return {**self._arguments, "command": text}, "" if text.strip() else "There is nothing to run."
        try:
            changed = json.loads(text)
        except (ValueError, RecursionError) as error:
            return {}, f"It is not JSON: {error}"
        return (changed, "") if isinstance(changed, dict) else ({}, "It is not an object: { ... }")

    def action_run(self) -> None:
        """Run what stands there; after a backslash, begin a new line."""
        if self.is_armed:
            self.query_one(Prompt).action_send()
        else:
            self.wait_still()
            self.tell_to_wait()

    def action_leave(self) -> None:
        """Change nothing, and answer nothing."""
        _ = self.dismiss(None)
