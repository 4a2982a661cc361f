"""Where in a folder's snapshots a part of a run begins and ends, and whose calls it is about."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from maverick_tui.exceptions import ConfigError
from maverick_tui.review.accounts import RunAccount, Taken
from maverick_tui.review.chain import Chain
from maverick_tui.review.kinds import Scope
from maverick_tui.snapshots.attribution import Writer

_SEE = "See `maverick runs show` for what there is."


def range_of(chain: Chain, account: RunAccount, scope: Scope) -> tuple[int, int]:
    """The first and the last link; the last one of all is what is there now. ConfigError if there is no such part."""
    last = len(chain.links) - 1
    if scope.kind == "call":
        return _at_work(chain, account, scope.call)
    if scope.kind != "start" and scope.turn not in account.prompts:
        turns = list(account.prompts)
        has = f"its turns are {turns[0]} to {turns[-1]}" if turns else "it has none"
        raise ConfigError(f"The run {account.run_id} has no turn {scope.turn}: {has}.", hint=_SEE)
    if scope.kind == "start":
        return 0, last
    first = _place(chain, begin_of(account, scope.turn))
    if scope.kind == "turn" and (end := end_of(account, scope.turn)) is not None:
        return first, max(first, _place(chain, end))
    return first, last


def begin_of(account: RunAccount, turn: int) -> Taken:
    """The snapshot before a turn, or the nearest before it."""
    before = [one for one in account.taken if one.turn < turn or (one.when == "turn" and one.turn == turn)]
    return before[-1] if before else account.taken[0]


def end_of(account: RunAccount, turn: int) -> Taken | None:
    """The snapshot after a turn; None if it still goes on."""
    of_it = [one for one in account.taken if one.turn == turn]
    ends = [one for one in of_it if one.when == "end"]
    has_gone_on = account.taken[-1].turn > turn or not account.is_alive
    return ends[-1] if ends else (of_it or [begin_of(account, turn)])[-1] if has_gone_on else None


def is_own(account: RunAccount, scope: Scope) -> Callable[[Writer], bool]:
    """Whether somebody is a call that is asked about."""

    def is_asked_about(writer: Writer) -> bool:
        run_id, _, call_id = writer.id.partition("/")
        if run_id != account.run_id:
            return False
        if scope.kind == "call":
            return call_id == scope.call
        call = account.calls.get(call_id)
        return scope.kind != "turn" or (call is not None and call.turn == scope.turn)

    return is_asked_about


def _place(chain: Chain, taken: Taken) -> int:
    return min(bisect_left(chain.numbers, taken.number), len(chain.links) - 1)


def _at_work(chain: Chain, account: RunAccount, call: str) -> tuple[int, int]:
    writer = account.writer(call)
    places = [at for at, link in enumerate(chain.links) if at and writer in link.by]
    if not places:
        if call not in account.calls:
            raise ConfigError(f"The run {account.run_id} has no call {call!r}.", hint=_SEE)
        return 0, 0  # it has changed nothing
    return places[0] - 1, places[-1]
