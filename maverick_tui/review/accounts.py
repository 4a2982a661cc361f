"""What a run's journal tells of its changes: snapshots, turns and calls. Of a long one, only those lines are read."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from maverick_tui.agent.tools import SUBAGENT_TOOLS, WRITES_NOTHING
from maverick_tui.events.background import ENDED_TASKS
from maverick_tui.exceptions import ConfigError
from maverick_tui.history.labels import read_labels
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_alive, journal_of
from maverick_tui.masking.redact import MASK
from maverick_tui.runs.calls_at_work import places_of, work_of
from maverick_tui.runs.tool_text import key_argument
from maverick_tui.snapshots.attribution import Writer

_KINDS = re.compile(
    rb'\{"seq": ?\d+, ?"type": ?"(?:run_forked|run_reopened|run_named|agent_loaded|turn_started|turn_ended|'
    rb'prompt_sent|tool_called|tool_began|permission_settled|task_progressed|snapshot_taken|changes_untracked)"'
)
_FINISHED = re.compile(
    rb'\{"seq": ?\d+, ?"type": ?"tool_finished", ?"at": ?(\d+(?:\.\d+)?), ?"call": ?"([^"\\]{1,200})"'
)
_TEXT, _HEAD = b'"block_', 48
_ERROR = b'"is_error"'
_LONGEST = 300
"""Characters of a prompt or an argument that are kept."""


class Taken(NamedTuple):
    """A snapshot that the run has told of, and which calls of it were at work since its last one."""

    number: int
    snapshot: str
    when: str
    turn: int
    calls: tuple[str, ...]
    at: float
    died: float | None = None
    """When the run's process ended, if it has since the last one, and the run went on later."""
    is_shared: bool = False
    """Whether a person may have done what was done since the last one, as well as these calls."""
    late: frozenset[str] = frozenset()
    """What was changed when these calls had ended."""
    files: int = 0
    """How many files the run had changed by then."""


class Call(NamedTuple):
    """A call of a tool. Its texts are inert; its arguments are in the journal, at the byte `offset`."""

    id: str
    tool: str
    about: str
    turn: int
    at: float
    offset: int
    paths: frozenset[str]
    """The files that it names, if it writes to those alone."""


