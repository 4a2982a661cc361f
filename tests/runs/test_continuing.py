"""A run that a limit has stopped goes on by itself at its time, once, and only while that is wanted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from maverick_tui import AgentContext, AgentResult, MaverickConfig
from maverick_tui.agent.engines import Answered, Listener, Session, ToolQuestion
from maverick_tui.events.kinds import (
    ContinueCalledOff,
    ContinueDue,
    ContinuePlanned,
    Noticed,
    PermissionAsked,
    PromptQueued,
    PromptsHeld,
    RateLimited,
    RunEnded,
    TurnEnded,
    TurnStarted,
)
from maverick_tui.exceptions import AgentError, NetworkError, StreamingError
from maverick_tui.runs import commands, continuing
from maverick_tui.runs.continuing import AGAIN_AFTER
from maverick_tui.runs.failure_words import CONTINUE
from maverick_tui.runs.holding import RunLimits
from maverick_tui.runs.past import past_of
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.unattended import Unattended
from tests.runs.pretending import Pretended
from tests.runs.watching import PATIENCE, Watched, check_well_formed, watch
from tests.support.agents import Talker

NOW = 1_763_200_000.0
HOUR = 3600.0


class Clock:
    """The time on the wall, which goes on when a test says so."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        self.now += 0.001  # so that the order of events is that of their times
        return self.now


class Limited(Pretended):
    """Answers with the failures that it is given, one after the other, and then as it should."""

    failures: list[AgentError]
    resets_at: float | None
    asked: list[str]

    async def ask(self, prompt: str) -> Answered:
        type(self).asked.append(prompt)
        if not type(self).failures:
            return await super().ask(prompt)
        if type(self).resets_at is not None:
            self.listener.tell(RateLimited(self.listener.now(), "rejected", type(self).resets_at, "five_hour"))
        failure = type(self).failures.pop(0)
        if isinstance(failure, StreamingError):
            self.say("half of it")
        raise failure


class Worker(Talker):
    """An agent whose account has a limit."""

    session_kind: ClassVar[type[Limited]] = Limited

    @asynccontextmanager
    async def open_session(self, context: AgentContext, listener: Listener, **options: Any) -> AsyncIterator[Session]:
        yield self.session_kind(listener)  # type: ignore[misc]  # it can what these tests need


class LateSession(Limited):
    """Its limit resets at a moment that has just passed, each time."""

    async def ask(self, prompt: str) -> Answered:
        type(self).resets_at = self.listener.now() - 5.0
        return await super().ask(prompt)


class Late(Worker):
    """An agent whose endpoint has a clock that is late."""

    session_kind = LateSession


class SecondFails(LateSession):
    """Answers the first of two questions."""

    async def ask(self, prompt: str) -> Answered:
        return await (Pretended.ask(self, prompt) if prompt == "first" else super().ask(prompt))


class Stepwise(Late):
    """Makes two turns of each prompt."""

    session_kind = SecondFails

    async def execute(self, context: AgentContext) -> AgentResult:
        await self.run("first", context)
        return await self.run("second", context)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(continuing, "LOOK_EVERY", 0.005)  # the clock on the wall is the test's
    Limited.failures, Limited.asked, Limited.resets_at = [limit()], [], NOW + HOUR
    return Clock()


def limit() -> NetworkError:
    return NetworkError("The endpoint limits the rate.", kind="rate_limit", status=429)


def broken(cause: AgentError) -> StreamingError:
    error = StreamingError("The stream failed after 10 characters.", kind=cause.kind)
    error.__cause__ = cause
    return error


@asynccontextmanager
async def stopped(clock: Clock, **options: Any) -> AsyncIterator[Watched]:
    """A run whose first prompt was ended by a limit."""
    async with watch(Worker, clock=clock, **options) as run:
        ended = await run.ask("Do it")
        assert ended.failure is not None
        assert ended.failure.retry_at == Limited.resets_at
        yield run


