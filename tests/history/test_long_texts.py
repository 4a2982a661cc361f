"""Texts of others are read once, whatever is in them: none is looked through anew for each of a million beginnings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from maverick_tui.history.export.harmless import harmless, literal
from maverick_tui.history.sessions.prompts import said_in
from maverick_tui.inert import inert, one_line, revealed
from maverick_tui.masking.redact import redact
from maverick_tui.masking.shapes import BEGINNINGS, is_open

SIZE = 1_000_000
LONG = SIZE // 4
"""Long enough: what is read anew for each beginning takes minutes. All of `SIZE` is left to `make explore`."""
SIZES = pytest.mark.parametrize("size", [LONG, pytest.param(SIZE, marks=pytest.mark.explore)])
TAGS = ("command-name", "command-args", "bash-input", "bash-stdout", "local-command-stderr", "system-reminder")
PIECES = [
    *(f"<{tag}>" for tag in TAGS),
    "<bash-stdout></bash-stderr>",
    "<bash-stdout>\n",
    "< ",
    "a ",
    "\n",
    "`",
    "\\",
    "\\x1b]",
    "\\u001b]",
]
BEHIND = ["a1", "a.", "A_", "1", " ", "=", "\\", "\\n"]
"""What may stand behind a beginning, again and again."""


def said(text: str) -> object:
    """As one message, and behind what the CLI puts before what a command has printed."""
    return said_in({"message": {"content": text}}), said_in({"message": {"content": f"<{text}"}})


@pytest.mark.explore
@SIZES
@pytest.mark.parametrize("read", [said, inert, one_line, revealed, redact], ids=lambda read: read.__name__)
def test_a_text_with_a_million_beginnings_is_read_once(read: Callable[[str], object], size: int) -> None:
    for piece in PIECES:
        assert read(piece * (size // len(piece))) is not None


@pytest.mark.explore
@SIZES
@pytest.mark.parametrize("piece", ["eyJ", "mysql", "://", "token="])
def test_what_may_begin_a_secret_is_followed_once(piece: str, size: int) -> None:
    text = piece * (size // len(piece)) + '" \nand so on, and on.\n'
    assert redact(text)
    assert not is_open(text)


@pytest.mark.explore
@SIZES
@pytest.mark.parametrize("beginning", ["token", "token=", '"token": "', "https://a:"])
def test_what_stands_behind_a_beginning_is_read_once(beginning: str, size: int) -> None:
    for piece in BEHIND:
        text = beginning + piece * (size // 10 // len(piece))
        for end in ('""', ""):
            assert redact(text + end)
            assert is_open(text + end) is not None


@pytest.mark.explore
def test_what_stands_behind_any_beginning_is_read_once() -> None:
    for beginning in sorted(BEGINNINGS):
        for piece in BEHIND:
            text = beginning + piece * (SIZE // 10 // len(piece)) + '""'
            assert redact(text)
            assert is_open(text) is not None


@pytest.mark.explore
def test_whatever_may_begin_a_secret_is_followed_once() -> None:
    for piece in sorted(BEGINNINGS):
        for end in ('" \n', '""""', " "):
            text = piece * (SIZE // len(piece)) + end
            assert redact(text)
            assert is_open(text) is not None


@pytest.mark.explore
@pytest.mark.parametrize("read", [harmless, literal], ids=lambda read: read.__name__)
def test_an_export_reads_marks_once(read: Callable[[str], str]) -> None:
    for piece in ("`", "~", "```\n", "<b", "![", "](", "*", "[a](", "> ", "_"):
        assert read(piece * (30_000 // len(piece)) + "<b>")


def test_of_several_outputs_each_is_told() -> None:
    text = "<bash-stdout>one</bash-stdout><bash-stderr></bash-stderr><bash-stdout>open <local-command-stdout>two"
    told = said_in({"message": {"content": f"{text}</local-command-stdout>"}})
    assert told is not None
    assert (told.kind, told.text) == ("output", "one\ntwo")
