"""AttachedRuns: runs on the screen that live in processes of their own. Leaving one leaves it at work."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.inert import one_line
from maverick_tui.runs.board import Attachment
from maverick_tui.ui.told_work import work_told

if TYPE_CHECKING:
    from maverick_tui.host.remote import RemoteRun
    from maverick_tui.runs.board import RunModel

TITLE = "Attached run"


class AttachedRuns:
    """Follows runs in other processes, and tells the person what becomes of the way to them."""

    def __init__(self, app: App[Any], ended: Callable[[RunModel, str], None]) -> None:
        """`ended` hears of a run that is not followed any more, and what was typed to it and has not reached it."""
        self._app = app
        self._ended = ended

    def attach(self, run: RunModel, *, is_read_only: bool = False) -> None:
        """Show what the run has told, and tells from now on; what is wanted of it is sent there."""
        following = self._follow(run, is_read_only=is_read_only)
        worker = work_told(self._app, following, group="attached", title=TITLE)
        run.attached = Attachment(time.time(), worker.cancel)

    async def _follow(self, run: RunModel, *, is_read_only: bool) -> None:
        remote = await asyncio.to_thread(_reader_of, run.run_id, self._say, is_read_only=is_read_only)
        run.connect(remote)
        following = asyncio.create_task(run.follow(remote.events), name=f"maverick-follow-{run.run_id}")
        try:
            await remote.serve()
        finally:
            await following
            run.attached = None
            self._ended(run, "\n".join(remote.unsent))

    def _say(self, text: str) -> None:
        self._app.notify(one_line(text), title=TITLE, severity="warning", timeout=6, markup=False)


def _reader_of(run_id: str, say: Callable[[str], None], *, is_read_only: bool) -> RemoteRun:
    """In a thread, for it imports."""
    from maverick_tui.host.remote import RemoteRun

    try:
        name = os.ttyname(0)
    except OSError:
        name = ""
    return RemoteRun(run_id, name=name.removeprefix("/dev/"), is_read_only=is_read_only, on_refused=say)


def has_host(run_id: str) -> bool:
    """Whether the run lives in a process of its own; in a thread, for it imports and looks at files."""
    from maverick_tui.host.places import has_host as lives

    return lives(run_id)
