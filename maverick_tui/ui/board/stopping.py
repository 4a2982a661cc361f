"""Stopping: interrupts runs and ends them, those of the application and all others; rows say so at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.inert import one_line
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from maverick_tui.runs.board import Board
    from maverick_tui.runs.card import RunCard
    from maverick_tui.ui.board.gathering import Gathering

TITLE = "Board"
AT_ONCE = 12
"""Runs that are told at the same time: keys come in between."""


class Stopping:
    """What was wanted is acknowledged before anybody has heard it, and confirmed by what the runs tell then."""

    def __init__(self, app: App[Any], board: Board, gathering: Gathering, changed: Callable[[], None]) -> None:
        """`changed` draws the rows anew."""
        self._app = app
        self._board = board
        self._gathering = gathering
        self._changed = changed

    def interrupt(self, cards: Sequence[RunCard]) -> None:
        """Interrupt these runs."""
        self._gathering.interrupted(card.key for card in cards)
        self._changed()
        elsewhere = []
        for card in cards:
            run = self._board.runs.get(card.run_id)
            if run is not None and run.is_ours:
                run.interrupt()
            elif run is not None:
                self._refuse(card, "You are only reading it.")
            else:
                elsewhere.append(card)
        if elsewhere:
            work_told(self._app, self._send(elsewhere), group="interrupt", title=TITLE)

    async def _send(self, cards: Sequence[RunCard]) -> None:
        room = asyncio.Semaphore(AT_ONCE)

        async def send(card: RunCard) -> None:
            async with room:
                await self._interrupt_there(card)

        await asyncio.gather(*map(send, cards))

    async def _interrupt_there(self, card: RunCard) -> None:
        from maverick_tui.exceptions import MaverickError
        from maverick_tui.host.sending import send_once
        from maverick_tui.runs.commands import Interrupt

        try:
            if card.machine:
                from maverick_tui.host.far.way import far_way

                way = await asyncio.to_thread(far_way, card.machine)
                await send_once(card.run_id, Interrupt(), way=way)
            else:
                await send_once(card.run_id, Interrupt(), self._gathering.known_events(card))
        except MaverickError as error:
            self._refuse(card, error.message)

    def _refuse(self, card: RunCard, why: str) -> None:
        self._gathering.not_interrupted(card.key)
        self._changed()
        title = one_line(f"{card.title or card.agent} was not interrupted")
        self._app.notify(one_line(why), title=title, severity="warning", timeout=8, markup=False)

    def ask_to_interrupt(self, at_work: Callable[[], Sequence[RunCard]], agreed: Callable[[], None]) -> None:
        """Ask once whether all of these are to be interrupted; those that are at work when it is answered are."""
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        def answered(is_yes: bool | None) -> None:
            if is_yes and (cards := at_work()):
                agreed()
                self.interrupt(cards)

        title, text = asked_to_interrupt(at_work())
        _ = self._app.push_screen(ConfirmScreen(title, text, yes="Interrupt", no="Let them work"), answered)

    def ask_to_end(self, card: RunCard) -> None:
        """Ask whether a run of another process is to end, in good order."""
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        def answered(is_yes: bool | None) -> None:
            if is_yes:
                work_told(self._app, self._end(card), group="end", title=TITLE)

        title = one_line(f"End {card.title or card.agent or card.run_id}?")
        text = "Its process ends in good order: what came is kept, and it can go on later."
        _ = self._app.push_screen(ConfirmScreen(title, text, yes="End it", no="Keep"), answered)

    async def _end(self, card: RunCard) -> None:
        if card.machine:
            from maverick_tui.host.far.asking import stop_there
            from maverick_tui.host.far.machines import find_machine

            machine = await asyncio.to_thread(find_machine, card.machine)
            _, words = await stop_there(machine, card.run_id)
        else:
            from maverick_tui.host.stopping import stop_run
            from maverick_tui.runs.reader_names import at_terminal

            words = await stop_run(card.run_id, at_terminal("somebody at the board"))
        self._app.notify(one_line(f"{card.title or card.agent} {words}."), title=TITLE, timeout=4, markup=False)


def asked_to_interrupt(cards: Sequence[RunCard]) -> tuple[str, str]:
    """What is asked before all runs are interrupted, and below it which these are."""
    count = f"{len(cards)} runs" if len(cards) > 1 else "1 run"
    named = [one_line(card.title or card.agent or card.run_id)[:50] for card in cards[:5]]
    more = [f"and {len(cards) - 5} more"] if len(cards) > 5 else []
    text = "\n".join([*(f"· {name}" for name in named), *(f"  {words}" for words in more)])
    return f"Interrupt {count}?", f"{text}\n\nWhat came is kept, and each can go on from there."
