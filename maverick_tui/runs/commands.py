"""What can be asked of a run. Commands are JSON-able, like the events that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from maverick_tui.events.wire import Tagged, from_json, kinds_of


class Command(Tagged):
    """Something that a run is asked to do."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SendPrompt(Command):
    """Ask; while a turn is running the prompt waits for its end. A command, `/compact WORDS`, is for the engine."""

    prompt_id: str
    text: str
    is_command: bool = False
    images: dict[str, str] = field(default_factory=dict, repr=False)
    """Pictures that it shows: the mark that stands for each in the text, to its bytes as base64."""


def is_for_engine(text: str) -> bool:
    """Whether what a person has written is such a command, and no prompt: that may begin with a blank."""
    return not text[:1].isspace() and text.split(maxsplit=1)[:1] == ["/compact"]


@dataclass(frozen=True, slots=True)
class DropPrompt(Command):
    """Take a waiting prompt back."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class EditPrompt(Command):
    """Let a waiting prompt say something else; it keeps its place."""

    prompt_id: str
    text: str


@dataclass(frozen=True, slots=True)
class MovePrompt(Command):
    """Let a waiting prompt change places with the one before it (-1) or after it (1)."""

    prompt_id: str
    by: int


@dataclass(frozen=True, slots=True)
class SteerPrompt(Command):
    """Send a waiting prompt now: into the running turn, where the engine takes it, and else before all that waits."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class ReleasePrompts(Command):
    """Send the prompts that an interrupt or a failure has held."""


@dataclass(frozen=True, slots=True)
class RunShell(Command):
    """Run a command of the person's own in the run's folder; the agent is told of it with the next prompt."""

    shell: str
    command: str


@dataclass(frozen=True, slots=True)
class Interrupt(Command):
    """Stop the running turn; what came is kept, and what waits is held until somebody releases it.

    With a `call`, stop only that call of a tool, or that subagent: the turn goes on. An older host stops the turn.
    """

    call: str = ""


@dataclass(frozen=True, slots=True)
class PlanContinue(Command):
    """Go on by yourself when the limit resets that has ended the last turn."""


@dataclass(frozen=True, slots=True)
class CallOffContinue(Command):
    """Do not go on by yourself."""


@dataclass(frozen=True, slots=True)
class WaitOn(Command):
    """The model may be silent for longer: say so again if it lasts as long once more."""


@dataclass(frozen=True, slots=True)
class AnswerPermission(Command):
    """Answer a question: allow it `once`, or for this `run`; or `deny` it, with a reason for the model.

    `grant` says how much the run is allowed: the place of one of those that the question offers. `answers` are for a
    tool that asks the person something: question to answer.
    """

    request: str
    decision: Literal["once", "run", "deny"]
    reason: str = ""
    answers: dict[str, str] | None = None
    grant: int = 0
    by: str = ""
    """Who answers, where several look at the run: its host says so."""
    rule: str = ""
    """A standing rule that is to allow such calls for good."""
    is_for_agent: bool = True
    """Whether that rule is for one agent alone: the run's, or the one that the question names for it."""
    arguments: dict[str, Any] | None = None
    """What is to be called instead; as a person has changed it."""


@dataclass(frozen=True, slots=True)
class SetMode(Command):
    """Change the permission mode."""

    mode: str


@dataclass(frozen=True, slots=True)
class SetModel(Command):
    """Let another model answer from the next prompt on."""

    model: str


@dataclass(frozen=True, slots=True)
class NameRun(Command):
    """Call the run by a name; an empty one takes it away."""

    name: str


@dataclass(frozen=True, slots=True)
class ClearConversation(Command):
    """Begin a new conversation, in which the agent knows nothing of the old one."""


@dataclass(frozen=True, slots=True)
class Reconnect(Command):
    """Open the way to the model again after it was lost."""


@dataclass(frozen=True, slots=True)
class CloseRun(Command):
    """End the run; a running turn is interrupted."""

    if_unused: bool = False
    """Whether it stays as long as it has something to do, or somebody reads it; a host sees to that."""
    by: str = ""
    """Who ends it, where whoever looks at it would wonder: its host says so."""


COMMANDS: Mapping[str, type[Command]] = kinds_of(Command)


def command_from_json(data: Mapping[str, Any]) -> Command:
    """The command that a JSON object stands for."""
    return from_json(data, COMMANDS)


def words_in(wanted: Iterable[Command]) -> dict[str, str]:
    """What a person says in commands that a run has not heard: prompts by id, answers by what they are answers to.

    Prompts are as they were changed last, without those dropped. One that the run knows, and not yet how it was
    changed, is among them, too: nobody else has those words.
    """
    words: dict[str, str] = {}
    for command in wanted:
        if isinstance(command, SendPrompt | EditPrompt):
            words[command.prompt_id] = command.text
        elif isinstance(command, DropPrompt):
            words.pop(command.prompt_id, None)
        elif isinstance(command, AnswerPermission):
            said = "\n".join(filter(None, (command.reason, *(command.answers or {}).values())))
            words |= {command.request: said} if said else {}
    return words
