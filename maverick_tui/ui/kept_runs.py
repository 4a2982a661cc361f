"""KeptRuns: kept runs in the application. They are opened to be read, and what is sent to one makes it go on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.inert import one_line
from maverick_tui.runs.board import Rest, RunModel
from maverick_tui.ui.hosting import has_host
from maverick_tui.ui.returning import Returning
from maverick_tui.ui.run_at_rest import GOES_ON, RunAtRest, rest_of
from maverick_tui.ui.told_work import work_told
from maverick_tui.ui.widgets.pastes import still_prompt

if TYPE_CHECKING:
    from maverick_tui.exceptions import MaverickError
    from maverick_tui.history.going_on import GoingOn
    from maverick_tui.history.opening import OpenedRun
    from maverick_tui.runs.board import Board
    from maverick_tui.runs.commands import Command
    from maverick_tui.runs.entries import Entry
    from maverick_tui.runs.store import RunStore
    from maverick_tui.ui.navigation import Navigation
    from maverick_tui.ui.serving import Serving

READING = "Reading all of its"
PAINTED_WITHIN = 1.0
"""Seconds after which the rest is read whatever is painted."""
_AFTERWARDS = "You are only reading this run. Send a prompt to continue it."


class KeptRuns:
    """Brings kept runs to the board, and has them go on."""

    def __init__(
        self,
        app: App[Any],
        board: Board,
        navigation: Navigation,
        serving: Serving,
        folder: Callable[[], Path | None],
    ) -> None:
        """`folder` is the one to suggest for a run whose own is gone."""
        self._app = app
        self._board = board
        self._navigation = navigation
        self._serving = serving
        self._folder = folder
        self._opening: list[str] = []
        """The ids of the runs that are being read."""

    # -- reading ------------------------------------------------------------------------------------------------------

    def await_reading(self, run: RunModel) -> None:
        """Have a run wait to be opened whose screen is there already."""
        _ = run.lay_down(RunAtRest(run, self), Rest("Reading it", may_go_on=False))

    def ended(self, run: RunModel) -> None:
        """A run has ended while it is still shown: if it is kept, it can be read on, and go on."""
        if run.run_id in self._board.runs and run.is_kept and run.store.is_ended:
            _ = run.lay_down(RunAtRest(run, self), rest_of(run.store))

    def left(self, run: RunModel, unsent: str) -> None:
        """A run in a process of its own is not followed any more, while it is still shown: its journal has the rest."""
        if run.run_id not in self._board.runs:
            return
        if run.store.is_ended:
            self.ended(run)
        else:
            self.await_reading(run)
            self._work(self._open(run.run_id, None, (), is_left=True))
        self.give_back(run, unsent)

    def open(self, run_id: str, number: int | None = None, words: Sequence[str] = ()) -> None:
        """Show a run as it stands; at the event with that number, with these words marked."""
        self._work(self._open(run_id, number, words))

    async def _open(self, run_id: str, number: int | None, words: Sequence[str], *, is_left: bool = False) -> None:
        self._opening.append(run_id)
        try:
            await self._read(run_id, number, words, is_left=is_left)
        finally:
            self._opening.remove(run_id)

    async def _read(self, run_id: str, number: int | None, words: Sequence[str], *, is_left: bool) -> None:
        """Show it; one that was left is read again where it is, and not followed."""
        run = self._board.runs.get(run_id)
        is_served = run is not None and run.rest is None
        if run is not None and is_served:
            self._navigation.show_run(run)
            if number is None:
                return
        if not is_left and not is_served and number is None and await asyncio.to_thread(has_host, run_id):
            self._follow(run_id)
            return
        from maverick_tui.exceptions import ConfigError

        first: Rest | None = None
        try:
            part = None if is_served else await asyncio.to_thread(_open_part, run_id, number)
            if part is not None:
                first = rest_of(part.store)._replace(words=f"{READING} {part.events:,} events")
                run = self._show(part, first, number, words, is_left=is_left)
                await self._painted(run)
            opened = await asyncio.to_thread(_open_run, run_id, number)
            if run is not None and not is_served:
                await self._prepare(run, opened.store, _between(part.entry, opened.entry) if part is not None else None)
        except ConfigError as error:
            self._say(error)
            if run is not None and run.rest is not None and run.store.entries:
                run.rest = Rest(f"It cannot be read: {one_line(error.message)}", may_go_on=False)
            elif run is not None and run.rest is not None:  # there is nothing to look at
                self._navigation.forget(run)
                self._navigation.show_picker()
            return
        if run is not None and is_served:
            opened.store.renumber(distance(run.store, opened.store))
            self._show_place(run, opened.entry, words)
        elif part is None or run is None:
            rest = rest_of(opened.store, is_damaged=bool(opened.problem))
            self._show(opened, rest, number, words, is_left=is_left)
        elif run.rest is first:  # else it has gone on meanwhile, or was opened again
            run.rest = rest_of(opened.store, is_damaged=bool(opened.problem))
            self._reread(run, opened.store, _between(part.entry, opened.entry))
        if opened.problem:
            self._app.notify(one_line(opened.problem), title="Kept run", severity="warning", timeout=10, markup=False)

    def _follow(self, run_id: str) -> None:
        """Show a run that lives in a process of its own, unless somebody was faster."""
        run = self._board.runs.get(run_id) or RunModel(run_id, "", self._board)
        if run.run_id not in self._board.runs or run.rest is not None:
            self._board.add(run)
            run.begin_anew()
            self._serving.attach(run)
        self._navigation.show_run(run)

    def _show(
        self, opened: OpenedRun, rest: Rest, number: int | None, words: Sequence[str], *, is_left: bool = False
    ) -> RunModel:
        known = self._board.runs.get(opened.run_id)
        if known is not None and known.rest is None:  # it has gone on while it was read: it shows more than this
            self._navigation.show_run(known)
            return known
        run = known or RunModel(opened.run_id, opened.agent, self._board)
        _ = run.lay_down(RunAtRest(run, self), rest)
        run.agent = opened.agent
        if known is not None:
            self._reread(run, opened.store, distance(run.store, opened.store))
        else:
            run.store = opened.store
            self._board.add(run)
        if self._navigation.shown_run is not run and not is_left:
            self._navigation.show_run(run)
        if number is not None:
            self._show_place(run, opened.entry, words)
        return run

    async def _painted(self, run: RunModel) -> None:
        """Wait until it is on the screen: to read the rest takes the interpreter from those who paint."""
        painted = asyncio.Event()
        screen = self._navigation.screen_of(run)
        if screen is not None and screen.call_after_refresh(painted.set):
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(PAINTED_WITHIN):
                    await painted.wait()

    def _show_place(self, run: RunModel, entry: Entry | None, words: Sequence[str]) -> None:
        if entry is not None and (screen := self._navigation.screen_of(run)) is not None:
            screen.show_at(entry.number, words)

    async def _prepare(self, run: RunModel, store: RunStore, renumbered_by: int | None = None) -> None:
        """Get ready for what the run's store is to become, so that keys do not wait for that."""
        by = distance(run.store, store) if renumbered_by is None else renumbered_by
        await asyncio.to_thread(store.renumber, by)
        if (screen := self._navigation.screen_of(run)) is not None and screen.is_mounted:
            await screen.transcript.prepare(store)

    def take_in(self, run: RunModel, store: RunStore) -> None:
        """Show a run as this store has it; what is looked at stays where it is."""
        self._reread(run, store, distance(run.store, store))
        if self._navigation.screen_of(run) is not None:
            self._navigation.entitle(run)
        self._navigation.runs_changed()

    def _reread(self, run: RunModel, store: RunStore, renumbered_by: int) -> None:
        run.store.become(store, renumbered_by)
        if (screen := self._navigation.screen_of(run)) is not None:
            screen.run_reread()
        self._navigation.on_reread(run)

    # -- going on -----------------------------------------------------------------------------------------------------

    def resume(self, run: RunModel, prompt: str | None, folder: Path) -> None:
        """Have a run go on whose screen is there already, with a prompt if there is one."""
        from maverick_tui.runs.commands import Reconnect

        self.go_on(run, [Reconnect()], folder)
        if prompt is not None:
            run.ask(prompt)

    def follow_returning(self) -> None:
        """From now on, follow runs at rest again that somebody else has go on: what they ask is asked here, too."""
        looking = Returning(self._board, self._can_follow).look(self._follow_again)
        work_told(self._app, looking, group="returning", title="Kept run")

    def _can_follow(self, run: RunModel) -> bool:
        """Not while it is being read, nor below a dialog: that asks about a run at rest."""
        return run.run_id not in self._opening and not any(screen.is_modal for screen in self._app.screen_stack)

    def _follow_again(self, run: RunModel) -> None:
        """Show what it tells from now on, below what is there; what is typed for it stays in its prompt."""
        is_read_only = run.is_read_only
        run.come_back(run.handle.wanted if isinstance(run.handle, RunAtRest) else ())
        run.is_read_only = is_read_only
        self._serving.attach(run)

    def go_on(self, run: RunModel, wanted: Sequence[Command], folder: Path | None = None) -> None:
        """Have a run go on with what is wanted of it, in its own folder or in another; what is wanted then follows."""
        rest = run.rest or Rest(GOES_ON)
        run.come_back(wanted)
        self._work(self._go_on(run, rest, folder))

    async def _go_on(self, run: RunModel, rest: Rest, folder: Path | None) -> None:
        from maverick_tui.exceptions import ConfigError

        try:
            found, store = await asyncio.to_thread(_to_go_on, run.run_id)
        except ConfigError as error:
            if await asyncio.to_thread(has_host, run.run_id):  # somebody else has brought it back
                if run.run_id in self._board.runs:
                    run.begin_anew()
                    self._serving.attach(run)
                return
            self._say(error)
            self._lay_down_again(run, rest)
            if run.store.looked_at is not None:  # it is still at work elsewhere, and may have told more since
                await self._open(run.run_id, None, ())
            return
        folder = await self.folder_of(run, folder or found.folder)
        await self._prepare(run, store)
        if run.run_id not in self._board.runs:
            return  # somebody has closed it
        if folder is None:
            self._lay_down_again(run, rest)
            return
        store.queue, store.held = run.store.queue, run.store.held
        self._reread(run, store, distance(run.store, store))
        found = found.by(run.agent) if found.is_foreign else found  # who goes on with a session is the person's to say
        self._serving.go_on(run, found._replace(folder=folder))

    async def folder_of(self, run: RunModel, folder: Path) -> Path | None:
        """The folder, or the one that the person names instead of it; None if that is none."""
        if await asyncio.to_thread(folder.is_dir):
            return folder
        from maverick_tui.ui.dialogs.path import PathScreen

        question = PathScreen(
            f"{run.title} cannot continue where it was",
            f"Its folder {folder} is gone. Where should it continue?",
            self._folder() or Path.cwd(),
            enter="go on there",
            problem_of=lambda path: "" if path.is_dir() else f"There is no folder {path}.",
        )
        return await self._app.push_screen_wait(question)

    def _lay_down_again(self, run: RunModel, rest: Rest) -> None:
        """It does not go on after all; what was typed for it stands in its prompt again."""
        from maverick_tui.runs.commands import words_in

        handle = RunAtRest(run, self)
        wanted = run.lay_down(handle, rest)
        handle.remember(wanted)
        self.give_back(run, "\n".join(words_in(wanted).values()))

    def give_back(self, run: RunModel, typed: str) -> None:
        """Let prompts that did not arrive stand in the run's prompt again; whoever wrote them, they are no commands."""
        typed, screen = still_prompt(typed), self._navigation.screen_of(run)
        if screen is not None and screen.is_mounted:
            screen.prompt.put_before(typed)
            screen.status_clock.refresh_now()
        else:
            state = self._navigation.prompt_of(run)
            state.draft = "\n".join(filter(None, (typed, state.draft)))
            self._navigation.keep_draft(run)

    # -- saying -------------------------------------------------------------------------------------------------------

    def refuse(self, run: RunModel, command: Command) -> None:
        """Say why nothing comes of what is wanted."""
        from maverick_tui.runs.commands import CloseRun, Interrupt

        if run.rest is not None and not isinstance(command, CloseRun | Interrupt):
            goes_on_here = run.rest.may_go_on and run.store.looked_at is None
            words = _AFTERWARDS if goes_on_here else f"{run.rest.words}."
            self._app.notify(words, title=run.title, timeout=6, markup=False)

    def name(self, run: RunModel, name: str) -> None:
        """Call a kept run by a name."""
        from maverick_tui.exceptions import ConfigError
        from maverick_tui.history.labels import name_run

        try:
            run.store.name = name_run(run.run_id, name).name
        except ConfigError as error:
            self._say(error)
        self._navigation.entitle(run)
        self._navigation.show_state(run)

    def choose_model(self, run: RunModel, model: str) -> None:
        """Say that another model answers once a run goes on."""
        run.store.model = model
        self._app.notify(f"{one_line(model)} answers once it goes on.", title=run.title, timeout=6, markup=False)
        self._navigation.show_state(run)

    def drop_queued(self, run: RunModel, prompt_id: str) -> None:
        """Let a prompt that a run was never sent wait no longer."""
        _ = run.store.queue.pop(prompt_id, None)
        run.store.held.discard(prompt_id)
        self._navigation.show_state(run)

    def _work(self, work: Coroutine[Any, Any, None]) -> None:
        work_told(self._app, work, group="kept", title="Kept run")

    def _say(self, error: MaverickError) -> None:
        text = one_line(f"{error.message} {error.hint}")
        self._app.notify(text, title="Kept run", severity="warning", timeout=10, markup=False)


