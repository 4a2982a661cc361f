"""Agents in Claude Code's format: Markdown with YAML front matter, whose body is the system prompt."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from maverick_tui.agent.catalog.front_matter import FieldValues, FrontMatter, WordAt, read_front_matter
from maverick_tui.agent.catalog.markdown_fields import (
    check_api_tools,
    check_by_executor,
    check_variables,
    only_api_tools,
    read_hooks,
    read_inputs,
    warn_of_unused,
)
from maverick_tui.agent.catalog.mcp_servers import McpJson, McpLookup, Server, read_servers
from maverick_tui.agent.catalog.problems import Problem, ProblemLog
from maverick_tui.agent.catalog.tool_field import ALL_TOOLS, effective_tools, named_tools, with_servers
from maverick_tui.agent.catalog.yaml_nodes import Node
from maverick_tui.agent.fields import DEFAULT_ENGINE, ENGINES, FIELDS, MARKDOWN, MAX_PROMPT, wrong_model
from maverick_tui.inputs import InputSpec

Fields = Mapping[str, Node]

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_NAME = 64

_PERMISSION_MODES = ("default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan", "manual")
_WIDER_THAN_OURS = ("auto", "bypassPermissions")

# What other programs call it. Lower case, without hyphens and underscores.
_OTHER_NAMES = {
    "allowedtools": "tools",
    "allowtools": "tools",
    "deniedtools": "disallowedTools",
    "denytools": "disallowedTools",
    "disabledtools": "disallowedTools",
    "excludedtools": "disallowedTools",
    "permissions": "permissionMode",
}
_BY_PLAIN_NAME = {name.lower(): name for name in MARKDOWN} | _OTHER_NAMES
_CLOSE = 0.75


@dataclass(frozen=True, slots=True)
class AgentFile:
    """What a Markdown agent file says."""

    path: Path
    line: int
    """Where the name is."""
    name: str
    description: str
    model: str | None
    tools: tuple[str, ...]
    """All that it may use: what it names, or all tools, less `disallowedTools`."""
    names_tools: bool
    """Whether the file restricts its tools at all."""
    inputs: tuple[InputSpec, ...]
    mcp_servers: Mapping[str, Server]
    """The servers as they are written, before variables are replaced."""
    mcp_json: McpJson | None
    """The project's file that some of the servers are from."""
    settings: Mapping[str, object]
    """All that it gives the attributes of an agent class; what it does not say is left to the defaults."""

    @property
    def reaches_out(self) -> bool:
        """Whether it brings hooks or servers along: these run commands, or send out what a variable holds."""
        return bool(self.settings.get("hooks") or self.mcp_servers)


def parse(path: Path, content: bytes, lookup: McpLookup | None = None) -> tuple[AgentFile | None, list[Problem]]:
    """The agent as far as it can be read, None without a usable name; and everything that is wrong with it."""
    front_matter, problems = read_front_matter(path, content)
    if front_matter is None:
        return None, problems
    log = ProblemLog(str(path), problems)
    file = _read_fields(path, front_matter, lookup or McpLookup(path.parent), log)
    return file, log.problems


def _read_fields(path: Path, front_matter: FrontMatter, lookup: McpLookup, log: ProblemLog) -> AgentFile | None:
    fields, values = front_matter.fields, FieldValues(front_matter.fields, log)
    _check_names(fields, log)
    if "description" not in fields:
        log.error(1, "Has no description.", "Add `description: when to use this agent`.")
    _check_prompt(front_matter, log)
    engine = values.choice("engine", ENGINES)
    named = _named_tools(fields, values, log)
    servers = read_servers(values.node("mcpServers"), named or (), lookup, log)
    if named is not None:
        named = with_servers(named, servers.by_name, fields, log)
    denied = named_tools(values, "disallowedTools", log) or []
    tools = effective_tools(named, denied, servers.by_name, log)
    if engine == "api":
        check_api_tools(named or (), log)
        tools = only_api_tools(tools)
    name, model = _name(fields, values, log), _model(fields, values, log)
    # Claude Code writes line breaks of an unquoted description this way.
    description = (values.text("description") or "").replace("\\n", "\n")
    inputs = read_inputs(values.node("inputs"), log)
    settings: dict[str, object] = {
        "name": name,
        "description": description,
        "system_prompt": front_matter.body,
        "allowed_tools": tools,
        "model": model,
        "permission_mode": _permission_mode(fields, values, log),
        "mcp_servers": servers.by_name,
        "inputs": {spec.name: spec.declaration() for spec in inputs} or None,
        "engine": engine,
        "hooks": read_hooks(values.node("hooks"), log) or None,
    }
    settings |= _plain_settings(fields, values, settings, engine or DEFAULT_ENGINE, log)
    if engine == "api":
        check_by_executor(settings, fields, log)
        check_variables(front_matter.body, front_matter.body_line, inputs, log)
    warn_of_unused(inputs, (front_matter.body, str(settings.get("initial_prompt") or "")), fields.get("inputs"), log)
    if not name:
        return None
    return AgentFile(
        path=path,
        line=fields["name"].line,
        name=name,
        description=description,
        model=model,
        tools=tools,
        names_tools=named is not None and all(word.text != ALL_TOOLS for word in named),
        inputs=inputs,
        mcp_servers=servers.by_name,
        mcp_json=servers.file,
        settings={name: value for name, value in settings.items() if value is not None},
    )


