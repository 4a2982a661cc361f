"""Alt and a letter, or Escape and a letter: most terminals send the same for both."""

from __future__ import annotations

import pytest
from textual import events
from textual._xterm_parser import XTermParser

from maverick_tui.runs.commands import AnswerPermission, Interrupt
from maverick_tui.ui import meant_keys
from tests.support.runs import Tape
from tests.support.sampling import sampled
from tests.ui.running import FedApp, watching
from tests.ui.waiting import until

GRANTS = ("Bash: make", "Bash: make …", "every Bash command")


def asking() -> Tape:
    return Tape().connect().prompt("Go").ask("Bash", {"command": "make"}, grants=GRANTS).wait(1)


def type_after_escape(app: FedApp, words: str) -> None:
    """What comes of Escape and words where the terminal takes Escape and the first letter for one key."""
    first = words[0].lower() if words[0].islower() else f"shift+{words[0].lower()}"
    app.post_message(events.Key(f"alt+{first}", words[0]))
    for letter in words[1:]:
        app.post_message(events.Key("space" if letter == " " else letter, letter))


def test_terminals_with_the_protocol_of_kitty_tell_alt_and_a_letter_without_a_character() -> None:
    (told,) = XTermParser().feed("\x1b[97;3u")
    assert isinstance(told, events.Key)
    assert (told.key, told.character) == ("alt+a", None)
    parser = XTermParser()
    keys = [*parser.feed("\x1ba"), *parser.feed("")]
    assert [(key.key, key.character) for key in keys if isinstance(key, events.Key)] == [("alt+a", "a")]


@pytest.fixture(autouse=True)
def held_until_the_next_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, what is typed comes in time."""
    monkeypatch.setattr(meant_keys, "HELD_FOR", 60)


@pytest.mark.parametrize(
    "words", sampled(["abort that", "try it without", "explain first", "no, wait", "What now", "do not"], 3)
)
async def test_escape_and_typing_interrupts_and_types(words: str) -> None:
    async with watching(asking()) as (app, pilot):
        type_after_escape(app, words)
        await until(pilot, lambda: app.run_screen.prompt.text == words, "all of it is in the prompt")
        assert [type(one) for one in app.kept.take()] == [Interrupt]


async def test_an_alt_key_that_nothing_typed_follows_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    async with watching(asking()) as (app, pilot):
        for _ in range(2):
            app.post_message(events.Key("alt+a", "a"))
            await pilot.press("pagedown")
        assert app.kept.take() == [], "another key was in between"
        monkeypatch.setattr(meant_keys, "HELD_FOR", 0.01)
        for pressed in (1, 2):
            before = app.keys_pressed
            app.now += 1
            app.post_message(events.Key("alt+a", "a"))
            await until(pilot, lambda: app.keys_pressed == before + 1, f"it has waited: {pressed}")  # noqa: B023
        await until(pilot, lambda: app.kept.commands, "it is wanted twice")
        assert [one.grant for one in app.kept.take() if isinstance(one, AnswerPermission)] == [2]
        app.post_message(events.Key("alt+i", "i"))
        await until(pilot, lambda: type(app.screen).__name__ == "InboxScreen", "nothing has followed it")


async def test_a_text_is_edited_by_alt_keys_and_typed_on_at_once() -> None:
    async with watching(asking()) as (app, pilot):
        await pilot.press(*"some words")
        for key in (events.Key("alt+b", "b"), *(events.Key(letter, letter) for letter in "my")):
            app.post_message(key)
        await until(pilot, lambda: app.run_screen.prompt.text == "some mywords")
        assert app.kept.take() == []
