"""Scheduled jobs of a run: told, shown as what they are when they come, and ended for good. The CLI is the real one."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.engine.claude.scheduling import Jobs
from maverick_tui.agent.fields import CLAUDE_CODE
from maverick_tui.events.background import ENDED_TASKS, Job, job_of, soonest
from maverick_tui.events.kinds import (
    AgentLoaded,
    Connected,
    Event,
    JobsScheduled,
    Noticed,
    PermissionAsked,
    PermissionSettled,
    RunEnded,
    TaskProgressed,
    ToolCalled,
    ToolFinished,
    TurnEnded,
    TurnStarted,
)
from maverick_tui.offline.script import Answer, ToolStep
from maverick_tui.runs.commands import AnswerPermission, Interrupt
from maverick_tui.runs.forking import fork_of
from maverick_tui.runs.local import WATCHED_NO_MORE
from maverick_tui.runs.past import past_of
from maverick_tui.runs.store import RunStore
from maverick_tui.runs.turns import TASKS_STOPPED
from tests.conftest import ServeModel
from tests.runs.watching import PATIENCE, watch
from tests.support.agents import Talker
from tests.support.model import call, last_prompt, say, scene, stall
from tests.support.processes import kill_marked
from tests.support.sampling import sampled

NIGHTLY = call("CronCreate", cron="0 3 1 1 *", prompt="look at the tests")


class Timer(Talker):
    """May schedule, and is asked about nothing else."""

    allowed_tools = ("CronCreate", "CronDelete", "CronList", "ScheduleWakeup")
    permission_mode = "default"


async def test_what_is_scheduled_and_deleted_is_told_ends_with_the_run_and_does_not_come_back_with_it(
    serve: ServeModel,
) -> None:
    made = ToolStep(tool="CronCreate", id="made", input={"cron": "0 3 1 1 *", "prompt": "x"})
    delete = call("CronDelete", id=r"${made|job (\w+)}")
    wakeup = call("ScheduleWakeup", delaySeconds=1200, reason="the build", prompt="is it built?")
    script = [
        scene(Answer(steps=(made,)), NIGHTLY, delete, wakeup, say("done"), prompt="^go"),
        scene(call("CronCreate", cron="0 4 1 1 *", prompt="more"), say("tried"), prompt="^on"),
    ]
    async with serve(script) as model:
        async with watch(Timer) as run:
            run.allows_everything = True
            before = time.time()
            await run.ask("go")
            events = run.all(JobsScheduled)
        async with watch(Timer, past=past_of(run.events)) as again:
            again.allows_everything = True
            assert (await again.ask("on")).outcome == "done"
            messages = model.requests[-1]["messages"]
    told = [[job["prompt"] for job in event.jobs] for event in events]
    assert told[:3] == [["x"], ["x", "look at the tests"], ["look at the tests"]]
    jobs = [job_of(job) for job in events[-1].jobs]
    assert [(job.prompt, job.when) for job in jobs] == [("look at the tests", "0 3 1 1 *"), ("is it built?", "once")]
    assert all(job.id for job in jobs), "the list at the end of the turn names the wakeup"
    assert jobs[1].next_at is not None
    assert before + 1100 < jobs[1].next_at < before + 1400
    assert soonest(jobs, before) == jobs[1]
    # The `serve` fixture fails the test if a process is left, and without one nothing can ask the model.
    assert run.all(JobsScheduled)[-1].jobs == ()
    assert [event.text for event in run.all(Noticed) if event.kind == "jobs"] == [], "nobody expects more of it"
    assert isinstance(run.events[-1], RunEnded)
    assert "look at the tests" in json.dumps(messages), "it is the same conversation"
    assert [event.jobs for event in again.all(JobsScheduled)][len(run.all(JobsScheduled)) :] == []


@pytest.mark.explore
async def test_an_interrupt_ends_the_jobs_and_the_conversation_goes_on(serve: ServeModel) -> None:
    script = [
        scene(NIGHTLY, say("done"), prompt="^go"),
        scene(call("CronCreate", cron="* * * * *", prompt="again"), say("tried"), prompt="^once more"),
    ]
    async with serve(script) as model, watch(Timer) as run:
        run.allows_everything = True
        await run.ask("go")
        run.send(Interrupt())
        await run.until(Connected, 2)
        assert run.all(JobsScheduled)[-1].jobs == ()
        ended = await run.ask("once more")
        messages = model.requests[-1]["messages"]
    assert ended.outcome == "done"
    assert "look at the tests" in json.dumps(messages), "it knows what was said before"
    assert run.all(ToolFinished)[-1].is_error, "else the person would have to end it again"
    assert run.all(JobsScheduled)[-1].jobs == ()
    assert [event.kind for event in run.all(Noticed) if event.kind == "jobs"] == ["jobs"]


@pytest.mark.explore
async def test_an_interrupt_ends_what_would_wake_the_agent_and_what_that_has_said_wakes_it_no_more(
    serve: ServeModel,
) -> None:
    class Watcher(Talker):
        allowed_tools = ("Bash", "Monitor")

    watches = call("Monitor", command="echo tick; sleep 0.5; touch said; sleep 60", description="the ticks")
    server = call("Bash", command="sleep 60", description="a server", run_in_background=True)
    script = [
        scene(server, watches, say("woken", fault=stall(at="start", times=1)), prompt="^go"),
        scene(say("done"), prompt="^on"),
    ]
    async with serve(script) as model, watch(Watcher) as run:
        run.allows_everything = True
        run.prompt("go")
        async with asyncio.timeout(PATIENCE):
            while len(model.requests) < 3 or not Path("said").exists():
                await asyncio.sleep(0.01)
        run.send(Interrupt())
        ended = await run.until(TaskProgressed, where=lambda told: told.state in ENDED_TASKS)
        await run.until(Noticed, where=lambda told: told.kind == "watch")
        await run.until(TurnEnded)
        assert (await run.ask("on")).outcome == "done"
        assert [last_prompt(request) for request in model.requests] == ["go", "go", "go", "on"]
        assert [turn.text for turn in run.all(TurnStarted)] == ["go", "on"], "what is kept from it is no turn"
        assert not [one for one in run.all(Noticed) if one.kind == "informational"]
        store = RunStore()
        for event in run.events:
            store.apply(event)
        assert [task.name for task in store.tasks.values() if task.is_task_alive] == ["Bash"]
    assert [one.text for one in run.all(Noticed) if one.kind == "watch"] == [f"{WATCHED_NO_MORE}: the ticks"]
    assert [one.text for one in run.all(Noticed) if one.kind == "tasks"] == [f"{TASKS_STOPPED}: a server"]
    assert [one.name for one in run.all(ToolCalled) if one.call == ended.call] == ["Monitor"]


@pytest.mark.explore
async def test_an_interrupt_of_a_turn_ends_its_jobs_too(serve: ServeModel) -> None:
    async with serve([NIGHTLY, say("never said", fault=stall(at="start"))]), watch(Timer) as run:
        run.allows_everything = True
        run.prompt("go")
        await run.until(JobsScheduled)
        run.send(Interrupt())
        assert (await run.until(TurnEnded)).outcome == "interrupted"
        await run.until(Connected, 2)
        assert run.all(JobsScheduled)[-1].jobs == ()


OVERDUE = {"id": "aaaaaaa1", "cron": "* * * * *", "prompt": "overdue", "createdAt": 0, "recurring": True}
"""It runs at once."""


def schedule(*jobs: Mapping[str, Any]) -> None:
    """Have these be the jobs of the project."""
    Path(".claude").mkdir(exist_ok=True)
    Path(".claude/scheduled_tasks.json").write_text(json.dumps({"tasks": jobs}))


async def test_a_turn_of_a_job_says_so_and_is_counted(serve: ServeModel) -> None:
    schedule(OVERDUE)
    # With the project's settings its jobs run, and one that is overdue runs at once.
    settings = MaverickConfig.load(setting_sources=["project"])
    async with serve(say("woke", usage=(100, 7))) as model, watch(Timer, config=settings) as run:
        started = await run.until(TurnStarted)
        ended = await run.until(TurnEnded)
        assert [last_prompt(request) for request in model.requests][:1] == ["overdue"]
    assert (started.origin, started.text) == ("background", "overdue")
    assert (ended.usage.input_tokens, ended.usage.output_tokens) == (100, 7)
    assert ended.usage.cost_usd
    store = RunStore()
    for event in run.events:
        store.apply(event)
    assert [(entry.kind, getattr(entry, "text", "")) for entry in store.entries[:2]] == [
        ("prompt", "overdue"),
        ("text", "woke"),
    ]


@pytest.mark.explore
async def test_a_job_with_the_words_of_the_last_prompt_does_not_pass_a_fuse(serve: ServeModel) -> None:
    schedule(OVERDUE | {"id": "aaaaaaa2", "cron": "0 3 1 1 *", "createdAt": int(time.time() * 1000)})
    settings = MaverickConfig.load(setting_sources=["project"], fuses={"run": {"turns": 1}})
    async with serve(say("here")) as model, watch(Timer, config=settings) as run:
        await run.ask("overdue")
        schedule(OVERDUE)
        await run.until(Event, where=lambda told: isinstance(told, PermissionAsked) or getattr(told, "turn", 0) == 2)
        (asked,) = run.all(PermissionAsked)
        run.send(AnswerPermission(asked.request, "deny"))
        await run.until(PermissionSettled)
        assert len(model.requests) == 1


@pytest.mark.explore
async def test_a_cli_that_dies_while_it_is_interrupted_is_followed_by_one_other(serve: ServeModel, mark: str) -> None:
    script = [
        scene(NIGHTLY, say("done"), prompt="^go"),
        scene(say("never said", fault=stall(at="start")), prompt="^wait"),
        scene(say("here"), prompt="^again"),
    ]
    async with serve(script) as model, watch(Timer) as run:
        run.allows_everything = True
        await run.ask("go")
        run.prompt("wait")
        async with asyncio.timeout(PATIENCE):
            while last_prompt(model.requests[-1]) != "wait":
                await asyncio.sleep(0.01)
        run.send(Interrupt())
        kill_marked(mark, lambda command: "_bundled/claude" in command and "keeper.py" not in command)
        await run.until(TurnEnded, 2)
        assert (await run.ask("again")).outcome == "done"
    assert len(run.all(Connected)) == 2


@pytest.mark.parametrize("ends_by", sampled(["an interrupt", "its end"], 2))
async def test_no_fork_brings_the_jobs_of_a_run_back(ends_by: str, serve: ServeModel) -> None:
    script = [
        scene(say("hello"), prompt="^first"),
        scene(NIGHTLY, say("scheduled"), prompt="^go"),
        scene(say("on it"), prompt="^on"),
    ]
    async with serve(script):
        async with watch(Timer) as run:
            run.allows_everything = True
            await run.ask("first")
            await run.ask("go")
            assert run.all(JobsScheduled)[-1].jobs
            if ends_by == "an interrupt":
                run.send(Interrupt())
                await run.until(Connected, 2)
        later = fork_of(run.events, None, "f1", at=time.time()).past
        assert not fork_of(run.events, 1, "f2", at=time.time()).past.had_jobs, "it knows nothing of them"
        async with watch(Timer, past=later) as fork:
            inherited = len(fork.events)
            await fork.ask("on")
            assert not [event for event in fork.events[inherited:] if isinstance(event, JobsScheduled) and event.jobs]
        assert past_of(fork.events).had_jobs, "the fork's conversation has the call, too, when it goes on"


@pytest.mark.parametrize(
    ("told", "had_jobs"),
    [
        ((AgentLoaded(0.0, "timer", "/"),), False),
        ((AgentLoaded(0.0, "timer", "/"), JobsScheduled(1.0, ({"id": "a"},)), JobsScheduled(2.0)), True),
        ((JobsScheduled(1.0, ({"id": "a"},)), JobsScheduled(2.0), Noticed(3.0, "cleared", "")), False),
        ((ToolCalled(0.0, "c", "CronCreate", {}), ToolFinished(1.0, "c", "made", is_error=False)), True),
        ((ToolCalled(0.0, "c", "CronCreate", {}), ToolFinished(1.0, "c", "denied", is_error=True)), False),
        ((AgentLoaded(0.0, CLAUDE_CODE, "/"), AgentLoaded(1.0, "timer", "/")), True),
    ],
    ids=["none", "ended with the run", "of a conversation before", "of another run", "none was made", "of Claude Code"],
)
def test_whether_a_conversation_may_have_jobs_is_known(told: tuple[Event, ...], had_jobs: bool) -> None:
    assert past_of(told).had_jobs is had_jobs


def test_what_the_cli_lists_is_the_truth() -> None:
    jobs = Jobs()
    jobs.called("w", "ScheduleWakeup", {"prompt": "wake"})
    assert jobs.finished("w", {"scheduledFor": 60_000}, is_error=False, at=1.0)
    cron = {"id": "c1", "schedule": "* * * * *", "recurring": True, "prompt": "made by a workflow"}
    wake = {"id": "w1", "schedule": "1 0 * * *", "recurring": False, "prompt": "wake"}
    assert jobs.listed([wake, cron], 2.0)
    assert jobs.items == (Job("w1", "wake", "once", 60.0), Job("c1", "made by a workflow", "* * * * *"))
    assert jobs.listed([wake, cron], 3.0) == [], "nothing new"
    assert jobs.listed([cron], 4.0), "the wakeup has come"
    assert [job.id for job in jobs.items] == ["c1"]


def test_a_call_that_failed_schedules_nothing() -> None:
    jobs = Jobs()
    jobs.called("a", "CronCreate", {"cron": "x", "prompt": "x"})
    assert jobs.finished("a", "Error: invalid", is_error=True, at=1.0) == []
    jobs.called("s", "ScheduleWakeup", {"stop": True})
    assert jobs.finished("s", {}, is_error=False, at=1.0) == []
    jobs.called("r", "Read", {"prompt": "x"})
    assert jobs.finished("r", {}, is_error=False, at=1.0) == []


def test_the_next_time_is_told_only_until_it_has_come() -> None:
    job = Job("a", "x", "Every minute", 60.0)
    assert job.next_after(59.0) == 60.0
    assert job.next_after(61.0) is None
    later = Job("b", "y", "once", 90.0)
    assert soonest([job, later], 61.0) is later
    assert soonest([], 0.0) is None
