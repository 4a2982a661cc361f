"""AgentListing: what is known about an agent of a file or of an installed package, without running anything of it."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Literal, NamedTuple

from maverick_tui import paths
from maverick_tui.agent.catalog import markdown, python_file
from maverick_tui.agent.catalog.folders import read_file
from maverick_tui.agent.catalog.mcp_servers import McpLookup, check_server
from maverick_tui.agent.catalog.problems import Problem, errors
from maverick_tui.agent.catalog.python_classes import PythonAgent
from maverick_tui.agent.catalog.started_commands import started_in
from maverick_tui.agent.catalog.yaml_nodes import Json
from maverick_tui.agent.fields import CLAUDE_CODE, PLAIN_NAME
from maverick_tui.inert import one_line
from maverick_tui.inputs import InputSpec

Source = Literal["project", "user", "package", "shipped"]
Form = Literal["python", "markdown", "package"]

_WHOSE = {"project": "the project's", "user": "your own", "package": "a package's", "shipped": "the shipped"}
SUFFIXES = (".md", ".py")
GROUP = "maverick.agents"
"""The entry points by which packages bring agents along."""


class Original(NamedTuple):
    """An agent from elsewhere whose name, or one that looks like it, another agent has."""

    name: str
    source: Source


@dataclass(frozen=True, slots=True)
class AgentListing:
    """One agent that was found, and where."""

    name: str
    description: str
    source: Source
    form: Form
    path: Path | None
    model: str | None
    """None for the default, or if only running it would tell."""
    tools: tuple[str, ...] | None
    """None if only running it would tell, or if the file has errors."""
    problems: tuple[Problem, ...]
    needs_trust: bool
    """Whether it is only loaded after the user has trusted its file."""
    cwd: Path
    """Where it was looked for: the project's MCP servers are those of this folder."""
    line: int | None = None
    module: str = ""
    class_name: str = ""
    inputs: tuple[InputSpec, ...] = ()
    """What it asks for before it runs, as far as that is written out."""
    stands_in_for: Original | None = None
    """Whose place it takes, or seems to take. If the project brings it along, its file must be trusted."""

    def seems_to_be(self, other: AgentListing) -> bool:
        """Whether people would take it for the other one; of several such, one of its very name counts first."""
        if self.source == other.source:
            return False
        known = self.stands_in_for
        return known is None or (other.name == self.name != known.name)

    def instead_of(self, other: AgentListing) -> AgentListing:
        """The same agent, known to take the place of the other."""
        original = Original(other.name, other.source)
        return replace(self, stands_in_for=original, needs_trust=self.needs_trust or self.source == "project")

    @property
    def beware(self) -> str:
        """Whose place it takes, in words; nothing if it takes nobody's."""
        if (original := self.stands_in_for) is None:
            return ""
        verb = "stands in for" if original.name == self.name else "looks like"
        return one_line(f"{verb} {_WHOSE[original.source]} {original.name}")

    @property
    def has_errors(self) -> bool:
        """Whether it cannot be loaded."""
        return bool(errors(self.problems))

    def to_json(self) -> dict[str, Json]:
        """The same as a JSON object."""
        return {
            "name": self.name,
            "description": self.description,
            "source": self.source,
            "form": self.form,
            "path": None if self.path is None else str(self.path),
            "model": self.model,
            "tools": None if self.tools is None else list(self.tools),
            "problems": [dict(problem.to_json()) for problem in self.problems],
            "needs_trust": self.needs_trust,
            "stands_in_for": None if self.stands_in_for is None else dict(self.stands_in_for._asdict()),
            "inputs": [spec.to_json() for spec in self.inputs],
        }


def list_file(
    path: Path, content: bytes, source: Source, lookup: McpLookup
) -> tuple[list[AgentListing], list[Problem]]:
    """The agents of one file; and everything that is wrong with it."""
    if path.suffix == ".py":
        return _list_python(path, content, source, lookup.cwd)
    file, problems = markdown.parse(path, content, lookup)
    if file is None:
        return [], problems
    listing = AgentListing(
        name=file.name,
        description=file.description,
        source=source,
        form="markdown",
        path=path,
        model=file.model,
        tools=None if errors(problems) else file.tools,
        problems=tuple(problems),
        needs_trust=bool(files_to_trust(file, content, source) or _starts(lookup.cwd, source, own_commands(file))),
        cwd=lookup.cwd,
        line=file.line,
        inputs=file.inputs,
    )
    return [listing], problems


