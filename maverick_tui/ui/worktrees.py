"""Worktrees of the runs on the screen: asks what is to become of one, ends its run, and does it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from maverick_tui.exceptions import MaverickError
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from textual.app import App

    from maverick_tui.runs.board import Board, RunModel
    from maverick_tui.ui.dialogs.worktree import Becomes, Left
    from maverick_tui.worktrees.records import Worktree

TITLE = "Worktree"
ENDS_WITHIN = 60.0
"""Seconds in which a run has ended whose worktree is to be dealt with."""
ENDED = "Its run has ended for that; it can go on later, from the history."
_LOOK_EVERY = 0.05


class Worktrees:
    """Asks in a worker, and works in threads: git takes its time, and files are read."""

    def __init__(self, app: App[Any], board: Board) -> None:
        self._app = app
        self._board = board

    def ask(self, run: RunModel) -> None:
        """Ask what is to become of the worktree of this run."""
        self._work(self._ask(run))

    def close(self, run: RunModel, close: Callable[[], None]) -> None:
        """A run is to be closed: ask about its worktree first, if it has one with something in it."""
        loaded = run.store.loaded
        if loaded is None or not loaded.project or run.is_busy or run.machine:
            close()
        else:
            self._work(self._ask(run, close))

    def tidy(self) -> None:
        """Remove what races that were killed have left."""
        self._work(self._tidy())

    async def _tidy(self) -> None:
        if removed := await asyncio.to_thread(_tidy_races):
            self._say(f"What a race that was killed had left is removed: {removed} worktrees.")

    async def _ask(self, run: RunModel, close: Callable[[], None] | None = None) -> None:
        found = None if run.machine else await asyncio.to_thread(_look, run.run_id, run.title)
        if found is None:
            if close is not None:
                close()
            else:
                self._say("This run works in the folder itself. Alt+W on an agent starts it in a worktree of its own.")
            return
        worktree, left = found
        if close is not None and left.lost == "nothing":
            close()
            return
        if self._is_at_work(run):
            return
        becomes, left = await self._choice(run, left)
        if becomes is None or (becomes == "remove" and not await self._is_sure(run)):
            return
        if becomes != "leave":
            loses = () if becomes == "remove" else await self._lets_go(run, becomes)
            if self._is_at_work(run):  # by another window, or a task that has ended: its work is half done
                return
            await self._carry_out(run, worktree, becomes, loses=loses, onto=left.head)
        if close is not None:
            close()

    async def _choice(self, run: RunModel, left: Left) -> tuple[Becomes | None, Left]:
        """What is to become of it, asked again if it has become something else while the person looked."""
        from maverick_tui.ui.dialogs.worktree import WorktreeScreen

        while (becomes := await self._app.push_screen_wait(WorktreeScreen(left))) in ("merge", "keep"):
            found = await asyncio.to_thread(_look, run.run_id, run.title)
            if found is None or found[1] == left:
                break
            left = found[1]
            self._say("Something has changed there since: look again.")
        return becomes, left

    def _is_at_work(self, run: RunModel) -> bool:
        """Whether it is, which is said then: nothing becomes of a worktree in the middle of a turn."""
        if run.is_busy:
            self._say("It is at work. Ask again once it has settled, or interrupt it.")
        return run.is_busy

    async def _is_sure(self, run: RunModel) -> bool:
        """Ask about all that would be lost, and again if that has become something else while the person looked."""
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        told: Left | None = None
        while (found := await asyncio.to_thread(_look, run.run_id, run.title)) is not None:
            left = found[1]
            if left == told or left.lost == "nothing":
                return True
            anew = "Something has changed there since. " if told is not None else ""
            question = ConfirmScreen("Remove it?", f"{anew}It would lose {left.lost}.", yes="Remove", no="Keep")
            if not await self._app.push_screen_wait(question):
                return False
            told = left
        return True  # it is gone, which is said by what removes it

    async def _lets_go(self, run: RunModel, becomes: Becomes) -> tuple[str, ...]:
        """What may go with the worktree of what no commit has; it stays for any more. All else is dealt with anyway."""
        from maverick_tui.ui.dialogs.short_questions import ConfirmScreen

        found = await asyncio.to_thread(_look, run.run_id, run.title)
        if found is None or not found[1].in_no_commit:
            return ()
        left, done = found[1], "merged" if becomes == "merge" else "kept"
        text = f"It would lose {left.in_no_commit}. All else is {done} either way."
        question = ConfirmScreen("Remove the worktree as well?", text, yes="Remove", no="Leave it")
        return left.paths_in_no_commit if await self._app.push_screen_wait(question) else ()

    async def _carry_out(
        self, run: RunModel, worktree: Worktree, becomes: Becomes, *, loses: tuple[str, ...], onto: str
    ) -> None:
        """End the run, for nobody may work there meanwhile, and do it. ConfigError if it cannot be done.

        `loses` may be lost of what no commit has, and it is merged into nothing but `onto`.
        """
        from maverick_tui.host import worktrees

        has_ended = run.is_ours
        if run.is_ours:
            run.close()
        async with asyncio.timeout(ENDS_WITHIN):
            while await asyncio.to_thread(worktrees.has_run, worktree):  # noqa: ASYNC110 - files tell it
                await asyncio.sleep(_LOOK_EVERY)
        try:
            if becomes == "remove":
                told = await asyncio.to_thread(worktrees.remove, worktree)
            elif becomes == "merge":
                told = await asyncio.to_thread(worktrees.merge, worktree, loses=loses, onto=onto)
            else:
                told = await asyncio.to_thread(worktrees.keep, worktree, loses=loses)
        except MaverickError as error:
            self._note(run, f"{error.message} {error.hint}")
            raise
        self._note(run, told)
        self._say(f"{told} {ENDED}" if has_ended else told)

    def _note(self, run: RunModel, text: str) -> None:
        """Let what came of it stand at the end of the run, as long as that is shown here: its journal has ended."""
        from maverick_tui.events.kinds import LONGEST_NOTICE, Noticed

        self._board.receive(run, Noticed(time.time(), "worktree", beginning(one_line(text), LONGEST_NOTICE)))

    def _work(self, work: Any) -> None:
        work_told(self._app, work, group="worktrees", title=TITLE)

    def _say(self, text: str) -> None:
        self._app.notify(one_line(text), title=TITLE, timeout=10, markup=False)


def _tidy_races() -> int:
    from maverick_tui.worktrees.races import left_behind

    if not left_behind():
        return 0
    from maverick_tui.host.racing import tidy_races

    return len(tidy_races())


def _look(run_id: str, title: str) -> tuple[Worktree, Left] | None:
    """The worktree of a run, and what is in it; None if there is none."""
    from pathlib import Path

    from maverick_tui.git.head import head_of
    from maverick_tui.ui.dialogs.worktree import Left
    from maverick_tui.ui.short_names import short_path
    from maverick_tui.worktrees.ending import has_branch, loss_of
    from maverick_tui.worktrees.records import worktree_of

    worktree = worktree_of(run_id)
    if worktree is None or not (worktree.is_there or has_branch(worktree)):
        return None
    loss = loss_of(worktree)
    head = head_of(Path(worktree.project)) or ""
    onto = f"{head or 'what is checked out'} in {short_path(Path(worktree.project))}"
    left = Left(title, worktree.branch, onto, loss.uncommitted, loss.words, loss.in_no_commit, head)
    return worktree, left._replace(paths_in_no_commit=loss.paths_in_no_commit)
