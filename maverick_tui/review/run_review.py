"""RunReview: what one run has changed, who else was at it, and the way back."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from maverick_tui.exceptions import ConfigError
from maverick_tui.markup.hunks import CONTEXT, Hunk
from maverick_tui.review.accounts import RunAccount
from maverick_tui.review.authors import Names
from maverick_tui.review.chain import Chain
from maverick_tui.review.hunks import changed_hunks, groups, own_lines, parts
from maverick_tui.review.kinds import (
    MOST_LINES,
    START,
    CallInfo,
    ChangedFile,
    ChangedHunk,
    Part,
    Scope,
    Texts,
    TurnChanges,
)
from maverick_tui.review.patches import patch_of
from maverick_tui.review.proving import is_exactly
from maverick_tui.review.scopes import end_of, is_own, range_of
from maverick_tui.review.taking_back import OwnChanges, only_shown, own_changes
from maverick_tui.review.undo_records import UndoRecord, UndoRecords, all_records
from maverick_tui.review.unkept import Unkept, unkept
from maverick_tui.snapshots import planning, undoing
from maverick_tui.snapshots.attribution import Writer
from maverick_tui.snapshots.caps import NotTrackedError
from maverick_tui.snapshots.changes import FileChange, Lines, replaced
from maverick_tui.snapshots.changes import hunks as hunks_of
from maverick_tui.snapshots.planning import Span, Step
from maverick_tui.snapshots.shadow import Shadow
from maverick_tui.snapshots.snapshot import LINK
from maverick_tui.snapshots.undoing import Undone
from maverick_tui.threads import to_the_end

_UNKNOWN = "What the run has changed cannot be shown or undone."


@dataclass(frozen=True, slots=True)
class LastUndo:
    """What `redo` would give back: what becomes of every path, or why one stays, and when it was taken back."""

    steps: tuple[Step, ...]
    at: float

    @property
    def paths(self) -> tuple[str, ...]:
        """What can be given back."""
        return tuple(step.path for step in self.steps if not step.why_not)


class _Rejection(NamedTuple):
    """What `reject` will do."""

    span: Span
    change: FileChange
    lines: list[Lines]
    steps: list[Step]


class _WayForth(NamedTuple):
    """What `redo` will do."""

    record: UndoRecord
    span: Span
    steps: list[Step]


class RunReview:
    """What a run has changed. Everything here takes its time, and is called in threads, one call after the other.

    Whatever needs the snapshots raises a ConfigError (NotTrackedError) if there are none: see `untracked`.
    """

    def __init__(self, run_id: str) -> None:
        """Read the run's journal. ConfigError if there is none."""
        self.run_id = run_id
        self.root = Path()
        """The folder that its changes are tracked in; paths are relative to it. Empty until there is a snapshot."""
        self.untracked = ""
        """Why its changes are not tracked (any more), if they are not; ends the sentence that begins with "because"."""
        self.turns: list[TurnChanges] = []
        """Its turns, the first one first; those of the run that it was forked from are not among them."""
        self._account = RunAccount(run_id)
        self._chain: Chain | None = None
        self.refresh()

    def refresh(self) -> bool:
        """Read what is new in the journals; whether anything is. What is told afterwards goes by it."""
        is_new = self._account.read()
        self.untracked = self._account.untracked
        if is_new:
            self.turns = list(_turns(self._account))
        root = Path(self._account.root) if self._account.root else Path()
        if root != self.root:
            self.root, self._chain = root, None
        if self._chain is not None:
            is_new = self._chain.read(self._account) or is_new
        return is_new

    @property
    def title(self) -> str:
        """What the run is called, or was asked first; inert, on one line."""
        return self._account.title

    @property
    def counted(self) -> int:
        """How many files it had changed at its last snapshot, as it has told itself."""
        return self._account.taken[-1].files if self._account.taken else 0

    @property
    def is_alive(self) -> bool:
        """Whether a process still works on the run."""
        return self._account.is_alive

    @property
    def is_at_work(self) -> bool:
        """Whether calls of it that may write are running at this moment."""
        return self._account.is_alive and self._account.is_running

    # -- what has changed ----------------------------------------------------------------------------------------------

    def files(self, scope: Scope = START, *, with_others: bool = False, is_fresh: bool = True) -> list[ChangedFile]:
        """The files that the run's calls have changed in this part of it, in the order of their paths.

        With others, also those that only you or other runs have changed meanwhile. If it need not be fresh, the last
        snapshot stands for what is there now: that is known in a third of the time.
        """
        chain = self._now() if is_fresh else self._joined(is_fresh=False)
        first, last = range_of(chain, self._account, scope)
        attribution, names, is_asked = chain.attribution(first, last), self._names(), is_own(self._account, scope)
        found: list[ChangedFile] = []
        for change in chain.changes(first, last):
            by = [writer for path in (change.was, change.path) for some in attribution.touched(path) for writer in some]
            if any(writer.takes_back for writer in by) and not change.permissions:
                # What is left may be somebody else's alone, if it is all lines, and none of them was given back.
                left = hunks_of(chain.shadow, change, 0, MOST_LINES)
                lines = (attribution.hunk(hunk, change.path, change.was) for hunk in left if not hunk.is_cut)
                still = [writer for hunk in lines for some in hunk for writer in some]
                is_whole = bool(still) and not any(hunk.is_cut for hunk in left)
                by = still if is_whole and not any(writer.takes_back for writer in still) else by
            if with_others or any(map(is_asked, by)):
                counts = (change.added, change.deleted, change.is_binary, change.permissions)
                by = [writer for writer in by if not writer.takes_back] or by  # who has written nothing of their own
                about = (names.authors(by), change.not_kept)
                found.append(ChangedFile(change.path, change.status, change.was, *counts, *about))
        for change, writers in self._unkept(chain, scope).values():
            told = ChangedFile(change.path, change.status, authors=names.authors(writers), not_kept=change.not_kept)
            found.append(told)
        return sorted(found, key=lambda file: os.fsencode(file.path))

    def hunks(
        self, scope: Scope, path: str, context: int = CONTEXT, most: int | None = MOST_LINES
    ) -> list[ChangedHunk]:
        """What has changed in a file, with whose each hunk and each line is; nothing of a binary one.

        If that is more than `most` lines, the last hunk is cut, none follows, and `reject` refuses it.
        This and `texts` go by what was there when `files` was asked last.
        """
        chain, first, last, change = self._found(scope, path)
        return changed_hunks(chain.shadow, change, chain.attribution(first, last), self._names(), context, most)

    def changed_lines(self, scope: Scope, path: str) -> list[Hunk]:
        """The same without a line around it, whoever has written it: that takes longer than all the rest."""
        chain, _, _, change = self._found(scope, path)
        return hunks_of(chain.shadow, change, 0, MOST_LINES)

    def texts(self, scope: Scope, path: str) -> Texts:
        """What was in a file before and afterwards. The bytes of a link are where it leads."""
        chain, _, _, change = self._found(scope, path)
        before, after = (b"" if one is None else chain.shadow.blob(one.blob) for one in (change.before, change.after))
        return Texts(before, after)

    def lines_since(self, text: bytes, scope: Scope, path: str) -> list[Lines] | None:
        """Which lines of a file as it was at the end of this part of the run are others than in this text of it.

        None if it was gone by then.
        """
        chain, _, _, change = self._found(scope, path)
        if change.after is None:
            return None
        if b"\r\n" in chain.shadow.blob(change.after.blob) and b"\r\n" not in text:  # git may keep no CR
            text = text.replace(b"\n", b"\r\n")
        since = replace(change, before=change.after._replace(blob=chain.shadow.keep_blob(text)))
        return [lines for hunk in hunks_of(chain.shadow, since, 0) for lines, _ in groups(hunk)]

    def blob_before(self, scope: Scope, path: str) -> str:
        """The name that git gives to the bytes of a file as it was before; empty if there was none."""
        before = self._found(scope, path)[3].before
        return "" if before is None else before.blob

    def part(self, scope: Scope, path: str, hunks: Iterable[ChangedHunk]) -> Part:
        """What a file is with these of its hunks alone, for a commit. ConfigError if it has become another thing."""
        change = self._found(scope, path)[3]
        modes = [one.mode for one in (change.before, change.after) if one is not None]
        if LINK in modes and modes != [LINK] * len(modes):
            raise ConfigError(
                f"{path!r} is a link now, or was one: a part of that is nothing.", hint="Choose the whole file."
            )
        before, after = self.texts(scope, path)
        text = replaced(before, after, [lines for one in hunks for lines in one.lines])
        if change.not_kept:
            raise ConfigError(f"Nobody knows what has changed in {path!r}.", hint="Choose the whole file.")
        is_gone = change.after is None and not text
        return Part(None if change.before is None else before, None if is_gone else text, modes[-1])

    def patch(self, scope: Scope, path: str) -> bytes:
        """What has changed in a file as `git apply` takes it; nothing if it is only what git does not know of."""
        chain, _, _, change = self._found(scope, path)
        return patch_of(chain.shadow, change)

    # -- the way back --------------------------------------------------------------------------------------------------

    def plan(self, scope: Scope = START, paths: Collection[str] | None = None) -> list[Step]:
        """What `undo` will do with every path, or why one is left as it is. Nothing is changed."""
        self._require_folder()
        chain = self._now()
        return self._own(chain, scope).steps(chain, self._names().words, paths)

    def undo(
        self, scope: Scope = START, paths: Collection[str] | None = None, *, shown: Sequence[Step] | None = None
    ) -> Undone:
        """Take back what the run's calls have changed in this part of it: all of it, or these paths alone.

        What you or another run may have changed, too, or since, is refused path by path, with who it was; and so is
        whatever is not among the steps that a person was shown. NotRestoredError if something goes wrong: then all is
        as it was.
        """
        self._require_folder()
        chain = self._now()
        own = self._own(chain, scope)
        steps = own.steps(chain, self._names().words, paths)
        if shown is not None:
            steps = only_shown(steps, shown)
        chosen = [step for step in steps if not step.why_not]
        asked = {step.path for step in chosen}
        undone = self._recorded(chosen, lambda: undoing.undo(chain.shadow, own.spans, self.run_id, asked))
        return replace(undone, refused=(*(step for step in steps if step.why_not), *undone.refused))

    def plan_rejection(self, scope: Scope, path: str, hunks: Sequence[ChangedHunk]) -> list[Step]:
        """What `reject` will do with these hunks, and what it leaves as it is, with the reason. Nothing is changed."""
        self._require_folder()
        return self._rejection(scope, path, hunks).steps

    def reject(self, scope: Scope, path: str, hunks: Sequence[ChangedHunk]) -> Undone:
        """Take back only these hunks of a file; lines in them that are not the run's alone stay as they are."""
        self._require_folder()
        span, change, lines, steps = self._rejection(scope, path, hunks)
        chosen, shadow = [step for step in steps if not step.why_not], self._read().shadow
        undone = self._recorded(chosen, lambda: undoing.reject(shadow, span, change, lines, self.run_id))
        return replace(undone, refused=(*undone.refused, *(step for step in steps if step.why_not)))

    def _rejection(self, scope: Scope, path: str, hunks: Sequence[ChangedHunk]) -> _Rejection:
        chain, first, last, change = self._found(scope, path)
        span = Span(chain.links[first].snapshot, chain.links[last].snapshot)
        asked, shown = parts(hunks), [one for one in self.hunks(scope, path, context=0) if not one.hunk.is_cut]
        why = self._own(chain, scope).only_copies.get(path, "")
        if any(link.snapshot.leaves_out(path) for link in chain.links[first : last + 1]):
            why = "it was not kept for a while"  # what is taken for the run's may be anybody's
        if not asked <= parts(shown):  # their numbers may be those of other lines by now
            why = "these lines have changed since they were shown"
        if why:
            return _Rejection(span, change, [], [Step(path, "write", why)])
        lines, others = own_lines([one for one in shown if parts([one]) <= asked])
        steps = [undoing.rejection(chain.shadow, span, change, lines)] if lines else []
        if others:
            steps.append(Step(path, "write", f"lines that are not its own alone: {', '.join(others)}"))
        return _Rejection(span, change, lines, steps)

    @property
    def taken_back(self) -> frozenset[str]:
        """What is still taken back: of each time the snapshot that was taken afterwards, by its id."""
        return frozenset(record.after for record in self._taken_back())

    @property
    def last_undo(self) -> LastUndo | None:
        """What `redo` would give back, also after a crash, or if another process has taken it back."""
        found = self._way_forth(self._taken_back())
        return None if found is None else LastUndo(tuple(found.steps), found.record.at)

    def plan_redo(self) -> LastUndo:
        """The same, to be shown to a person. ConfigError if there is nothing. Nothing is changed."""
        self._require_folder()
        if (last := self.last_undo) is None:
            raise ConfigError(
                f"Nothing of what the run {self.run_id} did was taken back.",
                hint="There is nothing to give back, or it was given back already.",
            )
        return last

    def redo(self, shown: LastUndo | None = None) -> Undone:
        """Have back what was taken back last, where nobody has changed it since. ConfigError if there is nothing.

        If a person was shown what that is, it is given back and nothing else, whatever was taken back since. What was
        refused may be given back later, once nothing is in its way.
        """
        agreed = shown or self.plan_redo()
        self._require_folder()
        found = self._way_forth([record for record in self._taken_back() if record.at == agreed.at])
        if found is None:
            raise ConfigError(
                f"What was to be given back of the run {self.run_id} has been given back meanwhile.",
                hint="See what it has changed, and ask again if more is to come back.",
            )
        record, span, _ = found
        steps = only_shown(found.steps, agreed.steps)
        shadow, chosen = self._read().shadow, [step for step in steps if not step.why_not]
        asked = {step.path for step in chosen}
        undone = self._recorded(chosen, lambda: undoing.undo(shadow, [span], self.run_id, asked), record)
        return replace(undone, refused=(*(step for step in steps if step.why_not), *undone.refused))

    def tree_after(self, turn: int) -> str:
        """The snapshot at the end of a turn; empty if there is none. It is one of the folder `root`."""
        taken = end_of(self._account, turn) if self._account.taken and turn in self._account.prompts else None
        return taken.snapshot if taken is not None else ""

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _read(self) -> Chain:
        """What all journals tell of the folder. NotTrackedError if there are no snapshots."""
        if not self._account.taken:
            raise NotTrackedError(self.untracked or "the run has told of no snapshot", self.root, hint=_UNKNOWN)
        if self._chain is None:
            self._chain = Chain(Shadow(self.root, is_asked_first=False))
            self._chain.read(self._account)
        return self._chain

    def _now(self) -> Chain:
        """The snapshots of the folder, with what is there now."""
        chain = self._read()
        self._join(chain)
        return chain

    def _joined(self, *, is_fresh: bool = True) -> Chain:
        """The same as it was when it was asked last; if it need not be fresh, what is there now may be missing."""
        if not (chain := self._read()).links:
            self._join(chain, is_fresh=is_fresh)
        return chain

    def _join(self, chain: Chain, *, is_fresh: bool = True) -> None:
        now = chain.shadow.take(self.run_id) if is_fresh and self.root.is_dir() else None
        chain.join(self._account.taken[0].number, all_records(chain.shadow), now)
        if not chain.links or chain.numbers[0] != self._account.taken[0].number:
            raise NotTrackedError("its snapshots are not kept any more", self.root, hint=_UNKNOWN)

    def _require_folder(self) -> None:
        if self._account.taken and not self.root.is_dir():
            raise ConfigError(
                f"The folder that the run {self.run_id} has worked in is gone: {self.root}.",
                path=str(self.root),
                hint="Nothing can be taken back or given back there; what it has changed can still be seen.",
            )

    def _names(self) -> Names:
        return Names(self._read(), self.run_id)

    def _found(self, scope: Scope, path: str) -> tuple[Chain, int, int, FileChange]:
        chain = self._joined()
        first, last = range_of(chain, self._account, scope)
        for change in chain.changes(first, last):
            if change.path == path:
                return chain, first, last, change
        if (unknown := self._unkept(chain, scope).get(path)) is not None:
            return chain, first, last, unknown.change
        raise ConfigError(
            f"{path!r} has not changed in this part of the run {self.run_id}.", hint="See which files have."
        )

    def _own(self, chain: Chain, scope: Scope) -> OwnChanges:
        first, _ = range_of(chain, self._account, scope)
        own = own_changes(chain, first, self.run_id, is_own(self._account, scope), self._proves)
        own.unkept = {path: one.change.not_kept for path, one in self._unkept(chain, scope).items()}
        return own

    def _unkept(self, chain: Chain, scope: Scope) -> dict[str, Unkept]:
        return unkept(chain, self._account, *range_of(chain, self._account, scope), is_own(self._account, scope))

    def _proves(self, writer: Writer, before: bytes | None, after: bytes | None) -> bool:
        run_id, _, call = writer.id.partition("/")
        account = self._read().accounts[run_id]
        known = account.calls.get(call)
        return known is not None and is_exactly(known.tool, account.arguments(call), before, after)

    def _recorded(self, steps: list[Step], work: Callable[[], Undone], redone: UndoRecord | None = None) -> Undone:
        if not steps:
            now = self._joined().links[-1].snapshot
            return Undone(now, now, (), ())
        records = UndoRecords(self._read().shadow, self.run_id)
        return to_the_end(lambda: records.recorded(steps, work, redone))

    def _taken_back(self) -> list[UndoRecord]:
        """What is still taken back, the last first."""
        is_there = self._account.taken and self.root.is_dir()
        return UndoRecords(self._read().shadow, self.run_id).to_give_back() if is_there else []

    def _way_forth(self, records: Iterable[UndoRecord]) -> _WayForth | None:
        """The first of these of which anything can be given back, and how; else the first that is refused."""
        refused: _WayForth | None = None
        for record in records:
            shadow = self._read().shadow
            span = Span(shadow.read(record.before), shadow.read(record.after))
            steps = planning.plan(shadow, [span], record.to_give_back)
            if any(not step.why_not for step in steps):
                return _WayForth(record, span, steps)
            refused = refused or (_WayForth(record, span, steps) if steps else None)
        return refused


def _turns(account: RunAccount) -> Iterator[TurnChanges]:
    """The turns, with the calls that were at work when something may have changed."""
    told = dict.fromkeys((*(call for one in account.taken for call in one.calls), *account.at_work))
    writing = [account.calls[call] for call in account.calls if call in told]
    for number, prompt in account.prompts.items():
        calls = (CallInfo(one.id, one.tool, one.about) for one in writing if one.turn == number)
        yield TurnChanges(number, prompt, tuple(calls))
