"""Plan: a definition made ready for one execution. Whatever is wrong is found here, before anything is spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from maverick_tui.exceptions import ConfigError, InvalidToolError
from maverick_tui.executor.calls import Approve
from maverick_tui.executor.definition import TASK, AgentDefinition, substitute
from maverick_tui.executor.model.messages import Agent, Image, Message, Role
from maverick_tui.executor.model.pricing import Price, price_of
from maverick_tui.executor.output import OutputReader
from maverick_tui.executor.tools import Tool, ToolRegistry
from maverick_tui.inputs import validate

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Parts:
    """What all executions of one executor share."""

    model: Agent
    tools: ToolRegistry
    agents: Mapping[str, AgentDefinition]
    approve: Approve | None
    between: Callable[[], str] = lambda: ""
    """What a person wants to say between two turns of the model; it is taken by asking."""
    call_ids: set[str] | None = None
    """The ids of calls that others have had before, or have beside it; None if there are no others."""

    def model_of(self, definition: AgentDefinition) -> str:
        """The name of the model that answers; empty if it is unknown."""
        return definition.model.model or str(getattr(self.model, "model", ""))


@dataclass(frozen=True, slots=True)
class Plan:
    """A definition with its inputs filled in: everything that can be known before the model is asked."""

    definition: AgentDefinition
    system: str
    messages: tuple[Message, ...]
    tools: Mapping[str, Tool]
    reader: OutputReader | None
    values: Mapping[str, Any]
    price: Price | None


def prepare(
    parts: Parts,
    definition: AgentDefinition,
    inputs: Mapping[str, Any],
    history: Sequence[Message],
    *,
    images: Sequence[Image] = (),
    is_resumed: bool = False,
    needs_price: bool = False,
) -> Plan:
    """Check inputs, variables, tools and prices; any mistake is a `ConfigError` (a tool that does not exist, an
    `InvalidToolError`), and nothing has been spent yet.
    """
    values, task = _values(definition, inputs)
    prompt = definition.prompt
    system = substitute(prompt.system, values)
    reader = OutputReader(definition.output) if definition.output is not None else None
    if reader is not None:
        system = f"{system}\n\n{reader.instructions}".strip()
    messages = list(history) or _initial_messages(definition, values)
    asked = task if history and task else definition.asked(substitute(prompt.query, values), task)
    if (asked.strip() or images) and not is_resumed:
        messages.append(Message.user(asked, images))
    if not is_resumed and (not messages or messages[-1].role is Role.ASSISTANT):
        raise ConfigError(
            f"The agent {definition.name!r} was given nothing to do.",
            hint=f"Give it the input {TASK!r}, or a query in its definition.",
        )
    model = parts.model_of(definition)
    price = price_of(model)
    if price is None and (needs_price or definition.run.needs_price):
        raise ConfigError(
            f"The price of {model or 'the model'} is unknown, and {definition.name!r} has a limit in dollars.",
            hint="Limit its tokens instead.",
        )
    tools = _tools(parts, definition)
    choice = definition.model.tool_choice
    if choice is not None and choice not in ("auto", "any", "none", *tools, *definition.tools.agents):
        raise InvalidToolError(choice, tools, why="tool_choice names a tool that it does not have")
    return Plan(definition, system, tuple(messages), tools, reader, values, price)


def _values(definition: AgentDefinition, inputs: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    specs = definition.inputs.specs
    task = inputs.get(TASK)
    if task is not None and not isinstance(task, str):
        raise ConfigError(f"The input {TASK!r} is {type(task).__name__}.", hint="It must be text.")
    checked = validate(specs, {name: value for name, value in inputs.items() if name != TASK})
    if checked.problems:
        wrong = "; ".join(f"{name} {problem}" for name, problem in checked.problems.items())
        raise ConfigError(
            f"The inputs of {definition.name!r} cannot be used: {wrong}.", hint="Give each of them a value that fits."
        )
    return {**checked.values, TASK: task}, task or ""


def _initial_messages(definition: AgentDefinition, values: Mapping[str, Any]) -> list[Message]:
    messages = []
    for number, message in enumerate(definition.prompt.initial_messages, start=1):
        text = substitute(message.content, values)
        if not text.strip():  # the API rejects it, and without it the roles would no longer alternate
            raise ConfigError(
                f"The initial message {number} of {definition.name!r} is empty.", hint="Give its variables a value."
            )
        messages.append(Message(_ROLES[message.role], text))
    return messages


def _tools(parts: Parts, definition: AgentDefinition) -> dict[str, Tool]:
    wanted = definition.tools.tools
    tools = parts.tools.get_all() if wanted is None else [parts.tools.get(name) for name in wanted]
    found = {tool.name: tool for tool in tools}
    for name in definition.tools.agents:
        if name not in parts.agents:
            raise ConfigError(f"There is no agent {name!r} for {definition.name!r} to call.", hint="Register it first.")
        if name in found:
            raise ConfigError(f"{name!r} is a tool and an agent.", hint="Give one of them another name.")
    return found
