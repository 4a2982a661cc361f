"""Unattended: one agent, one prompt and nobody to ask. It is a run like any other, within limits."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from maverick_tui.events import kinds as ev
from maverick_tui.runs.answer import Answer
from maverick_tui.runs.commands import CloseRun, SendPrompt
from maverick_tui.runs.figures import Figures, dollars
from maverick_tui.runs.loading import RunPlan
from maverick_tui.runs.local import LocalRun
from maverick_tui.runs.log import EventLog

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult
    from maverick_tui.config import MaverickConfig
    from maverick_tui.usage import Usage

Number = TypeVar("Number", int, float)
Cut = Literal["", "timeout", "limit", "interrupted"]
"""What has ended a run before its time."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """What a whole run may take at most, whatever its agent makes of it; None is no limit."""

    turns: int | None = None
    """How often the model may be asked."""
    cost_usd: float | None = None
    seconds: float | None = None


class Unattended:
    """A run of an agent that is made already. `serve` is the run; what came of it is here afterwards."""

    def __init__(
        self,
        agent: MaverickAgent,
        prompt: str,
        cwd: Path,
        config: MaverickConfig,
        *,
        run_id: str,
        limits: RunLimits | None = None,
        journal: Path | None = None,
    ) -> None:
        self.run_id = run_id
        self.answer = Answer()
        self.figures = Figures()
        self.cut: Cut = ""
        self.why = ""
        """Why it was cut."""
        self.failure: ev.Failure | None = None
        self.unanswered: list[ev.PermissionAsked] = []
        """Calls that were refused for want of somebody to ask."""
        self.session = ""
        """By what the engine knows the conversation."""
        self.seconds = 0.0
        """How long all of it took."""
        self._limits = limits or RunLimits()
        self._prompt = prompt
        self._began = 0.0
        self._returned: tuple[int, str] | None = None
        """What the agent's own code has returned, and the number of the event that came next."""
        self._outcome: ev.Outcome | None = None
        plan = RunPlan(lambda: self._heard(agent), cwd, config, dict(agent.input_values))

        async def prepare() -> RunPlan:
            return plan

        self._run = LocalRun(prepare, run_id=run_id, name=agent.name, is_attended=False)
        if journal is not None:
            self._run.keep(journal)

    @property
    def events(self) -> EventLog:
        """What the run tells."""
        return self._run.events

    @property
    def result(self) -> str:
        """The answer, or as much of it as there is."""
        is_whole = self.failure is None and not self.cut
        return self.answer.text if is_whole else self.answer.last_words

    @property
    def usage(self) -> Usage:
        """What it has used."""
        return self.figures.usage

    def _heard(self, agent: MaverickAgent) -> MaverickAgent:
        """The agent; what its own code returns is heard."""
        heard = copy.copy(agent)
        execute = heard.execute

        async def executed(context: AgentContext) -> AgentResult:
            result = await execute(context)
            self._returned = len(self.events), getattr(result, "output", "")
            return result

        heard.execute = executed  # type: ignore[method-assign]
        return heard

    # -- the run ------------------------------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Be the run. Cancelled, it ends in good order as well."""
        self._run.send(SendPrompt("prompt-1", self._prompt))
        watching = asyncio.create_task(self._watch(), name="maverick-limits")
        running = self._run.start()
        async with self._deadline():
            try:
                await asyncio.wait({running})
            except asyncio.CancelledError:
                running.cancel()
                raise
            finally:
                await asyncio.wait({running, watching})
        for task in (running, watching):
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    def stop(self, cut: Cut, why: str) -> None:
        """End it before its time; the first reason is the one that counts."""
        if not self.cut and not self.events.is_closed:
            self.cut, self.why = cut, why
            self._run.stop(cut, why)

    def close(self) -> None:
        """End it, for nobody wants to know what comes of it."""
        self._run.send(CloseRun())

    @asynccontextmanager
    async def _deadline(self) -> AsyncIterator[None]:
        seconds = self._limits.seconds
        if seconds is None:
            yield
            return
        why = f"It has taken the {seconds:g} s that it was given."
        timer = asyncio.get_running_loop().call_later(seconds, self.stop, "timeout", why)
        try:
            yield
        finally:
            timer.cancel()

    async def _watch(self) -> None:
        reader = self.events.reader()
        while await self.events.wait(reader.number):
            first = reader.number
            for number, event in enumerate(reader.take(), first):
                if self._returned is not None and number >= self._returned[0]:
                    self.answer.returned(self._returned[1])
                    self._returned = None
                self._take(event)

    # -- what comes of it ---------------------------------------------------------------------------------------------

    def _take(self, event: ev.Event) -> None:
        self.answer.take(event)
        match event:
            case ev.RunStarted():
                self._began = event.at
            case ev.TurnStarted():
                self._outcome = None
                # What the engine goes on with by itself does not make good what has failed before.
                self.failure = self.failure if event.origin == "background" else None
                self.figures.turn_started(event.at)
            case ev.UsageReported():
                self.figures.reported(event)
                self._hold_to_cost()
            case ev.RequestStarted():
                self._hold_to_turns()
            case ev.TurnEnded():
                self._outcome = event.outcome
                self.failure = event.failure or self.failure
                self.figures.turn_ended(event)
                self._hold_to_cost()
            case ev.ConnectFailed():
                self.failure = event.failure
            case ev.ModelNamed():
                self.session = event.session_id or self.session
            case ev.PermissionAsked():
                self.unanswered.append(event)
            case ev.RunEnded():
                self._end(event)

    def _end(self, event: ev.RunEnded) -> None:
        self.figures.run_ended(event.at)
        self.seconds = event.at - self._began
        if event.reason not in ("closed", "cancelled") and self.failure is None:
            self.failure = ev.Failure("RunError", "agent", f"The run has failed unexpectedly: {event.reason}.")
        elif not self.cut and self.failure is None and self._outcome != "done":
            self.cut, self.why = "interrupted", "It was interrupted."

    def _hold_to_cost(self) -> None:
        most, cost = self._limits.cost_usd, self.usage.cost_usd
        if most is not None and cost is not None and cost > most:
            self.stop("limit", f"It has cost {dollars(cost)}, and it was given {dollars(most)}.")

    def _hold_to_turns(self) -> None:
        """An agent that asks several times has the limit once, for all of it."""
        is_open = self.figures.turn_began is not None
        asked = self.figures.steps + (self.figures.turn_steps if is_open else 0)
        if self._limits.turns is not None and asked >= self._limits.turns:
            self.stop("limit", f"It has asked the model {asked} times, as often as it was allowed to.")


def limited(agent: MaverickAgent, config: MaverickConfig, limits: RunLimits, allowed: Sequence[str]) -> MaverickAgent:
    """The agent with rules for this run beside its own, and limits that its engine keeps, too: the narrower count."""
    made = copy.copy(agent)
    made.__dict__.pop("options", None)  # they are made of what is changed here
    if allowed:
        made.allowed_tools = [*agent.allowed_tools, *allowed]
        made._validate_engine()
    own = dict(agent.limits)
    made.max_turns = _narrower(limits.turns, own.pop("max_turns", None) or agent.max_turns or config.max_turns)
    cost = own.pop("max_cost_usd", None) or agent.max_budget_usd or config.max_budget_usd
    made.max_budget_usd = _narrower(limits.cost_usd, cost)
    made.limits = own
    return made


def _narrower(wanted: Number | None, own: Number | None) -> Number | None:
    return min(wanted, own) if wanted is not None and own is not None else wanted if own is None else own
