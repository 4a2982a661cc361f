"""A conversation of the CLI of which only the events are left: where it is, and from where on another goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from maverick_tui.agent.engine.claude.meter import Meter
from maverick_tui.agent.engine.claude.telling import Memory
from maverick_tui.agent.engine.claude.translate import Translator
from maverick_tui.events.conversations import ConversationReader
from maverick_tui.events.kinds import Event
from maverick_tui.usage import Usage


@dataclass(frozen=True, slots=True)
class Recalled:
    """A conversation by the id that the CLI knows it by. A fork leaves it as it is, and goes on from `place` in it."""

    conversation: str
    counts: tuple[Usage, ...] = ()
    """What it had used after each of its turns: a CLI that was ended in good order counts on from there."""
    is_fork: bool = False
    place: str = ""

    @classmethod
    def of(cls, told: Iterable[Event]) -> Recalled | None:
        """What these events tell of it; None if the CLI has told no id."""
        reader = ConversationReader()
        for event in told:
            reader.read(event)
        if not (conversation := reader.conversation):
            return None
        return cls(conversation, reader.counts(conversation), reader.is_fork, reader.place)

    def memory(self, next_block: Callable[[], int], answers: set[str]) -> Memory:
        """The same, for a session."""
        translator = Translator(next_block, answers)
        translator.session_id = self.conversation
        forked = self.conversation if self.is_fork else ""
        return Memory(translator, Meter(self.counts), forked=forked, place=self.place)


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What was said in a conversation that the CLI does not have."""

    words: str

    def memory(self, next_block: Callable[[], int], answers: set[str]) -> Memory:
        """The same, for a session."""
        return Memory(Translator(next_block, answers), words=self.words)
