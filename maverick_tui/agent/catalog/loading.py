"""Turns a listing into an agent class, after the user has trusted what it would run."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from maverick_tui.agent.catalog import markdown, python_file
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.folders import read_file
from maverick_tui.agent.catalog.listing import AgentListing, files_to_trust, own_commands
from maverick_tui.agent.catalog.mcp_servers import McpJson, McpLookup, expand_server
from maverick_tui.agent.catalog.problems import Problem, errors
from maverick_tui.agent.catalog.python_classes import BASE
from maverick_tui.agent.catalog.python_file import text_of
from maverick_tui.agent.catalog.started_commands import not_trusted, settings_of, started_in
from maverick_tui.agent.catalog.started_elsewhere import note_found
from maverick_tui.agent.catalog.trust import NotTrustedError, TrustStore
from maverick_tui.exceptions import ConfigError

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.markdown import AgentFile
    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult


MODULE_PREFIX = "maverick_agent_file_"

PROMPT = "prompt"
"""The key of `context.extra` that holds what the agent is to do."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """An agent that was read: the exact bytes that must be trusted, and how to make the class of these bytes."""

    to_trust: tuple[tuple[Path, bytes], ...]
    make: Callable[[], type[MaverickAgent]]
    commands: Path | None = None
    """The one of them that is no file but stands for what the agent starts in the folder."""


def load_agent(name: str, cwd: Path | str = ".") -> type[MaverickAgent]:
    """The class of the agent that `maverick agents list` shows in that folder.

    Raises `AgentNotFoundError` for an unknown name, and `ConfigError` for a file that is wrong or not trusted.
    """
    return load(discover(Path(cwd).absolute()).get(name), TrustStore())


def load(listing: AgentListing, trust_store: TrustStore) -> type[MaverickAgent]:
    """The agent's class; a `ConfigError` if its file is wrong or not trusted."""
    prepared = prepare(listing)
    for path, content in prepared.to_trust:
        if not trust_store.is_trusted(path, content):
            raise _not_trusted(listing, path, is_command=path == prepared.commands, is_known=trust_store.is_known(path))
    return prepared.make()


def _not_trusted(listing: AgentListing, path: Path, *, is_command: bool, is_known: bool) -> NotTrustedError:
    if is_command:
        return not_trusted(listing.name, listing.cwd, is_known=is_known)
    whose = listing.stands_in_for
    instead = f" in the place of {whose.name!r} ({whose.source})" if whose and path == listing.path else ""
    change = " has changed since it was trusted" if is_known else " is not trusted"
    return NotTrustedError(
        f"The agent {listing.name!r} runs what {path} says{instead}, and that file{change}.",
        path=str(path),
        hint=f"Read the file, then run: maverick agents trust {listing.name}",
    )


def prepare(listing: AgentListing) -> Prepared:
    """Read the agent's file once more; what is trusted and what is run are the same bytes."""
    _refuse_errors(listing.name, list(listing.problems))
    if listing.form == "package":
        return _with_commands(Prepared((), lambda: _import(listing)), listing)
    assert listing.path is not None  # only packages are without
    path, content = listing.path, read_file(listing.path)
    if isinstance(content, Problem):
        raise _error(listing.name, content)
    if listing.form == "python":
        trusted = ((path, content),) if listing.source == "project" else ()
        prepared = Prepared(trusted, lambda: load_class(path, content, listing.class_name))
        names = {agent.class_name: agent.name for agent in python_file.parse(path, content)[0]}
        return _with_commands(prepared, listing, names=names)
    file, problems = markdown.parse(path, content, McpLookup(listing.cwd))
    _refuse_errors(listing.name, problems)
    if file is None or file.name != listing.name:
        raise ConfigError(f"{path} no longer holds the agent {listing.name!r}.", path=str(path), hint="Try again.")
    files = files_to_trust(file, content, listing.source, is_stand_in=listing.stands_in_for is not None)
    prepared = Prepared(tuple(files), lambda: agent_class(file))
    return _with_commands(prepared, listing, settings=own_commands(file), mcp_json=file.mcp_json)


def _with_commands(
    prepared: Prepared,
    listing: AgentListing,
    *,
    names: Mapping[str, str] = MappingProxyType({}),
    settings: Mapping[str, Any] | None = None,
    mcp_json: McpJson | None = None,
) -> Prepared:
    """The same with the commands that an agent starts, in this folder or in another: what one of the project starts
    there is trusted with its file.

    Only its class knows the `settings` of a Python agent. `names` are those of all agents of its file, by their
    classes: its code may ask them, too, and nobody need have loaded them.
    """
    project = listing.cwd if listing.source == "project" else None

    def make() -> type[MaverickAgent]:
        cls = prepared.make()
        for class_name, name in names.items():
            if isinstance(neighbour := getattr(sys.modules.get(cls.__module__), class_name, None), type):
                note_found(neighbour, name, project=project)
        note_found(cls, listing.name, settings, mcp_json, project)
        return cls

    if project is not None:
        return replace(prepared, make=make)
    if settings is None:
        with quiet():
            settings = settings_of(make(), listing.name)
    commands = started_in(listing.cwd, listing.name, settings)
    if commands is None:
        return replace(prepared, make=make)
    return replace(prepared, make=make, to_trust=(*prepared.to_trust, commands), commands=commands[0])


