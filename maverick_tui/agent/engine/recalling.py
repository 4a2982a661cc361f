"""A conversation made again of what was told of it: as messages of the API, or as text where none can be given."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import replace

from maverick_tui.agent.engines import said_meanwhile
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.executor.model.messages import Message, Role, ToolCall

MOST_WORDS = 200_000
"""Characters of a conversation that is handed over as text: some 50,000 tokens."""
_START, _END = "<conversation_so_far>", "</conversation_so_far>"
MOST_OF_CALL = 4_000
"""Characters of what a tool was given in it, and of what it has answered."""


def history_of(told: Iterable[Event]) -> tuple[Message, ...]:
    """The messages, as the API accepts them: each call with its result, or neither. Thoughts are left out."""
    reader = _Reader()
    for event in told:
        reader.read(event)
    reader.end_answer()
    return tuple(reader.messages)


def with_calls_of(history: Iterable[Message], tools: Collection[str]) -> tuple[Message, ...]:
    """The same for an agent that has these tools alone: the API takes no call of another, so it is told of them."""
    messages: list[Message] = []
    foreign: dict[str, ToolCall] = {}
    words: list[Message] = []
    for message in history:
        if message.role is Role.TOOL_RESULT and message.tool_call_id in foreign:
            words.append(Message.user(_call_in_words(foreign[message.tool_call_id], message)))
            continue
        if message.role is not Role.TOOL_RESULT:  # between a call and its result there may be nothing
            messages += words
            words.clear()
        foreign |= {call.id: call for call in message.tool_calls if call.tool_name not in tools}
        known = tuple(call for call in message.tool_calls if call.id not in foreign)
        if message.content or known or known == message.tool_calls:
            messages.append(replace(message, tool_calls=known))
    return (*messages, *words)


def in_words(told: Iterable[Event], most: int = MOST_WORDS) -> str:
    """What was said and done, as one text to put before a prompt; of much, the end. Empty if there was nothing."""
    parts: list[str] = []
    calls: dict[str, ToolCall] = {}
    for message in history_of(told):
        calls |= {call.id: call for call in message.tool_calls}
        if message.role is Role.TOOL_RESULT:
            parts.append(_call_in_words(calls[message.tool_call_id], message))
        elif message.content:
            who = "The user said" if message.role is Role.USER else "You said"
            parts.append(f"{who}:\n{message.content}")
    left, kept = most, list[str]()
    for part in reversed(parts):
        left -= len(part)
        if left < 0 and kept:
            kept.append("(What came before that is left out.)")
            break
        kept.append(part[-most:])
    said = "\n\n".join(reversed(kept)).replace(_END, f"&lt;{_END[1:]}")
    return f"{_START}\n{said}\n{_END}" if said else ""


def _call_in_words(call: ToolCall, result: Message) -> str:
    given = _short(json.dumps(call.arguments, ensure_ascii=False))
    came = "It failed" if result.is_error else "It answered"
    return f"(The tool {call.tool_name} was called with {given}. {came}:\n{_short(result.content)})"


def _short(text: str) -> str:
    left_out = len(text) - MOST_OF_CALL
    return text if left_out <= 0 else f"{text[:MOST_OF_CALL]}\n[{left_out:,} characters are left out]"


class _Reader:
    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._texts: dict[int, list[str]] = {}
        """What the agent itself says, by block, since it was last answered."""
        self._calls: dict[str, ToolCall] = {}
        self._results: dict[str, Message] = {}
        self._steered: list[str] = []
        """What the person has said in the middle of it, which the agent has read with these results."""

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
            case ev.PromptSteered():
                self._steered.append(event.text)

    def end_answer(self) -> None:
        """What the agent has said and called is one message, and what it was answered follows."""
        text = "\n\n".join(said for parts in self._texts.values() if (said := "".join(parts)))
        calls = tuple(call for call in self._calls.values() if call.id in self._results)
        if text or calls:
            self.messages.append(Message(Role.ASSISTANT, text, calls))
        self.messages += (self._results[call.id] for call in calls)
        self.messages += (Message.user(said_meanwhile(words)) for words in self._steered)
        self._texts, self._calls, self._results, self._steered = {}, {}, {}, []
