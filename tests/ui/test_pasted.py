"""A paste that carries the sign of its own end presses no key, and clicks on nothing."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.message import Message

from maverick_tui.ui.pasted import BREATH, PastedRest

PASTE = "\x1b[200~harmless\x1b[201~"


class Line:
    """What comes from a terminal, at the times of a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self._parser, self._rest = XTermParser(), PastedRest(lambda: self.now)

    def take(self, text: str, *, after: float = 0.0, has_more: bool = False) -> list[Message]:
        """What is made of that, which was read at once."""
        self.now += after
        self._rest.look(has_more=has_more)
        return [meant for event in self._parser.feed(text) if (meant := self._rest.meant(event)) is not None]


def texts(messages: list[Message]) -> list[str]:
    assert all(isinstance(one, events.Paste) for one in messages), messages
    return [one.text for one in messages if isinstance(one, events.Paste)]


def test_what_comes_with_a_paste_is_text_of_it() -> None:
    assert texts(Line().take(f"{PASTE}\x15!ls\r\x19y")) == ["harmless", "!", "l", "s", "\n", "y"]


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
