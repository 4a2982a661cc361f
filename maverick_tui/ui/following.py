"""What runs have in common that are followed in another process, on this machine or another one."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from maverick_tui.inert import inert, one_line
from maverick_tui.runs.reader_names import Reader

if TYPE_CHECKING:
    from textual.app import App

    from maverick_tui.host.lines import HostHello
    from maverick_tui.host.remote import RemoteRun
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.commands import Command, EditPrompt, SendPrompt

AWAY_AFTER = 60.0
"""Seconds after which somebody was away, and is told what they have missed."""
TOLD_FOR = 12.0
HEARD_WITHIN = 1.0
"""Seconds that a host has to hear the last answer, before it is left."""
TAKEN_WITHIN = 0.25
"""Seconds in which a host of this machine takes a prompt, if it is well: so long nothing is said of its way."""


def greet(app: App[Any], run: RunModel, hello: HostHello, here_since: float = math.inf) -> None:
    """The host has said who it is, and who we are to it. The first time a guest is told what they have missed,
    unless the run is not on their screen. `here_since` as a `Reader` has it.
    """
    attached = run.attached
    if attached is not None and attached.known is None:  # a line that was broken for a moment is no absence
        run.attached = attached._replace(known=hello.events)
        if not run.is_hidden:
            _tell_missed(app, hello)
    if run.attached is not None:
        run.attached = run.attached._replace(stops_calls=hello.knows_calls, takes_images=hello.knows_images)
    run.store.reader = Reader(hello.you, hello.now or time.time(), here_since)


def _tell_missed(app: App[Any], hello: HostHello) -> None:
    """Say in one line what a run did while nobody looked, if that was for a while by the clock of its machine."""
    from maverick_tui.runs.digest import digest_from_json, span

    digest = digest_from_json(hello.state.get("away"))
    now = hello.now or time.time()
    if digest is None or digest.is_empty or (away := now - digest.since) < AWAY_AFTER:
        return
    if words := digest.in_words(len(hello.state.get("asks") or ())):
        name = one_line(str(hello.state.get("name") or "") or hello.agent)
        title = f"{name}: while you were away ({span(away)})"
        app.notify(", ".join(words), title=title, timeout=TOLD_FOR, markup=False)


class Heard(NamedTuple):
    """What a run has heard of what was wanted of it last."""

    is_all: bool
    prompts_left: dict[str, str]
    """Those that it has not heard."""


async def wait_until_heard(run: RunModel) -> Heard:
    """Give the process of a run a moment to hear what was wanted of it last."""
    if (attached := run.attached) is None:
        return Heard(False, run.undelivered)
    is_all = False
    with suppress(TimeoutError, asyncio.TimeoutError):
        async with asyncio.timeout(HEARD_WITHIN):
            await attached.heard()
            is_all = run.handle is not None  # else it waits here for a way there
    return Heard(is_all, {**attached.unsent(), **run.undelivered})


async def leave_once_heard(run: RunModel) -> None:
    """Let a run go on without us, once it has heard what was wanted of it last."""
    _ = await wait_until_heard(run)
    if run.attached is not None:
        run.attached.leave()


class SentThere:
    """The way to the run. A prompt that does not arrive is seen to wait, however long its way is."""

    def __init__(
        self,
        run: RunModel,
        remote: RemoteRun,
        *,
        refresh: Callable[[RunModel], None],
        give_back: Callable[[RunModel, str], None],
        seen_after: float = 0.0,
    ) -> None:
        """`give_back` lets what was typed, and cannot be sent, stand in the prompt again; `refresh` shows what waits.

        That is after so many seconds: one that arrives at once would only flicker.
        """
        self._run = run
        self._remote = remote
        self._refresh = refresh
        self._give_back = give_back
        self._seen_after = seen_after
        self._shown: set[str] = set()
        """The ids of prompts that were shown before the run has told of them."""
        self._is_over = False

    def send(self, command: Command) -> None:
        """Pass a command on; the answer is events."""
        from maverick_tui.runs.commands import DropPrompt, EditPrompt, SendPrompt

        self._remote.send(command)
        if isinstance(command, SendPrompt):
            self._sent(command)
        elif isinstance(command, EditPrompt):
            self._edited(command)
        elif isinstance(command, DropPrompt) and command.prompt_id in self._shown:
            self._run.store.queue.pop(command.prompt_id, None)
            self._refresh(self._run)

    def _sent(self, prompt: SendPrompt) -> None:
        queue = self._run.store.queue
        if prompt.prompt_id not in self._remote.unsent:  # it was refused, and why was told
            queue.pop(prompt.prompt_id, None)
            self._give_back(self._run, prompt.text)
        elif not self._seen_after or prompt.prompt_id in queue:  # as one that was sent before there was a way
            self._show(prompt)
        else:
            asyncio.get_running_loop().call_later(self._seen_after, self._show, prompt)

    def _edited(self, prompt: EditPrompt) -> None:
        """Let a prompt that waits be seen as it is to be, though the run may not hear of that for long."""
        if self._remote.unsent.get(prompt.prompt_id) != prompt.text:  # it was refused, and why was told
            self._give_back(self._run, prompt.text)
        elif prompt.prompt_id in self._run.store.queue:
            self._run.store.queue[prompt.prompt_id] = inert(prompt.text)
            self._refresh(self._run)

    def _show(self, prompt: SendPrompt) -> None:
        """Let a prompt be seen to wait, unless it has arrived."""
        text = self._remote.unsent.get(prompt.prompt_id)
        if not self._is_over and text is not None:
            self._shown.add(prompt.prompt_id)
            self._run.store.queue[prompt.prompt_id] = inert(text)
            self._refresh(self._run)

    def end(self) -> None:
        """It is not followed any more: what has not arrived does not wait, and goes back to where it was typed."""
        self._is_over = True
        for prompt_id in self._shown & self._remote.unsent.keys():
            self._run.store.queue.pop(prompt_id, None)
