"""Translator: the SDK's messages as events of a run; it knows them by name."""

from __future__ import annotations

import logging
from collections.abc import Callable
from itertools import count
from typing import Any

from maverick_tui.agent.engine.claude.answers import Answers
from maverick_tui.agent.engine.claude.argument_names import by_its_names
from maverick_tui.agent.engine.claude.notices import Notices
from maverick_tui.agent.engine.claude.scheduling import BEGAN, JOBS, UNANSWERED, Jobs
from maverick_tui.agent.engine.judging import unanswered
from maverick_tui.agent.engine.outputs import cut_text, result_text, slim_detail
from maverick_tui.agent.engine.prices import estimate
from maverick_tui.agent.record import REPORTED, count_of
from maverick_tui.events import kinds as ev
from maverick_tui.reset_times import reset_time
from maverick_tui.usage import Usage

log = logging.getLogger(__name__)

_KINDS: dict[str, ev.BlockKind] = {
    "text": "text",
    "thinking": "thinking",
    "tool_use": "tool",
    "server_tool_use": "tool",
    "mcp_tool_use": "tool",
}
_DELTAS: dict[str, tuple[ev.BlockKind, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("tool", "partial_json"),
}
_CUT_OFF = "was cut off"


class _Block:
    """A block that is being streamed, and that the CLI has not repeated as a whole yet."""

    __slots__ = ("call", "kind", "number", "parts")

    def __init__(self, number: int, kind: ev.BlockKind, call: str = "") -> None:
        self.number = number
        self.kind = kind
        self.call = call
        self.parts: list[str] = []


class Translator:
    """Takes the messages of one run in the order they come; cheap enough to be called for each of them.

    A block ends when the CLI has repeated it as a whole. One that breaks off gets no end of its own.
    """

    def __init__(self, next_block: Callable[[], int] | None = None, answers: set[str] | None = None) -> None:
        """`answers` are the ids that the run's answers have had."""
        self.model = ""
        self.session_id = ""
        self.mode = ""
        self.notices = Notices()
        self.jobs = Jobs()
        self.streamed: dict[str, dict[str, int]] = {}
        """What each answer has reported to use since `begin_turn`; not those of subagents."""
        self._next_block = next_block or count(1).__next__
        self._open: dict[int, _Block | None] = {}
        self._message = ""
        self._init_model = ""
        self._context_size: int | None = None
        self._answers = Answers(answers)
        self._readers: dict[type, Callable[[Any, float], list[ev.Event]]] = {}
        self._by_name: dict[str, Callable[[Any, float], list[ev.Event]]] = {
            "StreamEvent": self._stream_event,
            "AssistantMessage": self._assistant,
            "UserMessage": self._user,
            "SystemMessage": self._system,
            "TaskStartedMessage": self._system,
            "TaskProgressMessage": self._system,
            "TaskUpdatedMessage": self._system,
            "TaskNotificationMessage": self._system,
            "RateLimitEvent": self._rate_limit,
            "ResultMessage": self._result,
        }

    def begin_turn(self) -> None:
        """Count from here what is used."""
        self.streamed = {}
        self._open.clear()

    def begin_session(self) -> None:
        """Another CLI goes on with the conversation: what the last one did beside it has ended with that."""
        self._open.clear()
        self.notices.alive.clear()
        self.jobs = Jobs()

    def feed(self, message: object, at: float) -> list[ev.Event]:
        """The events of the next message; nothing for one that is unknown or cannot be read."""
        kind = type(message)
        read = self._readers.get(kind)
        if read is None:
            read = self._readers[kind] = self._by_name.get(kind.__name__, lambda _message, _at: [])
        try:
            events = read(message, at)
        except Exception:  # a message that a newer CLI has changed must not end the run
            log.exception("A %s cannot be read", kind.__name__)
            return []
        told = [event for event in events if ev.is_readable(event)]
        if len(told) < len(events):
            log.error("A %s tells of something that no reader of a run would take", kind.__name__)
        return told

    # -- the stream -----------------------------------------------------------------------------------------------

    def _stream_event(self, message: Any, at: float) -> list[ev.Event]:
        if message.parent_tool_use_id is not None:
            return []  # it comes once more, in one piece
        event: dict[str, Any] = message.event
        kind = event.get("type")
        if kind == "content_block_delta":
            known = _DELTAS.get(event["delta"]["type"])
            if known is None:
                return []
            text = event["delta"][known[1]]
            index = event.get("index", 0)
            block = self._open.get(index)
            if block is not None:
                block.parts.append(text)
                return [ev.BlockGrew(at, block.number, text)]
            if index in self._open:
                return []
            started = self._start(index, known[0], "", "", at)
            return [*started, *self._stream_event(message, at)]
        if kind == "content_block_start":
            content = event["content_block"]
            found = _KINDS.get(content["type"])
            if found is None:
                self._open[event["index"]] = None
                return []
            call, name = str(content.get("id") or ""), str(content.get("name") or "")
            return self._start(event["index"], found, call, name, at)
        if kind == "message_start":
            return self._message_start(event.get("message") or {}, at)
        if kind == "message_delta" and self._message:
            return [self._usage(self._message, event.get("usage") or {}, at)]
        return []

    def _start(self, index: int, kind: ev.BlockKind, call: str, name: str, at: float) -> list[ev.Event]:
        block = self._open[index] = _Block(self._next_block(), kind, call)
        return [ev.BlockStarted(at, block.number, kind, "", name, call)]

    def _message_start(self, message: dict[str, Any], at: float) -> list[ev.Event]:
        events = self._restart(at)
        self._open.clear()
        self._message = self._answers.began(str(message.get("id") or ""))
        model = str(message.get("model") or "")
        if model and model != self.model:
            self.model = model
            events.append(ev.ModelNamed(at, model, self.session_id))
        events.append(self._usage(self._message, message.get("usage") or {}, at))
        return events

    def _restart(self, at: float) -> list[ev.Event]:
        """Whatever is open now has been thrown away by the CLI."""
        is_open = any(block is not None for block in self._open.values())
        self._open.clear()
        return [ev.ReplyRestarted(at)] if is_open else []

    def _usage(self, message: str, usage: dict[str, Any], at: float, parent: str = "", model: str = "") -> ev.Event:
        counts = {} if parent else self.streamed.setdefault(message, {})
        told = {name: usage.get(name) for name in REPORTED}
        counts.update({name: count_of(told, name) for name, value in told.items() if type(value) is int and value >= 0})
        used = Usage(*(counts.get(name, 0) for name in REPORTED))
        return ev.UsageReported(at, message, *used.tokens, parent, estimate(model or self.model, used))

    # -- whole messages -------------------------------------------------------------------------------------------

    def _assistant(self, message: Any, at: float) -> list[ev.Event]:
        if message.error is not None:
            return []  # the CLI's own notice of a failure, which the end of the turn tells
        parent = message.parent_tool_use_id or ""
        events: list[ev.Event] = []
        reported: list[ev.Event] = []
        is_told = bool(message.usage) if parent else _has_used(message.usage)
        answer = self._answers.came(message.message_id or "", message.usage, parent) if is_told else ""
        if answer and parent:
            events.append(self._usage(answer, message.usage, at, parent, message.model))
        elif answer:
            # Of a model that does not stream, behind its text: what is written before is guessed until it is reported.
            reported.append(self._usage(answer, message.usage, at))
        for block in message.content:
            kind = type(block).__name__
            if kind == "TextBlock":
                events += self._whole_text("text", block.text, parent, at)
            elif kind == "ThinkingBlock":
                events += self._whole_text("thinking", block.thinking, parent, at)
            elif kind in ("ToolUseBlock", "ServerToolUseBlock"):
                events += self._tool(block, parent, at)
            elif kind == "ServerToolResultBlock":
                events.append(self._finished(block.tool_use_id, block.content, False, None, at))
        return events + reported

    def _whole_text(self, kind: ev.BlockKind, text: str, parent: str, at: float) -> list[ev.Event]:
        if parent:
            return self._whole(kind, text, at, parent) if text.strip() else []
        index, block = next(
            ((index, block) for index, block in self._open.items() if block is not None and block.kind == kind),
            (None, None),
        )
        if index is None or block is None:
            return self._whole(kind, text, at) if text.strip() else []
        streamed = "".join(block.parts)
        if streamed.strip() == text.strip():
            self._open[index] = None
            return [ev.BlockEnded(at, block.number)]
        if text.startswith(streamed):
            self._open[index] = None
            return [ev.BlockGrew(at, block.number, text[len(streamed) :]), ev.BlockEnded(at, block.number)]
        return [*self._restart(at), *self._whole(kind, text, at)]

    def _whole(self, kind: ev.BlockKind, text: str, at: float, parent: str = "") -> list[ev.Event]:
        return ev.whole_block(self._next_block(), kind, text, at, parent)

    def _tool(self, block: Any, parent: str, at: float) -> list[ev.Event]:
        arguments = by_its_names(block.name, block.input if isinstance(block.input, dict) else {})
        self.jobs.called(block.id, block.name, arguments)
        self.notices.called(block.id, block.name)
        if not parent:
            for index, streamed in self._open.items():
                if streamed is not None and streamed.kind == "tool" and streamed.call in (block.id, ""):
                    self._open[index] = None
                    number = streamed.number
                    return [ev.ToolCalled(at, block.id, block.name, arguments, "", number), ev.BlockEnded(at, number)]
        return [ev.ToolCalled(at, block.id, block.name, arguments, parent)]

    def _user(self, message: Any, at: float) -> list[ev.Event]:
        if isinstance(message.content, str):
            return []  # a prompt that the CLI repeats
        results = [block for block in message.content if type(block).__name__ == "ToolResultBlock"]
        detail = message.tool_use_result if len(results) == 1 else None
        events: list[ev.Event] = []
        for block in results:
            events.append(self._finished(block.tool_use_id, block.content, bool(block.is_error), detail, at))
            events += self.jobs.finished(block.tool_use_id, detail, is_error=bool(block.is_error), at=at)
        if not results and not message.parent_tool_use_id:
            words = " ".join(block.text for block in message.content if type(block).__name__ == "TextBlock")
            if _CUT_OFF in words:
                events += self._restart(at)
                events.append(
                    ev.Noticed(at, "cut_off", "The answer was cut off; the model is asked to go on from there.")
                )
        return events

    def _finished(self, call: str, content: Any, is_error: bool, detail: Any, at: float) -> ev.Event:
        return ev.ToolFinished(at, call, cut_text(result_text(content)), is_error, slim_detail(detail))

    # -- everything else ------------------------------------------------------------------------------------------

    def _system(self, message: Any, at: float) -> list[ev.Event]:
        if message.subtype == "init":
            return self._init(message.data, at)
        if message.subtype == BEGAN:
            return [ev.ToolBegan(at, message.data["tool_use_id"])]
        if message.subtype == UNANSWERED:
            question = message.data["question"]
            return unanswered(question, question.reason, at)
        if message.subtype == JOBS:
            return self.jobs.listed(message.data["jobs"], at)
        events = self.notices.read(message.subtype, message.data, at)
        if message.subtype == "status":
            events += self._mode(message.data, at)
        return events

    def _init(self, data: dict[str, Any], at: float) -> list[ev.Event]:
        model, session = str(data.get("model") or ""), str(data.get("session_id") or "")
        events = self._mode(data, at)
        if (model, session) != (self._init_model, self.session_id):
            # The full name that the answers give is better than the one that was asked for.
            self.model = model if model != self._init_model else self.model
            self._init_model, self.session_id = model, session
            events.append(ev.ModelNamed(at, self.model, session))
        return events

    def _mode(self, data: dict[str, Any], at: float) -> list[ev.Event]:
        mode = data.get("permissionMode")
        if not isinstance(mode, str) or mode == self.mode:
            return []
        is_first = not self.mode
        self.mode = mode
        return [] if is_first else [ev.ModeChanged(at, mode)]

    def _rate_limit(self, message: Any, at: float) -> list[ev.Event]:
        info = message.rate_limit_info
        until = reset_time(info.resets_at, at)
        return [ev.RateLimited(at, info.status, until, info.rate_limit_type or "", info.utilization)]

    def _result(self, message: Any, at: float) -> list[ev.Event]:
        used = message.model_usage or {}
        about = used.get(self.model) or (next(iter(used.values())) if len(used) == 1 else {})
        size = count_of(about, "contextWindow")
        if not size or size == self._context_size:
            return []
        self._context_size = size
        return [ev.ModelNamed(at, self.model, self.session_id, size)]


def _has_used(usage: dict[str, Any] | None) -> bool:
    """Whether anything was asked: what the CLI says in the model's name uses nothing."""
    return any(type(value) is int and value > 0 for value in (usage or {}).values())
