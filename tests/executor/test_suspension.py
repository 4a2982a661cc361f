"""Approval that takes longer than a process lives: the execution ends, its state is JSON, and it goes on elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from maverick_tui.exceptions import ConfigError
from maverick_tui.executor import (
    AgentExecutor,
    ExecutionResult,
    Image,
    Message,
    Response,
    Suspension,
    TerminateReason,
    Thought,
    Tool,
    ToolCall,
    Usage,
    Verdict,
    tool,
)
from maverick_tui.interpreter import python_environment
from tests.executor.support import Model, call, calls, check_history, define, says, watch

SECRET = "sk-ant-api03-" + "x" * 40 + "AbC123"


@tool
async def look() -> str:
    """Looks."""
    return f"The key is {SECRET}."


@tool
async def delete(path: str) -> str:
    """Deletes."""
    return f"{path} is gone"


async def later(tool: Tool, call: ToolCall) -> Verdict:
    return Verdict(suspends=tool.name == "delete")


BOTH = calls(call("delete", "d1", path="a"), call("look", "l1"), call("delete", "d2", path="b"), usage=(100, 10))


async def suspended(*steps: Any, **fields: Any) -> ExecutionResult[Any]:
    result = (await watch(Model(*(steps or (BOTH,))), define(**fields), [look, delete], approve=later)).result
    assert (result.terminate_reason, result.success, result.error) == (TerminateReason.SUSPENDED, False, None)
    return result


def stored(result: ExecutionResult[Any]) -> Suspension:
    """The state as another process has it."""
    assert result.suspension is not None
    return Suspension.from_json(result.suspension.to_json())


async def test_calls_that_wait_are_made_as_is_decided_when_it_goes_on() -> None:
    result = await suspended()
    state = stored(result)
    assert [waiting.id for waiting in state.pending] == ["d1", "d2"]
    assert [answer.tool_call_id for answer in state.answers] == ["l1"], "the others have not waited"
    model = Model(says("Done."))
    executor = AgentExecutor(model, [look, delete], approve=later)
    decisions = {"d1": Verdict(arguments={"path": "c"}), "d2": Verdict("Keep it.")}
    done = await executor.resume(define(), state, decisions)
    assert (done.success, done.output) == (True, "Done.")
    check_history(done.messages)
    [asked] = model.requests
    assert [message.content for message in asked.messages[-3:]] == ["c is gone", "The key is [secret].", "Keep it."]
    assert [message.content for message in asked.messages[:1]] == ["Do it."], "the task is not asked again"


async def test_what_is_not_decided_waits_on() -> None:
    state = stored(await suspended())
    for approve in (later, None):
        executor = AgentExecutor(Model(), [look, delete], approve=approve)
        again = await executor.resume(define(), state, {"d2": Verdict()})
        assert again.terminate_reason is TerminateReason.SUSPENDED
        rest = stored(again)
        assert ([one.id for one in rest.pending], len(rest.answers)) == (["d1"], 2)
        done = await AgentExecutor(Model(says("Done.")), [look, delete]).resume(define(), rest, {"d1": Verdict()})
        assert [message.content for message in done.messages[2:5]] == ["a is gone", "The key is [secret].", "b is gone"]


@pytest.mark.parametrize("waiting", [("d1",), ("d1", "d2")], ids=["one", "all of several"])
async def test_an_execution_whose_calls_all_wait_goes_on(waiting: tuple[str, ...]) -> None:
    state = stored(await suspended(calls(*(call("delete", one, path=one) for one in waiting))))
    assert ([one.id for one in state.pending], state.answers) == ([*waiting], ())
    executor = AgentExecutor(Model(says("Done.")), [delete], approve=later)
    done = await executor.resume(define(), state, {one: Verdict() for one in waiting})
    assert (done.success, done.output) == (True, "Done.")
    assert [message.content for message in done.messages[2:-1]] == [f"{one} is gone" for one in waiting]
    check_history(done.messages)


async def test_a_tool_that_is_forced_is_not_forced_again_when_it_goes_on() -> None:
    forced = define(model={"tool_choice": "delete"})
    model = Model(calls(call("delete", "d1", path="a")), says("Done."))
    state = stored((await watch(model, forced, [delete], approve=later)).result)
    await AgentExecutor(model, [delete]).resume(forced, state, {"d1": Verdict()})
    assert [request.config.tool_choice for request in model.requests] == ["delete", None]


async def test_a_turn_is_counted_once_however_often_it_waits() -> None:
    definition = define(run={"max_turns": 2})
    executor = AgentExecutor(Model(says("Done.")), [look, delete], approve=later)
    once = stored(await suspended(run={"max_turns": 2}))
    twice = stored(await executor.resume(definition, once, {"d2": Verdict()}))
    assert (once.turns, twice.turns) == (1, 1)
    done = await executor.resume(definition, twice, {"d1": Verdict()})
    assert (done.terminate_reason, done.output) == (TerminateReason.COMPLETE, "Done.")


class Report(BaseModel):
    """What a tool hands in."""

    summary: str


@tool(completes=True)
async def finish(summary: str) -> Report:
    """Hands in a report."""
    return Report(summary=summary)


@pytest.mark.parametrize(("output", "expected"), [({"schema": Report}, Report(summary="s")), (None, {"summary": "s"})])
async def test_what_a_tool_hands_in_beside_calls_that_wait_ends_it_once_they_are_made(
    output: Any, expected: Any
) -> None:
    both = calls(call("finish", "f1", summary="s"), call("delete", "d1", path="a"), call("delete", "d2", path="b"))
    definition = define(output=output)
    first = (await watch(Model(both), definition, [finish, delete], approve=later)).result
    assert (first.terminate_reason, first.output) == (TerminateReason.SUSPENDED, None)
    executor = AgentExecutor(Model(), [finish, delete], approve=later)
    again = await executor.resume(definition, stored(first), {"d1": Verdict()})
    done = await executor.resume(definition, stored(again), {"d2": Verdict()})
    assert (done.success, done.output) == (True, expected)
    assert [message.content for message in done.messages[3:]] == ["a is gone", "b is gone"]


async def test_time_and_repairs_of_both_parts_count() -> None:
    definition = define(output={"schema": Report, "repair_turns": 1}, run={"timeout_ms": 60_000})
    model = Model(says("No."), BOTH, says("No."), says('{"summary": "too late"}'))
    state = stored((await watch(model, definition, [look, delete], approve=later)).result)
    assert state.repairs == 1
    assert state.duration_ms > 0
    executor = AgentExecutor(model, [look, delete])
    yes = {"d1": Verdict(), "d2": Verdict()}
    late = await executor.resume(definition, replace(state, duration_ms=60_000.0), yes)
    assert late.terminate_reason is TerminateReason.TIMEOUT
    done = await executor.resume(definition, state, yes)
    assert (done.terminate_reason, done.output_valid) == (TerminateReason.COMPLETE, False)


async def test_limits_hold_for_both_parts() -> None:
    limits = {"max_tool_calls": 2, "max_input_tokens": 500, "max_turns": 1}
    state = stored(await suspended(run={**limits, "max_tool_calls": 3}))
    executor = AgentExecutor(Model(says("never")), [look, delete])
    yes = {"d1": Verdict(), "d2": Verdict()}
    for name, limit in (
        ("tool calls", {"max_tool_calls": 2}),
        ("turns", {"max_turns": 1}),
        ("read", {"max_input_tokens": 110}),
    ):
        ended = await executor.resume(define(run=limit), state, yes)
        assert ended.terminate_reason in (TerminateReason.BUDGET, TerminateReason.MAX_TURNS)
        assert name in str(ended.error)
    assert (state.usage, state.tool_calls, state.turns) == (Usage(100, 10), 1, 1)
    executor = AgentExecutor(Model(says("At length.", usage=(80, 95))), [look, delete])
    ended = await executor.resume(define(run={"max_output_tokens": 100}), state, yes)
    assert (ended.terminate_reason, ended.output) == (TerminateReason.BUDGET, "At length."), "105 tokens were written"


async def test_secrets_are_not_in_the_state() -> None:
    given = calls(
        call("delete", "d1", path=SECRET), call("delete", "d2", path="b"), call("look", "l1", data=SECRET, id=SECRET)
    )
    thought = Response(
        "", given.tool_calls, Usage(1, 1), thoughts=(Thought(f"{SECRET}!", "s1"), Thought("Well.", "s2"))
    )
    image = Image("image/png", "aGVsbG8=")
    model = Model(thought)
    watched = await watch(model, define(f"Use {SECRET}."), [look, delete], approve=later, images=[image])
    assert watched.result.suspension is not None
    text = watched.result.suspension.to_json()
    assert SECRET not in text
    state = Suspension.from_json(text)
    assert state.masked == ("d1",)
    assert state.messages[0].images == (image,)
    assert state.messages[1].thoughts == (Thought("Well.", "s2"),), "a changed thought would be refused"
    executor = AgentExecutor(Model(says("ok"), says("ok")), [look, delete])
    done = await executor.resume(define(), state, {"d1": Verdict(), "d2": Verdict()})
    assert "contained a secret" in done.messages[2].content, "it is not made with a mask for its argument"
    done = await executor.resume(define(), state, {"d1": Verdict(arguments={"path": "c"}), "d2": Verdict()})
    assert done.messages[2].content == "c is gone"


@pytest.mark.parametrize(
    "arguments",
    [
        {"secret": {"value": "hunter2"}},
        {"credentials": {"user": "me", "pass": "hunter2"}},
        {"token": 12345678},
        {"login": {"passwords": ["hunter2"]}},
    ],
)
async def test_secrets_below_a_telling_name_are_not_in_the_state_whatever_their_type(arguments: Any) -> None:
    result = await suspended(calls(call("delete", "d1", **arguments)))
    assert result.suspension is not None
    text = result.suspension.to_json()
    assert "hunter2" not in text
    assert "12345678" not in text
    assert Suspension.from_json(text).masked == ("d1",)


async def test_another_process_can_go_on(tmp_path: Any) -> None:
    result = await suspended()
    assert result.suspension is not None
    state = tmp_path / "state.json"
    state.write_text(result.suspension.to_json())
    script = """
