"""Runs of the engine `api`: no CLI, and the same events as with one. The real `anthropic` client, a scripted model."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from maverick_tui import (
    AgentContext,
    AgentError,
    AgentResult,
    ConfigError,
    MaverickAgent,
    StreamingError,
    load_agent,
    registry,
)
from maverick_tui.agent.engine.api.telling import Telling
from maverick_tui.agent.permissions.standing import user_file
from maverick_tui.agent.sdk_messages import SdkListener
from maverick_tui.events.kinds import (
    AgentLoaded,
    BlockStarted,
    Event,
    InterruptRequested,
    ModeChanged,
    ModelNamed,
    PermissionAsked,
    ReplyRestarted,
    RetryScheduled,
    ToolCalled,
    ToolFinished,
    TurnEnded,
    UsageReported,
)
from maverick_tui.executor import ToolContext, tool
from maverick_tui.executor.activity import ToolCallFinished
from maverick_tui.executor.model.messages import Agent, Delta, Message, Request, Response
from maverick_tui.executor.model.wire import AnswerReader
from maverick_tui.executor.strict_json import MOST_NESTED
from maverick_tui.executor.tools import FunctionTool
from maverick_tui.offline.script import Answer, HttpFault, Pace, TextStep, ThinkingStep, ToolStep
from maverick_tui.runs.commands import AnswerPermission, Interrupt, SetMode
from maverick_tui.runs.store import RunStore
from tests.conftest import ServeModel
from tests.runs.watching import Watched, watch
from tests.support.agents import Talker, context, drain
from tests.support.model import call, drop, fail, last_prompt, say, scene, turns
from tests.support.processes import marked

WRITTEN: list[str] = []


@tool(is_read_only=True)
def count_words(text: str) -> int:
    """How many words there are."""
    return len(text.split())


@tool
async def write_down(text: str, context: ToolContext) -> str:
    """Write something down."""
    WRITTEN.append(text)
    return f"{context.agent} wrote {text}"


class Direct(Talker):
    """Asks the model API itself."""

    name = "direct"
    engine = "api"
    own_tools: Sequence[FunctionTool] = (count_words, write_down)
    allowed_tools = ("Read", "Glob", "Grep")


@pytest.fixture(autouse=True)
def nothing_written() -> None:
    WRITTEN.clear()


# -- the same as the other engine ------------------------------------------------------------------------------------


async def test_a_prompt_and_a_follow_up_in_one_conversation(serve: ServeModel, mark: str) -> None:
    async with serve(turns(say("the first answer"), say("the second"))) as model, watch(Direct) as run:
        first, second = await run.ask("one"), await run.ask("two")
        assert marked(mark) == {}, "there is no CLI"
    assert (first.outcome, second.outcome) == ("done", "done"), first.failure
    assert run.text() == "the first answer\nthe second"
    assert [last_prompt(request) for request in model.requests] == ["one", "two"]
    assert [message["role"] for message in model.requests[1]["messages"]] == ["user", "assistant", "user"]


async def shape_of(agent: type[MaverickAgent]) -> list[str]:
    """The events of a run with thoughts, a tool and an answer, without how often things grew and were counted."""
    async with watch(agent) as run:
        await run.ask("look")
    return [name for name in _kinds(run.events) if name not in ("usage_reported", "model_named", "mode_changed")]


def _kinds(events: list[Event]) -> list[str]:
    kinds: list[str] = []
    for event in events:
        if event.type != "block_grew" or kinds[-1] != "block_grew":
            kinds.append(event.type)
    return kinds


async def test_a_run_looks_the_same_whichever_engine_runs_it(serve: ServeModel) -> None:
    class Cli(Talker):
        allowed_tools = ("Read",)

    Path("note.txt").write_text("a line\n")
    answers = (
        Answer(steps=(ThinkingStep(thinking="hm"), TextStep(text="I look."), ToolStep(tool="Read", input=_note()))),
        say("There is a line."),
    )
    async with serve([scene(*answers)]):
        direct, cli = await shape_of(Direct), await shape_of(Cli)
    # A text ends with the answer, since a retry would undo it; the CLI ends it with its block.
    assert [kind for kind in direct if kind != "block_ended"] == [kind for kind in cli if kind != "block_ended"]
    assert sorted(direct) == sorted(cli)


def _note() -> dict[str, str]:
    return {"file_path": str(Path("note.txt").absolute())}


async def test_figures_agree_with_the_result_to_the_token(serve: ServeModel) -> None:
    answers = [call("count_words", text="a b c"), say("Three.", usage=(1_200, 34))]
    async with serve([scene(*answers)]), watch(Direct) as run:
        ended = await run.ask("count")
        result = await Direct().run("count", context())
    store = RunStore()
    for event in run.events:
        store.apply(event)
    assert isinstance(result, AgentResult)
    assert result.output == "Three."
    used = (result.usage.input_tokens, result.usage.output_tokens, result.usage.total_cost_usd)
    assert (ended.usage.input_tokens, ended.usage.output_tokens, ended.usage.cost_usd) == used == (1_210, 39, used[2])
    assert used[2] == pytest.approx((1_210 * 3 + 39 * 15) / 1e6)
    assert ended.steps == 2
    assert run.all(ModelNamed)[-1].context_size == 200_000
    reports = {report.message: report.output_tokens for report in run.all(UsageReported)}
    assert sum(reports.values()) == 39
    costs = {report.message: report.cost_usd or 0.0 for report in run.all(UsageReported)}
    assert sum(costs.values()) == pytest.approx(used[2])


async def test_it_says_which_engine_it_is(serve: ServeModel) -> None:
    async with serve(turns(say("yes"))), watch(Direct) as run:
        await run.ask("one")
    assert run.all(AgentLoaded)[0].engine == "api"


# -- tools -----------------------------------------------------------------------------------------------------------


async def test_what_is_read_only_runs_and_the_rest_asks(serve: ServeModel) -> None:
    answers = [call("count_words", text="a b"), call("write_down", text="secret plan"), say("done")]
    async with serve([scene(*answers)]), watch(Direct) as run:
        run.prompt("go")
        asked = await run.until(PermissionAsked)
        assert (asked.tool, asked.arguments, WRITTEN) == ("write_down", {"text": "secret plan"}, [])
        run.send(AnswerPermission(asked.request, "once"))
        ended = await run.until(TurnEnded)
    assert ended.outcome == "done"
    assert WRITTEN == ["secret plan"]
    assert [(event.output, event.is_error) for event in run.all(ToolFinished)] == [
        ("2", False),
        ("direct wrote secret plan", False),
    ]


async def test_a_refusal_is_told_to_the_model_and_it_goes_on(serve: ServeModel) -> None:
    answers = [call("write_down", text="x"), say("As you wish.")]
    async with serve([scene(*answers)]) as model, watch(Direct) as run:
        run.prompt("go")
        asked = await run.until(PermissionAsked)
        run.send(AnswerPermission(asked.request, "deny", reason="not today"))
        assert (await run.until(TurnEnded)).outcome == "done"
    assert WRITTEN == []
    told = model.requests[-1]["messages"][-1]["content"][0]
    assert told["is_error"]
    assert "not today" in str(told["content"])


async def test_a_rule_for_a_tool_of_its_own_and_a_call_that_is_changed(serve: ServeModel) -> None:
    answers = [call("write_down", text="a"), call("write_down", text="b"), call("write_down", text="c"), say("done")]
    async with serve([scene(*answers)]), watch(Direct) as run:
        run.prompt("go")
        first = await run.until(PermissionAsked)
        run.send(AnswerPermission(first.request, "once", arguments={"text": "A"}))
        second = await run.until(PermissionAsked, 2)
        assert second.rules == ("own:write_down",)
        run.send(AnswerPermission(second.request, "once", rule="own:write_down", is_for_agent=False))
        await run.until(TurnEnded)
    assert WRITTEN == ["A", "b", "c"]
    assert len(run.all(PermissionAsked)) == 2


async def test_planning_changes_nothing_and_asks_nothing(serve: ServeModel) -> None:
    answers = [call("write_down", text="x"), say("I only plan.")]
    async with serve([scene(*answers)]), watch(Direct) as run:
        run.send(SetMode("plan"))
        await run.until(ModeChanged)
        assert (await run.ask("go")).outcome == "done"
    assert WRITTEN == []
    assert run.all(PermissionAsked) == []
    assert "planning" in run.all(ToolFinished)[0].output


async def test_what_a_person_allows_runs_though_the_run_has_begun_to_plan_since_it_was_asked(serve: ServeModel) -> None:
    async with serve([scene(call("write_down", text="x"), say("done"))]), watch(Direct) as run:
        run.prompt("go")
        asked = await run.until(PermissionAsked)
        run.send(SetMode("plan"))
        await run.until(ModeChanged)
        run.send(AnswerPermission(asked.request, "once"))
        await run.until(TurnEnded)
    assert WRITTEN == ["x"]


async def test_without_a_person_its_own_tools_run(serve: ServeModel) -> None:
    async with serve([scene(call("write_down", text="alone"), say("done"))]):
        result = await Direct().run("go", context())
    assert result.success
    assert WRITTEN == ["alone"]


@pytest.mark.parametrize("rule", ["mcp__notes__add", "mcp__notes__*", "mcp__*", "own:mcp__notes__add"])
async def test_a_rule_about_a_tool_of_a_server_holds_as_with_the_other_engine(rule: str, serve: ServeModel) -> None:
    class Noting(Direct):
        own_tools = (FunctionTool(write_down.__wrapped__, name="mcp__notes__add"),)

    user_file().parent.mkdir(parents=True, exist_ok=True)
    user_file().write_text(f'deny = ["{rule}"]')
    async with serve([scene(call("mcp__notes__add", text="denied"), say("done"))]) as model:
        assert (await Noting().run("go", context())).success
    assert WRITTEN == []
    assert f"There is a rule against it: deny {rule}" in str(model.requests[-1]["messages"][-1])


# -- failures and interrupts -----------------------------------------------------------------------------------------


async def interrupted(run: Watched) -> TurnEnded:
    run.send(Interrupt())
    return await run.until(TurnEnded)


async def test_an_interrupt_keeps_what_was_said_and_the_conversation_goes_on(serve: ServeModel) -> None:
    slow = Answer(steps=(TextStep(text="word " * 500),), pace=Pace(tokens_per_second=100))
    scenes = [scene(slow, prompt="^long$"), scene(say("Short."), prompt="^short$")]
    async with serve(scenes) as model, watch(Direct) as run:
        run.prompt("long")
        await run.until(UsageReported)
        while "word" not in run.text():
            await asyncio.sleep(0.01)
        ended = await interrupted(run)
        assert ended.outcome == "interrupted"
        assert (await run.ask("short")).outcome == "done"
    assert run.all(InterruptRequested)
    assert run.text().startswith("word")
    roles = [message["role"] for message in model.requests[-1]["messages"]]
    assert roles == ["user", "assistant", "user"]


async def test_a_call_that_is_nested_without_end_is_told_to_the_model_and_the_conversation_goes_on(
    serve: ServeModel,
) -> None:
    deep: list[object] = []
    for _ in range(MOST_NESTED):
        deep = [deep]
    answers = [scene(call("Read", file_path=deep), say("I see."), turn=1), scene(say("Well."), turn=2)]
    async with serve(answers) as model, watch(Direct) as run:
        assert [(await run.ask("look")).outcome, (await run.ask("and now?")).outcome] == ["done", "done"]
    assert "are not a JSON object" in str(model.requests[1]["messages"][-1])
    [called] = [event for event in run.events if isinstance(event, ToolCalled)]
    assert called.arguments == {}


async def test_an_interrupt_withdraws_a_question(serve: ServeModel) -> None:
    async with serve([scene(call("write_down", text="x"), say("never"))]), watch(Direct) as run:
        run.prompt("go")
        await run.until(PermissionAsked)
        assert (await interrupted(run)).outcome == "interrupted"
    assert WRITTEN == []


async def test_an_overloaded_endpoint_is_asked_again_and_the_run_says_so(serve: ServeModel) -> None:
    busy = say("Here.", fault=HttpFault(kind="http", status=529, type="overloaded_error", times=1))
    async with serve(turns(busy)), watch(Direct) as run:
        assert (await run.ask("go")).outcome == "done"
    retry = run.all(RetryScheduled)[0]
    assert (retry.status, retry.attempt, retry.limit) == (529, 1, 3)
    assert run.text() == "Here."


async def test_a_dropped_stream_starts_anew_and_marks_what_came_before(serve: ServeModel) -> None:
    cut = say("All of the answer.", fault=drop(at="text", times=1))
    async with serve(turns(cut)), watch(Direct) as run:
        assert (await run.ask("go")).outcome == "done"
    assert run.all(ReplyRestarted)
    assert run.text().endswith("All of the answer.")


async def test_what_a_retry_undoes_is_told_once(serve: ServeModel) -> None:
    steps = (TextStep(text="I look."), ToolStep(tool="count_words", input={"text": "a b"}), TextStep(text="More."))
    cut = Answer(steps=steps, fault=drop(at="tool", times=1))
    async with serve([scene(cut, say("Two."))]), watch(Direct) as run:
        assert (await run.ask("go")).outcome == "done"
    async with serve([scene(cut, say("Two."))]):
        result = await Direct().run("go", context())
    assert result.output.count("I look.") == 1
    assert {event.call for event in run.all(ToolCalled)} == {event.call for event in run.all(ToolFinished)}


async def test_output_that_does_not_fit_is_a_failure_that_keeps_the_text(serve: ServeModel) -> None:
    class Typed(Direct):
        output_schema = {"type": "object", "required": ["answer"]}
        repairs = 0

    async with serve([scene(say("not json"))]):
        wrong = await Typed().run("go", context())
    async with serve([scene(say('{"answer": 42}'))]):
        right = await Typed().run("go", context())
    assert (wrong.success, wrong.output) == (False, "not json")
    assert "does not fit" in str(wrong.errors[0])
    assert (right.success, right.metadata["structured_output"]) == (True, {"answer": 42})


async def test_what_a_tool_returns_that_completes_is_the_answer(serve: ServeModel) -> None:
    @tool(completes=True, is_read_only=True)
    def finish(text: str) -> dict[str, str]:
        """Hand it in."""
        return {"handed in": text}

    class Finisher(Direct):
        own_tools = (finish,)

    async with serve([scene(call("finish", text="this"))]):
        result = await Finisher().run("go", context())
    assert (result.success, result.output) == (True, '{"handed in":"this"}')


async def test_a_pause_before_a_retry_is_no_silence(serve: ServeModel) -> None:
    class Hasty(Direct):
        timeout = 0.5

    busy = say(
        "Here.",
        fault=HttpFault(kind="http", status=429, type="rate_limit_error", times=1, headers={"retry-after": "1"}),
    )
    async with serve(turns(busy)):
        result = await Hasty().run("go", context())
    assert (result.success, result.output) == (True, "Here.")


async def test_it_says_that_it_cannot_resume(serve: ServeModel) -> None:
    async with serve(turns(say("x"))):
        with pytest.raises(AgentError, match="cannot be resumed"):
            async with Direct().session(context(), resume="earlier"):
                pass


def test_an_own_tool_may_not_take_the_name_of_the_engines() -> None:
    class Grabbing(Direct):
        own_tools = (FunctionTool(lambda: None, name="Read"),)

    with pytest.raises(ConfigError, match="'Read' of 'direct' is a tool of the engine"):
        Grabbing()


async def test_a_refused_key_is_one_clear_failure(serve: ServeModel) -> None:
    async with serve(turns(fail(401, "authentication_error"))), watch(Direct) as run:
        ended = await run.ask("go")
    assert ended.outcome == "failed"
    assert ended.failure is not None
    assert ended.failure.kind == "invalid"
    assert "credentials" in ended.failure.message


async def test_a_stream_that_fails_for_good_keeps_what_came(serve: ServeModel) -> None:
    class Once(Direct):
        limits = {"per_request": {"timeout_ms": 1500}}

    slow = Answer(steps=(TextStep(text="word " * 500),), pace=Pace(tokens_per_second=100))
    async with serve(turns(slow)):
        messages, error = await drain(Once().query("go"))
    assert isinstance(error, StreamingError)
    assert error.kind == "timeout"
    assert messages


# -- subagents -------------------------------------------------------------------------------------------------------


async def test_a_subagent_is_nested_and_counted(serve: ServeModel) -> None:
    from maverick_tui import registry

    class Helper(Talker):
        name = "helper"
        description = "Helps."
        system_prompt = "You help."
        engine = "api"
        own_tools = (count_words,)

    class Boss(Talker):
        name = "boss"
        engine = "api"
        subagents = ("helper",)

    registry.register("helper", Helper)
    try:
        scenes = [
            scene(call("count_words", text="a b c"), say("Three words.", usage=(100, 7)), prompt="^count it$"),
            scene(call("helper", prompt="count it"), say("It says three.", usage=(50, 3)), prompt="^go$"),
        ]
        async with serve(scenes), watch(Boss) as run:
            ended = await run.ask("go")
    finally:
        registry.unregister("helper")
    outer, inner = run.all(ToolCalled)
    assert (outer.name, inner.name) == ("helper", "count_words")
    assert inner.parent == outer.call
    assert run.text(parent=outer.call) == "Three words."
    assert run.text() == "It says three."
    assert ended.usage.output_tokens == 5 + 5 + 7 + 3


async def test_an_agents_own_execute_runs_through_the_conversation(serve: ServeModel) -> None:
    conversations: list[str] = []

    class Twice(Direct):
        async def execute(self, context: AgentContext) -> AgentResult:
            results = [await self.run("first", context), await self.run("second", context)]
            conversations.extend(result.metadata["session_id"] for result in results)
            return results[-1]

    async with serve(turns(say("one"), say("two"))) as model, watch(Twice) as run:
        run.prompt("go")
        await run.until(TurnEnded, 2)
    assert [last_prompt(request) for request in model.requests] == ["first", "second"]
    assert run.text() == "one\ntwo"
    assert conversations[0]
    assert conversations[0] == conversations[1]


async def test_an_agent_file_may_call_another_with_its_inputs(serve: ServeModel) -> None:
    folder = Path(".maverick/agents")
    folder.mkdir(parents=True)
    (folder / "helper.md").write_text(
        "---\nname: helper\ndescription: Helps.\nengine: api\ntools: Read\npermissionMode: plan\n"
        "inputs: {language: {default: English}}\n---\n\nYou help in ${language}.\n"
    )
    (folder / "boss.md").write_text(
        "---\nname: boss\ndescription: Asks.\nengine: api\ntools: []\nagents: helper\n---\n\nYou ask.\n"
    )
    scenes = [
        scene(say("Hallo."), prompt="^greet$"),
        scene(call("helper", prompt="greet", language="German"), say("It says Hallo."), prompt="^go$"),
    ]
    async with serve(scenes) as model:
        result = await load_agent("boss")().run("go", context())
    assert result.output.endswith("It says Hallo.")
    asked = next(request for request in model.requests if last_prompt(request) == "greet")
    assert "You help in German." in str(asked["system"])
    assert [offered["name"] for offered in asked["tools"]] == ["Read"]


async def test_an_agent_that_is_not_there_cannot_be_called(serve: ServeModel) -> None:
    class Boss(Talker):
        engine = "api"
        subagents = ("nobody-at-all",)

    async with serve(turns(say("x"))) as model:
        result = await Boss().run("go", context())
    assert not result.success
    assert "nobody-at-all" in str(result.errors[0])
    assert model.requests == []


def test_what_a_tool_returns_is_told_as_it_is_and_by_the_id_that_its_block_has() -> None:
    listener = SdkListener()
    told = listener.events = asyncio.Queue()
    telling = Telling(cast("Agent", object()), listener, "sonnet")
    telling.take(ToolCallFinished("c1", "\n<system-reminder>of a file</system-reminder>\n"))
    telling._stream.take(Delta("tool", "Read", 0, id="c1"))
    finished, begun = told.get_nowait(), told.get_nowait()
    assert isinstance(finished, ToolFinished)
    assert finished.output == "\n<system-reminder>of a file</system-reminder>\n"
    assert isinstance(begun, BlockStarted)
    assert begun.call == finished.call


async def test_a_call_is_told_with_the_arguments_that_it_has_however_they_came() -> None:
    class AtOnce:
        async def run(self, request: Request) -> Response:
            reader = AnswerReader(request.listen)
            block = {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "a.txt"}}
            reader.feed({"type": "content_block_start", "index": 0, "content_block": block})
            return reader.response

    listener = SdkListener()
    told = listener.events = asyncio.Queue()
    response = await Telling(cast("Agent", AtOnce()), listener, "sonnet").run(Request((Message.user("Read it."),)))
    events = [told.get_nowait() for _ in range(told.qsize())]
    [called] = [event for event in events if isinstance(event, ToolCalled)]
    assert called.arguments == response.tool_calls[0].arguments == {"file_path": "a.txt"}


async def test_an_agent_that_is_called_keeps_to_its_own_rules_and_its_caller_to_his(serve: ServeModel) -> None:
    class Helper(Talker):
        name, description, engine, allowed_tools = "helper", "Helps.", "api", ("Read",)

    class Boss(Helper):
        name, description, subagents = "boss", "Leads.", ("helper",)

    for name in ("secret.txt", "asked.txt"):
        Path(name).write_text("hush")
    user_file().parent.mkdir(parents=True)
    user_file().write_text('[agents.helper]\ndeny = ["Read(secret.txt)"]\n[agents.boss]\ndeny = ["Read(asked.txt)"]')
    registry.register("helper", Helper)
    reading, other = (call("Read", file_path=name) for name in ("secret.txt", "asked.txt"))
    lead = scene(call("helper", prompt="read it"), reading, say("done"), prompt="^go$")
    async with serve([scene(reading, other, say("read"), prompt="^read it$"), lead]), watch(Boss) as run:
        await run.ask("go")
    registry.unregister("helper")
    told = {one.call: one.output for one in run.all(ToolFinished)}
    tried = [told[one.call] for one in run.all(ToolCalled) if one.name == "Read"]
    assert ["hush" in output for output in tried] == [False, False, True]
    assert all("There is a rule against it" in output for output in tried[:2])


async def test_a_call_of_an_agent_that_is_called_is_asked_about_in_its_name_and_a_rule_is_for_it(
    serve: ServeModel,
) -> None:
    class Helper(Direct):
        name, description = "helper", "Helps."

    class Boss(Direct):
        name, description, subagents = "boss", "Leads.", ("helper",)

    registry.register("helper", Helper)
    helps = scene(call("write_down", text="a"), call("write_down", text="b"), say("did"), prompt="^do it$")
    leads = scene(call("helper", prompt="do it"), call("write_down", text="c"), say("done"), prompt="^go$")
    async with serve([helps, leads]), watch(Boss) as run:
        run.prompt("go")
        asked = await run.until(PermissionAsked)
        assert (asked.agent, asked.rules_agent, asked.rules) == ("helper", "helper", ("own:write_down",))
        run.send(AnswerPermission(asked.request, "once", rule="own:write_down"))
        again = await run.until(PermissionAsked, 2)
        assert (again.agent, again.rules_agent, again.arguments) == ("boss", "", {"text": "c"})
        run.send(AnswerPermission(again.request, "deny"))
        await run.until(TurnEnded)
    registry.unregister("helper")
    assert WRITTEN == ["a", "b"]
    assert "[agents.helper]" in user_file().read_text()
    assert "boss" not in user_file().read_text()


@pytest.mark.parametrize("mode", ["plan", "dontAsk"])
async def test_agents_that_one_calls_which_only_looks_only_look_as_well(mode: str, serve: ServeModel) -> None:
    class Doer(Direct):
        name, description = "doer", "Does."

    class Planner(Direct):
        name, description, subagents, permission_mode = "planner", "Plans.", ("doer",), mode

    class Boss(Direct):
        name, description, subagents = "boss", "Leads.", ("planner",)

    registry.register("doer", Doer)
    registry.register("planner", Planner)
    writes = call("write_down", text="x")
    does = scene(call("count_words", text="a b"), writes, say("did"), prompt="^do it$")
    plans = scene(writes, call("doer", prompt="do it"), say("planned"), prompt="^plan it$")
    leads = scene(call("planner", prompt="plan it"), say("done"), prompt="^go$")
    async with serve([does, plans, leads]):
        assert (await Boss().run("go", context())).success
        assert WRITTEN == []
        async with watch(Boss) as run:
            await run.ask("go")
    registry.unregister("doer")
    registry.unregister("planner")
    assert WRITTEN == []
    assert run.all(PermissionAsked) == []
    told = {one.call: one.output for one in run.all(ToolFinished)}
    assert [told[one.call] for one in run.all(ToolCalled) if one.name == "count_words"] == ["2"]


async def test_agents_that_the_code_of_one_asks_which_only_looks_only_look_as_well(serve: ServeModel) -> None:
    class Doer(Direct):
        name, description = "doer", "Does."

    @tool(is_read_only=True)
    async def have_it_done(text: str) -> str:
        """Have somebody look at it."""
        return (await Doer().run(text, context())).output

    class Planner(Talker):
        name, description, engine, own_tools, permission_mode = "planner", "Plans.", "api", (have_it_done,), "plan"

    class Boss(Talker):
        name, description, engine, subagents = "boss", "Leads.", "api", ("planner",)

    registry.register("planner", Planner)
    does = scene(call("write_down", text="x"), say("did"), prompt="^do it$")
    plans = scene(call("have_it_done", text="do it"), say("planned"), prompt="^plan it$")
    leads = scene(call("planner", prompt="plan it"), say("done"), prompt="^go$")
    async with serve([does, plans, leads]) as model:
        assert (await Boss().run("go", context())).success
        assert (await Planner().run("plan it", context())).success
        async with watch(Boss) as run:
            await run.ask("go")
    registry.unregister("planner")
    assert WRITTEN == []
    assert run.all(PermissionAsked) == []
    assert len([one for one in model.requests if last_prompt(one) == "do it"]) == 6, "it was asked each time"
