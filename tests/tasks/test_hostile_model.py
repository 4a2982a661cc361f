"""Models that loop, talk nonsense or stall: the contract's words come back in time, and the tasks are as they were."""

from __future__ import annotations

import _thread
import asyncio
import itertools
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from maverick_tui.executor import CancelToken, Request, Response, ToolCall, Usage
from maverick_tui.executor.model.messages import StopReason
from maverick_tui.offline.script import Answer, ToolStep
from maverick_tui.tasks import AgentContext, AgentResult, AgentRunner, Chat, MCPToolServer, ToolCallRecord, texts
from maverick_tui.tasks.answers import Made, answer
from maverick_tui.tasks.database import SessionFactory
from maverick_tui.tasks.runner import TIMEOUT
from maverick_tui.tasks.talk import friendly
from tests.support.model import call, say
from tests.support.sampling import examples, sampled
from tests.tasks.support import Stalling, assistant
from tests.tasks.support import call as call_tool

SYSTEM_ERROR = "I'm having a bit of trouble right now. Please try again."
UNCLEAR = "Could you provide more details about what you would like to do?"


def is_intact(folder: Path) -> bool:
    with sqlite3.connect(folder / "tasks.db") as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchone() == ("ok",))


@pytest.mark.req("004-limit-tools", "004-err-friendly")
@pytest.mark.parametrize(
    ("step", "told"),
    sampled(
        [
            (call("list_tasks"), SYSTEM_ERROR),
            (call("complete_task", task="nothing"), "I couldn't find a task about 'nothing' in your list."),
            (call("frobnicate", task="x"), UNCLEAR),
            (call("add_task"), "Could you provide more details about the title?"),
        ],
        2,
    ),
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


class Nonsense:
    """A model that calls one tool with these arguments, then stops."""

    model = "claude-sonnet-4-5"

    def __init__(self, tool: str, arguments: dict[str, Any], invalid: str = "") -> None:
        self._call = ToolCall("c1", tool, arguments, invalid)
        self._has_called = False

    async def run(self, request: Request) -> Response:
        if self._has_called:
            return Response("ok", usage=Usage(1, 1))
        self._has_called = True
        return Response("", (self._call,), Usage(1, 1), StopReason.TOOL_USE)


async def test_nonsense_arguments(factory: SessionFactory, tmp_path: Path) -> None:
    """Each tool with each piece of nonsense in each of its parameters; the last one of each as a model's call, too."""
    server = MCPToolServer(factory)
    server.store.add("alice", "Keep me")
    server.store.add("bob", "His")
    good = {"title": "Good", "task": "Keep me", "which": "all"}
    async with Client(server.for_user("alice")) as client:
        for tool in (await client.list_tools()).tools:
            names = list(tool.input_schema.get("properties", {}))
            for name, value in itertools.product([*names, "unknown"], NONSENSE[:: examples(2, 1)]):
                arguments = {key: good[key] for key in names if key in good} | {name: value}
                found = await call_tool(client, tool.name, **arguments)
                check(answer([Made(ToolCallRecord(tool.name, arguments, found, 0))]))
            check(await run(factory, server, Nonsense(tool.name, arguments)))
            assert (await run(factory, server, Nonsense(tool.name, {}, invalid='{"title": '))).response == UNCLEAR
    assert server.store.get("alice", 1) is not None, "nothing was deleted"
    assert [task.title for task in server.store.list("bob").tasks] == ["His"]
    assert is_intact(tmp_path)


async def run(factory: SessionFactory, server: MCPToolServer, model: Nonsense) -> AgentResult:
    return await AgentRunner(factory, server, agent=model).run(AgentContext("alice", "c"), "go")


def check(result: AgentResult) -> None:
    assert len(result.tool_calls) == 1
    assert 0 < len(result.response) <= 500
    assert result.response.isprintable() or "\n" in result.response
    assert "Traceback" not in result.response
    result.response.encode()


@pytest.mark.req("004-limit-time", "004-err-system")
@pytest.mark.parametrize("call", [None, ToolCall("c1", "add_task", {"title": "Tea"})])
async def test_a_model_that_stalls(factory: SessionFactory, tmp_path: Path, call: ToolCall | None) -> None:
    stalling = Stalling(*[call] if call else [])
    chat = Chat(AgentRunner(factory, MCPToolServer(factory), agent=stalling), "alice")
    result = await chat.send("Add tea")
    assert stalling.waited_until >= TIMEOUT
    told = f"{texts.UNFINISHED_AFTER}\nGot it! Added 'Tea' to your list. Anything else?" if call else SYSTEM_ERROR
    assert not result.success
    assert result.response == result.error == told
    first, last = await chat.history()
    assert (first.content, last.content) == ("Add tea", told)
    assert [record["parameters"] for record in last.tool_calls or ()] == ([{"title": "Tea"}] if call else [])
    assert is_intact(tmp_path)


class Stuck:
    """A model that takes no notice of being cancelled, until it is let go."""

    model = "claude-sonnet-4-5"

    def __init__(self) -> None:
        self.is_free = False

    async def run(self, request: Request) -> Response:
        while not self.is_free:
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                continue
        return Response("late", usage=Usage(1, 1))


@pytest.mark.req("004-limit-time")
async def test_a_model_that_cannot_be_cancelled(factory: SessionFactory) -> None:
    stuck = Stuck()
    runner = AgentRunner(factory, MCPToolServer(factory), agent=stuck, timeout=0.05)
    with pytest.raises(TimeoutError):
        await runner.run(AgentContext("alice", "c"), "Hello", cancel=CancelToken())
    assert not stuck.is_free, "nobody has waited for it"
    stuck.is_free = True


@pytest.mark.req("004-limit-time")
async def test_a_database_that_hangs_is_a_timeout_too(factory: SessionFactory, tmp_path: Path) -> None:
    server = MCPToolServer(factory)
    server.store.add("alice", "Tea")
    runner = AgentRunner(factory, server, agent=Stuck(), timeout=1.0)
    context = AgentContext.from_request("alice", "c", [{"role": "assistant", "content": texts.confirm_delete("Tea")}])
    threads = _thread._count()
    with sqlite3.connect(tmp_path / "tasks.db") as lock:
        lock.execute("BEGIN IMMEDIATE")
        with pytest.raises(TimeoutError) as raised:
            await runner.run(context, "yes delete")
        lock.rollback()
    [record] = raised.value.tool_calls  # type: ignore[attr-defined]
    assert (record.tool_name, record.result["success"]) == ("delete_task", False)
    while _thread._count() > threads:  # the deletion has waited for the lock, which is free now
        await asyncio.sleep(0.01)
    assert server.store.count("alice", "all") == 1, "what was told to have failed does not happen afterwards"


@pytest.mark.req("004-q-jargon", "004-q-ids", "004-q-emoji", "004-limit-length")
@pytest.mark.parametrize(
    "words",
    # `test_talk.py` judges others of each kind.
    sampled(
        [
            "The `task_id` is 7.",
            "🎉🎉🎉",
            '{"a": null}',
            "word " * 2000,
            "x" * 10_000,
            "Traceback (most recent call last)",
        ],
        3,
        ["an id", "emoji", "JSON", "many words", "one word", "a traceback"],
    ),
)
async def test_a_model_that_talks_nonsense(factory: SessionFactory, words: str) -> None:
    async with assistant(factory, say(words)) as one:
        result = await one.say("Hello")
    assert 0 < len(result.response) <= 500
    assert result.response == friendly(words, "Hello")


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
