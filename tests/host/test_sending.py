"""One command for a run that nobody here follows."""

from __future__ import annotations

import pytest

from maverick_tui.exceptions import NetworkError
from maverick_tui.host.sending import send_once
from maverick_tui.runs.commands import Interrupt
from tests.host.served_run import RUN, serving
from tests.support.runs import Tape


async def test_a_command_is_heard_and_a_run_without_a_host_says_so() -> None:
    tape = Tape().connect().prompt("Go").say("Words.")
    async with serving(tape.events) as run:
        await send_once(RUN, Interrupt(), since=2)
        await send_once(RUN, Interrupt())
        assert run.commands == [Interrupt(), Interrupt()]
        run.events.close()
    with pytest.raises(NetworkError, match="no host"):
        await send_once(RUN, Interrupt())
