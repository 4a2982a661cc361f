"""Runs that nobody attends, on the real engines: what they wait for, and what they are refused and allowed."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import InvalidToolError, MaverickConfig
from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.engine.judging import NOBODY
from maverick_tui.events import kinds as ev
from maverick_tui.runs.failure_words import end_of
from maverick_tui.runs.holding import RunLimits
from maverick_tui.runs.unattended import Unattended, limited
from tests.agent.engine.claude.test_session import Delegator, with_a_background_task
from tests.conftest import ServeModel
from tests.runs.grammar import check_well_formed
from tests.support.agents import Direct, Talker
from tests.support.model import bash, call, say, stall
from tests.support.sampling import sampled


class Lister(Talker):
    """May list files, and nothing else."""

    allowed_tools = ("Bash(ls:*)",)


class ApiReader(Talker):
    """Reads without a CLI."""

    engine = "api"
    allowed_tools = ("Read",)


async def served(
    agent: MaverickAgent, prompt: str = "go", *, limits: RunLimits | None = None, allowed: Sequence[str] = ()
) -> Unattended:
    """A run that has ended, of which all that it told is well-formed."""
    config, limits = MaverickConfig.load(), limits or RunLimits()
    made = limited(agent, config, limits, allowed)
    run = Unattended(made, prompt, Path.cwd(), config, run_id="r1", limits=limits)
    await run.serve()
    check_well_formed(run.events.since(0))
    return run


@pytest.mark.explore  # so it does in `test_session.py`
async def test_it_waits_for_what_goes_on_in_the_background(serve: ServeModel) -> None:
    async with serve(with_a_background_task()):
        run = await served(Delegator(), "start")
    assert run.answer.text.endswith("BACKGROUND ANSWER")
    assert run.usage.input_tokens == 10 + 10 + 1000 + 10
    assert (run.failure, run.cut) == (None, "")


async def test_what_nobody_may_allow_is_refused_and_a_rule_for_this_run_does_not_reach_what_is_always_asked(
    serve: ServeModel,
) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    agent = Lister()
    hook = ".git/hooks/pre-commit"
    calls = [bash("mkdir other"), bash("ls"), bash("touch made"), bash(f"touch {hook}")]
    async with serve([*calls, say("I could not.")]):
        run = await served(agent, allowed=["Bash(touch:*)"])
    assert not Path("other").exists()
    assert Path("made").exists()
    assert not Path(hook).exists()
    assert [question.arguments["command"] for question in run.unanswered] == ["mkdir other", f"touch {hook}"]
    settled = [event for event in run.events.since(0) if isinstance(event, ev.PermissionSettled)]
    assert [(event.call, event.decision, event.reason) for event in settled] == [
        (question.call, "deny", NOBODY) for question in run.unanswered
    ]
    assert run.answer.text == "I could not."
    assert run.failure is None
    assert list(agent.allowed_tools) == ["Bash(ls:*)"], "it is for that run alone"


def test_a_rule_that_no_tool_has_is_refused() -> None:
    with pytest.raises(InvalidToolError, match="Bahs"):
        limited(Lister(), MaverickConfig.load(), RunLimits(), ["Bahs(make:*)"])


async def test_the_other_engine_tells_the_same(serve: ServeModel) -> None:
    async with serve([call("Read", file_path="id_rsa"), say("I could not.")]):
        run = await served(ApiReader())
    assert [question.tool for question in run.unanswered] == ["Read"]
    assert run.answer.text == "I could not."


# What the CLI does at its limit is in its table of failures.
@pytest.mark.parametrize("agent", sampled([ApiReader, Lister], 2))
async def test_limits_are_kept_by_both_engines(agent: type[Talker], serve: ServeModel) -> None:
    again = bash("ls") if agent is Lister else call("Read", file_path="a")
    Path("a").write_text("x")
    async with serve([again] * 9):
        run = await served(agent(), limits=RunLimits(turns=2))
    assert run.figures.steps == 2
    assert run.cut == "limit" or (run.failure is not None and end_of(run.failure) == "LimitError")


async def test_ended_in_the_middle_of_an_answer_it_stops_in_good_order(serve: ServeModel) -> None:
    run = Unattended(Direct(), "go", Path.cwd(), MaverickConfig.load(), run_id="r1")

    async def stop_at_the_first_word() -> None:
        async for event in run.events.reader():
            if isinstance(event, ev.BlockGrew):
                run.stop("timeout", "It has taken long enough.")

    async with serve(say("one two three", fault=stall(at="text"))):
        await asyncio.gather(run.serve(), stop_at_the_first_word())
    events = run.events.since(0)
    check_well_formed(events)
    assert [event.outcome for event in events if isinstance(event, ev.TurnEnded)] == ["interrupted"]
    assert run.answer.text
    assert "one two three".startswith(run.answer.text)
    assert ("timeout", "It has taken long enough.") in [
        (event.kind, event.text) for event in events if isinstance(event, ev.Noticed)
    ]


def test_the_narrower_limit_counts() -> None:
    class Careful(Talker):
        max_turns = 5
        max_budget_usd = 1.0

    def made(agent: Talker, **limits: Any) -> MaverickAgent:
        return limited(agent, MaverickConfig.load(), RunLimits(**limits), ())

    assert made(Careful(), turns=9).max_turns == 5
    assert made(Careful(), turns=3, cost_usd=0.5).max_turns == 3
    assert made(Careful(), cost_usd=0.5).max_budget_usd == 0.5
    assert made(Talker(), cost_usd=0.5).max_budget_usd == 0.5
    assert made(Talker()).max_budget_usd is None
