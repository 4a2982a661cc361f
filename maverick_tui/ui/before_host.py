"""BeforeHost: a run that could not begin, in the application, until a host can take it over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from maverick_tui.runs import commands
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.queue import Queue

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.commands import Command
    from maverick_tui.runs.local import LocalRun
    from maverick_tui.ui.launch import RunSetup


class Wishes:
    """What is wanted of a run by the time it can begin: not all that was ever said, for a host begins with the first
    prompt that it hears, and must not hear one that was dropped or changed since.
    """

    def __init__(self) -> None:
        self._queue = Queue(EventLog())
        self._of_past: list[Command] = []
        """What becomes of prompts that waited when the run was at rest: its host has those."""
        self._last: dict[type[Command], Command] = {}

    def take(self, command: Command) -> None:
        """Somebody wants this as well."""
        queue = self._queue
        if isinstance(command, commands.SendPrompt | commands.ClearConversation):
            queue.add(command)
        elif isinstance(command, commands.Interrupt):
            queue.hold()
        elif isinstance(command, commands.ReleasePrompts):
            queue.release()
            self._of_past.append(command)
        elif isinstance(command, commands.SetMode | commands.SetModel | commands.NameRun | commands.CloseRun):
            self._last[type(command)] = command
        elif not isinstance(
            command, commands.EditPrompt | commands.DropPrompt | commands.MovePrompt | commands.SteerPrompt
        ):
            pass  # there is no answer, no call and no folder yet that it could be about
        elif queue.prompt(command.prompt_id) is None:
            self._of_past.append(command)
        elif isinstance(command, commands.EditPrompt):
            queue.replace(command.prompt_id, command.text)
        elif isinstance(command, commands.MovePrompt):
            queue.move(command.prompt_id, command.by)
        elif isinstance(command, commands.SteerPrompt):
            _ = queue.urge(command.prompt_id, is_to_steer=False)
        else:
            queue.drop(lambda prompt: prompt.prompt_id == command.prompt_id)

    def summed_up(self) -> list[Command]:
        """What a host is to be told, in this order: how it works comes before what it is to do."""
        closing = self._last.pop(commands.CloseRun, None)
        return [*self._last.values(), *self._of_past, *self._queue.waiting, *([closing] if closing else [])]

    @property
    def held(self) -> list[str]:
        """The words of prompts that the person holds."""
        return [prompt.text for prompt in self._queue.held]


class BeforeHost:
    """Tries for a host whenever the run is tried again."""

    def __init__(
        self,
        run: RunModel,
        failure: Exception,
        start: Callable[[str, dict[str, object], RunSetup], Awaitable[bool]],
        give_back: Callable[[RunModel, str], None],
    ) -> None:
        """`start` gives the run of an agent a host, or says that it can have none; `give_back` what the person holds
        stands in the prompt again.
        """
        self.failure = failure
        self.has_host = asyncio.Event()
        self._run = run
        self._start = start
        self._give_back = give_back
        self._local: LocalRun | None = None
        self._wishes = Wishes()

    def send(self, command: Command) -> None:
        """Pass it on, and remember what counts for the host as well."""
        self._wishes.take(command)
        if self._local is not None:
            self._local.send(command)

    async def give_host(self, agent: str, inputs: dict[str, object], setup: RunSetup) -> None:
        """Have a host take over if there can be one: this never returns then, and is cancelled."""
        if await self._start(agent, inputs, setup):
            self.has_host.set()
            await asyncio.get_running_loop().create_future()

    async def serve(self, local: LocalRun, since: int) -> None:
        """Be the run, from that event on, until it ends or a host takes over: then that is asked what this one was."""
        self._local, run = local, self._run
        run.connect(self)
        following = asyncio.create_task(run.follow(local.events, since), name=f"maverick-follow-{run.run_id}")
        serving, handing = local.start(), asyncio.create_task(self.has_host.wait())
        try:
            await asyncio.wait({serving, handing}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            handing.cancel()
            if self.has_host.is_set():  # it does not end, though this process of it does
                following.cancel()
                self._hand_over()
            serving.cancel()
            await asyncio.wait({serving, following})

    def _hand_over(self) -> None:
        store = self._run.store
        store.queue, store.held = {}, set()
        self._run.come_back(self._wishes.summed_up())
        if held := self._wishes.held:
            self._give_back(self._run, "\n".join(held))
