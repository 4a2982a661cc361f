"""A line to another machine: the person's own ssh, and Maverick's gateway at its other end.

There is no port and no password of ours. What ssh would ask a person it does not ask: it may run below an application
that has the terminal. Everything else is as the person's SSH is configured, multiplexing as well.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from maverick_tui.events.kinds import LONGEST_NOTICE
from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.host.far.failures import failure_of, noise, require_version
from maverick_tui.host.far.lines import GatewayHello, gateway_hello
from maverick_tui.host.far.machines import Machine
from maverick_tui.host.lines import ProtocolError, line, object_told
from maverick_tui.host.ways import LONGEST_EVENT, AwayError, HostGoneError
from maverick_tui.inert import one_line
from maverick_tui.journal.folders import is_run_id
from maverick_tui.masking.redact import beginning
from maverick_tui.programs import program_path, search_path

HELLO_WITHIN = 30.0
"""Seconds that a machine has for a login, and for starting Maverick."""
OPTIONS = {
    "BatchMode": "yes",  # it asks nothing: nobody could answer
    "ConnectTimeout": "10",
    "ServerAliveInterval": "5",  # a line that says nothing any more is found out within twenty seconds
    "ServerAliveCountMax": "3",
    "ClearAllForwardings": "yes",  # they belong to a login of the person's, and can be there only once
    "RemoteCommand": "none",
    "RequestTTY": "no",
    "LogLevel": "ERROR",
}
_NOISE = 100
"""Lines that a login may print before the gateway speaks."""
_SAID = 16 * 1024
"""Bytes of what ssh has said that are looked at."""
FORGET_EVERY = 5.0
"""Seconds after which what has been said since is forgotten, once the gateway speaks."""
_ENDS_WITHIN = 5.0
_PASSES_ON_WITHIN = 10.0
"""Seconds in which ssh passes on what was written last, and ends, once its line is closed."""
_AT_OUR_END = 1.0
"""The same, where somebody waits for us to end."""
_alive: dict[subprocess.Popen[bytes], list[str]] = {}
"""Each ssh that we have started and not seen end, with what asks how it is configured."""


class FarLine(NamedTuple):
    """A line to a gateway: what is read from it, and written to it."""

    machine: Machine
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    hello: GatewayHello

    async def ask(self, what: str, **more: Any) -> dict[str, Any]:
        """What the gateway answers. ConfigError if it refuses, NetworkError if it cannot now, or the line breaks."""
        self.writer.write(line({"ask": what, **more}))
        return self.answer(await self.said())

    async def said(self) -> dict[str, Any]:
        """The next thing that it says."""
        try:
            text = await self.reader.readline()
            if text.endswith(b"\n"):
                return object_told(text)
        except (OSError, ValueError) as error:  # ProtocolError is one, as is a line that is too long
            if isinstance(error, ProtocolError):
                raise NetworkError(f"{self.machine.name} says something strange: {error}.") from error
        raise AwayError(f"The line to {self.machine.name} is broken.", hint="Try again.")

    async def piece(self) -> dict[str, Any]:
        """The next part of what is told of a run: an event, that it is up to date, or the end."""
        said = await self.said()
        return said if said.keys() & {"seq", "now", "end"} else self.answer(said)

    def answer(self, said: dict[str, Any]) -> dict[str, Any]:
        """What it has answered, unless it is that it cannot."""
        if isinstance(answer := said.get("answer"), dict):
            return answer
        name, hint = self.machine.name, _short(said.get("hint") or "")
        for way, error in (("gone", HostGoneError), ("failed", NetworkError), ("refused", ConfigError)):
            if way in said:
                raise error(f"On {name}: {_short(said[way])}", hint=f"There: {hint}" if hint else "")
        raise NetworkError(f"{name} says something strange.", hint="Try again.")


def _short(words: object) -> str:
    """What is said there, whatever that is: it is shown as a line."""
    return one_line(beginning(str(words), LONGEST_NOTICE))


def run_id_in(machine: Machine, answer: dict[str, Any]) -> str:
    """The run that a gateway's answer names: it is printed, and asked for again, so it must be the id of one."""
    if isinstance(run_id := answer.get("run_id"), str) and is_run_id(run_id):
        return run_id
    raise NetworkError(f"{machine.name} says something strange: it names no run.", hint="Update Maverick there.")


@asynccontextmanager
async def far_line(machine: Machine, within: float = HELLO_WITHIN) -> AsyncIterator[FarLine]:
    """A line to the machine's gateway. AwayError if there is no way now, ConfigError if what is there does not fit."""
    ssh = _Ssh(machine)
    try:
        try:
            await asyncio.to_thread(ssh.start)
            reader, ssh.writer = await asyncio.open_connection(sock=ssh.stream, limit=LONGEST_EVENT)
            async with asyncio.timeout(within):
                hello = await _greeted(machine, ssh, reader)
            require_version(machine, hello)
        except BaseException as error:
            ssh.give_up()  # it may still be on its way there
            if isinstance(error, asyncio.TimeoutError):
                raise failure_of(machine, None, f"nothing was said for {within:g} s") from error
            raise
        forgetting = asyncio.create_task(_forget_said(ssh), name="maverick-ssh")
        try:
            yield FarLine(machine, reader, ssh.writer, hello)
        finally:
            forgetting.cancel()
    finally:
        ssh.let_go()


