"""Runs that were played: a real folder, real snapshots of it, and a journal as a run writes it. There is no model."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.git.head import commit_of
from maverick_tui.journal.folders import hold, journal_of, make_folder
from maverick_tui.journal.lines import Encoder
from maverick_tui.review.run_review import RunReview
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.usage import Usage

now = time.time


class PlayedRun:
    """A run in a folder. Its snapshots are told as runs tell them: before a call, once calls are done, by turns."""

    def __init__(self, folder: Path, run_id: str, prompt: str = "Do it", **about: Any) -> None:
        self.folder, self.run_id = folder, run_id
        self.shadow = Shadow(folder)
        self._journal = journal_of(run_id)
        self._encoder, self._count = Encoder(), 0
        self._turn, self._calls = 0, 0
        self._last = ""
        self._going: list[str] = []
        self._ended: list[str] = []
        make_folder(self._journal)
        self._file = os.open(self._journal, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        self.tell(ev.RunStarted(now(), run_id, "coder"), ev.AgentLoaded(now(), "coder", str(folder), **about))
        self.take("start")
        if prompt:
            self.turn(prompt)

    def tell(self, *events: Event) -> None:
        """Write events to the journal."""
        os.write(self._file, self._encoder.lines(self._count, events))
        self._count += len(events)

    def take(self, when: Any, *, is_always: bool = True) -> str:
        """Take a snapshot and tell it, if there is anything to tell."""
        calls = (*self._going, *self._ended)
        self._ended.clear()
        commit = commit_of(self.folder) if when in ("start", "end") else ""
        taken = self.shadow.take(self.run_id)
        if is_always or taken.id != self._last:
            self._last = taken.id
            about = (taken.id, str(self.shadow.folder), taken.number, when, self._turn, calls)
            self.tell(ev.SnapshotTaken(now(), *about, commit=commit))
        return taken.id

    def turn(self, prompt: str) -> None:
        """A turn begins."""
        self._turn += 1
        self.tell(ev.TurnStarted(now(), self._turn, prompt))
        self.take("turn")

    def end_turn(self) -> None:
        """It ends."""
        self.tell(ev.TurnEnded(now(), self._turn, "done", Usage()))
        self.take("end")

    def begin(self, tool: str, **arguments: Any) -> str:
        """A call begins, with a snapshot before it; its id."""
        self._calls += 1
        call = f"{self.run_id}-{self._calls}"
        self.tell(ev.ToolCalled(now(), call, tool, arguments))
        self.take("call", is_always=False)
        self.tell(ev.ToolBegan(now(), call))
        self._going.append(call)
        return call

    def finish(self, call: str) -> None:
        """It has ended."""
        self._going.remove(call)
        self._ended.append(call)
        self.tell(ev.ToolFinished(now(), call, "done"))
        self.take("done", is_always=False)

    def bash(self, work: Callable[[], object], command: str = "make") -> str:
        """A command that does something in the folder; its id."""
        call = self.begin("Bash", command=command)
        work()
        self.finish(call)
        return call

    def write(self, name: str, text: str) -> str:
        """A file is written by the tool for that."""
        call = self.begin("Write", file_path=str(self.folder / name), content=text)
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text)
        self.finish(call)
        return call

    def edit(self, name: str, old: str, new: str) -> str:
        """A file is edited by the tool for that."""
        call = self.begin("Edit", file_path=str(self.folder / name), old_string=old, new_string=new)
        path = self.folder / name
        path.write_text(path.read_text().replace(old, new, 1))
        self.finish(call)
        return call

    def live(self) -> None:
        """Have it look as if a process worked on it, until it is closed."""
        hold(self._file)

    def close(self) -> None:
        """Nobody works on it any more."""
        self.tell(ev.RunEnded(now(), "closed"))
        os.close(self._file)


def make_unreadable(run_id: str, what: str) -> None:
    """Have the journal of a run, or the folder of that, be one that cannot be read, by root neither."""
    journal = journal_of(run_id)
    journal.unlink()
    if what == "journal":
        journal.mkdir()
        return
    shutil.rmtree(journal.parent)
    journal.parent.symlink_to(journal.parent.name)  # to itself


def why(review: RunReview) -> dict[str, str]:
    """Why an undo of the whole run would leave each file alone; nothing where it would take it back."""
    return {step.path: step.why_not for step in review.plan()}
