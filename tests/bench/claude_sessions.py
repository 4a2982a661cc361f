"""A thousand sessions of Claude Code: listed for the first time, looked at again, and read as a whole."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from maverick_tui.history.filters import parse_filter
from maverick_tui.history.index import RunIndex
from tests.bench.history import NEEDLE, Words
from tests.bench.measure import Figure, median
from tests.history.sessions.stored import AT, Session, call

SESSIONS = 1_000
ROUNDS = 9
_FOLDERS = ("MAVERICK_STATE_DIR", "CLAUDE_CONFIG_DIR")
_SNAPSHOT = "what the CLI stores beside the conversation " * 1_000


def sessions_of_claude_code() -> Iterable[Figure]:
    """How soon a user of Claude Code finds their past."""
    before = {name: os.environ.get(name) for name in _FOLDERS}
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({name: f"{folder}/{name}" for name in _FOLDERS})
        try:
            yield from _measured()
        finally:
            for name, value in before.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def write_session(number: int, words: Words, prompts: int = 3) -> Path:
    """One of about 100 kB, half of which is no part of the conversation."""
    session = Session(f"{number:08x}-e0f7-41f4-b28f-6e23595c36c8")
    session.put({"type": "api-request-shape", "shape": _SNAPSHOT})
    for prompt in range(prompts):
        session.ask(" ".join(words.take(12)))
        for round_ in range(4):
            name = f"c{prompt}-{round_}"
            session.answer(" ".join(words.take(40)), call(name, "Read", file_path="/shop/cart.py"), stop="tool_use")
            session.result(name, " ".join(words.take(400)), toolUseResult={"type": "text"})
        session.answer(" ".join(words.take(100)) + (f" {NEEDLE}" if not number % 100 else ""))
    return session.write(AT + number)


def _measured() -> Iterable[Figure]:
    words = Words(7)
    size = sum(write_session(number, words).stat().st_size for number in range(SESSIONS))
    began = time.perf_counter()
    with RunIndex() as index:
        assert len(index.runs(limit=50)) == 50
        took = time.perf_counter() - began
        yield Figure(f"{SESSIONS:,} sessions of Claude Code: listed first", 1000 * took, "ms", gate=1_000)
        samples = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            index.refresh()
            samples.append(time.perf_counter() - began)
        yield Figure(f"{SESSIONS:,} sessions of Claude Code: looked at again", 1000 * median(samples), "ms", gate=100)
        began = time.perf_counter()
        assert index.read_sessions() == SESSIONS
        took = time.perf_counter() - began
        note = f"{size / 1e6:.0f} MB in all"
        yield Figure("Sessions of Claude Code: a MB read", 1000 * took / (size / 1e6), "ms", gate=200, note=note)
        assert len(index.search(parse_filter(NEEDLE), 100)) >= SESSIONS / 100


BENCHMARKS = (sessions_of_claude_code,)
