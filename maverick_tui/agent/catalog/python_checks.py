"""Checks what the classes in a Python agent file say: names, values, tools, inputs, and imports."""

from __future__ import annotations

import ast
import difflib
import importlib.util
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from maverick_tui.agent.catalog.front_matter import MAX_WORDS
from maverick_tui.agent.catalog.problems import ProblemLog
from maverick_tui.agent.catalog.python_classes import Family, PythonAgent
from maverick_tui.agent.catalog.python_settings import assigned_names
from maverick_tui.agent.catalog.tool_field import suggestion
from maverick_tui.agent.fields import SETTINGS, Field, wrong_model
from maverick_tui.agent.tools import API_FILE_TOOLS, BUILTIN_TOOLS, ToolRule, parse_tool, validate_tools
from maverick_tui.exceptions import InvalidToolError, did_you_mean
from maverick_tui.inputs import parse_inputs
from maverick_tui.shown import shown

ONE_FILE = "An agent is one file: it can import installed packages, but not its neighbours."

MAX_IMPORTS = 200
"""Most imports that are looked at."""

_OTHER_NAMES = {"tools": "allowed_tools", "prompt": "system_prompt"}
_BY_PLAIN_NAME = {name.replace("_", ""): name for name in SETTINGS} | _OTHER_NAMES
_CLOSE = 0.8

MAX_NAMES = 50
"""Most names of a class and its bases that are compared with ours."""


def check_names(family: Family, log: ProblemLog) -> set[str]:
    """Report misspelt names of a class and its bases, and an `execute` that cannot be awaited.

    A class may have attributes of its own, so only those are reported that were probably meant to be one of ours;
    those are returned.
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
    """The entries that are written out, each with its line; the list may hold others, too."""
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


def check_values(agent: PythonAgent, log: ProblemLog, misspelt: Collection[str] = ()) -> None:
    """Report the values that cannot be used, and a prompt that is nowhere, not even under a misspelt name."""
    if "system_prompt" not in {*agent.settings, *agent.unknown, *misspelt}:
        log.error(agent.line, f"{agent.class_name} has no system prompt.", 'Write system_prompt = "..." in the class.')
    for setting, value in agent.settings.items():
        field = SETTINGS[setting]
        if field.may_be_none if value is None else field.kind.fits(value):
            continue
        message = f"{setting} must be {field.kind.wanted}, not {shown(value)}."
        log.error(agent.line_of(setting), message, _hint(field, value) or f"Write {setting} = {field.kind.example}.")


def _hint(field: Field, value: object) -> str:
    """What was probably meant, if it can be guessed."""
    if not isinstance(value, str):
        return ""
    if field.name == "model":
        return wrong_model(value) or "Remove it, and the agent has the model of your settings."
    return did_you_mean(value, field.kind.choices)


def check_inputs(node: ast.expr | None, value: object, line: int, log: ProblemLog) -> None:
    """Report mistakes in the map that a Python class writes out."""
    for mistake in parse_inputs(value)[1]:
        log.error(_line_in_python(node, mistake.at, line), mistake.message, mistake.hint)


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


def check_imports(module: ast.Module, log: ProblemLog, *, is_packaged: bool) -> None:
    """Warn of top-level imports that would fail; what is under `if` or `try` may be allowed to."""
    for line, name in islice(_imported(module), MAX_IMPORTS):
        top = name.partition(".")[0]
        if not top and not is_packaged:
            log.warning(line, f"The import from {name!r} will fail.", ONE_FILE)
        elif top and not _is_there(top):
            log.warning(line, f"The module {top!r} is not installed.", ONE_FILE)


def _imported(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of each module; a name that starts with a dot is relative."""
    for statement in module.body:
        if isinstance(statement, ast.Import):
            yield from ((statement.lineno, alias.name) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            yield statement.lineno, "." * statement.level + (statement.module or "")


def _is_there(top: str) -> bool:
    try:
        return importlib.util.find_spec(top) is not None  # of a top-level name it imports nothing
    except (ImportError, ValueError, AttributeError):
        return True  # it has no spec, which says nothing
