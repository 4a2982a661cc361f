"""Leaving: runs and the application end in good order, and the person is asked before anything is lost."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from textual.app import App

from maverick_tui.signals import TOLD_TO_END
from maverick_tui.threads import AWAITED, may_be_stopped, stop_awaited
from maverick_tui.ui.following import wait_until_heard
from maverick_tui.ui.leaving_words import Warned, asked_to_close, asked_to_quit, before_closing, before_quitting
from maverick_tui.ui.textual_private.asking import end_soon
from maverick_tui.ui.textual_private.names import is_plain

if TYPE_CHECKING:
    from textual.worker import Worker

    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.ui.dialogs.leaving import Asked, Fate
    from maverick_tui.ui.navigation import Navigation

CLOSE_WITHIN = 4.0
GIVE_UP = 6.0
"""Seconds after that in which the application ends, or is ended."""
LOOK_EVERY = 1.0
_WAITS = "waits for you"
_UNTOLD: dict[Fate, str] = {
    "interrupt": "could not be interrupted, and may still be at work",
    "end": "could not be told to end, and may still be at work",
}
_NOTHING_LOST = Warned("Quit?", "Nothing is at work any more, and nothing would be lost.")

_COMMITTING = Warned(
    "Quit while a commit is being made?",
    "Quitting ends it, with the hook or program that git waits for: then nothing is committed.",
)


class _Parting(NamedTuple):
    """What has come of leaving a run that has a process of its own."""

    name: str
    """As commands name it."""
    state: str
    """What is to be said of it once we are gone; empty if nothing is."""
    unheard: Mapping[str, str]
    """The prompts that it has not heard, by id."""
    is_untold: bool = False
    """Whether it was at work, and has not heard what was chosen for it."""


@runtime_checkable
class KeepsWords(Protocol):
    """A screen on which something may be half written."""

    async def end_writing(self, *, is_kept: bool) -> None:
        """Keep it, or drop it: whoever leaves has been asked."""


class Leaving:
    """Closes one run, or all of them and the application."""

    def __init__(self, app: App[int], board: Board, navigation: Navigation) -> None:
        """Nobody leaves yet."""
        self._app = app
        self._board = board
        self._navigation = navigation
        self.begun = asyncio.Event()
        """Set once the application is being left."""
        self.left: list[tuple[str, str]] = []
        """Runs that are still there when the application is gone: what they are called, and how to name them."""
        self._follow: Callable[[], None] | None = None
        """Brings the question that is being asked up to date."""

    def close_run(self, run: RunModel) -> None:
        """End a run and forget it; if something would be lost, or it could go on without us, ask first."""
        draft, is_at_work = self._navigation.typed_in(run), run in self._board.at_work
        if run.is_busy and run.attached is not None:
            self._ask_fate(lambda: asked_to_close(run, draft), lambda fate: self._forget(run, fate))
        elif before_closing(run, draft, is_at_work=is_at_work) is None:
            self._forget(run)
        else:

            def warn() -> Warned | None:
                return before_closing(run, draft, is_at_work=run in self._board.at_work)

            gone = Warned(f"Close {run.title}?", "It is at rest, and nothing would be lost.")
            self._confirm(warn, gone, "Close", "Keep", lambda: self._forget(run))

    def follow(self) -> None:
        """A run has told something: what is asked about it is asked as things are now."""
        if self._follow is not None:
            self._follow()

    def _ask_fate(self, ask: Callable[[], Asked], act: Callable[[Fate], None]) -> None:
        """Ask what is to become of agents at work, unless one would rather stay."""
        from maverick_tui.ui.dialogs.leaving import LeavingScreen

        def answered(fate: Fate | None) -> None:
            self._follow = None
            if fate is not None:
                act(fate)

        question = LeavingScreen(ask)
        self._follow = question.follow
        _ = self._app.push_screen(question, answered)

    def _confirm(
        self, warn: Callable[[], Warned | None], nothing: Warned, yes: str, no: str, act: Callable[[], None]
    ) -> None:
        """Ask whether to leave all the same; if there is nothing to warn of any more, the question says so."""
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        def answered(is_yes: bool | None) -> None:
            self._follow = None
            if is_yes:
                act()

        question = ConfirmScreen(*(warn() or nothing), yes=yes, no=no)
        self._follow = lambda: question.retell(*(warn() or nothing))
        _ = self._app.push_screen(question, answered)

    def _forget(self, run: RunModel, fate: Fate | None = None) -> None:
        if run.run_id not in self._board.runs:
            return
        fate = fate or ("end" if run.is_busy else "leave")  # of one at rest, only that we go was agreed to
        screen, beside = self._navigation.screen_of(run), self._navigation.forget(run)
        if run.attached is None:
            run.close()
        else:
            if fate != "end" if run.is_busy else not run.is_ours or run.on_its_way:
                text = f"Come back with: maverick attach {run.attached.named(run.run_id)}"
                self._app.notify(text, title=run.title, timeout=6, markup=False)
            self._app.run_worker(self._close_run(run, fate), name=f"leave-{run.run_id}", exit_on_error=False)
        self._give_up([run], self._app.workers)
        if screen is None:
            self._navigation.runs_changed()
        elif beside is not None:
            self._navigation.show_run(beside)
        else:
            self._navigation.show_picker()

    async def _close_run(self, run: RunModel, fate: Fate) -> None:
        """Leave one that has a process of its own, and say so if it could not be told what was chosen."""
        parting = await self._leave_run(run, fate)
        if parting.is_untold:
            text = f"It {parting.state}: maverick attach {parting.name}"
            self._app.notify(text, title=run.title, severity="warning", timeout=15, markup=False)

    async def _leave_run(self, run: RunModel, fate: Fate, *, is_to_end: bool = True) -> _Parting:
        """Leave a run that has a process of its own, once it has heard what is wanted of it; one at rest may end."""
        if (attached := run.attached) is None:
            return _Parting("", "", run.undelivered)
        is_busy, is_coming, is_held_up = run.is_busy, bool(run.on_its_way), _waits(run)
        works = "still runs a command" if is_busy and not run.is_agent_busy else "is still at work"
        if fate == "end" and (is_busy or is_coming):
            run.close()
        elif fate == "interrupt" and (is_busy or is_coming):
            run.interrupt()
        elif run.is_ours and not is_busy and is_to_end:
            run.close(if_unused=True)
        heard = await wait_until_heard(run)
        is_untold = fate != "leave" and run.is_busy and not heard.is_all
        is_at_work = is_busy or (is_coming and heard.is_all)
        if is_untold or not is_at_work or fate != "end":  # one that ends is followed until it has
            attached.leave()
        if is_untold:
            state = _UNTOLD[fate]
        elif is_at_work:
            state = {"leave": works, "interrupt": _WAITS, "end": ""}[fate]
        else:
            state = _WAITS if is_held_up else ""
        return _Parting(attached.named(run.run_id), state, heard.prompts_left, is_untold)

    def _give_up(self, runs: Iterable[RunModel], workers: Iterable[Worker[Any]]) -> None:
        """End the workers of runs that cannot take a command yet: these would begin after all."""
        waiting = {run.run_id for run in runs if run.handle is None}
        for worker in [worker for worker in workers if worker.name in waiting]:
            worker.cancel()

    def end_on_signals(self) -> None:
        """End in good order when the terminal goes, or somebody asks for it."""
        loop = asyncio.get_running_loop()
        for number in TOLD_TO_END:
            with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; not the main thread
                loop.add_signal_handler(number, self.end_now, 128 + number)
                # The loop hears of it all the same, but not while it waits for a terminal that takes nothing.
                signal.signal(number, lambda *_: end_soon(self._app))
        if sys.platform != "win32" and sys.__stdin__ is not None and sys.__stdin__.isatty():
            self._app.set_interval(LOOK_EVERY, self._end_with_terminal)

    def _end_with_terminal(self) -> None:
        """Look whether the terminal is gone: a signal is lost while hundreds of keys wait for us, and Textual's own
        driver does not notice at all.
        """
        poll = select.poll()
        poll.register(sys.__stdin__.fileno() if sys.__stdin__ else 0, 0)
        if any(state & select.POLLHUP for _, state in poll.poll(0)):
            self.end_now(128 + signal.SIGHUP)

    def quit(self) -> None:
        """Quit; with a race that is open, an agent at work, or something that was not sent, ask first."""
        from maverick_tui.ui.dialogs.leaving import LeavingScreen
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        if isinstance(self._app.screen, ConfirmScreen | LeavingScreen):
            return
        if (race := self._navigation.open_race) is not None:
            race.ask_to_end("Quit and end the race?", "Quit", self._quit_runs)
        else:
            self._quit_runs()

    def _quit_runs(self) -> None:
        if may_be_stopped():
            self._confirm(_before_commit, _NOTHING_LOST, "Quit", "Stay", self._ask_about_runs)
        else:
            self._ask_about_runs()

    def _ask_about_runs(self) -> None:
        drafts = {run: self._navigation.typed_in(run) for run in self._board.runs.values()}
        drafts |= self._said_of_changes()
        busy = [run for run in drafts if run.is_busy]
        # One to which something is on its way will be at work in a moment, and may be able to do without us then.
        if any(run.attached is not None for run in busy) or any(run.on_its_way for run in drafts):
            keeps = self._navigation.drafts.would_keep
            self._ask_fate(lambda: asked_to_quit(busy, drafts, keeps), lambda fate: self.end_now(0, fate))
        elif before_quitting(drafts) is None:
            self.end_now(0)
        else:
            self._confirm(lambda: before_quitting(drafts), _NOTHING_LOST, "Quit", "Stay", lambda: self.end_now(0))

    def _said_of_changes(self) -> dict[RunModel, str]:
        """What somebody is writing about the changes of a run: a comment, a reason, the message of a commit."""
        from maverick_tui.ui.changes.screen import ChangesScreen
        from maverick_tui.ui.widgets.prompt import Prompt

        for below, dialog in pairwise(self._app.screen_stack):  # over the dialog there may be the help
            words = [prompt.text for prompt in dialog.query(Prompt)] if isinstance(below, ChangesScreen) else []
            if isinstance(below, ChangesScreen) and words and words[0].strip():
                return {below.model: words[0]}
        return {}

    def end_now(self, code: int, fate: Fate = "leave") -> None:
        """Leave with an exit code; runs at work that can do without us have this fate."""
        if self._app.is_running and not self.begun.is_set():  # a window that closes while we leave says so once more
            self.begun.set()
            if not code:  # whoever quits has agreed to that
                stop_awaited()
            if not code and (race := self._navigation.open_race) is not None:
                race.end()  # whoever quits has agreed to that; a window that closes decides nothing
            if is_plain():  # with a terminal that is gone, Textual's driver may never come to its end
                end = threading.Timer(CLOSE_WITHIN + GIVE_UP, end_whatever_waits)
                end.daemon = True
                end.start()
            self._app.run_worker(self._leave(code, fate), name="leave", exit_on_error=False)

    async def _leave(self, code: int, fate: Fate) -> None:
        """Close every run that ends with us, so that no CLI stays behind, and then the application."""
        waiting = [one for one in self._app.workers if one.group in ("runs", "setup") and one.is_running]
        leaving: dict[RunModel, Awaitable[_Parting]] = {}
        unheard: dict[RunModel, Mapping[str, str]] = {}
        for run in self._board.runs.values():
            if run.attached is None:
                unheard[run] = run.undelivered
                run.close()
            else:
                leaving[run] = self._leave_run(run, fate, is_to_end=not _waits(run))
        self._give_up(self._board.runs.values(), waiting)
        left = asyncio.gather(*leaving.values())
        await asyncio.gather(left, self._end_editors())
        partings = dict(zip(leaving, left.result(), strict=True))
        self.left += [(f"{run.title} {one.state}", one.name) for run, one in partings.items() if one.state]
        if waiting:
            with suppress(TimeoutError, asyncio.TimeoutError):
                async with asyncio.timeout(CLOSE_WITHIN):
                    await asyncio.gather(*(worker.wait() for worker in waiting), return_exceptions=True)
        unheard |= {run: one.unheard for run, one in partings.items()}
        kept = self._navigation.keep_undelivered(unheard, is_typed_kept=bool(code))
        if code:  # the terminal has gone, or somebody has ended us: nobody was asked
            await self._navigation.learn_keeps_runs()
            await self._navigation.drafts.keep_now()
        else:
            await self._navigation.drafts.drop_all(kept | (self._navigation.words.run_ids - {*self._board.runs}))
        for screen in self._app.screen_stack:
            if isinstance(screen, KeepsWords):
                await screen.end_writing(is_kept=bool(code))
        self._navigation.unsent.let_go()
        self._app.exit(code or int(any(one.is_untold for one in partings.values())))

    async def _end_editors(self) -> None:
        """End them before drafts are kept: what was saved there a moment ago is in the prompt only then."""
        editors = [one for one in self._app.workers if one.group == "editor" and one.is_running]
        for editor in editors:
            editor.cancel()
        await asyncio.gather(*(editor.wait() for editor in editors), return_exceptions=True)
        if editors:
            self._navigation.look_at_drafts()


def end_whatever_waits() -> None:
    """End this process, whatever holds it up; only a commit or an undo that is being made is waited for."""
    for thread in threading.enumerate():
        if thread.name == AWAITED:
            thread.join()
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def _before_commit() -> Warned | None:
    """The question whether to leave a commit that is being made."""
    return _COMMITTING if may_be_stopped() else None


def _waits(run: RunModel) -> bool:
    """Whether somebody has stopped it on its way, to go on from there: that is not done, though it does nothing."""
    return run.is_ours and not run.is_busy and run.store.phase == "interrupted"
