"""Leaving: runs and the application end in good order, and the person is asked before anything is lost."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.inert import one_line
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.ui.rendering.wrap import cut
from maverick_tui.ui.run_at_rest import rest_of
from maverick_tui.ui.textual_private.names import is_plain

if TYPE_CHECKING:
    from textual.worker import Worker

    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.ui.dialogs.leaving import Fate
    from maverick_tui.ui.dialogs.short_questions import ConfirmScreen
    from maverick_tui.ui.navigation import Navigation

CLOSE_WITHIN = 4.0
HEARD_WITHIN = 1.0
"""Seconds in which a run in another process confirms what is wanted of it; it has it, if it lives."""
GIVE_UP = 6.0
"""Seconds after that in which the application ends, or is ended."""
LOOK_EVERY = 1.0
_QUOTED = 40
"""Columns of a quotation, enough to recognize the text."""
_MOST_QUOTED = 3


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
        """Runs that are still at work when the application is gone: what they are called, and how to name them."""

    def close_run(self, run: RunModel) -> None:
        """End a run and forget it; if something would be lost, or it could go on without us, ask first."""
        draft, is_at_work = self._navigation.typed_in(run), run in self._board.at_work
        if run.is_busy and run.attached is not None:
            from maverick_tui.ui.dialogs.leaving import LeavingScreen

            question = LeavingScreen(f"Close {run.title} while it is at work?", _at_work([run], {run: draft}))
            _ = self._app.push_screen(question, lambda fate: self._forget(run, fate) if fate else None)
        elif (confirm := _before_closing(run, draft, is_at_work=is_at_work)) is None:
            self._forget(run)
        else:
            _ = self._app.push_screen(confirm, lambda yes: self._forget(run) if yes else None)

    def _forget(self, run: RunModel, fate: Fate = "end") -> None:
        if run.run_id not in self._board.runs:
            return
        screen, beside = self._navigation.screen_of(run), self._navigation.forget(run)
        if run.attached is None or (run.is_busy and fate == "end"):
            run.close()
        else:
            if run.is_busy or not run.is_ours:
                text = f"Come back with: maverick attach {run.attached.named(run.run_id)}"
                self._app.notify(text, title=run.title, timeout=6, markup=False)
            self._app.run_worker(self._leave_run(run, fate), name=f"leave-{run.run_id}", exit_on_error=False)
        self._give_up([run], self._app.workers)
        if screen is None:
            self._navigation.runs_changed()
        elif beside is not None:
            self._navigation.show_run(beside)
        else:
            self._navigation.show_picker()

    async def _leave_run(self, run: RunModel, fate: Fate) -> None:
        """Leave a run that has a process of its own, once it has heard what is wanted of it."""
        if run.is_busy and fate == "interrupt":
            run.interrupt()
        elif run.is_ours and not run.is_busy:
            run.close(if_unused=True)
        if (attached := run.attached) is not None:
            with suppress(TimeoutError, asyncio.TimeoutError):
                async with asyncio.timeout(HEARD_WITHIN):
                    await attached.heard()
            attached.leave()

    def _give_up(self, runs: Iterable[RunModel], workers: Iterable[Worker[Any]]) -> None:
        """End the workers of runs that cannot take a command yet: these would begin after all."""
        waiting = {run.run_id for run in runs if run.handle is None}
        for worker in [worker for worker in workers if worker.name in waiting]:
            worker.cancel()

    def end_on_signals(self) -> None:
        """End in good order when the terminal goes, or somebody asks for it."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP"):
            if (number := getattr(signal, name, None)) is not None:
                with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows; not the main thread
                    loop.add_signal_handler(number, self.end_now, 128 + number)
        if is_plain() and sys.platform != "win32":
            self._app.set_interval(LOOK_EVERY, self._end_with_terminal)

    def _end_with_terminal(self) -> None:
        """Textual's own driver does not notice that the terminal is gone, and reads its end for ever."""
        poll = select.poll()
        poll.register(sys.__stdin__.fileno() if sys.__stdin__ else 0, 0)
        if any(state & select.POLLHUP for _, state in poll.poll(0)):
            self.end_now(128 + signal.SIGHUP)

    def quit(self) -> None:
        """Quit; with an agent at work, or something that was not sent, ask first."""
        from maverick_tui.ui.dialogs.leaving import LeavingScreen
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        if isinstance(self._app.screen, ConfirmScreen | LeavingScreen):
            return
        drafts = {run: self._navigation.typed_in(run) for run in self._board.runs.values()}
        busy = [run for run in drafts if run.is_busy]
        question = _before_quitting(drafts)
        if any(run.attached is not None for run in busy):
            title = "Quit while an agent is at work?" if len(busy) == 1 else "Quit while agents are at work?"
            asked = LeavingScreen(title, _at_work(busy, drafts))
            _ = self._app.push_screen(asked, lambda fate: self.end_now(0, fate) if fate else None)
        elif question is None:
            self.end_now(0)
        else:
            _ = self._app.push_screen(question, lambda yes: self.end_now(0) if yes else None)

    def end_now(self, code: int, fate: Fate = "leave") -> None:
        """Leave with an exit code; runs at work that can do without us have this fate."""
        if self._app.is_running and not self.begun.is_set():  # a window that closes while we leave says so once more
            self.begun.set()
            if is_plain():  # with a terminal that is gone, Textual's driver may never come to its end
                end = threading.Timer(
                    CLOSE_WITHIN + GIVE_UP, os.kill, (os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
                )
                end.daemon = True
                end.start()
            self._app.run_worker(self._leave(code, fate), name="leave", exit_on_error=False)

    async def _leave(self, code: int, fate: Fate) -> None:
        """Close every run that ends with us, so that no CLI stays behind, and then the application."""
        waiting = [one for one in self._app.workers if one.group in ("runs", "setup") and one.is_running]
        leaving = []
        for run in self._board.runs.values():
            if run.attached is None or (run.is_busy and fate == "end"):
                run.close()
            else:
                if run.is_busy:
                    state = "is still at work" if fate == "leave" else "waits for you"
                    self.left.append((f"{run.title} {state}", run.attached.named(run.run_id)))
                leaving.append(self._leave_run(run, fate))
        self._give_up(self._board.runs.values(), waiting)
        await asyncio.gather(*leaving)
        if waiting:
            with suppress(TimeoutError, asyncio.TimeoutError):
                async with asyncio.timeout(CLOSE_WITHIN):
                    await asyncio.gather(*(worker.wait() for worker in waiting), return_exceptions=True)
        self._app.exit(code)


def _before_closing(run: RunModel, draft: str, *, is_at_work: bool) -> ConfirmScreen | None:
    """The question whether to close a run that has `draft` in its prompt; None if nothing would be missed."""
    is_answered = (
        run.rest is None and run.attached is None and any(entry.kind in ("text", "tool") for entry in run.store.entries)
    )
    has_draft = _is_typed(run, draft)
    if not (is_at_work or is_answered or has_draft):
        return None
    from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

    fate = "What came is kept (maverick runs)." if run.is_kept else "What is on its screen goes with it."
    waits = run.store.planned is not None
    what = "cancels the planned continuation" if waits else "interrupts it"
    queued = ", and drops what is queued" if run.store.queue and not run.is_kept else ""
    lost = [
        *([f"Closing {what}{queued}."] if is_at_work else []),
        *([fate] if is_at_work or is_answered else []),
        *(["What you have typed and not sent is lost."] if has_draft else []),
    ]
    title = f"Close {run.title} while it is at work?" if is_at_work and not waits else f"Close {run.title}?"
    return ConfirmScreen(title, " ".join(lost), yes="Close", no="Keep")


def _before_quitting(drafts: Mapping[RunModel, str]) -> ConfirmScreen | None:
    """The question whether to leave all runs, each with what stands in its prompt; None if nothing would be missed."""
    busy = [run for run in drafts if run.is_busy]
    queued = [
        (run, f"{_quoted(text)} ({run.title}, queued)")
        for run in drafts
        if run.rest is None and run.is_ours
        for text in run.store.queue.values()
    ]
    waits = [words for run, words in queued if run.is_kept]
    unsent = [*(words for run, words in queued if not run.is_kept), *_unsent(drafts)]
    if not busy and not unsent and not waits:
        return None
    from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

    lost = []
    waiting = [run for run in busy if run.store.planned is not None]
    if working := [run for run in busy if run not in waiting]:
        are = "is" if len(working) == 1 else "are"
        lost.append(f"{_names(working)} {are} still running. Quitting interrupts; {_fate(working)}.")
    if waiting:
        wait = "waits" if len(waiting) == 1 else "wait"
        lost.append(f"{_names(waiting)} {wait} to continue. Quitting calls that off; {_fate(waiting)}.")
    lost += _listed("Not sent, and kept with its run:", waits) + _listed("Not sent, and lost:", unsent)
    title = "Quit while an agent is at work?" if busy else "Quit without sending this?"
    title = "Quit while an agent waits to go on?" if waiting and len(waiting) == len(busy) else title
    return ConfirmScreen(title, "\n\n".join(lost), yes="Quit", no="Stay")


def _unsent(drafts: Mapping[RunModel, str]) -> list[str]:
    """What is gone when these runs are left: what was typed, and what has not reached a run."""
    return [
        *(
            f"{_quoted(text)} ({run.title}, on its way)"
            for run in drafts
            if run.attached is not None
            for text in run.attached.unsent()
        ),
        *(f"{_quoted(draft)} ({run.title}, typed)" for run, draft in drafts.items() if _is_typed(run, draft)),
    ]


def _listed(heading: str, prompts: Sequence[str]) -> list[str]:
    """Some of them below the heading, and how many more there are; nothing if there are none."""
    if not prompts:
        return []
    more = [f"and {len(prompts) - _MOST_QUOTED} more"] if len(prompts) > _MOST_QUOTED else []
    return ["\n".join([heading, *prompts[:_MOST_QUOTED], *more])]


def _at_work(runs: Sequence[RunModel], drafts: Mapping[RunModel, str]) -> str:
    """What is said of runs at work, some of which can do without us, and of what was typed."""
    busy = [run for run in runs if run.attached is not None]
    here = [run for run in runs if run.attached is None]
    one = len(busy) == 1
    answers = [
        f"Leave at work: {'it goes' if one else 'they go'} on without you; come back with maverick.",
        f"Interrupt: {'it stops and waits' if one else 'they stop and wait'} for you.",
        f"End: {'it stops' if one else 'they stop'}{_afterwards(busy)}.",
    ]
    told = [f"{_names(busy)} {'is' if one else 'are'} still running.", "\n".join(answers)]
    if any(not run.is_kept and not _machine_of(run) for run in busy):
        told.append("What is not kept is gone once its process has ended.")
    if here:
        live = "lives in this window, and ends" if len(here) == 1 else "live in this window, and end"
        told.append(f"{_names(here)} {live} with it; {_fate(here)}.")
    return "\n\n".join([*told, *_listed("Not sent, and lost:", _unsent(drafts))])


def _afterwards(runs: Sequence[RunModel]) -> str:
    """What becomes of runs that are ended: whether they can go on from the history, and if none can, why not."""
    lasting = [run for run in runs if run.is_kept and rest_of(run.store).may_go_on]
    if len(lasting) == len(runs):
        return ", and can go on later from the history"
    if lasting:
        return f"; of them {_names(lasting)} can go on later from the history"
    if machines := sorted({machine for run in runs if (machine := _machine_of(run))}):
        return f"; what is kept of {'it' if len(runs) == 1 else 'them'} is on {', '.join(machines)}"
    is_scripted = all(run.store.loaded is not None and run.store.loaded.is_offline for run in runs)
    return f", and cannot go on later{': a script plays it' if is_scripted else ''}"


def _machine_of(run: RunModel) -> str:
    """The machine that it lives on, if that is another one."""
    return one_line(run.attached.machine) if run.attached is not None else ""


def _names(runs: Sequence[RunModel]) -> str:
    return ", ".join(run.title for run in runs)


def _fate(runs: Sequence[RunModel]) -> str:
    is_kept = all(run.is_kept for run in runs)
    return "what came so far is kept (maverick runs)" if is_kept else "what is on the screen is lost"


def _is_typed(run: RunModel, draft: str) -> bool:
    """Whether it would be lost: it is not a prompt of the run brought back."""
    sent = (entry.text for entry in run.store.entries if isinstance(entry, PromptEntry))
    return bool(draft.strip()) and draft.strip() not in map(str.strip, sent)


def _quoted(text: str) -> str:
    return f'"{cut(one_line(text), _QUOTED)}"'
