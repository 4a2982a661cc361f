"""Scoping: which part of a run is looked at, chosen by keys or from a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from maverick_tui.review.kinds import START, Scope, TurnChanges

if TYPE_CHECKING:
    from maverick_tui.ui.changes.screen import ChangesScreen


class Scoping:
    """Has a screen look at parts of its run."""

    def __init__(self, screen: ChangesScreen) -> None:
        self._screen = screen

    @property
    def _turns(self) -> Sequence[TurnChanges]:
        seen = self._screen.looking.seen
        return seen.turns if seen is not None else ()

    @property
    def _scope(self) -> Scope:
        return self._screen.looking.wanted.scope

    def choose(self) -> None:
        """Ask which part is to be looked at."""
        from maverick_tui.ui.changes.asking import ScopeScreen

        def chosen(scope: Scope | None) -> None:
            if scope is not None:
                self._screen.look_at(scope)

        _ = self._screen.app.push_screen(ScopeScreen(self._turns, self._scope), chosen)

    def all(self) -> None:
        """All since the start."""
        self._screen.look_at(START)

    def since(self) -> None:
        """All since the turn that is looked at, or that turn alone."""
        if self._scope.turn:
            self._screen.look_at(Scope("turn" if self._scope.kind == "since" else "since", self._scope.turn))

    def turn(self, by: int) -> None:
        """Look at the next turn alone, or at the one before."""
        self._step([Scope("turn", turn.number) for turn in self._turns], Scope("turn", self._scope.turn), by)

    def call(self, by: int) -> None:
        """The same for calls."""
        calls = [Scope("call", turn.number, call.call) for turn in self._turns for call in turn.calls]
        self._step(calls, self._scope, by)

    def _step(self, scopes: list[Scope], now: Scope, by: int) -> None:
        """To the next of them; from elsewhere to the first, or backwards to the last."""
        if scopes:
            at = scopes.index(now) + by if now in scopes else -1 if by < 0 else 0
            self._screen.look_at(scopes[at if now not in scopes else max(0, min(at, len(scopes) - 1))])
