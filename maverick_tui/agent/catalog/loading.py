"""Turns a listing into an agent class, after the user has trusted what it would run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.agent.catalog import markdown, python_file
from maverick_tui.agent.catalog.files import read_file
from maverick_tui.agent.catalog.listing import AgentListing, files_to_trust
from maverick_tui.agent.catalog.markdown_agent import agent_class
from maverick_tui.agent.catalog.mcp_servers import McpLookup
from maverick_tui.agent.catalog.problems import Problem, errors
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.exceptions import ConfigError

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent


@dataclass(frozen=True, slots=True)
class Prepared:
    """An agent that was read: the exact bytes that must be trusted, and how to make the class of these bytes."""

    to_trust: tuple[tuple[Path, bytes], ...]
    make: Callable[[], type[MaverickAgent]]


def load(listing: AgentListing, trust_store: TrustStore) -> type[MaverickAgent]:
    """The agent's class; a `ConfigError` if its file is wrong or not trusted."""
    prepared = prepare(listing)
    for path, content in prepared.to_trust:
        if not trust_store.is_trusted(path, content):
            change = " has changed since it was trusted" if trust_store.is_known(path) else " is not trusted"
            whose = listing.stands_in_for
            instead = f" in the place of {whose.name!r} ({whose.source})" if whose and path == listing.path else ""
            raise NotTrustedError(
                f"The agent {listing.name!r} runs what {path} says{instead}, and that file{change}.",
                path=str(path),
                hint=f"Read the file, then run: maverick agents trust {listing.name}",
            )
    return prepared.make()


def prepare(listing: AgentListing) -> Prepared:
    """Read the agent's file once more; what is trusted and what is run are the same bytes."""
    _refuse_errors(listing.name, list(listing.problems))
    if listing.form == "package":
        return Prepared((), lambda: _import(listing))
    assert listing.path is not None  # only packages are without
    path, content = listing.path, read_file(listing.path)
    if isinstance(content, Problem):
        raise _error(listing.name, content)
    if listing.form == "python":
        trusted = ((path, content),) if listing.source == "project" else ()
        return Prepared(trusted, lambda: python_file.load_class(path, content, listing.class_name))
    file, problems = markdown.parse(path, content, McpLookup(listing.cwd))
    _refuse_errors(listing.name, problems)
    if file is None or file.name != listing.name:
        raise ConfigError(
            f"{path} does not hold the agent {listing.name!r} any more.", path=str(path), hint="Try again."
        )
    files = files_to_trust(file, content, listing.source, is_stand_in=listing.stands_in_for is not None)
    return Prepared(tuple(files), lambda: agent_class(file))


def _refuse_errors(name: str, problems: list[Problem]) -> None:
    if found := errors(problems):
        raise _error(name, *found)


def _error(name: str, *problems: Problem) -> ConfigError:
    """One error with every mistake and its line."""
    first = problems[0]
    told = [f"{one.path if one.line is None else f'{one.path}:{one.line}'}: {one.message}" for one in problems]
    return ConfigError(
        f"The agent {name!r} cannot be loaded. {' '.join(told)}", path=first.path, line=first.line, hint=first.hint
    )


def _import(listing: AgentListing) -> type[MaverickAgent]:
    import importlib

    path = listing.path or Path(listing.module)
    try:
        with python_file.quiet():
            found: object = importlib.import_module(listing.module)
        for part in listing.class_name.split("."):
            found = getattr(found, part, None)
    except (Exception, SystemExit) as error:
        raise python_file.failed_to_run(path, error) from error
    return python_file.check_class(found, listing.class_name, str(path))
