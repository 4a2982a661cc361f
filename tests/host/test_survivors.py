"""Maverick and both keepers were killed at once: what they kept is ended later, and nothing else. Real processes."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from maverick_tui import keeper
from maverick_tui.host import listening as host_listening
from maverick_tui.host.survivors import end_survivors, survivors
from maverick_tui.kept import kept_command, notes
from tests.host.served_run import PATIENCE, serving
from tests.support.orphans import noted, orphan, survivor
from tests.support.processes import PAUSE, kill_marked, marked, wait_until_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of environments")

KEEPER = "-I -S "
DAEMON = "setsid sh -c ': daemon; trap \"\" TERM HUP; while :; do sleep 1; done' & sleep 600"
OWNER = f"""
import os, subprocess, time
from maverick_tui.keeper import new_mark
from maverick_tui.kept import kept_command
mark = new_mark()
subprocess.Popen([*kept_command(mark), "/bin/sh", "-c", {DAEMON!r}], env={{**os.environ, mark: "1"}})
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
            daemon = min(commands(mark, "sh -c : daemon"))  # what it starts is called so, too, for a moment
            assert found() == set(), "all of them live"
            owner.send_signal(signal.SIGSTOP)
            kill_marked(mark, lambda command: KEEPER in command, signal.SIGSTOP)  # none acts on the other's end
            assert found() == set(), "they may go on"
            kill_marked(mark, lambda command: KEEPER in command)
            owner.kill()
            until(lambda: not any(KEEPER in command for command in marked(mark).values()), "both are gone")
            until(lambda: daemon in found(), "it has been inherited")
            end_survivors()
            assert daemon not in marked(mark)
            assert [*notes().iterdir()] == []
        finally:
            owner.kill()


@pytest.mark.parametrize("ends_with", ["", "outer", "inner"])
def test_what_comes_to_an_end_leaves_no_note_and_what_then_carries_its_mark_is_the_persons(
    ends_with: str, mark: str
) -> None:
    kept = keeper.new_mark()
    command = subprocess.Popen([*kept_command(kept), "/bin/sh", "-c", ": command; read line"], stdin=subprocess.PIPE)
    until(lambda: commands(mark, "/bin/sh -c : command"), "it runs")
    assert [note.name for note in notes().iterdir()] == [kept]
    if ends_with:
        kill_marked_keeper(mark, ends_with)
    command.communicate(b"\n")
    theirs = survivor(kept)
    until(lambda: not any(KEEPER in command for command in marked(mark).values()), "both are gone")
    assert [*notes().iterdir()] == []
    end_survivors()
    assert theirs in marked(mark)


def kill_marked_keeper(mark: str, which: str) -> None:
    """One of the two, of which the outer one is older."""
    outer, inner = sorted(commands(mark, sys.executable), key=lambda pid: keeper.Status(pid).start)
    os.kill({"outer": outer, "inner": inner}[which], signal.SIGKILL)


def test_what_is_not_known_to_be_left_behind_stays(mark: str) -> None:
    held, around = noted(), noted()
    with (notes() / held).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stay = {
            "of a run that came to its end": survivor(keeper.new_mark()),
            "of a run that lives": survivor(held),
            "of another container or group": survivor(noted(b"elsewhere")),
            "started by somebody who lives, for whoever asked": orphan(
                ["sh", "-c", f"{around}=1 sleep 600; :"], keeper.new_mark()
            ),
        }
        left = {survivor(noted()), survivor(noted())}
        until(lambda: len(commands(mark, "sleep")) == len(stay) + len(left), "all of them run")
        assert found() == left
        end_survivors()
        there = marked(mark)
        assert {name for name, one in stay.items() if one not in there} == set()
        assert left.isdisjoint(there)
        assert [note.name for note in notes().iterdir()] == [held]


def test_it_does_without_what_some_systems_lack(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    left = survivor(noted())
    end_survivors()
    assert left not in marked(mark)


def test_a_maverick_ends_nothing_of_that_in_which_it_was_started(mark: str) -> None:
    inherited = noted()
    left, around = survivor(noted()), survivor(inherited)
    code = "from maverick_tui.host.survivors import survivors; print(*(one.pid for one in survivors()))"
    words = [sys.executable, "-P", "-c", code]
    for command in (words, ["sh", "-c", 'env -u "$0" "$@"; :', inherited, *words]):
        environment = {**os.environ, inherited: "1"}
        told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert told.stdout.split() == [str(left)], "also if it has not inherited the mark itself"
    assert around in found()


async def test_a_host_ends_them(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_listening, "LOOK_EVERY", 0.01)
    survivor(noted())
    async with serving() as run:
        assert await asyncio.to_thread(wait_until_gone, mark) == {}
        run.events.close()
