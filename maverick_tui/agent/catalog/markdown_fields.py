"""Fields of Markdown agents that take more than one look: hooks, inputs, and those of the engine `api`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from maverick_tui.agent.catalog.front_matter import FieldValues, Word
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
    command = fields.get("command")
    if kind.value == "command" and (command is None or not isinstance(command.value, str) or not command.value):
        log.error(node.line, f"hooks: a hook of {event} has no command.", _SHAPE)
        return False
    return True


def read_inputs(node: Node | None, log: ProblemLog) -> tuple[InputSpec, ...]:
    """The inputs that a Markdown file declares; one that is wrong is reported and left out."""
    if node is None:
        return ()
    specs, mistakes = parse_inputs(_declared(node))
    for mistake in mistakes:
        log.error(_line_in_yaml(node, mistake.at), mistake.message, mistake.hint)
    return specs


def warn_of_unused(specs: Iterable[InputSpec], texts: Sequence[str], node: Node | None, log: ProblemLog) -> None:
    """Report inputs that none of these texts mentions: they would be asked for in vain."""
    used = {name for text in texts for name, _, _ in places(text)}
    for spec in specs:
        if node is not None and spec.name not in used:
            message = f"inputs: {spec.name!r} is asked for, but ${{{spec.name}}} is nowhere in the prompt."
            log.warning(_line_in_yaml(node, (spec.name,)), message, "Use it, or remove it.")


def check_inputs(node: ast.expr | None, value: object, line: int, log: ProblemLog) -> None:
    """Report mistakes in the map that a Python class writes out."""
    for mistake in parse_inputs(value)[1]:
        log.error(_line_in_python(node, mistake.at, line), mistake.message, mistake.hint)


def _declared(node: Node) -> Json:
    """The bare values, with text as it was written: YAML would make a number of a version."""
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


def _line_in_yaml(node: Node, at: Sequence[str]) -> int:
    for key in at:
        if not isinstance(node.value, dict) or key not in node.value:
            break
        node = node.value[key]
    return node.line


def _line_in_python(node: ast.expr | None, at: Sequence[str], line: int) -> int:
    for key in at:
        if not isinstance(node, ast.Dict):
            break
        pairs = zip(node.keys, node.values, strict=True)
        found = next((pair for pair in pairs if isinstance(pair[0], ast.Constant) and str(pair[0].value) == key), None)
        if found is None or found[0] is None:
            break
        line, node = found[0].lineno, found[1]
    return line


FIELDS = ("temperature", "thinking", "limits", "agents", "output", "toolLimits", "retries", "repairs")
OTHER_ENGINE = ("hooks", "skills", "effort")
"""Fields that only Claude Code knows what to do with."""


@dataclass(frozen=True, slots=True)
class ApiFields:
    """What a file says for the engine `api`."""

    temperature: float | None = None
    thinking: int | None = None
    limits: Mapping[str, Json] = field(default_factory=dict)
    agents: tuple[str, ...] = ()
    output: Mapping[str, Json] | None = None
    """The JSON schema of its last answer."""
    tool_limits: Mapping[str, Json] = field(default_factory=dict)
    retries: int | None = None
    repairs: int | None = None


def read_api_fields(fields: Mapping[str, Node], values: FieldValues, log: ProblemLog, *, is_meant: bool) -> ApiFields:
    """The fields; in a file for the other engine they are a mistake, as are that one's in a file for this."""
    for name in OTHER_ENGINE if is_meant else FIELDS:
        if name in fields:
            engine, other = ("api", "claude-code") if is_meant else ("claude-code", "api")
            message = f"{name} has no effect with the engine {engine}."
            log.error(fields[name].line, message, f"Remove it, or write engine: {other}.")
    if not is_meant:
        return ApiFields()
    found = ApiFields(
        temperature=_temperature(fields, log),
        thinking=values.whole("thinking"),
        limits=_map(fields, "limits", log) or {},
        agents=tuple(word.text for word in values.words("agents") or ()),
        output=_map(fields, "output", log),
        tool_limits=_map(fields, "toolLimits", log) or {},
        retries=_count(fields, "retries", log),
        repairs=_count(fields, "repairs", log),
    )
    _check(found, fields, values.whole("maxTokens") if "thinking" in fields else None, log)
    return found


def check_tools(tools: Iterable[Word], log: ProblemLog) -> None:
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


def for_api(tools: Iterable[str]) -> tuple[str, ...]:
    """Those of the tools that the engine has."""
    return tuple(tool for tool in tools if tool.startswith("mcp__") or parse_tool(tool).name in API_FILE_TOOLS)


def check_variables(text: str, line: int, inputs: Iterable[InputSpec], log: ProblemLog) -> None:
    """Report variables that nobody declares: they would reach the model as they are."""
    known = [spec.name for spec in inputs]
    for name, start, _ in places(text):
        if name not in known and text[start - 1 : start] != "$":
            at = line + text.count("\n", 0, start)
            hint = did_you_mean(name, known) or "Declare it in inputs, or write $${ for ${."
            log.error(at, f"${{{name}}} is no declared input.", hint)


def _temperature(fields: Mapping[str, Node], log: ProblemLog) -> float | None:
    node = fields.get("temperature")
    if node is None:
        return None
    value = node.value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return float(value)
    log.error(node.line, f"temperature must be a number from 0 to 1, not {node.kind}.", "Write temperature: 0.2.")
    return None


def _count(fields: Mapping[str, Node], name: str, log: ProblemLog) -> int | None:
    node = fields.get(name)
    if node is None:
        return None
    if isinstance(node.value, int) and not isinstance(node.value, bool) and node.value >= 0:
        return node.value
    log.error(node.line, f"{name} must be a whole number from 0 on, not {node.kind}.", f"Write {name}: 3.")
    return None


def _map(fields: Mapping[str, Node], name: str, log: ProblemLog) -> dict[str, Json] | None:
    node = fields.get(name)
    if node is None:
        return None
    value = node.to_json()
    if isinstance(value, dict):
        return value
    log.error(node.line, f"{name} must be a map, not {node.kind}.", f"Write the fields of {name} below it.")
    return None


def _check(found: ApiFields, fields: Mapping[str, Node], max_tokens: int | None, log: ProblemLog) -> None:
    """Let the executor's own models look at what they will be given; they are imported only where there is some."""
    if not any(name in fields for name in ("limits", "thinking", "output", "toolLimits")):
        return
    from pydantic import ValidationError

    from maverick_tui.executor.definition import ModelConfig, OutputConfig, ToolConfig
    from maverick_tui.executor.limits import Limits

    checks = (
        ("limits", lambda: Limits.model_validate(dict(found.limits))),
        (
            "thinking",
            lambda: ModelConfig(thinking=found.thinking, temperature=found.temperature, max_tokens=max_tokens),
        ),
        ("toolLimits", lambda: ToolConfig.model_validate(dict(found.tool_limits))),
        ("output", lambda: OutputConfig.model_validate({"schema": found.output})),
    )
    for name, make in checks:
        node = fields.get(name)
        if node is None or (name == "output" and found.output is None):
            continue
        try:
            make()
        except ValidationError as error:
            for item in error.errors():
                where = ".".join(str(part) for part in item["loc"] if part != "schema")
                text = item["msg"].removeprefix("Value error, ")
                log.error(_line(node, item["loc"]), f"{name}{f'.{where}' if where else ''}: {text}.", "Correct it.")


def _line(node: Node, location: Iterable[int | str]) -> int:
    for part in location:
        if not isinstance(node.value, dict) or part not in node.value:
            break
        node = node.value[str(part)]
    return node.line
