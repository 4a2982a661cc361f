"""Makes runs of agents for the application: what each is made of, and what the person is asked before."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from maverick_tui.journal.folders import journal_of
from maverick_tui.runs.loading import RunPlan
from maverick_tui.runs.local import LocalRun
from maverick_tui.ui.launch import RunSetup, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.events.kinds import TurnStarted
    from maverick_tui.history.going_on import GoingOn
    from maverick_tui.runs.board import RunModel


class SetupFor(Protocol):
    """The setup of all runs, opened once more if it has failed and a run tries again."""

    def __call__(self, *, is_again: bool) -> asyncio.Future[RunSetup]:
        """The setup, perhaps to come."""
        ...


def make_run(
    app: App[Any],
    run: RunModel,
    agent: AgentListing | str,
    inputs: Mapping[str, object],
    setup_for: SetupFor,
    goes_on: GoingOn | None = None,
) -> LocalRun:
    """A run of this agent, which waits for its setup, and asks what there is to ask, by itself.

    One that goes on does so where it has worked, and with the person's own settings: no script knows it, but for a fork
    of what a script plays right now.
    """
    tries = count()

    async def prepare() -> RunPlan:
        if goes_on is None or _is_of_script(goes_on):
            ready = await asyncio.shield(setup_for(is_again=next(tries) > 0))
        else:
            ready = RunSetup(goes_on.folder, await asyncio.to_thread(load_settings))
        if ready.config.keep_runs:
            local.keep(journal_of(run.run_id), goes_on.size if goes_on is not None else None)
        listing, given = agent, dict(inputs)
        if isinstance(listing, str):
            listing, given = await _ask_first(app, listing, ready.cwd)
        found = listing
        return RunPlan(
            lambda: _make(found, given, ready),
            ready.cwd,
            ready.config,
            given,
            ready.prompts,
            lambda turn, draft: off_script(ready, draft, turn),
        )

    local = LocalRun(prepare, run_id=run.run_id, name=run.agent, past=goes_on.past if goes_on is not None else None)
    return local


def _is_of_script(goes_on: GoingOn) -> bool:
    """Whether it is a fork of a run that the script of this very application plays."""
    loaded = goes_on.past.loaded
    return goes_on.past.is_fork and loaded is not None and loaded.is_offline


def off_script(setup: RunSetup, expected: str, turn: TurnStarted) -> str:
    """What to say where something else was typed than what the demo has an answer to; the tasks are really kept."""
    if expected not in setup.prompts.values() or expected == setup.prompts.get("tasks") or turn.origin != "person":
        return ""
    from maverick_tui.offline.demo.tour import GOES_ON

    if turn.text.strip() == expected or GOES_ON in turn.text:
        return ""
    return f"The demo's answers are written in advance. This is the one to: {expected}"


async def _ask_first(app: App[Any], name: str, cwd: Path) -> tuple[AgentListing, dict[str, object]]:
    """Find an agent that is only named, and ask what the picker would have asked."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.ui.dialogs.before_run import Refused, ask_before_run

    listing = await asyncio.to_thread(find_agent, name, cwd)
    asked = await ask_before_run(app, listing)
    if isinstance(asked, Refused):
        reason = asked.reason or "Its inputs were not filled in: nothing was run."
        raise ConfigError(reason, hint="Start again, or choose another agent.")
    return listing, dict(asked.inputs)


def find_agent(name: str, cwd: Path) -> AgentListing:
    """The agent of that name; in a thread, since folders are read."""
    from maverick_tui.agent.catalog.discovery import discover

    return discover(cwd).get(name)


def _make(listing: AgentListing, inputs: Mapping[str, object], setup: RunSetup) -> MaverickAgent:
    """The agent; in a thread, since files are read and code may be imported."""
    from maverick_tui.agent.catalog.loading import load
    from maverick_tui.agent.catalog.trust import TrustStore

    return load(listing, TrustStore())(config=setup.config).with_inputs(inputs)
