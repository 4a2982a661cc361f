"""A conversation of the API, made again of what was told of it."""

from __future__ import annotations

from collections.abc import Iterable

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.executor.model.messages import Message, Role, ToolCall


def history_of(told: Iterable[Event]) -> tuple[Message, ...]:
    """The messages, as the API accepts them: each call with its result, or neither. Thoughts are left out."""
    reader = _Reader()
    for event in told:
        reader.read(event)
    reader.end_answer()
    return tuple(reader.messages)


class _Reader:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._texts: dict[int, list[str]] = {}
        """What the agent itself says, by block, since it was last answered."""
        self._calls: dict[str, ToolCall] = {}
        self._results: dict[str, Message] = {}

    def read(self, event: Event) -> None:
        match event:
            case ev.TurnStarted() if event.text:
                self.end_answer()
                self.messages.append(Message.user(event.text))
            case ev.PromptSent() if self.messages and self.messages[-1].role is Role.USER:
                self.messages[-1] = Message.user(event.text)
            case ev.BlockStarted() if event.kind == "text" and not event.parent:
                if self._results:
                    self.end_answer()
                self._texts[event.block] = []
            case ev.BlockGrew() if event.block in self._texts:
                self._texts[event.block].append(event.text)
            case ev.ReplyRestarted():
                self._texts.clear()
            case ev.ToolCalled() if not event.parent:
                if self._results:
                    self.end_answer()
                self._calls[event.call] = ToolCall(event.call, event.name, event.arguments)
            case ev.ToolFinished() if event.call in self._calls:
                self._results[event.call] = Message.result(event.call, event.output, is_error=event.is_error)

    def end_answer(self) -> None:
        """What the agent has said and called is one message, and what it was answered follows."""
        text = "\n\n".join(said for parts in self._texts.values() if (said := "".join(parts)))
        calls = tuple(call for call in self._calls.values() if call.id in self._results)
        if text or calls:
            self.messages.append(Message(Role.ASSISTANT, text, calls))
        self.messages += (self._results[call.id] for call in calls)
        self._texts, self._calls, self._results = {}, {}, {}
