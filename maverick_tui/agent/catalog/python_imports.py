"""Checks that what a Python agent file imports is there, without importing it."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from itertools import islice

from maverick_tui.agent.catalog.problems import ProblemLog

ONE_FILE = "An agent is one file: it can import installed packages, but not its neighbours."

MAX_IMPORTS = 200
"""Most imports that are looked at."""


def check_imports(module: ast.Module, log: ProblemLog, *, is_packaged: bool) -> None:
    """Warn of top-level imports that would fail; what is under `if` or `try` may be meant to."""
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
