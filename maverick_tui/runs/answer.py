"""Answer: what a run has come to, as its events tell it and as the agent's own code says."""

from __future__ import annotations

from maverick_tui.agent.streaming import Heard
from maverick_tui.events.kinds import BlockStarted, Event, ToolCalled, TurnStarted


class Answer:
    """Listens to a run. The answer is what the agent says after its last call, unless its own code makes another."""

    def __init__(self) -> None:
        self._heard: list[Heard] = []
        """What the agent has said, turn by turn."""
        self._last = Heard()
        """What it has said since its last call."""
        self._before = Heard()
        """What it said last before that."""
        self.own: str | None = None
        """What the agent's own code has made, where that is not what the model has said, word for word."""

    def take(self, event: Event) -> None:
        """Take the next event."""
        if isinstance(event, TurnStarted):
            self._heard.append(Heard())
        elif isinstance(event, ToolCalled) and not event.parent:
            self._before, self._last = self._last if self._last.texts else self._before, Heard()
        elif isinstance(event, BlockStarted) and not self._heard:
            self._heard.append(Heard())  # of a subagent, before any turn
        for heard in (self._last, *self._heard[-1:]):
            heard.take(event)

    def returned(self, output: str) -> None:
        """The agent's own code has ended with this; what was said in the background may follow."""
        self.own = None if self._is_said(output) else output

    @property
    def text(self) -> str:
        """The answer."""
        return self.own if self.own is not None else _joined(self._last)

    @property
    def last_words(self) -> str:
        """What there is of one that broke off: what was said before the last call, if nothing was after it."""
        return self.text or _joined(self._before)

    def _is_said(self, output: str) -> bool:
        said, kept = _words(output), _words(" ".join(self._last.texts))
        each = [" ".join(heard.texts) for heard in self._heard]
        return bool(each) and said in map(_words, (kept, " ".join(each), *each)) and said.endswith(kept)


def _joined(heard: Heard) -> str:
    return "\n\n".join(text.strip("\n") for text in heard.texts if text.strip())


def _words(text: str) -> str:
    return " ".join(text.split())
