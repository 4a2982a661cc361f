"""Noting: of all the reasons why a call asks, a question says the first. All of them are noted, so that of a call that
has waited it is known which ones have come since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

S = TypeVar("S")
P = ParamSpec("P")

_noted: ContextVar[list[str] | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Within it, what says the first of its reasons says none, and notes all: nothing hides those that come later."""
    reasons: list[str] = []
    token = _noted.set(reasons)
    try:
        yield reasons
    finally:
        _noted.reset(token)


def says_first(look: Callable[Concatenate[S, P], Iterable[str]]) -> Callable[Concatenate[S, P], str]:
    """A method that finds reasons, as one that says the first of them; empty if there is none."""

    @wraps(look)
    def said(self: S, /, *args: P.args, **kwargs: P.kwargs) -> str:
        reasons = filter(None, look(self, *args, **kwargs))
        if (noted := _noted.get()) is None:
            return next(reasons, "")
        noted.extend([*reasons])  # in full before that: to find them may note others
        return ""

    return said
