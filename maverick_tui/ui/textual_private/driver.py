"""TerminalDriver: Textual's way to the terminal, but faster, and able to survive the loss of the terminal.

Textual hands everything to a thread that writes. Python lets only one thread work at a time, so a frame would wait for
milliseconds until ours has a pause. So we write at once what the terminal takes at once, and leave to the thread what
it does not: a slow terminal must not hold up keys.

That thread ends with the first error, and whoever writes then waits for ever for a place in its queue. So a window that
is closed in the middle of an answer would leave us, and the agent's processes, behind.
"""

from __future__ import annotations

import fcntl
import io
import os
import select
import signal
import sys
import termios
import threading
import time
from codecs import getincrementaldecoder
from typing import TextIO, cast

from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from maverick_tui.inert import one_line
from maverick_tui.ui.pasted import PastedEscapes, PastedRest
from maverick_tui.ui.textual_private.steady import steady

TAKEN_FOR = 0.01
"""Seconds until the thread looks again where somebody else has read the keys."""
TAKES_WITHIN = 3.0
"""Seconds in which a terminal takes something, or is left as it is by who has been told to end."""
READ_FOR = 0.1
"""Seconds after which the thread looks whether it is to end, and whether a lone Escape was the key of that name."""

KEEP_TITLE, TITLE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""Terminals keep titles on a stack of their own; one that has none ignores both."""
CLEARED = "\x1b[2J"


class TerminalDriver(LinuxDriver):
    """Reads keys and writes frames; once the terminal is gone, frames are dropped."""

    def __init__(
        self, app: App[object], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        """As Textual makes it, except for where it writes."""
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        assert self._file is not None
        self._output = Output(self._file)
        self._file = cast("io.TextIOWrapper", self._output)
        self._is_writing = threading.RLock()
        self._has_terminal = False
        self._is_changing_hands = False
        """Whether the terminal is just being taken or given back."""
        self._title = ""

    def start_application_mode(self) -> None:
        """Take the terminal, and its title."""
        self._is_changing_hands = True
        try:
            self._output.open()
            self._has_terminal = True
            super().start_application_mode()  # type: ignore[no-untyped-call]
            self.write(KEEP_TITLE)
            self._write_title()
        finally:
            self._is_changing_hands = False

    def stop_application_mode(self) -> None:
        """Leave the terminal as it was; tmux moves rows of ours there if it was made larger meanwhile."""
        self._is_changing_hands = True
        self.write(f"{TITLE_BACK}{CLEARED}")
        super().stop_application_mode()

    def end_soon(self) -> None:
        """Wait no more for a terminal that takes nothing: our turn to end would never come."""
        self._output.end_soon()

    def set_title(self, title: str) -> None:
        """Call the terminal's window so, until it is somebody else's."""
        if title != self._title:
            self._title = title
            self._write_title()

    def _write_title(self) -> None:
        if self._title:
            self.write(f"\x1b]2;{one_line(self._title)}\x07")

    def close(self) -> None:
        """Let go of the terminal: somebody else may have it now, an editor for example."""
        self._has_terminal = False
        super().close()
        self._output.close()
        self._is_changing_hands = False

    def _sigtstp_application(self, *_: object) -> None:
        """Stop with all of our job, as the terminal's own Ctrl+Z would: `make run` is stopped only when make is, too.

        Textual stops this process alone, and with a signal that is obeyed even where nobody could continue us. This one
        is not: then the terminal is taken again at once. While an editor has it, the editor has told the job.
        """
        if not self._auto_restart:
            super()._sigtstp_application()
            return
        self.suspend_application_mode()
        self._must_signal_resume = True
        ours = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, ours)
        if self._must_signal_resume:  # where nobody could continue us, we were not stopped
            self._sigcont_application()

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal again if it was given up for a Ctrl+Z, or by a SIGSTOP, of which we are not told.

        A window that closes sends the same signal; an application that takes a terminal then which is gone never ends.
        Nor does one that takes it twice: the system may hand the signal to another thread, so that it comes while we
        take the terminal, and what reads keys a second time is ended by nobody.
        """
        if self._is_changing_hands:
            return
        if not self._must_signal_resume and self._has_terminal and self._is_in_front():
            self.suspend_application_mode()
            self._must_signal_resume = True
        if self._must_signal_resume:
            super()._sigcont_application()

    def _is_in_front(self) -> bool:
        """Whether the terminal is there, and our job the one that it is for."""
        try:
            return os.tcgetpgrp(self.fileno) == os.getpgrp()
        except OSError:
            return False

    def run_input_thread(self) -> None:
        """Read keys until that is over, or the terminal is gone; Textual would read its end for ever."""
        parser, decode = XTermParser(self._debug), getincrementaldecoder("utf-8")("replace").decode
        escapes, pasted = PastedEscapes(), PastedRest()
        while not self.exit_event.is_set():
            is_there = bool(select.select([self.fileno], [], [], READ_FOR)[0])
            if is_there and self._is_taken():
                time.sleep(TAKEN_FOR)
            elif is_there:
                if not (data := self._read()):
                    os.kill(os.getpid(), signal.SIGHUP)  # the system tells it only to some of a terminal's processes
                    return
                pasted.look(has_more=bool(select.select([self.fileno], [], [], 0)[0]))
                # Of half a character nothing is decoded yet, and no text at all would mean the end to the parser.
                for event in parser.feed(text) if (text := escapes.taken_out(decode(data))) else ():
                    self._hand_on(pasted.meant(event))
            else:
                pasted.look()
            for event in parser.tick():
                self._hand_on(pasted.meant(event))

    def _hand_on(self, message: Message | None) -> None:
        if message is not None:
            self.process_message(message)

    def _is_taken(self) -> bool:
        """Whether what was there to be read is gone: the shell has read it, or it was thrown away, around a Ctrl+Z.

        Who reads all the same waits for the next key, and the application cannot end before that.
        """
        if not sys.platform.startswith("linux"):
            return False
        try:
            if int.from_bytes(fcntl.ioctl(self.fileno, termios.FIONREAD, bytes(4)), sys.byteorder):
                return False
            found = select.poll()
            found.register(self.fileno, select.POLLIN)
            return not any(flags & ~select.POLLIN for _, flags in found.poll(0))
        except OSError:
            return False

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, 4096)
        except OSError:
            return b""

    def send_message(self, message: Message) -> None:
        """Put a key straight into the application's queue; as a task of its own it would take one round more."""
        self._loop.call_soon_threadsafe(self._app.post_message, message)

    def write(self, data: str) -> None:
        """Write what the terminal takes at once; the thread waits until it takes the rest.

        The thread that reads keys writes too, when the terminal has told what it can do.
        """
        if not self._has_terminal:  # a bell while an editor is open: no thread would take it from the queue
            return
        with self._is_writing:
            rest = self._output.write_now(steady(data))
            if rest:
                self._output.queued += 1
                super().write(cast("str", rest))  # the thread hands it on to our file, whatever it is

    def _disable_mouse_support(self) -> None:
        super()._disable_mouse_support()
        if self._mouse_pixels:  # Textual turns it on where windows tell their size, and leaves it on
            self.write("\x1b[?1016l")