async def let_happen(watched: Watched) -> None:
    """Have the run look for something to do, as often as it takes to go on and ask, and wait until it has."""
    wake = watched.run._wake
    async with asyncio.timeout(PATIENCE):
        for _ in range(5):
            wake.set()
            while wake.is_set():
                await asyncio.sleep(0)


# -- at its time -------------------------------------------------------------------------------------------------------


async def test_it_goes_on_when_the_limit_resets(clock: Clock) -> None:
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        planned = await run.until(ContinuePlanned)
        assert (planned.due, planned.attempt) == (NOW + HOUR, 1)
        clock.now = NOW + HOUR - 1
        await let_happen(run)
        assert not run.all(ContinueDue)
        clock.now = NOW + HOUR
        assert (await run.until(TurnEnded, 2)).outcome == "done"
    assert Limited.asked == ["Do it", "Do it"]
    assert not run.all(ContinueCalledOff)


async def test_what_was_queued_follows_what_goes_on(clock: Clock) -> None:
    Limited.failures = [limit(), limit()]
    async with watch(Worker, clock=clock) as run:
        run.prompt("one")
        run.prompt("two")
        run.prompt("three")
        await run.until(TurnEnded)
        run.send(commands.PlanContinue())
        Limited.failures = []
        clock.now = NOW + HOUR
        await run.until(TurnEnded, 4)
    assert Limited.asked == ["one", "one", "two", "three"]


async def test_nothing_is_planned_unless_somebody_wants_it(clock: Clock) -> None:
    async with stopped(clock) as run:
        clock.now = NOW + 2 * HOUR
        await let_happen(run)
    assert not run.all(ContinuePlanned)
    assert Limited.asked == ["Do it"]


async def test_the_setting_plans_it_at_once(clock: Clock) -> None:
    async with stopped(clock, config=MaverickConfig.load(continue_after_limit=True)) as run:
        await run.until(ContinuePlanned)
        clock.now = NOW + HOUR
        await run.until(TurnEnded, 2)
    assert Limited.asked == ["Do it", "Do it"]


async def test_an_answer_that_had_begun_is_continued(clock: Clock) -> None:
    Limited.failures = [broken(limit())]
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        clock.now = NOW + HOUR
        await run.until(TurnEnded, 2)
    assert Limited.asked == ["Do it", CONTINUE]


@pytest.mark.parametrize(("prompt", "sends"), [("Look at the build", "Look at the build"), ("", CONTINUE)])
async def test_what_the_engine_does_by_itself_goes_on_as_well(clock: Clock, prompt: str, sends: str) -> None:
    Limited.failures = []
    async with watch(Worker, clock=clock) as run:
        await run.ask("Do it")
        turns = run.run._turns
        turns.tell(RateLimited(clock(), "rejected", NOW + HOUR))
        turns.began(prompt)
        turns.ended(Answered(error=limit()))
        run.send(commands.PlanContinue())
        clock.now = NOW + HOUR
        await run.until(TurnEnded, 3)
    assert Limited.asked == ["Do it", sends]


@pytest.mark.parametrize("resets_at", [None, NOW - HOUR, NOW + 400 * 86_400])
async def test_where_no_time_is_known_nothing_can_be_planned(clock: Clock, resets_at: float | None) -> None:
    Limited.resets_at = resets_at
    async with watch(Worker, clock=clock, config=MaverickConfig.load(continue_after_limit=True)) as run:
        failure = (await run.ask("Do it")).failure
        assert failure is not None
        assert failure.retry_at is None
        assert "not known, so it does not wait" in run.all(Noticed)[-1].text
        run.send(commands.PlanContinue())
    assert not run.all(ContinuePlanned)


async def test_another_failure_is_nothing_to_wait_for(clock: Clock) -> None:
    Limited.failures = [NetworkError("Out of reach.")]
    async with watch(Worker, clock=clock, config=MaverickConfig.load(continue_after_limit=True)) as run:
        await run.ask("Do it")
        run.send(commands.PlanContinue())
    assert not run.all(ContinuePlanned)


