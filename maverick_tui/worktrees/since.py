"""What was done in a worktree since somebody looked: new files, and others in those that were there by then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from maverick_tui.worktrees import brought, records
from maverick_tui.worktrees.ending import Loss, loss_of
from maverick_tui.worktrees.records import Worktree


class Seen(NamedTuple):
    """What would have been lost when somebody looked, and how each file of that was."""

    loss: Loss = Loss()
    marks: Mapping[str, str] = MappingProxyType({})


def seen(worktree: Worktree, loss: Loss) -> Seen:
    """How this is now."""
    return Seen(loss, _marks(worktree, (*loss.uncommitted, *loss.ignored, *loss.brought)))


def loss_since(worktree: Worktree, before: Seen) -> str:
    """What would be lost by now, and would not have been before, in words; empty if there is nothing."""
    now, known = loss_of(worktree), before.loss
    kinds = ((now.uncommitted, known.uncommitted), (now.ignored, known.ignored), (now.brought, known.brought))
    fresh = [path for paths, then in kinds for path in paths if path not in then]
    marks = _marks(worktree, [path for paths, then in kinds for path in paths if path in then])
    fresh += [path for path, how in marks.items() if how != before.marks.get(path)]
    fresh += [path for path in now.uncommitted if path in before.marks and path not in marks]  # deleted by now
    if now.put_aside and not known.put_aside:
        fresh.append(f"what git has put aside until {now.put_aside} is finished")
    return now.unknown.rstrip(".") or (records.some(list(dict.fromkeys(fresh))) if fresh else "")


def _marks(worktree: Worktree, names: Iterable[str]) -> dict[str, str]:
    """Size and times of each file, also of those in folders."""
    return {path: how for name in names for path, how in brought.files_in(worktree.top, name.rstrip("/"))}
