"""Agents of installed packages: entry points of the group `maverick.agents`, read without importing them."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from maverick_tui.agent.catalog import python_file
from maverick_tui.agent.catalog.folders import read_file
from maverick_tui.agent.catalog.listing import AgentListing
from maverick_tui.agent.catalog.problems import Problem
from maverick_tui.agent.catalog.python_classes import PythonAgent
from maverick_tui.agent.fields import PLAIN_NAME

GROUP = "maverick.agents"


def package_agents(cwd: Path) -> Iterator[AgentListing | Problem]:
    """One listing for each entry point, also for one whose source cannot be found."""
    try:
        points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    except Exception as error:  # an installed package's metadata may be broken in any way
        yield Problem(GROUP, None, f"The installed packages cannot be listed: {error}.", "Repair the environment.")
        return
    for point in points:
        yield _listing(point, cwd)


def _listing(point: EntryPoint, cwd: Path) -> AgentListing | Problem:
    where = f"{GROUP}: {point.name} = {point.value}"
    try:
        module, class_name = point.module, point.attr
    except (AttributeError, ValueError):
        module = class_name = ""
    if not module or not class_name:
        hint = f"Write it as {point.name} = package.module:Class."
        return Problem(where, None, "The entry point does not name a class.", hint)
    if not PLAIN_NAME.fullmatch(point.name):
        return Problem(where, None, "The entry point's name cannot be an agent's.", "Use letters, digits, -, _ and .")
    path = _module_file(point, module)
    agent, problems = _read(path, class_name) if path else (None, [_missing(where, module)])
    return AgentListing(
        name=point.name,
        description=agent.description if agent else _summary(point),
        source="package",
        form="package",
        path=path,
        model=agent.text("model") if agent else None,
        tools=agent.allowed_tools if agent else None,
        problems=tuple(problems),
        needs_trust=False,
        cwd=cwd,
        line=agent.line if agent else None,
        module=module,
        class_name=class_name,
        inputs=agent.inputs if agent else (),
    )


def _read(path: Path, class_name: str) -> tuple[PythonAgent | None, list[Problem]]:
    content = read_file(path)
    if isinstance(content, Problem):
        return None, [content]
    agents, problems = python_file.parse(path, content, is_packaged=True)
    agent = next((agent for agent in agents if agent.class_name == class_name), None)
    # A class that is only imported there is defined elsewhere; that is no mistake.
    return agent, problems if agents else []


def _module_file(point: EntryPoint, module: str) -> Path | None:
    """The module's source, found without importing its package."""
    top, *rest = module.split(".")
    if point.dist is not None:
        installed = _source(Path(str(point.dist.locate_file(""))), [top, *rest])
        if installed:
            return installed
    try:
        spec = importlib.util.find_spec(top)  # of an editable install; a top-level name imports nothing
    except (ImportError, ValueError, AttributeError):
        return None
    if spec is None:
        return None
    if not rest and spec.origin and spec.origin.endswith(".py"):
        return Path(spec.origin)
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    return next((found for folder in folders if (found := _source(folder, rest))), None)


def _source(folder: Path, parts: list[str]) -> Path | None:
    module = folder.joinpath(*parts)
    for path in (module.with_name(f"{module.name}.py"), module / "__init__.py"):
        if path.is_file():
            return path
    return None


def _summary(point: EntryPoint) -> str:
    if point.dist is None or "Summary" not in point.dist.metadata:
        return ""
    return str(point.dist.metadata["Summary"])


def _missing(where: str, module: str) -> Problem:
    return Problem(where, None, f"The module {module!r} is not there.", "Reinstall the package that provides it.")
