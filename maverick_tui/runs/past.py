"""What a run has told before it goes on, and how it ends where its process is gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from maverick_tui.agent.engine.prices import list_price
from maverick_tui.agent.fields import CLAUDE_CODE
from maverick_tui.agent.tools import SCHEDULING_TOOLS
from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.runs.store import GONE
from maverick_tui.runs.unreported import PriceOf, Unreported
from maverick_tui.usage import Usage

CLOSED = "closed"
"""Why a plan to go on was called off by the end of its run: it was not that anybody wanted something else."""


class Past(NamedTuple):
    """Everything that a run has told, to its end."""

    events: list[Event]
    kept: int = 0
    """How many of them its journal has: the others are its end, which nobody was there to tell."""
    turns: int = 0
    blocks: int = 0
    """The highest number of a block."""
    loaded: ev.AgentLoaded | None = None
    mode: str = ""
    waiting: tuple[ev.PromptQueued, ...] = ()
    """Prompts that were never sent."""
    planned: ev.ContinuePlanned | None = None
    """A plan to go on that only the end of the run has called off."""
    model: str = ""
    """The model that answered last, where a person has chosen it."""
    is_fork: bool = False
    """Whether it is another run's, and the one that goes on from it begins here."""
    granted: tuple[str, ...] = ()
    """Rules that the person gives it on top, for this time."""
    limited: frozenset[str] = frozenset()
    """What the person has set another limit for, this time: `turns`, `cost`."""

    @property
    def conversation(self) -> list[Event]:
        """What the model knows of."""
        return conversation_of(self.events)

    @property
    def calls(self) -> set[str]:
        """The ids that its calls have had."""
        return {event.call for event in self.events if isinstance(event, ev.ToolCalled)}

    @property
    def answers(self) -> set[str]:
        """The ids that its answers have had."""
        return {event.message for event in self.events if isinstance(event, ev.UsageReported)}

    @property
    def had_jobs(self) -> bool:
        """Whether something may be scheduled in the conversation: a session of Claude Code does not tell, and a fork
        has the calls alone, which make jobs anew wherever the CLI goes on from them.
        """
        told = self.conversation
        if self.is_fork and self.loaded is not None and self.loaded.agent == CLAUDE_CODE:
            return True
        done = {event.call for event in told if isinstance(event, ev.ToolFinished) and not event.is_error}
        return any(
            (isinstance(event, ev.AgentLoaded) and event.agent == CLAUDE_CODE)
            or (isinstance(event, ev.JobsScheduled) and bool(event.jobs))
            or (isinstance(event, ev.ToolCalled) and event.name in SCHEDULING_TOOLS and event.call in done)
            for event in told
        )


def conversation_of(events: Sequence[Event]) -> list[Event]:
    """What the model knows of: all since the last time that a new conversation began."""
    cleared = (at for at, event in enumerate(events) if isinstance(event, ev.Noticed) and event.kind == "cleared")
    return list(events[max(cleared, default=0) :])


