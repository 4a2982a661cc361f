"""Starts a race from the palette: asks which, for what and by which test, and what each agent asks before it runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import ConfigError

if TYPE_CHECKING:
    from textual.app import App

    from maverick_tui.ui.launch import RunSetup


async def ask_and_race(app: App[Any], setup: RunSetup) -> None:
    """Ask, and show the race. It must be awaited in a worker. ConfigError if there can be none."""
    from maverick_tui.host.orders import Order
    from maverick_tui.ui.dialogs.before_run import Ready, ask_before_run, find_agent
    from maverick_tui.ui.dialogs.left_forms import left_forms
    from maverick_tui.ui.race.form import LEFT, RaceForm

    if not setup.config.keep_runs:
        raise ConfigError("A race is read from what is kept of its runs, and the settings keep none.")
    known = await asyncio.to_thread(_prepare, setup.cwd)
    wish = await app.push_screen_wait(RaceForm(known))
    if wish is None:
        return
    inputs: dict[str, dict[str, Any]] = {}
    for name in wish.agents:
        asked = await ask_before_run(app, await asyncio.to_thread(find_agent, name, setup.cwd), worktree=True)
        if not isinstance(asked, Ready):
            raise ConfigError(asked.reason or f"The inputs of {name} were not filled in.", hint="Nothing was run.")
        inputs[name] = dict(asked.inputs)
    from maverick_tui.host.racing import Race, entrants_of
    from maverick_tui.ui.race.screen import RaceScreen

    order = Order(
        "",
        "",
        str(setup.cwd),
        wish.prompt,
        script=str(setup.script) if setup.script is not None else None,
        shared=str(setup.shared or ""),
        is_demo=setup.is_demo,
    )
    race = Race(entrants_of(wish.agents, wish.models), wish.test)
    left_forms(app).pop(LEFT, None)
    _ = app.push_screen(RaceScreen(race, order, inputs, has_test=bool(wish.test)))


def _prepare(folder: Path) -> list[str]:
    """The names of the agents that there are. ConfigError if there can be no worktrees here."""
    from maverick_tui.agent.catalog.discovery import discover
    from maverick_tui.worktrees.making import base_of

    base_of(folder)
    return [listing.name for listing in discover(folder).agents]
