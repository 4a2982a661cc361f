"""FarRuns: runs on the screen that live on other machines. The prompt is here; what is sent travels."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.inert import one_line
from maverick_tui.runs.board import Attachment, Board, Rest, RunModel
from maverick_tui.ui.following import SentThere, greet
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from maverick_tui.host.remote import RemoteRun
    from maverick_tui.runs.commands import Command
    from maverick_tui.ui.navigation import Navigation


class FarRuns:
    """Follows runs on other machines, and tells the person what becomes of the line to them."""

    def __init__(
        self,
        app: App[Any],
        board: Board,
        navigation: Navigation,
        give_back: Callable[[RunModel, str], None],
        leaving: asyncio.Event,
    ) -> None:
        """`give_back` lets what was typed to a run, and has not reached it, stand in its prompt again.

        Once `leaving` is set, whoever leaves sees to that.
        """
        self._app = app
        self._board = board
        self._navigation = navigation
        self._give_back = give_back
        self._leaving = leaving

    def look(self) -> None:
        """Have the picker list the runs of the machines that the settings name, from now on."""
        from maverick_tui.ui.far_listing import FarListing

        work_told(self._app, FarListing(self._navigation).look(), group="far", title="Other machines")

    def open(self, named: str) -> None:
        """Show the run that `HOST:RUN` names; one that was not reached is tried again."""
        machine, _, run_id = named.rpartition(":")
        run = self._board.runs.get(run_id) or RunModel(run_id, "", self._board)
        if run_id in self._board.runs and run.machine != machine:
            self._say(run, f"This is another run of that id: close it to open {one_line(named)}.")
        elif run_id not in self._board.runs or (run.rest is not None and run.rest.machine):
            self._board.add(run)
            run.begin_anew()
            self.attach(run, machine)
        self._navigation.show_run(run)

    def attach(self, run: RunModel, machine: str) -> None:
        """Show what the run has told, and tells from now on; what is wanted of it is sent there."""
        run.machine = machine
        following = self._follow(run, machine)
        worker = work_told(self._app, following, group="attached", title=f"Run on {one_line(machine)}")
        run.attached = Attachment(worker.cancel, _nothing, known=None, is_guest=True, machine=machine)

    async def _follow(self, run: RunModel, machine: str) -> None:
        from maverick_tui.runs.commands import words_in

        unsent: dict[str, str] = {}
        try:
            remote = await asyncio.to_thread(self._reader_of, run, machine)
            await self._read(run, remote, unsent)
        finally:
            run.attached = None
            where = f"it lives on {one_line(machine)}"
            if run.store.is_ended:
                rest = Rest(f"It has ended: {where}", may_go_on=False)
            else:
                words = f"It is not followed any more: {where}. Choose it in the picker to try again"
                rest = Rest(words, may_go_on=False, machine=machine)
            early = run.stop(_AtRestThere(run, self._say), rest)
            if run.run_id in self._board.runs and not self._leaving.is_set():
                self._give_back(run, "\n".join((unsent | words_in(early)).values()))

    async def _read(self, run: RunModel, remote: RemoteRun, unsent: dict[str, str]) -> None:
        """Follow it to its end; `unsent` is what it was told and has not heard."""
        if run.attached is not None:
            run.attached = run.attached._replace(
                heard=remote.heard, unsent=lambda: remote.unsent, set_hidden=remote.set_hidden
            )
            remote.set_hidden(run.is_hidden)
        sent = SentThere(run, remote, refresh=self._navigation.show_state, give_back=self._give_back)
        run.connect(sent)
        following = asyncio.create_task(run.follow(remote.events), name=f"maverick-follow-{run.run_id}")
        try:
            await remote.serve()
        finally:
            await following
            sent.end()
            unsent.update(remote.unsent)

    def _reader_of(self, run: RunModel, machine: str) -> RemoteRun:
        """In a thread, for it imports, and reads the settings."""
        import platform

        from maverick_tui.host.far.way import far_way
        from maverick_tui.host.remote import RemoteRun

        return RemoteRun(
            run.run_id,
            name=f"{os.environ.get('USER', '')}@{platform.node()}",
            is_read_only=run.is_read_only,
            on_refused=lambda why: self._say(run, why),
            on_line=_LineNews(self._navigation, run, self._say).hear,
            on_hello=lambda hello: greet(self._app, run, hello),
            way=far_way(machine),
        )

    def _say(self, run: RunModel, text: str) -> None:
        title = one_line(run.title)
        self._app.notify(one_line(text), title=title, severity="warning", timeout=8, markup=False)


async def _nothing() -> None:
    """Nothing was sent yet."""


class _LineNews:
    """Has the screen say that the line is broken, for as long as it is, and each reason for it once."""

    def __init__(self, navigation: Navigation, run: RunModel, say: Callable[[RunModel, str], None]) -> None:
        self._navigation = navigation
        self._run = run
        self._say = say
        self._said: set[str] = set()

    def hear(self, why: str) -> None:
        """The line is there again, or could not be had for this reason."""
        attached = self._run.attached
        if attached is None:
            return
        if why and why not in self._said:
            self._said.add(why)
            self._say(self._run, f"{why} It is tried again, and what you send waits for that.")
        elif not why:
            self._said.clear()
        self._run.attached = attached._replace(is_broken=bool(why))
        self._navigation.show_state(self._run)


class _AtRestThere:
    """The way to a run that is not followed any more: nothing can be sent."""

    def __init__(self, run: RunModel, say: Callable[[RunModel, str], None]) -> None:
        self._run = run
        self._say = say

    def send(self, command: Command) -> None:
        """Say why nothing comes of what is wanted."""
        from maverick_tui.runs.commands import CloseRun, Interrupt

        if self._run.rest is not None and not isinstance(command, CloseRun | Interrupt):
            self._say(self._run, f"{self._run.rest.words}.")
