"""Imports go one way: the contracts of pyproject.toml hold, and no module imports itself by way of others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[1]


def circle(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """The first circle that there is, as the way around it."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        way: list[str] = error.args[1]
        return way[::-1]
    return []


def test_a_circle_is_found() -> None:
    assert circle({"a": ["b"], "b": ["a"]}) in (["a", "b", "a"], ["b", "a", "b"])
    assert circle({"a": ["b", "c"], "b": ["c"]}) == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("maverick_tui", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 100
    assert " -> ".join(circle(imports)) == ""


@pytest.mark.explore  # `make check` looks as well
def test_the_contracts_hold() -> None:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


NOT_ON_WINDOWS = """
import importlib, signal, sys
for name in "SIGKILL SIGHUP SIGVTALRM SIGALRM SIGPIPE SIGTSTP SIGCONT SIGSTOP SIGCHLD SIGWINCH setitimer".split():
    delattr(signal, name)
for name in "fcntl grp pwd resource termios tty".split():
    sys.modules[name] = None
for name in sys.argv[1:]:
    importlib.import_module(f"maverick_tui.{name}")
"""


def test_what_windows_lacks_is_asked_for_only_where_it_is_used() -> None:
    names = "agent.permissions.judge git.asking git.persons_own host.process markup.lexing runs.local snapshots.shadow"
    done = subprocess.run(
        [sys.executable, "-c", NOT_ON_WINDOWS, *names.split()], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
