"""Timers that go off once do so, however late.

Textual leaves out what a timer has missed. A process that is held up for the timer's time just when that begins, as on
a busy machine, has missed all of it: the window kept the size that it had, and a dialog took no key, for good.
"""

from __future__ import annotations

from typing import Any

from textual import message_pump
from textual.timer import Timer

from maverick_tui.ui.textual_private.names import LATE, lacking


class _LateTimer(Timer):
    def __init__(self, *given: Any, repeat: int | None = None, skip: bool = True, **named: Any) -> None:
        super().__init__(*given, repeat=repeat, skip=skip and repeat != 0, **named)


def let_late_timers_go_off() -> None:
    """Have it so for all that is made from now on."""
    if not lacking(LATE):
        message_pump.Timer = _LateTimer  # type: ignore[attr-defined]
