"""What is done with a program, and what is seen of it afterwards: the recording is looked at when the run is over."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.terminal import corpus
from tests.bench.terminal.cost import Cost, cost
from tests.bench.terminal.model import Model, model
from tests.bench.terminal.programs import HERE, Program, environment
from tests.bench.terminal.recording import Recording, recorded
from tests.bench.terminal.screen import Echoes, Shown, replay
from tests.support.hosts import end_hosts
from tests.support.processes import MARK, wait_until_gone

READY_TIMEOUT = 30.0
END_TIMEOUT = 120.0
UNSEEN_TIMEOUT = 8.0
"""Seconds after the last delta in which it is waited for, where its bytes cannot be made out in the output."""
LEAVE_TIMEOUT = 5.0
LETTERS = "bcdfghjklmnpqrstvwxz"
MAX_TYPED = 40
CLEAR = b"\x15"

BEGIN = re.compile(corpus.BEGIN)
END = re.compile(corpus.END)


@dataclass(frozen=True)
class Rhythm:
    """How keys are typed: seconds between them, and how much that varies, so that no frame rate is met exactly."""

    gap: float
    jitter: float


CALM = Rhythm(0.25, 0.06)
HASTY = Rhythm(0.06, 0.02)
"""For what is over within a second or two."""


class Typist:
    """Types letters, and clears the prompt before it has to wrap."""

    def __init__(self, recording: Recording, rhythm: Rhythm, seed: int) -> None:
        self._recording = recording
        self._rhythm = rhythm
        self._rng = random.Random(seed)
        self._typed = ""

    def type_one(self) -> None:
        """The next key; the key that clears is not measured."""
        if len(self._typed) == MAX_TYPED:
            self._recording.press(CLEAR)
            self._typed = ""
            time.sleep(self._rhythm.gap)
        letter = self._rng.choice([letter for letter in LETTERS if letter != self._typed[-1:]])
        self._typed += letter
        self._recording.type(letter, self._typed)

    def pause(self) -> float:
        """Seconds until the next key."""
        return self._rhythm.gap + self._rng.uniform(-self._rhythm.jitter, self._rhythm.jitter)


@contextlib.contextmanager
def started(program: Program, url: str | None = None) -> Iterator[Recording]:
    """The program in a folder and a home that are thrown away, its recording undisturbed by our own collector."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True, prefix="maverick-bench-") as folder:
        home, work = Path(folder, "home"), Path(folder, "home", "work")
        work.mkdir(parents=True)
        if program.prepare is not None:
            program.prepare(home, work)
        mark = uuid.uuid4().hex
        variables = {**(program.environment(home, url) if url else program.environment(home)), MARK: mark}
        gc.collect()
        gc.disable()
        try:
            with recorded(program.command, variables, work) as recording:
                if not recording.wait_for(program.ready, READY_TIMEOUT):
                    raise RuntimeError(f"{program.name} showed no frame: {recording.chunks[-3:]}")
                yield recording
        finally:
            gc.enable()
            end_hosts(mark)
            for left in wait_until_gone(mark, LEAVE_TIMEOUT):  # it would disturb the runs that follow
                os.kill(left, signal.SIGKILL)


def start(program: Program, seed: int) -> dict[str, Any]:
    """From nothing to the first frame, and to the first key that is echoed; it is typed as soon as there is a frame."""
    with started(program) as recording:
        Typist(recording, CALM, seed).type_one()
        time.sleep(1.5)
        spent = cost(recording.pid, time.monotonic())
    frame, echoes = Shown(program.frame), Echoes(program.prompt, recording.keys)
    replay(recording.chunks, frame, echoes)
    assert frame.moment is not None, "the first frame was not recognised"
    assert not echoes.lost, "the first key was never echoed"
    return {
        "first_frame_ms": 1000 * (frame.moment - recording.started),
        "first_key_ms": 1000 * (recording.keys[0].moment + echoes.delays[0] - recording.started),
        "cpu_s": spent.own,
        "rss_mb": spent.resident,
    }


def connecting(program: Program, seed: int, seconds: float = 3.0) -> dict[str, Any]:
    """Keys right after the first frame, while a program imports and connects whatever it still needs."""
    with (
        tempfile.TemporaryDirectory() as folder,
        model(corpus.script(Path(folder, "s"), 100, is_paced=False)) as served,
        started(program, served.url) as recording,
    ):
        typist = Typist(recording, HASTY, seed)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            typist.type_one()
            time.sleep(typist.pause())
        time.sleep(0.5)
    echoes = Echoes(program.prompt, recording.keys)
    replay(recording.chunks, echoes)
    return delays(echoes)


