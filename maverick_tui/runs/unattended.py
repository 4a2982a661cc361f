"""Unattended: one agent, one prompt and nobody to ask. It is a run like any other, within limits."""

from __future__ import annotations

import asyncio
import copy
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from maverick_tui.runs.commands import CloseRun, SendPrompt
from maverick_tui.runs.fuses import Ledger
from maverick_tui.runs.holding import Holding, RunLimits
from maverick_tui.runs.loading import RunPlan
from maverick_tui.runs.local import LocalRun
from maverick_tui.runs.log import EventLog
from maverick_tui.runs.outcome import Cut, RunOutcome
from maverick_tui.runs.past import Past
from maverick_tui.runs.placing import Wish

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult
    from maverick_tui.config import MaverickConfig

Number = TypeVar("Number", int, float)


class Unattended(RunOutcome):
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
        past: Past | None = None,
        size: int | None = None,
        waits_for_limit: bool = False,
        fuse: Mapping[str, float] | None = None,
        ledger: Ledger | None = None,
        wish: Wish | None = None,
    ) -> None:
        """A run with a `past` goes on from there; `size` bytes of its journal are whole. Limits hold from there on.

        `waits_for_limit` says whether it goes on by itself when a limit of the account resets, and `wish` whether it
        works in a worktree of its own. `fuse` is what it may use instead of what its agent and the settings say, and
        `ledger` knows what others have used today.
        """
        self.run_id = run_id
        self.since = len(past.events) if past is not None else 0
        """The number of the first event that is of this time."""
        self._limits = limits or RunLimits()
        super().__init__(Holding(self._limits, lambda why: self.stop("limit", why)))
        self._prompt = prompt
        self._returned: tuple[int, str] | None = None
        """What the agent's own code has returned, and the number of the event that came next."""
        plan = RunPlan(lambda: self._heard(agent), cwd, config, dict(agent.input_values), wish=wish or Wish(run_id))

        async def prepare() -> RunPlan:
            return plan

        self._run = LocalRun(
            prepare, run_id=run_id, name=agent.name, is_attended=False, past=past, continues=waits_for_limit
        )
        self._run.fuses.given, self._run.fuses.ledger = fuse or {}, ledger
        self._run.fuses.on_blown = lambda why, _scope: self.stop("limit", why)
        if journal is not None:
            self._run.keep(journal, size)

    @property
    def events(self) -> EventLog:
        """What the run tells."""
        return self._run.events

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
        self._run.send(SendPrompt(uuid.uuid4().hex, self._prompt))
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
        reader = self.events.reader(self.since)
        while await self.events.wait(reader.number):
            first = reader.number
            for number, event in enumerate(reader.take(), first):
                if self._returned is not None and number >= self._returned[0]:
                    self.answer.returned(self._returned[1])
                    self._returned = None
                self.take(event)


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
