"""Makes runs that live in the application, where there is no host for them: what each is made of."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol

from maverick_tui.config import MaverickConfig
from maverick_tui.history.day_use import DayLedger
from maverick_tui.journal.folders import journal_of
from maverick_tui.offline.settings import settings_again
from maverick_tui.plain_settings import plain
from maverick_tui.runs.loading import RunPlan
from maverick_tui.runs.local import LocalRun
from maverick_tui.runs.placing import Wish
from maverick_tui.ui.dialogs.before_run import find_and_ask
from maverick_tui.ui.launch import RunSetup, settings_here

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.history.going_on import GoingOn
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.before_host import BeforeHost


class SetupFor(Protocol):
    """The setup of all runs, opened once more if it has failed and a run tries again."""

    def __call__(self, *, is_again: bool) -> asyncio.Future[RunSetup]:
        """The setup, perhaps to come."""
        ...


async def serve_here(run: RunModel, local: LocalRun, since: int) -> None:
    """Be the run, which is shown from that event on."""
    run.connect(local)
    following = asyncio.create_task(run.follow(local.events, since), name=f"maverick-follow-{run.run_id}")
    try:
        await local.serve()
    finally:
        await following  # the log ends with the run, however that ends


def make_run(
    app: App[Any],
    run: RunModel,
    agent: AgentListing | str,
    inputs: Mapping[str, object],
    setup_for: SetupFor,
    stack: AsyncExitStack,
    goes_on: GoingOn | None = None,
    before_host: BeforeHost | None = None,
) -> LocalRun:
    """A run of this agent, which waits for its setup, and asks what there is to ask, by itself.

    What it needs besides ends with the `stack`. One that has failed `before_host` tries for a host with each further
    try. One that goes on does so where it has worked, and with the person's own settings: no script knows it, but for
    a fork of what a script plays right now.
    """
    tries = count()
    settings: list[MaverickConfig] = []

    def keep(config: MaverickConfig) -> None:
        if config.keep_runs:
            local.keep(journal_of(run.run_id), goes_on.size if goes_on is not None else None)
        else:
            local.events.is_kept = False

    async def prepare() -> RunPlan:
        is_again = next(tries) > 0
        if before_host is not None and not is_again:
            raise before_host.failure
        if goes_on is None or goes_on.is_of_script:
            ready = await asyncio.shield(setup_for(is_again=is_again))
            if not settings:
                settings.append(await stack.enter_async_context(settings_here(ready)))
            elif is_again:
                settings[0] = await asyncio.to_thread(settings_again, settings[0], ready.script, is_demo=ready.is_demo)
            config = settings[0]
        else:
            config = await asyncio.to_thread(MaverickConfig.load)
            ready = RunSetup(goes_on.folder, plain(config))
        may_have_host = before_host is not None and config.hosted_runs
        if not may_have_host:
            keep(config)
        listing, given = agent, dict(inputs)
        if isinstance(listing, str):
            listing, given = await find_and_ask(app, listing, ready.cwd, worktree=run.wants_worktree)
        if before_host is not None and may_have_host:
            await before_host.give_host(listing.name, given, ready)
            keep(config)
        found = listing
        had_one = goes_on is not None and goes_on.had_worktree
        is_new = goes_on is None or goes_on.past.is_fork
        wish = Wish(run.run_id, run.wants_worktree or had_one, is_new=is_new, had_one=had_one)
        plan = RunPlan(lambda: _make(found, given, config), ready.cwd, config, given, wish=wish)
        if not ready.is_demo:
            return plan
        from maverick_tui.offline.demo.tour import off_script, prompts

        return replace(plan, drafts=prompts(), remark=off_script)

    local = LocalRun(prepare, run_id=run.run_id, name=run.agent, past=goes_on.past if goes_on is not None else None)
    local.fuses.given, local.fuses.ledger = run.fuse, DayLedger(run.run_id)
    return local


def _make(listing: AgentListing, inputs: Mapping[str, object], config: MaverickConfig) -> MaverickAgent:
    """The agent; in a thread, since files are read and code may be imported."""
    from maverick_tui.agent.catalog.loading import load
    from maverick_tui.agent.catalog.trust import TrustStore

    return load(listing, TrustStore())(config=config).with_inputs(inputs)
