"""`maverick run --detach`: the run has a process of its own, which goes on when this one has left."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace

from maverick_tui.agent.catalog.loading import load_agent
from maverick_tui.cli.headless import Wanted, check_place, made_for, prompt_for
from maverick_tui.cli.launching import piped
from maverick_tui.cli.place import tell_of_place
from maverick_tui.exceptions import ConfigError
from maverick_tui.host.orders import Order
from maverick_tui.host.starting import start_host
from maverick_tui.offline.settings import settings_for


def run_detached(wanted: Wanted) -> str:
    """Start the run, once all that can be wrong with it has been looked at; its id."""
    tell_of_place(wanted.cwd)
    order = asyncio.run(_order(wanted))
    start_host(order)
    return order.run_id


async def _order(wanted: Wanted) -> Order:
    """What the host is told. Errors are those of a run in this process: a host has nobody to tell them."""
    agent = load_agent(wanted.agent, wanted.cwd)
    check_place(wanted, agent)
    if wanted.prompt is None:
        wanted = replace(wanted, prompt=piped())
    async with settings_for(wanted.script) as config:
        if not config.keep_runs:
            raise ConfigError(
                "A run with a process of its own is read from what is kept of it, and the settings keep no runs.",
                hint="Set MAVERICK_KEEP_RUNS=true for this one, or leave out --detach.",
            )
        prompt = prompt_for(wanted, made_for(wanted, agent, config))
    return Order(
        uuid.uuid4().hex[:12] if wanted.goes_on is None else wanted.goes_on.run_id,
        wanted.agent,
        str(wanted.cwd),
        prompt,
        dict(wanted.inputs),
        wanted.allowed,
        wanted.limits.turns,
        wanted.limits.cost_usd,
        wanted.limits.seconds,
        waits_for_limit=wanted.waits_for_limit or None,
        fuse=dict(wanted.fuse),
        script=str(wanted.script.absolute()) if wanted.script is not None else None,
        resumes=wanted.goes_on is not None,
        takes=wanted.goes_on.past.model if wanted.goes_on is not None else "",
        worktree=wanted.worktree,
        brings_changes=wanted.brings_changes,
    )
