"""The kept runs of a year: a million events, listed, searched, opened at their end, and indexed once more."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import count, groupby
from pathlib import Path

from maverick_tui.events import kinds as ev
from maverick_tui.events.wire import to_json
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.index import RunIndex
from maverick_tui.journal.folders import journal_of, make_folder
from maverick_tui.journal.lines import BATCH
from tests.bench.measure import Figure, median

EVENTS = 1_000_000
LARGE = 100_000
"""Events of each of the large runs."""
SMALL_RUNS = 600
FRAME = 4
"""Events that come in one."""
ROUNDS = 15
NEEDLE = "zanzibar"
_CONSONANTS, _VOWELS = "bcdfghklmnprstvw", "aeiou"
_YEAR = 31_536_000.0


class Words:
    """Words as they are in texts: few of them most of the time, and many once."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        syllables = [a + b for a in _CONSONANTS for b in _VOWELS]
        self._known = ["".join(self.chance.choices(syllables, k=self.chance.randint(1, 4))) for _ in range(20_000)]
        self._common = ["the", "and", "test", "file", "of", "is", "function", "error", "line", "to"]

    def take(self, count: int) -> list[str]:
        """So many of them."""
        return [
            self.chance.choice(self._common)
            if self.chance.random() < 0.4
            else self._known[int(self.chance.paretovariate(0.6)) % len(self._known)]
            for _ in range(count)
        ]


def _turn(words: Words, at: float, turn: int) -> list[ev.Event]:
    """A prompt, some thoughts, calls with their output, and an answer: about 250 events."""
    events: list[ev.Event] = [ev.TurnStarted(at, turn, " ".join(words.take(12)), f"p{turn}")]
    for call in range(4):
        events.append(ev.RequestStarted(at))
        for block, kind in ((1, "thinking"), (2, "text")):
            events.append(ev.BlockStarted(at, block, kind))  # type: ignore[arg-type]
            for word in words.take(30):
                at += 0.01
                events.append(ev.BlockGrew(round(at, 3), block, f"{word} "))
            events.append(ev.BlockEnded(at, block))
        name, argument = ("Edit", "file_path") if call % 2 else ("Bash", "command")
        events.append(ev.ToolCalled(at, f"c{turn}-{call}", name, {argument: f"/home/me/shop/{words.take(1)[0]}.py"}))
        events.append(ev.ToolFinished(at + 1, f"c{turn}-{call}", "\n".join(" ".join(words.take(8)) for _ in range(10))))
        events.append(ev.UsageReported(at + 1, f"m{turn}-{call}", 900, 400, 20_000, 100, cost_usd=0.01))
        at += 1
    events.append(ev.TurnEnded(at, turn, "done", ev.Usage(3_600, 1_600, 80_000, 400, 0.04, 30_000)))
    return events


def _lines(first: int, events: list[ev.Event]) -> Iterator[str]:
    """The lines that a journal has of these events; what is masked in real ones would take most of the time."""
    for block, group in groupby(
        enumerate(events, first), lambda item: item[1].block if isinstance(item[1], ev.BlockGrew) else None
    ):
        numbers, told = zip(*group, strict=True)
        if block is not None:
            ms = [round((event.at - told[0].at) * 1000) for event in told]
            texts = [event.text for event in told]
            line = {"seq": numbers[0], "type": BATCH, "at": told[0].at, "block": block, "ms": ms, "text": texts}
            yield json.dumps(line, separators=(",", ":")) + "\n"
        else:
            for number, event in zip(numbers, told, strict=True):
                yield json.dumps({"seq": number, **to_json(event)}, separators=(",", ":")) + "\n"


