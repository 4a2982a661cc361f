"""What is written to the terminal: at once, in its order, and never by waiting for a terminal that is slow or gone."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import threading
import time
import tty
from collections.abc import Iterator
from typing import cast

import pytest
from textual.app import App
from textual.drivers._writer_thread import WriterThread
from textual.drivers.linux_driver import LinuxDriver

from maverick_tui.ui.textual_private.driver import CLEARED, KEEP_TITLE, TITLE_BACK, Output, TerminalDriver

PATIENCE = 120.0
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
            assert select.select([self.ours], [], [], PATIENCE)[0], f"only {len(got)} of {count} bytes came"
            got += os.read(self.ours, count - len(got))
        return got


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.output.close()
    line.file.close()
    if line.ours >= 0:
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
    line.ours = -1
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


async def test_two_threads_write_to_a_slow_terminal_and_no_frame_is_torn(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = begun(line, monkeypatch)
    write_now = driver._output.write_now

    def slowly(text: str) -> bytes:
        rest = write_now(text)
        time.sleep(0.002 if rest else 0)  # whoever does not wait for us is in between now
        return rest

    monkeypatch.setattr(driver._output, "write_now", slowly)
    frames = [f"<{number}{'日' * 5_000}>" for number in range(40)]
    notes = [f"[{number}]" for number in range(400)]

    def note() -> None:
        for text in notes:
            driver.write(text)
            time.sleep(0.0005)

    other = threading.Thread(target=note)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(line.read(sum(len(one.encode()) for one in frames + notes))))
    other.start()
    reader.start()
    for frame in frames:
        driver.write(frame)
    other.join()
    reader.join()
    text = got[0].decode()
    assert re.findall("<[^<>]*>", text) == frames
    assert re.findall(r"\[\d+\]", text) == notes
    driver.close()


async def test_after_an_editor_frames_are_written_at_once_again(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = begun(line, monkeypatch)
    driver.close()
    for _ in range(100):
        driver.write("\a")  # of an agent that is done meanwhile
    driver = begun(line, monkeypatch, driver)
    assert driver._output.write_now("frame") == b""
    assert line.read(5) == b"frame"
    driver.close()


async def test_a_window_that_closes_does_not_wake_an_application_that_has_ended(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = begun(line, monkeypatch)
    driver.close()
    woken: list[bool] = []
    monkeypatch.setattr(driver, "resume_application_mode", lambda: woken.append(True))
    driver._sigcont_application()
    assert not woken, "the terminal is gone, and so are we"
    driver._must_signal_resume = True  # as a Ctrl+Z leaves it
    driver._sigcont_application()
    assert woken


@pytest.mark.parametrize("while_it", ["takes", "gives back"])
async def test_woken_while_it_takes_the_terminal_or_gives_it_back_it_takes_it_no_second_time(
    line: Line, monkeypatch: pytest.MonkeyPatch, while_it: str
) -> None:
    driver = begun(line, monkeypatch)
    monkeypatch.setattr(driver, "_is_in_front", lambda: True)
    starts = 0
    start, stop = LinuxDriver.start_application_mode, driver.disable_input

    def taken(self: LinuxDriver) -> None:
        nonlocal starts
        starts += 1
        start(self)  # type: ignore[no-untyped-call]
        if while_it == "takes" and starts == 1:
            driver._sigcont_application()

    def given_back() -> None:
        monkeypatch.setattr(driver, "disable_input", stop)
        if while_it == "gives back":
            driver._sigcont_application()
        stop()

    monkeypatch.setattr(LinuxDriver, "start_application_mode", taken)
    monkeypatch.setattr(driver, "disable_input", given_back)
    driver.suspend_application_mode()
    assert starts == 0
    driver._must_signal_resume = True
    driver._sigcont_application()
    assert starts == 1
    driver.close()


async def test_the_reader_of_keys_ends_with_the_terminal_and_tells_so(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = begun(line, monkeypatch)
    driver.fileno = line.file.fileno()
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(
        "maverick_tui.ui.textual_private.driver.os.kill", lambda pid, number: told.append((pid, number))
    )
    reader = threading.Thread(target=driver.run_input_thread)
    reader.start()
    os.write(line.ours, "é".encode()[:1])  # half a character is no end
    os.close(line.ours)
    line.ours = -1
    reader.join(PATIENCE)
    driver.exit_event.set()
    driver.close()
    assert told == [(os.getpid(), signal.SIGHUP)]


def begun(line: Line, monkeypatch: pytest.MonkeyPatch, driver: TerminalDriver | None = None) -> TerminalDriver:
    """A driver that has the terminal, as far as writing goes."""
    monkeypatch.setattr("sys.__stderr__", line.file)

    def start(self: LinuxDriver) -> None:
        assert self._file is not None
        self._writer_thread = WriterThread(self._file)
        self._writer_thread.start()

    monkeypatch.setattr(LinuxDriver, "start_application_mode", start)
    driver = driver or TerminalDriver(cast("App[object]", App()))
    driver.start_application_mode()
    assert line.read(len(KEEP_TITLE)) == KEEP_TITLE.encode()
    return driver


def test_keys_that_somebody_else_has_read_are_not_waited_for(line: Line) -> None:
    driver = TerminalDriver.__new__(TerminalDriver)
    driver.fileno = line.file.fileno()
    assert driver._is_taken(), "nothing is there"
    os.write(line.ours, b"x")
    assert select.select([driver.fileno], [], [], PATIENCE)[0]
    assert not driver._is_taken()
    assert driver._read() == b"x"
    os.close(line.ours)
    line.ours = -1
    assert not driver._is_taken(), "the end is to be read"
    assert driver._read() == b""


async def test_nothing_of_ours_stands_there_when_the_terminal_is_left(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = begun(line, monkeypatch)
    monkeypatch.setattr(LinuxDriver, "stop_application_mode", lambda self: self.write("\x1b[?1049l"))
    driver.stop_application_mode()
    left = f"{TITLE_BACK}{CLEARED}\x1b[?1049l".encode()
    assert line.read(len(left)) == left
    driver.close()


async def test_what_is_of_doubtful_width_is_written_in_a_box(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = begun(line, monkeypatch)
    driver.write("a 👩‍💻 and more")
    boxed = "a \x1b7  \x1b8\x1b7👩‍💻\x1b8\x1b[2C and more".encode()
    assert line.read(len(boxed)) == boxed
    driver.close()