def distance(shown: RunStore, other: RunStore) -> int:
    """By how much the entries of the other store are to be renumbered, so that those which are shown are the same.

    Both have the beginning of the run, or else they have its end.
    """
    if not shown.entries or not other.entries:
        return 0
    first, same = shown.entries[0], other.entries[0]
    begins_alike = (first.at, first.turn, first.kind) == (same.at, same.turn, same.kind)
    return _between(first, same) if begins_alike else _between(shown.entries[-1], other.entries[-1])


def _between(entry: Entry | None, same: Entry | None) -> int:
    """By how much the number of the same entry in another store is to grow."""
    return entry.number - same.number if entry is not None and same is not None else 0


# -- in threads, for they import and read ------------------------------------------------------------------------------


def _open_part(run_id: str, number: int | None) -> OpenedRun | None:
    from maverick_tui.history.opening import open_part

    return open_part(run_id, number)


def _open_run(run_id: str, number: int | None) -> OpenedRun:
    from maverick_tui.history.opening import open_run

    return open_run(run_id, number)


def _to_go_on(run_id: str) -> tuple[GoingOn, RunStore]:
    from maverick_tui.history.going_on import to_go_on
    from maverick_tui.history.opening import store_of

    found = to_go_on(run_id)
    return found, store_of(run_id, found.past.events)[0]