def _refuse_errors(name: str, problems: list[Problem]) -> None:
    if found := errors(problems):
        raise _error(name, *found)


def _error(name: str, *problems: Problem) -> ConfigError:
    """One error with every mistake and its line; of several, each has its own hint behind it."""
    first, is_one = problems[0], len(problems) == 1
    told = [
        f"{one.path if one.line is None else f'{one.path}:{one.line}'}: {one.message}"
        + (f" {one.hint}" if one.hint and not is_one else "")
        for one in problems
    ]
    hint = first.hint if is_one else "Correct them, then run: maverick agents check"
    return ConfigError(
        f"The agent {name!r} cannot be loaded. {' '.join(told)}", path=first.path, line=first.line, hint=hint
    )


def load_class(path: Path, source: bytes, class_name: str) -> type[MaverickAgent]:
    """Run exactly these bytes as a module, once, and return the class; the file itself is not read again."""
    name = MODULE_PREFIX + hashlib.sha256(b"%s\0%s" % (str(path).encode(errors="surrogateescape"), source)).hexdigest()
    module = sys.modules.get(name) or _run(name, path, source)
    return check_class(getattr(module, class_name, None), class_name, str(path))


def check_class(found: object, class_name: str, path: str) -> type[MaverickAgent]:
    """The class, known to be that of a concrete agent."""
    from maverick_tui.agent.base import MaverickAgent

    if not (isinstance(found, type) and issubclass(found, MaverickAgent)):
        reason = f"it has no class {class_name}" if found is None else f"{class_name} is not a {BASE}"
        raise ConfigError(f"{path} cannot be loaded: {reason}.", path=path, hint=f"Derive the class from {BASE}.")
    if missing := sorted(getattr(found, "__abstractmethods__", ())):
        raise ConfigError(
            f"{path} cannot be loaded: {class_name} does not define {', '.join(missing)}.",
            path=path,
            hint=f"Define {missing[0]}() in {class_name}.",
        )
    return found


def _run(name: str, path: Path, source: bytes) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = str(path)
    # Dataclasses, pickle and typing look a class's module up here.
    sys.modules[name] = module
    try:
        with quiet():
            exec(compile(text_of(source), str(path), "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        sys.modules.pop(name, None)
        if isinstance(error, (Exception, SystemExit)):
            raise failed_to_run(path, error) from error
        raise
    return module


def quiet() -> AbstractContextManager[object]:
    """What an author's code prints goes to standard error, since standard output may be JSON."""
    return redirect_stdout(sys.stderr)


def failed_to_run(path: Path, error: BaseException) -> ConfigError:
    """What to tell the author of a file that raised an error while it was run."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    line = next((frame.lineno for frame in frames if frame.filename == str(path)), None)
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line = error.lineno
    where = f"{path}:{line}" if line else str(path)
    reason = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1].rstrip(".")
    return ConfigError(
        f"{where} cannot be loaded: {reason}.",
        path=str(path),
        line=line,
        hint="Correct the file; `python` with its path shows the whole traceback.",
    )


def _import(listing: AgentListing) -> type[MaverickAgent]:
    path = listing.path or Path(listing.module)
    try:
        with quiet():
            found: object = importlib.import_module(listing.module)
        for part in listing.class_name.split("."):
            found = getattr(found, part, None)
    except (Exception, SystemExit) as error:
        raise failed_to_run(path, error) from error
    return check_class(found, listing.class_name, str(path))


def agent_class(file: AgentFile, environ: Mapping[str, str] = os.environ) -> type[MaverickAgent]:
    """A class with the file's settings; a variable that its MCP servers need and that is not set is an error."""
    from maverick_tui.agent.base import MaverickAgent

    # The CLI replaces the variables itself: their values must not be on a command line, which everybody can read.
    for name, server in file.mcp_servers.items():
        expand_server(name, server, environ, path=file.mcp_json.path if file.mcp_json else file.path)

    class MarkdownAgent(MaverickAgent):
        """An agent that sends the prompt, and does nothing else."""

        async def execute(self, context: AgentContext) -> AgentResult:
            """Run `context.extra["prompt"]`, or else the file's initial prompt."""
            prompt = context.extra.get(PROMPT) or self.initial_prompt
            return await self.run(prompt, context) if prompt else _no_prompt(self.name)

    for attribute, value in file.settings.items():
        setattr(MarkdownAgent, attribute, value)
    MarkdownAgent.__doc__ = file.description
    MarkdownAgent.__name__ = MarkdownAgent.__qualname__ = "".join(part.title() for part in file.name.split("-"))
    return MarkdownAgent


def _no_prompt(name: str) -> AgentResult:
    from maverick_tui.agent.result import AgentResult, AgentUsage
    from maverick_tui.exceptions import AgentError

    error = AgentError(
        f"The agent {name!r} was given nothing to do.",
        kind="invalid",
        hint='Put the task in context.extra["prompt"], or set initialPrompt in the agent\'s file.',
    )
    return AgentResult.failure_result([error], AgentUsage(0, 0, None, 0), {"agent": name})
