"""What is read of the output of an application that was killed: wherever it broke off, the rest is of the grammar."""

from __future__ import annotations

import pytest

from tests.terminal.grammar import ForeignBytes, parse, without_half

_WHOLE = (
    "\x1b[?1049h\x1b[>25u\x1b[?2026$p\x1b[22;2t\x1b]2;● é\x07\x1b[3;20r\x1b[20;1H\x1bD\x1bD\x1b[r"
    "\x1b[1;1H\x1b[38;2;1;2;3mok \x1b7  \x1b8\x1b7👩‍💻\x1b8\x1b[2C!\x1b[0m"
    "\r\n\x1b[2;1H\x1b[12X\x1b[3C\x1b]52;c;YQ==\x07\x07\x1b[<u"
).encode()


def test_output_may_break_off_anywhere() -> None:
    assert parse(_WHOLE).copied == ["a"]
    for end in range(len(_WHOLE)):
        parse(without_half(_WHOLE[:end]))


@pytest.mark.parametrize("foreign", [b"\x1b[3J", b"\r\nx", b"\x1b[5;6r", b"\x1b]0;x\x07"])
def test_what_is_foreign_stays_foreign(foreign: bytes) -> None:
    with pytest.raises(ForeignBytes):
        parse(without_half(_WHOLE + foreign + b"and more"))
