"""What can be asked of a run. Commands are JSON-able, like the events that answer them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from maverick_tui.events.wire import Tagged, from_json


@dataclass(frozen=True, slots=True)
class SendPrompt(Tagged):
    """Ask; while a turn is running the prompt waits for its end. A command, `/compact WORDS`, is for the engine."""

    type: ClassVar[str] = "send_prompt"
    prompt_id: str
    text: str
    is_command: bool = False


@dataclass(frozen=True, slots=True)
class DropPrompt(Tagged):
    """Take a waiting prompt back."""

    type: ClassVar[str] = "drop_prompt"
    prompt_id: str


@dataclass(frozen=True, slots=True)
class ReleasePrompts(Tagged):
    """Send the prompts that an interrupt or a failure has held."""

    type: ClassVar[str] = "release_prompts"


@dataclass(frozen=True, slots=True)
class Interrupt(Tagged):
    """Stop the running turn; what came is kept, and what waits is held until somebody releases it."""

    type: ClassVar[str] = "interrupt"


@dataclass(frozen=True, slots=True)
class AnswerPermission(Tagged):
    """Answer a question: allow it `once`, or for this `run`; or `deny` it, with a reason for the model.

    `grant` says how much the run is allowed: the place of one of those that the question offers. `answers` are for a
    tool that asks the person something: question to answer.
    """

    type: ClassVar[str] = "answer_permission"
    request: str
    decision: Literal["once", "run", "deny"]
    reason: str = ""
    answers: dict[str, str] | None = None
    grant: int = 0


@dataclass(frozen=True, slots=True)
class SetMode(Tagged):
    """Change the permission mode."""

    type: ClassVar[str] = "set_mode"
    mode: str


@dataclass(frozen=True, slots=True)
class SetModel(Tagged):
    """Let another model answer from the next prompt on."""

    type: ClassVar[str] = "set_model"
    model: str


@dataclass(frozen=True, slots=True)
class NameRun(Tagged):
    """Call the run by a name; an empty one takes it away."""

    type: ClassVar[str] = "name_run"
    name: str


@dataclass(frozen=True, slots=True)
class ClearConversation(Tagged):
    """Begin a new conversation, in which the agent knows nothing of the old one."""

    type: ClassVar[str] = "clear_conversation"


@dataclass(frozen=True, slots=True)
class Reconnect(Tagged):
    """Open the way to the model again after it was lost."""

    type: ClassVar[str] = "reconnect"


@dataclass(frozen=True, slots=True)
class CloseRun(Tagged):
    """End the run; a running turn is interrupted."""

    type: ClassVar[str] = "close_run"


Command: TypeAlias = (
    SendPrompt
    | DropPrompt
    | ReleasePrompts
    | Interrupt
    | AnswerPermission
    | SetMode
    | SetModel
    | NameRun
    | ClearConversation
    | Reconnect
    | CloseRun
)

COMMANDS: Mapping[str, type[Any]] = {kind.type: kind for kind in Command.__args__}


def command_from_json(data: Mapping[str, Any]) -> Command:
    """The command that a JSON object stands for."""
    command: Command = from_json(data, COMMANDS, {})
    return command
