"""A program in a pseudo terminal: what it wrote and when, what was typed and when, and what it cost."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import signal
import struct
import termios
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.bench.terminal.screen import COLUMNS, LINES, Key

EXIT_TIMEOUT = 5.0
_POLL = 0.02

# What programs ask a terminal at their start, and what a plain one of today says. Who is not answered waits.
_QUERY = re.compile(
    rb"\x1b\[(?P<position>\??6n)"
    rb"|\x1b\[(?P<attributes>0?c)"
    rb"|\x1b\[(?P<secondary>>0?c)"
    rb"|\x1b\[(?P<version>>0?q)"
    rb"|\x1b\[\?(?P<mode>\d+)\$p"
    rb"|\x1b\](?P<colour>1[01]);\?(?:\x07|\x1b\\)"
    rb"|\x1b\[(?P<size>18t)"
)
_SYNCHRONISED_OUTPUT = b"2026"


def _reply(query: re.Match[bytes]) -> bytes:
    match query.lastgroup:
        case "position":
            return b"\x1b[1;1R"
        case "attributes":
            return b"\x1b[?62;22c"
        case "secondary":
            return b"\x1b[>0;10;1c"
        case "version":
            return b"\x1bP>|benchmark(1)\x1b\\"
        case "mode":
            return b"\x1b[?%s;%d$y" % (query["mode"], 2 if query["mode"] == _SYNCHRONISED_OUTPUT else 0)
        case "colour":
            return b"\x1b]%s;rgb:%s\x1b\\" % (
                query["colour"],
                b"/".join([b"dd" if query["colour"] == b"10" else b"11"] * 3),
            )
        case _:
            return b"\x1b[8;%d;%dt" % (LINES, COLUMNS)


class Recording:
    """Starts a program, reads what it writes in a thread that does nothing else, and types."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        self.chunks: list[tuple[float, bytes]] = []
        self.keys: list[Key] = []
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        # The first terminal that the leader of a session opens becomes its own. posix_spawn copies no memory of
        # ours, so that the start costs the same however much has been imported here.
        terminal = os.ttyname(slave)
        with contextlib.chdir(folder):
            self.started = time.monotonic()
            self.pid = os.posix_spawn(
                command[0],
                list(command),
                dict(environment),
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, terminal, os.O_RDWR, 0),
                    (os.POSIX_SPAWN_DUP2, 0, 1),
                    (os.POSIX_SPAWN_DUP2, 0, 2),
                ],
                setsid=True,
            )
        self._slave = slave  # held open until the end: between exec and the first open there is no other reader
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self.chunks.append((time.monotonic(), data))
            for query in _QUERY.finditer(data):
                os.write(self._master, _reply(query))

    def press(self, keys: bytes) -> None:
        """Type something whose echo nobody waits for."""
        os.write(self._master, keys)

    def type(self, key: str, expected: str) -> None:
        """Type a key, after which the prompt is to hold what is expected."""
        self.keys.append(Key(time.monotonic(), expected))
        os.write(self._master, key.encode())

    def has_written(self, pattern: bytes, since: int = 0) -> bool:
        """Whether the bytes are in what came, from that chunk on."""
        return pattern in b"".join(data for _, data in self.chunks[since:])

    def wait_for(self, pattern: bytes, timeout: float) -> bool:
        """Wait until the program has written the bytes; whether it has."""
        until = time.monotonic() + timeout
        while not self.has_written(pattern):
            if time.monotonic() > until:
                return False
            time.sleep(0.002)
        return True

    def close(self) -> None:
        """End the program, politely first."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)
            if self._is_gone_before(EXIT_TIMEOUT):
                break
        os.close(self._slave)
        self._reader.join(EXIT_TIMEOUT)
        os.close(self._master)

    def _is_gone_before(self, timeout: float) -> bool:
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                return True
            time.sleep(_POLL)
        return False


@contextlib.contextmanager
def recorded(command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Iterator[Recording]:
    """A program that runs while the context is open."""
    recording = Recording(command, environment, folder)
    try:
        yield recording
    finally:
        recording.close()
