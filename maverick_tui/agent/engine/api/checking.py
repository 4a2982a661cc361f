"""What an agent of the API engine may say, and how that becomes a definition. Light: nothing is asked or opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.fields import only_for_others
from maverick_tui.agent.tools import API_FILE_TOOLS, parse_tool
from maverick_tui.exceptions import ConfigError, InvalidToolError
from maverick_tui.executor.definition import TASK, AgentDefinition, substitute
from maverick_tui.executor.model import model_id
from maverick_tui.executor.model.failures import RetryPolicy
from maverick_tui.executor.tools import FunctionTool, Tool

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.config import MaverickConfig


def check(agent: MaverickAgent) -> None:
    """Refuse what the engine cannot do, before anything is asked."""
    own = [tool.name for tool in own_tools(agent)]
    for name in own:
        if name in API_FILE_TOOLS or own.count(name) > 1:
            why = "is a tool of the engine" if name in API_FILE_TOOLS else "is there twice"
            raise ConfigError(f"The tool {name!r} of {agent.name!r} {why}.", hint="Give yours another name.")
    check_tools(agent.allowed_tools, own, agent.mcp_servers)
    for field in only_for_others("api"):
        if getattr(agent, field.name):
            raise ConfigError(
                f"The agent {agent.name!r} cannot have {field.name} with the engine api.",
                hint=f"Remove {field.name}, or use engine: {field.engine}.",
            )
    called_definition(agent)


def own_tools(agent: MaverickAgent) -> list[Tool]:
    """The tools that the agent brings along."""
    return [tool if isinstance(tool, Tool) else FunctionTool(tool) for tool in agent.own_tools]


def check_tools(allowed: Sequence[str], own: Sequence[str], servers: Any) -> None:
    """Refuse tools that this engine does not have; which of a server's there are is known when it runs."""
    available = {*API_FILE_TOOLS, *own, *(f"mcp__{server}__*" for server in servers)}
    for entry in allowed:
        rule = parse_tool(entry)
        if rule.is_mcp and any(rule.name.removeprefix(f"mcp__{server}__") not in ("", rule.name) for server in servers):
            continue
        if rule.rule is not None:
            raise InvalidToolError(entry, available, why="the engine api takes whole tools, without rules")
        if rule.name not in available:
            raise InvalidToolError(entry, available, why="the engine api has no such tool")


def definition_of(agent: MaverickAgent, settings: MaverickConfig | None = None) -> AgentDefinition:
    """The agent as a definition, for a run of its own: its inputs are filled in, so what looks like a variable is none.

    What it says itself goes before the settings.
    """
    values = _values(agent, settings)
    made: AgentDefinition | None = getattr(agent, "definition", None)
    messages = () if made is None else made.prompt.initial_messages
    prompt = {
        "system": _literal(agent.system_prompt),
        "initial_messages": [
            {"role": one.role, "content": _literal(substitute(one.content, {**agent.input_values, TASK: None}))}
            for one in (messages if agent.input_values or not agent.inputs else ())
        ],
    }
    return AgentDefinition.checked({**values, "prompt": prompt})


def called_definition(agent: MaverickAgent) -> AgentDefinition:
    """The agent as a definition for another one to call: its inputs are the arguments of the call."""
    values = _values(agent, None)
    made: AgentDefinition | None = getattr(agent, "definition", None)
    prompt: Any = {"system": agent.system_prompt} if made is None else made.prompt
    return AgentDefinition.checked({**values, "prompt": prompt, "inputs": {"inputs": dict(agent.inputs)}})


def _values(agent: MaverickAgent, settings: MaverickConfig | None) -> dict[str, Any]:
    made: AgentDefinition | None = getattr(agent, "definition", None)
    limits: dict[str, Any] = {
        "max_turns": agent.max_turns or (settings.max_turns if settings else None),
        "max_cost_usd": agent.max_budget_usd or (settings.max_budget_usd if settings else None),
        **dict(agent.limits),
    }
    if agent.retries is not None:
        limits["retry"] = RetryPolicy(max_retries=agent.retries)
    elif made is not None:
        limits["retry"] = made.run.retry
    tools: dict[str, Any] = made.tools.model_dump() if made is not None else {}
    output: Any = made.output if made is not None else None
    if output is None and agent.output_schema is not None:
        output = {"schema": agent.output_schema}
        if agent.repairs is not None:
            output["repair_turns"] = agent.repairs
    return {
        "name": agent.name,
        "description": agent.description,
        "model": {
            "model": model_id(agent.model) if agent._names_model and agent.model else None,
            "temperature": agent.temperature,
            "max_tokens": agent.max_tokens,
            "thinking": agent.thinking,
        },
        "run": {name: value for name, value in limits.items() if value is not None},
        "tools": {**tools, **agent.tool_limits, "tools": _names(agent), "agents": tuple(agent.subagents)},
        "output": output,
    }


def _literal(text: str) -> str:
    """The text as a template that stays what it is; `$${` was written for `${`."""
    return text.replace("$${", "${").replace("${", "$${")


def _names(agent: MaverickAgent) -> tuple[str, ...]:
    """All that it may use, but for what servers bring."""
    rules = [parse_tool(entry) for entry in agent.allowed_tools]
    names = [*(tool.name for tool in own_tools(agent)), *(rule.name for rule in rules if not rule.is_mcp)]
    return tuple(dict.fromkeys(names))