def answered(
    program: Program, count: int, seed: int, *, is_paced: bool, script: Callable[..., Path] = corpus.script
) -> dict[str, Any]:
    """One prompt and its answer of so many deltas, with keys typed from the first delta to the last."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        served = stack.enter_context(model(script(folder / "script.json", count, is_paced=is_paced)))
        recording = stack.enter_context(started(program, served.url))
        time.sleep(program.settle)
        recording.press(b"go")
        time.sleep(0.3)
        asked, before = len(recording.chunks), cost(recording.pid, time.monotonic())
        recording.press(b"\r")
        if not served.first.wait(READY_TIMEOUT):
            raise RuntimeError(f"{program.name} did not ask the model")
        after = _type_while(served, recording, Typist(recording, CALM if is_paced else HASTY, seed))
    return _seen(program, recording, asked, served, before, after)


def _type_while(served: Model, recording: Recording, typist: Typist) -> Cost:
    """Type until the last delta has been written to the screen, as far as the bytes tell; the cost half a second on."""
    end, looked = corpus.END.encode(), len(recording.chunks)
    deadline = time.monotonic() + END_TIMEOUT
    while time.monotonic() < deadline:
        time.sleep(typist.pause())
        if served.last.is_set():
            deadline = min(deadline, time.monotonic() + UNSEEN_TIMEOUT)
            if recording.has_written(end, looked):
                break
        typist.type_one()
    time.sleep(0.5)
    return cost(recording.pid, time.monotonic())


def _seen(
    program: Program, recording: Recording, asked: int, served: Model, before: Cost, after: Cost
) -> dict[str, Any]:
    begin, end, echoes = Shown([BEGIN]), Shown([END]), Echoes(program.prompt, recording.keys)
    replay(recording.chunks, begin, end, echoes)
    if end.moment is None:
        raise RuntimeError(f"{program.name} did not show the end of the answer")
    first_sent, last_sent = served.sent[0][0], served.sent[-1][0]
    written = [(moment, data) for moment, data in recording.chunks[asked:] if moment <= after.moment]
    elapsed = after.moment - before.moment
    return {
        **delays(echoes),
        "deltas": sum(count for _, count in served.sent),
        "sent_over_s": last_sent - first_sent,
        "asked_to_shown_ms": 1000 * (begin.moment - before.moment) if begin.moment else None,
        "first_delta_ms": 1000 * (begin.moment - first_sent) if begin.moment else None,  # it may scroll by unseen
        "last_delta_ms": 1000 * (end.moment - last_sent),
        "total_s": end.moment - first_sent,
        "cpu_s": after.own - before.own,
        "children_cpu_s": after.descendants - before.descendants,
        "with_host_cpu_s": after.own + after.hosts - before.own - before.hosts,
        "written_kb": sum(len(data) for _, data in written) / 1000,
        "rss_mb": after.resident,
        "peak_mb": after.peak,
        "elapsed_s": elapsed,
        "elsewhere": (after.elsewhere - before.elsewhere) / elapsed,
    }


def delays(echoes: Echoes) -> dict[str, Any]:
    """How long keys took to show."""
    if not echoes.delays:
        raise RuntimeError(f"none of {len(echoes.keys)} keys was echoed: does the pattern of the prompt fit?")
    taken = sorted(1000 * delay for delay in echoes.delays)
    return {
        "keys": len(echoes.keys),
        "keys_lost": echoes.lost,
        "echo_p50_ms": statistics.median(taken),
        "echo_p95_ms": _quantile(taken, 0.95),
        "echo_max_ms": taken[-1],
    }


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value that so large a share does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def drained(count: int, *, is_paced: bool) -> dict[str, Any]:
    """The same prompt, asked by a process that takes the messages and draws nothing."""
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        served = stack.enter_context(model(corpus.script(home / "script.json", count, is_paced=is_paced)))
        done = subprocess.run(
            [sys.executable, str(HERE / "drain.py")],
            env=environment(home, served.url),
            cwd=home,
            check=True,
            capture_output=True,
            text=True,
        )
    taken = json.loads(done.stdout)
    moments = taken["moments"]
    sent = [moment for moment, number in served.sent for _ in range(number)]
    assert len(moments) == len(sent) == count
    late = sorted(1000 * (moment - sent[0] - number / corpus.DELTAS_PER_SECOND) for number, moment in enumerate(sent))
    lag = sorted(1000 * (there - gone) for gone, there in zip(sent, moments, strict=True))
    return {
        "deltas": count,
        "sent_over_s": sent[-1] - sent[0],
        "sent_late_p95_ms": _quantile(late, 0.95) if is_paced else 0.0,
        "sent_late_max_ms": late[-1] if is_paced else 0.0,
        "lag_p50_ms": statistics.median(lag),
        "lag_p95_ms": _quantile(lag, 0.95),
        "last_delta_ms": 1000 * (moments[-1] - sent[-1]),
        "total_s": moments[-1] - sent[0],
        "cpu_s": taken["cpu"],
    }
