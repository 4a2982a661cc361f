"""Agents in Python files, read without running them."""

from __future__ import annotations

import ast
import difflib
import importlib.util
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from maverick_tui.agent.catalog.front_matter import MAX_WORDS
from maverick_tui.agent.catalog.problems import Problem, ProblemLog
from maverick_tui.agent.catalog.python_classes import BASE, MAX_CLASSES, AgentClasses, Family, PythonAgent
from maverick_tui.agent.catalog.python_settings import assigned_names
from maverick_tui.agent.catalog.tool_field import suggestion
from maverick_tui.agent.fields import PLAIN_NAME, SETTINGS, Field, agent_name, wrong_model
from maverick_tui.agent.hooks import mistakes_in
from maverick_tui.agent.tools import API_FILE_TOOLS, BUILTIN_TOOLS, ToolRule, parse_tool, validate_tools
from maverick_tui.exceptions import InvalidToolError, did_you_mean
from maverick_tui.inputs import Mistake, parse_inputs
from maverick_tui.shown import shown

ONE_FILE = "An agent is one file: it can import installed packages, but not its neighbours."

MAX_IMPORTS = 200
"""Most imports that are looked at."""

_OTHER_NAMES = {"tools": "allowed_tools", "prompt": "system_prompt"}
_BY_PLAIN_NAME = {name.replace("_", ""): name for name in SETTINGS} | _OTHER_NAMES
_CLOSE = 0.8

MAX_NAMES = 50
"""Most names of a class and its bases that are compared with ours."""

MAX_BRACES = 5_000
"""Most braces that a file may open: Python 3.11 takes the square of how many there are in one f-string."""

_SAVE = "Save it as UTF-8."
_ENCODINGS = ("utf-8", "utf-8-sig", "ascii")
"""In these, whoever shows a file to be trusted sees the same text as Python."""


def parse(path: Path, source: bytes, *, is_packaged: bool = False) -> tuple[list[PythonAgent], list[Problem]]:
    """The agent classes that the file defines, and what is wrong with it."""
    log = ProblemLog(str(path))
    module = _tree(path, source, log)
    if module is None:
        return [], log.problems
    classes = AgentClasses(module)
    agents, families = classes.agents(), classes.families()
    misspelt = {name for family in families for name in _check_names(family, log)}
    if not agents and not log.problems:
        _report_no_agent(families, log)
    if classes.are_too_many:
        log.warning(1, f"Has more than {MAX_CLASSES} classes; the rest is not read.", "Split it.")
    _check_imports(module, log, is_packaged=is_packaged)
    for agent in agents:
        _check_values(agent, log, misspelt)
        _check_tools(agent, log)
        if isinstance(inputs := agent.settings.get("inputs"), dict):  # anything else is reported as a value
            _report(parse_inputs(inputs)[1], "inputs", agent, log)
        if isinstance(hooks := agent.settings.get("hooks"), dict):
            _report(mistakes_in(hooks), "hooks", agent, log)
    return [_with_plain_name(agent, log) for agent in agents], log.problems


def _report_no_agent(families: list[Family], log: ProblemLog) -> None:
    if families:
        cls = families[0][0]
        message = f"Defines no agent class: {cls.name} has no execute()."
        log.error(cls.lineno, message, f"Write async def execute(self, context) in {cls.name}.")
    else:
        log.error(1, "Defines no agent class.", f"Derive a class from {BASE} that has execute(). {ONE_FILE}")


def _tree(path: Path, source: bytes, log: ProblemLog) -> ast.Module | None:
    if b"\0" in source:
        line = source.count(b"\n", 0, source.index(b"\0")) + 1
        log.error(line, "Holds a NUL byte.", "Remove it; is this a text file?")
        return None
    if source.count(b"{") > MAX_BRACES:
        log.error(1, f"Opens more than {MAX_BRACES:,} braces, and takes too long to be read.", "Make it simpler.")
        return None
    if problem := _encoding_problem(source):
        log.error(*problem)
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about the author's file, and appear when it is run
            return ast.parse(text_of(source), str(path))
    except SyntaxError as error:
        log.error(error.lineno or 1, f"Is not Python: {error.msg}.", "Correct the line.")
    except (ValueError, RecursionError, MemoryError) as error:
        log.error(1, f"Cannot be read: {str(error) or 'it is nested too deeply'}.", "Make it simpler.")
    return None


def _encoding_problem(source: bytes) -> tuple[int, str, str] | None:
    """Line, message and hint if the bytes are not UTF-8, or declared to be something else."""
    import codecs
    import io
    import tokenize

    encoding = ""
    try:
        lines = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # as Python ends them, but tokenize does not
        encoding, _ = tokenize.detect_encoding(io.BytesIO(lines).readline)
        source.decode(encoding)
        if codecs.lookup(encoding).name not in _ENCODINGS:
            return 1, f"Declares the encoding {encoding!r}.", _SAVE
    except UnicodeDecodeError as error:
        # With a byte order mark the error's own copy starts after it, but the mark holds no line end.
        line = bytes(error.object).count(b"\n", 0, error.start) + 1
        return line, f"Is not {error.encoding}: {error.reason}.", _SAVE
    except SyntaxError as error:
        if source.startswith(codecs.BOM_UTF8):
            return 1, "Begins with the byte order mark of UTF-8, but declares another encoding.", _SAVE
        return 1, f"Cannot be decoded: {error.msg}.", _SAVE
    except (LookupError, UnicodeError):  # codecs from bytes to bytes (zlib), from text to text (rot13), or none at all
        return 1, f"Cannot be decoded: it declares {encoding!r}, which is not an encoding for such text.", _SAVE
    return None


def text_of(source: bytes) -> str:
    """The text that was shown to be trusted; given bytes, Python would find out the encoding by itself."""
    return source.decode("utf-8-sig")


def _with_plain_name(agent: PythonAgent, log: ProblemLog) -> PythonAgent:
    if PLAIN_NAME.fullmatch(agent.name):
        return agent
    plain = agent_name(agent.class_name)
    log.error(
        agent.line_of("name"), f"name cannot be {agent.name!r}.", f"Use letters, digits, -, _ and . only: {plain!r}."
    )
    return replace(agent, name=plain)


# -- what the classes say: names, values, tools, inputs, and imports ---------------------------------------------------


def _check_names(family: Family, log: ProblemLog) -> set[str]:
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


def _check_tools(agent: PythonAgent, log: ProblemLog) -> None:
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


def _check_values(agent: PythonAgent, log: ProblemLog, misspelt: Collection[str] = ()) -> None:
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


def _report(mistakes: Iterable[Mistake], setting: str, agent: PythonAgent, log: ProblemLog) -> None:
    """Report mistakes in a map that a Python class writes out."""
    for mistake in mistakes:
        line = _line_in_python(agent.nodes.get(setting), mistake.at, agent.line_of(setting))
        log.error(line, mistake.message, mistake.hint)


def _line_in_python(node: ast.expr | None, at: Sequence[int | str], line: int) -> int:
    for key in at:
        if isinstance(node, (ast.List, ast.Tuple)) and isinstance(key, int) and key < len(node.elts):
            line, node = node.elts[key].lineno, node.elts[key]
            continue
        if not isinstance(node, ast.Dict):
            break
        pairs = zip(node.keys, node.values, strict=True)
        found = next((pair for pair in pairs if isinstance(pair[0], ast.Constant) and str(pair[0].value) == key), None)
        if found is None or found[0] is None:
            break
        line, node = found[0].lineno, found[1]
    return line


def _check_imports(module: ast.Module, log: ProblemLog, *, is_packaged: bool) -> None:
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
