"""What the tests of the application see of a program that has left."""

from __future__ import annotations

import sys

from tests.support.pty_program import terminal_environment
from tests.support.terminal import Glass
from tests.terminal.application import SIZE, Application

# It is gone with the first key, and has painted nothing without its question.
_LEAVES_AT_ONCE = """
import os, tty
tty.setcbreak(0)
os.write(1, b"\\x1b[?1049hLeave?")
os.read(0, 1)
os.write(1, b"\\x1b[?1049lfarewell")
"""


def test_a_question_is_gone_with_the_program_that_asked() -> None:
    app = Application([sys.executable, "-c", _LEAVES_AT_ONCE], terminal_environment(), SIZE)
    try:
        app.answer("Leave?", "l")
        assert app.wait() == 0
        assert app.glass.text.strip() == "farewell"
    finally:
        app.end()


def test_what_was_there_before_a_program_took_the_screen_comes_back() -> None:
    glass = Glass(20, 3)
    glass.feed("$ maverick\r\n\x1b[?1049h")
    assert glass.text.strip() == ""
    glass.feed("\x1b[3;5Hframe")
    assert glass.rows == ["", "", "    frame"]
    glass.feed("\x1b[?1049l\x1b[?1049l$ ")
    assert glass.rows == ["$ maverick", "$", ""]
