"""Readers of a run that is on nobody's screen: what can wait comes in few portions, all else at once, and all of it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import SCHEMA, Event
from maverick_tui.host import pacing
from maverick_tui.host.lines import VERSION, line, object_of
from maverick_tui.host.listening import listening
from maverick_tui.host.masked_log import AT_ONCE
from maverick_tui.host.remote import RemoteRun
from maverick_tui.runs.commands import Interrupt
from tests.host.served_run import RUN, serving, until
from tests.host.test_serving import HELLO, client
from tests.support.runs import Tape

HIDDEN = {"hello": {"version": VERSION, "since": 0, "is_hidden": True}}
FOR_EVER = (3600.0, 3600.0)


@pytest.fixture(autouse=True)
def _for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held back comes by itself after an hour: whatever comes here was told at once."""
    monkeypatch.setattr(pacing, "HELD", FOR_EVER)


def begun() -> Tape:
    return Tape().connect().prompt("Go").say("", is_open=True)


def deltas(tape: Tape, count: int) -> list[Event]:
    """More of the block that is open."""
    first = len(tape.events)
    for number in range(count):
        tape.wait(0.01).put(ev.BlockGrew(round(tape.at, 3), tape._block, f"word {number} "))
    return list(tape.events[first:])


@asynccontextmanager
async def reading(*, is_hidden: bool = True) -> AsyncIterator[RemoteRun]:
    remote = RemoteRun(RUN, is_hidden=is_hidden)
    task = asyncio.create_task(remote.serve())
    try:
        yield remote
    finally:
        task.cancel()
        await asyncio.wait({task})


async def test_the_words_of_a_hidden_run_wait_until_it_is_shown_and_hide_again() -> None:
    tape = begun()
    async with serving(tape.events) as run, reading() as hidden, reading(is_hidden=False) as shown:
        past = len(tape.events)
        await until(lambda: len(hidden.events) == len(shown.events) == past, "what is past is told at once")
        run.tell(deltas(tape, 20))
        await until(lambda: len(shown.events) == past + 20)
        assert len(hidden.events) == past
        hidden.set_hidden(False)
        await until(lambda: len(hidden.events) == past + 20, "it is shown")
        run.tell(deltas(tape, 1))
        await until(lambda: len(hidden.events) == past + 21, "word by word from then on")
        hidden.set_hidden(True)
        hidden.send(Interrupt())
        await hidden.heard()  # and what was said before it
        run.tell(deltas(tape, 1))
        await until(lambda: len(shown.events) == past + 22)
        assert len(hidden.events) == past + 21
        run.events.close()
        await until(lambda: hidden.events.is_closed and shown.events.is_closed, "the end does not wait")
        assert hidden.events.since(0) == shown.events.since(0) == tape.events


@pytest.mark.parametrize(
    "add",
    [
        lambda tape: tape.ask("Bash", {"command": "ls"}),
        lambda tape: tape.tool("Read", {"file_path": "a.py"}),
        lambda tape: tape.put(ev.ConnectFailed(tape.at, ev.Failure("NetworkError", "network", "It is gone."))),
        lambda tape: tape.done(),
    ],
    ids=["question", "call", "failure", "end"],
)
async def test_what_matters_is_told_at_once_with_all_that_was_held_back(add: Callable[[Tape], Tape]) -> None:
    tape = begun()
    async with serving(tape.events) as run, client(HIDDEN) as reader:
        for _ in range(1 + len(tape.events)):
            await reader.hear()
        for event in deltas(tape, 50):
            run.tell([event])
            await asyncio.sleep(0)
        more = len(tape.events)
        run.tell(add(tape).events[more:])
        said: dict[str, Any] | None = {"seq": 0}
        grown = []
        while said is not None and said["seq"] < len(tape.events) - 1:
            said = await reader.hear()
            grown += [said] if said is not None and said["type"] == "block_grew" else []
        run.events.close()
    assert [len(one["text"]) for one in grown] == [50], "one line for all of them"


