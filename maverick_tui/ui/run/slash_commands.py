"""What can be typed instead of a prompt: words with a slash before them, which are for us and not for the model."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from maverick_tui.inert import one_line
from maverick_tui.ui.widgets.command_menu import CommandChoice, CommandMenu

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.widgets.prompt import Prompt

COMMANDS = {
    "clear": "Begin a new conversation; what is on the screen stays",
    "new": "The same as /clear",
    "compact": "Sum the conversation up; /compact WORDS says what matters",
    "model": "Let another model answer: /model NAME",
    "fork": "Go on from a turn in a run of its own: /fork TURN, or from the end",
    "changes": "Show what this run has changed: diff, comments, undo, commit",
    "name": "Call this run by a name: /name WORDS",
    "export": "Export this run: /export md|html|jsonl|cast FILE",
    "close": "Close this run",
    "help": "Show keys and commands",
    "quit": "Leave Maverick",
}
"""Each command, and what it does."""
TAKE_WORDS = ("compact", "model", "fork", "name", "export")
"""Commands that words may follow."""
_ACTIONS = {"changes": "changes", "name": "name_run", "close": "app.close_run", "help": "app.help", "quit": "app.quit"}
"""Commands that do what a key of the screen does."""

_COMMAND = re.compile(r"/([A-Za-z][\w-]*)(?:\s+(.*))?", re.DOTALL)
"""A path has a second slash, or a dot: it is no command."""


def slash_command(text: str) -> tuple[str, str] | None:
    """The command and what follows it; None if the text is none: it begins with a blank, as a page that was pasted."""
    found = _COMMAND.fullmatch(text.rstrip().lstrip("\n"))
    return (found[1].lower(), (found[2] or "").strip()) if found else None


def _takes(name: str, rest: str) -> bool:
    """Whether the command can be meant with what follows it: a model has one word, most commands take none."""
    if name == "fork" and rest:
        return rest.isascii() and rest.isdigit()
    if name == "export":
        from maverick_tui.ui.run.exporting import export_words

        return export_words(rest) is not None
    return not rest or (name in TAKE_WORDS and (name != "model" or len(rest.split()) == 1))


class Send(Protocol):
    """Sends a text to the run."""

    def __call__(self, text: str, *, is_command: bool = False) -> None:
        """As a prompt, or as a command of the engine's."""


class SlashCommands:
    """Offers the commands that what is typed may become, and carries out the one that is sent."""

    def __init__(
        self, run: RunModel, prompt: Prompt, *, send: Send, act: Callable[[str], None], on_change: Callable[[], None]
    ) -> None:
        """`act` does what an action of the screen does; `on_change` hears that others are offered."""
        self._run = run
        self._prompt = prompt
        self._send = send
        self._act = act
        self._on_change = on_change
        self._choice = CommandChoice(COMMANDS, TAKE_WORDS, self._offer)
        self._menu: CommandMenu | None = None

    # -- choosing -----------------------------------------------------------------------------------------------------

    def allow(self, may_choose: bool) -> None:
        """Offer commands from now on, or none: words for a question are never commands, however they begin."""
        self._prompt.choice = self._choice if may_choose else None
        if not may_choose:
            self._choice.close()

    def _take(self, at: int) -> None:
        if not self._prompt.complete(at):  # it is that already
            self._choice.refuse()
        self._prompt.screen.set_focus(self._prompt)

    def text_changed(self) -> None:
        """The text may have been undone, and so neither typed nor set."""
        if self._choice.names and not self._choice.is_open(self._prompt.text):
            self._choice.close()

    def _offer(self) -> None:
        """Show the commands directly above what is typed."""
        if self._menu is None and self._choice.names:
            self._menu = CommandMenu(self._choice, self._take)
            _ = self._prompt.screen.mount(self._menu, before=self._prompt)
        if self._menu is not None:
            self._menu.refresh_choice()
        self._on_change()

    # -- carrying out -------------------------------------------------------------------------------------------------

    def obey(self, text: str) -> bool:
        """Do what a text says, if it is a command; whether it is one. Of one that is not known the person is asked."""
        if (found := slash_command(text)) is None:
            return False
        name, rest = found
        if name not in COMMANDS or not _takes(name, rest):
            self._ask(name, text)
            return True
        self._prompt.remember(text)
        self._obey(name, rest)
        return True

    def _obey(self, name: str, rest: str) -> None:
        if name in ("clear", "new"):
            self._run.clear()
        elif name == "compact":
            self._send(f"/compact {rest}".strip(), is_command=True)
        elif name == "model" and rest:
            self._run.set_model(rest)
        elif name == "model":
            model = one_line(self._run.store.model) or "The default model"
            self._prompt.notify(f"{model} answers. /model NAME changes it.", timeout=6, markup=False)
        elif name == "fork":
            self._act(f"fork({int(rest) if rest else ''})")
        elif name == "name" and rest:
            self._run.name(rest)
        elif name == "export":
            self._act(f"export({rest!r})")
        else:
            self._act(_ACTIONS[name])

    def _ask(self, name: str, text: str) -> None:
        """It may be meant for the agent, or be a slip: sent, it is a prompt that costs something.

        A command with words that it cannot take is no command: they are all that tells it from a prompt.
        """
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        def decide(is_meant: bool | None) -> None:
            if is_meant:
                self._prompt.remember(text)
                self._send(text)
            else:  # nothing that was typed is lost
                self._prompt.put_before(text)

        if name in COMMANDS:
            why, known = f"/{name} with these words is not a command.", f"/{name}: {COMMANDS[name]}."
        else:
            why, known = f"/{name} is not a command.", f"Commands are {', '.join(f'/{one}' for one in COMMANDS)}."
        dialog = ConfirmScreen(
            f"{why} Send it to the agent?",
            f"It would be a prompt like any other, and cost as much. {known}",
            yes="Send it",
            no="Edit it",
        )
        _ = self._prompt.app.push_screen(dialog, decide)
