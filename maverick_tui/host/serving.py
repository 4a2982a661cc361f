"""RunServer: lets readers follow a run and send it commands, each at its own pace. No reader holds up the run."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

from maverick_tui import __version__
from maverick_tui.events.kinds import SCHEMA, Event
from maverick_tui.host.lines import (
    NO_COMMAND,
    HostHello,
    ProtocolError,
    ReaderHello,
    event_lines,
    hello_line,
    is_hidden_by,
    line,
    next_line,
    object_of,
    reader_hello,
    secrets_line,
    secrets_of,
)
from maverick_tui.host.listening import listening
from maverick_tui.host.masked_log import AT_ONCE, MaskedLog
from maverick_tui.host.pacing import Pace
from maverick_tui.host.places import require_same_user
from maverick_tui.host.readers import Readers
from maverick_tui.host.state import LiveState
from maverick_tui.masking.redact import conceal, redact_data, secrets, times_concealed
from maverick_tui.runs.board import RunHandle
from maverick_tui.runs.commands import AnswerPermission, CloseRun, Command, command_from_json
from maverick_tui.runs.log import EventLog

log = logging.getLogger(__name__)

HELLO_WITHIN = 10.0
"""Seconds in which a reader says who it is."""
BUFFERED = 256 * 1024
"""Bytes that wait for a reader at most, beside what the system holds."""
REMEMBERED = 1_000
"""Commands whose ids are known, so that none is done twice."""


class RunServer:
    """Serves one run at its socket, in good order with whoever had that place before."""

    def __init__(
        self, run_id: str, agent: str, events: EventLog, handle: RunHandle, clock: Callable[[], float] = time.time
    ) -> None:
        self.run_id = run_id
        self._agent = agent
        self._events = events
        self._handle = handle
        self._clock = clock
        self._started = clock()
        self._done: OrderedDict[str, None] = OrderedDict()
        self._readers: set[asyncio.Task[Any]] = set()
        self._following = Readers()
        self._released_by: set[str] = set()
        """Readers that are about to leave, and will not need the run."""
        self._is_released = False
        """Whether whoever left last was one of those."""
        self._state = LiveState()
        self._counted = 0
        """How many events the state has taken."""
        self._left: tuple[int, float] | None = (len(events), self._started)
        """How many events there were when nobody looked any more, and when; None once the state knows it."""

    @property
    def readers(self) -> int:
        """How many are reading; those that only ask are not."""
        return len(self._following)

    @property
    def is_released(self) -> bool:
        """Whether nobody reads it, and whoever did so last has said that nobody will need it once it is at rest."""
        return self._is_released and not self._following

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """While readers can come. ConfigError if the place is not ours, or taken by a host that lives."""
        async with listening(self.run_id, self._welcome):
            try:
                yield
                if self._readers:  # they have the end of the run, but not for ever
                    await asyncio.wait(self._readers, timeout=HELLO_WITHIN)
            finally:
                for reader in self._readers:
                    reader.cancel()
                if self._readers:
                    await asyncio.wait(self._readers)

    # -- one reader ---------------------------------------------------------------------------------------------------

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._readers.add(task)
        try:
            require_same_user(writer.get_extra_info("socket"))
            async with asyncio.timeout(HELLO_WITHIN):
                hello = reader_hello(await next_line(reader))
            await self._serve(hello, reader, writer)
        except ProtocolError as error:
            log.info("A reader was refused: %s", error)
            with suppress(OSError, asyncio.TimeoutError):
                writer.write(line({"refused": str(error)}))
                async with asyncio.timeout(HELLO_WITHIN):
                    await writer.drain()
        except (asyncio.TimeoutError, OSError) as error:
            log.info("A reader has gone: %r", error)
        finally:
            self._readers.discard(task)
            writer.close()

    async def _serve(self, hello: ReaderHello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if hello.only_asks:
            writer.write(hello_line(self.about()))
            return
        if hello.only_does:
            writer.write(hello_line(self.about()))
            await self._follow(hello, reader, writer, Pace(), self._tell_end(writer))
            return
        if hello.since > len(self._events):
            raise ProtocolError(f"there are only {len(self._events)} events")
        pace = Pace(is_hidden=hello.is_hidden)
        about = self.about()  # with what happened while nobody was here
        if hello.is_unseen:
            masked = MaskedLog(self._events)
            await masked.catch_up()
            writer.write(hello_line(about._replace(events=len(masked.told))))
            await self._follow(hello, reader, writer, pace, self._tell_masked(masked, hello.since, writer))
            return
        name = self._following.come(hello.name)
        self._is_released = False
        try:
            writer.write(hello_line(about._replace(readers=self.readers, you=name)))
            learns_secrets = hello.learns_secrets and not hello.is_read_only
            tells = self._tell(hello.since, writer, pace, learns_secrets=learns_secrets)
            await self._follow(hello._replace(name=name), reader, writer, pace, tells)
        finally:
            self._following.go(name)
            self._is_released = name in self._released_by
            self._released_by.discard(name)
            if not self._following:
                self._left = (len(self._events), self._clock())

    async def _follow(
        self,
        hello: ReaderHello,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        pace: Pace,
        tells: Coroutine[Any, Any, None],
    ) -> None:
        writer.transport.set_write_buffer_limits(BUFFERED)
        telling = asyncio.create_task(tells, name="maverick-telling")
        hearing = asyncio.create_task(self._listen_to(hello, reader, writer, pace), name="maverick-listening")
        try:
            done, _ = await asyncio.wait({telling, hearing}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (telling, hearing):
                task.cancel()
            await asyncio.wait({telling, hearing})

    def about(self) -> HostHello:
        """Who this is."""
        if self._left is not None:
            (until, at), self._left = self._left, None
            self._count(until)
            self._state.leave(at)
        self._count(len(self._events))
        # Whoever lists it does not know what its secrets are.
        told = {**self._state.to_json(), "read_by": self._following.names, "told_at": self._clock()}
        state = redact_data(told, stand_in=lambda *_: None)
        return HostHello(
            self.run_id,
            self._agent,
            os.getpid(),
            __version__,
            SCHEMA,
            len(self._events),
            self._started,
            bool(self._events.is_kept),
            self.readers,
            state if not self._following else {**state, "away": None},
            now=self._clock(),
            knows_pace=True,
            knows_calls=True,
            knows_images=True,
        )

    def _count(self, until: int) -> None:
        """Let the state take what has been told up to there."""
        while events := self._events.since(self._counted, min(AT_ONCE, until - self._counted)):
            self._counted += len(events)
            for event in events:
                self._state.take(event)

    async def _tell(self, since: int, writer: asyncio.StreamWriter, pace: Pace, *, learns_secrets: bool) -> None:
        """Tell everything from there on, as fast as it is taken; what is past already waits for nothing."""
        reader, due = self._events.reader(since), len(self._events)
        concealed = -1  # what is in the environment is told first of all
        while await self._events.wait(reader.number):
            if reader.number >= due:
                await pace.hold(self._events, reader.number)
                due = len(self._events)
            if learns_secrets and concealed != times_concealed():
                concealed = times_concealed()
                writer.write(secrets_line(secrets()))
            first = reader.number
            await _write_events(first, reader.take(AT_ONCE), writer)
        await _write_end(len(self._events), writer)

    async def _tell_end(self, writer: asyncio.StreamWriter) -> None:
        """Tell nothing but that."""
        while await self._events.wait(len(self._events)):
            pass
        await _write_end(len(self._events), writer)

    async def _tell_masked(self, masked: MaskedLog, since: int, writer: asyncio.StreamWriter) -> None:
        """The same for who prints it: they do not know what is secret here, and the inputs of a run may be."""
        told = since
        while True:
            for first in range(told, len(masked.told), AT_ONCE):
                await _write_events(first, masked.told[first : first + AT_ONCE], writer)
            told = max(told, len(masked.told))
            if not await masked.wait():
                break
        await _write_end(len(masked.told), writer)

    async def _listen_to(
        self, hello: ReaderHello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pace: Pace
    ) -> None:
        """Do what the reader wants, until it goes."""
        while text := await next_line(reader):
            if not text.endswith(b"\n"):
                return  # it went in the middle of a word
            said = object_of(text)
            command, name = said.get("do"), str(said.get("id", ""))[:80]
            if "pace" in said:
                if answer := _set_pace(pace, said["pace"]):
                    writer.write(line(answer))
            elif hello.is_read_only:
                writer.write(line({"refused": "this reader only reads", "id": name}))
            elif name and name in self._done:
                writer.write(line({"done": name}))
            else:
                conceal(secrets_of(said))  # before anything of it is written
                writer.write(line(self._answer(command, name, hello)))
            await writer.drain()

    def _answer(self, command: object, name: str, hello: ReaderHello) -> dict[str, str]:
        """Do what is wanted, if it is known here: a newer reader may want what this run cannot do."""
        by = hello.name
        try:
            wanted = _command(command)
        except ProtocolError as error:
            return {"refused": str(error), "id": name}
        if isinstance(wanted, AnswerPermission):
            wanted = replace(wanted, by=by if self.readers > 1 else "")  # whatever the reader calls itself
        if isinstance(wanted, CloseRun) and wanted.if_unused:
            self._released_by.add(by)
        elif isinstance(wanted, CloseRun):
            self._handle.send(replace(wanted, by=by if hello.only_does or self.readers > 1 else ""))
        else:
            self._handle.send(wanted)
        self._remember(name)
        return {"done": name}

    def _remember(self, name: str) -> None:
        if name:
            self._done[name] = None
            while len(self._done) > REMEMBERED:
                self._done.popitem(last=False)


async def _write_events(first: int, events: Sequence[Event], writer: asyncio.StreamWriter) -> None:
    told = bytearray()
    for text in event_lines(first, events):
        told += text
        if len(told) > BUFFERED:
            writer.write(told)
            await writer.drain()
            told = bytearray()
    writer.write(told)
    await writer.drain()


async def _write_end(events: int, writer: asyncio.StreamWriter) -> None:
    writer.write(line({"end": events}))
    await writer.drain()


def _set_pace(pace: Pace, wanted: object) -> dict[str, str]:
    """Take the pace that a reader wants, or say why not; there is nothing to confirm."""
    try:
        pace.set_hidden(is_hidden_by(wanted))
    except ProtocolError as error:
        return {"refused": str(error)}
    return {}


def _command(value: object) -> Command:
    try:
        if isinstance(value, dict):
            return command_from_json(value)
    except (TypeError, ValueError) as error:
        raise ProtocolError(f"{NO_COMMAND}: {error}") from error
    raise ProtocolError(NO_COMMAND)
