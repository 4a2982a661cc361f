"""Checks the names and the tools of the classes in a Python agent file."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator

from maverick_tui.agent.catalog.field_values import MAX_WORDS
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.python_classes import Family, PythonAgent
from maverick_tui.agent.catalog.python_settings import SETTINGS, assigned_names
from maverick_tui.agent.catalog.tool_field import suggestion
from maverick_tui.agent.tools import API_FILE_TOOLS, BUILTIN_TOOLS, ToolRule, parse_tool, validate_tools
from maverick_tui.exceptions import InvalidToolError
from maverick_tui.shown import shown

_OTHER_NAMES = {"tools": "allowed_tools", "prompt": "system_prompt"}
_BY_PLAIN_NAME = {name.replace("_", ""): name for name in SETTINGS} | _OTHER_NAMES
_CLOSE = 0.8

MAX_NAMES = 50
"""Most names of a class and its bases that are compared with ours."""


def check_names(family: Family, log: ProblemLog) -> set[str]:
    """Report misspelt names of a class and its bases, and an `execute` that cannot be awaited.

    A class may have attributes of its own, so only those are reported that were probably meant to be one of ours;
    which are returned.
    """
    parts = [part for cls in family for part in cls.body]
    functions = [part for part in parts if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
    attributes = [named for cls in family for named in assigned_names(cls).items()]
    taken = {function.name for function in functions} | {name for name, _ in attributes}
    misspelt: set[str] = set()
    for name, line in attributes[:MAX_NAMES]:
        if (meant := _meant(name)) and meant not in taken:
            misspelt.add(meant)
            log.error(line, f"{name!r} has no effect.", f"Did you mean {meant!r}? If it is your own, start it with _.")
    for function in functions[:MAX_NAMES]:
        if isinstance(function, ast.FunctionDef) and function.name == "execute" and not function.decorator_list:
            log.error(function.lineno, "execute must be async.", "Write async def execute(self, context).")
        elif "execute" not in taken and difflib.get_close_matches(function.name, ["execute"], cutoff=_CLOSE):
            log.error(function.lineno, f"{function.name!r} is never called.", "Did you mean 'execute'?")
    return misspelt


def _meant(name: str) -> str:
    if name in SETTINGS or name.startswith("_") or name.isupper():
        return ""
    close = difflib.get_close_matches(name.lower().replace("_", ""), list(_BY_PLAIN_NAME), n=1, cutoff=_CLOSE)
    return _BY_PLAIN_NAME[close[0]] if close else ""


def check_tools(agent: PythonAgent, log: ProblemLog) -> None:
    """Report entries of `allowed_tools` that no tool answers to."""
    for entry, line in _entries(agent):
        if not isinstance(entry, str):
            log.error(line, f"allowed_tools must hold names of tools, not {shown(entry)}.", "Write them as text.")
            continue
        try:
            tool = parse_tool(entry)
        except InvalidToolError:
            log.error(line, f"allowed_tools: {entry!r} does not name a tool.", "Write it as Name or Name(rule).")
            continue
        if tool.is_mcp:
            _check_mcp_tool(tool, agent, line, log)
        elif agent.settings.get("engine") == "api" and tool.name not in API_FILE_TOOLS:
            hint = f"It has {', '.join(API_FILE_TOOLS)}; functions of yours go into own_tools."
            log.error(line, f"allowed_tools: the engine api has no tool {tool.name!r}.", hint)
        elif tool.name not in BUILTIN_TOOLS:
            log.error(line, f"allowed_tools: there is no tool named {tool.name!r}.", suggestion(tool.name))


def _entries(agent: PythonAgent) -> Iterator[tuple[object, int]]:
    """The entries that are written out, each with its line; the list may hold others as well."""
    node = agent.nodes.get("allowed_tools")
    for element in node.elts[:MAX_WORDS] if isinstance(node, (ast.List, ast.Tuple)) else ():
        try:
            yield ast.literal_eval(element), element.lineno
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue


def _check_mcp_tool(tool: ToolRule, agent: PythonAgent, line: int, log: ProblemLog) -> None:
    servers = agent.settings.get("mcp_servers", {})
    if not isinstance(servers, dict) or "mcp_servers" in agent.unknown:
        return
    try:
        validate_tools([tool.name], servers)
    except InvalidToolError as error:
        # Whoever makes the agent may still pass servers to its constructor.
        log.warning(line, f"allowed_tools: {error.message}", "Add the server to mcp_servers.")
