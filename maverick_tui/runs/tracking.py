"""Tracking: keeps what is in a run's folder before and after what it does, and tells which calls were at work.

A call that may write waits until there is a snapshot of what is there before; nothing else waits. All that takes time
is done in threads, one thing at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import MaverickError
from maverick_tui.git.head import commit_of
from maverick_tui.runs.calls_at_work import CallsAtWork, Work, recalled, work_of
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.past import Past
from maverick_tui.runs.tracked_folder import TrackedFolder
from maverick_tui.snapshots.caps import Caps, NotTrackedError
from maverick_tui.snapshots.snapshot import Snapshot
from maverick_tui.threads import in_thread

log = logging.getLogger(__name__)

PATIENCE = Caps().seconds + 5
"""Seconds that a call waits for its snapshot at most, also where others take theirs of the same folder before."""
CLOSING = 3.0
"""Seconds in which the last snapshot of a run is taken; what is missing is made up for when it goes on."""
UNTRACKED = "The run goes on as ever; what it changes cannot be shown or undone."
_ALWAYS_TOLD = ("start", "turn", "end")
_BASED = ("start", "end")
"""Where a fork may begin: nobody waits for these, and git takes a while to say what is checked out."""

_When: TypeAlias = Literal["start", "turn", "call", "done", "end"]


class _Wish(NamedTuple):
    """A snapshot that is wanted, perhaps by a call that waits for it."""

    when: _When
    turn: int
    work: Work | None = None


class Tracking:
    """Takes the snapshots of one run, and tells them. Before `begin` and after it has given up, nobody waits for it."""

    def __init__(self, events: EventLog, run_id: str, past: Past | None = None) -> None:
        self._events = events
        self._run_id = run_id
        self._past = past.events if past is not None and not past.is_fork else []
        self._reader = events.reader(len(past.events) if past is not None else 0)
        self._turn = past.turns if past is not None else 0
        self._calls = CallsAtWork()
        self._wishes: list[_Wish] = []
        self._has_wishes = asyncio.Event()
        self._waiting: dict[str, asyncio.Future[None]] = {}
        """Calls that do not run yet."""
        self._is_on = False
        self._is_closing = False
        self._following: asyncio.Task[None] | None = None
        self._working: asyncio.Task[None] | None = None

    def begin(self, cwd: Path) -> None:
        """Keep what is in the folder that the run works in."""
        if self._working is None:
            self._is_on = True
            self._working = asyncio.create_task(self._work(cwd), name="maverick-tracking")
            self._following = asyncio.create_task(self._follow(), name="maverick-tracking-events")

    async def begins(self, call: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """Wait until what is there before a call is kept; from then on it is at work."""
        if not self._is_on:
            return
        self._catch_up()
        waiting = self._waiting[call] = asyncio.get_running_loop().create_future()
        self._want(_Wish("call", self._turn, work_of(call, tool, arguments)))
        try:
            async with asyncio.timeout(PATIENCE):
                await waiting
        except TimeoutError:
            self._give_up(f"it takes more than {PATIENCE:g} s to look at this folder")
        finally:
            self._waiting.pop(call, None)

    def returned(self, call: str) -> None:
        """The call has run; its result is about to be told."""
        self._calls.end(call)

    async def close(self) -> None:
        """Take the snapshot that is still missing, if that does not take long. Nobody is at work any more."""
        if self._working is None or self._following is None:
            return
        self._following.cancel()
        self._catch_up()
        if self._calls.end_all():
            self._want(_Wish("done", self._turn))
        self._is_closing = True
        self._has_wishes.set()
        await asyncio.wait({self._working}, timeout=CLOSING)
        self._end()

    # -- what is wanted ------------------------------------------------------------------------------------------------

    def _want(self, wish: _Wish) -> None:
        if self._is_on:
            self._wishes.append(wish)
            self._has_wishes.set()

    async def _follow(self) -> None:
        while await self._events.wait(self._reader.number):
            self._catch_up()

    def _catch_up(self) -> None:
        """Hear what was told by now."""
        for event in self._reader.take():
            if event.type == ev.BlockGrew.type:  # most are
                continue
            is_done = self._calls.hear(event)
            if isinstance(event, ev.ToolFinished):  # if it waits, it was interrupted, and does not run any more
                self._let_go(event.call)
            if isinstance(event, ev.TurnStarted):
                self._turn = event.turn
                self._want(_Wish("turn", event.turn))
            elif isinstance(event, ev.TurnEnded):
                self._want(_Wish("end", event.turn))
            elif is_done:
                self._want(_Wish("done", self._turn))

    # -- taking --------------------------------------------------------------------------------------------------------

    async def _work(self, cwd: Path) -> None:
        try:
            past = await in_thread(recalled, self._past)
            folder = await in_thread(TrackedFolder, cwd, self._run_id, past)
            self._calls.ended |= past.left
            if not folder.has_begun:
                self._wishes.insert(0, _Wish("start", 0))
            elif past.left:
                self._wishes.insert(0, _Wish("end", self._turn))
            while self._wishes or not self._is_closing:
                if self._wishes:
                    await self._serve(folder)
                else:
                    self._has_wishes.clear()
                    await self._has_wishes.wait()
            if not self._events.is_kept:  # nobody could ask for them any more
                await self._see_to(folder.release)
        except NotTrackedError as error:
            self._give_up(error.reason)
        except MaverickError as error:
            self._give_up(error.message.rstrip("."))
        except Exception as error:  # whatever it is, the run goes on
            log.exception("The changes of the run %s cannot be tracked", self._run_id)
            self._give_up(f"something went wrong ({type(error).__name__})")

    async def _serve(self, folder: TrackedFolder) -> None:
        """Take one snapshot for all who want one by now."""
        wishes, self._wishes = self._wishes, []
        ended = dict(self._calls.ended)
        by = {**self._calls.going, **ended}
        over = self._calls.last_end(by)
        # Before the files: a commit that is older than they are takes nothing back where they are merged later.
        is_based = any(wish.when in _BASED for wish in wishes)
        commit = await in_thread(commit_of, folder.shadow.folder) if is_based else ""
        snapshot = await in_thread(folder.take)
        for wish in wishes:
            if wish.work is not None and wish.work.call in self._waiting:
                self._calls.begin(wish.work)  # before another snapshot begins, which would not know of it
                self._let_go(wish.work.call)
        self._calls.seen(ended)
        told = [wish for wish in wishes if wish.when in _ALWAYS_TOLD] or wishes[:1]
        if folder.is_news(snapshot) or told[0].when in _ALWAYS_TOLD:
            await self._tell(folder, snapshot, commit, told, by, over)
        if folder.is_noted != (is_going_on := bool(self._calls.going)):
            await in_thread(lambda: folder.note_work(is_going_on=is_going_on))
        if any(wish.when == "end" for wish in wishes) and not self._is_closing:
            await self._see_to(folder.shadow.tidy)

    async def _tell(
        self,
        folder: TrackedFolder,
        snapshot: Snapshot,
        commit: str,
        wishes: list[_Wish],
        by: dict[str, Work],
        over: float,
    ) -> None:
        late = await in_thread(folder.late, snapshot, over)
        changed = await in_thread(folder.add, snapshot, by.values())
        root, calls = str(folder.shadow.folder), tuple(by)
        for wish in wishes:
            at = self._events.now()
            about = (snapshot.id, root, snapshot.number, wish.when, wish.turn, calls, *changed, late, commit)
            self._events.emit(ev.SnapshotTaken(at, *about))
            calls = late = ()  # between two that are the same, nobody has done anything

    async def _see_to(self, work: Callable[[], None]) -> None:
        try:
            await in_thread(work)
        except (MaverickError, OSError) as error:  # there is only more on the disk than there need be
            log.warning("The snapshots of the run %s cannot be seen to: %s", self._run_id, error)

    def _give_up(self, reason: str) -> None:
        """Tell, once, why this process takes no more snapshots; whoever waits for one goes on."""
        if not self._is_on:
            return
        now = self._events.now()
        self._events.emit(ev.ChangesUntracked(now, reason))
        text = f"Changes are not tracked here, because {reason}."
        self._events.emit(ev.Noticed(now, "untracked", f"{text} {UNTRACKED}"[: ev.LONGEST_NOTICE]))
        self._end()

    def _end(self) -> None:
        self._is_on = False
        for call in list(self._waiting):
            self._let_go(call)
        for task in (self._following, self._working):
            if task is not None and task is not asyncio.current_task():
                task.cancel()

    def _let_go(self, call: str) -> None:
        waiting = self._waiting.pop(call, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)
