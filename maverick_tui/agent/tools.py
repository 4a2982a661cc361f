"""Which tools there are, and what an agent's `allowed_tools` means for the SDK."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from maverick_tui.exceptions import InvalidToolError

DOCUMENTED_TOOLS: frozenset[str] = frozenset(
    {
        "Read", "Write", "Edit", "Bash", "Glob", "Grep",
        "NotebookEdit", "WebFetch", "WebSearch", "TodoWrite",
        "BashOutput", "KillBash", "Task", "ExitPlanMode",
        "ListMcpResources", "ReadMcpResource",
    }
)  # fmt: skip

BUILTIN_TOOLS: frozenset[str] = DOCUMENTED_TOOLS | {
    "Agent", "AskUserQuestion", "CronCreate", "CronDelete", "CronList",
    "EnterPlanMode", "EnterWorktree", "ExitWorktree", "ListAgents",
    "LSP", "Monitor", "PowerShell", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill",
    "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate",
    "ToolSearch",
}  # fmt: skip
"""Every tool of the CLI: the documented ones, and those that the bundled CLI reports or accepts.

Not Workflow: of that, the CLI reads the script before it asks our hook, and tells the model a line of it if it is none.
"""

PATHS = ("file_path", "notebook_path", "path", "filePath")
"""Arguments of tools that name a file."""
_OTHER_ARGUMENTS = frozenset(
    (
        "-A -B -C -i -n -o action activeForm addBlockedBy addBlocks agentId allow_large allowedPrompts allowed_domains"
        " annotations answers bash_id block blocked_domains case_insensitive cell_id cell_type character command"
        " content context cron dangerouslyDisableSandbox delaySeconds description discard_changes durable edit_mode"
        " effort filter findings glob head_limit id isolation level limit line max_results message metadata model"
        " multiline name new_source new_string noop offset old_string operation output_mode owner pages pattern plan"
        " planFilePath prompt query questions reason recurring replace_all run_in_background shell_id skill status stop"
        " subagent_type subject summary taskId task_id timeout timeout_ms to todos type url ws"
    ).split()
)
"""All others that the CLI's own tools have, as it describes them to the model, and those of the engine `api`; but not
`args` of `Skill`: the text of a skill may have them behind an `@`, and Claude Code reads what they name then.
"""

READING_TOOLS: frozenset[str] = frozenset({"Read", "Glob", "Grep"})
"""Tools that read files and change nothing."""

LOOKING_TOOLS: frozenset[str] = READING_TOOLS | {"LSP"}
"""Tools that look into the files which they name. A language server may do anything beside that, so LSP asks."""

HARMLESS_TOOLS: frozenset[str] = frozenset(
    {
        "BashOutput", "CronList", "KillBash", "ReportFindings", "TaskCreate", "TaskGet",
        "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch",
    }
)  # fmt: skip
"""Tools that touch nothing but the agent's own notes and what it has begun; what is not known to be harmless asks."""

READ_ONLY_TOOLS: frozenset[str] = READING_TOOLS | HARMLESS_TOOLS
"""Tools that change nothing and send nothing out: a session with a person approves these without asking."""

API_FILE_TOOLS = ("Read", "Glob", "Grep")
"""What the engine `api` has of its own: it reads inside the working directory, and changes nothing."""

EDIT_TOOLS: frozenset[str] = frozenset({"Edit", "Write", "NotebookEdit"})
"""Tools that change files; mode acceptEdits approves them inside the project."""

SESSION_TOOLS = ("AskUserQuestion", "EnterPlanMode", "ExitPlanMode")
"""What the CLI offers on its own as soon as somebody can answer."""

SUBAGENT_TOOLS = frozenset({"Agent", "Task"})
"""Starting a subagent is not asked about; what it does is."""

SCHEDULING_TOOLS = ("CronCreate", "ScheduleWakeup")
"""The tools that make a job, which begins a turn with its prompt."""

WRITES_NOTHING: frozenset[str] = (
    READ_ONLY_TOOLS
    | SUBAGENT_TOOLS
    | {*SESSION_TOOLS, *SCHEDULING_TOOLS, "ListAgents", "SendMessage", "WebFetch", "WebSearch"}
)
"""Tools whose calls change no file of the project themselves; what a subagent does are calls of its own."""

# Names of ours, or of the documentation, that the CLI now knows by another name.
_CLI_NAMES = {
    "KillBash": "TaskStop",
    "ListMcpResources": "ListMcpResourcesTool",
    "ReadMcpResource": "ReadMcpResourceTool",
}
_SAME = {**_CLI_NAMES, "Task": "Agent"}
"""Names of one tool: the CLI offers it by one, and calls it by another."""

