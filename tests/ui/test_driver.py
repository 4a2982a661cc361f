"""What is written to the terminal: at once, in its order, and never by waiting for a terminal that is slow or gone."""

from __future__ import annotations

import io
import os
import pty
import threading
import tty
from collections.abc import Iterator
from contextlib import suppress

import pytest

from maverick_tui.ui.driver import Output

LINE = "日本 " + "x" * 1_000 + "\n"


class Line:
    """A terminal of which the test reads the other end when it likes."""

    def __init__(self) -> None:
        self.ours, theirs = pty.openpty()
        tty.setraw(theirs)
        self.file = io.TextIOWrapper(os.fdopen(theirs, "wb"), encoding="utf-8", errors="replace")
        self.output = Output(self.file)
        self.output.open()

    def read(self, count: int) -> bytes:
        """Exactly so many bytes."""
        got = b""
        while len(got) < count:
            got += os.read(self.ours, count - len(got))
        return got


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.output.close()
    line.file.close()
    with suppress(OSError):  # a test may have closed it
        os.close(line.ours)


def test_a_frame_is_there_when_the_call_returns(line: Line) -> None:
    assert line.output.write_now("日本") == b""
    assert line.read(6) == "日本".encode()


def test_a_slow_terminal_gets_everything_in_order_and_holds_nobody_up(line: Line) -> None:
    kept: list[bytes] = []
    sent = 0
    while not kept:
        sent += 1
        if rest := line.output.write_now(LINE):
            kept.append(rest)
            line.output.queued += 1
    assert line.output.write_now("later") == b"later", "nothing overtakes what the thread has"
    line.output.queued += 1
    writer = threading.Thread(target=lambda: [line.output.write(rest) for rest in (*kept, b"later")])
    writer.start()
    assert line.read(sent * len(LINE.encode())) == LINE.encode() * sent
    assert line.read(5) == b"later"
    writer.join()
    assert line.output.write_now("now") == b""
    assert line.read(3) == b"now"


def test_who_has_let_go_of_the_terminal_writes_nothing_to_it(line: Line) -> None:
    line.output.close()
    assert line.output.write_now("frame") == b"frame"


def test_a_terminal_that_is_gone_takes_everything(line: Line) -> None:
    os.close(line.ours)
    assert line.output.write_now("frame") == b""
    assert line.output.write(b"frame") == 5


def test_half_a_character_is_no_byte_that_a_terminal_obeys(line: Line) -> None:
    line.output.write_now("a\udc9bb")
    assert line.read(3) == b"a?b"


def test_without_a_terminal_the_thread_writes() -> None:
    ours, theirs = os.pipe()
    file = io.TextIOWrapper(os.fdopen(theirs, "wb"), encoding="utf-8")
    output = Output(file)
    output.open()
    assert output.write_now("frame") == b"frame"
    output.write(b"frame")
    assert os.read(ours, 5) == b"frame"
    os.close(ours)
    file.close()