class RunAccount:
    """One run, as far as its journal has been read."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.root = ""
        """The folder whose snapshots these are."""
        self.untracked = ""
        self.repository = ""
        """The repository that it works in, also if its folder is a worktree of that."""
        self.prompts: dict[int, str] = {}
        """The turns, and what was asked in each."""
        self.calls: dict[str, Call] = {}
        self.began: dict[str, float] = {}
        """When calls began that may write: not before somebody has allowed them."""
        self.ended: dict[str, float] = {}
        """When those of them had ended of which that was told."""
        self.failed: set[str] = set()
        """Those that name their file and could not write it."""
        self.taken: list[Taken] = []
        self.is_alive = False
        """Whether some process was still writing when it was read last."""
        self._journal = journal_of(run_id)
        self._offset = 0
        self._before = b""
        """The last line that was read."""
        self._name, self._turn, self._cwd = "", 0, ""
        self._running: set[str] = set()
        """Calls that have begun, and have no end yet."""
        self._early: set[str] = set()
        """Calls that have begun before they were told."""
        self._tasks: set[str] = set()
        """Those of them that go on in the background."""
        self._ended: set[str] = set()
        """Those that have ended since the last snapshot."""
        self._background: set[str] = set()
        """Those that the agent did not wait for, some time since then: they take hours, in which people work, too."""
        self._died: float | None = None

    def read(self) -> bool:
        """Read what is new; whether anything is. ConfigError if there is no journal."""
        was_alive, before = self.is_alive, self._offset
        self.is_alive = is_alive(self._journal)  # asked first: what ends meanwhile is in what is read then
        try:
            with self._journal.open("rb") as lines:
                lines.seek(self._offset)
                for line in lines:
                    if not line.endswith(b"\n"):
                        break
                    if _TEXT not in line[:_HEAD]:  # a journal is mostly text as it came
                        self._take(line)
                    self._before = line
                    self._offset += len(line)
        except FileNotFoundError as error:
            raise ConfigError(f"The run {self.run_id} is not kept.", hint="See `maverick runs list`.") from error
        except OSError as error:
            raise ConfigError(
                f"The journal {self._journal} cannot be read: {error.strerror or error}.", hint="Make it readable."
            ) from error
        return self._offset != before or self.is_alive != was_alive

    @property
    def title(self) -> str:
        """What it is called, or was asked first; inert, on one line."""
        name = read_labels(self._journal.parent).name or self._name
        return one_line(name) or next((prompt for prompt in self.prompts.values() if prompt), "")

    @property
    def at_work(self) -> list[str]:
        """Calls that may have changed something since the last snapshot; of a run that was killed, until then."""
        return [call for call in self.calls if call in self._running | self._ended]

    @property
    def is_shared(self) -> bool:
        """Whether a person may have done what was done since the last snapshot, as well as the calls at work.

        When a call ended, there was a snapshot, which is not told if nothing had changed: all since then may be theirs.
        Where the run takes none any more, or its process has taken none yet, there was none before they began, either.
        """
        calls, has_none_before = self.at_work, self.untracked or self._died is not None
        return bool(calls and has_none_before) or self._is_shared(calls, self._background | self._ended)

    @property
    def died(self) -> float | None:
        """When its process ended; None if it is alive."""
        return None if self.is_alive else self._journal.stat().st_mtime

    @property
    def is_running(self) -> bool:
        """Whether calls that may write have begun and not ended."""
        return bool(self._running)

    def writer(self, call: str, root: str = "") -> Writer:
        """A call as somebody who writes, with paths as they are in this folder; else in the run's own."""
        known = self.calls.get(call)
        top = f"{root or self.root}/"
        paths = frozenset(path.removeprefix(top) for path in known.paths) if known is not None else frozenset[str]()
        within = f"{self.root}/".removeprefix(top) if self.root.startswith(top) else ""
        return Writer(f"{self.run_id}/{call}", paths, within)

    def arguments(self, call: str) -> dict[str, Any]:
        """What a call was given, masked as it is kept."""
        known = self.calls.get(call)
        if known is None:
            return {}
        with self._journal.open("rb") as lines:
            lines.seek(known.offset)
            data = _read(lines.readline())
        found = data.get("arguments")
        return found if isinstance(found, dict) else {}

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _take(self, line: bytes) -> None:
        if finished := _FINISHED.match(line):
            call = finished[2].decode()
            if _ERROR in line and (known := self.calls.get(call)) and known.paths and _read(line).get("is_error"):
                self.failed.add(call)
            self._end(call, float(finished[1]))
        elif _KINDS.match(line):
            # What is not as it should be is damaged, and tells nothing.
            match _read(line):
                case {"type": "tool_called", "call": str(call), "name": str(tool), "arguments": dict(given), "at": at}:
                    self._called(call, tool, given, at)
                case {"type": "tool_began", "call": str(call), "at": float() | int() as at}:
                    self._begin(call, at)
                case {"type": "permission_settled", "call": str(call), "decision": "once" | "run"} as data:
                    if call in self.calls and isinstance(instead := data.get("arguments"), dict):
                        self._called(call, self.calls[call].tool, instead, self.calls[call].at)
                    self._begin(call, float(data.get("at") or 0.0))
                case {"type": "task_progressed", "call": str(call), "state": str(state), "at": float() | int() as at}:
                    self._progressed(call, state, at)
                case {"type": "snapshot_taken", "snapshot": str(snapshot), "number": int(number)} as data:
                    self._took(snapshot, number, data)
                case {"type": "changes_untracked", "reason": str(reason)}:
                    self.untracked = one_line(reason)
                case {"type": "turn_ended"} if not self._tasks:
                    self._end_all()
                case {"type": "run_reopened"}:
                    self._end_all()
                    self._died = float(_read(self._before).get("at") or 0.0)
                case {"type": "turn_started", "turn": int(turn)} as data:
                    self._turn, self.prompts[turn] = turn, one_line(str(data.get("text") or ""))[:_LONGEST]
                case {"type": "prompt_sent", "turn": int(turn), "text": str(text)}:
                    self.prompts[turn] = self.prompts.get(turn) or one_line(text)[:_LONGEST]
                case {"type": "run_named", "name": str(name)}:
                    self._name = name
                case {"type": "agent_loaded", "cwd": str(cwd)} as data:
                    self._cwd, self.repository = cwd, str(data.get("repository", ""))
                case {"type": "run_forked"}:  # all before was the other run's
                    for mine in (self.prompts, self.calls, self.taken, self._running, self._ended):
                        mine.clear()

    def _called(self, call: str, tool: str, arguments: dict[str, Any], at: float) -> None:
        about = key_argument(tool, arguments, self._cwd)[:_LONGEST]
        paths = places_of(work_of(call, tool, arguments), self._cwd)
        self.calls[call] = Call(call, one_line(tool), about, self._turn, at, self._offset, paths)
        if call in self._early:
            self._early.discard(call)
            self._begin(call, at)

    def _begin(self, call: str, at: float) -> None:
        """It runs from now on: while somebody is asked about it, whoever works there is not it."""
        if call not in self.calls:  # the way of a call's message is longer
            self._early.add(call)
        elif self.calls[call].tool not in WRITES_NOTHING:
            self._running.add(call)
            self.began[call] = at

    def _end(self, call: str, at: float) -> None:
        if call in self._tasks:
            self._background.add(call)
        elif call in self._running:
            self._running.discard(call)
            self._ended.add(call)
            self.ended[call] = at

    def _end_all(self) -> None:
        self._ended |= self._running
        self._running.clear()
        self._tasks.clear()

    def _progressed(self, call: str, state: str, at: float) -> None:
        if state in ENDED_TASKS:
            self._tasks.discard(call)
            self._end(call, at)
        elif call in self.calls and self.calls[call].tool not in SUBAGENT_TOOLS:
            self._tasks.add(call)
            self._running.add(call)

    def _took(self, snapshot: str, number: int, data: Mapping[str, Any]) -> None:
        root, calls = str(data.get("root", "")), tuple(map(str, data.get("calls", ())))
        if root != self.root or (self.taken and number < self.taken[-1].number):
            self.root, self.taken = root, []  # in another folder, or all snapshots of this one were thrown away
        when, turn, at = str(data.get("when", "")), int(data.get("turn", 0)), float(data.get("at", 0.0))
        late = frozenset(map(str, data.get("late", ())))
        files = told if isinstance(told := data.get("files"), int) else 0
        is_any_late = any(path == "." or MASK in path for path in late)
        is_shared = is_any_late or self._is_shared(calls, self._background)
        self.taken.append(Taken(number, snapshot, when, turn, calls, at, self._died, is_shared, late, files))
        self.untracked, self._died = "", None
        self._ended.clear()
        self._background &= self._running

    def _is_shared(self, calls: Collection[str], unwaited: AbstractSet[str]) -> bool:
        """Whether some of these were not waited for, and no other one may have written to any file."""
        others = [self.calls.get(call) for call in calls if call not in unwaited]
        return not unwaited.isdisjoint(calls) and all(call is not None and call.paths for call in others)


def _read(line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
