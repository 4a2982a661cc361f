"""What is asked between choosing an agent and running it: trust, then its inputs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.inert import one_line

if TYPE_CHECKING:
    from textual.app import App

    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.agent.xray import XRay
    from maverick_tui.inputs import InputSpec, Value
    from maverick_tui.ui.dialogs.trust import TrustQuestion


@dataclass(frozen=True, slots=True)
class Ready:
    """The agent may run, with these values for its inputs."""

    inputs: dict[str, Value | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """It may not, or somebody has thought better of it; `reason` is one line, empty if there is nothing to say."""

    reason: str = ""
    is_error: bool = False


async def ask_before_run(app: App[Any], listing: AgentListing, *, worktree: bool = False) -> Ready | Refused:
    """Ask what has to be asked, also for a run in a worktree. It waits for dialogs, so it is awaited in a worker."""
    from maverick_tui.exceptions import ConfigError

    try:
        question = await asyncio.to_thread(trust_question, listing)
        if question is not None and not await _is_trusted_now(app, question):
            return Refused(f"{one_line(listing.name)} is not trusted: nothing was run.")
        needs = await asyncio.to_thread(needs_question, listing) if worktree else None
        if needs is not None and not await _is_trusted_now(app, needs):
            return Refused("What worktrees of this project need is not trusted: nothing was run.")
        specs = await asyncio.to_thread(declared_inputs, listing)
    except ConfigError as error:
        return Refused(one_line(f"{error.message} {error.hint}"), is_error=True)
    except Exception as error:  # reading the file or running it may fail in any way, and must be told
        return Refused(one_line(f"{listing.name} cannot run: {type(error).__name__}: {error}"), is_error=True)
    if not specs:
        return Ready()
    from maverick_tui.ui.dialogs.inputs import InputsForm

    values = await app.push_screen_wait(InputsForm(listing.name, specs))
    return Refused() if values is None else Ready(values)


async def find_and_ask(
    app: App[Any], name: str, cwd: Path, *, worktree: bool = False
) -> tuple[AgentListing, dict[str, object]]:
    """Find an agent that is only named, and ask what the picker would have asked. ConfigError if nothing may run."""
    from maverick_tui.exceptions import ConfigError, NotStartedError

    listing = await asyncio.to_thread(find_agent, name, cwd)
    asked = await ask_before_run(app, listing, worktree=worktree)
    if isinstance(asked, Refused):
        reason = asked.reason or "Its inputs were not filled in: nothing was run."
        failed = ConfigError if asked.is_error else NotStartedError
        raise failed(reason, hint="Start again, or choose another agent.")
    return listing, dict(asked.inputs)


def find_agent(name: str, cwd: Path) -> AgentListing:
    """The agent of that name; in a thread, since folders are read."""
    from maverick_tui.agent.catalog.discovery import discover

    return discover(cwd).get(name)


async def _is_trusted_now(app: App[Any], question: TrustQuestion) -> bool:
    from maverick_tui.ui.dialogs.trust import TrustScreen

    if not await app.push_screen_wait(TrustScreen(question)):
        return False
    await asyncio.to_thread(_trust, question)
    return True


def _trust(question: TrustQuestion) -> None:
    """Trust exactly the bytes that were shown."""
    from maverick_tui.agent.catalog.trust import TrustStore

    store = TrustStore()
    for file in question.files:
        store.trust(file.path, file.content)


def trust_question(listing: AgentListing) -> TrustQuestion | None:
    """What has to be read before the agent may run; None if it is trusted. Raises `ConfigError` if it cannot run."""
    from maverick_tui.agent.catalog.loading import prepare
    from maverick_tui.agent.catalog.trust import TrustStore

    store = TrustStore()
    prepared = prepare(listing)
    files = [file for file in prepared.to_trust if not store.is_trusted(*file)]
    if not files:
        return None
    from maverick_tui.agent.xray import xray
    from maverick_tui.ui.dialogs.trust import BY_PROJECT, COMMANDS, OF_PROJECT, ShownFile, TrustQuestion
    from maverick_tui.ui.launch import load_settings

    view = xray(listing, store, may_load=False, config=load_settings())
    shown = tuple(
        ShownFile(path, content, store.is_known(path), "COMMANDS" if path == prepared.commands else "")
        for path, content in files
    )
    if all(path == prepared.commands for path, _ in files):
        return TrustQuestion(listing.name, (), shown, COMMANDS)
    what = OF_PROJECT if listing.source == "project" else BY_PROJECT
    return TrustQuestion(listing.name, tuple(_would_run(listing, view)), shown, what)


def needs_question(listing: AgentListing) -> TrustQuestion | None:
    """What has to be read before a worktree of the project is made; None if it is trusted, or there is nothing."""
    from maverick_tui.agent.catalog.trust import TrustStore
    from maverick_tui.ui.dialogs.trust import BY_PROJECT, ShownFile, TrustQuestion
    from maverick_tui.worktrees.needs import needs_of

    needs, store = needs_of(listing.cwd), TrustStore()
    if needs is None or store.is_trusted(needs.path, needs.content):
        return None
    shown = ShownFile(needs.path, needs.content, store.is_known(needs.path))
    return TrustQuestion(
        listing.name, tuple(f"in each new worktree it {one}" for one in needs.words), (shown,), BY_PROJECT
    )


def declared_inputs(listing: AgentListing) -> tuple[InputSpec, ...]:
    """The inputs of an agent that may run; where only running its file tells them, it is run."""
    from maverick_tui.agent import xray
    from maverick_tui.agent.catalog.trust import TrustStore

    return xray.declared_inputs(listing, TrustStore())


def _would_run(listing: AgentListing, view: XRay) -> Iterator[str]:
    from maverick_tui.agent.xray_rows import hooks, servers

    if words := listing.beware:
        tools = ", ".join(view.may or ()) if view.names_tools else "all tools"
        yield f"the prompt below: it {words}, with {tools or 'no tools'}"
    if listing.form == "python" and listing.source == "project":
        yield "the Python code below, as soon as the agent is loaded"
    yield from (f"hook {hook}" for hook in hooks(view))
    yield from (f"MCP server {name}: {server}" for name, server in servers(view))
