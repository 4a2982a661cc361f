"""What the CLI says beside answers, told in events."""

from __future__ import annotations

from itertools import count
from typing import Any, cast

from claude_agent_sdk import SystemMessage

from maverick_tui.agent.engine.claude.telling import ClaudeSession
from maverick_tui.agent.engines import Listener
from maverick_tui.events.kinds import Event, ModeChanged


class Kept:
    """Keeps what it is told."""

    ask = None

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.next_block = count(1).__next__

    def now(self) -> float:
        return 1.0

    def tell(self, event: Event) -> None:
        self.events.append(event)


def test_a_mode_that_is_not_the_one_it_was_started_in_is_told() -> None:
    kept = Kept()
    session = ClaudeSession(cast("Listener", kept))
    session.begin(cast(Any, object()), "default")
    for mode in ("default", "acceptEdits"):
        session.hear(SystemMessage("init", {"permissionMode": mode, "model": "m", "session_id": "s"}))
    assert [event.mode for event in kept.events if isinstance(event, ModeChanged)] == ["acceptEdits"]
