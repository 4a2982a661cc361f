"""Agents in Python files, read without running them."""

from __future__ import annotations

import ast
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.catalog.problems import Problem, ProblemLog
from maverick_tui.agent.catalog.python_checks import (
    ONE_FILE,
    check_imports,
    check_inputs,
    check_names,
    check_tools,
    check_values,
)
from maverick_tui.agent.catalog.python_classes import BASE, MAX_CLASSES, AgentClasses, Family, PythonAgent
from maverick_tui.agent.fields import PLAIN_NAME, agent_name

if TYPE_CHECKING:
    pass

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
    misspelt = {name for family in families for name in check_names(family, log)}
    if not agents and not log.problems:
        _report_no_agent(families, log)
    if classes.are_too_many:
        log.warning(1, f"Has more than {MAX_CLASSES} classes; the rest is not read.", "Split it.")
    check_imports(module, log, is_packaged=is_packaged)
    for agent in agents:
        check_values(agent, log, misspelt)
        check_tools(agent, log)
        if isinstance(inputs := agent.settings.get("inputs"), dict):  # anything else is reported as a value
            check_inputs(agent.nodes.get("inputs"), inputs, agent.line_of("inputs"), log)
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
