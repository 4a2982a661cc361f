"""A stored session, told in the events that a run of ours would have told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import count
from typing import Any

from maverick_tui.agent.engine.claude.own_calls import OwnCalls
from maverick_tui.agent.engine.claude.stored import Entry, as_message, blocks_of, conversation, is_compaction
from maverick_tui.agent.engine.claude.translate import Translator
from maverick_tui.agent.engine.prices import context_size
from maverick_tui.agent.fields import CLAUDE_CODE
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.history.sessions.files import Stored
from maverick_tui.history.sessions.prompts import Said, branch_of, said_in, text_of
from maverick_tui.masking.redact import beginning
from maverick_tui.usage import Usage

_CUT = "The beginning of this session is left out: it is too long to be read as a whole."
_SYNTHETIC = "<synthetic>"
"""The model by whose name the CLI itself speaks."""
_OPEN_ENDS = ("tool_use", "pause_turn")
"""Why an answer stopped that was meant to go on; older versions of the CLI do not tell."""


def events_of(session_id: str, stored: Stored) -> list[Event]:
    """The session as a run that has ended; one without a prompt has none."""
    told = [*conversation(stored.entries)]
    if not any(entry.get("type") == "user" for entry in told):
        return []
    return [*_Teller(session_id, stored, told).events()]


class _Teller:
    """Goes through the entries of one session, in their order."""

    def __init__(self, session_id: str, stored: Stored, told: list[Entry]) -> None:
        self._session_id, self._stored, self._told = session_id, stored, told
        self._blocks = count(1)
        self._translator = Translator(self._blocks.__next__)
        self._translator.session_id = session_id
        self._usage = _last_usage(told)
        self._at = self._heard_at = _first_time(told)
        """The time of the entry that is read, and of the last one that was part of its turn."""
        self._turn: ev.TurnStarted | None = None
        self._turns = 0
        self._used: dict[str, Usage] = {}
        self._outcome: ev.Outcome = "interrupted"
        self._failure: ev.Failure | None = None
        self._place = ""
        """The id of the entry that was told last: another conversation can go on from there."""
        self._calls = OwnCalls()
        self._called: set[str] = set()
        self._finished: set[str] = set()

    def events(self) -> Iterator[Event]:
        """All of them."""
        first = next((entry for entry in self._told if text_of(entry, "cwd")), {})
        yield ev.RunStarted(self._at, self._session_id, CLAUDE_CODE)
        yield ev.AgentLoaded(
            self._at,
            CLAUDE_CODE,
            text_of(first, "cwd"),
            branch=branch_of(first),
            permission_mode="default",
            description="A session of Claude Code",
        )
        yield ev.RunNamed(self._at, self._stored.title)  # also of none: a title that comes later moves no event
        if self._stored.is_cut:
            yield ev.Noticed(self._at, "cut", _CUT)
        for entry in self._told:
            self._at = max(self._at, _time(entry))
            yield from self._read(entry)
            self._heard_at = self._at
            self._place = text_of(entry, "uuid")
        yield from self._end_turn()
        yield ev.RunEnded(self._at, "closed")

    def _read(self, entry: Entry) -> Iterator[Event]:
        if is_compaction(entry):
            about = entry.get("compactMetadata")
            before = about.get("preTokens") if isinstance(about, dict) else None
            yield from self._translator.notices.read(
                "compact_boundary", {"compact_metadata": {"pre_tokens": before}}, self._at
            )
        elif entry.get("type") == "assistant":
            yield from self._answer(entry)
        elif not entry.get("isCompactSummary"):
            yield from self._results(entry)
            if (said := said_in(entry)) is not None:
                yield from self._say(said)

    def _say(self, said: Said) -> Iterator[Event]:
        if said.kind == "interruption":
            self._outcome, self._failure = "interrupted", None
        elif said.kind == "output":
            if said.text:
                yield ev.Noticed(self._at, "informational", beginning(said.text, ev.LONGEST_NOTICE))
        else:
            yield from self._begin_turn(said)

    def _begin_turn(self, said: Said) -> Iterator[Event]:
        yield from self._end_turn()
        self._turns += 1
        self._turn = ev.TurnStarted(self._at, self._turns, said.text, origin=said.origin, is_command=said.is_command)
        self._outcome, self._failure, self._used = "done" if said.is_command else "interrupted", None, {}
        self._translator.begin_turn()
        self._calls.begin_answer()
        yield self._turn

    def _end_turn(self) -> Iterator[Event]:
        if self._turn is None:
            return
        lasted = max(0, round((self._heard_at - self._turn.at) * 1000))  # what comes next may have come days later
        used = sum(self._used.values(), Usage(duration_ms=lasted))
        yield ev.TurnEnded(
            self._heard_at,
            self._turn.turn,
            self._outcome,
            used,
            steps=len(self._used),
            is_estimate=True,
            failure=self._failure,
            place=self._place,
        )
        self._turn = None

    def _answer(self, entry: Entry) -> Iterator[Event]:
        message = entry.get("message")
        if not isinstance(message, dict):
            return
        if self._turn is None:
            yield from self._begin_turn(Said("prompt", origin="background"))
        if entry.get("isApiErrorMessage"):
            words = "\n".join(str(block.get("text") or "") for block in blocks_of(message)) or "It failed."
            self._outcome, self._failure = "failed", ev.Failure("AgentError", "agent", words)
            return
        model = message.get("model")
        if model == _SYNTHETIC:
            return
        if isinstance(model, str) and model and model != self._translator.model:
            self._translator.model = model
            yield ev.ModelNamed(self._at, model, self._session_id, context_size(model))
        is_open = message.get("stop_reason") in _OPEN_ENDS or any(
            block.get("type") == "tool_use" for block in blocks_of(message)
        )
        self._outcome = "interrupted" if is_open else "done"
        self._failure = None
        told = as_message(self._named(entry), self._usage.get(str(message.get("id"))))
        for event in self._translator.feed(told, self._at):
            if isinstance(event, ev.UsageReported):
                self._used[event.message] = event.usage
            if isinstance(event, ev.ToolCalled):
                self._called.add(event.call)
            if not isinstance(event, ev.ToolFinished) or self._is_awaited(event):
                yield event

    def _results(self, entry: Entry) -> Iterator[Event]:
        if any(block.get("type") == "tool_result" for block in blocks_of(entry.get("message"))):
            for event in self._translator.feed(as_message(self._named(entry)), self._at):
                if isinstance(event, ev.ToolFinished) and self._is_awaited(event):
                    yield event

    def _named(self, entry: Entry) -> Entry:
        """The same with an id for each call that no other one has; what was read stays as it is."""
        blocks = [dict(block) for block in blocks_of(entry["message"])]
        return self._calls.name({**entry, "message": {**entry["message"], "content": blocks}})

    def _is_awaited(self, event: ev.ToolFinished) -> bool:
        """Whether it is the first result of a call."""
        is_first = event.call in self._called and event.call not in self._finished
        self._finished.add(event.call)
        return is_first


def _last_usage(told: Iterable[Entry]) -> dict[str, dict[str, Any]]:
    """What each answer has used: it is stored once for each block, and counts most in the last one."""
    found: dict[str, dict[str, Any]] = {}
    for entry in told:
        message = entry.get("message")
        if isinstance(message, dict) and isinstance(usage := message.get("usage"), dict):
            found[str(message.get("id"))] = usage
    return found


def _first_time(told: Iterable[Entry]) -> float:
    return next((at for entry in told if (at := _time(entry))), 0.0)


def _time(entry: Entry) -> float:
    """When it was; 0 where that is not told."""
    try:
        return max(0.0, round(datetime.fromisoformat(str(entry.get("timestamp"))).timestamp(), 3))
    except (ValueError, OverflowError, OSError):
        return 0.0
