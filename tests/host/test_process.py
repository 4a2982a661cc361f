"""A host for real: a process of its own with the bundled CLI, which goes on without us, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.host.orders import Order
from maverick_tui.host.places import has_host
from maverick_tui.host.remote import RemoteRun
from maverick_tui.host.starting import start_host
from maverick_tui.journal.folders import journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.runs.commands import AnswerPermission, SendPrompt
from maverick_tui.runs.store import GONE
from tests.conftest import ServeModel
from tests.host.served_run import RUN, until
from tests.support.model import bash, say, scene
from tests.support.processes import marked, until_running, wait_until_gone

AGENT = "---\nname: worker\ndescription: Works.\ntools: Bash\n---\nYou work.\n"


@pytest.fixture
def order(mark: str) -> Iterator[Order]:
    """A run of an agent that has to ask before it runs a command; no host of it is left, whatever fails."""
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "worker.md").write_text(AGENT)
    yield Order(RUN, "worker", str(Path.cwd()))
    for pid, command in marked(mark).items():
        if "maverick_tui.host" in command:
            os.kill(pid, signal.SIGKILL)


class Reader:
    """One who reads the run for a while, and goes."""

    def __init__(self) -> None:
        self.remote = RemoteRun(RUN)
        self.task = asyncio.create_task(self.remote.serve())

    def told(self, kind: type[ev.Event]) -> list[ev.Event]:
        return [event for event in self.remote.events.since(0) if isinstance(event, kind)]

    async def leave(self) -> None:
        self.task.cancel()
        await asyncio.wait({self.task})


@pytest.mark.slow
async def test_it_works_on_alone_is_read_by_several_and_goes_on_after_it_was_killed(
    serve: ServeModel, mark: str, order: Order
) -> None:
    async with serve(
        [
            scene(bash("touch made.txt"), say("It is made."), prompt="Make it"),
            scene(say("Once more."), prompt="And then"),
        ]
    ):
        pid = await asyncio.to_thread(start_host, order)
        assert os.getsid(pid) == pid != os.getsid(0), "no terminal is its own"
        first = Reader()
        first.remote.send(SendPrompt("p1", "Make it"))
        await until(lambda: first.told(ev.PermissionAsked), "it asks")
        await first.leave()
        second, third = Reader(), Reader()
        await until(lambda: second.told(ev.PermissionAsked) and third.told(ev.PermissionAsked), "it asks everybody")
        (asked,) = second.told(ev.PermissionAsked)
        assert isinstance(asked, ev.PermissionAsked)
        second.remote.send(AnswerPermission(asked.request, "once"))
        third.remote.send(AnswerPermission(asked.request, "deny"))
        await until(lambda: third.told(ev.TurnEnded), "it is done")
        await until(lambda: second.told(ev.TurnEnded))
        assert second.remote.events.since(0) == third.remote.events.since(0) == read_journal(journal_of(RUN)).events
        assert Path("made.txt").exists(), "the first answer counts"
        (settled,) = third.told(ev.PermissionSettled)
        assert isinstance(settled, ev.PermissionSettled)
        assert second.remote.hello is not None
        assert settled.by == second.remote.hello.you, "everybody knows whose it was"
        os.kill(pid, signal.SIGKILL)
        await asyncio.wait({second.task, third.task})
        (ended,) = third.told(ev.RunEnded)
        assert isinstance(ended, ev.RunEnded)
        assert ended.reason == GONE
        assert await asyncio.to_thread(wait_until_gone, mark) == {}
        assert not has_host(RUN)
        pid = await asyncio.to_thread(start_host, Order(RUN, "worker", order.cwd, "And then?", resumes=True))
        again = Reader()
        await until(
            lambda: len(again.told(ev.TurnEnded)) == 2, lambda: f"it has gone on: {again.remote.events.since(0)[-6:]}"
        )
        assert "Once more." in "".join(
            event.text for event in again.told(ev.BlockGrew) if isinstance(event, ev.BlockGrew)
        )
        os.kill(pid, signal.SIGTERM)
        await asyncio.wait({again.task})
        assert again.told(ev.RunEnded)
    assert await asyncio.to_thread(wait_until_gone, mark) == {}


@pytest.mark.slow
async def test_what_it_has_started_ends_with_it_in_the_middle_of_a_command(
    serve: ServeModel, mark: str, order: Order
) -> None:
    command = "python3 -c 'import time; time.sleep(300)'"
    async with serve(bash(command)):
        pid = await asyncio.to_thread(start_host, Order(RUN, "worker", order.cwd, "Wait", allowed=("Bash(python3:*)",)))
        reader = Reader()
        await until(
            lambda: reader.told(ev.PermissionAsked) or any("time.sleep(300)" in c for c in marked(mark).values())
        )
        for asked in reader.told(ev.PermissionAsked):
            assert isinstance(asked, ev.PermissionAsked)
            reader.remote.send(AnswerPermission(asked.request, "once"))
        await until_running(mark, "time.sleep(300)")
        os.kill(pid, signal.SIGKILL)
        await asyncio.wait({reader.task})
    assert await asyncio.to_thread(wait_until_gone, mark) == {}


def test_what_cannot_begin_says_why(order: Order, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        start_host(Order("aaaa00000001", "worker", str(tmp_path / "nowhere")))
    with pytest.raises(ConfigError, match="no journal"):
        start_host(Order("aaaa00000002", "worker", order.cwd, resumes=True))
