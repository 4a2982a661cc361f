"""What can be typed instead of a prompt: words with a slash before them, which are for us and not for the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from maverick_tui.inert import one_line

if TYPE_CHECKING:
    from maverick_tui.ui.run.answering import AnsweringScreen

COMMANDS = {
    "clear": "Begin a new conversation; what is on the screen stays",
    "new": "The same as /clear",
    "compact": "Sum the conversation up; /compact WORDS says what matters",
    "model": "Let another model answer: /model NAME",
    "name": "Call this run by a name: /name WORDS",
    "close": "Close this run",
    "help": "Show keys and commands",
    "quit": "Leave Maverick",
}
"""Each command, and what it does."""
TAKE_WORDS = ("compact", "model", "name")
"""Commands that words may follow."""

_COMMAND = re.compile(r"/([A-Za-z][\w-]*)(?:\s+(.*))?", re.DOTALL)
"""A path has a second slash, or a dot: it is no command."""


def slash_command(text: str) -> tuple[str, str] | None:
    """The command and what follows it; None if the text is none."""
    found = _COMMAND.fullmatch(text.strip())
    return (found[1].lower(), (found[2] or "").strip()) if found else None


def _takes(name: str, rest: str) -> bool:
    """Whether the command can be meant with what follows it: a model has one word, most commands take none."""
    return not rest or (name in TAKE_WORDS and (name != "model" or len(rest.split()) == 1))


class SlashCommands:
    """Carries out what is typed on the screen of a run."""

    def __init__(self, screen: AnsweringScreen) -> None:
        self._screen = screen

    def obey(self, text: str) -> bool:
        """Do what a text says, if it is a command; whether it is one. Of one that is not known the person is asked."""
        if (found := slash_command(text)) is None:
            return False
        name, rest = found
        if name not in COMMANDS or not _takes(name, rest):
            self._ask(name, text)
            return True
        self._screen.prompt.remember(text)
        self._obey(name, rest)
        return True

    def _obey(self, name: str, rest: str) -> None:
        screen = self._screen
        if name in ("clear", "new"):
            screen.run.clear()
        elif name == "compact":
            screen.send(f"/compact {rest}".strip(), is_command=True)
        elif name == "model" and rest:
            screen.run.set_model(rest)
        elif name == "model":
            model = one_line(screen.store.model) or "The default model"
            screen.notify(f"{model} answers. /model NAME changes it.", timeout=6, markup=False)
        elif name == "name" and rest:
            screen.run.name(rest)
        else:
            actions = {"name": "name_run", "close": "close_run", "help": "app.help", "quit": "app.quit"}
            screen.run_worker(screen.run_action(actions[name]), group="command", exit_on_error=False)

    def _ask(self, name: str, text: str) -> None:
        """It may be meant for the agent, or be a slip: sent, it is a prompt that costs something.

        A command with words that it cannot take is no command: they are all that tells it from a prompt.
        """
        from maverick_tui.ui.dialogs.confirm import ConfirmScreen

        screen = self._screen

        def decide(is_meant: bool | None) -> None:
            if is_meant:
                screen.prompt.remember(text)
                screen.send(text)
            else:  # nothing that was typed is lost
                screen.prompt.set_text("\n".join(filter(None, (text, screen.prompt.text))))

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
        _ = screen.app.push_screen(dialog, decide)
