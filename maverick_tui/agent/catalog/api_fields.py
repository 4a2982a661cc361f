"""The fields of a Markdown agent that only the engine `api` knows what to do with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from maverick_tui.agent.catalog.field_values import FieldValues, Word
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.agent.tools import API_FILE_TOOLS, parse_tool
from maverick_tui.exceptions import did_you_mean
from maverick_tui.inputs import InputSpec, places

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
