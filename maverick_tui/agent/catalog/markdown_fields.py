"""Fields of Markdown agents that take more than one look: hooks, inputs, and those of the engine `api`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maverick_tui.agent.catalog.front_matter import WordAt
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.agent.hooks import mistakes_in
from maverick_tui.agent.tools import API_FILE_TOOLS, parse_tool
from maverick_tui.exceptions import did_you_mean
from maverick_tui.inputs import InputSpec, parse_inputs, places


def read_hooks(node: Node | None, log: ProblemLog) -> dict[str, Json]:
    """The hooks as they are, after their shape was checked; none if they are wrong."""
    hooks = {} if node is None else node.to_json()
    mistakes = [] if node is None else [(node.line_of(one.at), one) for one in mistakes_in(hooks)]
    for line, mistake in mistakes:
        log.error(line, mistake.message, mistake.hint)
    return hooks if isinstance(hooks, dict) and not mistakes else {}


def read_inputs(node: Node | None, log: ProblemLog) -> tuple[InputSpec, ...]:
    """The inputs that a Markdown file declares; one that is wrong is reported and left out."""
    if node is None:
        return ()
    specs, mistakes = parse_inputs(_declared(node))
    for mistake in mistakes:
        log.error(node.line_of(mistake.at), mistake.message, mistake.hint)
    return specs


def warn_of_unused(specs: Iterable[InputSpec], texts: Sequence[str], node: Node | None, log: ProblemLog) -> None:
    """Report inputs that none of these texts mentions: they would be asked for in vain."""
    used = {name for text in texts for name, _, _ in places(text)}
    for spec in specs:
        if node is not None and spec.name not in used:
            message = f"inputs: {spec.name!r} is asked for, but ${{{spec.name}}} is nowhere in the prompt."
            log.warning(node.line_of((spec.name,)), message, "Use it, or remove it.")


def _declared(node: Node) -> Json:
    """The bare values, with text as it was written: YAML would turn a version into a number."""
    if not isinstance(node.value, dict):
        return node.to_json()
    return {name: _entry(entry) for name, entry in node.value.items()}


def _entry(node: Node) -> Json:
    if not isinstance(node.value, dict):
        return node.to_json()
    kind = node.value.get("type")
    textual = ("description", "default", "choices") if kind is None or kind.text == "string" else ("description",)
    return {key: _as_written(item) if key in textual else item.to_json() for key, item in node.value.items()}


def _as_written(node: Node) -> Json:
    if isinstance(node.value, tuple):
        return [_as_written(item) for item in node.value]
    return node.to_json() if isinstance(node.value, dict) or node.value is None else node.text


def check_api_tools(tools: Iterable[WordAt], log: ProblemLog) -> None:
    """Report tools that the engine does not have."""
    for word in tools:
        rule = parse_tool(word.text) if word.text != "*" else None
        if rule is None or rule.is_mcp:
            continue
        if rule.name not in API_FILE_TOOLS:
            hint = f"It has {', '.join(API_FILE_TOOLS)}, and tools of MCP servers."
            log.error(word.line, f"tools: the engine api has no tool {rule.name!r}.", hint)
        elif rule.rule is not None:
            log.error(word.line, f"tools: the engine api takes {rule.name} without a rule.", f"Write {rule.name}.")


def only_api_tools(tools: Iterable[str]) -> tuple[str, ...]:
    """Those of the tools that the engine has."""
    return tuple(tool for tool in tools if tool.startswith("mcp__") or parse_tool(tool).name in API_FILE_TOOLS)


def check_variables(text: str, line: int, inputs: Iterable[InputSpec], log: ProblemLog) -> None:
    """Report variables that nobody declares: they would reach the model as they are."""
    known = [spec.name for spec in inputs]
    for name, start, _ in places(text):
        if name not in known and text[start - 1 : start] != "$":
            at = line + text.count("\n", 0, start)
            hint = did_you_mean(name, known) or "Declare it in inputs, or write $${ for ${."
            log.error(at, f"${{{name}}} is not a declared input.", hint)


def check_by_executor(settings: Mapping[str, Any], fields: Mapping[str, Node], log: ProblemLog) -> None:
    """Let the executor's own models look at what they will be given; they are imported only where there is some."""
    if not any(name in fields for name in ("limits", "thinking", "output", "toolLimits")):
        return
    from pydantic import ValidationError

    from maverick_tui.executor.definition import ModelConfig, OutputConfig, ToolConfig
    from maverick_tui.executor.limits import Limits

    model = {name: settings.get(name) for name in ("thinking", "temperature", "max_tokens")}
    checks = (
        ("limits", Limits, settings.get("limits")),
        ("thinking", ModelConfig, model),
        ("toolLimits", ToolConfig, settings.get("tool_limits")),
        ("output", OutputConfig, {"schema": schema} if (schema := settings.get("output_schema")) is not None else None),
    )
    for name, checking, value in checks:
        if name not in fields or value is None:
            continue
        try:
            checking.model_validate(value)
        except ValidationError as error:
            for item in error.errors():
                where = ".".join(str(part) for part in item["loc"] if part != "schema")
                text = item["msg"].removeprefix("Value error, ")
                line = fields[name].line_of(item["loc"])
                log.error(line, f"{name}{f'.{where}' if where else ''}: {text}.", "Correct it.")