async def _forget_said(ssh: _Ssh) -> None:
    """Go on forgetting: the other machine may have errors to tell for days, and our disk is not to be full of them."""
    while True:
        await asyncio.sleep(FORGET_EVERY)
        ssh.forget_said()


class _Ssh:
    """An ssh that starts the gateway, in a session of its own: no key of this terminal's ends it."""

    process: subprocess.Popen[bytes]
    stream: socket.socket
    """Our end of its standard streams, until `writer` has it."""

    def __init__(self, machine: Machine) -> None:
        """It is not started yet."""
        self._machine = machine
        self.writer: asyncio.StreamWriter | None = None
        self._told: IO[bytes] | None = None
        self._lock = threading.Lock()
        self._is_there = False
        self._is_given_up = False

    def start(self) -> None:
        """Start it; in a thread, for that takes a while. Who has given it up meanwhile leaves nothing behind."""
        options = [word for name, value in OPTIONS.items() for word in ("-o", f"{name}={value}")]
        machine = self._machine
        arguments = [*machine.ssh[1:], *options]
        told = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the line
        self.stream, theirs = socket.socketpair()
        try:
            with theirs:
                stream, program = theirs.fileno(), program_path(machine.ssh[0])
                process = subprocess.Popen(
                    [program, *arguments, "--", machine.name, f"{machine.maverick} host --stdio"],
                    stdin=stream,
                    stdout=stream,
                    stderr=told,
                    start_new_session=True,
                    cwd=Path.home(),
                    env={**os.environ, "PATH": os.pathsep.join(search_path())},  # a ProxyCommand is found there as well
                )
        except OSError as error:
            self.stream.close()
            told.close()
            raise ConfigError(
                f"{machine.ssh[0]} cannot be started: {error.strerror or error}.",
                hint="Install OpenSSH, or name it with the setting ssh.",
            ) from error
        _alive[process] = [program, *arguments, "-G", "--", machine.name]
        with self._lock:
            self.process, self._told, self._is_there = process, told, True
        if self._is_given_up:
            self.give_up()
            self.let_go()

    def give_up(self) -> None:
        """End it, as soon as it is there."""
        with self._lock:
            self._is_given_up = True
        if self._is_there:
            self.process.terminate()

    def let_go(self) -> None:
        """Close the line. What was written last still arrives: ssh passes it on, and ends."""
        with self._lock:
            told, self._told = self._told, None
        if told is None:
            return
        if self.writer is not None:
            self.writer.close()
        else:
            self.stream.close()
        told.close()
        threading.Thread(target=_see_off, args=(self.process, _PASSES_ON_WITHIN), daemon=True).start()

    def forget_said(self) -> None:
        """Give back the room that takes what it has told so far."""
        with self._lock:
            if self._told is not None:
                os.ftruncate(self._told.fileno(), 0)

    def said(self) -> str:
        """What it has told of its failure."""
        if self._told is None:
            return ""
        self._told.seek(0)
        return self._told.read(_SAID).decode("utf-8", "replace")


def _see_off(process: subprocess.Popen[bytes], within: float) -> None:
    """Wait for an ssh to end; one that does not is ended: the other machine may keep its side open for ever."""
    try:
        process.wait(within)
    except subprocess.TimeoutExpired:
        if _may_serve_others(process):
            return
        process.terminate()
        try:
            process.wait(_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    _alive.pop(process, None)


@atexit.register
def _see_all_off() -> None:
    """At the latest when we end."""
    until = time.monotonic() + _AT_OUR_END
    for process in [*_alive]:
        _see_off(process, max(until - time.monotonic(), 0))


def _may_serve_others(process: subprocess.Popen[bytes]) -> bool:
    """Whether logins of the person's may go over the same connection, which ends with this ssh.

    It is configured so seldom (`ControlMaster` without `ControlPersist`) that it is asked only where one lives on.
    """
    try:
        told = subprocess.run(
            _alive[process], stdin=subprocess.DEVNULL, capture_output=True, timeout=_ENDS_WITHIN, check=True
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.SubprocessError, KeyError):
        return False
    settings = dict(line.partition(" ")[::2] for line in told.lower().splitlines())
    return settings.get("controlmaster", "no") not in ("no", "false") and settings.get("controlpersist", "no") == "no"


async def _greeted(machine: Machine, ssh: _Ssh, reader: asyncio.StreamReader) -> GatewayHello:
    """What the gateway begins with, after all that a login prints."""
    printed = b""
    for _ in range(_NOISE):
        try:
            text = await reader.readline()
        except (OSError, ValueError):
            text = b""
        if (hello := gateway_hello(text)) is not None:
            return hello
        if not text.endswith(b"\n"):
            code = await _ended(ssh.process)
            raise failure_of(machine, code, ssh.said() or (printed + text).decode("utf-8", "replace"))
        printed = text
    raise noise(machine, printed.decode("utf-8", "replace"))


async def _ended(process: subprocess.Popen[bytes]) -> int | None:
    """What ssh has left with, once its stream has ended."""
    loop = asyncio.get_running_loop()
    until = loop.time() + _ENDS_WITHIN
    while (code := process.poll()) is None and loop.time() < until:  # noqa: ASYNC110 - it tells nobody of its end
        await asyncio.sleep(0.01)
    return code
