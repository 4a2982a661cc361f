"""What a run has told before it goes on, and how it ends where its process is gone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.usage import Usage

GONE = "its process was gone"


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

    @property
    def conversation(self) -> list[Event]:
        """What the model knows of: all since the last time that a new conversation began."""
        cleared = (
            at for at, event in enumerate(self.events) if isinstance(event, ev.Noticed) and event.kind == "cleared"
        )
        return self.events[max(cleared, default=0) :]


class _Reader:
    """Goes through the events of a run, and remembers what is open."""

    def __init__(self) -> None:
        self.turn: ev.TurnStarted | None = None
        self.turns = self.blocks = 0
        self.loaded: ev.AgentLoaded | None = None
        self.mode = ""
        self.reported: dict[str, Usage] = {}
        self.questions: dict[str, ev.PermissionAsked] = {}
        self.waiting: dict[str, ev.PromptQueued] = {}
        self.has_jobs = False

    def read(self, event: Event) -> None:
        """Take the next one."""
        match event:
            case ev.TurnStarted():
                self.turn, self.turns, self.reported = event, event.turn, {}
                self.waiting.pop(event.prompt_id, None)
            case ev.TurnEnded():
                self.turn = None
            case ev.BlockStarted():
                self.blocks = max(self.blocks, event.block)
            case ev.UsageReported():
                self.reported[event.message] = event.usage
            case ev.AgentLoaded():
                self.loaded, self.mode = event, self.mode or event.permission_mode
            case ev.ModeChanged():
                self.mode = event.mode
            case ev.PermissionAsked():
                self.questions[event.request] = event
            case ev.PermissionSettled():
                self.questions.pop(event.request, None)
            case ev.PromptQueued():
                self.waiting[event.prompt_id] = event
            case ev.PromptDropped():
                self.waiting.pop(event.prompt_id, None)
            case ev.JobsScheduled():
                self.has_jobs = bool(event.jobs)

    def ending(self, at: float) -> list[Event]:
        """What would have been told if the run had ended in good order."""
        found: list[Event] = [
            ev.PermissionSettled(at, asked.request, asked.call, "withdrawn") for asked in self.questions.values()
        ]
        if self.has_jobs:
            found.append(ev.JobsScheduled(at))
        if self.turn is not None:
            lasted = max(0, round((at - self.turn.at) * 1000))
            used = sum(self.reported.values(), Usage(duration_ms=lasted))
            found.append(
                ev.TurnEnded(at, self.turn.turn, "interrupted", used, steps=len(self.reported), is_estimate=True)
            )
        found += (ev.PromptDropped(at, prompt_id) for prompt_id in self.waiting)
        return [*found, ev.RunEnded(at, GONE)]


def past_of(events: Sequence[Event]) -> Past:
    """The run that these events tell of, with an end if it has none."""
    reader, told = _Reader(), [*events]
    for event in told:
        reader.read(event)
    waiting = tuple(reader.waiting.values())
    ending = [] if isinstance(told[-1], ev.RunEnded) else reader.ending(told[-1].at)
    return Past([*told, *ending], len(told), reader.turns, reader.blocks, reader.loaded, reader.mode, waiting)
