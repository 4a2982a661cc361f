"""A program in a real terminal: it is typed to, and what it shows is looked at."""

from __future__ import annotations

import codecs
import fcntl
import os
import select
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from tests.support.terminal import Glass

PATIENCE = float(os.environ.get("PATIENCE", "120"))
"""Seconds after which a test says that something did not happen."""
_POLL = 0.01
_READ_AT_ONCE = 1 << 16


class PtyProgram:
    """Runs a command in a terminal of its own. A thread reads all the time, so that the program never waits for us."""

    REPLIES: ClassVar[Mapping[bytes, bytes]] = {b"\x1b[?2026$p": b"\x1b[?2026;2$y"}
    """What a program asks the terminal, and what it says: it knows synchronised updates."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int],
        early_keys: str = "",
    ) -> None:
        self.glass = Glass(*size)
        self.code: int | None = None
        """The exit code, once it is known."""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._chunks: list[bytes] = []
        self._looked_at = 0
        self._news = threading.Condition()
        self._wake_read, self._wake = os.pipe()
        self._fd, slave = os.openpty()
        self._set_size(*size)
        self.attributes_before = self.attributes
        self.send(early_keys)
        self._terminal = os.ttyname(slave)
        self.pid = _spawn(command, environment, self._terminal)
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    # -- what a person does -------------------------------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Type, in the bytes that a terminal would send."""
        data = text.encode()
        while data:
            data = data[os.write(self._fd, data) :]

    def resize(self, columns: int, lines: int) -> None:
        """Make the terminal's window larger or smaller."""
        self.look()
        self.glass.resize(columns, lines)
        self._set_size(columns, lines)

    def _set_size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    # -- what a person sees -------------------------------------------------------------------------------------------

    @property
    def written(self) -> bytes:
        """Everything that came so far."""
        return b"".join(self._chunks)

    @property
    def attributes(self) -> list[Any]:
        """How the terminal's driver is set, as `stty` would say."""
        return termios.tcgetattr(self._fd)

    def look(self) -> Glass:
        """The screen as it is now."""
        while self._take():
            pass
        return self.glass

    def until(self, is_shown: Callable[[Glass], object]) -> None:
        """Wait until the terminal shows it, if only for one frame."""
        end = time.monotonic() + PATIENCE
        while not (self.glass.is_whole and is_shown(self.glass)):
            if not self._take() and not self._wait_for_more(end):
                raise AssertionError(f"it did not happen; {self.state}")

    def see(self, text: str) -> None:
        """Wait until the text is on the terminal."""
        self.until(lambda glass: text in glass.text)

    @property
    def state(self) -> str:
        """For who waits in vain: what the terminal shows, and whether there is still somebody who could change that."""
        is_there = "the program has ended" if self._has_ended() else "the program runs"
        return f"{is_there}, and the terminal shows:\n{self.look().text}"

    def read(self, pattern: bytes, start: int = 0) -> int:
        """Wait until these bytes came, after so many others; how many came up to their end."""
        end = time.monotonic() + PATIENCE
        while (found := self.written.find(pattern, start)) < 0:
            if not self._wait_for_more(end):
                raise AssertionError(f"{pattern!r} did not come, but {self.written[start:][-2000:]!r}")
            self.look()  # not before: what came since would not be waited for
        return found + len(pattern)

    def _take(self) -> bool:
        """Look at the next piece that has been read; whether there was one."""
        if self._looked_at == len(self._chunks):
            return False
        self._looked_at += 1
        self._show(self._decode(self._chunks[self._looked_at - 1]))
        return True

    def _show(self, text: str) -> None:
        self.glass.feed(text)

    def _wait_for_more(self, end: float) -> bool:
        known = len(self._chunks)
        with self._news:
            return self._news.wait_for(
                lambda: len(self._chunks) > known or self._looked_at < len(self._chunks), end - time.monotonic()
            )

    def stall(self) -> None:
        """Take nothing any more that the program writes, as a line that has stalled."""
        slave = os.open(self._terminal, os.O_RDWR | os.O_NOCTTY)
        termios.tcflow(slave, termios.TCOOFF)
        os.close(slave)

    def _read(self) -> None:
        while True:
            if self._wake_read in select.select([self._fd, self._wake_read], [], [])[0]:
                return
            try:
                data = os.read(self._fd, _READ_AT_ONCE)
            except OSError:  # Linux says so when nobody has the other end open any more
                return
            for question, answer in self.REPLIES.items():
                if question in data:
                    os.write(self._fd, answer)
            with self._news:
                self._chunks.append(data)
                self._news.notify_all()

    # -- how it ends --------------------------------------------------------------------------------------------------

    def wait(self) -> int:
        """Wait until the program has ended; its exit code."""
        end = time.monotonic() + PATIENCE
        while not self._has_ended():
            if time.monotonic() > end:
                raise AssertionError(f"it did not end; {self.state}")
            time.sleep(_POLL)
        self._reader.join(PATIENCE)  # what was written last is still to be read
        self.look()
        assert self.code is not None
        return self.code

    def _has_ended(self) -> bool:
        if self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def hang_up(self) -> None:
        """Close the terminal, as when its window is closed."""
        if self._wake >= 0:
            os.write(self._wake, b"x")
            self._reader.join()
            for descriptor in (self._wake, self._wake_read, self._fd):
                os.close(descriptor)
            self._wake = -1

    def end(self) -> None:
        """End the program if it has not ended, and the terminal."""
        if not self._has_ended():
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.hang_up()


def _spawn(command: Sequence[str], environment: Mapping[str, str], terminal: str) -> int:
    """Start it with the terminal as its own: the first that the leader of a session opens becomes that."""
    return os.posix_spawnp(
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


TRUE_COLOURS = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
_OF_ANOTHER_TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "TERM_PROGRAM", "TMUX", "STY", "EDITOR", "VISUAL")


def terminal_environment(**more: str) -> dict[str, str]:
    """This process's environment as it would be in a terminal with true colours; `more` is added to it."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_TERMINAL}
    return {**kept, **TRUE_COLOURS, **more}


@contextmanager
def in_terminal(
    command: Sequence[str], environment: Mapping[str, str], size: tuple[int, int] = (80, 24)
) -> Iterator[PtyProgram]:
    """Run a command in a terminal with true colours; some variables are added to this process's environment."""
    program = PtyProgram(command, terminal_environment(**environment), size)
    try:
        yield program
    finally:
        program.end()
