"""RunCard: what a board of many runs says of one of them, from facts alone; and which of them comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from maverick_tui.events.background import Behind, behind_names
from maverick_tui.inert import one_line
from maverick_tui.runs.choosing import parts_of
from maverick_tui.runs.entries import TextEntry
from maverick_tui.runs.failure_words import title
from maverick_tui.runs.moments import moment
from maverick_tui.runs.spoken import last_spoken
from maverick_tui.runs.status import (
    AT_REST,
    SILENT_AFTER,
    StatusText,
    behind_of,
    changed_lines,
    changed_words,
    clock,
    phase_words,
)
from maverick_tui.runs.store import fork_words
from maverick_tui.runs.tool_text import describe, key_argument

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Failure
    from maverick_tui.runs.board import RunModel
    from maverick_tui.runs.store import RunStore

LONGEST = 300
"""Characters of what a run has said, or of what a call is about: a row has room for fewer."""
NO_ANSWER = "no answer"
"""The phase of a run whose process does not say how it is."""
_LOOK_BACK = 400
"""Entries among which the last words of a run are looked for."""


class Place(IntEnum):
    """Where a run stands on the board: what needs a person is on top."""

    NEEDS_YOU = 0
    IN_TROUBLE = 1
    AT_WORK = 2
    WAITS = 3
    AT_REST = 4


_AT_WORK = frozenset("connecting sending thinking writing calling tool retrying interrupting starting".split())
_SILENT = frozenset("sending thinking writing calling".split())
"""Phases in which something has to come; a tool may be silent for as long as it likes."""
_IN_TROUBLE = frozenset(("failed", "disconnected", NO_ANSWER))
_WAITS = frozenset(("queued", "waiting"))
DOES_NOTHING = frozenset(("ready", "done", "interrupted"))


@dataclass(frozen=True, slots=True)
class RunCard:
    """One run as it stands; all texts are inert, on one line."""

    run_id: str
    machine: str = ""
    """Where it lives, if that is another machine."""
    agent: str = ""
    name: str = ""
    """What the person calls it."""
    prompt: str = ""
    """What it was asked first."""
    phase: str = ""
    """What it is doing, as `RunStore` calls it, or `NO_ANSWER`."""
    about: str = ""
    """Which tool it runs or asks for and with what, or why it has failed."""
    since: float = 0.0
    """When it began to do that."""
    heard_at: float = 0.0
    """When the model or a tool was heard of last."""
    until: float | None = None
    """When it goes on, where it waits for that."""
    last_line: str = ""
    """The last line of what it has said."""
    done: int = 0
    """How much of its plan is done, of how many steps."""
    steps: int = 0
    files: int = 0
    """How many it has changed: all of them where its changes are tracked, else those that it has edited."""
    added: int | None = None
    """Lines that it has added and deleted there; None where its changes are not tracked."""
    deleted: int | None = None
    tokens: int = 0
    cost_usd: float | None = None
    cost_sign: str = ""
    """What stands before a cost that is not a bill: `~` or `≥`."""
    seconds: float = 0.0
    """How long its turns have taken that have ended."""
    turn_began: float | None = None
    """When the one began that has not."""
    began: float = 0.0
    tags: tuple[str, ...] = ()
    is_followed: bool = False
    """Whether this application follows it; the others are asked from time to time."""
    is_out_of_reach: bool = False
    """Whether it has no process that could be asked: it lives in a program that only it belongs to."""
    behind: tuple[Behind, ...] = ()
    """What goes on in the background while no turn does."""

    @property
    def key(self) -> str:
        """The run as commands name it."""
        return f"{self.machine}:{self.run_id}" if self.machine else self.run_id

    @property
    def title(self) -> str:
        """What it is called, or was asked first."""
        return self.name or self.prompt

    @property
    def changed(self) -> str:
        """How much it has changed: +120 -14 in 6 files."""
        if self.added is None or not self.files:
            return self.changed_briefly
        return changed_words(self.files, self.added, self.deleted or 0)

    @property
    def changed_briefly(self) -> str:
        """The same in few columns: +120 -14; where no lines are known or none have changed, how many files."""
        return changed_lines(self.added, self.deleted) or (f"±{self.files}" if self.files else "")

    def place(self, now: float) -> Place:
        """Where it stands among the others."""
        if self.phase == "asking":
            return Place.NEEDS_YOU
        if self.phase in _IN_TROUBLE or self.silent_for(now):
            return Place.IN_TROUBLE
        if self.phase in _AT_WORK or self.behind:
            return Place.AT_WORK
        return Place.WAITS if self.phase in _WAITS else Place.AT_REST

    @property
    def can_be_interrupted(self) -> bool:
        """Whether it does something, or is about to, that can be stopped."""
        is_at_it = self.phase in _AT_WORK or self.phase in _WAITS or self.phase == "asking"
        return is_at_it and not self.is_out_of_reach

    def took(self, now: float) -> float:
        """How many seconds its turns have taken altogether, as its own screen says: while it rests, no more come."""
        return self.seconds + (max(0.0, now - self.turn_began) if self.turn_began is not None else 0.0)

    def silent_for(self, now: float) -> float:
        """For how many seconds nothing has come of it that should have; 0 if that is not long."""
        silent = now - self.heard_at
        return silent if self.phase in _SILENT and self.heard_at and silent >= SILENT_AFTER else 0.0

    def state(self, now: float) -> StatusText:
        """What it is doing, in words."""
        since = clock(now - self.since) if self.since else ""
        if silent := self.silent_for(now):
            return StatusText("◌", "silent", f"nothing came for {clock(silent)}", "attention")
        if self.phase == NO_ANSWER:
            return StatusText("?", "no answer", "its process does not say how it is", "bad")
        if self.until and self.until > now and self.phase in ("sending", "retrying", "waiting", "failed"):
            word = "waits" if self.phase == "waiting" else "rate-limited"
            return StatusText("‖", word, f"until {moment(self.until, now)}", "attention")
        if self.phase in _WORDS:
            word, detail = _WORDS[self.phase]
            return StatusText("●", word, self.about or detail or since, "busy")
        words = phase_words(self.phase)
        behind = f"in the background: {behind_names(self.behind)}" if self.behind else ""
        detail = ", ".join(filter(None, (self.about, behind)))
        return words._replace(word=_SHORT.get(self.phase, words.word), detail=detail)


_WORDS = {
    "sending": ("waiting", "for the model"),
    "thinking": ("thinking", ""),
    "writing": ("writing", ""),
    "calling": ("preparing", ""),
    "tool": ("running", ""),
}
_SHORT = {"queued": "queued", "disconnected": "lost"}


def in_order(cards: Sequence[RunCard], now: float) -> list[RunCard]:
    """What needs a person first, and of these who has waited longest; of the others those that began first."""

    def rank(card: RunCard) -> tuple[int, float, str]:
        place = card.place(now)
        return place, card.since if place is Place.NEEDS_YOU else card.began, card.key

    return sorted(cards, key=rank)


def card_of(run: RunModel, tags: tuple[str, ...] = ()) -> RunCard:
    """The card of a run that this application follows, or serves itself."""
    store = run.store
    figures, todos = store.figures, store.todos.items
    usage = figures.usage
    is_estimate = figures.is_estimate or figures.has_live_cost
    tracked = store.snapshot if not store.untracked else None
    return RunCard(
        run.run_id,
        run.machine,
        one_line(run.agent),
        store.name,
        store.first_prompt or fork_words(store.forked_from, store.forked_turn),
        store.phase,
        _about(store)[:LONGEST],
        _since(store),
        store.heard_at,
        _until(store),
        _last_line(store),
        sum(todo.state == "completed" for todo in todos),
        len(todos),
        tracked.files if tracked is not None else len(store.calls.files),
        tracked.added if tracked is not None else None,
        tracked.deleted if tracked is not None else None,
        usage.total,
        usage.cost_usd,
        "≥" if figures.has_unpriced else "~" if is_estimate else "",
        figures.settled.duration_ms / 1000,
        figures.turn_began,
        store.began_at,
        tags,
        is_followed=True,
        behind=tuple(task._replace(about=task.about[:LONGEST]) for task in behind_of(store) if store.phase in AT_REST),
    )


def _since(store: RunStore) -> float:
    question = next(iter(store.questions.values()), None)
    return question.at if question is not None else store.phase_since


def _about(store: RunStore) -> str:
    folder = store.loaded.cwd if store.loaded is not None else ""
    if store.phase == "asking" and store.questions:
        first, *more = store.questions.values()
        others = f"  and {len(more)} more" if more else ""
        return call_words(first.tool, first.arguments, folder) + others
    if store.phase == "tool" and store.running:
        calls = list(store.running.values())
        call = next((one for one in calls if one.state == "running"), calls[0])
        others = f"  and {len(calls) - 1} more" if len(calls) > 1 else ""
        return call_words(call.name, call.arguments, folder) + others
    if store.phase == "calling" and store.streaming is not None:
        return describe(getattr(store.streaming, "name", ""))
    if store.phase == "retrying" and store.retry is not None:
        return retry_words(store.retry.attempt, store.retry.limit, store.retry.reason)
    if store.phase in ("failed", "disconnected") and store.failure is not None:
        return failure_words(store.failure)
    commands = [str(entry.arguments.get("command", "")) for entry in store.shells.values()]
    return commands_words(commands) if store.phase in DOES_NOTHING else ""


def call_words(tool: str, arguments: Mapping[str, Any], folder: str) -> str:
    """A call in one line: which tool, and what with; of a question to the person what is asked."""
    if tool == "AskUserQuestion" and (parts := parts_of(arguments)) and parts[0].question.strip():
        return one_line(parts[0].question)
    return one_line(f"{describe(tool)}  {key_argument(tool, arguments, folder)}".rstrip())


def commands_words(commands: Sequence[str]) -> str:
    """What the person runs beside an agent that does nothing; empty for nothing."""
    more = f", and {len(commands) - 1} more" if len(commands) > 1 else ""
    return f"!{one_line(commands[0])}{more}" if commands else ""


def retry_words(attempt: int, limit: int, reason: str) -> str:
    """Which attempt it is, and why there is another."""
    return one_line(f"{attempt} of {limit}  {reason}".rstrip())


def failure_words(failure: Failure) -> str:
    """Why it has failed: what that is called, and what was said of it."""
    return one_line(f"{title(failure)}: {failure.message}")


def _until(store: RunStore) -> float | None:
    if store.planned is not None:
        return store.planned.due
    if store.limit is not None and store.limit.status == "rejected":
        return store.limit.resets_at
    return store.failure.retry_at if store.failure is not None else None


def _last_line(store: RunStore) -> str:
    texts = (entry for entry in reversed(store.entries[-_LOOK_BACK:]) if isinstance(entry, TextEntry))
    said = (last_spoken(entry.parts) for entry in texts if entry.kind == "text" and not entry.parent)
    return next(filter(None, said), "")
