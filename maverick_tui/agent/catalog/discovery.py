"""Finds every agent that a folder has: the project's, the user's, those of packages and those we ship."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from maverick_tui import paths
from maverick_tui.agent.catalog.folders import Identity, is_missing, read_agent_files, read_file
from maverick_tui.agent.catalog.listing import (
    SUFFIXES,
    AgentListing,
    Source,
    claude_code,
    list_file,
    package_agents,
)
from maverick_tui.agent.catalog.mcp_servers import McpLookup
from maverick_tui.agent.catalog.problems import Problem, errors
from maverick_tui.agent.fields import CLAUDE_CODE
from maverick_tui.exceptions import AgentNotFoundError

# After folding: a Cyrillic or Greek letter, or a digit, that looks like a Latin letter.
_TWINS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u051b\u051d\u0475\u0461\u0433\u043a\u043c\u0442\u043d"
    "\u03bf\u03bd\u03b9\u03b1\u03c1\u03c4\u03c5\u03c7\u03ba\u03c9\u0251\u0261\u0131i10_.",
    "aeopcyxljsdhqwvwrkmthovlaptuxkwaglllo--",
)


class Place(NamedTuple):
    """A folder that may hold agents, who they belong to, and the forms that are looked for."""

    folder: Path
    source: Source
    suffixes: tuple[str, ...] = SUFFIXES
    within: Path | None = None
    """What links in it may not lead out of: the project, for a clone brings its links along."""


@dataclass(slots=True)
class Catalog:
    """The agents that were found. Of one name the nearest counts, the others are shadowed."""

    agents: list[AgentListing] = field(default_factory=list)
    shadowed: list[AgentListing] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """All that is wrong, with listed agents and with files that hold none."""
    checked: int = 0
    """How many files and entry points were looked at; of those that we ship only the ones with problems count."""
    cwd: Path = Path()
    """The folder that they were looked for in."""

    def get(self, name: str) -> AgentListing:
        """The agent of that name."""
        for agent in self.agents:
            if agent.name == name:
                return agent
        if name == CLAUDE_CODE:
            return claude_code(self.cwd)
        error = AgentNotFoundError(name, (agent.name for agent in self.agents))
        error.hint = " ".join([*self._agents_in_files_named(name), error.hint, *self._not_read()])
        raise error

    def _agents_in_files_named(self, stem: str) -> Iterator[str]:
        by_path: dict[Path, list[str]] = {}
        for agent in [*self.agents, *self.shadowed]:
            if agent.path is not None and agent.path.stem == stem:
                by_path.setdefault(agent.path, []).append(repr(agent.name))
        yield from (f"{path} defines {' and '.join(names)}." for path, names in by_path.items())

    def _not_read(self) -> Iterator[str]:
        """What might define it, but is too broken for a listing."""
        listed = {_where(agent) for agent in [*self.agents, *self.shadowed]}
        lost = {problem.path for problem in errors(self.problems)} - listed
        if lost:
            first, *more = sorted(lost)
            rest = f" and {len(more)} more" if more else ""
            yield f"Not everything could be listed: {first}{rest}. Run: maverick agents check"

    def _add(self, found: Iterable[AgentListing]) -> None:
        """Add the agents of one place, which come after those of nearer places."""
        nearer = {agent.name for agent in self.agents}
        looks: dict[str, list[int]] = {}
        for index, near in enumerate(self.agents):
            looks.setdefault(look(near.name), []).append(index)
        here: dict[str, AgentListing] = {}
        for agent in found:
            if first := here.get(agent.name):
                message = f"Has the name {agent.name!r}, which is defined already in {_where(first)}."
                self.problems.append(Problem(_where(agent), agent.line, message, "Give one of them another name."))
                continue
            here[agent.name] = agent
            for index in looks.get(look(agent.name), ()):  # all of them: one alone could be there to hide the others
                if (near := self.agents[index]).seems_to_be(agent):
                    self.agents[index] = near.instead_of(agent)
            (self.shadowed if agent.name in nearer else self.agents).append(agent)


def look(name: str) -> str:
    """A form that is the same for names that look alike: case, accents and twin letters do not count."""
    folded = "".join(part for part in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(part))
    return folded.translate(_TWINS).replace("rn", "m").replace("vv", "w")


def _where(agent: AgentListing) -> str:
    return str(agent.path) if agent.path else f"{agent.module}:{agent.class_name}"


def discover(cwd: Path) -> Catalog:
    """List what there is for this folder; no file is imported, and a broken one hides no other."""
    catalog, lookup = Catalog(cwd=cwd), McpLookup(cwd)
    # One set for each owner: whatever a project links to, the same file is still read where it is the user's or ours.
    seen: dict[Source, set[Identity]] = {"project": set(), "user": set(), "shipped": set()}
    for place in places(cwd):
        catalog._add(list(_list_place(place, lookup, seen[place.source], catalog)))
    packaged: list[AgentListing] = []
    for found in package_agents(cwd):
        catalog.checked += 1
        if isinstance(found, Problem):
            catalog.problems.append(found)
        else:
            catalog.problems.extend(found.problems)
            packaged.append(found)
    catalog._add(packaged)
    catalog._add(list(_list_place(Place(paths.shipped("agents"), "shipped"), lookup, seen["shipped"], catalog)))
    return catalog


def places(cwd: Path) -> list[Place]:
    """The folders that are looked into for this one, nearest first; what we ship comes after them."""
    return [*_project_places(cwd), *_user_places()]


def _project_places(folder: Path) -> Iterator[Place]:
    folders = paths.project_folders(folder)
    top = folders[-1] if folders else None
    yield from (Place(folder / ".maverick" / "agents", "project", within=top) for folder in folders)
    yield from (Place(folder / ".claude" / "agents", "project", (".md",), top) for folder in folders)


def _user_places() -> Iterator[Place]:
    yield Place(paths.user_config() / "agents", "user")
    yield Place(paths.claude_config() / "agents", "user", (".md",))


def _list_place(place: Place, lookup: McpLookup, seen: set[Identity], catalog: Catalog) -> Iterator[AgentListing]:
    """The agents of one folder; what is wrong goes to the catalog."""
    for found in read_agent_files(place.folder, place.suffixes, seen, place.within):
        if isinstance(found, Problem):
            if found not in catalog.problems:  # a folder that cannot be entered may hide several places
                catalog.checked += 1
                catalog.problems.append(found)
            continue
        listings, problems = list_file(found.path, found.content, place.source, lookup)
        catalog.checked += bool(place.source != "shipped" or problems)
        catalog.problems.extend(problems)
        yield from listings


def _project_of(path: Path) -> Path:
    """The folder whose `.maverick` or `.claude` the path is in, else its own."""
    for folder in (path, *path.parents):
        if folder.name == "agents" and folder.parent.name in (".maverick", ".claude"):
            return folder.parent.parent
    return path if os.path.isdir(path) else path.parent  # noqa: PTH112


def lint(path: Path) -> Catalog:
    """Check one agent file, a folder of them, or the agents of a project's folder."""
    path = path.absolute()
    catalog, lookup, seen = Catalog(), McpLookup(_project_of(path)), set[Identity]()
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir() raises if it may not look
        below = [place for place in _project_places(path) if place.folder.is_relative_to(path.resolve())]
        places = [place for place in below if not is_missing(place.folder)] or [Place(path, "project")]
        for place in places:
            catalog._add(list(_list_place(place, lookup, seen, catalog)))
        return catalog
    catalog.checked = 1
    content = read_file(path)
    if isinstance(content, Problem):
        catalog.problems.append(content)
    elif path.suffix not in SUFFIXES:
        message = f"Is not an agent file: its name ends in {path.suffix or 'nothing'}."
        catalog.problems.append(Problem(str(path), None, message, f"Agent files end in {' or '.join(SUFFIXES)}."))
    else:
        listings, problems = list_file(path, content, "project", lookup)
        catalog.problems.extend(problems)
        catalog._add(listings)
    return catalog
