"""Brings an agent and a run together: finds the agent, loads it, and serves the run to its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.runs import events

if TYPE_CHECKING:
    from textual.app import App

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.runs.events import Event, TurnStarted
    from maverick_tui.ui.board import RunModel
    from maverick_tui.ui.launch import RunSetup


async def serve_run(
    run: RunModel,
    agent: AgentListing | str,
    inputs: dict[str, object],
    setup: asyncio.Future[RunSetup],
    *,
    on_event: Callable[[Event], None],
    on_draft: Callable[[str], None],
    prompt: str | None,
) -> None:
    """Serve one run until it is closed. What goes wrong before it is there becomes an event, too."""
    try:
        ready = await asyncio.shield(setup)
    except Exception as error:  # there is nothing to run it on: settings are wrong, or the scripted model is not there
        refuse(run, error, on_event)
        return
    await asyncio.to_thread(_import_runs)
    from maverick_tui.runs.local import LocalRun

    drafts: list[str] = []

    def make() -> MaverickAgent:
        made = _make(agent, inputs, ready)
        drafts.append(ready.prompts.get(made.name) or made.initial_prompt)
        return made

    def tell(event: Event) -> None:
        on_event(event)
        if event.type == "run_started" and prompt is None and drafts and drafts[-1]:
            on_draft(drafts[-1])
        elif isinstance(event, events.TurnStarted) and drafts and (note := off_script(ready, drafts[-1], event)):
            on_event(events.Noticed(event.at, "demo", note))

    local = LocalRun(
        make, run_id=run.run_id, cwd=ready.cwd, on_event=tell, name=run.agent, config=ready.config, extra=inputs
    )
    run.connect(local)
    if prompt is not None:
        run.ask(prompt)
    await local.serve()


def off_script(setup: RunSetup, expected: str, turn: TurnStarted) -> str:
    """What to say where something else was typed than what the demo has an answer to; the tasks are really kept."""
    if expected not in setup.prompts.values() or expected == setup.prompts.get("tasks") or turn.origin != "person":
        return ""
    from maverick_tui.offline.demo.tour import GOES_ON

    if turn.text.strip() == expected or GOES_ON in turn.text:
        return ""
    return f"The demo's answers are written in advance. This is the one to: {expected}"


async def ask_first(
    app: App[Any],
    run: RunModel,
    agent: AgentListing | str,
    inputs: dict[str, object],
    setup: asyncio.Future[RunSetup],
    on_event: Callable[[Event], None],
) -> tuple[AgentListing | str, dict[str, object]] | None:
    """Find an agent that is only named, and ask what the picker would have asked; None if it may not run."""
    if not isinstance(agent, str):
        return agent, inputs
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.ui.dialogs.before_run import Refused, ask_before_run

    try:
        listing = await asyncio.to_thread(find_agent, agent, (await asyncio.shield(setup)).cwd)
    except Exception:
        return agent, {}  # the run meets the same error, and tells it
    asked = await ask_before_run(app, listing)
    if isinstance(asked, Refused):
        reason = asked.reason or "Its inputs were not filled in: nothing was run."
        refuse(run, ConfigError(reason, hint="Start again, or choose another agent."), on_event)
        return None
    return listing, dict(asked.inputs)


def refuse(run: RunModel, error: Exception, on_event: Callable[[Event], None]) -> None:
    """Tell that a run cannot even begin."""
    from maverick_tui.runs.failures import failure_of

    now = time.time()
    on_event(events.RunStarted(now, run.run_id, run.agent, ""))
    on_event(events.ConnectFailed(now, failure_of(error)))


def find_agent(name: str, cwd: Path) -> AgentListing:
    """The agent of that name; in a thread, since folders are read."""
    from maverick_tui.agent.catalog.discovery import discover

    return discover(cwd).get(name)


def _import_runs() -> None:
    import maverick_tui.runs.local  # noqa: F401


def _make(agent: AgentListing | str, inputs: dict[str, object], setup: RunSetup) -> MaverickAgent:
    """The agent; in a thread, since files are read and code may be imported."""
    from maverick_tui.agent.catalog.loading import load
    from maverick_tui.agent.catalog.trust import TrustStore

    listing = find_agent(agent, setup.cwd) if isinstance(agent, str) else agent
    return load(listing, TrustStore())(config=setup.config).with_inputs(inputs)
