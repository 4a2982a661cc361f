"""What is said of a turn, or of calls, that somebody has told to stop: what really became of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.host.interrupting import Stopped, interrupt_turn, stop_calls
from tests.host.served_run import RUN, Served, serving
from tests.support.runs import Tape


def ends(run: Served) -> None:
    run.tell([ev.RunEnded(9.0, "closed")])
    run.events.close()


def is_done(run: Served) -> None:
    run.tell(Tape().prompt("Go").done().events[-1:])


def is_cut(run: Served) -> None:
    run.tell(Tape().prompt("Go").done("interrupted").events[-1:])


@pytest.mark.parametrize(
    ("becomes", "words"),
    [
        (ends, "has ended meanwhile"),
        (is_done, "had done its work before that, and waits for a prompt"),
        (is_cut, "was interrupted, and waits for a prompt"),
    ],
)
async def test_a_turn_is_told_as_it_has_ended(becomes: Callable[[Served], None], words: str) -> None:
    async with serving(Tape().connect().prompt("Go").events) as run:
        run.on_command = lambda _command: becomes(run)
        assert await interrupt_turn(RUN) == Stopped(words)
        run.events.close()


async def test_calls_of_a_run_that_has_ended_are_not_said_to_be_left_out() -> None:
    tape = Tape().connect().prompt("Go")
    tape.call("Bash", {"command": "sleep 9"})
    async with serving(tape.events) as run:
        run.on_command = lambda _command: ends(run)
        assert await stop_calls(RUN) == Stopped("has ended meanwhile")
    async with serving(Tape().connect().prompt("Go").events) as run:
        assert await stop_calls(RUN) == Stopped("waits for no call that could be stopped", is_so=False)
        run.events.close()
