"""LiveState: what a list of runs says of one that is alive, made of its events without keeping them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.host.doing import Doing
from maverick_tui.masking.redact import beginning
from maverick_tui.runs.admission import TURN_COMES, WAITS_FOR_TURN
from maverick_tui.runs.digest import Tally
from maverick_tui.runs.figures import Figures
from maverick_tui.runs.own_questions import asked_by

Phase = Literal[
    "starting", "queued", "connecting", "ready", "working", "asks", "waits", "done", "failed", "interrupted", "ended"
]  # fmt: skip
NEEDS_PERSON: tuple[Phase, ...] = ("asks", "failed")
LONGEST_PROMPT = 500
"""Characters of what a run was asked first."""
AT_REST: tuple[Phase, ...] = ("ready", "done", "failed", "interrupted", "ended")


@dataclass(slots=True)
class LiveState:
    """Takes the events of one run, in their order."""

    agent: str = ""
    folder: str = ""
    project: str = ""
    """Where it was started, if it works in a worktree of its own."""
    model: str = ""
    name: str = ""
    first_prompt: str = ""
    forked_from: str = ""
    """The run that it is a fork of."""
    forked_turn: int = 0
    turns: int = 0
    last_at: float = 0.0
    queued_at: float | None = None
    """Since when it waits for its turn."""
    silent_since: float | None = None
    """Since when nothing has come from its model, where that is worth telling."""
    _rest: Phase = "starting"
    _is_working: bool = False
    _asked: dict[str, str] = field(default_factory=dict)
    _queued: set[str] = field(default_factory=set)
    _is_planned: bool = False
    _is_in_line: bool = False
    _is_cut_off: bool = False
    """Whether there is no way to the model, until somebody asks for one."""
    _is_inheriting: bool = False
    """Whether what is told is another run's, of which this is a fork."""
    _figures: Figures = field(default_factory=Figures)
    _away: Tally = field(default_factory=Tally)
    _doing: Doing = field(default_factory=Doing)

    @property
    def phase(self) -> Phase:
        """What it is about now; a question counts before all else."""
        if self._asked:
            return "asks"
        if self._is_working:
            return "working"
        if self._is_in_line:
            return "queued"
        return "waits" if self._is_planned and self._rest != "ended" else self._rest

    @property
    def is_settled(self) -> bool:
        """Whether it does nothing more unless somebody comes: nothing is asked, running or queued, but for what waits
        for a connection that has failed.
        """
        is_queued = bool(self._queued) and not self._is_cut_off
        return self.phase in AT_REST and not is_queued and self._rest != "ready"

    def leave(self, at: float) -> None:
        """Nobody looks any more: what comes from now on is told to whoever comes back."""
        self._away.begin(at, self._figures.usage)

    def take(self, event: Event) -> None:
        """The next event."""
        self.last_at = event.at
        self.silent_since = event.since if isinstance(event, ev.Stalled) else None
        if isinstance(event, ev.BlockGrew):  # most events are, and say little here
            self._doing.grew(event)
            return
        self._away.take(event)
        self._doing.take(event)
        match event:
            case ev.RunStarted():
                self.agent, self.forked_from, self.forked_turn = event.agent, event.forked_from, event.forked_turn
                self._is_inheriting = bool(event.forked_from)
            case ev.RunForked():
                self._is_inheriting, self._rest = False, "starting"
            case ev.RunNamed():
                self.name = event.name
            case ev.AgentLoaded():
                self.agent, self.folder, self.model = event.agent, event.cwd, event.model
                self.project = event.project
            case ev.ModelNamed():
                self.model = event.model
            case ev.Connecting():
                self._is_cut_off = False
                self._rest = "connecting" if self._rest in ("starting", "failed") else self._rest
            case ev.Connected():
                self._rest = "ready" if self._rest in ("starting", "connecting") else self._rest
            case ev.ConnectFailed():
                self._rest, self._is_cut_off = "failed", True
            case ev.PromptQueued():
                self._queued.add(event.prompt_id)  # a run that waits for its turn was asked this all the same
                self._asked_first(event.text)
            case ev.PromptDropped():
                self._queued.discard(event.prompt_id)
            case ev.PromptsHeld():
                self._queued.difference_update(event.prompt_ids)
            case ev.QueueChanged():
                self._queued = {*event.prompt_ids} - {*event.held}
            case ev.TurnStarted():
                self._queued.discard(event.prompt_id)
                self.turns, self._is_working = event.turn, True
                self._asked_first(event.text)
                if not self._is_inheriting:
                    self._figures.turn_started(event.at)
            case ev.UsageReported():
                self._figures.reported(event)
            case ev.TurnEnded():
                self._is_working, self._rest = False, event.outcome
                if not self._is_inheriting:
                    self._figures.turn_ended(event)
            case ev.PermissionAsked():
                self._asked[event.request] = asked_by(event.call, event.tool)
            case ev.PermissionSettled():
                self._asked.pop(event.request, None)
            case ev.ContinuePlanned():
                self._is_planned = True
            case ev.ContinueCalledOff() | ev.ContinueDue():
                self._is_planned = False
            case ev.Noticed() if event.kind in (WAITS_FOR_TURN, TURN_COMES):
                was_in_line, self._is_in_line = self._is_in_line, event.kind == WAITS_FOR_TURN
                self.queued_at = self.queued_at if was_in_line else event.at  # it is told again as others go
            case ev.RunReopened():
                self._rest, self._is_in_line = "starting", False
            case ev.RunEnded():
                self._is_working, self._is_in_line, self._rest = False, False, "ended"
                self._figures.run_ended(event.at)

    def _asked_first(self, text: str) -> None:
        if not self._is_inheriting:
            self.first_prompt = self.first_prompt or beginning(text, LONGEST_PROMPT)

    def to_json(self) -> dict[str, Any]:
        """As a host tells it."""
        figures, phase = self._figures, self.phase
        away = self._away.digest(figures.usage)
        is_estimate = figures.is_estimate or figures.has_live_cost
        return {
            "phase": phase,
            "is_settled": self.is_settled,
            "asks": list(self._asked.values()),
            "agent": self.agent,
            "folder": self.folder,
            "project": self.project,
            "model": self.model,
            "name": self.name,
            "first_prompt": self.first_prompt,
            "forked_from": self.forked_from,
            "forked_turn": self.forked_turn,
            "turns": self.turns,
            "tokens": figures.usage.total,
            "cost_usd": figures.usage.cost_usd,
            "cost_sign": "≥" if figures.has_unpriced else "~" if is_estimate else "",
            "turns_took": figures.settled.duration_ms / 1000,
            "turn_began": figures.turn_began,
            "last_at": self.last_at,
            "queued_at": self.queued_at if phase == "queued" else None,
            "silent_since": self.silent_since,
            **self._doing.to_json(phase),
            "away": away.to_json() if away is not None else None,
        }
