"""A limit for work that holds the interpreter, so that no other task or thread can stop it: to match a pattern."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 2.0
"""How long it may take to hold a value against a schema that somebody else has written."""


class TookTooLongError(Exception):
    """What was to be done within the limit was not."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise `TookTooLongError` in the midst of what is done here, once that takes longer.

    Only a signal reaches it, so there is no limit in other threads than the main one, on Windows, and where somebody
    else waits for the same timer.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer") or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return

    def ring(*_: object) -> None:
        raise TookTooLongError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before if before is not None else signal.SIG_DFL)
