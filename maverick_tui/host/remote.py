"""RemoteRun: a run that lives in another process, as its reader has it: the same log of events, and commands."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from maverick_tui.events.kinds import LONGEST_NOTICE, SCHEMA, Event
from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.host.lines import (
    LONGEST,
    LONGEST_OF_OLDER,
    NO_COMMAND,
    HostHello,
    ProtocolError,
    ReaderHello,
    TooLongError,
    do_line,
    events_of,
    growth_of,
    hello_line,
    host_hello,
    next_line,
    object_told,
    pace_line,
    secrets_of,
)
from maverick_tui.host.ways import LONGEST_EVENT, THIS_MACHINE, AwayError, HostGoneError, Way
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import beginning, conceal
from maverick_tui.runs.commands import AnswerPermission, Command, Interrupt, words_in
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.past import past_of

log = logging.getLogger(__name__)

AGAIN_AFTER = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds before each attempt to come back to a host that lives."""
AGAIN_FAR_AFTER = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
"""The same, where each attempt begins with a connection to another machine."""
STEADY = 60.0
"""Seconds after which a line was a good one, though nothing was told."""
HELLO_WITHIN = 10.0
AT_ONCE = 0.008
"""Seconds of reading before keys get their turn."""


class Line(NamedTuple):
    """A way to a host: what is read from it, and written to it."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    hello: HostHello


@asynccontextmanager
async def connected(run_id: str, hello: ReaderHello, way: Way = THIS_MACHINE) -> AsyncIterator[Line]:
    """A line to the host of a run. NetworkError if there is none, ConfigError if it is not ours."""
    try:
        async with way.opened(run_id) as (reader, writer):
            writer.write(hello_line(hello))
            async with asyncio.timeout(HELLO_WITHIN):
                said = await next_line(reader)
            if not said:
                raise NetworkError(f"The host of the run {run_id} has gone before it said anything.")
            yield Line(reader, writer, host_hello(said))
    except TooLongError as error:
        raise ConfigError(
            f"The host of the run {run_id} says more in one line than anybody takes: {LONGEST_EVENT:,} bytes.",
            hint="Read what is kept of it where it runs, or end it.",
        ) from error
    except ProtocolError as error:
        raise ConfigError(
            f"The host of the run {run_id} refuses: {error}.",
            hint="It may be one of another version of Maverick: see `maverick doctor`.",
        ) from error
    except asyncio.TimeoutError as error:
        raise NetworkError(f"The host of the run {run_id} does not answer.") from error


class RemoteRun:
    """Follows a run in another process. `serve` reads until its last event; `send` never blocks.

    A line that breaks is taken up again where it was, as long as the host lives. If the host was killed,
    the log ends as that of a run whose process is gone.
    """

    def __init__(
        self,
        run_id: str,
        *,
        name: str = "",
        is_read_only: bool = False,
        is_unseen: bool = False,
        is_hidden: bool = False,
        learns_secrets: bool = False,
        on_refused: Callable[[str], None] = lambda _why: None,
        on_line: Callable[[str], None] = lambda _why: None,
        on_hello: Callable[[HostHello], None] = lambda _hello: None,
        way: Way = THIS_MACHINE,
        past: Iterable[Event] = (),
    ) -> None:
        """`on_line` hears why the line is broken, each time that it was tried, and nothing once it is there.

        `on_hello` hears the host, each time; `past` is what is known of the run already, from its first event on.
        One that `learns_secrets` has this process mask what the host does: it is for hosts of this machine alone.
        """
        self.events = EventLog(past=past, is_batched=False)
        self.hello: HostHello | None = None
        self._run_id = run_id
        self._name = name
        self._is_read_only = is_read_only
        self._is_unseen = is_unseen
        self._is_hidden = is_hidden
        self._learns_secrets = learns_secrets
        self._on_refused = on_refused
        self._on_line = on_line
        self._way = way
        self._on_hello = on_hello
        self._unheard: dict[str, Command] = {}
        """What was sent and not confirmed, by id: it is sent again when the line comes back."""
        self._line: Line | None = None
        self._all_heard = asyncio.Event()
        self._has_news = asyncio.Event()
        """Set once the host has said who it is, or will not."""

    def send(self, command: Command) -> None:
        """Pass a command on; what cannot be sent now is sent when there is a line."""
        if self._is_read_only:
            self._on_refused("You are only reading this run.")
            return
        name = uuid.uuid4().hex
        is_older = self.hello is not None and not self.hello.knows_images
        longest = LONGEST_OF_OLDER if is_older else LONGEST
        if len(do_line(command, name)) > longest:
            self._on_refused(f"That is too long: its host takes {longest:,} bytes at once.")
            return
        self._unheard[name] = command
        self._all_heard.clear()
        self._write(name, command)

    def set_hidden(self, is_hidden: bool) -> None:
        """Say whether the run is on nobody's screen here: then its host tells in few portions what can wait."""
        if is_hidden != self._is_hidden:
            self._is_hidden = is_hidden
            self._tell_pace()

    def _tell_pace(self) -> None:
        if self._line is not None and self._line.hello.knows_pace:
            self._line.writer.write(pace_line(is_hidden=self._is_hidden))

    async def past(self) -> list[Event]:
        """What the run had told when its host was first reached; empty if it never was, or has ended since."""
        await self._has_news.wait()
        if self.hello is None or not self.hello.events or not await self.events.wait(self.hello.events - 1):
            return []
        return self.events.since(0)

    async def heard(self) -> None:
        """Wait until the host has confirmed all that was sent."""
        while self._unheard:
            await self._all_heard.wait()

    @property
    def unsent(self) -> dict[str, str]:
        """Prompts, by id, and answers that nobody has confirmed, nor taken back: the line broke, or the run ended."""
        return words_in(self._unheard.values())

    def _write(self, name: str, command: Command) -> None:
        if self._line is not None:
            self._line.writer.write(do_line(command, name))

    async def serve(self) -> None:
        """Read the run to its end, or until its host is gone."""
        again_after = AGAIN_FAR_AFTER if self._way.machine else AGAIN_AFTER
        attempt = 0
        try:
            while True:
                before, began = len(self.events), time.monotonic()
                try:
                    if await self._read():
                        return
                    why = ""
                except HostGoneError:
                    await self._end()
                    return
                except (NetworkError, OSError) as error:
                    if isinstance(error, AwayError) and error.is_lasting and self.hello is None:
                        raise  # there never was a way, and none will come by itself
                    why = error.message if isinstance(error, NetworkError) else str(error)
                if not await self._way.may_live(self._run_id):
                    await self._end()
                    return
                log.info("The line to %s is broken: %s", self._run_id, why)
                self._on_line(why or "The line is broken.")
                was_good = len(self.events) > before or time.monotonic() - began > STEADY
                attempt = 0 if was_good else min(attempt + 1, len(again_after) - 1)
                await asyncio.sleep(again_after[attempt])
        finally:
            self.events.close()
            self._has_news.set()

    async def _read(self) -> bool:
        """Read as far as the line goes; whether that was all."""
        wanted = ReaderHello(
            len(self.events),
            self._name,
            self._is_read_only,
            is_unseen=self._is_unseen,
            is_hidden=self._is_hidden,
            learns_secrets=self._learns_secrets,
        )
        async with connected(self._run_id, wanted, self._way) as way:
            if way.hello.schema > SCHEMA:
                raise ConfigError(
                    f"The run {self._run_id} is one of a newer Maverick ({way.hello.maverick}).",
                    hint="Update Maverick to see it.",
                )
            self._forget_stale(way.hello)
            self.hello, self._line = way.hello, way
            self._has_news.set()
            self.events.is_kept = way.hello.is_kept
            self._on_line("")
            self._on_hello(way.hello)
            if wanted.is_hidden != self._is_hidden:  # it has changed while the host said who it is
                self._tell_pace()
            try:
                for name, command in list(self._unheard.items()):
                    self._write(name, command)
                until = time.monotonic() + AT_ONCE
                while text := await next_line(way.reader):
                    if not text.endswith(b"\n"):
                        break
                    said = object_told(text)
                    if "end" in said:
                        return True
                    self._take(said)
                    if time.monotonic() > until:  # others have their turn, too, while a long past is read
                        await asyncio.sleep(0)
                        until = time.monotonic() + AT_ONCE
                return False
            except TooLongError:  # it would be the same the next time
                raise
            except ProtocolError as error:
                raise NetworkError(f"The host of the run {self._run_id} says something strange: {error}.") from error
            finally:
                self._line = None

    def _forget_stale(self, hello: HostHello) -> None:
        """What was an answer to one process of the run is none to the next: that has asked something else."""
        if self.hello is None or (hello.pid, hello.started) == (self.hello.pid, self.hello.started):
            return
        for name, command in list(self._unheard.items()):
            if isinstance(command, AnswerPermission | Interrupt):
                self._hear(name)
                what = "your answer" if isinstance(command, AnswerPermission) else "your interrupt"
                self._on_refused(f"The run goes on in another process; {what} was for the one before, and is not sent.")

    def _take(self, said: dict[str, Any]) -> None:
        if "seq" in said:
            self._take_event(said)
        elif "secrets" in said and self._learns_secrets:
            conceal(secrets_of(said))
        elif "done" in said:
            self._hear(str(said["done"]))
        elif "refused" in said:
            why = beginning(str(said["refused"]), LONGEST_NOTICE)
            if str(said.get("id", "")) in self._unheard and why.startswith(NO_COMMAND):
                why = f"The process of this run is of another Maverick ({self._version}), and cannot do that: {why}."
            self._hear(str(said.get("id", "")))
            self._on_refused(why)

    @property
    def _version(self) -> str:
        return one_line(self.hello.maverick) if self.hello is not None else "?"

    def _hear(self, name: str) -> None:
        self._unheard.pop(name, None)
        if not self._unheard:
            self._all_heard.set()

    def _take_event(self, said: dict[str, Any]) -> None:
        if said["seq"] != len(self.events):
            came = said["seq"] if type(said["seq"]) is int else "something else"
            raise NetworkError(f"Event {len(self.events)} of the run {self._run_id} was expected, and {came} came.")
        if (growth := growth_of(said)) is not None:
            self.events.grow(growth)
        else:
            self.events.extend(events_of(said))

    async def _end(self) -> None:
        """Tell the rest as its journal has it: its own end, or that its process is gone and what it has left open."""
        told = self.events.since(0)
        try:
            told += await self._way.kept(self._run_id, len(told))
            self.events.is_kept = True
        except (ConfigError, NetworkError):  # it was not kept, or its machine is gone now, too
            log.info("The end of %s is not known", self._run_id)
        if told:
            past = await asyncio.to_thread(past_of, told)  # it may be a long one
            for event in past.events[len(self.events) :]:
                self.events.emit(event)
