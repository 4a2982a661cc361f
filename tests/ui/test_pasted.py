"""A paste that carries the sign of its own end presses no key, and clicks on nothing."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.message import Message

from maverick_tui.ui.pasted import BREATH, PastedEscapes, PastedRest

PASTE = "\x1b[200~harmless\x1b[201~"
PASTES = re.compile(r"\x1b\[200~.*?\x1b\[201~", re.DOTALL)


class Line:
    """What comes from a terminal, at the times of a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self._parser, self._rest, self._pastes = (
            XTermParser(),
            PastedRest(lambda: self.now),
            PastedEscapes(lambda: self.now),
        )

    def take(self, text: str, *, after: float = 0.0, has_more: bool = False) -> list[Message]:
        """What is made of that, which was read at once."""
        self.now += after
        self._rest.look(has_more=has_more)
        text = self._pastes.taken_out(text)
        events = self._parser.feed(text) if text else ()
        return [meant for event in events if (meant := self._rest.meant(event)) is not None]

    def take_nothing(self) -> list[Message]:
        """What is made of what came before, since nothing came behind it."""
        return [meant for event in self._parser.tick() if (meant := self._rest.meant(event)) is not None]


def texts(messages: list[Message]) -> list[str]:
    assert all(isinstance(one, events.Paste) for one in messages), messages
    return [one.text for one in messages if isinstance(one, events.Paste)]


def test_what_comes_with_a_paste_is_text_of_it() -> None:
    assert texts(Line().take(f"{PASTE}\x15!ls\r\x19y")) == ["harmless", "!", "l", "s", "\n", "y"]


ESCAPES = [
    "\x1b",
    "\x1b[",
    "\x1bP",
    "\x1b\x1b",
    "\x1bO",
    "\x1b]0;p\x07",
    "\x1b[48;10;10;10;10t",
    "\x1b[200~",
    "\x1b[20",
]


@pytest.mark.parametrize("escape", ESCAPES)
@pytest.mark.parametrize("at_once", [1, 2, 5, 100])
def test_escape_in_a_paste_is_none(escape: str, at_once: int) -> None:
    sent = f"\x1b[200~see this:{escape}\x15!touch pwned\r\x19y\x1b[201~"
    line = Line()
    found = [one for at in range(0, len(sent), at_once) for one in line.take(sent[at : at + at_once])]
    assert texts(found) == [f"see this:{escape}\x15!touch pwned\r\x19y".replace("\x1b", "")]
    (pressed,) = line.take("a", after=1.0)
    assert isinstance(pressed, events.Key), "it has ended"


@given(st.lists(st.sampled_from(["\x1b", "[", "2", "0", "1", "~", "a", "\r", "\x1b[200~", "\x1b[201~"]), max_size=30))
def test_what_is_not_pasted_stays_as_it_is_in_whatever_pieces_it_comes(pieces: list[str]) -> None:
    text = f"{''.join(pieces)}\x1b[201~"
    apart, whole = PastedEscapes(lambda: 0.0), PastedEscapes().taken_out(text)
    assert "".join(map(apart.taken_out, text)) == whole
    outside, _, _ = text.partition("\x1b[200~")
    assert whole.startswith(outside)
    assert PASTES.sub("", whole) == PASTES.sub("", text)


@pytest.mark.parametrize("cut", range(1, 6))
@pytest.mark.parametrize("sign", ["\x1b[200~", "\x1b[201~"], ids=["begin", "end"])
def test_a_sign_that_comes_in_two_parts_on_a_slow_line_is_one_all_the_same(sign: str, cut: int) -> None:
    line = Line()
    first, _, rest = "\x1b[200~see\r!touch pwned\r\x1b[201~".partition(sign)
    found = line.take(f"{first}{sign[:cut]}")
    time.sleep(2 * constants.ESCAPE_DELAY)
    found += line.take_nothing()
    found += line.take(f"{sign[cut:]}{rest}", after=1.0)
    assert [one.text for one in found if isinstance(one, events.Paste)] == ["see\r!touch pwned\r"]
    assert not any(isinstance(one, events.Key) and one.key in ("enter", "t") for one in found)
    (pressed,) = line.take("a", after=1.0)
    assert isinstance(pressed, events.Key), "it has ended"


def test_what_comes_in_pieces_as_well() -> None:
    line = Line()
    assert texts(line.take(PASTE)) == ["harmless"]
    assert texts(line.take("!", after=BREATH / 2)) == ["!"]
    assert texts(line.take("\r", after=BREATH / 2)) == ["\n"]
    assert texts(line.take("\x19", after=BREATH / 2)) == []


def test_what_was_there_all_along_as_well_however_busy_the_machine_is() -> None:
    line = Line()
    assert texts(line.take(f"{PASTE}!", has_more=True)) == ["harmless", "!"]
    assert texts(line.take("a", after=10 * BREATH, has_more=True)) == ["a"]
    assert texts(line.take("\x19", after=10 * BREATH)) == []
    (pressed,) = line.take("\x19", after=10 * BREATH)
    assert isinstance(pressed, events.Key)


def test_no_click_comes_with_a_paste() -> None:
    kinds = [type(one) for one in Line().take(f"{PASTE}\x1b[<0;5;5M\x1b[<0;5;5m")]
    assert events.MouseDown not in kinds, "and without that there is no click"


@pytest.mark.parametrize(("keys", "key"), [("\r", "enter"), ("\x19", "ctrl+y"), ("a", "a")])
def test_a_key_that_is_pressed_after_it_is_that_key(keys: str, key: str) -> None:
    line = Line()
    line.take(PASTE)
    (pressed,) = line.take(keys, after=BREATH)
    assert isinstance(pressed, events.Key)
    assert pressed.key == key
    (pressed,) = line.take(keys)
    assert isinstance(pressed, events.Key), "whoever types fast has not pasted"
