"""Signals that would end us, while something must not be cut short."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

TOLD_TO_END = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU") if hasattr(signal, name)]
"""By a person, another program, or the system, which tells so who has used the processor for as long as it may.

Others end us, too, but nobody sends them for that: timers (SIGALRM, SIGPROF, SIGVTALRM) are each program's own, and
SIGUSR1 and SIGUSR2 mean what a program says that they mean.
"""
_ENDING = [signal.SIGINT, *TOLD_TO_END]


@contextmanager
def at_signals(act: signal.Handlers | Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Have this done at whatever would end us, meanwhile; in the application, which works in threads, nothing would."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in _ENDING}
    heard = [number for number, acts in before.items() if acts is not signal.SIG_IGN]  # `nohup` ignores one
    for number in heard:
        signal.signal(number, act)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, before[number] or signal.SIG_DFL)


def end_by(number: int, _frame: FrameType | None = None) -> None:
    """End as this signal says, but in order."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)
