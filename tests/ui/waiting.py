"""Waiting for what an application comes to, however busy the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

PATIENCE = 120.0


async def until(pilot: Pilot[Any], condition: Callable[[], object], what: str = "it") -> None:
    """Wait until it is so; if that never happens, tell what is on the screen instead."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never happened: {what}\n{on_screen(pilot)}"
        await pilot.pause(0.01)


def on_screen(pilot: Pilot[Any]) -> str:
    """What stands there, and what was said beside it."""
    said = [one.message for one in pilot.app._notifications]
    return "\n".join([*(strip.text.rstrip() for strip in pilot.app.screen._compositor.render_strips()), *said])
