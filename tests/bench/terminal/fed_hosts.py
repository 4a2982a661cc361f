"""Hosts of runs that no agent works on, in one process: each has a past, and on a signal all of them tell an answer.

`python fed_hosts.py RUNS EVENTS DELTAS [DELTAS_PER_SECOND]`: it says when they can be read, and begins with a line on
its standard input. An answer ends when its run is interrupted.
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import AsyncExitStack
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from maverick_tui.events import kinds as ev
from maverick_tui.host.serving import RunServer
from maverick_tui.runs.commands import Command, Interrupt
from maverick_tui.runs.log import EventLog
from tests.bench.terminal import corpus
from tests.support.runs import Tape

LAST = "THELASTOFIT"
"""Stands at the end of a past."""


def run_id(number: int) -> str:
    """The id of one of the runs."""
    return f"bec0{number:08x}"


@lru_cache
def _pieces(count: int) -> list[str]:
    return corpus.pieces(corpus.answer(count))


class Fed:
    """One run: its log, and an answer that comes in pieces."""

    def __init__(self, number: int, events: int) -> None:
        self.log = EventLog()
        tape = Tape("explorer", str(Path.cwd()), at=time.time() - events / 20).connect()
        turn = 0
        while len(tape.events) < events - 30:
            turn += 1
            tape.prompt(f"Question {turn}").say(corpus.turn(turn)[1]).done()
        tape.prompt("The last question").say(LAST).done()
        self.tape = tape
        self._tell()
        self._is_interrupted = False
        self.server = RunServer(run_id(number), "explorer", self.log, self)

    def send(self, command: Command) -> None:
        """Nobody works on it; but it can be stopped."""
        if isinstance(command, Interrupt):
            self._is_interrupted = True
            self.log.emit(ev.InterruptRequested(self.log.now()))

    def _tell(self) -> None:
        for event in self.tape.events:
            self.log.emit(event)
        self.tape.events.clear()

    async def answer(self, count: int, pace: float) -> None:
        """Tell an answer of so many deltas, so many of them in a second."""
        self.tape.prompt("Go on").say("", is_open=True)
        self._tell()
        began, block = time.monotonic(), self.tape._block
        for number, piece in enumerate(_pieces(count)):
            await asyncio.sleep(max(0.0, began + number / pace - time.monotonic()))
            if self._is_interrupted:
                break
            self.log.emit(ev.BlockGrew(self.log.now(), block, piece))
        self.log.emit(ev.BlockEnded(self.log.now(), block))
        self.tape.done("interrupted" if self._is_interrupted else "done")
        self._tell()


async def main(runs: int, events: int, deltas: int, pace: float = corpus.DELTAS_PER_SECOND) -> None:
    """Serve them until standard input ends."""
    async with AsyncExitStack() as stack:
        fed = [Fed(number, events) for number in range(runs)]
        for one in fed:
            await stack.enter_async_context(one.server.listening())
        print("ready", flush=True)
        while await asyncio.to_thread(sys.stdin.readline):
            await asyncio.gather(*(one.answer(deltas, pace) for one in fed))
            print("told", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
