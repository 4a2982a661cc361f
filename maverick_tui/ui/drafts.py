"""Drafts: what stands unsent in prompts, on disk a moment after typing stops, so that no crash takes it.

That of a run stands beside its journal, and goes with it. A run in which nothing has been said yet may not come back:
its draft is also known by agent and folder, and the next such run has it. A draft in which a secret is known is not
kept at all, and neither are those of runs that are not kept, or only watched: what is secret there is not known here.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from maverick_tui import paths
from maverick_tui.threads import in_thread

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel

log = logging.getLogger(__name__)

AFTER_TYPING = 0.4
"""Seconds without a change after which a draft is written."""
_LONGEST_BEGINNING = 40
_BESIDE_JOURNAL = "draft.json"
LONGEST = 1_000_000
"""Characters of the longest draft that is kept."""
SECRET_TOLD = "There is a secret in what you type: this draft is not kept, and would be lost in a crash."


class Draft(NamedTuple):
    """What stood in a prompt, and where that is which was attached to it, by the words that stand for it."""

    text: str
    images: Mapping[str, str]


NO_DRAFT = Draft("", {})


class Drafts:
    """The drafts of this application's runs; files are read and written in threads, one after the other."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        """`folder` is where new runs begin; `tell` hears that a draft cannot be kept, once."""
        self._folder = folder
        self._tell = tell
        self._is_told = False
        self._waiting: dict[str, tuple[asyncio.TimerHandle, Callable[[], None]]] = {}
        """What is kept once typing has stopped."""
        self._known: dict[str, set[Path]] = {}
        """Where the drafts of runs stand that were written or read by us."""
        self._one_at_a_time = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, run: RunModel, text: str, images: Mapping[str, str]) -> None:
        """Keep what stands in the prompt of a run, once typing has stopped; an empty prompt is known at once.

        `images` are the paths of what is attached to it, by the words that stand for it.
        """
        if not text.strip():
            self.drop(run.run_id)
        elif run.is_kept and not run.is_only_watched and len(text) <= LONGEST:
            self._call_off(run.run_id)
            keep = partial(self._keep, run, text, images)
            self._waiting[run.run_id] = asyncio.get_running_loop().call_later(AFTER_TYPING, keep), keep

    def drop(self, run_id: str) -> None:
        """Forget the draft of a run: it was sent, or is not wanted any more."""
        self._call_off(run_id)
        for file in self._known.pop(run_id, ()):
            self._do(partial(file.unlink, missing_ok=True))

    async def keep_now(self) -> None:
        """Keep them all at once: the window has gone, and nobody was asked."""
        for run_id in [*self._waiting]:
            _, keep = self._waiting[run_id]
            self._call_off(run_id)
            keep()
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def drop_all(self) -> None:
        """Forget them all: whoever leaves has been asked."""
        for run_id in {*self._known, *self._waiting}:
            self.drop(run_id)
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def read(self, run: RunModel, *, is_new: bool) -> Draft:
        """What an application that is gone has left in the prompt of a run, or of a new one like it."""
        file = self._file_of_new(run) if is_new else _file_of(run)
        if run.run_id in self._known or any(file in files for files in self._known.values()):
            return NO_DRAFT
        draft = await in_thread(_read, file)
        if draft.text:
            self._known.setdefault(run.run_id, set()).add(file)
        return draft

    def _call_off(self, run_id: str) -> None:
        if (waiting := self._waiting.pop(run_id, None)) is not None:
            waiting[0].cancel()

    def _file_of_new(self, run: RunModel) -> Path:
        import hashlib

        folder = run.store.loaded.cwd if run.store.loaded is not None else str(self._folder)
        about = f"{run.agent}\0{os.path.realpath(folder)}".encode("utf-8", "surrogateescape")
        return paths.user_state() / "drafts" / f"{hashlib.sha256(about).hexdigest()[:16]}.json"

    def _keep(self, run: RunModel, text: str, images: Mapping[str, str]) -> None:
        self._waiting.pop(run.run_id, None)
        files = {_file_of(run)} if run.store.entries else {_file_of(run), self._file_of_new(run)}
        before, self._known[run.run_id] = self._known.get(run.run_id, set()), files
        for file in before - files:
            self._do(partial(file.unlink, missing_ok=True))
        loop = asyncio.get_running_loop()
        for file in files:
            self._do(partial(self._write, file, text, images, loop))

    def _write(self, file: Path, text: str, images: Mapping[str, str], loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: masking takes a while, too."""
        from maverick_tui.history.whole_files import write_whole
        from maverick_tui.journal.masked_text import PiecewiseMask
        from maverick_tui.masking.redact import known_values, redact

        is_secret = any(redact(one) != one for one in (text, *images.values()))
        # What may be the beginning of a secret waits until that is known: a few words at most, since what has more
        # behind it is a text about secrets, and a draft that lacks its end is as good as lost.
        (known,) = PiecewiseMask(known_values).add([(0, text)]).now
        if len(text) - len(known) > _LONGEST_BEGINNING:
            known = text[: -len(text.split()[-1])] if text == text.rstrip() else text
        if is_secret or not text.startswith(known) or not known.strip():
            file.unlink(missing_ok=True)
            if is_secret:
                loop.call_soon_threadsafe(self._tell_once)
            return
        if file.name != _BESIDE_JOURNAL:
            paths.make_private(file.parent)
        write_whole(file, [json.dumps({"pid": os.getpid(), "text": known, "images": dict(images)})])

    def _tell_once(self) -> None:
        if not self._is_told:
            self._is_told = True
            self._tell(SECRET_TOLD)

    def _do(self, work: Callable[[], object]) -> None:
        task = asyncio.get_running_loop().create_task(self._done(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _done(self, work: Callable[[], object]) -> None:
        async with self._one_at_a_time:
            try:
                await in_thread(work)
            except OSError as error:
                log.warning("A draft cannot be kept: %s", error)


def _file_of(run: RunModel) -> Path:
    from maverick_tui.journal.folders import journal_of

    return journal_of(run.run_id).with_name(_BESIDE_JOURNAL)


def _read(file: Path) -> Draft:
    """The draft, unless somebody else who is alive is typing it."""
    try:
        kept = json.loads(file.read_bytes())
        text, owner, images = kept["text"], kept["pid"], dict(kept.get("images", {}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NO_DRAFT
    if not isinstance(text, str) or type(owner) is not int or (owner != os.getpid() and _is_alive(owner)):
        return NO_DRAFT
    return Draft(text, {mark: path for mark, path in images.items() if isinstance(path, str)})


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
