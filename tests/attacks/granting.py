"""A run whose person allows some calls for the rest of it, and refuses everything after that."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import pytest

from maverick_tui.events.kinds import Event, PermissionAsked, ToolFinished, TurnEnded
from maverick_tui.runs.commands import AnswerPermission, CloseRun, SendPrompt
from maverick_tui.runs.loading import RunPlan
from maverick_tui.runs.local import LocalRun
from tests.attacks.driving import EVERYTHING, Call, Report, Serve, Watch, agent, answers_of
from tests.attacks.sandbox import Sandbox, changes
from tests.support.model import as_script, say, scene

PATIENCE = 120.0


class Person:
    """Answers every question at once, in one way until told otherwise."""

    def __init__(self, sandbox: Sandbox, mode: str, allowed_tools: Sequence[str]) -> None:
        async def prepare() -> RunPlan:
            return RunPlan(lambda: agent(allowed_tools, mode), sandbox.project)

        self.run = LocalRun(prepare, run_id="attacked")
        self.decision: Literal["run", "deny"] = "run"
        self.watch = Watch(())
        self.turn: asyncio.Queue[TurnEnded] = asyncio.Queue()

    async def follow(self) -> None:
        """Take every event of the run."""
        async for event in self.run.events.reader():
            self._take(event)

    def _take(self, event: Event) -> None:
        if isinstance(event, PermissionAsked):
            self.watch.note_question(event.call, event.arguments)
            # As much as is offered short of the whole tool.
            most = len(event.grants) - (2 if event.tool == "Bash" else 1)
            self.run.send(AnswerPermission(event.request, self.decision, grant=max(most, 0)))
        elif isinstance(event, ToolFinished):
            self.watch.note_result(event.call, event.output, is_error=event.is_error)
        elif isinstance(event, TurnEnded):
            self.turn.put_nowait(event)

    async def hear(self, prompt: str, calls: Sequence[Call], decision: Literal["run", "deny"]) -> Watch:
        """Ask the model, and answer what is asked meanwhile."""
        self.decision, self.watch = decision, Watch(calls)
        self.run.send(SendPrompt(prompt, prompt))
        try:
            ended = await asyncio.wait_for(self.turn.get(), PATIENCE)
        except TimeoutError:
            came = "\n".join(f"  {outcome}" for outcome in self.watch.outcomes.values())
            pytest.fail(f"The turn has not ended in {PATIENCE:.0f} s. What came of its calls:\n{came}")
        assert ended.outcome == "done", ended
        return self.watch


async def granted(
    sandbox: Sandbox,
    serve: Serve,
    grants: Sequence[Call],
    tricks: Sequence[Call],
    mode: str = "acceptEdits",
    allowed_tools: Sequence[str] = EVERYTHING,
) -> tuple[Report, Report]:
    """What came of the calls that were allowed for the run, and of those that were refused afterwards."""
    script = as_script(
        [
            scene(*answers_of(grants, at_once=1), say("allowed"), turn=1),
            scene(*answers_of(tricks), say("done"), turn=2),
        ]
    )
    async with serve(script):
        person = Person(sandbox, mode, allowed_tools)
        task, following = person.run.start(), asyncio.create_task(person.follow())
        try:
            before = sandbox.state()
            allowed = await person.hear("first", grants, "run")
            between = sandbox.state()
            refused = await person.hear("second", tricks, "deny")
            during = changes(between, sandbox.state())
        finally:
            person.run.send(CloseRun())
            await asyncio.wait({task, following}, timeout=PATIENCE)
    after = sorted({*during, *changes(between, sandbox.state())})
    return (
        Report(allowed.outcomes, changes(before, between), sandbox.root),
        Report(refused.outcomes, after, sandbox.root),
    )