class Output(io.TextIOBase):
    """The terminal. `write` is for the thread that waits, `write_now` for all others, one at a time."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._is_gone = False
        self._fd: int | None = None
        self.queued = 0
        self._taken = 0
        self._is_ending = False

    def open(self) -> None:
        """Have a way to the terminal that never waits. It is our own: others wait, and share the one that we got."""
        if self._fd is not None:  # the thread may be writing there
            return
        try:
            there = self._file.fileno()
            fd = os.open(os.ttyname(there), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError:  # no terminal, or none that has a name here
            return
        if os.fstat(fd).st_rdev == os.fstat(there).st_rdev:
            self._fd = fd
        else:
            os.close(fd)

    def close(self) -> None:
        """From now on only what the thread still has is written."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def write_now(self, text: str) -> bytes:
        """Write what is taken at once; the rest. Nothing overtakes what the thread still has."""
        if self._is_gone:
            return b""
        data = text.encode(self._file.encoding, self._file.errors or "strict")
        if self._fd is None or self.queued != self._taken:
            return data
        try:
            return data[os.write(self._fd, data) :]
        except BlockingIOError:
            return data
        except OSError:  # there is no terminal any more; SIGHUP tells the application
            self._is_gone = True
            return b""

    def end_soon(self) -> None:
        """Let the thread wait a moment only for a terminal that takes nothing."""
        self._is_ending = True

    def write(self, data: str | bytes, /) -> int:
        """Write all of it, and wait for that."""
        rest = memoryview(data.encode() if isinstance(data, str) else data)
        fd = self._file.fileno() if self._fd is None else self._fd
        since = time.monotonic()
        while rest and not self._is_gone:
            try:
                rest = rest[os.write(fd, rest) :]
                since = time.monotonic()
            except BlockingIOError:
                select.select([], [fd], [], READ_FOR)
                self._is_gone = self._is_ending and time.monotonic() - since > TAKES_WITHIN
            except OSError:
                self._is_gone = True
        self._taken += 1
        return len(data)

    def flush(self) -> None:
        """Nothing is kept back."""