import asyncio, sys
from maverick_tui.executor import AgentDefinition, AgentExecutor, PromptConfig, Response, Suspension, Verdict, tool
@tool
async def delete(path: str) -> str: return f"{path} is gone"
class Model:
    async def run(self, request): return Response(" ".join(one.content for one in request.messages[2:]))
definition = AgentDefinition(name="worker", prompt=PromptConfig(query="Do it."))
state = Suspension.from_json(open(sys.argv[1]).read())
yes = {call.id: Verdict() for call in state.pending}
print(asyncio.run(AgentExecutor(Model(), [delete]).resume(definition, state, yes)).output)
"""
    command = [sys.executable, "-P", "-c", script, str(state)]
    ran = subprocess.run(command, capture_output=True, text=True, env=python_environment(), check=True)
    assert ran.stdout.strip() == "a is gone The key is [secret]. b is gone"


async def test_a_called_agent_cannot_wait() -> None:
    model = Model(calls(call("helper", prompt="Go.")), calls(call("delete", path="a")), says("I may not."), says("So."))
    agents = {"helper": define(name="helper", prompt={})}
    watched = await watch(
        model, define(tools={"agents": ["helper"]}), [delete], agents=agents, approve=_later_but_for_agents
    )
    assert watched.result.success
    assert "cannot wait" in model.requests[2].messages[-1].content


async def _later_but_for_agents(tool: Tool, call: ToolCall) -> Verdict:
    return Verdict(suspends=tool.name != "helper")


async def test_a_state_that_is_none_or_of_another_agent_is_refused() -> None:
    state = stored(await suspended())
    executor = AgentExecutor(Model(), [look, delete])
    with pytest.raises(ConfigError, match="'worker', not of 'other'"):
        await executor.resume(define(name="other"), state)
    with pytest.raises(ConfigError, match="No call 'd9' is waiting"):
        await executor.resume(define(), state, {"d9": Verdict()})
    for nothing in (
        replace(state, pending=()),
        replace(state, messages=()),
        replace(state, messages=state.messages[:1]),
    ):
        with pytest.raises(ConfigError, match="does not end with waiting calls"):
            await executor.resume(define(), nothing)
    for wrong in ("", "{}", "[1]", json.dumps(json.loads(state.to_json()) | {"version": 9})):
        with pytest.raises(ConfigError, match="suspended execution"):
            Suspension.from_json(wrong)
    assert Message.user("x").images == ()
