"""Serving: gives the runs of the application a process of their own each, or else lives with them in this one."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.inert import one_line
from maverick_tui.ui.hosting import HostedRuns, has_host, order_for
from maverick_tui.ui.launch import HeldSetup, RunSetup, load_settings
from maverick_tui.ui.told_work import told_if_it_fails

if TYPE_CHECKING:
    from textual.worker import Worker

    from maverick_tui.agent.catalog.listing import AgentListing
    from maverick_tui.history.going_on import GoingOn
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.store import RunStore
    from maverick_tui.ui.kept_runs import KeptRuns
    from maverick_tui.ui.navigation import Navigation


class Serving:
    """Has a worker for each run: it connects while the person is still typing, and goes on whatever is shown."""

    kept: KeptRuns
    """What becomes of runs that have ended."""

    def __init__(
        self, app: App[Any], setup: HeldSetup, navigation: Navigation, leaving: asyncio.Event, *, is_to_start: bool
    ) -> None:
        """`leaving` is set once the application is being left; `is_to_start` says whether runs come at once."""
        self._app = app
        self._setup = setup
        self._navigation = navigation
        self._leaving = leaving
        self._is_to_start = is_to_start
        self._hosted = HostedRuns(app, navigation, self._host_left, self._take_in, self._give_back)

    # -- what all runs need -------------------------------------------------------------------------------------------

    def hold_setup(self, *, is_for_run: bool = False) -> None:
        """Keep the folder, the settings and what a script needs there for as long as the application runs.

        A run that begins tells by itself why it cannot.
        """
        hold = partial(self._hold_setup, is_for_run=is_for_run)
        _worker: Worker[None] = self._app.run_worker(hold, name="setup", group="setup", exit_on_error=False)

    async def _hold_setup(self, *, is_for_run: bool) -> None:
        try:
            async with self._setup.opened() as setup:
                self._navigation.picker_in(setup.cwd)
                if self._is_to_start:
                    self.warm()
                await self._leaving.wait()
        except Exception as error:  # whatever it is, the person is told
            text = one_line(str(error) or type(error).__name__)
            if not (self._navigation.cannot_start(text) or is_for_run):
                self._app.notify(text, title="Maverick cannot start runs", severity="error", timeout=30, markup=False)
        finally:
            self._hosted.close()

    def renew_setup(self, *, is_for_run: bool = False) -> None:
        """Open the setup once more if it has failed: what was wrong may have been put right."""
        if self._setup.has_failed:
            self._setup.forget_failure()
            self.hold_setup(is_for_run=is_for_run)

    def _setup_for(self, *, is_again: bool) -> asyncio.Future[RunSetup]:
        if is_again:
            self.renew_setup(is_for_run=True)
        return self._setup.ready

    def warm(self) -> None:
        """Have a host ready for the next run, if runs have hosts."""
        ready = self._setup.ready
        if ready.done() and not self._setup.has_failed and ready.result().config.hosted_runs:
            warm = partial(asyncio.to_thread, self._hosted.warm)
            _worker: Worker[None] = self._app.run_worker(warm, name="warm", group="warm", exit_on_error=False)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def start(self, run: RunModel, agent: AgentListing | str, inputs: Mapping[str, object], prompt: str | None) -> None:
        """Serve a new run."""
        self.renew_setup(is_for_run=True)
        if prompt is not None:
            run.ask(prompt)
        self._work(run, agent, dict(inputs))

    def go_on(self, run: RunModel, past: GoingOn) -> None:
        """Serve a kept run whose store knows its past, unless the application is being left."""
        if not self._leaving.is_set():
            self._work(run, past.agent, {}, past)

    def attach(self, run: RunModel) -> None:
        """Show a run that somebody else has started, unless the application is being left: what was sent stays here."""
        if not self._leaving.is_set():
            self._hosted.attach(run)

    def _work(
        self, run: RunModel, agent: AgentListing | str, inputs: dict[str, object], goes_on: GoingOn | None = None
    ) -> None:
        serve = partial(self._serve, run, agent, inputs, goes_on)
        _worker: Worker[None] = self._app.run_worker(serve, name=run.run_id, group="runs", exit_on_error=False)

    async def _serve(
        self, run: RunModel, agent: AgentListing | str, inputs: dict[str, object], goes_on: GoingOn | None
    ) -> None:
        """From the beginning of a run to its end, whatever is on the screen."""
        from maverick_tui.ui.dialogs.before_run import find_and_ask

        failure: Exception | None = None
        is_hosted = False
        try:
            setup = await self._setup_of(goes_on)
            if setup.config.hosted_runs:
                if isinstance(agent, str):
                    agent, inputs = await find_and_ask(self._app, agent, setup.cwd, worktree=run.wants_worktree)
                is_hosted = await self._start_host(run, agent.name, inputs, setup, goes_on)
        except Exception as error:  # the run tells it, and offers to try again
            failure = error
        if is_hosted:
            await self._follow_host(run, goes_on)
        else:
            await self._serve_here(run, agent, inputs, goes_on, failure)

    async def _follow_host(self, run: RunModel, goes_on: GoingOn | None) -> None:
        following = self._hosted.follow(run, goes_on.past.events if goes_on is not None else ())
        await told_if_it_fails(self._app, following, run.title)

    async def _setup_of(self, goes_on: GoingOn | None) -> RunSetup:
        """That of the application's runs; a run that goes on has its own folder, and the person's own settings."""
        if goes_on is None or goes_on.is_of_script:
            return await asyncio.shield(self._setup.ready)
        return RunSetup(goes_on.folder, await asyncio.to_thread(load_settings))

    async def _start_host(
        self, run: RunModel, agent: str, inputs: dict[str, object], setup: RunSetup, goes_on: GoingOn | None
    ) -> bool:
        """Give a run a process of its own; where that cannot be, the person is told that it ends with this one."""
        from maverick_tui.exceptions import ConfigError

        try:
            await self._hosted.start(order_for(run, agent, inputs, setup, goes_on))
        except (ConfigError, OSError) as error:
            if goes_on is not None and await asyncio.to_thread(has_host, run.run_id):
                return True  # somebody else has brought it back at the same moment
            why = one_line(error.message if isinstance(error, ConfigError) else str(error))
            text = f"It lives in this window, and ends with it: {why}"
            self._app.notify(text, title=run.title, severity="warning", timeout=15, markup=False)
            return False
        return True

    async def _serve_here(
        self,
        run: RunModel,
        agent: AgentListing | str,
        inputs: dict[str, object],
        goes_on: GoingOn | None,
        failure: Exception | None,
    ) -> None:
        """Be the process of a run; one that could not begin gets a host after all once it can."""
        for module in ("in_process", "before_host"):
            await asyncio.to_thread(importlib.import_module, f"maverick_tui.ui.{module}")
        from maverick_tui.ui.before_host import BeforeHost
        from maverick_tui.ui.in_process import make_run, serve_here

        async def start(name: str, given: dict[str, object], setup: RunSetup) -> bool:
            return await self._start_host(run, name, given, setup, goes_on)

        before = BeforeHost(run, failure, start, self._give_back) if failure is not None else None
        since = len(goes_on.past.events) if goes_on is not None else 0
        async with AsyncExitStack() as stack:
            local = make_run(self._app, run, agent, inputs, self._setup_for, stack, goes_on, before)
            try:
                await (before.serve(local, since) if before is not None else serve_here(run, local, since))
            finally:
                if before is None or not before.has_host.is_set():
                    await self._has_ended(run)
        if before is not None and before.has_host.is_set():
            await self._begin_anew(run, goes_on)
            await self._follow_host(run, goes_on)

    async def _begin_anew(self, run: RunModel, goes_on: GoingOn | None) -> None:
        """What a run has told that could not begin is not what it tells from now on; what waits still does."""
        from maverick_tui.runs.store import store_of

        store = await asyncio.to_thread(store_of, goes_on.past.events if goes_on is not None else ())
        store.name, store.queue, store.held = run.store.name, run.store.queue, run.store.held
        self._take_in(run, store)

    async def _has_ended(self, run: RunModel) -> None:
        self.kept.ended(run)
        if run.store.loaded is not None and run.store.loaded.project:
            from maverick_tui.runs.placing import leave_place

            await asyncio.to_thread(leave_place, run.run_id)

    def _take_in(self, run: RunModel, store: RunStore) -> None:
        """A run is known from its beginning."""
        self.kept.take_in(run, store)

    def _give_back(self, run: RunModel, typed: str) -> None:
        """What was typed to a run cannot be sent."""
        self.kept.give_back(run, typed)

    def _host_left(self, run: RunModel, unsent: str) -> None:
        """A run is not followed any more."""
        if not self._leaving.is_set():
            self.kept.left(run, unsent)
