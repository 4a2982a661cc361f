"""A run in this process, against the real CLI and a scripted model: prompts, tools, failures, and how it ends."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from maverick_tui import AgentContext, AgentError, AgentResult, MaverickAgent, MaverickConfig
from maverick_tui.agent.engines import Listener, Session
from maverick_tui.events.background import ENDED_TASKS
from maverick_tui.events.kinds import (
    AgentLoaded,
    BlockGrew,
    Connected,
    ConnectFailed,
    Connecting,
    Event,
    InterruptRequested,
    ModeChanged,
    ModelNamed,
    Noticed,
    PermissionAsked,
    PromptDropped,
    PromptQueued,
    PromptSent,
    PromptsHeld,
    RetryScheduled,
    RunEnded,
    RunStarted,
    TaskProgressed,
    ToolCalled,
    ToolFinished,
    TurnEnded,
    TurnStarted,
    UsageReported,
)
from maverick_tui.offline.script import Answer, HttpFault, Pace, ScriptedUsage, TextStep, ThinkingStep, ToolStep
from maverick_tui.runs.commands import CloseRun, DropPrompt, Interrupt, Reconnect, ReleasePrompts, SetMode
from maverick_tui.runs.past import past_of
from tests.agent.engine.claude.test_session import Delegator, with_a_background_task
from tests.conftest import ServeModel
from tests.runs.pretending import Pretender
from tests.runs.story import told
from tests.runs.watching import PATIENCE, Watched, check_well_formed, watch
from tests.support.agents import Direct, Talker, Worker, context
from tests.support.model import bash, call, drop, fail, last_prompt, say, scene, stall, turns
from tests.support.processes import kill_marked, marked
from tests.support.sampling import sampled


def is_cli(command: str) -> bool:
    return "_bundled/claude" in command.split(" ")[0]


# -- prompts -----------------------------------------------------------------------------------------------------------


async def test_prompts_start_at_once_or_wait_for_each_other_and_can_be_taken_back(serve: ServeModel) -> None:
    names = ("one", "two", "three")
    script = [scene(say(f"answer to {name}", pace=Pace(tokens_per_second=30)), prompt=f"^{name}$") for name in names]
    async with serve(script) as model, watch(Direct) as run:
        await run.until(Connected)
        ids = [run.prompt(names[0])]
        assert isinstance(run.events[-1], TurnStarted), "in the same call, as nothing is in its way"
        ids += [run.prompt(name) for name in names[1:]]
        run.send(DropPrompt(ids[1]))
        await run.until(TurnEnded, 2)
    assert [event.prompt_id for event in run.all(PromptQueued)] == ids[1:]
    assert [event.prompt_id for event in run.all(PromptDropped)] == [ids[1]]
    assert run.text() == "answer to one\nanswer to three"
    assert len(model.requests) == 2


async def test_figures_agree_with_the_agents_result(serve: ServeModel) -> None:
    usage = ScriptedUsage(input=120, output=34, cache_read=56, cache_write=7)
    answer = Answer(steps=(TextStep(text="counted"),), usage=usage)
    async with serve([scene(bash("true"), answer)]), watch(Worker) as run:
        result = await Worker().run("go", context())
        first = await run.ask("go")
        second = await run.ask("go")
    for used in (first.usage, second.usage):
        assert used.input_tokens == result.usage.input_tokens
        assert used.output_tokens == result.usage.output_tokens
        assert used.cache_read_tokens == result.usage.cache_read_tokens == 56
        assert used.cache_write_tokens == result.usage.cache_write_tokens == 7
        assert used.cost_usd == pytest.approx(result.usage.total_cost_usd)
    assert first.steps == second.steps == 2
    assert not first.is_estimate
    assert second.api_ms <= second.usage.duration_ms, "the CLI's own figure runs on over the session"
    reported = {event.message: event.output_tokens for event in run.all(UsageReported)}
    assert sum(reported.values()) == first.usage.output_tokens + second.usage.output_tokens
    costs = {event.message: event.cost_usd or 0.0 for event in run.all(UsageReported)}
    billed = (first.usage.cost_usd or 0.0) + (second.usage.cost_usd or 0.0)
    assert sum(costs.values()) == pytest.approx(billed), "as it is billed"
    assert run.all(Connected)[0].context_size == 200_000


# -- tools and subagents -----------------------------------------------------------------------------------------------


async def test_one_session_of_follow_ups_thoughts_parallel_tools_failures_and_interrupts(
    serve: ServeModel, mark: str
) -> None:
    Path("a.txt").write_text("alpha\n")
    Path("b.txt").write_text("beta\n")
    reads = [ToolStep(tool="Read", input={"file_path": str(Path(name).absolute())}) for name in ("a.txt", "b.txt")]
    look = Answer(steps=(ThinkingStep(thinking="two files"), TextStep(text="I look."), *reads))
    words = "word " * 40
    script = [
        scene(say("the first answer"), prompt="^one$"),
        scene(say("the second"), prompt="^two$"),
        scene(look, say("done"), prompt="^look$"),
        scene(fail(429, "rate_limit_error"), prompt="refused$"),
        scene(say(words, fault=drop(at="text")), prompt="cut$"),
        scene(say("fine"), prompt="again$"),
        scene(say("late", pace=Pace(first_token=30.0)), prompt="late$"),
        scene(say(words, fault=stall()), prompt="stall$"),
    ]
    async with serve(script) as model, watch(Worker) as run:
        run.send(Interrupt())
        first = await run.ask("one")
        assert not run.all(InterruptRequested), "there was nothing to stop"
        second = await run.ask("two")
        text, asked = run.text(), [last_prompt(request) for request in model.requests]
        ended = await run.ask("look")
        looked = run.text()
        refused = await run.ask("to be refused")
        assert run.text() == looked, "the CLI's own words about the failure are not the agent's"
        cut = await run.ask("to be cut")
        came = run.text().removeprefix(looked).strip()
        again = await run.ask("and again")
        said = run.text()
        for number in (7, 8):
            run.prompt("too late")
            run.send(Interrupt())
            assert (await run.until(TurnEnded, number)).outcome == "interrupted"
        grown = len(run.all(BlockGrew))
        run.prompt("to stall")
        await run.until(BlockGrew, grown + 1)
        last = run.prompt("never sent")
    assert (first.outcome, second.outcome) == ("done", "done")
    assert text == "the first answer\nthe second"
    assert [type(event) for event in run.events[:4]] == [RunStarted, PromptQueued, AgentLoaded, Connecting]
    assert asked == ["one", "two"]
    assert len(model.requests[1]["messages"]) > len(model.requests[0]["messages"])
    started = run.all(AgentLoaded)[0]
    assert (started.agent, started.cwd, started.branch) == ("worker", str(Path.cwd()), "")
    assert started.has_own_prompt
    assert run.all(ModelNamed)[-1].context_size == 200_000
    assert [event.turn for event in run.all(TurnStarted)] == [*range(1, 10)]

    assert ended.outcome == "done"
    assert ended.steps == 2, "the CLI counts parallel calls as well"
    assert run.text("thinking") == "two files"
    assert looked == f"{text}\nI look.\ndone"
    assert [call.name for call in run.all(ToolCalled)] == ["Read", "Read"]
    assert all(call.block is not None for call in run.all(ToolCalled))
    assert {"alpha" in event.output or "beta" in event.output for event in run.all(ToolFinished)} == {True}
    assert all("content" not in event.detail["file"] for event in run.all(ToolFinished))

    assert refused.failure is not None
    assert (refused.failure.kind, refused.failure.status) == ("rate_limit", 429)
    assert refused.failure.hint
    assert cut.outcome == "failed"
    assert cut.failure is not None
    assert cut.failure.error == "StreamingError"
    assert cut.failure.causes[0].startswith("NetworkError: ")
    assert cut.failure.is_retryable
    assert came
    assert words.startswith(came)
    assert (again.turn, again.outcome) == (6, "done")
    assert said.endswith("\nfine")
    assert run.all(TurnEnded)[-1].outcome == "interrupted", "closing interrupts what runs"
    assert [event.prompt_id for event in run.all(PromptDropped)] == [last]
    assert [prompt.text for prompt in past_of(run.events).waiting] == ["never sent"], "and it is not lost"
    assert run.all(RunEnded)[0].reason == "closed"
    assert marked(mark) == {}


async def test_a_subagents_messages_say_whose_they_are_the_clis_own_turn_is_one_and_an_interrupt_ends_what_works_on(
    serve: ServeModel,
) -> None:
    Path("a.txt").write_text("alpha\n")
    read = ToolStep(tool="Read", input={"file_path": str(Path("a.txt").absolute())})
    task: dict[str, Any] = {"description": "work", "prompt": "LOOK", "subagent_type": "general-purpose"}
    look = Answer(steps=(TextStep(text="sub text"), read), usage=ScriptedUsage(input=300, output=20))
    script = [
        scene(look, say("sub is done"), prompt="^LOOK$"),
        scene(call("Agent", first="begun", run_in_background=False, **task), say("all done"), prompt="^delegate$"),
        *with_a_background_task(),
        scene(say("never all of it", fault=stall()), prompt="^WORK ON$"),
        scene(call("Agent", **{**task, "prompt": "WORK ON"}), say("It works."), prompt="^leave it$"),
        scene(say("Nobody asked.")),
    ]
    async with serve(script), watch(Delegator) as run:
        ended = await run.ask("delegate")
        parent = next(event.call for event in run.all(ToolCalled) if event.name == "Agent")
        assert run.text(parent=parent) == "sub text\nsub is done"
        assert run.text() == "begun\nall done"
        assert [event.parent for event in run.all(ToolCalled) if event.name == "Read"] == [parent]
        states = [event.state for event in run.all(TaskProgressed) if event.call == parent]
        assert states[0] == "running"
        assert states[-1] == "completed"
        assert (ended.usage.input_tokens, ended.usage.output_tokens) == (300 + 3 * 10, 20 + 3 * 5)

        await run.ask("start")
        await run.until(TurnStarted, where=lambda turn: turn.origin == "background")
        run.prompt("second")
        assert isinstance(run.events[-1], PromptQueued), "the CLI is busy with a turn of its own"
        await run.until(TurnEnded, 4)
        assert [turn.origin for turn in run.all(TurnStarted)] == ["person", "person", "background", "person"]
        woken = run.events[run.events.index(run.all(TurnStarted)[2]) + 1]
        assert isinstance(woken, Noticed)
        assert woken.text == 'Woken: Agent "work" finished'
        assert run.text() == "begun\nall done\nlaunching\nlaunched\nBACKGROUND ANSWER\nanswer to the second"
        used = [turn.usage for turn in run.all(TurnEnded)[1:]]
        assert sum(usage.input_tokens for usage in used) == 10 + 10 + 1000 + 10 + 10, "nothing is lost"
        assert sum(usage.output_tokens for usage in used) == 5 + 5 + 50 + 5 + 5

        await run.ask("leave it")
        left = [event.call for event in run.all(ToolCalled) if event.name == "Agent"][-1]
        await run.until(TaskProgressed, where=lambda task: task.call == left and task.state == "running")
        assert not run.all(InterruptRequested)
        run.send(Interrupt())
        await run.until(TaskProgressed, where=lambda task: task.call == left and task.state in ENDED_TASKS)
        assert run.all(InterruptRequested)


# -- failures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "is_kept"), sampled([(signal.SIGKILL, False), (signal.SIGTERM, True)], 2))
async def test_a_cli_that_dies_in_a_turn_or_between_two_is_replaced_and_the_conversation_goes_on(
    number: signal.Signals, is_kept: bool, serve: ServeModel, mark: str
) -> None:
    script = [
        scene(say("word " * 40, fault=stall()), prompt="^two$"),
        scene(say("an answer"), prompt="^one$|^three$|^four$"),
    ]
    async with serve(script) as model, watch(Talker) as run:
        run.send(SetMode("plan"))
        await run.until(ModeChanged)
        first = await run.ask("one")
        run.send(SetMode("default"))
        await run.until(ModeChanged, 2)
        run.prompt("two")
        await run.until(BlockGrew, where=lambda event: "word" in event.text)
        kill_marked(mark, is_cli, number)
        second = await run.until(TurnEnded, 2)
        third = await run.ask("three")
        assert "one" in str(model.requests[-1]["messages"]), "it remembers"
        assert not run.all(Noticed)
        run.send(SetMode("bypassPermissions"))
        refused = await run.until(Noticed)
        kill_marked(mark, is_cli)
        lost = await run.until(ConnectFailed)
        run.send(Reconnect())
        await run.until(Connected, 3)
        fourth = await run.ask("four")
    assert second.failure is not None
    assert second.failure.exit_code in (-number, 128 + number)
    assert third.outcome == "done"
    assert [event.again for event in run.all(Connecting)] == [False, True, True]
    assert third.usage.input_tokens == first.usage.input_tokens == 10, f"a resumed CLI {is_kept=} its totals"
    assert third.usage.cost_usd == pytest.approx(first.usage.cost_usd)
    assert [event.mode for event in run.all(ModeChanged)] == ["plan", "default"]
    assert "bypassPermissions" in refused.text
    assert lost.failure.exit_code == -9
    assert fourth.outcome == "done"


@pytest.mark.explore  # so it is in `test_resuming.py`
async def test_a_conversation_that_is_gone_is_told_to_another_one(serve: ServeModel, mark: str, home: Path) -> None:
    async with serve(say("ok")) as server, watch(Talker) as run:
        await run.ask("one")
        for file in (home / ".claude" / "projects").rglob("*.jsonl"):
            file.unlink()
        kill_marked(mark, is_cli)
        await run.until(ConnectFailed)
        ended = await run.ask("two")
        assert "The user said:\\none" in json.dumps(server.requests[-1]["messages"])
    assert [event.kind for event in run.all(Noticed)] == ["handed_over"]
    assert ended.outcome == "done"
    assert ended.usage.input_tokens == 10


@pytest.mark.explore
async def test_a_missing_cli_is_told_and_can_be_mended_and_then_its_retries_are_told(
    serve: ServeModel,
) -> None:
    file: dict[str, Any] = {"config": MaverickConfig.load(cli_path="/nowhere/claude"), "mode": "acceptEdits"}

    def find() -> MaverickAgent:
        agent: MaverickAgent = Talker(config=file["config"])
        agent.allowed_tools, agent.permission_mode = ["Write"], file["mode"]
        return agent

    overloaded = HttpFault(kind="http", status=529, type="overloaded_error", times=1)
    answers = [call("Write", file_path="new.txt", content="x"), say("at last", fault=overloaded)]
    async with serve(answers), watch(find, name="talker") as run:
        run.denies_everything = True
        run.prompt("waits")
        failed = await run.until(ConnectFailed)
        assert not run.all(TurnStarted)
        file.update(config=MaverickConfig.load(api_retries=2, model="nobody-knows-1"), mode="default")
        run.send(Reconnect())
        await run.until(Connected)
        assert (told(*run.events).mode, told(*run.events).model) == ("default", "nobody-knows-1")
        ended = await run.until(TurnEnded)
    assert len(run.all(PermissionAsked)) == 1, "edits do not pass any more"
    assert not Path("new.txt").exists()
    assert failed.failure.error == "CLINotFoundError"
    assert "/nowhere/claude" in failed.failure.message
    assert ended.outcome == "done"
    retry = run.all(RetryScheduled)[0]
    assert (retry.attempt, retry.limit, retry.status, retry.reason) == (1, 2, 529, "overloaded")
    assert retry.delay > 0
    assert run.all(AgentLoaded)[-1].model == "nobody-knows-1"
    assert ended.is_estimate, "nobody knows the price of such a model"


class Unopened(Talker):
    """An agent whose sessions cannot be opened."""

    def open_session(self, *_: object, **_options: object) -> AbstractAsyncContextManager[Session]:
        return self  # type: ignore[return-value]

    async def __aenter__(self) -> None:
        await asyncio.sleep(0.01)
        raise AgentError("It cannot be opened.")

    async def __aexit__(self, *_: object) -> None: ...


@pytest.mark.parametrize(("chosen", "has_past"), [("plan", True), ("plan", False), ("acceptEdits", True), ("", True)])
async def test_a_mode_counts_that_was_chosen_before_the_run_could_be_opened(
    chosen: str, has_past: bool, serve: ServeModel
) -> None:
    opens: list[type[MaverickAgent]] = [Unopened, Direct]
    modes = ["acceptEdits", "default"]

    def find() -> MaverickAgent:
        agent = opens.pop(0)()
        agent.allowed_tools, agent.permission_mode = ["Read"], modes.pop(0)
        return agent

    before = [RunStarted(1, "r1", "agent"), AgentLoaded(1, "agent", ".", permission_mode="acceptEdits"), RunEnded(2)]
    async with serve(say("hello")), watch(find, past=past_of(before) if has_past else None) as run:
        await run.until(ConnectFailed)
        if chosen:
            run.send(SetMode(chosen))
            await run.until(ModeChanged)
        run.send(Reconnect())
        await run.until(Connected)
        prompter = run.run._connection.prompter
        assert prompter is not None
        session: Any = prompter.session
        shown = told(*run.events).mode
        assert (session._mode, run.run._turns.mode, shown) == (chosen or "default",) * 3
        assert past_of(run.events).mode == shown
        assert run.run._turns.mode_after_plan() == (chosen if chosen == "acceptEdits" else "default")


async def test_where_nothing_could_be_opened_nothing_is_left_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    given_up = asyncio.Event()

    async def read_tables(*_: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()

    monkeypatch.setattr("maverick_tui.runs.connection.in_thread", read_tables)
    async with watch(Unopened) as run:
        await run.until(ConnectFailed)
        await asyncio.wait_for(given_up.wait(), 30)


@pytest.mark.parametrize("broken", ["agent", "folder", "settings"])
async def test_what_cannot_be_loaded_is_told(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def find() -> type[MaverickAgent]:
        if broken == "agent":
            raise RuntimeError("its file has a mistake")
        return Talker

    if broken == "settings":
        monkeypatch.setenv("MAVERICK_TIMEOUT", "soon")
    cwd = Path("nowhere") if broken == "folder" else Path.cwd()
    async with watch(find, name="broken", cwd=cwd) as run:
        failed = await run.until(ConnectFailed)
        run.prompt("tries again")
        await run.until(ConnectFailed, 2)
        run.send(Interrupt())
        await run.until(PromptsHeld)
    assert run.all(RunStarted)[0].agent == "broken"
    assert {"agent": "a mistake", "folder": "nowhere", "settings": "timeout"}[broken] in failed.failure.message


# -- interrupts --------------------------------------------------------------------------------------------------------


@pytest.mark.explore  # `test_app.py` of the interface shows it
async def test_an_interrupt_is_acknowledged_at_once_and_keeps_the_text(serve: ServeModel) -> None:
    words = ("first", "later")
    answers = [answer for word in words for answer in (say(f"{word} " * 40, fault=stall()), say(f"next to {word}"))]
    async with serve(turns(*answers)), watch(Talker) as run:
        for word in words:
            run.prompt("talk")
            await run.until(BlockGrew, where=lambda event, word=word: word in event.text)  # type: ignore[misc]
            run.send(Interrupt())
            assert isinstance(run.events[-1], InterruptRequested), "in the same call"
            ended = await run.until(TurnEnded, len(run.all(TurnStarted)))
            assert ended.outcome == "interrupted"
            assert f"{word} {word}" in run.text()
            assert (await run.ask("go on")).outcome == "done"
            assert run.text().endswith(f"next to {word}")


@pytest.mark.explore
@pytest.mark.parametrize("agent", [Talker, Direct], ids=["claude-code", "api"])
async def test_what_a_broken_answer_has_written_is_counted_though_nobody_has_reported_it(
    agent: type[MaverickAgent], serve: ServeModel
) -> None:
    async with serve(say("word " * 400, fault=stall())), watch(agent) as run:
        run.prompt("talk")
        await run.until(BlockGrew, where=lambda _event: len(run.text()) > 200)
        before = told(*run.events).figures.usage
        run.send(Interrupt())
        ended = await run.until(TurnEnded)
    figures, written = told(*run.events).figures, len(run.text())
    assert before.output_tokens < 10, "the API has told of next to nothing"
    assert ended.usage.output_tokens >= written // 4
    assert figures.usage.output_tokens == ended.usage.output_tokens
    assert figures.usage.cost_usd == pytest.approx(ended.usage.cost_usd)
    assert ended.uncounted.output_tokens >= written // 4
    more, cost = ended.usage.output_tokens - before.output_tokens, figures.usage.cost_usd
    assert cost == pytest.approx((before.cost_usd or 0.0) + more * 15e-6), "by list price"
    assert ended.is_estimate
    assert figures.is_estimate


async def test_an_answer_that_comes_by_a_second_try_has_cost_the_first_one_as_well(serve: ServeModel) -> None:
    words = "word " * 100
    async with serve(say(words, fault=drop(times=1))), watch(Direct) as run:
        ended = await run.ask("talk")
    (plain,) = {event.output_tokens for event in run.all(UsageReported)[-1:]}
    assert ended.outcome == "done"
    assert ended.uncounted.output_tokens > 10
    assert ended.usage.output_tokens > plain
    assert ended.is_estimate


@pytest.mark.explore
async def test_a_conversation_that_is_resumed_behind_a_broken_answer_counts_on_from_what_the_cli_has_counted(
    serve: ServeModel,
) -> None:
    script = [scene(say("word " * 300, fault=stall()), prompt="stall$"), scene(say("fine"))]
    async with serve(script):
        async with watch(Talker) as run:
            before = await run.ask("one")
            run.prompt("stall")
            await run.until(BlockGrew, where=lambda _event: len(run.text()) > 600)
            run.send(Interrupt())
            assert (await run.until(TurnEnded, 2)).uncounted.output_tokens > 100
            for number in range(3):
                await run.ask(f"more {number}")
        async with watch(Talker, past=past_of(run.events)) as again:
            after = await again.ask("again")
    assert after.usage.tokens == before.usage.tokens
    assert after.usage.cost_usd == pytest.approx(before.usage.cost_usd)


async def test_what_waits_is_held_by_an_interrupt_or_a_failure_until_it_is_released(serve: ServeModel) -> None:
    script = [
        scene(say("word " * 40, fault=stall()), prompt="stall$"),
        scene(fail(400, "invalid_request_error"), prompt="refuse$"),
        scene(say("answered")),
    ]
    async with serve(script) as server, watch(Direct) as run:
        run.prompt("stall")
        await run.until(BlockGrew)
        first = run.prompt("one")
        run.send(Interrupt())
        await run.until(TurnEnded)
        await run.ask("something else first")
        run.send(ReleasePrompts())
        await run.until(TurnEnded, 3)
        run.prompt("refuse")
        second = run.prompt("two")
        assert (await run.until(TurnEnded, 4)).outcome == "failed"
        await run.until(PromptsHeld, 2)
        await run.ask("one more")
        run.send(ReleasePrompts())
        await run.until(TurnEnded, 6)
    assert [event.prompt_ids for event in run.all(PromptsHeld)] == [(first,), (second,)]
    texts = ["stall", "something else first", "one", "refuse", "one more", "two"]
    assert [turn.text for turn in run.all(TurnStarted)] == texts
    assert [last_prompt(request).splitlines()[-1] for request in server.requests] == texts


@pytest.mark.parametrize("after", sampled([BlockGrew, Connected, Connecting], 3))
async def test_a_cancelled_run_ends_well(after: type[Any], serve: ServeModel, mark: str) -> None:
    async with serve(say("word " * 40, fault=stall())):
        run = Watched(Direct)  # what becomes of a CLI is in `test_session.py` of its engine
        task = run.run.start()
        run.prompt("one")
        await run.until(after)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    check_well_formed(run.events)
    assert run.all(RunEnded)[0].reason == "cancelled"


async def test_a_run_that_is_closed_before_it_began_is_still_a_run() -> None:
    run = Watched(Talker)
    task = run.run.start()
    run.send(CloseRun())
    await task
    check_well_formed(run.events)


async def test_who_has_ended_a_run_is_told_once() -> None:
    async with watch(Talker) as run:
        await run.ask("go")
        run.send(CloseRun(by="`maverick stop` in pts/4"))
        run.send(CloseRun(by="somebody else"))
        await run.until(RunEnded)
    assert [event.text for event in run.all(Noticed)] == ["Ended by `maverick stop` in pts/4."]


async def test_several_read_along_from_where_they_like_and_one_that_fails_ends_nothing() -> None:
    async def read(since: int, until: str = "") -> list[Event]:
        seen = []
        async for event in run.run.events.reader(since):
            seen.append(event)
            if event.type == until:
                raise ValueError("cannot draw this")
        return seen

    async with watch(Pretender) as run:
        early, broken = asyncio.create_task(read(0)), asyncio.create_task(read(0, "block_grew"))
        ended = await run.ask("go")
        late = asyncio.create_task(read(5))
        with pytest.raises(ValueError, match="cannot draw"):
            await broken
    assert ended.outcome == "done"
    assert await early == run.events
    assert await late == run.events[5:]


# -- execute -----------------------------------------------------------------------------------------------------------


class Planner(Direct):
    """Asks twice, and reports what came of it."""

    async def execute(self, context: AgentContext) -> AgentResult:
        self.results = [await self.run(f"plan {context.extra.get('prompt', 'anything')}", context)]
        self.results.append(await self.run("review the plan", context))
        return AgentResult.success_result("a report of my own", self.results[-1].usage)


async def test_an_agents_own_execute_is_streamed_turn_by_turn(serve: ServeModel) -> None:
    agent = Planner()
    script = [
        scene(say("the plan", usage=(100, 10)), prompt="^plan"),
        scene(say("it is good", usage=(200, 20)), prompt="^review"),
        scene(say("a follow-up"), prompt="^more$"),
    ]
    async with serve(script) as model, watch(lambda: agent) as run:
        run.prompt("")
        await run.until(TurnEnded, 2)
        await run.ask("more")
    assert [turn.origin for turn in run.all(TurnStarted)] == ["person", "agent", "person"]
    assert [event.text for event in run.all(PromptSent)] == ["plan anything"]
    assert run.all(TurnStarted)[1].text == "review the plan"
    assert run.text() == "the plan\nit is good\na report of my own\na follow-up"
    assert [last_prompt(request) for request in model.requests] == ["plan anything", "review the plan", "more"]
    for result, turn in zip(agent.results, run.all(TurnEnded), strict=False):
        assert result.usage.input_tokens == turn.usage.input_tokens
        assert result.usage.output_tokens == turn.usage.output_tokens
        assert result.usage.total_cost_usd == pytest.approx(turn.usage.cost_usd)


class Careless(Direct):
    """Fails in its own code."""

    async def execute(self, context: AgentContext) -> AgentResult:
        await self.run("go", context)
        raise KeyError("no such key")


async def test_a_mistake_in_execute_is_the_failure_of_its_turn(serve: ServeModel) -> None:
    async with serve(say("some text")), watch(Careless) as run:
        ended = await run.ask("go")
    assert ended.failure is not None
    assert ended.failure.error == "KeyError"
    assert ended.usage.input_tokens == 10
    assert run.text() == "some text"


class Slow(Pretender):
    """Its session takes a while to be told a mode, and keeps what it was told."""

    told: ClassVar[list[str]] = []
    listening, go_on = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def open_session(self, context: AgentContext, listener: Listener, **options: Any) -> AsyncIterator[Session]:
        async def set_permission_mode(mode: str) -> None:
            self.told.append(mode)
            if mode == "plan":
                self.listening.set()
                await self.go_on.wait()

        async with super().open_session(context, listener, **options) as session:
            session.set_permission_mode = set_permission_mode  # type: ignore[method-assign]
            yield session


async def test_a_mode_that_is_chosen_while_the_session_is_being_opened_reaches_it() -> None:
    Slow.told.clear()
    async with watch(Slow) as run:
        run.send(SetMode("plan"))
        async with asyncio.timeout(PATIENCE):
            await Slow.listening.wait()
        run.send(SetMode("dontAsk"))
        while len(run.all(ModeChanged)) < 2:
            await asyncio.sleep(0.01)
        Slow.go_on.set()
        await run.until(Connected)
    assert [event.mode for event in run.all(ModeChanged)] == ["plan", "dontAsk"]
    assert Slow.told == ["plan", "dontAsk"]


class Calculator(Pretender):
    """Needs no model."""

    async def execute(self, context: AgentContext) -> AgentResult:
        none = (await Direct().run("ask somebody else", context)).usage if context.extra.get("other") else None
        if context.extra["prompt"] == "fail":
            raise AgentError("It cannot be done.", kind="invalid")
        from maverick_tui import AgentUsage

        return AgentResult.success_result("42", none or AgentUsage(0, 0, None, 0))


async def test_an_execute_that_asks_nobody_is_a_turn_too() -> None:
    async with watch(Calculator) as run:
        failed = await run.ask("fail")
        ended = await run.ask("6 * 7")
    assert failed.failure is not None
    assert failed.failure.message == "It cannot be done."
    assert ended.outcome == "done"
    assert run.text() == "42", "and no answer of the session"


class Slipping(Pretender):
    """Its author has made a mistake that looks like an end."""

    async def execute(self, context: AgentContext) -> AgentResult:
        if context.extra["prompt"] == "interrupt":
            raise KeyboardInterrupt
        if context.extra["prompt"] == "untold":
            raise Untold
        (other := asyncio.create_task(asyncio.sleep(9))).cancel()
        await other
        raise AssertionError


class Untold(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


@pytest.mark.parametrize(
    ("prompt", "error"), [("cancel", "CancelledError"), ("interrupt", "KeyboardInterrupt"), ("untold", "Untold")]
)
async def test_an_end_that_nobody_has_asked_for_is_the_failure_of_the_turn(prompt: str, error: str) -> None:
    async with watch(Slipping) as run:
        ended = await run.ask(prompt)
        assert ended.outcome == "failed"
        assert ended.failure is not None
        assert ended.failure.error == error
        run.prompt("again")
        await run.until(TurnEnded, 2)


class Judging(Pretender):
    """Makes something of its own out of what the model says."""

    async def execute(self, context: AgentContext) -> AgentResult:
        asked = [await self.run(prompt, context) for prompt in ("one", "two")]
        outputs = {"last": asked[-1].output, "first": asked[0].output, "all": "answer to one\n\nanswer to two"}
        output = outputs.get(context.extra["prompt"], context.extra["prompt"])
        return AgentResult.success_result(output, asked[-1].usage)


@pytest.mark.parametrize("prompt", ["last", "first", "all"])
async def test_what_the_model_has_said_is_not_told_again(prompt: str) -> None:
    async with watch(Judging) as run:
        run.prompt(prompt)
        await run.until(TurnEnded, 2)
    assert run.text() == "answer to one\nanswer to two"


@pytest.mark.parametrize("output", ["answer", "two", "one answer"])
async def test_a_word_out_of_what_the_model_has_said_is_the_agents_own_answer(output: str) -> None:
    async with watch(Judging) as run:
        run.prompt(output)
        await run.until(TurnEnded, 2)
    assert run.text() == f"answer to one\nanswer to two\n{output}"


async def test_another_agent_that_execute_asks_is_not_taken_for_this_one(serve: ServeModel) -> None:
    async with serve(say("from elsewhere")) as model, watch(Calculator, extra={"other": True}) as run:
        ended = await run.ask("6 * 7")
    assert len(model.requests) == 1
    assert [event.kind for event in run.all(Noticed)] == ["aside"]
    assert run.text() == "42"
    assert ended.usage.input_tokens == 10


class Stubborn(Direct):
    """Goes on after an interrupt as if nothing had happened."""

    async def execute(self, context: AgentContext) -> AgentResult:
        await self.run("one", context)
        return await self.run("two", context)


async def test_an_interrupt_ends_all_of_execute(serve: ServeModel) -> None:
    async with serve(say("word " * 40, fault=stall())) as model, watch(Stubborn) as run:
        run.prompt("go")
        await run.until(BlockGrew)
        run.send(Interrupt())
        ended = await run.until(TurnEnded)
    assert ended.outcome == "interrupted"
    assert len(run.all(TurnStarted)) == 1
    assert len(model.requests) == 1


class Undescribed(Pretender):
    """Its author's own property fails."""

    @property
    def description(self) -> str:  # type: ignore[override]
        raise LookupError("no words")


async def test_an_agent_that_cannot_be_described_runs_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    async with watch(Undescribed, name="odd") as run:
        assert (await run.ask("go")).outcome == "done"
    (started,) = run.all(AgentLoaded)
    assert (started.agent, started.cwd, started.description) == ("odd", str(Path.cwd()), "")
    assert run.text() == "answer to go"
    assert "The agent odd cannot be described" in caplog.text


def test_a_run_is_made_without_the_sdk() -> None:
    code = (
        "import sys, maverick_tui.runs.local; print(sorted({'claude_agent_sdk', 'pydantic', 'git'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
