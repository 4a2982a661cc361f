"""Runs on another machine, with a real sshd and a real ssh: started, read, steered, and never missed an event of."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.cli.exit_codes import FAILED, NOBODY_TO_ASK
from maverick_tui.events import kinds as ev
from maverick_tui.host import remote as remote_module
from maverick_tui.host.far import asking
from maverick_tui.host.far.asking import find_there
from maverick_tui.host.far.machines import find_machine
from maverick_tui.host.far.way import far_way
from maverick_tui.host.remote import RemoteRun
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.commands import AnswerPermission, SendPrompt
from maverick_tui.runs.store import GONE
from tests.host.served_run import until
from tests.support.bad_line import bad_line
from tests.support.command_line import Ran, Run, command_line
from tests.support.hosts import hosts
from tests.support.ssh_server import HAS_SSH, NAME, SshServer, cut_lines, machine_there

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_SSH, reason="openssh-server and openssh-client are not installed"),
]


@pytest.fixture
def there(tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    """Another machine, with an agent of its own; no run of it outlives the test."""
    monkeypatch.setattr(remote_module, "AGAIN_FAR_AFTER", (0.05,))
    with machine_there(tmp_path / "t", mark, monkeypatch) as server:
        yield server


@pytest.fixture
def maverick(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return command_line(monkeypatch, capsys)


class Reader:
    """One who reads a run of the other machine."""

    def __init__(self, run_id: str) -> None:
        self.lines: list[str] = []
        """Why there was no line, each time; nothing when there was one."""
        self.remote = RemoteRun(run_id, way=far_way(NAME), on_line=self.lines.append)
        self.task = asyncio.create_task(self.remote.serve())

    def told(self, kind: type[ev.Event]) -> list[ev.Event]:
        return [event for event in self.remote.events.since(0) if isinstance(event, kind)]

    async def sees(self, kind: type[ev.Event], count: int = 1) -> None:
        await until(lambda: len(self.told(kind)) >= count, lambda: f"{kind.__name__}: {self.lines}, {self.task}")

    async def comes_back(self, times: int) -> None:
        await until(lambda: self.lines.count("") > times, lambda: f"it comes back: {self.lines}")

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.wait({self.task})


def kept_there(server: SshServer, run_id: str) -> list[ev.Event]:
    return read_journal(server.home / ".local/state/maverick/runs" / run_id / "events.jsonl").events


async def at_once(maverick: Run, *arguments: str) -> Ran:
    """A command, while readers of this process go on."""
    return await asyncio.to_thread(maverick, *arguments)


async def test_a_run_there_is_started_listed_answered_and_followed_over_lines_that_break(
    there: SshServer, maverick: Run, mark: str
) -> None:
    ran = await at_once(maverick, "run", "--detach", "--on", NAME, "cook", "ask")
    assert (ran.code, ran.err) == (0, "")
    name = ran.out.strip()
    run_id = name.removeprefix(f"{NAME}:")
    assert (await at_once(maverick, "wait", name[:-6])).out == f"{name} asks\n"
    (listed,) = json.loads((await at_once(maverick, "ps", NAME, "--json")).out)
    assert (listed["machine"], listed["run_id"], listed["asks"]) == (NAME, run_id, ["Bash"])
    assert listed["folder"] == str(there.home), "its home is where it works unless somebody says otherwise"

    reader = Reader(await find_there(find_machine(NAME), ""))
    await reader.sees(ev.PermissionAsked)
    cut_lines(mark)
    await reader.comes_back(1)
    (asked,) = reader.told(ev.PermissionAsked)
    assert isinstance(asked, ev.PermissionAsked)
    reader.remote.send(AnswerPermission(asked.request, "once"))
    await reader.sees(ev.TurnEnded)
    for number in range(3):  # in the middle of what is sent: it arrives, and once
        cut_lines(mark)
        reader.remote.send(SendPrompt(f"p{number}", f"more {number}"))
    await reader.sees(ev.TurnEnded, 4)
    assert [event.text for event in reader.told(ev.TurnStarted) if isinstance(event, ev.TurnStarted)] == [
        "ask", "more 0", "more 1", "more 2",
    ]  # fmt: skip
    assert reader.remote.events.since(0) == kept_there(there, run_id)

    shown = (await at_once(maverick, "logs", name)).out
    assert "⚑ asks: Bash make soup" in shown
    assert "You say more 2" in shown
    stopped = await at_once(maverick, "stop", name)
    assert (stopped.code, stopped.out, stopped.err) == (0, f"{name} has ended.\n", "")
    await asyncio.wait({reader.task})
    assert reader.task.exception() is None
    assert reader.told(ev.RunEnded)
    assert hosts(mark) == []
    assert (await at_once(maverick, "wait", name)).out == f"{name} done\n"


@pytest.mark.explore  # lines break above, and `test_process.py` kills a host
async def test_late_and_lossy_lines_and_a_host_that_was_killed_are_borne(
    there: SshServer, maverick: Run, mark: str
) -> None:
    ran = await at_once(maverick, "run", "--detach", "--on", NAME, "cook", "stuck")
    run_id = ran.out.strip().removeprefix(f"{NAME}:")
    async with bad_line(there.port, delay=0.075) as line:
        there.write_client(line.port)
        reader = Reader(run_id)
        await reader.sees(ev.BlockEnded)
        line.is_away = True
        line.cut()
        await until(lambda: any("cannot be reached" in why for why in reader.lines), lambda: str(reader.lines))
        reader.remote.send(SendPrompt("p", "later"))
        (host,) = hosts(mark)
        line.is_away = False
        await reader.sees(ev.PromptQueued)
        await until(lambda: not reader.remote.unsent, "it is confirmed")
        os.kill(host, signal.SIGKILL)
        await asyncio.wait({reader.task})
        assert reader.task.exception() is None
        told = reader.remote.events.since(0)
        kept = kept_there(there, run_id)
        assert told[: len(kept)] == kept
        (ended,) = reader.told(ev.RunEnded)
        assert isinstance(ended, ev.RunEnded)
        assert ended.reason == GONE, "it is told from a line that is broken"


def test_what_is_wrong_with_a_machine_is_told_apart(
    there: SshServer, maverick: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(name: str = NAME) -> str:
        ran = maverick("ps", name)
        assert (ran.code, ran.out) == (FAILED, "")
        return " ".join(ran.err.split())

    old = tmp_path / "old"
    old.write_text('#!/bin/sh\necho \'{"maverick_gateway": {"version": 0, "maverick": "0.0.9"}}\'\n')
    old.chmod(0o755)
    with monkeypatch.context() as now:
        now.setenv("MAVERICK_REMOTE_MAVERICK", "/nowhere/maverick")
        assert "there has no Maverick: there is no command `/nowhere/maverick`" in told()
        now.setenv("MAVERICK_REMOTE_MAVERICK", str(old))
        assert "The Maverick on there (0.0.9) is older than this one: it speaks version 0" in told()
        now.setenv("MAVERICK_REMOTE_MAVERICK", "echo Welcome; ls -d")
        assert "has ended before it answered" in told()
    ran = maverick("run", "--detach", "--on", NAME, "nobody", "go")
    assert (ran.code, ran.out) == (FAILED, "")
    assert "On there: There is no agent named 'nobody'." in ran.err
    assert "The machine not-there.invalid is not known" in told("not-there.invalid")
    (there.folder / "known_hosts").write_text(f"{NAME} {(there.folder / 'other_key.pub').read_text()}")
    assert "is not the machine that your SSH knows" in told()
    there.trust()
    there.write_client(there.port, more=f"Host *\n  IdentityFile {there.folder}/other_key\n  IdentitiesOnly yes\n")
    (there.folder / "user_key").unlink()
    assert "there does not accept your key" in told()
    there.write_client(9)
    assert "there cannot be reached: " in told()


@pytest.mark.explore
def test_machines_of_the_settings_are_listed_with_this_one_and_one_that_is_away_is_a_line(
    there: SshServer, maverick: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAVERICK_HOSTS", f"{NAME}, not-there.invalid")
    monkeypatch.setattr(asking, "LISTS_WITHIN", 120.0)
    run_id = maverick("run", "--detach", "--on", NAME, "cook", "ask", "--cwd", "~").out.strip()
    assert maverick("wait", run_id).code == NOBODY_TO_ASK
    ran = maverick("ps", "--json")
    assert ran.code == 0
    (listed,) = json.loads(ran.out)
    assert (f"{listed['machine']}:{listed['run_id']}", listed["phase"]) == (run_id, "asks")
    assert len(ran.err.splitlines()) == 1
    assert ran.err.startswith("maverick: The machine not-there.invalid is not known")
