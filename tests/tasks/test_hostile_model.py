"""Models that loop, talk nonsense or stall: the contract's words come back in time, and the tasks are as they were."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from maverick_tui.executor import CancelToken, Request, Response, ToolCall, Usage
from maverick_tui.executor.messages import StopReason
from maverick_tui.offline.script import Answer, ToolStep
from maverick_tui.tasks import AgentContext, AgentRunner, Chat, MCPToolServer, texts
from maverick_tui.tasks.database import SessionFactory
from tests.support.model import call, say, stall
from tests.tasks.support import assistant

SYSTEM_ERROR = "I'm having a bit of trouble right now. Please try again."
UNCLEAR = "Could you provide more details about what you would like to do?"


def is_intact(folder: Path) -> bool:
    with sqlite3.connect(folder / "tasks.db") as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))


@pytest.mark.req("004-limit-tools", "004-err-friendly")
@pytest.mark.parametrize(
    ("step", "told"),
    [
        (call("list_tasks"), SYSTEM_ERROR),
        (call("complete_task", task="nothing"), "I couldn't find a task about 'nothing' in your list."),
        (call("frobnicate", task="x"), UNCLEAR),
        (call("add_task"), "Could you provide more details about the title?"),
    ],
)
async def test_a_model_that_loops(factory: SessionFactory, tmp_path: Path, step: Answer, told: str) -> None:
    async with assistant(factory, [step] * 30) as one:
        one.add("Tea")
        result = await one.say("Do it")
        assert one.titles() == ["Tea"]
        assert len(one.requests) <= 12
    assert not result.success
    assert result.response == result.error == told
    assert len(result.tool_calls) == 10, "the records are kept"
    assert is_intact(tmp_path)


NONSENSE: list[Any] = [
    None, True, -1, 1.5e300, "", "x" * 5000, [], {}, [[[]]], {"title": {"title": "x"}}, ["a", 1, None], "\x00",
    "\ud800", "'; DROP TABLE task; --", "../../etc/passwd", "${jndi:ldap://x}", "%s%n", "1 OR 1=1",
]  # fmt: skip


async def test_nonsense_arguments(factory: SessionFactory, tmp_path: Path) -> None:
    """Each tool with each piece of nonsense in each of its parameters, as one answer after the other."""

    class Nonsense:
        """A model that calls one tool with one argument, then stops."""

        model = "claude-sonnet-4-5"

        def __init__(self, tool: str, arguments: dict[str, Any], invalid: str = "") -> None:
            self._call = ToolCall("c1", tool, arguments, invalid)
            self._has_called = False

        async def run(self, request: Request) -> Response:
            if self._has_called:
                return Response("ok", usage=Usage(1, 1))
            self._has_called = True
            return Response("", (self._call,), Usage(1, 1), StopReason.TOOL_USE)

    server = MCPToolServer(factory)
    server.store.add("alice", "Keep me")
    server.store.add("bob", "His")
    async with server.connected("alice") as client:
        tools = (await client.list_tools()).tools
    good = {"title": "Good", "task": "Keep me", "which": "all"}
    for tool in tools:
        names = list(tool.input_schema.get("properties", {}))
        for name in [*names, "unknown"]:
            for value in NONSENSE:
                arguments = {key: good[key] for key in names if key in good} | {name: value}
                runner = AgentRunner(factory, server, agent=Nonsense(tool.name, arguments))
                result = await runner.run(AgentContext("alice", "c"), "go")
                assert len(result.tool_calls) == 1
                assert 0 < len(result.response) <= 500
                assert result.response.isprintable() or "\n" in result.response
                assert "Traceback" not in result.response
                result.response.encode()
        runner = AgentRunner(factory, server, agent=Nonsense(tool.name, {}, invalid='{"title": '))
        assert (await runner.run(AgentContext("alice", "c"), "go")).response == UNCLEAR
    assert server.store.get("alice", 1) is not None, "nothing was deleted"
    assert [task.title for task in server.store.list("bob").tasks] == ["His"]
    assert is_intact(tmp_path)


@pytest.mark.req("004-limit-time", "004-err-system")
@pytest.mark.parametrize("place", ["start", "text"])
async def test_a_model_that_stalls(factory: SessionFactory, tmp_path: Path, place: str) -> None:
    async with assistant(factory, [say("One two three.", fault=stall(at=place))], timeout=0.3) as one:
        chat = Chat(one.runner, "alice")
        began = asyncio.get_running_loop().time()
        result = await chat.send("Hello")
        assert asyncio.get_running_loop().time() - began < 2
        assert [message.content for message in await chat.history()] == ["Hello", SYSTEM_ERROR]
    assert not result.success
    assert result.response == result.error == SYSTEM_ERROR
    assert is_intact(tmp_path)


async def test_what_was_done_before_a_stall_is_told_and_recorded(factory: SessionFactory) -> None:
    steps = [call("add_task", title="Tea"), say("One two three.", fault=stall(at="text"))]
    async with assistant(factory, steps, timeout=0.5) as one:
        chat = Chat(one.runner, "alice")
        result = await chat.send("Add tea")
        last = (await chat.history())[-1]
    assert result.response == "Got it! Added 'Tea' to your list. Anything else?"
    assert [record.tool_name for record in result.tool_calls] == ["add_task"]
    assert last.tool_calls is not None
    assert last.tool_calls[0]["parameters"] == {"title": "Tea"}


class Stuck:
    """A model that takes no notice of being cancelled."""

    model = "claude-sonnet-4-5"

    async def run(self, request: Request) -> Response:
        for _ in range(20):
            try:
                await asyncio.sleep(0.1)
            except asyncio.CancelledError:
                continue
        return Response("late", usage=Usage(1, 1))


@pytest.mark.req("004-limit-time")
async def test_a_model_that_cannot_be_cancelled(factory: SessionFactory) -> None:
    runner = AgentRunner(factory, MCPToolServer(factory), agent=Stuck(), timeout=0.2)
    began = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await runner.run(AgentContext("alice", "c"), "Hello", cancel=CancelToken())
    assert asyncio.get_running_loop().time() - began < 1.5


@pytest.mark.req("004-limit-time")
async def test_a_database_that_hangs_is_a_timeout_too(factory: SessionFactory, tmp_path: Path) -> None:
    server = MCPToolServer(factory)
    server.store.add("alice", "Tea")
    runner = AgentRunner(factory, server, agent=Stuck(), timeout=0.2)
    context = AgentContext.from_request("alice", "c", [{"role": "assistant", "content": texts.confirm_delete("Tea")}])
    with sqlite3.connect(tmp_path / "tasks.db") as lock:
        lock.execute("BEGIN IMMEDIATE")
        with pytest.raises(TimeoutError) as raised:
            await runner.run(context, "yes delete")
        lock.rollback()
    [record] = raised.value.tool_calls  # type: ignore[attr-defined]
    assert (record.tool_name, record.result["success"]) == ("delete_task", False)
    await asyncio.sleep(0.5)  # it had waited for the lock, which is free now
    server.store.add("alice", "Coffee")
    assert server.store.count("alice", "all") == 2, "what was told to have failed does not happen afterwards"


@pytest.mark.req("004-q-jargon", "004-q-ids", "004-q-emoji", "004-limit-length")
@pytest.mark.parametrize(
    "words",
    ["The `task_id` is 7.", "🎉🎉🎉", '{"a": null}', "word " * 2000, "x" * 10_000, "Traceback (most recent call last)"],
)
async def test_a_model_that_talks_nonsense(factory: SessionFactory, words: str) -> None:
    async with assistant(factory, say(words)) as one:
        result = await one.say("Hello")
    assert 0 < len(result.response) <= 500
    assert result.response == texts.friendly(words)


async def test_an_empty_answer(factory: SessionFactory) -> None:
    async with assistant(factory, say("")) as one:
        result = await one.say("Hello")
    assert result.response in (texts.HELP, SYSTEM_ERROR)


async def test_contradicting_calls_at_once_leave_a_sound_database(factory: SessionFactory, tmp_path: Path) -> None:
    steps = (
        ToolStep(tool="update_task", input={"task": "Tea", "title": "Coffee"}),
        ToolStep(tool="complete_task", input={"task": "Tea"}),
        ToolStep(tool="update_task", input={"task": "Tea", "completed": False}),
        ToolStep(tool="delete_task", input={"task": "Tea"}),
        ToolStep(tool="add_task", input={"title": "Tea"}),
    )
    async with assistant(factory, [Answer(steps=steps), say("ok")]) as one:
        one.add("Tea")
        result = await one.say("Everything")
        assert len(one.titles()) == 2
    assert len(result.tool_calls) == 5
    assert is_intact(tmp_path)
