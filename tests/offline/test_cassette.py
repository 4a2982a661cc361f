"""Cassettes: recorded from the real CLI, and replayed with nothing but the file."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    Message,
    PermissionResultAllow,
    ResultMessage,
    StreamEvent,
    UserMessage,
    create_sdk_mcp_server,
    tool,
)

from maverick_tui import (
    AgentContext,
    AgentError,
    CLINotFoundError,
    ConfigError,
    ProcessError,
    StreamingError,
    extract_all_text,
)
from maverick_tui.agent.engine.claude.session import AgentSession
from maverick_tui.agent.engines import SdkSession
from maverick_tui.offline.cassette import recording, replaying
from maverick_tui.offline.cassette_scrubber import Scrubber
from tests.conftest import ServeModel
from tests.offline.tapes import config_error, nowhere
from tests.support.agents import Talker, Worker, context, drain
from tests.support.model import bash, call, drop, say, scene, stall, turns
from tests.support.processes import marked, until_running, wait_until_gone

SAMPLE = Path(__file__).parent / "cassettes" / "two-prompts.jsonl"
LONG_COMMAND = f"{sys.executable} -c 'import time; time.sleep(300)'"

Opening = Callable[[ClaudeAgentOptions], Any]


def assert_same_error(before: AgentError | None, after: AgentError | None) -> None:
    assert before is not None
    assert type(before) is type(after)
    assert str(before) == str(after)
    assert type(before.__cause__) is type(after.__cause__)
    if isinstance(before.__cause__, AgentError):
        assert isinstance(after.__cause__, AgentError)
        assert vars(before.__cause__) == vars(after.__cause__)


def assert_same(before: list[Message], after: list[Message]) -> None:
    """Equal, but for what redaction changes and for the ids that prompts have now."""
    assert len(before) == len(after)
    scrubber = Scrubber(ClaudeAgentOptions())
    ids = {
        old.uuid: new.uuid
        for old, new in zip(before, after, strict=True)
        if isinstance(old, UserMessage) and isinstance(new, UserMessage) and isinstance(old.content, str)
    }
    for old, new in zip(before, after, strict=True):
        assert type(old) is type(new)
        if old != new:
            text = json.dumps(scrubber.clean(asdict(old)))
            for recorded, now in ids.items():
                text = text.replace(str(recorded), str(now))
            assert json.loads(text) == json.loads(json.dumps(asdict(new)))


@pytest.mark.explore
async def test_a_run_with_a_tool(serve: ServeModel, mark: str, file: Path) -> None:
    Path("notes.txt").write_text("remember")
    async with serve([bash("cat notes.txt; pwd"), say("It says: remember.")]):
        before, error = await drain(Worker(transport=recording(file)).query("read"))
    assert error is None
    assert "remember" in str(before)
    assert wait_until_gone(mark) == {}

    seen: list[dict[int, str]] = []
    after: list[Message] = []
    async for message in Worker(config=nowhere().config, transport=replaying(file)).query("read"):
        after.append(message)
        seen.append(marked(mark))
    assert not any(seen)
    assert_same(before, after)
    assert sum(old == new for old, new in zip(before, after, strict=True)) > len(before) * 0.8


@pytest.mark.explore
async def test_a_result_has_the_same_text_usage_and_metadata_and_a_recording_says_what_made_it(
    serve: ServeModel, file: Path
) -> None:
    async with serve(say("Fine.", usage=(100, 7))):
        before = await Talker(transport=recording(file)).run("go", context())
        with pytest.raises(ConfigError, match="exists already"):
            await drain(Talker(transport=recording(file)).query("go"))
    header = json.loads(file.read_text().splitlines()[0])
    assert header["maverick_cassette"] == 1
    assert header["sdk"].startswith("0.2.")
    assert header["cli"].startswith("2.")
    assert file.stat().st_mode & 0o077 == 0
    after = await Talker(transport=replaying(file)).run("go", nowhere())
    assert before.success
    assert before.output == after.output
    assert replace(before.usage, duration_ms=0) == replace(after.usage, duration_ms=0)
    assert before.metadata.keys() == after.metadata.keys()


Asked = list[tuple[str, dict[str, Any]]]


@asynccontextmanager
async def asking(opening: Opening, where: AgentContext, asked: Asked) -> AsyncIterator[SdkSession]:
    async def ask(name: str, arguments: dict[str, Any], _context: object) -> PermissionResultAllow:
        asked.append((name, arguments))
        return PermissionResultAllow()

    async with Worker(transport=opening).session(where, can_use_tool=ask) as session:
        yield session


async def test_a_session_with_two_prompts_and_a_question(serve: ServeModel, mark: str, file: Path) -> None:
    async def play(opening: Opening, where: AgentContext) -> tuple[list[Message], list[Message], Asked, Any]:
        asked: Asked = []
        async with asking(opening, where, asked) as session:
            first, error = await drain(session.query("one"))
            assert error is None
            second, error = await drain(session.query("two"))
            assert error is None
            assert isinstance(session, AgentSession)
            usage = await session._client.get_context_usage()
        return first, second, asked, usage

    scenes = [scene(bash("touch made.txt && touch too.txt"), say("Made."), turn=1), scene(say("Again."), turn=2)]
    async with serve(scenes):
        before = await play(recording(file), context(permission_mode="default"))
    assert Path("made.txt").exists()
    Path("made.txt").unlink()
    wait_until_gone(mark)

    after = await play(replaying(file), nowhere())
    assert marked(mark) == {}
    assert not Path("made.txt").exists()
    assert_same(before[0], after[0])
    assert_same(before[1], after[1])
    assert extract_all_text(after[1]) == "Again."
    assert len(before[2]) == 1
    assert before[2:] == after[2:]


@pytest.mark.explore  # the tape has what the CLI and we have said, of whatever kind
async def test_a_tool_in_this_process(serve: ServeModel, file: Path) -> None:
    ran: list[str] = []

    @tool("look", "looks", {"at": str})
    async def look(arguments: dict[str, Any]) -> dict[str, Any]:
        ran.append(arguments["at"])
        return {"content": [{"type": "text", "text": "a tree"}]}

    class Looker(Talker):
        allowed_tools = ("mcp__eye__look",)

    servers = {"eye": create_sdk_mcp_server("eye", tools=[look])}
    async with serve([call("mcp__eye__look", at="the garden"), say("I see a tree.")]):
        before, _ = await drain(Looker(mcp_servers=servers, transport=recording(file)).query("look"))
    after, error = await drain(
        Looker(mcp_servers=servers, config=nowhere().config, transport=replaying(file)).query("look")
    )
    assert error is None
    assert ran == ["the garden", "the garden"]
    assert_same(before, after)


@pytest.mark.explore  # another request to the CLI is on the tape with two prompts above
async def test_an_interrupted_turn(serve: ServeModel, file: Path) -> None:
    async def play(opening: Opening, where: AgentContext) -> tuple[list[Message], list[Message]]:
        got: list[Message] = []
        async with Talker(transport=opening).session(where) as session:
            async for message in session.query("talk"):
                got.append(message)
                if isinstance(message, StreamEvent) and len(extract_all_text(got)) > 20:
                    await session.interrupt()
            again, error = await drain(session.query("go on"))
        assert error is None
        return got, again

    async with serve(turns(say("word " * 50, fault=stall(after_events=12)), say("next"))):
        before = await play(recording(file), context())
    after = await play(replaying(file), nowhere())
    assert isinstance(before[0][-1], ResultMessage)
    assert_same(before[0], after[0])
    assert_same(before[1], after[1])


@pytest.mark.explore  # a killed CLI breaks one, too
async def test_a_stream_that_breaks(serve: ServeModel, file: Path) -> None:
    async with serve(say("word " * 50, fault=drop(after_events=12))):
        before, error = await drain(Talker(transport=recording(file)).query("talk"))
    assert isinstance(error, StreamingError)
    after, again = await drain(Talker(config=nowhere().config, transport=replaying(file)).query("talk"))
    assert_same(before, after)
    assert_same_error(error, again)


@pytest.mark.explore  # one that cannot be started is on a tape below
async def test_a_killed_cli(serve: ServeModel, mark: str, file: Path) -> None:
    async with serve(bash(LONG_COMMAND)), Worker(transport=recording(file)).session(context()) as session:
        task = asyncio.create_task(drain(session.query("work")))
        await until_running(mark, "time.sleep(300)")
        cli = next(pid for pid, command in marked(mark).items() if "_bundled/claude" in command.split(" ")[0])
        os.kill(cli, signal.SIGKILL)
        before, error = await task
    assert error is not None
    assert isinstance(error.__cause__, ProcessError)
    assert error.__cause__.exit_code == -9

    async with Worker(transport=replaying(file)).session(nowhere()) as session:
        after, again = await drain(session.query("work"))
        _, later = await drain(session.query("more"))
    assert_same(before, after)
    assert_same_error(error, again)
    assert isinstance(later, ProcessError)


async def test_a_cli_that_cannot_be_started(mark: str, file: Path) -> None:
    _, error = await drain(Talker(config=nowhere().config, transport=recording(file)).query("go"))
    assert isinstance(error, CLINotFoundError)
    _, again = await drain(Talker(transport=replaying(file)).query("go"))
    assert_same_error(error, again)
    with pytest.raises(CLINotFoundError):
        async with Talker(transport=replaying(file)).session(context()):
            pass


@pytest.mark.explore  # so does a killed one
async def test_a_recorded_query_that_is_abandoned_leaves_nothing(serve: ServeModel, mark: str, file: Path) -> None:
    async def play(messages: AsyncIterator[Message]) -> list[Message]:
        got = []
        async for message in messages:
            got.append(message)
            if isinstance(message, StreamEvent):
                break
        await messages.aclose()  # type: ignore[attr-defined]
        return got

    async with serve(say("word " * 50, fault=stall(after_events=12))):
        before = await play(Talker(transport=recording(file)).query("talk"))
        assert marked(mark) == {}
    assert_same(before, await play(Talker(transport=replaying(file)).query("talk")))
    _, error = await drain(Talker(transport=replaying(file)).query("talk"))
    assert "closed here" in str(config_error(error))


async def test_a_cassette_of_the_first_format_is_still_replayed() -> None:
    asked: Asked = []
    async with asking(replaying(SAMPLE), nowhere(), asked) as session:
        first, error = await drain(session.query("Which files are here?"))
        assert error is None
        second, error = await drain(session.query("Thank you."))
        assert error is None
    assert asked == [("Bash", {"command": "touch a.txt && ls /project", "description": "List the files"})]
    assert extract_all_text(first) == "I will look.\n\nOnly one: a.txt."
    assert extract_all_text(second) == "You are welcome."
    assert session.last_usage is not None
    assert session.last_usage.output_tokens > 0
