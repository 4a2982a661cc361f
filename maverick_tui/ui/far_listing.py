"""FarListing: the runs of the machines that the settings name, for as long as something lists runs."""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Sequence
from dataclasses import replace
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
    """Asks each machine over one line, while the picker is shown, or another list of runs."""

    def __init__(self, navigation: Navigation) -> None:
        self._navigation = navigation
        self._rows: dict[str, Sequence[Item]] = {}
        self._runs: dict[str, Sequence[LiveRun]] = {}

    async def look(self) -> None:
        """Go on looking; without machines in the settings there is nothing to look at."""
        names = await asyncio.to_thread(_names)
        await asyncio.gather(*map(self._watch, names))

    async def _watch(self, name: str) -> None:
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.host.far.machines import find_machine

        while True:
            while not self._navigation.lists_runs:  # noqa: ASYNC110 - screens come and go in many ways
                await asyncio.sleep(_SHOWN_EVERY)
            try:
                await self._ask(await asyncio.to_thread(find_machine, name))
            except MaverickError as error:
                self._show(name, [_away(name, error)])
                await asyncio.sleep(AWAY_FOR)

    async def _ask(self, machine: Machine) -> None:
        """Ask again and again, over the same line, until nothing lists runs any more."""
        from maverick_tui.host.far.asking import asked_again

        async with asked_again(machine) as runs_now:
            while self._navigation.lists_runs:
                runs = await runs_now()
                self._show(machine.name, [_row(machine, run) for run in runs], runs)
                await asyncio.sleep(LOOK_EVERY)

    def _show(self, name: str, rows: Sequence[Item], runs: Sequence[LiveRun] = ()) -> None:
        self._runs[name] = runs
        self._navigation.far_runs = [run for runs in self._runs.values() for run in runs]
        if self._rows.get(name) != rows:
            self._rows[name] = rows
            self._navigation.far_items = [row for rows in self._rows.values() for row in rows]
            self._navigation.runs_changed()


def _names() -> list[str]:
    """In a thread, for it imports, and reads the settings; whoever opens the setup tells what is wrong with them."""
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.ui.launch import load_settings

    try:
        if names := list(dict.fromkeys(load_settings().hosts)):
            importlib.import_module("maverick_tui.host.far.asking")  # it takes a while, and keys must not wait
    except ConfigError as error:
        log.info("No machine is looked at: %s", error)
        return []
    return names


def _row(machine: Machine, run: LiveRun) -> Item:
    from maverick_tui.ui.picker.elsewhere import words_of

    agent = str(run.state.get("agent", ""))
    glyph, word = words_of(run)
    item = run_item(f"{machine.name}:{run.run_id}", agent, word, glyph, "", run.title, _group(machine.name))
    return replace(item, needs_person=run.needs_person)


def _away(name: str, error: Exception) -> Item:
    why = one_line(str(error))
    return Item(
        key=f"machine:{name}",
        group=_group(name),
        name=one_line(name),
        description=why,
        marks=((f"{_AWAY} away", "warning"),),
        refusal=why,
    )


def _group(name: str) -> Group:
    return Group("RUNS", f"on {one_line(name)}")
