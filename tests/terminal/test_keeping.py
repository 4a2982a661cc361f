"""Killed at any moment, or with a disk that fills up, a run leaves all that was seen of it, and no process."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from maverick_tui.events.kinds import BlockGrew, RunEnded
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.index import RunIndex
from maverick_tui.journal.folders import is_alive, journal_of, kept_runs
from maverick_tui.journal.reading import read_journal
from maverick_tui.offline.processes import offline_environment
from tests.support.hosts import end_hosts, hosts, until
from tests.support.processes import wait_until_gone
from tests.support.pty_program import PATIENCE
from tests.support.sampling import sampled
from tests.support.served import served
from tests.terminal.application import MAVERICK
from tests.terminal.conftest import Maverick

pytestmark = pytest.mark.slow

WORDS = [f"w{number:05}" for number in range(20_000)]
ANSWER = {"steps": [" ".join(WORDS)], "pace": {"tokens_per_second": 200}}
ON_SCREEN = 0.1
"""Seconds for which a word was on the screen: what was there longer is kept."""
_WORD = re.compile(r"w\d{5}")


@pytest.mark.explore  # `cli/test_run_program.py` kills a run, `host/test_process.py` a host
@pytest.mark.parametrize("seed", sampled(range(200), 200))
def test_killed_at_any_moment_it_has_kept_what_was_on_the_screen(
    maverick: Maverick, teller: str, mark: str, seed: int
) -> None:
    app = maverick("--agent", teller, "--prompt", "go", scenes=[{"answers": [ANSWER]}], is_ours=True)
    app.see(WORDS[0])
    seen: list[tuple[float, str]] = []
    end = time.monotonic() + random.Random(seed).uniform(0.0, 2.0)
    while time.monotonic() < end or not seen:
        if shown := _WORD.findall(app.look().text):
            seen.append((time.monotonic(), max(shown)))
        time.sleep(0.01)
    killed = time.monotonic()
    os.kill(app.pid, signal.SIGKILL)
    assert app.wait() == -signal.SIGKILL
    assert hosts(mark), "the run goes on without it"
    end_hosts(mark, signal.SIGKILL)
    assert wait_until_gone(mark, 60.0) == {}
    check_kept(max((word for at, word in seen if at < killed - ON_SCREEN), default=WORDS[0]))


@pytest.mark.explore  # `cli/test_run_program.py` kills one in every run of the tests
@pytest.mark.parametrize("seed", range(200))
def test_killed_at_any_moment_it_has_kept_what_was_printed(home: Path, teller: str, mark: str, seed: int) -> None:
    seen: list[tuple[float, str]] = []
    with served([{"answers": [ANSWER]}]) as url, headless(home, url, teller) as program:
        assert program.stdout is not None
        first = threading.Event()
        reading = threading.Thread(target=note_words, args=(program.stdout, seen, first))
        reading.start()
        assert first.wait(PATIENCE)
        time.sleep(random.Random(seed).uniform(0.0, 2.0))
        killed = time.monotonic()
        program.kill()
        reading.join()
        assert wait_until_gone(mark, 60.0) == {}
    check_kept(max((word for at, word in seen if at < killed - ON_SCREEN), default=WORDS[0]))


def note_words(lines: IO[bytes], seen: list[tuple[float, str]], first: threading.Event) -> None:
    """Take the words that are printed, with their times; a killed program may leave half a line."""
    for line in lines:
        if words := _WORD.findall(line.decode()):
            seen.append((time.monotonic(), max(words)))
            first.set()


@contextmanager
def headless(home: Path, url: str, agent: str, *before: str) -> Iterator[subprocess.Popen[bytes]]:
    """A run without a terminal that tells its events on standard output; `before` comes before the command."""
    command = [*before, MAVERICK, "run", agent, "go", "--output", "stream-json"]
    environment = {**os.environ, **offline_environment(url, home)}
    del environment["MAVERICK_OFFLINE"]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=environment) as program:
        try:
            yield program
        finally:
            program.kill()


def check_kept(word: str) -> None:
    """The only run is kept as far as it had come, this word included, and the index agrees."""
    (run_id,) = kept_runs()
    reading = read_journal(journal_of(run_id))
    assert not reading.problem
    assert not isinstance(reading.events[-1], RunEnded)
    until(lambda: not is_alive(journal_of(run_id)), "a process that is being killed lets go of its files last")
    kept = _WORD.findall("".join(event.text for event in reading.events if isinstance(event, BlockGrew)))
    assert kept == WORDS[: len(kept)]
    assert word <= kept[-1]
    with RunIndex() as index:
        run = index.run(run_id)
        assert (run.state, run.about.events) == ("interrupted", len(reading.events))
        assert [hit.kind for hit in index.search(parse_filter(kept[-1]))] == ["answer"]


# -- a disk that fills up ----------------------------------------------------------------------------------------------

ON_SMALL_DISK = """
state=$1 out=$2; shift 2
mkdir -p "$state" && mount -t tmpfs -o size=128k,mode=700 none "$state" || exit 99
head -c 100000 /dev/zero > "$state/filler"
"$@"; echo $? > "$out/code"
"$1" runs list --json > "$out/list"
cp -r "$state/runs" "$out"
"""
"""The state folder is a disk of its own, most of it taken; what is left there is taken out at the end."""


def is_there_a_small_disk() -> bool:
    if shutil.which("unshare") is None:
        return False
    tried = subprocess.run(["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False)
    return tried.returncode == 0


@pytest.mark.explore  # `journal/test_writing.py` pretends it
@pytest.mark.parametrize("makes_room", sampled([True, False], 2, ids=["room is made", "no room is made"]))
def test_a_disk_that_fills_up_in_the_middle_of_a_run_is_told_and_the_run_goes_on(
    home: Path, tmp_path: Path, teller: str, mark: str, makes_room: bool
) -> None:
    if not is_there_a_small_disk():
        pytest.skip("nobody but root can mount a disk here")
    state, out = home / ".local" / "state" / "maverick", tmp_path / "out"
    out.mkdir()
    told = WORDS[:3_400]
    steps = [" ".join(told[:3_000]) + " ", {"pace": {"tokens_per_second": 200}}, " ".join(told[3_000:])]
    small_disk = ("unshare", "-rm", "sh", "-c", ON_SMALL_DISK, "sh", str(state), str(out))
    events: list[dict[str, Any]] = []
    with served([{"answers": [{"steps": steps}]}]) as url, headless(home, url, teller, *small_disk) as program:
        assert program.stdout is not None
        for line in program.stdout:
            events.append(json.loads(line))
            if events[-1]["type"] == "noticed" and "No space left" in events[-1]["text"] and makes_room:
                Path(f"/proc/{program.pid}/root/{state}/filler").unlink()
        assert program.wait(PATIENCE) == 0
    assert (out / "code").read_text() == "0\n"
    assert _WORD.findall("".join(event["text"] for event in events if event["type"] == "block_grew")) == told
    notices = [event["text"] for event in events if event["type"] == "noticed"]
    assert [text.partition(":")[0] for text in notices][:1] == ["This run is not kept"]
    (listed,) = json.loads((out / "list").read_text())
    reading = read_journal(next(out.glob("runs/*/events.jsonl")))
    assert not reading.problem
    kept = _WORD.findall("".join(event.text for event in reading.events if isinstance(event, BlockGrew)))
    assert len(kept) > 500
    if makes_room:
        assert kept == told
        assert isinstance(reading.events[-1], RunEnded)
        assert listed["state"] == "done"
    else:
        assert kept == told[: len(kept)]
        assert len(kept) < len(told)
        assert listed["state"] == "interrupted"