def files_to_trust(
    file: markdown.AgentFile, content: bytes, source: Source, *, is_stand_in: bool = False
) -> list[tuple[Path, bytes]]:
    """The project's files that say which commands run, where data goes, or what runs under a name that means another.

    What is the user's own is trusted.
    """
    files = [(file.path, content)] if source == "project" and (file.reaches_out or is_stand_in) else []
    return [*files, (file.mcp_json.path, file.mcp_json.content)] if file.mcp_json else files


def own_commands(file: markdown.AgentFile) -> dict[str, object]:
    """Its hooks and its own servers; those of the project's `.mcp.json` are trusted with that file."""
    theirs = file.mcp_json.servers if file.mcp_json else {}
    servers = {
        name: server
        for name, server in file.mcp_servers.items()
        if name not in theirs or check_server(name, theirs[name]).server != server
    }
    return {"hooks": file.settings.get("hooks"), "mcp_servers": servers}


def _starts(cwd: Path, source: Source, settings: Mapping[str, object]) -> bool:
    """Whether an agent that is not the project's starts commands in the folder."""
    return source != "project" and started_in(cwd, "", settings) is not None


def _list_python(path: Path, content: bytes, source: Source, cwd: Path) -> tuple[list[AgentListing], list[Problem]]:
    agents, problems = python_file.parse(path, content)
    listings = [
        AgentListing(
            name=agent.name,
            description=agent.description,
            source=source,
            form="python",
            path=path,
            model=agent.text("model"),
            tools=None if errors(problems) else agent.tools,
            problems=tuple(problems),
            needs_trust=source == "project" or _starts(cwd, source, agent.settings),
            cwd=cwd,
            line=agent.line,
            class_name=agent.class_name,
            inputs=agent.inputs,
        )
        for agent in agents
    ]
    return listings, problems


def package_agents(cwd: Path) -> Iterator[AgentListing | Problem]:
    """One listing for each entry point, even if its source cannot be found."""
    try:
        points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    except Exception as error:  # an installed package's metadata may be broken in any way
        yield Problem(GROUP, None, f"The installed packages cannot be listed: {error}.", "Repair the environment.")
        return
    for point in points:
        yield _packaged(point, cwd)


def claude_code(cwd: Path) -> AgentListing:
    """The agent that goes on with sessions of Claude Code; it is asked for by its name, and offered nowhere."""
    path = paths.PACKAGE / "agent" / "claude_code.py"
    agent, problems = _read_package(path, "ClaudeCode")
    return AgentListing(
        name=CLAUDE_CODE,
        description=agent.description if agent else "",
        source="shipped",
        form="package",
        path=path,
        model=None,
        tools=agent.tools if agent else None,
        problems=tuple(problems),
        needs_trust=False,
        cwd=cwd,
        module="maverick_tui.agent.claude_code",
        class_name="ClaudeCode",
    )


def _packaged(point: EntryPoint, cwd: Path) -> AgentListing | Problem:
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
    missing = Problem(where, None, f"The module {module!r} cannot be found.", "Reinstall the package that provides it.")
    agent, problems = _read_package(path, class_name) if path else (None, [missing])
    return AgentListing(
        name=point.name,
        description=agent.description if agent else _summary(point),
        source="package",
        form="package",
        path=path,
        model=agent.text("model") if agent else None,
        tools=agent.tools if agent else None,
        problems=tuple(problems),
        needs_trust=agent is not None and _starts(cwd, "package", agent.settings),
        cwd=cwd,
        line=agent.line if agent else None,
        module=module,
        class_name=class_name,
        inputs=agent.inputs if agent else (),
    )


def _read_package(path: Path, class_name: str) -> tuple[PythonAgent | None, list[Problem]]:
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
