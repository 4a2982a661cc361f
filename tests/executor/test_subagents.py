"""Agents that call agents: nested events, limits of their own and of the caller, usage added and told apart."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel

from maverick_tui.exceptions import NetworkError
from maverick_tui.executor import (
    AgentDefinition,
    CancelToken,
    PromptConfig,
    Request,
    Response,
    TerminateReason,
    ToolCallFinished,
    ToolCallStarted,
    ToolContext,
    TurnEnded,
    Usage,
    tool,
)
from maverick_tui.executor.calls import CUT_OFF
from maverick_tui.executor.model.messages import Delta
from maverick_tui.executor.model.wire import AnswerReader
from tests.executor.support import Model, Watched, call, calls, cancel_when, define, says, watch


class Cast:
    """A model that plays each agent by its system prompt."""

    model = "claude-sonnet-4-5"

    def __init__(self, **parts: list[Any]) -> None:
        self._parts = {name: Model(*steps) for name, steps in parts.items()}

    def __getitem__(self, name: str) -> list[Request]:
        return self._parts[name].requests

    async def run(self, request: Request) -> Response:
        return await self._parts[request.system.split("\n")[0]].run(request)


def agent(name: str, *callable_agents: str, **fields: Any) -> AgentDefinition:
    prompt = PromptConfig(system=name, query=fields.pop("query", ""))
    tools = {"agents": callable_agents, **fields.pop("tools", {})}
    return define(name=name, description=f"Is {name}.", prompt=prompt, tools=tools, **fields)


async def play(cast: Cast, *agents: AgentDefinition, tools: Any = (), **options: Any) -> Watched:
    """Ask the first of them."""
    known = {one.name: one for one in agents}
    options.setdefault("inputs", {"prompt": "Begin."})
    return await watch(cast, agents[0], tools, agents=known, **options)


def ended(watched: Watched, call_id: str) -> ToolCallFinished:
    [event] = [e for e in watched.events if isinstance(e, ToolCallFinished) and e.tool_call_id == call_id]
    return event


async def hang(_request: Request) -> Response:
    await asyncio.sleep(30)
    raise AssertionError


@tool
async def look() -> str:
    """Looks."""
    return "seen"


@pytest.mark.req("003-G5")
async def test_an_agent_is_called_like_a_tool_and_its_events_are_nested() -> None:
    cast = Cast(
        boss=[calls(call("helper", "h1", prompt="Look."), usage=(100, 10)), says("It was seen.", usage=(200, 20))],
        helper=[calls(call("look", "l1"), usage=(30, 3)), says("I have seen it.", usage=(40, 4))],
    )
    watched = await play(cast, agent("boss", "helper", tools={"tools": ()}), agent("helper"), tools=[look])
    result = watched.result
    assert result.output == "It was seen."
    assert ended(watched, "h1").result == "I have seen it."
    assert [event.type for event in watched.events if event.parent == "h1"] == [
        *("turn_start", "tool_call_start", "tool_call_end", "turn_end"),
        *("turn_start", "content_chunk", "turn_end"),
    ]
    assert cast["helper"][0].messages[0].content == "Look."
    assert cast["helper"][0].parent == "h1"
    [offered] = cast["boss"][0].tools
    assert (offered.name, offered.description) == ("helper", "Is helper.")
    assert offered.parameters["required"] == ["prompt"]
    metrics = result.metrics
    assert metrics.usage == Usage(370, 37), "the helper's is added"
    assert metrics.subagents["h1"].usage == Usage(70, 7), "and told apart"
    assert (metrics.invocations, metrics.subagents["h1"].invocations, metrics.turns) == (4, 2, 2)
    assert (metrics.tool_calls, metrics.subagents["h1"].tool_calls) == (2, 1)
    assert metrics.cost_usd == pytest.approx((370 * 3 + 37 * 15) / 1e6)
    own = [event.usage for event in watched.events if isinstance(event, TurnEnded) and not event.parent]
    assert own == [Usage(100, 10), Usage(200, 20)]
    assert len(result.messages) == 4, "what the helper said stays with it"


async def test_declared_inputs_are_the_arguments_of_the_call() -> None:
    class Report(BaseModel):
        city: str

    helper = define(
        name="helper",
        prompt=PromptConfig(system="helper", query="Go to ${city} ${prompt}"),
        inputs={"inputs": {"city": {"choices": ["Köln", "Bonn"]}, "days": {"type": "integer", "default": 1}}},
        output={"schema": Report},
    )
    assert helper.needs_task
    wrong = call("helper", "h1", city="Rom", prompt="now")
    right = call("helper", "h2", city="Köln", prompt="now")
    cast = Cast(boss=[calls(wrong, right), says("ok")], helper=[says('{"city": "Köln"}')])
    watched = await play(cast, agent("boss", "helper"), helper)
    schema = cast["boss"][0].tools[0].parameters
    assert schema["properties"]["city"]["enum"] == ["Köln", "Bonn"]
    assert schema["required"] == ["prompt", "city"]
    assert "city must be one of" in ended(watched, "h1").result
    assert ended(watched, "h2").result == '{"city":"Köln"}'
    assert cast["helper"][0].messages[0].content == "Go to Köln now"
    fixed = agent("fixed", query="Always the same.")
    assert not fixed.needs_task


@pytest.mark.parametrize(("bound", "own", "deepest"), [(0, 3, 0), (1, 3, 1), (2, 3, 2), (3, 1, 2)])
async def test_depth_is_bounded_by_everyone_on_the_way(bound: int, own: int, deepest: int) -> None:
    """Each agent calls itself as long as it can; the first has the bound, the second one of its own."""
    depth = 0

    class Deeper:
        model = "claude-sonnet-4-5"

        async def run(self, request: Request) -> Response:
            nonlocal depth
            if len(request.messages) > 1 or not request.tools:
                return says("Enough.")
            depth += 1
            return calls(call("loop", f"d{depth}", prompt="Deeper."))

    boss = agent("boss", "loop", tools={"max_depth": bound})
    loop = agent("loop", "loop", tools={"max_depth": own})
    watched = await watch(Deeper(), boss, agents={"loop": loop}, inputs={"prompt": "Go."})
    assert watched.result.success
    assert depth == deepest


async def test_a_subagent_that_fails_is_a_failed_call_and_the_caller_goes_on() -> None:
    cast = Cast(
        boss=[calls(call("helper", "h1", prompt="Go.")), says("A pity.")],
        helper=[calls(call("look"), text="I am looking."), NetworkError("It is down.")],
    )
    helper = agent("helper", run={"retry": {"max_retries": 0}})
    watched = await play(cast, agent("boss", "helper"), helper, tools=[look])
    assert watched.result.output == "A pity."
    end = ended(watched, "h1")
    assert end.is_error
    assert "The agent helper did not finish (error): It is down." in end.result
    assert "It had said:\nI am looking." in end.result
    assert [event.type for event in watched.events if event.parent][-2:] == ["error", "turn_end"]


async def test_a_subagent_has_limits_of_its_own() -> None:
    cast = Cast(boss=[calls(call("helper", "h1", prompt="Go.")), says("ok")], helper=[hang])
    helper = agent("helper", run={"timeout_ms": 30})
    watched = await play(cast, agent("boss", "helper"), helper)
    assert "did not finish (timeout): The execution was ended after 0.03 s" in ended(watched, "h1").result
    assert watched.result.success
    cast = Cast(
        boss=[calls(call("helper", "h1", prompt="Go.")), says("ok")],
        helper=[calls(call("look", f"l{number}")) for number in range(3)],
    )
    watched = await play(cast, agent("boss", "helper"), agent("helper", run={"max_turns": 2}), tools=[look])
    assert "(max_turns)" in ended(watched, "h1").result


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_total_tokens": 200}, "are left"),
        ({"max_input_tokens": 300}, "are left"),
        ({"max_output_tokens": 20}, "output tokens are used"),
        ({"max_cost_usd": 0.001}, "is left"),
        ({"max_tool_calls": 2}, "limit on tool calls"),
    ],
)
async def test_a_subagent_spends_from_its_callers_limits(limits: dict[str, Any], words: str) -> None:
    cast = Cast(
        boss=[calls(call("helper", "h1", prompt="Go."), usage=(50, 10)), says("Done.")],
        helper=[calls(call("look", f"l{number}"), usage=(50 + 20 * number, 10)) for number in range(9)],
    )
    watched = await play(cast, agent("boss", "helper", run=limits), agent("helper"), tools=[look])
    end = ended(watched, "h1")
    assert end.is_error
    assert "(budget)" in end.result
    assert words in end.result
    assert len(cast["helper"]) < 9


async def test_a_subagent_without_a_price_is_refused_under_a_limit_in_dollars() -> None:
    cast = Cast(boss=[calls(call("helper", "h1", prompt="Go.")), says("ok")], helper=[says("never")])
    helper = agent("helper", model={"model": "some-local-model"})
    watched = await play(cast, agent("boss", "helper", run={"max_cost_usd": 1}), helper)
    assert "price of some-local-model is unknown" in ended(watched, "h1").result
    assert cast["helper"] == []


async def test_the_callers_time_is_the_subagents_time() -> None:
    cast = Cast(boss=[calls(call("helper", "h1", prompt="Go."))], helper=[hang])
    watched = await play(cast, agent("boss", "helper", run={"timeout_ms": 50}), agent("helper"))
    assert watched.result.terminate_reason is TerminateReason.TIMEOUT
    assert "after 0.05 s" in str(watched.result.error)


async def test_the_tools_of_a_subagent_know_the_callers_deadline() -> None:
    seen: list[float | None] = []

    @tool(timeout=1e6)
    async def clock(context: ToolContext) -> None:
        """Looks at the time."""
        seen.append(context.deadline)

    def cast() -> Cast:
        return Cast(
            boss=[calls(call("helper", "h1", prompt="Go.")), says("ok")],
            helper=[calls(call("clock")), says("ok")],
        )

    began = asyncio.get_running_loop().time()
    await play(cast(), agent("boss", "helper", run={"timeout_ms": 9_000}), agent("helper"), tools=[clock])
    await play(cast(), agent("boss", "helper"), agent("helper"), tools=[clock])
    [bounded, unbounded] = seen
    assert bounded is not None
    assert began + 9 <= bounded < began + 18
    assert unbounded is not None
    assert unbounded > began + 1e5


@pytest.mark.parametrize("is_stubborn", [False, True])
async def test_cancel_ends_subagents_and_their_events_in_order(is_stubborn: bool) -> None:
    release = asyncio.Event()

    async def stubborn(_request: Request) -> Response:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue
        return says("Nobody hears this.")

    cancel = CancelToken()
    cast = Cast(
        boss=[calls(call("middle", "m1", prompt="Go."), usage=(10, 5))],
        middle=[calls(call("helper", "h1", prompt="Go."), call("helper", "h2", prompt="Go."), usage=(20, 5))],
        helper=[stubborn if is_stubborn else hang] * 2,
    )
    stopping = asyncio.create_task(cancel_when(lambda: len(cast["helper"]) == 2, cancel))
    agents = [agent("boss", "middle"), agent("middle", "helper"), agent("helper")]
    watched = await play(cast, *agents, cancel=cancel)
    await stopping
    told = len(watched.events)
    assert watched.result.terminate_reason is TerminateReason.CANCELLED
    assert ended(watched, "m1").result == CUT_OFF
    assert ended(watched, "h1").result == CUT_OFF
    assert watched.kinds[-2:] == ["error", "turn_end"]
    assert watched.result.metrics.usage == Usage(30, 10)
    assert watched.result.metrics.subagents["m1"].usage == Usage(20, 5)
    assert set(watched.result.metrics.subagents["m1"].subagents) == {"h1", "h2"}
    release.set()
    await asyncio.sleep(0.02)
    assert len(watched.events) == told


# -- ids of calls ------------------------------------------------------------------------------------------------------


class Counts:
    """Streams like an endpoint that counts its calls anew in each answer; `told` is what its listeners have heard."""

    model = "claude-sonnet-4-5"

    def __init__(self) -> None:
        self.told: list[str] = []
        self._both = asyncio.Barrier(2)
        self._has_failed = False

    async def run(self, request: Request) -> Response:
        if len(request.messages) > 1:
            return says("Done.")
        names = ["look"] if request.parent else ["helper", "helper"]
        reader = AnswerReader(self._hear, (), request.own_id)
        for number, name in enumerate(names):
            block = {"type": "tool_use", "id": f"call_{number}", "name": name, "input": {}}
            reader.feed({"type": "content_block_start", "index": number, "content_block": block})
            arguments = {} if request.parent else {"prompt": "Go."}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
            reader.feed({"type": "content_block_delta", "index": number, "delta": delta})
        if request.parent:
            await self._both.wait()  # both helpers are in the middle of their answers
        elif not self._has_failed:
            self._has_failed = True
            raise NetworkError("It broke.")
        return reader.response

    def _hear(self, delta: Delta) -> None:
        if delta.kind == "tool":
            self.told.append(delta.id)


async def test_calls_are_told_by_the_ids_that_they_keep() -> None:
    """Also those of helpers that answer at the same moment, and of an answer that was tried again."""
    model = Counts()
    boss = agent("boss", "helper", run={"retry": {"base_delay": 0.0}}, tools={"tools": ()})
    options = {"agents": {"helper": agent("helper")}, "inputs": {"prompt": "Go."}}
    watched = await watch(model, boss, [look], **options)
    assert watched.result.success
    begun = [event.tool_call.id for event in watched.events if isinstance(event, ToolCallStarted)]
    assert len(set(begun)) == len(begun) == 4
    assert model.told[:4] == ["call_0", "call_1"] * 2, "a void answer's ids are free again"
    assert sorted(model.told[2:]) == sorted(begun)


async def test_an_agent_that_names_its_calls_itself_has_them_renamed() -> None:
    cast = Cast(
        boss=[calls(call("helper", "c1", prompt="Go."), call("helper", "c1", prompt="Go.")), says("ok")],
        helper=[calls(call("look", "c1")), calls(call("look", "c1")), says("ok"), says("ok")],
    )
    watched = await play(cast, agent("boss", "helper", tools={"tools": ()}), agent("helper"), tools=[look])
    begun = [event.tool_call.id for event in watched.events if isinstance(event, ToolCallStarted)]
    assert sorted(begun) == ["c1", "c1_2", "c1_3", "c1_4"]
