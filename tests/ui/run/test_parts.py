"""The parts of a run's screen that need no screen: when the status is due, and what the prompt says."""

from __future__ import annotations

import asyncio
from typing import get_args

from maverick_tui.ui.run.prompting import Use, hint_for
from maverick_tui.ui.run.status import StatusClock
from tests.support.cases import each

KEYS = {
    "prompt.send": "Send",
    "prompt.newline": "Line",
    "run.interrupt": "Stop",
    "run.focus": "Over",
    "run.edit_queued": "Edit",
    "run.drop_queued": "Drop",
    "run.find": "Find",
    "run.close": "Close",
    "app.help": "Help",
}


async def test_what_grows_is_shown_together_and_what_is_urgent_at_once() -> None:
    shown = asyncio.Event()
    clock = StatusClock(shown.set)
    clock.hear("block_grew")
    slow = clock.due
    clock.hear("block_grew")
    clock.hear("tool_finished")
    assert slow is not None
    assert clock.due is slow, "what is on its way takes them along"
    clock.hear("turn_ended")
    urgent = clock.due
    assert slow.cancelled()
    assert urgent is not None
    assert urgent.when() < slow.when()
    clock.hear("turn_started")
    assert clock.due is urgent
    async with asyncio.timeout(60):
        await shown.wait()
    assert clock.due is None


async def test_what_is_shown_now_is_not_shown_again() -> None:
    shown: list[str] = []
    clock = StatusClock(lambda: shown.append("once"))
    clock.hear("turn_ended")
    due = clock.due
    clock.refresh_now()
    assert due is not None
    assert due.cancelled()
    assert (clock.due, shown) == (None, ["once"])


@each("use", get_args(Use))
def test_every_use_of_the_prompt_says_what_enter_does_by_the_keys_name(use: Use) -> None:
    hint = hint_for(use, KEYS)
    assert ("Send " in hint.keys) == (use not in ("nothing", "read-only", "shell at rest")), "Enter does nothing there"
    others = [hint_for(other, KEYS) for other in get_args(Use) if other != use]
    assert hint not in others


def test_who_is_asked_for_a_command_is_told_how_to_complete_it() -> None:
    assert hint_for("command", KEYS).keys == "Send or Over completes it   ↑↓ choose   Stop close"
    assert hint_for("whole command", KEYS).keys == "Send does it   Stop close"
