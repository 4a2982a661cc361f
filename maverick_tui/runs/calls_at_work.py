"""Which calls of a run may have written something since a moment: by what it is told, now or in its journal."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from maverick_tui.agent.tools import WRITES_NOTHING
from maverick_tui.events import kinds as ev
from maverick_tui.events.background import ENDED_TASKS
from maverick_tui.events.kinds import Event
from maverick_tui.masking.redact import MASK
from maverick_tui.real_paths import as_named, real_path
from maverick_tui.runs.tool_text import WRITING_TOOLS


class Work(NamedTuple):
    """A call that may write: the file that it names, where it writes no other; empty if that is not known."""

    call: str
    file: str = ""


def work_of(call: str, tool: str, arguments: Mapping[str, Any]) -> Work:
    """The work of a call."""
    file = arguments.get(WRITING_TOOLS.get(tool, ""))
    is_known = isinstance(file, str) and MASK not in file and "\0" not in file
    return Work(call, as_named(str(file)) if is_known else "")


def places_of(work: Work, cwd: str | Path) -> frozenset[str]:
    """The file that it names, also by the name of what a link there leads to; none if that is not known."""
    if not work.file:
        return frozenset()
    full = os.path.join(cwd, work.file)  # noqa: PTH118
    folder, name = os.path.split(full)
    return frozenset({os.path.join(real_path(folder), name), real_path(full)})  # noqa: PTH118


class CallsAtWork:
    """Calls that go on, and those that have ended since the last snapshot, whose doings it has not seen all of."""

    def __init__(self) -> None:
        self.going: dict[str, Work] = {}
        self.ended: dict[str, Work] = {}
        self._ended_at: dict[str, float] = {}
        """When they had ended, hooks included, if that was told."""
        self._known: dict[str, Work] = {}
        self._tasks: set[str] = set()
        """Calls whose subagent or command goes on."""
        self._answered: set[str] = set()
        """Calls that have a result: if their task goes on, it does so in the background."""
        self._parents: dict[str, str] = {}
        """Of the calls of subagents, the call that started theirs."""

    def begin(self, work: Work) -> None:
        """A call begins to run."""
        self.going[work.call] = self._known[work.call] = work

    def seen(self, ended: Iterable[str]) -> None:
        """A snapshot has been taken since these had ended: it has all that they did."""
        for call in ended:
            self.ended.pop(call, None)
            self._ended_at.pop(call, None)

    def last_end(self, calls: Iterable[str]) -> float:
        """When the last of these had ended; infinite if one may still be at work, or there are none."""
        return max((self._ended_at.get(call, math.inf) for call in calls), default=math.inf)

    def end(self, call: str, at: float = math.inf) -> bool:
        """A call writes nothing more, nor do its hooks if a time is given; whether no snapshot has seen all it did."""
        if call not in self._tasks and (work := self.going.pop(call, None)) is not None:
            self.ended[call] = work
        if call in self.ended:
            self._ended_at[call] = min(at, self._ended_at.get(call, math.inf))
        return call in self.ended

    def end_all(self) -> bool:
        """Nothing goes on any more; whether anything has ended that no snapshot has seen all of."""
        self._tasks.clear()
        self.ended |= self.going
        self.going.clear()
        return bool(self.ended)

    def _end_turn(self, at: float) -> bool:
        """All has ended but what was launched to go on by itself, also if a subagent was stopped without a word."""
        self._tasks &= self._answered
        for call in [call for call in self.going if not self._is_in_background(call)]:
            self.end(call, at)
        return bool(self.ended)

    def _is_in_background(self, call: str) -> bool:
        around = {call}
        while call not in self._tasks:
            call = self._parents.get(call, "")
            if not call or call in around:
                return False
            around.add(call)
        return True

    def hear(self, event: Event) -> bool:
        """The next event; whether by it a call has ended that no snapshot has seen all of."""
        match event:
            case ev.ToolCalled() if event.parent:
                self._parents[event.call] = event.parent
            case ev.ToolFinished():
                if not event.is_error:
                    self._answered.add(event.call)
                return self.end(event.call, event.at)
            case ev.TaskProgressed() if event.state in ENDED_TASKS:
                self._tasks.discard(event.call)
                return self.end(event.call, event.at)
            case ev.TaskProgressed():
                self._tasks.add(event.call)
                self.seen([event.call])
                if event.call in self._known:
                    self.going[event.call] = self._known[event.call]
            case ev.TurnEnded():
                return self._end_turn(event.at)
            case ev.Connecting() | ev.ConnectFailed() | ev.RunEnded():  # whatever went on has ended with its session
                return self.end_all()
        return False


class Recalled(NamedTuple):
    """What a run has told of its folder before it goes on."""

    snapshots: list[ev.SnapshotTaken]
    works: dict[str, Work]
    """All calls that may have written, by their ids."""
    left: dict[str, Work]
    """Those of them that no snapshot has seen all of."""


def recalled(past: Iterable[Event]) -> Recalled:
    """What these events say, of a run that has ended by now: which calls ran stands there, too."""
    calls, works, snapshots, early = CallsAtWork(), dict[str, Work](), list[ev.SnapshotTaken](), set[str]()
    for event in past:
        match event:
            case ev.ToolCalled() if event.name not in WRITES_NOTHING:
                works[event.call] = work_of(event.call, event.name, event.arguments)
                if event.call in early:
                    early.discard(event.call)
                    calls.begin(works[event.call])
            case ev.ToolBegan() | ev.PermissionSettled(decision="once" | "run"):
                if event.call in works:
                    calls.begin(works[event.call])
                else:  # it changes nothing, or the way of its message is longer
                    early.add(event.call)
            case ev.SnapshotTaken():
                snapshots.append(event)
                calls.seen(list(calls.ended))
            case ev.RunForked():  # what came before is another run's
                calls, works, snapshots = CallsAtWork(), {}, []
        calls.hear(event)
    calls.end_all()
    return Recalled(snapshots, works, calls.ended)
