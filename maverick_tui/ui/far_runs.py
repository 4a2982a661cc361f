"""FarRuns: runs on the screen that live on other machines. The prompt is here; what is sent travels."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.inert import inert, one_line
from maverick_tui.runs.board import Attachment, Board, Rest, RunModel
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from maverick_tui.host.remote import RemoteRun
    from maverick_tui.runs.commands import Command
    from maverick_tui.ui.navigation import Navigation


class FarRuns:
    """Follows runs on other machines, and tells the person what becomes of the line to them."""

    def __init__(
        self, app: App[Any], board: Board, navigation: Navigation, give_back: Callable[[RunModel, str], None]
    ) -> None:
        """`give_back` lets what was typed to a run, and has not reached it, stand in its prompt again."""
        self._app = app
        self._board = board
        self._navigation = navigation
        self._give_back = give_back

    def look(self) -> None:
        """Have the picker list the runs of the machines that the settings name, from now on."""
        from maverick_tui.ui.far_listing import FarListing

        work_told(self._app, FarListing(self._navigation).look(), group="far", title="Other machines")

    def open(self, named: str) -> None:
        """Show the run that `HOST:RUN` names."""
        machine, _, run_id = named.rpartition(":")
        if (run := self._board.runs.get(run_id)) is None:
            run = RunModel(run_id, "", self._board)
            self._board.add(run)
            self.attach(run, machine)
        self._navigation.show_run(run)

    def attach(self, run: RunModel, machine: str, *, is_read_only: bool = False) -> None:
        """Show what the run has told, and tells from now on; what is wanted of it is sent there."""
        following = self._follow(run, machine, is_read_only=is_read_only)
        worker = work_told(self._app, following, group="attached", title=f"Run on {one_line(machine)}")
        run.attached = Attachment(
            time.time(), worker.cancel, _nothing, is_guest=True, is_read_only=is_read_only, machine=machine
        )

    async def _follow(self, run: RunModel, machine: str, *, is_read_only: bool) -> None:
        line = _LineNews(self._navigation, run, self._say)
        remote = await asyncio.to_thread(
            _reader_of, run.run_id, machine, line, lambda why: self._say(run, why), is_read_only=is_read_only
        )
        if run.attached is not None:
            run.attached = run.attached._replace(heard=remote.heard, unsent=lambda: remote.unsent)
        handle = _SentThere(run, remote, line.refresh)
        run.connect(handle)
        following = asyncio.create_task(run.follow(remote.events), name=f"maverick-follow-{run.run_id}")
        try:
            await remote.serve()
        finally:
            await following
            run.attached = None
            handle.forget_unsent()
            what = "It has ended" if run.store.is_ended else "It is not followed any more"
            run.handle = _AtRestThere(run, self._say)
            run.rest = Rest(f"{what}: it lives on {one_line(machine)}", may_go_on=False)
            self._give_back(run, "\n".join(remote.unsent))

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
        self.refresh()

    def refresh(self) -> None:
        """Have the screen show how it stands now."""
        screen = self._navigation.screen_of(self._run)
        if screen is not None and screen.is_mounted:
            screen.status_clock.refresh_now()


class _SentThere:
    """The way to the run. A prompt is seen to wait from the moment on that it is sent, however long its way is."""

    def __init__(self, run: RunModel, remote: RemoteRun, refresh: Callable[[], None]) -> None:
        self._run = run
        self._remote = remote
        self._refresh = refresh
        self._shown: dict[str, str] = {}
        """Prompts that were shown before the run has told of them, by id."""

    def send(self, command: Command) -> None:
        """Pass a command on; the answer is events."""
        from maverick_tui.runs.commands import DropPrompt, SendPrompt

        self._remote.send(command)
        if isinstance(command, SendPrompt) and command.text in self._remote.unsent:  # else it was refused
            self._shown[command.prompt_id] = command.text
            self._run.store.queue[command.prompt_id] = inert(command.text)
        elif isinstance(command, DropPrompt) and command.prompt_id in self._shown:
            self._run.store.queue.pop(command.prompt_id, None)
        else:
            return
        self._refresh()

    def forget_unsent(self) -> None:
        """Let nothing seem to wait that has not arrived: it goes back to where it was typed."""
        unsent = self._remote.unsent
        for prompt_id, text in self._shown.items():
            if text in unsent:
                self._run.store.queue.pop(prompt_id, None)


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


def _reader_of(
    run_id: str, machine: str, line: _LineNews, say: Callable[[str], None], *, is_read_only: bool
) -> RemoteRun:
    """In a thread, for it imports, and reads the settings."""
    import platform

    from maverick_tui.host.far.way import far_way
    from maverick_tui.host.remote import RemoteRun

    way, name = far_way(machine), f"{os.environ.get('USER', '')}@{platform.node()}"
    return RemoteRun(run_id, name=name, is_read_only=is_read_only, on_refused=say, on_line=line.hear, way=way)