# -- a limit that still holds ------------------------------------------------------------------------------------------


async def test_a_limit_that_still_holds_is_tried_again_later_and_given_up_at_last(clock: Clock) -> None:
    Limited.failures = [limit() for _ in range(10)]
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        for attempt in range(1, len(AGAIN_AFTER) + 2):
            planned = await run.until(ContinuePlanned, attempt)
            assert planned.attempt == attempt
            if attempt > 1:
                assert planned.due >= planned.at + AGAIN_AFTER[attempt - 2]
            clock.now = planned.due
            await run.until(TurnEnded, attempt + 1)
        await run.until(Noticed, where=lambda notice: "does not try again" in notice.text)
        clock.now += 10 * HOUR
        await let_happen(run)
    assert len(Limited.asked) == len(AGAIN_AFTER) + 2


async def test_a_limit_with_another_time_is_waited_for_until_then(clock: Clock) -> None:
    Limited.failures = [limit(), limit()]
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        Limited.resets_at = NOW + 5 * HOUR
        clock.now = NOW + HOUR
        assert (await run.until(ContinuePlanned, 2)).due == NOW + 5 * HOUR


async def test_a_network_that_is_not_back_yet_is_tried_again(clock: Clock) -> None:
    Limited.failures = [limit(), NetworkError("Out of reach.")]
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        clock.now = NOW + HOUR
        again = await run.until(ContinuePlanned, 2)
        clock.now = again.due
        assert (await run.until(TurnEnded, 3)).outcome == "done"


async def test_after_some_progress_the_next_limit_is_asked_about_again(clock: Clock) -> None:
    Limited.failures = [limit(), broken(limit())]
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        Limited.resets_at = NOW + 6 * HOUR
        clock.now = NOW + HOUR
        await run.until(TurnEnded, 2)
        await let_happen(run)
        assert len(run.all(ContinuePlanned)) == 1
        run.send(commands.PlanContinue())
        assert (await run.until(ContinuePlanned, 2)).attempt == 1


@pytest.mark.parametrize("has_own_turns", [False, True])
async def test_answers_that_a_limit_breaks_off_each_time_are_continued_a_few_times_only(
    clock: Clock, has_own_turns: bool
) -> None:
    """Each of them costs something. The endpoint's clock is late: what it says has just passed."""
    Limited.failures, Limited.resets_at = [broken(limit()) for _ in range(20)], None
    config = MaverickConfig.load(continue_after_limit=True)
    async with watch(Stepwise if has_own_turns else Late, clock=clock, config=config) as run:
        run.prompt("Do it")
        for attempt in range(1, len(AGAIN_AFTER) + 2):
            planned = await run.until(ContinuePlanned, attempt)
            assert planned.attempt == attempt
            if attempt > 1:
                assert planned.due >= planned.at + AGAIN_AFTER[attempt - 2]
            clock.now = planned.due
        await run.until(Noticed, where=lambda notice: "does not try again" in notice.text)
        clock.now += HOUR
        await let_happen(run)
        assert len(run.all(ContinueDue)) == len(AGAIN_AFTER) + 1
        run.prompt("Do something else")
        assert (await run.until(ContinuePlanned, len(AGAIN_AFTER) + 2)).attempt == 1


async def test_a_limit_on_what_follows_by_itself_counts_as_well(clock: Clock) -> None:
    Limited.failures = []
    async with watch(Worker, clock=clock, config=MaverickConfig.load(continue_after_limit=True)) as run:
        await run.ask("Do it")
        turns = run.run._turns
        for attempt in range(1, len(AGAIN_AFTER) + 3):
            turns.tell(RateLimited(clock(), "rejected", clock.now))
            turns.began("")
            turns.ended(Answered(error=limit()))
            if attempt == len(AGAIN_AFTER) + 2:
                break
            planned = await run.until(ContinuePlanned, attempt)
            assert planned.attempt == attempt
            clock.now = planned.due
            await run.until(TurnEnded, 1 + 2 * attempt)
        await run.until(Noticed, where=lambda notice: "does not try again" in notice.text)
        assert len(run.all(ContinuePlanned)) == len(AGAIN_AFTER) + 1


