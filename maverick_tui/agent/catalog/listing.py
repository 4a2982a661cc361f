"""AgentListing: what is known about an agent without running anything of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from maverick_tui.agent.catalog import markdown, python_file
from maverick_tui.agent.catalog.mcp_servers import McpLookup
from maverick_tui.agent.catalog.problems import Problem, errors
from maverick_tui.agent.catalog.yaml_nodes import Json
from maverick_tui.inert import one_line
from maverick_tui.inputs import InputSpec

Source = Literal["project", "user", "package", "shipped"]
Form = Literal["python", "markdown", "package"]

_WHOSE = {"project": "the project's", "user": "your own", "package": "a package's", "shipped": "the shipped"}
SUFFIXES = (".md", ".py")


class Original(NamedTuple):
    """An agent from elsewhere whose name another one has, or one that looks like it."""

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
        """Whether people take it for the other rather than for whom it is known to stand in: a very name goes first."""
        if self.source == other.source:
            return False
        known = self.stands_in_for
        return known is None or (other.name == self.name != known.name)

    def instead_of(self, other: AgentListing) -> AgentListing:
        """The same, known to take the place of the other."""
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
        needs_trust=bool(files_to_trust(file, content, source)),
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
            tools=None if errors(problems) else agent.allowed_tools,
            problems=tuple(problems),
            needs_trust=source == "project",
            cwd=cwd,
            line=agent.line,
            class_name=agent.class_name,
            inputs=agent.inputs,
        )
        for agent in agents
    ]
    return listings, problems
