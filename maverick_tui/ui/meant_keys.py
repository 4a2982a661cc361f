"""MeantKeys: an Alt+letter, or Escape and the letter? Most terminals send the same for both.

tmux waits for half a second after an Escape, and hands it on with the next letter as one key; so does a line that lags.
Whoever interrupts the agent and goes on typing has pressed Alt+A then. A terminal that speaks kitty's protocol tells
them apart: its Alt+letter comes without a character, and never waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol, runtime_checkable

from textual import events
from textual.app import App
from textual.screen import Screen
from textual.timer import Timer

from maverick_tui.ui.keys import is_character
from maverick_tui.ui.textual_private.asking import bindings_of

HELD_FOR = 0.2
"""Seconds that an Alt+letter waits for something typed behind it, beside the tenth that Textual waits after each.

Most people type faster than that, and whoever means the key hardly waits. Who types slower has pressed an Alt+letter
all the same: a dialog that it opens takes no letter at first, and what it allows is to be wanted twice.
"""
ARRIVES_WITHIN = 0.5
"""Seconds that a key waits at most for what was typed before it."""


class MeantKeys:
    """An Alt+letter with typing right behind it was Escape and typing; by itself it is what it says."""

    def __init__(self, app: App[Any], act: Callable[[events.Event], Awaitable[None]]) -> None:
        """`act` does what a key says that has waited for nothing."""
        self._app = app
        self._act = act
        self._held: events.Key | None = None
        self._waiting: Timer | None = None

    def take(self, event: events.Event) -> list[events.Event]:
        """What is meant by an event, and by the key before it if that has waited; nothing yet if this one has to."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            return [event]
        meant: list[events.Event] = []
        if (before := self._let_go()) is not None:
            is_typed = isinstance(event, events.Key) and is_character(event)
            meant += _escape_and_letter(before) if is_typed else [before]
        if isinstance(event, events.Key) and self._is_doubtful(event):
            self._held = event
            self._waiting = self._app.set_timer(HELD_FOR, self._has_waited)
        else:
            meant.append(event)
        return meant

    async def _has_waited(self) -> None:
        if (held := self._let_go()) is not None:
            await self._act(held)

    def _let_go(self) -> events.Key | None:
        held, self._held = self._held, None
        if self._waiting is not None:
            self._waiting.stop()
        return held

    def _is_doubtful(self, event: events.Key) -> bool:
        return "alt" in event.key.split("+")[:-1] and event.is_printable and not self._edits(event)

    def _edits(self, event: events.Key) -> bool:
        """Whether the key is one of those by which the text is edited that has the focus: there one types right on."""
        from textual.widgets import Input, TextArea

        focused = self._app.screen.focused if self._app.screen_stack else None
        if not isinstance(focused, TextArea | Input):
            return False
        text = focused.text if isinstance(focused, TextArea) else focused.value
        return bool(text) and event.key in bindings_of(focused).key_to_bindings


def _escape_and_letter(event: events.Key) -> list[events.Event]:
    letter = event.character or ""
    return [events.Key("escape", "\x1b"), events.Key(letter, letter)]


@runtime_checkable
class ShowsQuestions(Protocol):
    """A screen on which questions of several runs are answered."""

    @property
    def takes_words(self) -> bool:
        """Whether characters that are typed are for the question, and go to no other one."""


def may_go_elsewhere(screen: Screen[Any], event: events.Key | events.MouseDown) -> bool:
    """Whether it may go to another question, where there are several; what answers one, or writes words, does not."""
    if not isinstance(screen, ShowsQuestions):
        return False
    if isinstance(event, events.MouseDown):
        return True
    from maverick_tui.ui.run.answering import ANSWERS
    from maverick_tui.ui.widgets.prompt import Prompt

    is_typing = isinstance(screen.focused, Prompt)
    if is_character(event):
        return not is_typing and not screen.takes_words
    bound = screen.active_bindings.get(event.key)
    if bound is not None and bound.node is not screen.focused:
        return bound.binding.action not in ANSWERS
    return not is_typing


async def let_typing_arrive(screen: Screen[Any], event: events.Key) -> None:
    """Before a key acts: let what has the focus take what was typed, and the screen what came of that.

    Textual hands on what is typed, to be taken in its turn, but acts at once on keys that a screen has for itself:
    where a line or a machine stalls and then brings everything together, they would overtake what was typed before.
    """
    if event.is_forwarded or is_character(event):
        return
    bound = (bindings_of(node).key_to_bindings.get(event.key, ()) for node in (screen, screen.app))
    if not any(binding.priority for of_node in bound for binding in of_node):
        return
    for node in (screen.focused, screen):
        if node is not None and node.message_queue_size:
            taken = asyncio.Event()
            node.call_later(taken.set)
            with suppress(TimeoutError):
                await asyncio.wait_for(taken.wait(), ARRIVES_WITHIN)