# -- called off --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        commands.Interrupt(),
        commands.CallOffContinue(),
        commands.ClearConversation(),
        commands.SendPrompt("mine", "Something else"),
    ],
)
async def test_whoever_wants_something_else_calls_it_off(clock: Clock, command: commands.Command) -> None:
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        run.send(command)
        assert (await run.until(ContinueCalledOff)).why == "person"
        clock.now = NOW + HOUR
        await let_happen(run)
    assert not run.all(ContinueDue)
    assert Limited.asked.count("Do it") == 1


async def test_it_can_be_planned_again_but_not_in_a_new_conversation(clock: Clock) -> None:
    async with stopped(clock) as run:
        for _ in range(2):
            run.send(commands.PlanContinue())
            run.send(commands.PlanContinue())
            run.send(commands.CallOffContinue())
        assert len(run.all(ContinuePlanned)) == len(run.all(ContinueCalledOff)) == 2
        run.send(commands.ClearConversation())
        run.send(commands.PlanContinue())
        assert len(run.all(ContinuePlanned)) == 2


@pytest.mark.parametrize("has_past", [False, True])
async def test_beside_a_prompt_that_waits_or_runs_nothing_is_planned(clock: Clock, has_past: bool) -> None:
    async with stopped(clock) as run:
        if not has_past:
            run.prompt("Something else")
            run.send(commands.PlanContinue())
            await run.until(TurnEnded, 2)
    if has_past:
        async with watch(Worker, clock=clock, past=past_of(run.events)) as run:
            run.prompt("Something else")
            run.send(commands.PlanContinue())
            await run.until(TurnEnded, 2)
    assert not run.all(ContinuePlanned)
    assert run.all(RunEnded)[-1].reason == "closed"
    assert Limited.asked == ["Do it", "Something else"]


async def test_a_prompt_that_comes_between_calls_off_what_was_planned_meanwhile(clock: Clock) -> None:
    Limited.failures = []
    async with watch(Worker, clock=clock, config=MaverickConfig.load(continue_after_limit=True)) as run:
        await run.ask("Do it")
        turns = run.run._turns
        turns.tell(RateLimited(clock(), "rejected", NOW + HOUR))
        turns.began("")
        run.prompt("Something else")
        turns.ended(Answered(error=limit()))
        await run.until(TurnEnded, 3)
        assert (await run.until(ContinueCalledOff)).why == "person"
        clock.now = NOW + 2 * HOUR
        await let_happen(run)
    assert run.all(RunEnded)[-1].reason == "closed"
    assert Limited.asked == ["Do it", "Something else"]


async def test_the_end_of_the_run_calls_it_off(clock: Clock) -> None:
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
    kinds = [event for event in run.events if isinstance(event, ContinueCalledOff | RunEnded)]
    assert [type(event) for event in kinds] == [ContinueCalledOff, RunEnded]
    assert run.all(ContinueCalledOff)[0].why == "closed"


async def test_nothing_is_spent_while_somebody_is_asked_something(clock: Clock) -> None:
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        ask = run.run._turns.ask
        assert ask is not None
        asking = asyncio.ensure_future(ask(ToolQuestion("Bash", {"command": "ls"}, "c1", "", "", False)))
        question = await run.until(PermissionAsked)
        clock.now = NOW + HOUR
        await let_happen(run)
        assert not run.all(ContinueDue)
        run.send(commands.AnswerPermission(question.request, "deny"))
        await run.until(TurnEnded, 2)
        await asking


