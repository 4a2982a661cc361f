"""Which changes are a run's own, so that they may be taken back, and who else is at those that may not."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from maverick_tui.journal.batches import batch_files
from maverick_tui.review.chain import Chain
from maverick_tui.review.not_kept import NotKept
from maverick_tui.runs.tracked_folder import PROMPTLY
from maverick_tui.snapshots.attribution import TAKEN_BACK, YOU, Writer, Writers
from maverick_tui.snapshots.changes import changed_paths
from maverick_tui.snapshots.entries import bytes_of
from maverick_tui.snapshots.planning import Span, Step, plan
from maverick_tui.snapshots.snapshot import Snapshot

_LONG_ENOUGH = 2.0
"""Seconds of a call in which a person may have saved something, too."""

_BATCH = "a batch has written it"

Proves = Callable[[Writer, bytes | None, bytes | None], bool]
"""Whether what has become of a file is exactly what a call was to make of it."""


@dataclass(slots=True)
class OwnChanges:
    """What the calls in question have changed since a snapshot, and nobody else can have."""

    since: Snapshot
    spans: list[Span] = field(default_factory=list)
    shared: dict[str, Writers] = field(default_factory=dict)
    """Paths that somebody else may have changed in the same moment, and who."""
    others: dict[str, Writers] = field(default_factory=dict)
    """Paths that they have changed, and who else has changed each of them afterwards."""
    only_copies: dict[str, str] = field(default_factory=dict)
    """Paths that may hold what is kept nowhere else, and why that may be."""
    gone: dict[str, str] = field(default_factory=dict)
    """What is not there since, or not as much, and was left out of the snapshots, with the reason."""
    grown: dict[str, str] = field(default_factory=dict)
    """Folders that were kept, and have been left out since, with the reason."""
    unkept: dict[str, str] = field(default_factory=dict)
    """Files that they have changed and no snapshot holds, with the reason."""
    lasted: dict[str, float] = field(default_factory=dict)
    """Paths that long calls have changed, and how many seconds those took: nobody knows what was saved meanwhile."""

    def steps(self, chain: Chain, named: Callable[[Writers], str], paths: Collection[str] | None) -> list[Step]:
        """What to do with each path, or why it stays as it is; `named` says who somebody is."""
        planned = (self._told(step, named) for step in plan(chain.shadow, self.spans, paths))
        found = [replace(step, lasted=self.lasted.get(step.path, 0.0)) for step in planned]
        refused = {path: f"{named(by)} may have changed it at the same time" for path, by in self.shared.items()}
        top = chain.shadow.folder
        refused |= {path: why for path, why in self.only_copies.items() if os.path.lexists(top / path)}
        differing = set[str]()
        if any(path.endswith("/") for path in self.gone):
            [differing] = changed_paths(chain.shadow, [self.since, chain.links[-1].snapshot])
        for path, why in self.gone.items():
            if not os.path.lexists(top / path):
                refused[path.rstrip("/")] = f"it is gone, and was not kept: {why}"
            elif path.endswith("/") and any(one.startswith(path) for one in differing):
                refused[path.rstrip("/")] = f"it was not kept for a while: {why}"
        for path, why in self.grown.items():
            if path in chain.links[-1].snapshot.left_out:
                refused[path.rstrip("/")] = f"it is not kept any more: {why}"
        refused = {path: f"it was changed, but {why}" for path, why in self.unkept.items()} | refused
        refused = {path: why for path, why in refused.items() if paths is None or path in paths}
        instead = {step.path: step for step in reversed(found)}  # a file comes before the folder in whose place it is
        found = [step for step in found if step.path not in refused]
        found += [replace(instead.get(path, Step(path, "write")), why_not=why) for path, why in refused.items()]
        return sorted(found, key=lambda step: os.fsencode(step.path))

    def _told(self, step: Step, named: Callable[[Writers], str]) -> Step:
        writers = self.others.get(step.path)
        return replace(step, why_not=f"{step.why_not} (by {named(writers)})") if step.why_not and writers else step


def only_shown(steps: Iterable[Step], shown: Iterable[Step]) -> list[Step]:
    """These steps, but what was not to be done in the same way when they were shown stays as it is."""
    agreed = {(step.path, step.does, step.wanted, step.left) for step in shown if not step.why_not}
    return [
        step
        if step.why_not or (step.path, step.does, step.wanted, step.left) in agreed
        else replace(step, why_not="it has changed since this was shown")
        for step in steps
    ]


def long_commands(steps: Iterable[Step]) -> str:
    """What is to be known before steps are taken of how long commands and hooks ran; empty if all were short."""
    longest = max((step.lasted for step in steps if not step.why_not), default=0.0)
    if not longest:
        return ""
    return f"A command or a hook ran for {longest:,.0f} s: what you saved meanwhile counts as its own."


def own_changes(chain: Chain, first: int, run_id: str, is_own: Callable[[Writer], bool], proves: Proves) -> OwnChanges:
    """What those calls of a run that are asked about have changed since a link, up to now."""
    found, is_open = OwnChanges(chain.links[first].snapshot), False
    mine: set[str] = set()
    account = chain.accounts[run_id]
    snapshots = [link.snapshot for link in chain.links[first:]]
    # What a run has removed of them comes back; else it was the batch, whichever commands ran meanwhile.
    results = {path for path in batch_files(chain.shadow.folder) if os.path.lexists(chain.shadow.folder / path)}
    for (was, link), touched in zip(pairwise(chain.links[first:]), changed_paths(chain.shadow, snapshots), strict=True):
        before = was.snapshot
        own = {writer for writer in link.by if is_own(writer)}
        calls = [writer.id.partition("/")[2] for writer in own]
        began = min((account.began[call] for call in calls if call in account.began), default=link.at)
        not_kept = NotKept(chain.shadow, before, link.snapshot, began, link.at)
        has_commands = any(not writer.paths for writer in own)
        gone = not_kept.gone(touched) if has_commands else {}
        found.gone |= gone
        found.grown |= not_kept.grown(touched) if has_commands else {}
        if not touched:
            continue
        # Whatever of it a person has taken back since, or has given back again, belongs to it, too.
        taken_back = {path for one in link.by if one.id == f"{TAKEN_BACK}{run_id}" for path in one.paths} & mine
        own_here = set[str]()
        for path in touched:
            possible = [one for one in link.by if one.may_write(path)]
            others = tuple(one for one in possible if one not in own)
            if path in taken_back:
                own_here.add(path)
            elif not own.isdisjoint(possible) and others:
                # Somebody else was at work, too: whose it is, only what has become of the file may say.
                proven = _proven(chain, proves, path, before, link.snapshot, possible)
                if proven is None:
                    found.shared[path] = others
                elif proven in own:
                    own_here.add(path)
                elif path in mine:
                    found.others[path] = (proven,)
            elif possible and not others:
                own_here.add(path)
            elif path in mine:
                found.others[path] = others or (YOU,)
        only_copies = dict[str, str]()
        if has_commands:
            new = own_here - taken_back
            only_copies = not_kept.only_copies(new, gone) | not_kept.moved_out(new)
        only_copies |= dict.fromkeys(own_here & results, _BATCH)
        for path, why in only_copies.items():
            if _proven(chain, proves, path, before, link.snapshot, list(own)) is None:
                found.only_copies[path] = why
                own_here.discard(path)
        mine |= own_here
        ended = max((account.ended.get(call, link.at) for call in calls), default=link.at)
        if (seconds := min(ended + PROMPTLY, link.at) - began) >= _LONG_ENOUGH:
            # A call that names its file may have hooks, which format what it has written.
            for path in own_here - taken_back:
                if _proven(chain, proves, path, before, link.snapshot, list(own)) is None:
                    found.lasted[path] = max(seconds, found.lasted.get(path, 0.0))
        is_all = own_here == touched
        span = Span(before, link.snapshot, None if is_all else frozenset(own_here))
        if is_open and found.spans[-1].goes_on_in(span):
            found.spans[-1] = found.spans[-1]._replace(after=link.snapshot)
        elif own_here:
            found.spans.append(span)
        is_open = is_all
    return found


def _proven(
    chain: Chain, proves: Proves, path: str, before: Snapshot, after: Snapshot, possible: Sequence[Writer]
) -> Writer | None:
    """Who has made of a file exactly what they were to make of it, so that nobody else was at it."""
    named = [writer for writer in possible if path in writer.paths]
    if not named:
        return None
    old, new = (bytes_of(chain.shadow, one, path) for one in (before, after))
    return next((writer for writer in named if writer.is_person or proves(writer, old, new)), None)
