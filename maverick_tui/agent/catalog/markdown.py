"""Agents in Claude Code's format: Markdown with YAML front matter, whose body is the system prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from maverick_tui.agent.catalog.front_matter import FieldValues, FrontMatter, Word, read_front_matter
from maverick_tui.agent.catalog.known_fields import check_names
from maverick_tui.agent.catalog.markdown_fields import (
    ApiFields,
    check_tools,
    check_variables,
    for_api,
    read_api_fields,
    read_hooks,
    read_inputs,
    warn_of_unused,
)
from maverick_tui.agent.catalog.mcp_servers import McpJson, McpLookup, Server, read_servers
from maverick_tui.agent.catalog.problems import Problem, ProblemLog
from maverick_tui.agent.catalog.tool_field import ALL_TOOLS, effective_tools, named_tools, with_servers
from maverick_tui.agent.catalog.yaml_nodes import Json, Node
from maverick_tui.agent.fields import EFFORTS, ENGINES, MAX_PROMPT, wrong_model
from maverick_tui.inputs import InputSpec

Fields = Mapping[str, Node]

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MAX_NAME = 64

_PERMISSION_MODES = ("default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan", "manual")
_WIDER_THAN_OURS = ("auto", "bypassPermissions")


@dataclass(frozen=True, slots=True)
class AgentFile:
    """What a Markdown agent file says; None means that it says nothing and the defaults hold."""

    path: Path
    name: str
    line: int = 1
    """Where the name is."""
    description: str = ""
    system_prompt: str = ""
    tools: tuple[str, ...] = ()
    """All that it may use: what it names, or all tools, less `disallowed_tools`."""
    names_tools: bool = False
    """Whether the file restricts its tools at all."""
    disallowed_tools: tuple[str, ...] = ()
    model: str | None = None
    permission_mode: str | None = None
    max_turns: int | None = None
    skills: tuple[str, ...] = ()
    mcp_servers: Mapping[str, Server] = field(default_factory=dict)
    """The servers as they are written, before variables are replaced."""
    mcp_json: McpJson | None = None
    """The project's file that some of the servers are from."""
    hooks: Mapping[str, Json] = field(default_factory=dict)
    memory: str | None = None
    background: bool | None = None
    effort: str | None = None
    isolation: str | None = None
    color: str | None = None
    initial_prompt: str | None = None
    timeout: float | None = None
    max_tokens: int | None = None
    max_budget_usd: float | None = None
    inputs: tuple[InputSpec, ...] = ()
    engine: str | None = None
    api: ApiFields = field(default_factory=ApiFields)
    """What only the engine api knows what to do with."""

    @property
    def reaches_out(self) -> bool:
        """Whether it brings hooks or servers along: these run commands, or send out what a variable holds."""
        return bool(self.hooks or self.mcp_servers)


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
    check_names(fields, log)
    if "description" not in fields:
        log.error(1, "Has no description.", "Add `description: when to use this agent`.")
    if not front_matter.body.strip():
        log.error(front_matter.body_line, "Has no system prompt.", "Write it below the front matter.")
    elif (size := len(front_matter.body.encode())) > MAX_PROMPT:
        message = f"Has a system prompt of {size:,} bytes, {MAX_PROMPT:,} can be passed on."
        log.error(front_matter.body_line, message, "Shorten it; let the agent read what is long from a file.")

    engine = values.choice("engine", ENGINES)
    is_api = engine == "api"
    named = _named_tools(fields, values, log)
    denied = named_tools(values, "disallowedTools", log) or []
    servers = read_servers(values.node("mcpServers"), named or (), lookup, log)
    if named is not None:
        named = with_servers(named, servers.by_name, fields, log)
    tools = effective_tools(named, denied, servers.by_name, log)
    if is_api:
        check_tools(named or (), log)
    file = AgentFile(
        path=path,
        name=_name(fields, values, log),
        line=fields["name"].line if "name" in fields else 1,
        # Claude Code writes line breaks of an unquoted description this way.
        description=(values.text("description") or "").replace("\\n", "\n"),
        system_prompt=front_matter.body,
        tools=for_api(tools) if is_api else tools,
        names_tools=named is not None and all(word.text != ALL_TOOLS for word in named),
        disallowed_tools=tuple(word.text for word in denied),
        model=_model(fields, values, log),
        permission_mode=_permission_mode(fields, values, log),
        max_turns=values.whole("maxTurns"),
        skills=tuple(word.text for word in values.words("skills") or ()),
        mcp_servers=servers.by_name,
        mcp_json=servers.file,
        hooks=read_hooks(values.node("hooks"), log),
        memory=values.choice("memory", ("user", "project", "local")),
        background=values.flag("background"),
        effort=values.choice("effort", EFFORTS),
        isolation=values.choice("isolation", ("worktree",)),
        color=values.text("color"),
        initial_prompt=values.text("initialPrompt"),
        timeout=values.number("timeout"),
        max_tokens=values.whole("maxTokens"),
        max_budget_usd=values.number("maxBudgetUsd"),
        inputs=read_inputs(values.node("inputs"), log),
        engine=engine,
        api=read_api_fields(fields, values, log, is_meant=is_api),
    )
    if is_api:
        check_variables(file.system_prompt, front_matter.body_line, file.inputs, log)
    warn_of_unused(file.inputs, (file.system_prompt, file.initial_prompt or ""), fields.get("inputs"), log)
    return file if file.name else None


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


def _named_tools(fields: Fields, values: FieldValues, log: ProblemLog) -> list[Word] | None:
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
