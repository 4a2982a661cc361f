"""HostedRuns: runs on the screen that live in processes of their own. Leaving one leaves it at work."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.worker import get_current_worker

from maverick_tui.inert import one_line
from maverick_tui.masking.redact import conceal
from maverick_tui.masking.settings import secret_inputs
from maverick_tui.runs.board import Attachment
from maverick_tui.runs.reader_names import terminal
from maverick_tui.ui.following import TAKEN_WITHIN, SentThere, greet
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event, RunStarted
    from maverick_tui.history.going_on import GoingOn
    from maverick_tui.host.orders import Order
    from maverick_tui.host.remote import RemoteRun
    from maverick_tui.host.starting import WaitingHost
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.store import RunStore
    from maverick_tui.ui.launch import RunSetup
    from maverick_tui.ui.navigation import Navigation

log = logging.getLogger(__name__)

TITLE = "Attached run"
LONG = 200
"""Events of a past that is taken in as a whole."""


_HERE_SINCE = time.time()
"""Since when whoever reads at this terminal is the person at this window."""


class HostedRuns:
    """Starts hosts, follows runs that have one, and tells the person what becomes of the way to them."""

    def __init__(
        self,
        app: App[Any],
        navigation: Navigation,
        ended: Callable[[RunModel, str], None],
        taken_in: Callable[[RunModel, RunStore], None],
        give_back: Callable[[RunModel, str], None],
    ) -> None:
        """`ended` hears of a run that is not followed any more, and what was typed to it and has not reached it;
        `taken_in` has a run shown as the store has it, and `give_back` what cannot be sent stand in its prompt again.
        """
        self._app = app
        self._navigation = navigation
        self._ended = ended
        self._taken_in = taken_in
        self._give_back = give_back
        self._waiting: WaitingHost | None = None

    def warm(self) -> None:
        """Have a host load what it needs before anybody asks for it; in a thread, since a process is started."""
        from maverick_tui.exceptions import ConfigError
        from maverick_tui.host.starting import WaitingHost

        if self._waiting is None or not self._waiting.is_running:
            try:
                self._waiting = WaitingHost()
            except (ConfigError, OSError) as error:
                log.info("No host can be started: %s", error)

    def close(self) -> None:
        """Nobody will ask for one any more."""
        if self._waiting is not None:
            self._waiting.give_up()

    async def start(self, order: Order) -> None:
        """Start the host of a run. ConfigError or OSError if it cannot have one."""
        from maverick_tui.host.starting import WaitingHost

        host, self._waiting = self._waiting, None
        if host is None or not host.is_running:
            making = asyncio.create_task(asyncio.to_thread(WaitingHost))
            try:
                host = await asyncio.shield(making)
            except asyncio.CancelledError:
                making.add_done_callback(_give_up)
                raise
        try:
            await asyncio.to_thread(host.take, order)
        except asyncio.CancelledError:
            host.give_up()
            raise

    def attach(self, run: RunModel) -> None:
        """Show what a run has told that somebody else has started; what is wanted of it is sent there."""
        remote = self._remote(run, ())
        worker = work_told(self._app, self._follow(run, remote), group="attached", title=TITLE)
        run.attached = Attachment(
            worker.cancel,
            remote.heard,
            known=None,
            is_guest=True,
            unsent=lambda: remote.unsent,
            set_hidden=remote.set_hidden,
        )

    async def follow(self, run: RunModel, past: Sequence[Event] = ()) -> None:
        """Show a run of ours that has a host, to its end; its store knows its past. It must be called in a worker."""
        remote = self._remote(run, past)
        leave = get_current_worker().cancel
        run.attached = Attachment(
            leave, remote.heard, known=len(past), unsent=lambda: remote.unsent, set_hidden=remote.set_hidden
        )
        await self._follow(run, remote)

    def _remote(self, run: RunModel, past: Sequence[Event]) -> RemoteRun:
        from maverick_tui.host.remote import RemoteRun

        return RemoteRun(
            run.run_id,
            name=terminal(),
            is_read_only=run.is_read_only,
            is_hidden=run.is_hidden,
            learns_secrets=not run.is_read_only,  # prompts, drafts and comments are kept here, and exports made
            on_refused=self._say,
            on_hello=lambda hello: greet(self._app, run, hello, _HERE_SINCE),
            past=past,
        )

    async def _follow(self, run: RunModel, remote: RemoteRun) -> None:
        since = len(remote.events)
        refresh = self._navigation.show_state
        sent = SentThere(run, remote, refresh=refresh, give_back=self._give_back, seen_after=TAKEN_WITHIN)
        run.connect(sent)
        serving = asyncio.create_task(remote.serve(), name=f"maverick-read-{run.run_id}")
        try:
            since = since or await self._take_past(run, remote)
            await run.follow(remote.events, since)
            await serving
        finally:
            serving.cancel()
            await asyncio.wait({serving})
            run.attached = None
            sent.end()
            self._ended(run, "\n".join(remote.unsent.values()))

    async def _take_past(self, run: RunModel, remote: RemoteRun) -> int:
        """Take in what a run has told before we came; how much that was. To show each step of it takes far longer.

        Of one that was shown before, that takes the place of what is there.
        """
        past = await remote.past()
        if len(past) < LONG and not run.store.entries:
            return 0
        from maverick_tui.runs.store import store_of

        store = await asyncio.to_thread(store_of, past)
        store.name = run.store.name or store.name  # one that was given at rest is in no event
        store.reader, run.agent = run.store.reader, run.agent or getattr(next(iter(past), None), "agent", "")
        self._taken_in(run, store)
        return len(past)

    def _say(self, text: str) -> None:
        self._app.notify(one_line(text), title=TITLE, severity="warning", timeout=6, markup=False)


def _give_up(making: asyncio.Task[WaitingHost]) -> None:
    """Let go of a host that nobody waits for any more."""
    if not making.cancelled() and making.exception() is None:
        making.result().give_up()


def order_for(
    run: RunModel, agent: str, inputs: Mapping[str, object], setup: RunSetup, goes_on: GoingOn | None
) -> Order:
    """What the host of a run is told; one that goes on does so in its own folder."""
    from maverick_tui.host.orders import Order

    conceal(secret_inputs(inputs))  # at once, though the host does so as well, and says so later
    order = Order(
        run.run_id,
        agent,
        str(setup.cwd if goes_on is None else goes_on.folder),
        inputs=dict(inputs),
        is_kept=setup.config.keep_runs,
        fuse=dict(run.fuse),
        script=str(setup.script) if setup.script is not None else None,
        shared=str(setup.shared or ""),
        is_demo=setup.is_demo,
        worktree=run.wants_worktree,
    )
    return order if goes_on is None else _going_on(order, goes_on)


def _going_on(order: Order, goes_on: GoingOn) -> Order:
    from dataclasses import replace

    past = goes_on.past
    if not past.is_fork:
        return replace(order, resumes=True, takes=past.model)
    began: RunStarted = past.events[0]  # type: ignore[assignment]
    return replace(
        order,
        forks=began.forked_from,
        fork_turn=began.forked_turn or 0,
        fork_at=past.events[-1].at,
        takes=past.model,
    )


def has_host(run_id: str) -> bool:
    """Whether the run lives in a process of its own; in a thread, for it imports and looks at files."""
    from maverick_tui.host.places import has_host as lives

    return lives(run_id)
