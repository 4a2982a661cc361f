"""Fields of Markdown agents that take more than one look: hooks, inputs, and those of the engine `api`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from maverick_tui.agent.catalog.front_matter import WordAt
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.agent.tools import API_FILE_TOOLS, parse_tool
from maverick_tui.exceptions import did_you_mean
from maverick_tui.inputs import InputSpec, parse_inputs, places

_EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Notification", "UserPromptSubmit",
    "UserPromptExpansion", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop",
    "PreCompact", "PostCompact", "PreModelSwitch", "PostModelSwitch", "PermissionRequest", "PermissionDenied",
    "Setup", "TeammateIdle", "TaskCreated", "TaskCompleted", "Elicitation", "ElicitationResult", "ConfigChange",
    "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded", "CwdChanged", "FileChanged", "DirectoryAdded",
    "MessageDisplay",
)  # fmt: skip

_TYPES = {
    "command": ("command",),
    "prompt": ("prompt",),
    "agent": ("prompt",),
    "http": ("url",),
    "mcp_tool": ("server", "tool"),
}
"""The types of hooks, and what one cannot do without: the CLI passes over others without a word (measured)."""

_SHAPE = "Write it as event: [{matcher: Bash, hooks: [{type: command, command: ./check.sh}]}]."


def read_hooks(node: Node | None, log: ProblemLog) -> dict[str, Json]:
    """The hooks as they are, after their shape was checked; none if they are wrong."""
    if node is None:
        return {}
    if not isinstance(node.value, dict):
        log.error(node.line, f"hooks must be a map of events, not {node.kind}.", _SHAPE)
        return {}
    hooks: dict[str, Json] = {}
    for event, groups in node.value.items():
        # A guard that never fires is worse than none, so a misspelt event is never let through.
        if event not in _EVENTS:
            hint = did_you_mean(event, _EVENTS) or f"The events are: {', '.join(_EVENTS)}."
            log.error(groups.line, f"hooks: there is no event named {event!r}.", hint)
        elif _check_groups(event, groups, log):
            hooks[event] = groups.to_json()
    return hooks


def _check_groups(event: str, node: Node, log: ProblemLog) -> bool:
    if not isinstance(node.value, tuple):
        log.error(node.line, f"hooks: {event} must be a list, not {node.kind}.", _SHAPE)
        return False
    checked = [_check_group(event, group, log) for group in node.value]  # all of them, to report every mistake
    return all(checked)


def _check_group(event: str, node: Node, log: ProblemLog) -> bool:
    if not isinstance(node.value, dict):
        log.error(node.line, f"hooks: an entry of {event} must be a map, not {node.kind}.", _SHAPE)
        return False
    matcher = node.value.get("matcher")
    if matcher is not None and not isinstance(matcher.value, (str, type(None))):
        log.error(matcher.line, f"hooks: matcher of {event} must be text, not {matcher.kind}.", "Quote it.")
        return False
    commands = node.value.get("hooks")
    if commands is None or not isinstance(commands.value, tuple) or not commands.value:
        log.error(node.line, f"hooks: an entry of {event} has no list of hooks.", _SHAPE)
        return False
    checked = [_check_command(event, command, log) for command in commands.value]
    return all(checked)


def _check_command(event: str, node: Node, log: ProblemLog) -> bool:
    fields = node.value if isinstance(node.value, dict) else {}
    kind = fields.get("type")
    if kind is None or not isinstance(kind.value, str):
        log.error(node.line, f"hooks: a hook of {event} has no type.", _SHAPE)
        return False
    if kind.value not in _TYPES:
        hint = did_you_mean(kind.value, _TYPES) or f"The types are: {', '.join(_TYPES)}."
        log.error(kind.line, f"hooks: there is no type {kind.value!r}.", hint)
        return False
    for name in _TYPES[kind.value]:
        needed = fields.get(name)
        if needed is None or not isinstance(needed.value, str) or not needed.value:
            log.error(node.line, f"hooks: a hook of {event} has no {name}.", _SHAPE)
            return False
    return True


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
