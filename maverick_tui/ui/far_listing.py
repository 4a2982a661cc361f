"""FarListing: the runs of the machines that the settings name, in the picker, for as long as it is shown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from maverick_tui.inert import one_line
from maverick_tui.ui.picker.items import Group, Item, run_item

if TYPE_CHECKING:
    from maverick_tui.host.far.machines import Machine
    from maverick_tui.host.live import LiveRun
    from maverick_tui.ui.navigation import Navigation

log = logging.getLogger(__name__)

LOOK_EVERY = 10.0
"""Seconds between looks at a machine that answers."""
AWAY_FOR = 60.0
"""Seconds after which one that is away is tried again."""
_SHOWN_EVERY = 0.5
_AWAY = "✘"


class FarListing:
    """Asks each machine over one line, while the picker is shown."""

    def __init__(self, navigation: Navigation) -> None:
        self._navigation = navigation
        self._rows: dict[str, Sequence[Item]] = {}

    async def look(self) -> None:
        """Go on looking; without machines in the settings there is nothing to look at."""
        machines = await asyncio.to_thread(_machines)
        await asyncio.gather(*map(self._watch, machines))

    async def _watch(self, machine: Machine) -> None:
        from maverick_tui.exceptions import MaverickError

        while True:
            while not self._navigation.shows_picker:  # noqa: ASYNC110 - screens come and go in many ways
                await asyncio.sleep(_SHOWN_EVERY)
            try:
                await self._ask(machine)
            except MaverickError as error:
                self._show(machine, [_away(machine, error)])
                await asyncio.sleep(AWAY_FOR)

    async def _ask(self, machine: Machine) -> None:
        """Ask again and again, over the same line, until the picker is gone."""
        from maverick_tui.host.far.asking import asked_again

        async with asked_again(machine) as runs_now:
            while self._navigation.shows_picker:
                self._show(machine, [_row(machine, run) for run in await runs_now()])
                await asyncio.sleep(LOOK_EVERY)

    def _show(self, machine: Machine, rows: Sequence[Item]) -> None:
        if self._rows.get(machine.name) != rows:
            self._rows[machine.name] = rows
            self._navigation.far_items = [row for rows in self._rows.values() for row in rows]
            self._navigation.runs_changed()


def _machines() -> list[Machine]:
    """In a thread, for it reads the settings; whoever opens the setup tells what is wrong with them."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.ui.launch import load_settings

    try:
        config = load_settings()
        if not config.hosts:
            return []
        from maverick_tui.host.far.machines import find_machine

        return [find_machine(name, config) for name in dict.fromkeys(config.hosts)]
    except ConfigError as error:
        log.warning("No machine is looked at: %s", error)
        return []


def _row(machine: Machine, run: LiveRun) -> Item:
    agent = str(run.state.get("agent", ""))
    state = "does not answer" if run.is_silent else run.phase
    return run_item(f"{machine.name}:{run.run_id}", agent, state, run.glyph, "", run.title, _group(machine))


def _away(machine: Machine, error: Exception) -> Item:
    why = one_line(str(error))
    return Item(
        key=f"machine:{machine.name}",
        group=_group(machine),
        name=one_line(machine.name),
        description=why,
        marks=((f"{_AWAY} away", "warning"),),
        refusal=why,
    )


def _group(machine: Machine) -> Group:
    return Group("RUNS", f"on {one_line(machine.name)}")
