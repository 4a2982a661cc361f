"""`maverick` with a past: turns that are in its transcript when it opens, or deltas that flood it. A program.

    preload.py --turns 1000 -- --agent explorer
    preload.py --flood 1000000 --notes FILE -- --agent explorer

The events go in where those of the run do (`Board.receive`), right after the run has started.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from maverick_tui.events import kinds as events
from maverick_tui.events.kinds import Event
from maverick_tui.runs.board import Board, RunModel
from tests.bench.terminal import corpus

FLOOD_SLICE = 0.005
"""Seconds of deltas between two looks at the keyboard and the clock, as a reader of a pipe would leave."""
DELTAS_PER_TURN = 2_000


def history(turns: int) -> Iterator[Event]:
    """Turns of two kilobytes each, that ended as they should, some seconds apart."""
    at = time.time() - 30.0 * turns
    for number in range(turns):
        prompt, answer = corpus.turn(number)
        at += 30.0
        turn = number - turns  # the run itself counts from 1
        yield events.TurnStarted(at, turn, prompt, f"past-{number}")
        yield events.BlockStarted(at + 1, 0, "text")
        yield events.BlockGrew(at + 2, 0, answer)
        yield events.BlockEnded(at + 3, 0)
        yield events.TurnEnded(
            at + 4, turn, "done", events.Usage(input_tokens=100, output_tokens=500, duration_ms=4000)
        )


def stream(count: int) -> Iterator[Event]:
    """So many deltas in turns, a hundred a second by the clock of their own."""
    at = time.time()
    pieces: list[str] = []
    for number in range(count):
        turn, place = divmod(number, DELTAS_PER_TURN)
        if place == 0:
            pieces = corpus.pieces(corpus.answer(DELTAS_PER_TURN, seed=turn))
            yield events.TurnStarted(at, turn - count, f"Question {turn}", f"flood-{turn}")
            yield events.BlockStarted(at, 0, "text")
        at += 1 / corpus.DELTAS_PER_SECOND
        yield events.BlockGrew(at, 0, pieces[place])
        if place == DELTAS_PER_TURN - 1:
            yield events.BlockEnded(at, 0)
            yield events.TurnEnded(at, turn - count, "done", events.Usage(input_tokens=100, output_tokens=2000))


async def flood(board: Board, run: RunModel, count: int, notes: Path) -> None:
    """Let them in as fast as the application takes them, and note how large it and its text are after each tenth."""
    sizes: list[tuple[float, float]] = []
    text = done = 0
    until = time.monotonic() + FLOOD_SLICE
    for event in stream(count):
        board.receive(run, event)
        if isinstance(event, events.BlockGrew):
            done += 1
            text += len(event.text)
            if done % (count // 10) == 0:
                await asyncio.sleep(0.5)
                sizes.append((_resident(), text / 1e6))
        if time.monotonic() > until:
            await asyncio.sleep(0)
            until = time.monotonic() + FLOOD_SLICE
    part = notes.with_suffix(".part")
    part.write_text(json.dumps(sizes), encoding="utf-8")
    part.rename(notes)  # so that nobody reads half of it


def _resident() -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def main() -> None:
    """Give it a past, and start it as its own command would."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=0)
    parser.add_argument("--flood", type=int, default=0)
    parser.add_argument("--notes", type=Path, default=Path("flood.json"))
    parser.add_argument("rest", nargs="*")
    options = parser.parse_args()
    receive = Board.receive
    tasks = []

    def receive_after_past(self: Board, run: RunModel, event: Event) -> None:
        receive(self, run, event)
        if isinstance(event, events.AgentLoaded):
            for past in history(options.turns):
                receive(self, run, past)
            if options.flood:
                tasks.append(asyncio.create_task(flood(self, run, options.flood, options.notes)))

    Board.receive = receive_after_past  # type: ignore[method-assign]
    sys.argv = ["maverick", *options.rest]
    from maverick_tui.cli import main as maverick

    maverick()


if __name__ == "__main__":
    main()
