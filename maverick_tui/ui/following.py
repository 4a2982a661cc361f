"""What runs have in common that are followed in another process, on this machine or another one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from maverick_tui.inert import inert, one_line

if TYPE_CHECKING:
    from textual.app import App

    from maverick_tui.host.lines import HostHello
    from maverick_tui.host.remote import RemoteRun
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.commands import Command, SendPrompt

AWAY_AFTER = 60.0
"""Seconds after which somebody was away, and is told what they have missed."""
TOLD_FOR = 12.0
HEARD_WITHIN = 1.0
"""Seconds that a host has to hear the last answer, before it is left."""
TAKEN_WITHIN = 0.25
"""Seconds in which a host of this machine takes a prompt, if it is well: so long nothing is said of its way."""


def greet(app: App[Any], run: RunModel, hello: HostHello) -> None:
    """The host has said who it is, and who we are to it. The first time a guest is told what they have missed,
    unless the run is not on their screen.
    """
    attached = run.attached
    if attached is not None and attached.known is None:  # a line that was broken for a moment is no absence
        run.attached = attached._replace(known=hello.events)
        if not run.is_hidden:
            _tell_missed(app, hello)
    if run.attached is not None:
        run.attached = run.attached._replace(stops_calls=hello.knows_calls, takes_images=hello.knows_images)
    run.store.reader = hello.you


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


async def leave_once_heard(run: RunModel) -> list[str]:
    """Let a run go on without us, once it has heard what was wanted of it last; the prompts that it has not heard."""
    if (attached := run.attached) is None:
        return run.undelivered
    with suppress(TimeoutError, asyncio.TimeoutError):
        async with asyncio.timeout(HEARD_WITHIN):
            await attached.heard()
    unheard = [*attached.unsent(), *run.undelivered]
    attached.leave()
    return unheard


def prompts_in(wanted: Iterable[Command]) -> list[str]:
    """The prompts among what was wanted of a run, and nothing came of."""
    from maverick_tui.runs.commands import SendPrompt

    return [command.text for command in wanted if isinstance(command, SendPrompt)]


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
        self._shown: dict[str, str] = {}
        """Prompts that were shown before the run has told of them, by id."""
        self._is_over = False

    def send(self, command: Command) -> None:
        """Pass a command on; the answer is events."""
        from maverick_tui.runs.commands import DropPrompt, SendPrompt

        self._remote.send(command)
        if isinstance(command, SendPrompt):
            self._sent(command)
        elif isinstance(command, DropPrompt) and command.prompt_id in self._shown:
            self._run.store.queue.pop(command.prompt_id, None)
            self._refresh(self._run)

    def _sent(self, prompt: SendPrompt) -> None:
        queue = self._run.store.queue
        if prompt.text not in self._remote.unsent:  # it was refused, and why was told
            queue.pop(prompt.prompt_id, None)
            self._give_back(self._run, prompt.text)
        elif not self._seen_after or prompt.prompt_id in queue:  # as one that was sent before there was a way
            self._show(prompt)
        else:
            asyncio.get_running_loop().call_later(self._seen_after, self._show, prompt)

    def _show(self, prompt: SendPrompt) -> None:
        """Let a prompt be seen to wait, unless it has arrived."""
        if not self._is_over and prompt.text in self._remote.unsent:
            self._shown[prompt.prompt_id] = prompt.text
            self._run.store.queue[prompt.prompt_id] = inert(prompt.text)
            self._refresh(self._run)

    def end(self) -> None:
        """It is not followed any more: what has not arrived does not wait, and goes back to where it was typed."""
        self._is_over, unsent = True, self._remote.unsent
        for prompt_id, text in self._shown.items():
            if text in unsent:
                self._run.store.queue.pop(prompt_id, None)
