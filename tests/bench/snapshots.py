"""Snapshots of large folders: how long one takes in which ten files have changed, and how much a thousand weigh."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from maverick_tui.snapshots.attribution import Link, Writer, trace
from maverick_tui.snapshots.changes import changes, hunks
from maverick_tui.snapshots.shadow import Shadow
from tests.bench.measure import Figure, median

SMALL, LARGE = 10_000, 100_000
CHANGED = 10
ROUNDS = 9
MANY = 1_000
IN_A_FOLDER = 50
OWNER = "bench"


def snapshot_of_10_000_files() -> Iterable[Figure]:
    """Ten of them have changed."""
    yield from _taken(SMALL, gate=150)


def snapshot_of_100_000_files() -> Iterable[Figure]:
    """Ten of them have changed."""
    yield from _taken(LARGE, gate=1500)


def snapshots_kept() -> Iterable[Figure]:
    """A thousand of them, in each of which ten files have changed, beside what was changed, compressed."""
    words = random.Random(3)
    with _folder(1_000) as top:
        shadow = Shadow(top)
        first = shadow.take(OWNER)
        before, changed = _size(shadow.place), 0
        chain = [Link(first)]
        for number in range(MANY):
            changed += sum(len(zlib.compress(text)) for text in _change(top, 1_000, words))
            chain.append(Link(shadow.take(OWNER), (Writer(f"call-{number}"),)))
            if number % 25 == 24:  # as after a turn
                shadow.tidy()
        shadow.tidy()
        size = _size(shadow.place) - before
        note = f"{size / 1e6:.1f} MB for {changed / 1e6:.1f} MB"
        yield Figure(f"{MANY:,} snapshots: size by what has changed", size / changed, "x", gate=1.5, note=note)
        began = time.perf_counter()
        found = changes(shadow, chain[-2].snapshot, chain[-1].snapshot)
        hunks(shadow, found[0])
        yield Figure("the first diff of one call", 1000 * (time.perf_counter() - began), "ms", gate=100)
        began, used = time.perf_counter(), _processor()
        trace(shadow, chain)
        note = f"{1000 * (_processor() - used):.0f} ms of the processor"
        yield Figure(f"who wrote what in {MANY:,} calls", 1000 * (time.perf_counter() - began), "ms", note=note)


def _taken(files: int, gate: float) -> Iterator[Figure]:
    words = random.Random(2)
    with _folder(files) as top:
        shadow = Shadow(top)
        began = time.perf_counter()
        shadow.take(OWNER)
        first = time.perf_counter() - began
        shadow.take(OWNER)  # which looks once more at what the first had found just written
        times, worked = [], []
        for _ in range(ROUNDS):
            _change(top, files, words)
            began, used = time.perf_counter(), _processor()
            shadow.take(OWNER)
            times.append(time.perf_counter() - began)
            worked.append(_processor() - used)
        note = f"{1000 * median(worked):.0f} ms of the processor; the first one {1000 * first:.0f} ms"
        yield Figure(f"a snapshot of {files:,} files", 1000 * median(times), "ms", gate=gate, note=note)


@contextmanager
def _folder(files: int) -> Iterator[Path]:
    """A repository with so many files, and a place for its snapshots."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder) / "project"
        fill(top, files)
        os.environ["MAVERICK_STATE_DIR"] = f"{folder}/state"
        try:
            yield top
        finally:
            del os.environ["MAVERICK_STATE_DIR"]


def fill(top: Path, files: int) -> None:
    """Make a repository with so many files, all of them committed some time ago."""
    words = random.Random(1)
    for number in range(files):
        path = top / _name(number)
        if number % IN_A_FOLDER == 0:
            path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_text(words))
    old = time.time() - 3600
    for number in range(files):
        os.utime(top / _name(number), (old, old))
    for line in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "-m", "all"], ["gc", "--quiet"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "gc.auto=0"]
        subprocess.run(["git", *who, *line], cwd=top, check=True, capture_output=True)


def _name(number: int) -> str:
    return f"d{number // (20 * IN_A_FOLDER)}/e{number // IN_A_FOLDER % 20}/f{number}.py"


def _text(words: random.Random) -> bytes:
    return "".join(f"    value_{words.randrange(10**6)} = {words.random()}\n" for _ in range(30)).encode()


def _change(top: Path, files: int, words: random.Random) -> list[bytes]:
    """Write ten files anew; what is in them then."""
    made = [_text(words) for _ in range(CHANGED)]
    for text in made:
        (top / _name(words.randrange(files))).write_bytes(text)
    return made


def _size(folder: Path) -> int:
    """On the disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def _processor() -> float:
    """Seconds of it that we and what we have started have used."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


BENCHMARKS = (snapshot_of_10_000_files, snapshot_of_100_000_files, snapshots_kept)
