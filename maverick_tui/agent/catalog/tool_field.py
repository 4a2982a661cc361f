"""The tools that a Markdown agent may use: those of `tools`, or all, less `disallowedTools`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from maverick_tui.agent.catalog.front_matter import FieldValues, WordAt
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.yaml_nodes import Node
from maverick_tui.agent.tools import BUILTIN_TOOLS, DOCUMENTED_TOOLS, is_same_tool, parse_tool
from maverick_tui.exceptions import InvalidToolError, did_you_mean

ALL_TOOLS = "*"

_RENAMED = {
    "KillShell": "KillBash",
    "ListMcpResourcesTool": "ListMcpResources",
    "ReadMcpResourceTool": "ReadMcpResource",
}
_GONE = {
    "LS": "Use Glob, or Bash(ls:*).",
    "MultiEdit": "Use Edit.",
    "NotebookRead": "Use Read.",
    "TodoRead": "Use TodoWrite.",
    "SlashCommand": "Use Skill.",
}
_NOT_HAD = {"Workflow": "Claude Code reads its script, and quotes it, before anybody can be asked"}


def named_tools(values: FieldValues, field: str, log: ProblemLog) -> list[WordAt] | None:
    """The entries of the field under today's names, without the wrong ones; None if the field is not there."""
    words = values.words(field)
    return None if words is None else list(_known(words, field, log))


def _known(words: Iterable[WordAt], field: str, log: ProblemLog) -> Iterable[WordAt]:
    for word in words:
        if word.text == ALL_TOOLS:
            yield word
            continue
        try:
            tool = parse_tool(word.text)
        except InvalidToolError:
            log.error(word.line, f"{field}: {word.text!r} does not name a tool.", "Write it as Name or Name(rule).")
            continue
        if tool.is_mcp:
            yield from _known_mcp(tool.name, word, field, log)
        elif tool.name in _GONE:
            hint = _GONE[tool.name] if field == "tools" else "Remove it."
            log.warning(word.line, f"{field}: the tool {tool.name!r} no longer exists, so it is left out.", hint)
        elif tool.name in _NOT_HAD:
            log.warning(word.line, f"{field}: no agent here has the tool {tool.name!r}: {_NOT_HAD[tool.name]}.")
        elif (name := _RENAMED.get(tool.name, tool.name)) in BUILTIN_TOOLS:
            yield WordAt(word.text.replace(tool.name, name, 1), word.line)
        else:
            log.error(word.line, f"{field}: there is no tool named {tool.name!r}.", suggestion(tool.name))


def _known_mcp(name: str, word: WordAt, field: str, log: ProblemLog) -> Iterable[WordAt]:
    server, _, tool = name.removeprefix("mcp__").partition("__")
    if not server or "*" in server or ("*" in tool and tool != "*"):
        log.error(
            word.line,
            f"{field}: {word.text!r} does not name tools of an MCP server.",
            "Write mcp__server for all of its tools, or mcp__server__tool for one.",
        )
    else:
        yield WordAt(name if tool else f"mcp__{server}__*", word.line)


def suggestion(name: str) -> str:
    """What to use instead of a tool that does not exist."""
    if name in _GONE:
        return _GONE[name]
    by_case = {tool.lower(): tool for tool in BUILTIN_TOOLS}
    close = did_you_mean(by_case.get(name.lower(), name), BUILTIN_TOOLS)
    return close or f"The tools are: {', '.join(sorted(BUILTIN_TOOLS))}."


def server_of(entry: str) -> str:
    """The MCP server that provides the tool, empty for a tool of the CLI."""
    return entry.removeprefix("mcp__").partition("__")[0] if entry.startswith("mcp__") else ""


def with_servers(
    tools: list[WordAt], servers: Collection[str], fields: Mapping[str, Node], log: ProblemLog
) -> list[WordAt]:
    """The tools without those of MCP servers that are not there."""
    kept = []
    for word in tools:
        if server_of(word.text) in ("", *servers):
            kept.append(word)
        else:
            log.warning(
                word.line,
                f"tools: no MCP server provides {word.text!r}, so it is left out.",
                "Add the server to mcpServers or to the project's .mcp.json.",
            )
    used = {server_of(word.text) for word in kept}
    for name in servers if all(word.text != ALL_TOOLS for word in kept) else ():
        if name not in used:
            message = f"mcpServers: tools names none of the tools of the server {name!r}, so it is of no use."
            log.warning(fields["mcpServers"].line, message, f"Add mcp__{name} to tools, or remove the server.")
    return kept


def effective_tools(
    named: list[WordAt] | None, denied: list[WordAt], servers: Iterable[str], log: ProblemLog
) -> tuple[str, ...]:
    """What is left to use; what is denied is denied, whoever allows it."""
    everything = [*sorted(DOCUMENTED_TOOLS | {"AskUserQuestion"}), *(f"mcp__{server}__*" for server in servers)]
    allowed: list[str] = []
    for word in named if named is not None else [WordAt(ALL_TOOLS, 0)]:
        allowed.extend(everything if word.text == ALL_TOOLS else [word.text])
    for word in denied:
        remaining = [entry for entry in allowed if not _denies(word.text, entry)]
        _warn_if_wider(word, set(allowed) - set(remaining), log)
        allowed = remaining
    return tuple(dict.fromkeys(allowed))


def _denies(denial: str, entry: str) -> bool:
    """Whether both speak of the same tool; only whole entries can be taken away, so in doubt it is denied."""
    if denial == ALL_TOOLS:
        return True
    denied, tool = parse_tool(denial).name, parse_tool(entry).name
    return is_same_tool(denied, tool) or (tool.endswith("__*") and denied.startswith(tool[:-1]))


def _warn_if_wider(word: WordAt, removed: Collection[str], log: ProblemLog) -> None:
    wider = sorted(entry for entry in removed if word.text != ALL_TOOLS and _is_part_of(word.text, entry))
    if wider:
        log.warning(
            word.line,
            f"disallowedTools: {word.text!r} is a part of a tool, and Maverick denies whole entries: "
            f"{', '.join(wider)} is left out.",
            "Name what is allowed in tools instead.",
        )


def _is_part_of(denial: str, entry: str) -> bool:
    denied = parse_tool(denial)
    return (denied.rule is not None and entry != denial) or (
        denied.is_mcp and entry.endswith("__*") and denied.name != entry
    )
