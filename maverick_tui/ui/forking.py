"""Forks in the application: a person says how one is to go on, and it is opened beside the run that it comes from."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from textual.app import App

from maverick_tui.inert import one_line
from maverick_tui.runs.board import RunModel
from maverick_tui.runs.store import store_of
from maverick_tui.ui.told_work import work_told
from maverick_tui.ui.widgets.pastes import still_prompt

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Event
    from maverick_tui.history.going_on import GoingOn
    from maverick_tui.runs.board import Board
    from maverick_tui.ui.navigation import Navigation
    from maverick_tui.worktrees.records import Worktree


class Forks:
    """Makes forks of runs that are on the board."""

    def __init__(
        self,
        app: App[Any],
        board: Board,
        navigation: Navigation,
        serve: Callable[[RunModel, GoingOn], None],
        folder_of: Callable[[RunModel, Path], Awaitable[Path | None]],
    ) -> None:
        """`serve` serves a run that goes on; `folder_of` asks for another folder where that of a run is gone."""
        self._app = app
        self._board = board
        self._navigation = navigation
        self._serve = serve
        self._folder_of = folder_of

    def ask(self, run: RunModel, turn: int | None) -> None:
        """Ask how a fork of the run after that turn is to go on, and open it; None is the last that has ended."""
        work_told(self._app, self._fork(run, turn), group="forks", title="Fork")

    async def _fork(self, run: RunModel, turn: int | None) -> None:
        from maverick_tui.exceptions import ConfigError, MaverickError
        from maverick_tui.history.going_on import GoingOn
        from maverick_tui.runs.forking import fork_of, prompt_of, turn_of
        from maverick_tui.ui.dialogs.fork import ForkScreen

        if machine := one_line(run.machine):  # its folder, its agent and its conversation are there
            raise ConfigError(
                f"This run lives on {machine}, and nothing that it tells begins a run here.",
                hint=f"Fork it there: `maverick runs fork {run.run_id}` on {machine}.",
            )
        loaded = run.store.loaded
        is_guest = run.attached is not None and run.attached.is_guest  # its script is another application's
        if loaded is not None and loaded.is_offline and (run.rest is not None or is_guest):
            raise ConfigError("A script played this run and knows nothing of it any more: it can only be read.")
        events = run.told if run.rest is None else await asyncio.to_thread(_told_by, run.run_id)
        if loaded is None or not events:
            raise ConfigError("There is nothing to fork: the agent of this run is not loaded.", hint="Wait for it.")
        after = turn_of(events, turn)
        if (folder := await self._folder_of(run, Path(loaded.cwd))) is None:
            return
        agents = await asyncio.to_thread(_agents_in, folder)
        same = await asyncio.to_thread(fork_of, events, after, "", at=0.0)
        model = same.past.model or loaded.model
        files = await asyncio.to_thread(files_after, run.run_id, events, after, folder)
        asked = prompt_of(events, after + 1)
        mode = same.past.mode
        dialog = ForkScreen(
            after, asked, loaded.agent, agents, model, run_id=run.run_id, mode=mode, has_files=files is not None
        )
        if (wanted := await self._app.push_screen_wait(dialog)) is None:
            return
        at, run_id = round(time.time(), 3), uuid.uuid4().hex[:12]
        how = {"agent": wanted.agent, "model": wanted.model}
        try:
            made = await asyncio.to_thread(fork_of, events, after, run_id, at=at, **how)
            if wanted.brings_files and files is not None:
                told = await asyncio.to_thread(files.bring, made.run_id, made.agent, folder)
                self._app.notify(" ".join(told), title="Fork", markup=False)
        except (MaverickError, OSError):
            if wanted.prompt != asked and (screen := self._navigation.screen_of(run)) is not None:
                screen.bring_back(still_prompt(wanted.prompt), {})
            raise
        fork = RunModel(made.run_id, made.agent, self._board)
        self._board.add(fork)
        goes_on = GoingOn(made.run_id, made.agent, folder, made.past, None)
        self.begin(fork, goes_on, wanted.prompt)
        self._navigation.show_run(fork)

    def begin(self, run: RunModel, fork: GoingOn, prompt: str = "") -> None:
        """Serve a fork that is on the board, and ask it this, if anything."""
        if prompt:
            run.ask(prompt)
        work_told(self._app, self._begin(run, fork), group="forks", title="Fork")

    async def _begin(self, run: RunModel, fork: GoingOn) -> None:
        store = await asyncio.to_thread(store_of, fork.past.events)
        if run.run_id not in self._board.runs:
            return  # somebody has closed it
        store.queue.update(run.store.queue)
        run.store.become(store)
        if (screen := self._navigation.screen_of(run)) is not None:
            screen.run_reread()
        self._serve(run, fork)


class FilesThen(NamedTuple):
    """The files of a folder at the end of a turn."""

    root: Path
    snapshot: str
    turn: int
    commit: str
    """What was checked out then: begun with anything newer, they would take back what was committed since."""

    def bring(self, run_id: str, agent: str, cwd: Path) -> tuple[str, ...]:
        """Make a worktree for a run that begins with them; what the person should know. In a thread."""
        from maverick_tui.runs.placing import make_filled
        from maverick_tui.snapshots.laying_out import lay_out, nested
        from maverick_tui.snapshots.shadow import Shadow

        shadow = Shadow(self.root, is_asked_first=False)
        snapshot = shadow.read(self.snapshot)

        def fill(worktree: Worktree) -> list[str]:
            inside = Path(os.path.relpath(self.root, worktree.project))
            return [str(inside / path) for path in lay_out(shadow, snapshot, worktree.top / inside)]

        told = make_filled(run_id, agent, cwd, self.commit, fill)
        inner = nested(snapshot)
        left = f"Not brought back: the repositories inside, {', '.join(map(one_line, inner[:3]))}." if inner else ""
        text = f"It has the files as they were after turn {self.turn}, on the commit {self.commit[:7]} of then."
        return tuple(filter(None, (text, left, *told)))


def files_after(run_id: str, events: Sequence[Event], turn: int, cwd: Path) -> FilesThen | None:
    """The files of a run's folder after a turn, if they are known and a worktree can be made for them; in a thread."""
    from maverick_tui.events.kinds import SnapshotTaken
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.review.run_review import RunReview
    from maverick_tui.worktrees.making import base_of

    try:
        review = RunReview(run_id)
        git, _ = base_of(cwd)
    except ConfigError:  # it is not kept, or there is no repository: nothing can be offered
        return None
    snapshot = review.tree_after(turn)
    is_inside = review.root.is_relative_to(os.path.realpath(git.folder))
    taken = [event for event in events if isinstance(event, SnapshotTaken) and event.turn <= turn]
    commit = next((event.commit for event in reversed(taken) if event.commit and event.root == str(review.root)), "")
    return FilesThen(review.root, snapshot, turn, commit) if snapshot and commit and is_inside else None


def _told_by(run_id: str) -> list[Event]:
    """In a thread: it imports, and reads."""
    from maverick_tui.history.forking import told_by

    return told_by(run_id)


def _agents_in(folder: Path) -> list[str]:
    from maverick_tui.agent.catalog.discovery import discover

    return sorted(listing.name for listing in discover(folder).agents)
