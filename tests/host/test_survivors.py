"""Maverick and both keepers were killed at once: what they kept is ended later, and nothing else. Real processes."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from maverick_tui import keeper
from maverick_tui.host import listening as host_listening
from maverick_tui.host.survivors import end_survivors, survivors
from tests.host.served_run import PATIENCE, serving
from tests.support.orphans import gone_owner, orphan, survivor
from tests.support.processes import PAUSE, kill_marked, marked, wait_until_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of environments")

KEEPER = "-I -S "
DAEMON = "setsid sh -c ': daemon; trap \"\" TERM HUP; while :; do sleep 1; done' & sleep 600"
OWNER = f"""
import os, subprocess, time
from maverick_tui import keeper
command = [*keeper.keeper_command(), "/bin/sh", "-c", {DAEMON!r}]
subprocess.Popen(command, env={{**os.environ, keeper.new_mark(): keeper.owner()}})
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def _tidy(mark: str) -> Iterator[None]:
    yield
    kill_marked(mark)


def found() -> set[int]:
    return {one.pid for one in survivors()}


def commands(mark: str, words: str) -> list[int]:
    """Who runs such a command, and nothing around it."""
    return [pid for pid, command in marked(mark).items() if command.startswith(words)]


def until(fact: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE
    while not fact():
        assert time.monotonic() < end, f"it did not happen: {what}"
        time.sleep(PAUSE)


def test_what_is_left_when_maverick_and_both_keepers_are_killed_is_ended_and_not_before(mark: str) -> None:
    with subprocess.Popen([sys.executable, "-P", "-c", OWNER]) as owner:
        try:
            until(lambda: commands(mark, "sh -c : daemon"), "it runs")
            (daemon,) = commands(mark, "sh -c : daemon")
            assert found() == set(), "all of them live"
            kill_marked(mark, lambda command: KEEPER in command, signal.SIGSTOP)  # none acts on the other's end
            kill_marked(mark, lambda command: KEEPER in command)
            until(lambda: not any(KEEPER in command for command in marked(mark).values()), "both are gone")
            assert found() == set(), "it is the owner's"
            owner.kill()
            os.waitid(os.P_PID, owner.pid, os.WEXITED | os.WNOWAIT)
            assert daemon in found(), "also while nobody has heard of its owner's end"
            end_survivors()
            assert marked(mark) == {}
        finally:
            owner.kill()


def test_what_a_keeper_has_or_is_not_left_behind_stays(mark: str, tmp_path: Path) -> None:
    gone = gone_owner()
    pid, start, place = gone.split(".")
    us = os.getpid()
    (tmp_path / "keeper.py").write_text("import time; time.sleep(600)")
    kept = keeper.new_mark()
    stay = {
        "of an older version": survivor("1"),
        "of a program that lives": survivor(keeper.owner()),
        "of another machine, container or group": survivor(f"{pid}.{start}.{'0' * 16}"),
        "of another folder of sockets": orphan(
            ["sleep", "600"], **{keeper.new_mark(): gone, "MAVERICK_RUNTIME_DIR": str(tmp_path)}
        ),
        "started by somebody who lives, for whoever asked": orphan(
            ["sh", "-c", f"{keeper.new_mark()}={gone} sleep 600; :"]
        ),
        "kept": orphan(["sleep", "600"], **{kept: gone}),
        "a keeper": orphan([sys.executable, "-I", "-S", str(tmp_path / "keeper.py"), pid, "0"], **{kept: gone}),
        "with nonsense": survivor(f"0.{start}.{place}"),
    }
    left = {survivor(gone), survivor(f"{us}.1.{place}")}
    until(lambda: commands(mark, sys.executable) and len(marked(mark)) > len(stay) + len(left), "all of them run")
    assert found() == left, "the number of one is another's by now"
    end_survivors()
    there = marked(mark)
    assert {name for name, one in stay.items() if one not in there} == set()
    assert left.isdisjoint(there)
    os.kill(stay["a keeper"], signal.SIGKILL)
    until(lambda: stay["a keeper"] not in marked(mark), "it is gone")
    assert found() == {stay["kept"]}


def test_a_maverick_ends_nothing_of_that_in_which_it_was_started(mark: str) -> None:
    gone, inherited = gone_owner(), keeper.new_mark()
    left, around = survivor(gone), orphan(["sleep", "600"], **{inherited: gone})
    code = "from maverick_tui.host.survivors import survivors; print(*(one.pid for one in survivors()))"
    words = [sys.executable, "-P", "-c", code]
    for command in (words, ["sh", "-c", 'env -u "$0" "$@"; :', inherited, *words]):
        environment = {**os.environ, inherited: gone}
        told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert told.stdout.split() == [str(left)], "also if it has not inherited the mark itself"
    assert around in found()


async def test_a_host_ends_them(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_listening, "LOOK_EVERY", 0.01)
    survivor(gone_owner())
    async with serving() as run:
        assert await asyncio.to_thread(wait_until_gone, mark) == {}
        run.events.close()