async def test_what_is_told_is_told_to_its_end_however_much_it_is() -> None:
    tape = begun()
    async with serving(tape.events) as run, reading() as hidden:
        await until(lambda: len(hidden.events) == len(tape.events))
        past = len(tape.events)
        deltas(tape.ask("Bash", {"command": "ls"}), 3 * AT_ONCE)
        run.tell(tape.events[past:])
        await until(lambda: len(hidden.events) == len(tape.events), "all that there was by then")
        run.events.close()


async def test_what_waits_comes_by_itself_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "HELD", (0.01, 0.02))
    tape = begun()
    async with serving(tape.events) as run, reading() as hidden:
        await until(lambda: len(hidden.events) == len(tape.events))
        run.tell(deltas(tape, 10))
        await until(lambda: hidden.events.since(0) == tape.events)
        run.events.close()


async def test_however_often_it_is_shown_and_hidden_nothing_is_missed_or_comes_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pacing, "HELD", (0.0, 0.005))
    chance, tape = random.Random(7), begun()
    for number in range(30):
        deltas(tape, chance.randrange(40))
        tape.put(ev.BlockEnded(tape.at, tape._block))
        if number % 3 == 0:
            tape.tool("Read", {"file_path": "a.py"})
        tape.say("", is_open=True)
    events = list(tape.done().events)
    async with serving(events[:3]) as run, reading() as reader:
        place = 3
        while place < len(events):
            step = chance.randrange(1, 12)
            run.tell(events[place : place + step])
            place += step
            reader.set_hidden(chance.random() < 0.5)
            if chance.random() < 0.05:
                for task in list(run.server._readers):
                    task.cancel()  # the line breaks
            await asyncio.sleep(chance.choice([0, 0, 0.001]))
        run.events.close()
        await until(lambda: reader.events.is_closed)
        assert reader.events.since(0) == events


async def test_a_pace_that_is_none_is_refused_and_the_line_stays() -> None:
    async with serving() as run, client(HELLO, {"pace": "presto"}) as reader:
        await reader.hear()
        said = await reader.hear()
        assert said is not None
        assert "no pace" in said["refused"]
        reader.say({"do": {"type": "interrupt"}, "id": "1"})
        assert await reader.hear() == {"done": "1"}
        run.events.close()


# -- hosts of other versions -------------------------------------------------------------------------------------------


class Host:
    """A host that hears what it is told, and says who it is once it may."""

    def __init__(self, **more: bool) -> None:
        self.hello = {"run_id": RUN, "agent": "reviewer", "pid": 1, "maverick": "0.0.1", "schema": SCHEMA, "events": 0}
        self.hello |= {"started": 1.0, "version": VERSION, **more}
        self.heard: list[dict[str, object]] = []
        self.may_speak = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while text := await reader.readline():
            self.heard.append(object_of(text))
            if len(self.heard) == 1:
                await self.may_speak.wait()
                writer.write(line({"hello": self.hello}))
        writer.close()


async def test_one_that_knows_no_pace_is_told_none_and_is_read_as_ever() -> None:
    host = Host()
    async with listening(RUN, host.serve), reading() as remote:
        host.may_speak.set()
        await until(lambda: remote.hello is not None)
        remote.set_hidden(False)
        remote.set_hidden(True)
        assert remote._line is not None
        remote._line.writer.write(line({"last": "word"}))
        await until(lambda: len(host.heard) == 2)
    assert host.heard[1] == {"last": "word"}


async def test_who_looks_while_the_host_says_who_it_is_is_not_kept_waiting() -> None:
    host = Host(knows_pace=True)
    async with listening(RUN, host.serve), reading() as remote:
        await until(lambda: host.heard)
        remote.set_hidden(False)
        host.may_speak.set()
        await until(lambda: len(host.heard) == 2)
    assert host.heard[1] == {"pace": "shown"}
