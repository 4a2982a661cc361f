"""Drafts: what stands unsent in prompts, on disk a moment after it is typed, so that no crash takes it.

That of a run stands beside its journal, and goes with it. A run in which nothing has been said yet may not come back:
its draft is known by agent and folder, and the next such run has it. That of a run on another machine is kept here,
where it was typed; as that of a session of Claude Code, which has no journal of ours, it is known by its run alone. A
draft in which a secret is known is not kept at all, and neither are those of runs that are not kept, or only watched:
what is secret there is not known here. What the disk does not take is told, and tried again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Collection, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from maverick_tui import paths
from maverick_tui.threads import in_thread
from maverick_tui.ui.unsent import AFTER_TYPING, TRY_AGAIN, Typing, of_run, trouble_told
from maverick_tui.ui.widgets.pastes import still_prompt

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.unsent import Unsent

log = logging.getLogger(__name__)

_BESIDE_JOURNAL = "draft"
LONGEST = 1_000_000
"""Characters of the longest draft that is kept."""
SECRET_TOLD = "There is a secret in what you type: this draft is not kept, and would be lost in a crash."
END_TOLD = "The end of this draft was not kept, since a secret might have begun there: see what is missing."
TOO_LONG_TOLD = (
    f"More than {LONGEST:,} characters are in the prompt: what you type there now is not kept, and would be lost in a "
    "crash."
)


class Draft(NamedTuple):
    """What stood in a prompt."""

    text: str
    images: Mapping[str, str]
    """Where that is which was attached to it, by the words that stand for it."""
    reasons: Mapping[str, str]
    """What was begun as a reason to deny, by the question that it is for: it is no part of the prompt."""
    files: Collection[Path] = ()
    """Where it stands until it is written anew."""
    is_whole: bool = False
    """Whether nobody types on: else its end may become a secret, and is not kept until it is known to be none."""
    lacks_end: bool = False
    """Whether such an end was not kept: it is another text then."""

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.text.strip() or self.reasons)


NO_DRAFT = Draft("", {}, {})


class Drafts:
    """The drafts of this application's runs; files are read and written in threads, one after the other."""

    def __init__(
        self, folder: Path, unsent: Unsent, tell: Callable[[str], None], keeps_runs: Callable[[], bool | None]
    ) -> None:
        """`folder` is where new runs begin; `tell` hears why a draft cannot be kept, each reason once.

        `keeps_runs` is what the settings say, None while that is not known: for runs that have not come to say
        themselves whether they are kept, and for those on other machines.
        """
        self._folder = folder
        self._unsent = unsent
        self._tell = tell
        self._keeps_runs = keeps_runs
        self._told: set[str] = set()
        """Why drafts are not kept, as far as that was said."""
        self._in_trouble: set[str] = set()
        """The runs whose last draft the disk has not taken."""
        self._latest: dict[str, Draft] = {}
        """What is to be kept of each run: nothing else is tried again."""
        self._waiting: dict[str, tuple[asyncio.TimerHandle, Callable[[], None]]] = {}
        """What is kept in a moment, and the clock for that."""
        self._files: dict[str, set[Path]] = {}
        """Where that stands which is in the prompts of runs."""
        self._typing: dict[tuple[str, str], Typing] = {}
        """Of each run its prompt, and its reasons by what they are about."""
        self._one_at_a_time = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_over = False
        """Whether what is there is left to others: nothing more is written then."""

    def keep(self, run: RunModel, draft: Draft) -> None:
        """Keep what stands in the prompt of a run, in a moment; an empty prompt is known at once."""
        if self._is_over:
            return
        if not draft:
            self.drop(run.run_id)
        elif self._may_be_kept(run):
            if len(draft.text) > LONGEST:
                self._tell_once(TOO_LONG_TOLD)
                return
            self._latest[run.run_id] = draft
            self._keep_after(AFTER_TYPING, run, draft)

    def would_keep(self, run: RunModel, text: str) -> bool:
        """Whether this would be kept now as what stands in the prompt of a run, by a disk that takes it."""
        from maverick_tui.masking.redact import redact

        is_kept = self._may_be_kept(run) and self._is_kept(run) and len(text) <= LONGEST
        return is_kept and redact(text) == text

    def drop(self, run_id: str) -> None:
        """Forget the draft of a run: it was sent, or is not wanted any more."""
        self._call_off(run_id)
        self._start(self._removed(run_id))

    async def keep_now(self) -> None:
        """Keep them all at once: the window has gone, and nobody was asked."""
        self._is_over = True
        for run_id in [*self._waiting]:
            self._keep_waiting(run_id)
        await self._settle()

    async def drop_all(self, besides: Collection[str] = ()) -> None:
        """Forget them all: whoever leaves has been asked. Nobody was about the runs `besides`."""
        self._is_over = True
        for run_id in [*self._waiting]:
            (self._keep_waiting if run_id in besides else self._call_off)(run_id)
        await self._settle()
        for run_id in {*self._files} - {*besides}:
            self.drop(run_id)
        await self._settle()

    async def read(self, run: RunModel, *, is_new: bool) -> Draft:
        """What windows that are gone have left in the prompt of a run, or of new ones like it."""
        if run.is_only_watched:  # it is for somebody who can send it
            return NO_DRAFT
        async with self._one_at_a_time:
            try:
                return await in_thread(self._take, run, is_new)
            except OSError as error:
                log.warning("Drafts cannot be read: %s", error)
                return NO_DRAFT

    def is_shown(self, run: RunModel, draft: Draft) -> None:
        """What was read is in the prompt from now on: whatever is written of that has it, too."""
        self._files.setdefault(run.run_id, set()).update(draft.files)

    def _keep_after(self, seconds: float, run: RunModel, draft: Draft) -> None:
        keep = partial(self._keep, run, draft, frozenset(self._files.get(run.run_id, ())))
        if run.run_id in self._waiting:
            clock, _ = self._waiting[run.run_id]
        else:
            clock = asyncio.get_running_loop().call_later(seconds, self._keep_waiting, run.run_id)
        self._waiting[run.run_id] = clock, keep

    def _call_off(self, run_id: str) -> None:
        self._latest.pop(run_id, None)
        self._in_trouble.discard(run_id)
        if (waiting := self._waiting.pop(run_id, None)) is not None:
            waiting[0].cancel()

    def _keep_waiting(self, run_id: str) -> None:
        clock, keep = self._waiting.pop(run_id)
        clock.cancel()
        keep()

    async def _settle(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _may_be_kept(self, run: RunModel) -> bool:
        """Whether it is a run whose drafts are kept, or may turn out to be one."""
        if run.is_only_watched:
            return False
        if run.is_kept:
            return True
        if self._keeps_runs() is False:  # one of this machine that has not said a word may be kept all the same
            return run.store.loaded is None and not run.store.entries and not run.machine
        return run.is_kept_somewhere or run.store.loaded is None

    def _is_kept(self, run: RunModel) -> bool:
        return run.is_kept or bool(self._keeps_runs() and (run.is_kept_somewhere or run.store.loaded is None))

    def _place(self, run: RunModel, *, is_new: bool) -> tuple[Path, str]:
        """The folder of a run's draft, and what its files begin with."""
        from maverick_tui.journal.folders import journal_of

        if run.machine:
            return _without_journal(run)
        if not is_new:
            return journal_of(run.run_id).parent, _BESIDE_JOURNAL
        folder = run.store.loaded.cwd if run.store.loaded is not None else str(self._folder)
        return _of_new(), _short(f"{run.agent}\0{os.path.realpath(folder)}")

    def _keep(self, run: RunModel, draft: Draft, before: Collection[Path]) -> None:
        self._waiting.pop(run.run_id, None)
        if not self._is_kept(run):
            self.keep(run, draft)  # while it starts, it is asked again in a moment
            return
        place = self._place(run, is_new=False)
        # Of a run that was opened a moment ago nothing may be known yet; what was beside its journal stays there.
        is_known = bool(run.store.entries) or run.is_unread
        is_new = not is_known and all(file.parent != place[0] for file in before)
        if is_new or not run.is_kept or run.could_not_begin:
            place = self._place(run, is_new=True)
        self._start(self._kept(run, draft, place, before))

    async def _kept(self, run: RunModel, draft: Draft, place: tuple[Path, str], before: Collection[Path]) -> None:
        loop = asyncio.get_running_loop()
        async with self._one_at_a_time:
            try:
                await in_thread(self._replace, run, place, draft, before, loop)
            except OSError as error:
                self._tell_trouble(run.run_id, error)
                if self._latest.get(run.run_id) is draft and not self._is_over:
                    self._keep_after(TRY_AGAIN, run, draft)
            else:
                self._in_trouble.discard(run.run_id)

    def _replace(
        self,
        run: RunModel,
        place: tuple[Path, str],
        draft: Draft,
        before: Collection[Path],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Write a draft in the place of what is in it; only once it is written, that goes."""
        from maverick_tui.history.reading import is_foreign

        run_id = run.run_id
        if place[1] == _BESIDE_JOURNAL and not place[0].is_dir():
            if not is_foreign(run_id):  # somebody has removed the run, and its draft goes with it
                self._remove(run_id)
                return
            place = _without_journal(run)
        file = self._unsent.file(*place, run_id)
        self._files.setdefault(run_id, set()).add(file)
        self._write(file, run_id, draft, loop)
        for other in {*before} - {file}:
            other.unlink(missing_ok=True)
            self._files[run_id].discard(other)

    def _remove(self, run_id: str) -> None:
        for file in self._files.pop(run_id, ()):
            file.unlink(missing_ok=True)

    def _take(self, run: RunModel, is_new: bool) -> Draft:
        folder, kind = self._place(run, is_new=is_new)
        found = [*folder.glob(f"{kind}.*")]
        if not is_new:  # it may have been left before anything was said
            found += [file for file in _of_new().glob("*.json") if of_run(file, run.run_id)]
        left = [draft for file in self._unsent.take(found) if (draft := _read(file))]
        images = {mark: path for draft in left for mark, path in draft.images.items()}
        reasons = {request: words for draft in left for request, words in draft.reasons.items()}
        files = [file for draft in left for file in draft.files]
        text, lacks_end = "\n".join(draft.text for draft in left if draft.text), any(draft.lacks_end for draft in left)
        text = still_prompt(text) if lacks_end or len(left) > 1 else text  # no command that somebody has typed so
        return Draft(text, images, reasons, files, lacks_end=lacks_end)

    def _write(self, file: Path, run_id: str, draft: Draft, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread: masking takes a while, too."""
        from maverick_tui.history.whole_files import write_whole
        from maverick_tui.masking.redact import redact

        text, images, reasons = draft.text, draft.images, draft.reasons
        is_secret = any(redact(one) != one for one in (text, *images.values(), *reasons.values()))
        begun = {"": text, **reasons}
        if not draft.is_whole:
            begun = {
                about: self._typing.setdefault((run_id, about), Typing()).known(words) for about, words in begun.items()
            }
        lacks_end = any(begun[about].strip() != words.strip() for about, words in {"": text, **reasons}.items())
        known = Draft(begun.pop(""), images, {request: words for request, words in begun.items() if words})
        if is_secret or not known:
            file.unlink(missing_ok=True)
            if is_secret:
                loop.call_soon_threadsafe(self._tell_once, SECRET_TOLD)
            return
        if file.parent == _of_new():
            paths.make_private(file.parent)
        kept = {"text": known.text, "images": dict(images), "reasons": begun, "lacks_end": lacks_end}
        write_whole(file, [json.dumps(kept)])

    def _tell_once(self, why: str) -> None:
        if why not in self._told:
            self._told.add(why)
            self._tell(why)

    def _tell_trouble(self, run_id: str, error: OSError) -> None:
        if not self._in_trouble:
            log.warning("A draft cannot be kept: %s", error)
            self._tell(trouble_told("What you type", error))
        self._in_trouble.add(run_id)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _removed(self, run_id: str) -> None:
        async with self._one_at_a_time:
            try:
                await in_thread(self._remove, run_id)
            except OSError as error:
                log.warning("A draft cannot be removed: %s", error)


def _of_new() -> Path:
    return paths.user_state() / "drafts"


def _without_journal(run: RunModel) -> tuple[Path, str]:
    """Where the draft of a run is that can come back, and has no journal here: known by the run alone."""
    return _of_new(), _short(f"{run.machine}\0{run.run_id}")


def _short(about: str) -> str:
    import hashlib

    return hashlib.sha256(about.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _read(file: Path) -> Draft:
    try:
        kept = json.loads(file.read_bytes())
        text, images, reasons = kept["text"], _texts(kept.get("images", {})), _texts(kept.get("reasons", {}))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NO_DRAFT
    if not isinstance(text, str):
        return NO_DRAFT
    return Draft(text, images, reasons, [file], lacks_end=bool(kept.get("lacks_end")))


def _texts(kept: Any) -> dict[str, str]:
    return {name: text for name, text in dict(kept).items() if isinstance(text, str)}
