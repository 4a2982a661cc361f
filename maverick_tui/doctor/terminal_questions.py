"""Asks the terminal what it can do: one write, and its answers until the last of them has come. It may be silent."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple

SECONDS = 1.0
"""How long it may take; nearly every terminal answers the last question at once."""

SAMPLES: Mapping[str, str] = {
    "letters": "\u65e5\u672c",
    "marks": "e\u0301",
    "emoji": "\U0001f44d",
    "symbols as emoji": "\u2764\ufe0f",
    "joined emoji": "\U0001f469\u200d\U0001f680",
}
"""What is wider or narrower than it seems: each is shown in the first column, and the terminal says where it ends."""

_WHERE = "\x1b[6n"
_SYNCHRONISED = "\x1b[?2026$p"
_NAME = "\x1b[>0q"
_WHAT = "\x1b[c"
_CLEAN = "\r\x1b[K"
_QUESTIONS = _SYNCHRONISED + _NAME + "".join(f"\r{sample}{_WHERE}" for sample in SAMPLES.values()) + _CLEAN + _WHAT

_PLACE = re.compile(rb"\x1b\[\d+;(\d+)R")
_MODE = re.compile(rb"\x1b\[\?2026;(\d)\$y")
_NAMED = re.compile(rb"\x1bP>\|([^\x1b]*)\x1b\\")
_IS = re.compile(rb"\x1b\[\?([\d;]*)c")
_CLIPBOARD = "52"


class TerminalAnswers(NamedTuple):
    """What the terminal has said; None or empty for what it has not."""

    not_asked: str = ""
    """Why it was not asked."""
    is_silent: bool = False
    is_synchronised: bool | None = None
    """Whether it shows what is written between two marks at once."""
    name: str = ""
    has_clipboard: bool = False
    """Whether it says that it takes what is to be copied; few do, of those that can."""
    widths: Mapping[str, int] | None = None
    """Columns of each sample."""


def ask_terminal() -> TerminalAnswers:
    """Ask the terminal of this process. In the main thread, which an interrupt ends after the terminal was restored."""
    if why := _why_not():
        return TerminalAnswers(not_asked=why)
    return read_answers(_asked(sys.stdin.fileno(), sys.stdout.fileno(), SECONDS))


def _why_not() -> str:
    if os.name != "posix":
        return "only Unix terminals are"
    if sys.stdin is None or not sys.stdin.isatty():
        return "standard input is no terminal"
    if not sys.stdout.isatty():
        return "standard output is no terminal"
    if os.environ.get("TERM", "") in ("", "dumb"):
        return "TERM does not say what it is"
    if "utf" not in (sys.stdout.encoding or "").lower():
        return f"the locale is not UTF-8 but {sys.stdout.encoding}"
    try:
        if os.tcgetpgrp(sys.stdin.fileno()) != os.getpgrp():  # whoever changes it from there is stopped
            return "we run in the background"
    except OSError:  # after `setsid`: those to whom it belongs read there as well
        return "it belongs to another session"
    return ""


def _asked(reader: int, writer: int, seconds: float) -> bytes:
    """Everything that came until the last answer, or the time was over. What is typed meanwhile is not kept."""
    import termios

    before = termios.tcgetattr(reader)
    silent = termios.tcgetattr(reader)
    silent[3] &= ~(termios.ICANON | termios.ECHO)
    told, until = b"", time.monotonic() + seconds
    try:
        termios.tcsetattr(reader, termios.TCSANOW, silent)
        os.write(writer, _QUESTIONS.encode())
        while not _IS.search(told) and select.select([reader], [], [], max(until - time.monotonic(), 0))[0]:
            if not (data := os.read(reader, 4096)):
                break
            told += data
    finally:
        if not _IS.search(told):  # what comes late would be typed into the shell
            termios.tcflush(reader, termios.TCIFLUSH)
        termios.tcsetattr(reader, termios.TCSANOW, before)
    return told


def read_answers(told: bytes) -> TerminalAnswers:
    """What a terminal has said."""
    mode, name, kind = _MODE.search(told), _NAMED.search(told), _IS.search(told)
    places = [int(place) for place in _PLACE.findall(told)]
    return TerminalAnswers(
        is_silent=not (mode or name or kind or places),
        is_synchronised=mode[1] in b"123" if mode else False if kind else None,
        name=name[1].decode("utf-8", "replace") if name else "",
        has_clipboard=kind is not None and _CLIPBOARD in kind[1].decode().split(";")[1:],
        widths=dict(zip(SAMPLES, (place - 1 for place in places), strict=True))
        if len(places) == len(SAMPLES)
        else None,
    )
