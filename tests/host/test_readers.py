"""Several readers of one run: who has answered, and what whoever comes back has missed."""

from __future__ import annotations

import asyncio
import math
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Literal, cast

from maverick_tui.agent.engines import Permission, ToolQuestion
from maverick_tui.events import kinds as ev
from maverick_tui.host.asking import ask_host
from maverick_tui.host.remote import RemoteRun
from maverick_tui.runs.commands import AnswerPermission, Command
from maverick_tui.runs.questions import Questions
from maverick_tui.runs.reader_names import Reader, whose
from maverick_tui.runs.store import RunStore
from tests.host.served_run import PATIENCE, RUN, Served, serving, until
from tests.support.runs import Tape

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Asking(Served):
    """A run that asks, and hears whoever is first."""

    def __init__(self) -> None:
        super().__init__(Tape().connect().prompt("Go").events)
        self.questions = Questions(self.events)

    def send(self, command: Command) -> None:
        super().send(command)
        if isinstance(command, AnswerPermission):
            self.questions.answer(command)

    @property
    def has_asked(self) -> bool:
        return any(isinstance(event, ev.PermissionAsked) for event in self.events.since(0))

    def ask(self) -> asyncio.Task[Permission]:
        return asyncio.create_task(self.questions.ask(ToolQuestion("Bash", {"command": "ls"}, "call-1")))


@asynccontextmanager
async def reading(*names: str) -> AsyncIterator[list[RemoteRun]]:
    """Readers of these names, all of whom have heard the host."""
    remotes = [RemoteRun(RUN, name=name) for name in names]
    async with AsyncExitStack() as stack:
        for remote in remotes:
            task = asyncio.create_task(remote.serve())
            stack.callback(task.cancel)
            await until(partial(_has_heard, remote), "it has heard the host")
        yield remotes


def _has_heard(remote: RemoteRun) -> bool:
    return remote.hello is not None


def settled(remote: RemoteRun) -> list[ev.PermissionSettled]:
    return [event for event in remote.events.since(0) if isinstance(event, ev.PermissionSettled)]


def answered_for(remote: RemoteRun, here_since: float = 0.0) -> str | None:
    """Who has answered the question, as that reader is told."""
    assert remote.hello is not None
    store = RunStore()
    store.reader = Reader(remote.hello.you, remote.hello.now, here_since)
    for event in remote.events.since(0):
        store.apply(event)
    entry = store.calls.get("call-1")
    return entry.answered_by if entry is not None else None


async def test_whoever_answers_first_has_answered_and_the_others_see_who_did() -> None:
    run = Asking()
    async with run.server.listening(), reading("pts/3", "pts/3", "\x1b[31m") as (one, same, strange):
        asked = run.ask()
        await until(lambda: any(isinstance(event, ev.PermissionAsked) for event in strange.events.since(0)))
        (request,) = (event.request for event in run.events.since(0) if isinstance(event, ev.PermissionAsked))
        one.send(AnswerPermission(request, "once", by="root"))
        strange.send(AnswerPermission(request, "deny"))
        assert (await asked).is_granted
        await until(lambda: all(map(settled, (one, same, strange))))
        assert [settled(remote)[0].by for remote in (one, same, strange)] == ["pts/3"] * 3
        assert [len(settled(remote)) for remote in (one, same, strange)] == [1, 1, 1]
        assert [answered_for(remote) for remote in (one, same, strange)] == ["", "you", "pts/3"]
        assert answered_for(same, math.inf) == "pts/3", "nobody knows who that is on another machine"
        names = [remote.hello.you for remote in (one, same, strange) if remote.hello is not None]
        assert names[:2] == ["pts/3", "pts/3 (2)"]
        assert "\x1b" not in names[2]
        run.events.close()


def test_who_has_answered_at_a_terminal_of_that_name_before_it_was_ours_is_not_you() -> None:
    reader = Reader("pts/0", since=20.0, here_since=10.0)
    assert [whose("pts/0", at, reader) for at in (5.0, 15.0, 25.0)] == ["pts/0", "you", ""]
    assert [whose("pts/0 (2)", at, reader) for at in (5.0, 15.0)] == ["pts/0 (2)", "you"]
    assert [whose("", at, reader) for at in (5.0, 25.0)] == ["", ""]


async def test_a_decision_that_is_not_known_allows_nothing() -> None:
    run = Asking()
    asked = run.ask()
    await until(lambda: run.has_asked)
    (request,) = (event.request for event in run.events.since(0) if isinstance(event, ev.PermissionAsked))
    run.questions.answer(AnswerPermission(request, cast("Literal['deny']", "deny_and_stop")))
    assert not (await asked).is_granted
    assert [event.decision for event in run.events.since(0) if isinstance(event, ev.PermissionSettled)] == ["deny"]


async def test_who_is_alone_has_no_name() -> None:
    run = Asking()
    async with run.server.listening(), reading("pts/3") as (only,):
        asked = run.ask()
        await until(lambda: run.has_asked)
        (request,) = (event.request for event in run.events.since(0) if isinstance(event, ev.PermissionAsked))
        only.send(AnswerPermission(request, "once", by="somebody else"))
        await asked
        run.events.close()
    told = [event for event in run.events.since(0) if isinstance(event, ev.PermissionSettled)]
    assert [event.by for event in told] == [""]


async def test_whoever_comes_back_hears_what_happened_while_nobody_looked() -> None:
    tape = Tape().connect().prompt("Go")
    async with serving(tape.events) as run:
        async with reading("pts/1", "pts/2") as (_, second):
            assert second.hello is not None
            assert second.hello.state["away"] is None, "somebody is looking"
            seen = len(tape.events)
            tape.tool("Write", {"file_path": "/work/shop/a.py"}).done()
            run.tell(tape.events[seen:])
            await until(lambda: len(second.events) == len(run.events))
            asked = await ask_host(RUN, PATIENCE)
            assert (asked.state["read_by"], asked.state["away"]) == (["pts/1", "pts/2"], None)
        await until(lambda: not run.server.readers)
        left = len(tape.events)
        tape.prompt("More").tool("Write", {"file_path": "/work/shop/b.py"}).done()
        run.tell(tape.events[left:])
        for _ in range(2):  # to ask is not to look
            away = (await ask_host(RUN, PATIENCE)).state["away"]
            assert (away["turns"], away["file_names"]) == (1, ["/work/shop/b.py"])
        async with reading("pts/1") as (back,):
            assert back.hello is not None
            assert (back.hello.readers, back.hello.state["away"]["turns"]) == (1, 1)
        await until(lambda: not run.server.readers)
        assert (await ask_host(RUN, PATIENCE)).state["away"]["turns"] == 0, "it was seen"
        run.events.close()