def _plain_settings(
    fields: Fields, values: FieldValues, read: Collection[str], engine: str, log: ProblemLog
) -> dict[str, object]:
    """The fields that their kind alone says how to read; those of another engine are a mistake."""
    found: dict[str, object] = {}
    for field in FIELDS:
        if field.markdown not in fields:
            continue
        if field.engine not in ("", engine):
            message = f"{field.markdown} has no effect with the engine {engine}."
            log.error(fields[field.markdown].line, message, f"Remove it, or write engine: {field.engine}.")
        elif field.name not in read:
            found[field.name] = values.read(field)
    found.pop("", None)  # what only Claude Code makes use of is checked, and no setting of ours
    return found


def _check_names(fields: Fields, log: ProblemLog) -> None:
    """Report the fields that have no effect.

    One that was probably meant to be another is an error: an agent whose `allowed_tools` were overlooked would have
    all of them.
    """
    for name, node in fields.items():
        if name in MARKDOWN and MARKDOWN[name].is_idle:
            log.warning(node.line, f"{name} has no effect in Maverick yet.", "It is kept for Claude Code.")
        elif name not in MARKDOWN:
            if meant := _meant(name):
                log.error(node.line, f"There is no field {name!r}.", f"Did you mean {meant!r}?")
            else:
                log.warning(node.line, f"The field {name!r} is unknown and has no effect.", "Remove it, if you can.")


def _meant(name: str) -> str:
    plain = name.lower().replace("_", "").replace("-", "").replace(" ", "")
    close = difflib.get_close_matches(plain, list(_BY_PLAIN_NAME), n=1, cutoff=_CLOSE)
    if close:
        return _BY_PLAIN_NAME[close[0]]
    return "tools" if "tool" in plain else ""


def _check_prompt(front_matter: FrontMatter, log: ProblemLog) -> None:
    if not front_matter.body.strip():
        log.error(front_matter.body_line, "Has no system prompt.", "Write it below the front matter.")
    elif (size := len(front_matter.body.encode())) > MAX_PROMPT:
        message = f"Has a system prompt of {size:,} bytes; {MAX_PROMPT:,} is the limit."
        log.error(front_matter.body_line, message, "Shorten it; let the agent read what is long from a file.")


def _name(fields: Fields, values: FieldValues, log: ProblemLog) -> str:
    if "name" not in fields:
        log.error(1, "Has no name.", "Add `name: lower-case-words-with-hyphens`.")
    name = values.text("name")
    if name is None:
        return ""
    if len(name) <= MAX_NAME and NAME.fullmatch(name):
        return name
    suggestion = "-".join(re.findall(r"[a-z0-9]+", name[:MAX_NAME].lower())) or "my-agent"
    log.error(
        fields["name"].line,
        f"name cannot be {name[:MAX_NAME]!r}: only lower-case letters, digits and hyphens, {MAX_NAME} at most.",
        f"Write name: {suggestion}.",
    )
    return ""


def _named_tools(fields: Fields, values: FieldValues, log: ProblemLog) -> list[WordAt] | None:
    """None if the file does not have the field; what is wrong never turns into all tools."""
    if "tools" not in fields:
        return None
    if fields["tools"].value is None:
        hint = "Write tools: [] if that is meant, or remove the field for all tools."
        log.warning(fields["tools"].line, "tools is empty, so the agent gets no tools.", hint)
        return []
    return named_tools(values, "tools", log) or []


def _model(fields: Fields, values: FieldValues, log: ProblemLog) -> str | None:
    model = values.text("model")
    if model is None or model == "inherit":
        return None
    if hint := wrong_model(model):
        log.error(fields["model"].line, f"model cannot be {model!r}.", hint)
        return None
    return model


def _permission_mode(fields: Fields, values: FieldValues, log: ProblemLog) -> str | None:
    mode = values.choice("permissionMode", _PERMISSION_MODES)
    if mode in _WIDER_THAN_OURS:
        message = f"permissionMode {mode} is wider than Maverick opens, so it becomes acceptEdits."
        log.warning(fields["permissionMode"].line, message, "Write permissionMode: acceptEdits, or a narrower one.")
        return "acceptEdits"
    return "default" if mode == "manual" else mode