_RULE = re.compile(r"(?P<name>[^()]+?)(?:\((?P<rule>.*)\))?", re.DOTALL)


class ToolRule(NamedTuple):
    """One entry of `allowed_tools`: a tool, and what of it (`Bash(git diff:*)`), or all of it."""

    name: str
    rule: str | None = None

    @property
    def is_mcp(self) -> bool:
        """Whether an MCP server provides it."""
        return self.name.startswith("mcp__")


def parse_tool(entry: str) -> ToolRule:
    """Split `Bash(git diff:*)` into tool and rule; `Bash(*)` and `Bash()` mean all of it."""
    match = _RULE.fullmatch(entry.strip())
    if match is None or not _is_balanced(match["rule"] or ""):
        raise InvalidToolError(entry, BUILTIN_TOOLS, why="write it as Name or Name(rule)")
    rule = match["rule"]
    return ToolRule(match["name"], None if rule in (None, "", "*") else rule)


def _is_balanced(rule: str) -> bool:
    """Whether the parentheses of a rule close inside it: `echo:*),Bash(*` would be two rules to the CLI."""
    depth = 0
    for character in rule:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def validate_tools(allowed_tools: Iterable[str], mcp_servers: Mapping[str, Any] | None = None) -> None:
    """Raise `InvalidToolError` for the first entry that no tool and no configured server answers to."""
    servers = mcp_servers or {}
    available = [*BUILTIN_TOOLS, *(f"mcp__{server}__*" for server in servers)]
    for entry in allowed_tools:
        if not isinstance(entry, str):
            raise InvalidToolError(repr(entry), available, why="a tool is named by a string")
        tool = parse_tool(entry)
        if not tool.is_mcp:
            if tool.name not in BUILTIN_TOOLS:
                raise InvalidToolError(entry, available)
            continue
        if not any(_tool_of(tool.name, server) for server in servers):
            raise InvalidToolError(entry, available, why=_why_not_mcp(tool.name, servers))


def _tool_of(name: str, server: str) -> str:
    """The tool part of `mcp__server__tool`, empty if it is not that server's."""
    prefix = f"mcp__{server}__"
    return name[len(prefix) :] if name.startswith(prefix) else ""


def _why_not_mcp(name: str, servers: Mapping[str, Any]) -> str:
    server, _, tool = name.removeprefix("mcp__").partition("__")
    if server in servers and not tool:
        return f"name a tool of the server, or all of them with mcp__{server}__*"
    configured = ", ".join(sorted(servers)) or "none"
    return f"no MCP server {server!r} is configured (configured: {configured})"


class ToolGrants(NamedTuple):
    """What the SDK is told: the tools there are, those that run without a question, those that never run."""

    tools: list[str]
    allowed_tools: list[str]
    disallowed_tools: list[str]


def grants(allowed_tools: Sequence[str], *, person: bool) -> ToolGrants:
    """Translate `allowed_tools`, which is all that the agent may use.

    The SDK's `tools` is what restricts; its `allowed_tools` only approves beforehand. Without a person exactly the
    tools that are listed as a whole are approved; with one only the read-only ones among them, the rest ask. A rule
    (`Bash(git log:*)`) is for our judge alone: there may be a token in it, and everybody can read the CLI's arguments.
    """
    parsed = [parse_tool(entry) for entry in allowed_tools]
    names = [(_CLI_NAMES.get(tool.name, tool.name), tool) for tool in parsed]
    approved = [
        name.removesuffix("__*")
        for name, tool in names
        if tool.rule is None and (not person or tool.name in READ_ONLY_TOOLS)
    ]
    listed = {tool.name for tool in parsed}
    return ToolGrants(
        tools=list(dict.fromkeys(name for name, tool in names if not tool.is_mcp)),
        allowed_tools=list(dict.fromkeys(approved)),
        disallowed_tools=[name for name in SESSION_TOOLS if name not in listed],
    )


def may_use(tool_name: str, allowed_tools: Iterable[str]) -> bool:
    """Whether a call of this tool is within `allowed_tools`, whatever its arguments."""
    return any(is_same_tool(parse_tool(entry).name, tool_name) for entry in allowed_tools)


def is_understood(tool: str, arguments: Iterable[str]) -> bool:
    """Whether it is known which arguments of a call name files; of any other call, each text may name one."""
    return tool in BUILTIN_TOOLS and _OTHER_ARGUMENTS.union(PATHS).issuperset(arguments)


def is_same_tool(listed: str, called: str) -> bool:
    """Whether a name in `allowed_tools` means the tool that is called: `mcp__git__*` is every one of its server."""
    if listed.startswith("mcp__") and listed.endswith("__*"):
        return called.startswith(listed[:-1])
    return _SAME.get(listed, listed) == _SAME.get(called, called)
