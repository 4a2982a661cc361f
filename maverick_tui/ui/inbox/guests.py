"""Guests: runs of other processes and machines that ask something, followed while the inbox is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.runs.board import Board, RunModel
from maverick_tui.ui.following import leave_once_heard

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.host.live import LiveRun

AT_ONCE = 8
"""Runs whose past is read at the same time: keys are to be heard meanwhile."""


class Guests:
    """They are on a board of their own: nobody hears of them, or comes across them, before they are opened.

    Only runs that ask are followed, and hidden: so a hundred that work cost a look at their state.
    """

    def __init__(
        self,
        app: App[Any],
        board: Board,
        *,
        attach: Callable[[RunModel], None],
        attach_there: Callable[[RunModel, str], None],
        runs_there: Callable[[], list[LiveRun]],
        changed: Callable[[Event], None],
    ) -> None:
        """`board` has the runs of this application; `changed` hears each event of the others that are followed.

        `attach` follows a run of this machine and `attach_there` one of another, of which `runs_there` are known.
        """
        self._app = app
        self._known = board.runs
        self._attach = attach
        self._attach_there = attach_there
        self._runs_there = runs_there
        self._board = Board(lambda _run, event: changed(event))

    @property
    def runs(self) -> Mapping[str, RunModel]:
        """Those that are followed, and on no other board."""
        return {run_id: run for run_id, run in self._board.runs.items() if run_id not in self._known}

    @property
    def are_read(self) -> bool:
        """Whether each of them has told what it has asked."""
        return not any(run.tells_past for run in self.runs.values())

    async def look(self) -> bool:
        """Follow those that ask something by now, some at a time; whether all of them are followed.

        One that was left, or has ended, is none of them any more.
        """
        from maverick_tui.ui.picker.elsewhere import live_elsewhere

        for run in [run for run in self._board.runs.values() if run.attached is None]:
            self._board.remove(run)
        here = await live_elsewhere({**self._known, **self._board.runs})
        asking: dict[str, LiveRun] = {}
        for live in (*here, *self._runs_there()):
            if live.phase == "asks" and live.run_id not in self._known and live.run_id not in self._board.runs:
                asking.setdefault(live.run_id, live)  # a machine may call its run as one is called that is nearer
        new = [*asking.values()]
        coming = [run for run in self._board.runs.values() if run.attached is not None and run.attached.known is None]
        room = max(1, AT_ONCE - len(coming))
        for live in new[:room]:
            self._follow(live)
        return len(new) <= room

    def _follow(self, live: LiveRun) -> None:
        run = RunModel(live.run_id, str(live.state.get("agent") or ""), self._board)
        self._board.add(run)
        if live.machine:
            self._attach_there(run, live.machine)
        else:
            self._attach(run)

    def release(self, run: RunModel, to: Board) -> None:
        """Let a run be one of the application's: it is about to be shown."""
        if self._board.runs.get(run.run_id) is run:
            self._board.remove(run)
            run.move_to(to)

    def leave(self) -> None:
        """Nobody looks any more: they go on without us."""
        for run in list(self._board.runs.values()):
            self._board.remove(run)
            self._app.run_worker(leave_once_heard(run), group="attached", exit_on_error=False)
