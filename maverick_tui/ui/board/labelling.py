"""Names and tags of runs, asked for on the board as in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.threads import in_thread
from maverick_tui.ui.dialogs.short_questions import NameScreen
from maverick_tui.ui.history.labelling import asked_tags

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.card import RunCard
    from maverick_tui.ui.board.gathering import Gathering


async def ask_name(app: App[Any], card: RunCard, run: RunModel | None, gathering: Gathering) -> None:
    """Ask what a run is to be called. It hears that itself, wherever it lives, so that all who look at it see it."""
    name = await app.push_screen_wait(NameScreen(card.name))
    if name is None or name == card.name:
        return
    if run is not None:
        run.name(name)
        return
    from maverick_tui.host.sending import send_once
    from maverick_tui.runs.commands import NameRun

    if card.machine:
        from maverick_tui.host.far.way import far_way

        await send_once(card.run_id, NameRun(name), way=await in_thread(far_way, card.machine))
    else:
        await send_once(card.run_id, NameRun(name), gathering.known_events(card))


async def ask_tags(app: App[Any], card: RunCard, gathering: Gathering) -> None:
    """Ask for the tags of a run. ConfigError if one cannot be a tag."""
    if (labels := await asked_tags(app, card.run_id, card.tags)) is not None:
        gathering.tagged(card.run_id, labels.tags)
