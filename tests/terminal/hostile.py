"""Text that would steer a terminal if it reached one as it is."""

from __future__ import annotations

from maverick_tui.inert import inert

STEERING = {
    "title": "\x1b]0;PWNED\x07",
    "clear": "\x1b[2J\x1b[777;777H",
    "reset": "\x1bc\x1b[?1049l\x1b[!p",
    "clipboard": "\x1b]52;c;UFdORUQ=\x07",
    "link": "\x1b]8;;https://pwned.example\x1b\\",
    "colour": "\x1b[38;2;1;2;3m",
    "device": "\x1bP+q544e\x1b\\\x1b_Gi=1\x1b\\\x1b^x\x1b\\",
    "eight-bit": "\u009b38;2;1;2;3m\u009d0;PWNED\u009c\u0090q\u0085",
    "control": "\x00\x05\x07\x08\x0b\x0c\x0e\x7f",
    "bidi": "\u202eevil\u202c\u2066x\u2069",
    "marks": "\u061c\u200e\u200f\u2028\u2029",
    "hidden": "\u200b\u200c\u200d\u2060\ufeff\xad\u034f\u115f\u3164\uffa0\u17b4\u180e\ufff9\U0001d173",
    "tagged": "x\ufe0f\U000e0041\U000e0101\ufe00",
}
"""Short pieces, so that one is on one line where it is shown."""
EVERYTHING = " ".join(f"{name} {piece}" for name, piece in STEERING.items())
CLICKS = "[bold red]x[/] [@click=app.quit]y[/]"
"""What Textual and rich would take for markup."""

RAW = tuple(piece.encode() for name, piece in STEERING.items() if name != "control")
HIDDEN = tuple(
    character for name in ("bidi", "marks", "hidden", "tagged") for character in STEERING[name] if character > "\x7f"
)
"""Nothing of it is in place anywhere in these tests."""


def shown(name: str) -> str:
    """How a piece is shown."""
    return f"{name} {inert(STEERING[name])}"


def assert_inert(written: bytes) -> None:
    """Nothing of it is in what was written. (That all of it is of our own grammar is looked at in every test.)"""
    assert [piece for piece in RAW if piece in written] == []
    assert [f"U+{ord(character):04X}" for character in HIDDEN if character.encode() in written] == []