class _Reader:
    """Goes through the events of a run, and remembers what is open."""

    def __init__(self, price: PriceOf = list_price) -> None:
        self.turn: ev.TurnStarted | None = None
        self.turns = self.blocks = 0
        self.loaded: ev.AgentLoaded | None = None
        self.mode = ""
        self.is_mode_chosen = False
        self.models: list[str] = []
        """Those that answered; the first is the agent's own, unless a fork had one chosen for it."""
        self.forked_to = ""
        """The model that was chosen for a fork."""
        self.reported: dict[str, Usage] = {}
        self.unreported = Unreported(price)
        self.questions: dict[str, ev.PermissionAsked] = {}
        self.waiting: dict[str, ev.PromptQueued] = {}
        self.dropped: dict[str, ev.PromptQueued] = {}
        """Those that were dropped last; with the end of the run they were never sent."""
        self.has_jobs = False
        self.planned: ev.ContinuePlanned | None = None
        self.is_planned = False
        """Whether the plan is still open."""

    def read(self, event: Event) -> None:
        """Take the next one."""
        self.unreported.take(event)
        if isinstance(event, ev.RunEnded):
            self.waiting |= self.dropped
        elif not isinstance(event, ev.PromptDropped):
            self.dropped = {}
        match event:
            case ev.TurnStarted():
                self.turn, self.turns, self.reported = event, event.turn, {}
                self.unreported.begin_turn()
                self.planned = self.planned if self.is_planned else None
                self.waiting.pop(event.prompt_id, None)
            case ev.TurnEnded():
                self.turn = None
            case ev.BlockStarted():
                self.blocks = max(self.blocks, event.block)
            case ev.UsageReported():
                self.reported[event.message] = event.usage
            case ev.AgentLoaded():
                self.loaded = event
                self.mode = self.mode if self.is_mode_chosen else event.permission_mode or self.mode
            case ev.RunForked():
                self.forked_to, self.is_mode_chosen = event.model, False
            case ev.RunReopened():
                self.is_mode_chosen = False
            case ev.ModelNamed():
                self.models.append(event.model)
            case ev.ModeChanged():
                self.mode, self.is_mode_chosen = event.mode, True
            case ev.PermissionAsked():
                self.questions[event.request] = event
            case ev.PermissionSettled():
                self.questions.pop(event.request, None)
            case ev.PromptQueued():
                self.waiting[event.prompt_id] = event
            case ev.QueueChanged():
                ordered = {one: self.waiting[one] for one in event.prompt_ids if one in self.waiting}
                self.waiting = ordered | self.waiting
            case ev.PromptDropped() if event.prompt_id in self.waiting:
                self.dropped[event.prompt_id] = self.waiting.pop(event.prompt_id)
            case ev.JobsScheduled():
                self.has_jobs = bool(event.jobs)
            case ev.ContinuePlanned():
                self.planned, self.is_planned = event, True
            case ev.ContinueCalledOff(why=why):
                self.planned, self.is_planned = self.planned if why == CLOSED else None, False
            case ev.ContinueDue():
                self.planned, self.is_planned = None, False

    @property
    def model(self) -> str:
        """The one that a person has chosen instead of the agent's own; of Claude Code, any that it had."""
        is_any = self.loaded is not None and self.loaded.agent == CLAUDE_CODE
        is_other = bool(self.models) and (is_any or self.models[-1] != self.models[0])
        return self.models[-1] if is_other else self.forked_to

    def ending(self, at: float, why: str) -> list[Event]:
        """What would have been told if the run had ended in good order."""
        found: list[Event] = [
            ev.PermissionSettled(at, asked.request, asked.call, "withdrawn") for asked in self.questions.values()
        ]
        if self.has_jobs:
            found.append(ev.JobsScheduled(at))
        if self.is_planned:
            found.append(ev.ContinueCalledOff(at, CLOSED))
        if self.turn is not None:
            found += self._turn_ending(self.turn, at)
        found += (ev.PromptDropped(at, prompt_id) for prompt_id in self.waiting)
        return [*found, ev.RunEnded(at, why)]

    def _turn_ending(self, turn: ev.TurnStarted, at: float) -> list[Event]:
        """The end of the open turn, with what it has written and could not report any more."""
        lasted = max(0, round((at - turn.at) * 1000))
        told = sum(self.reported.values(), Usage(duration_ms=lasted))
        reports, guess = self.unreported.end_turn("interrupted", told)
        used = told + guess
        end = ev.TurnEnded(
            at,
            turn.turn,
            "interrupted",
            used,
            steps=len(self.reported),
            is_estimate=bool(used.cost_usd),
            uncounted=guess,
        )
        return [*(replace(report, at=at) for report in reports), end]


def read_past(events: Sequence[Event]) -> Past:
    """What these events tell, whether or not they have an end."""
    reader = _Reader()
    for event in events:
        reader.read(event)
    return Past([*events], 0, reader.turns, reader.blocks, reader.loaded, reader.mode, model=reader.model)


def past_of(events: Sequence[Event], why: str = GONE, price: PriceOf = list_price) -> Past:
    """The run that these events tell of, with an end if it has none; `why` is the reason that it has then.

    `price` says what an answer has cost that the end has cut: by itself, it may have to read the tables of prices.
    """
    reader, told = _Reader(price), [*events]
    for event in told:
        reader.read(event)
    waiting = tuple(reader.waiting.values())
    ending = [] if isinstance(told[-1], ev.RunEnded) else reader.ending(told[-1].at, why)
    state = reader.turns, reader.blocks, reader.loaded, reader.mode, waiting
    return Past([*told, *ending], len(told), *state, planned=reader.planned, model=reader.model)