def write_run(run_id: str, size: int, words: Words, at: float) -> int:
    """A run of about so many events, as its journal would be; how many it has."""
    path = journal_of(run_id)
    make_folder(path)
    events: list[ev.Event] = [
        ev.RunStarted(at, run_id, "reviewer"),
        ev.AgentLoaded(at, "reviewer", "/home/me/shop", "main", "sonnet", repository="/home/me/shop"),
        ev.Connected(at),
    ]
    for turn in count(1):
        if len(events) >= size:
            break
        events += _turn(words, at + 60 * turn, turn)
        if turn == 3 and words.chance.random() < 0.2:
            events.insert(-1, ev.ToolFinished(at, "c", f"look for {NEEDLE} and all that"))
    events.append(ev.RunEnded(events[-1].at, "closed"))
    with path.open("w") as file:
        for start in range(0, len(events), FRAME):
            file.writelines(_lines(start, events[start : start + FRAME]))
    return len(events)


def index_of_runs() -> Iterable[Figure]:
    """All that is asked of the index, with a million events in it."""
    with tempfile.TemporaryDirectory() as folder:
        # What a developer has of Claude Code is listed, too.
        os.environ |= {"MAVERICK_STATE_DIR": folder, "CLAUDE_CONFIG_DIR": f"{folder}/claude"}
        try:
            yield from _measured(Path(folder))
        finally:
            del os.environ["MAVERICK_STATE_DIR"], os.environ["CLAUDE_CONFIG_DIR"]


def _measured(folder: Path) -> Iterable[Figure]:
    words, now = Words(7), time.time()
    large = [f"1a4e{number:08x}" for number in range(4)]
    made = sum(write_run(run_id, LARGE, words, now - _YEAR / 2) for run_id in large)
    size = (EVENTS - made) // SMALL_RUNS
    made += sum(
        write_run(f"5a11{number:08x}", size, words, now - _YEAR * number / SMALL_RUNS) for number in range(SMALL_RUNS)
    )
    began, worked = time.perf_counter(), time.process_time()
    with RunIndex():
        took, worked = time.perf_counter() - began, time.process_time() - worked
    note = f"{made / took:,.0f} events/s ({made / worked:,.0f}/s of the processor), {_size(folder)}"
    yield Figure(f"{made:,} events: one of them indexed", 1e6 * took / made, "us", gate=20, note=note)

    def listed() -> None:
        with RunIndex() as index:
            assert len(index.runs(limit=50)) == 50

    def searched(text: str) -> Callable[[], None]:
        def search() -> None:
            with RunIndex() as index:
                assert index.search(parse_filter(text))

        return search

    def opened() -> None:
        with RunIndex() as index:
            reading = index.end_of(index.run(large[0]).run_id)
            assert not reading.problem
            assert LARGE / 10 > len(reading.events) >= 1_000

    for name, case, gate in (
        ("listed", listed, 100),
        ("searched, a rare word", searched(NEEDLE), 50),
        ("searched, a word that is everywhere", searched("function"), 50),
        ("searched, a phrase", searched('"the error"'), 50),
        ("searched, as one types", searched("fun"), 50),
        ("searched, words of one agent", searched("agent:reviewer since:90d test file"), 50),
        (f"the end of a run of {LARGE:,}", opened, 150),
    ):
        case()
        samples = [_took(case) for _ in range(ROUNDS)]
        yield Figure(f"1,000,000 events: {name}", 1000 * median(samples), "ms", gate=gate)
    command = [sys.executable, "-m", "maverick_tui", "runs", "list", "--json", "--limit", "20"]
    samples = [_took(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)) for _ in range(5)]
    yield Figure("1,000,000 events: maverick runs list, as a whole", 1000 * median(samples), "ms")


def _size(folder: Path) -> str:
    journals = sum(path.stat().st_size for path in folder.rglob("*.jsonl"))
    index = sum(path.stat().st_size for path in folder.glob("index.db*"))
    return f"{journals / 1e6:.0f} MB of journals, {index / 1e6:.0f} MB of index"


def _took(case: Callable[[], object]) -> float:
    began = time.perf_counter()
    case()
    return time.perf_counter() - began


BENCHMARKS = (index_of_runs,)