# -- without a terminal ------------------------------------------------------------------------------------------------


def unattended(**options: Any) -> Unattended:
    config = MaverickConfig.load(continue_after_limit=True)
    return Unattended(Worker(config=config), "Do it", Path.cwd(), config, run_id="r1", **options)


async def test_without_a_terminal_only_who_says_so_waits() -> None:
    Limited.resets_at = time.time() + HOUR
    run = unattended()
    await run.serve()
    assert run.failure is not None
    assert not [event for event in run.events.since(0) if isinstance(event, ContinuePlanned)]


@pytest.mark.parametrize("cut", ["timeout", "interrupted"])
async def test_waiting_without_a_terminal_ends_in_time_and_when_it_is_told_to(
    cut: Literal["timeout", "interrupted"],
) -> None:
    Limited.resets_at = time.time() + HOUR
    run = unattended(limits=RunLimits(seconds=0.3 if cut == "timeout" else None), waits_for_limit=True)
    serving = asyncio.create_task(run.serve())
    async with asyncio.timeout(PATIENCE):
        while not any(isinstance(event, ContinuePlanned) for event in run.events.since(0)):
            await run.events.wait(len(run.events))
        if cut == "interrupted":
            run.stop(cut, "It was interrupted.")
        await serving
    told = run.events.since(0)
    check_well_formed(told)
    assert run.cut == cut
    assert [event.why for event in told if isinstance(event, ContinueCalledOff)] == ["closed"]


# -- a run that comes back ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("was_killed", [False, True])
async def test_a_plan_that_nobody_was_there_for_is_offered_and_not_carried_out(clock: Clock, was_killed: bool) -> None:
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
    told = run.events
    past = past_of(
        told[: next(at for at, event in enumerate(told) if isinstance(event, ContinueCalledOff))]
        if was_killed
        else told
    )
    assert any(isinstance(event, ContinueCalledOff) for event in past.events)
    clock.now = NOW + 9 * HOUR
    async with watch(Worker, clock=clock, past=past, config=MaverickConfig.load(continue_after_limit=True)) as again:
        await again.until(Noticed, where=lambda notice: "when you ask for it" in notice.text)
        await let_happen(again)
        assert Limited.asked == ["Do it"]
        again.send(commands.PlanContinue())
        await again.until(TurnEnded, 2)
    assert Limited.asked == ["Do it", "Do it"]
    assert len(again.all(TurnStarted)) == 2
    assert again.all(PromptQueued)


async def test_what_a_person_holds_is_not_sent_by_it(clock: Clock) -> None:
    async with watch(Worker, clock=clock) as run:
        run.prompt("one")
        run.prompt("two")
        await run.until(PromptsHeld)
    told = run.events
    held = next(at for at, event in enumerate(told) if isinstance(event, PromptsHeld))
    async with watch(Worker, clock=clock, past=past_of(told[: held + 1])) as again:
        again.send(commands.PlanContinue())
        clock.now = NOW + HOUR
        await again.until(TurnEnded, 2)
        await let_happen(again)
    assert Limited.asked == ["one", "one"]


async def test_a_plan_that_was_called_off_is_not_offered(clock: Clock) -> None:
    async with stopped(clock) as run:
        run.send(commands.PlanContinue())
        run.send(commands.Interrupt())
    assert past_of(run.events).planned is None


async def test_nothing_of_a_conversation_that_is_gone_is_offered(clock: Clock) -> None:
    async with stopped(clock) as run:
        run.send(commands.ClearConversation())
        await run.until(Noticed, where=lambda notice: notice.kind == "cleared")
    store = RunStore()
    for event in run.events:
        store.apply(event)
    assert store.current_failure is None
    async with watch(Worker, clock=clock, past=past_of(run.events)) as again:
        again.send(commands.PlanContinue())
        await let_happen(again)
        assert not again.all(ContinuePlanned)
    assert Limited.asked == ["Do it"]
