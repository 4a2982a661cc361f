"""Cassettes that do not fit what is replayed, or are broken, and the pace of those that do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny, ResultMessage, StreamEvent

from maverick_tui import AgentError, ConfigError, ProcessError, StreamingError, extract_all_text
from maverick_tui.offline.cassette import replaying
from tests.offline.tapes import config_error, nowhere
from tests.support import replay as frames
from tests.support.agents import Talker, Worker, drain

HEADER = {"maverick_cassette": 1, "date": "2025-01-01T00:00:00+00:00", "sdk": "0", "cli": None}


def write(path: Path, *lines: Any, end: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + end)
    return path


def sent(frame: dict[str, Any], at: float = 0.0) -> dict[str, Any]:
    return {"at": at, "sent": frame}


def got(frame: dict[str, Any], at: float = 0.0) -> dict[str, Any]:
    return {"at": at, "got": frame}


def handshake() -> Iterator[dict[str, Any]]:
    yield sent({"type": "control_request", "request_id": "r1", "request": {"subtype": "initialize"}})
    response = {"subtype": "success", "request_id": "r1", "response": {"commands": []}}
    yield got({"type": "control_response", "response": response})


def prompt(text: str, number: int = 1) -> Iterator[dict[str, Any]]:
    message = {"role": "user", "content": text}
    yield sent({"type": "user", "uuid": f"prompt-{number}", "message": message})
    yield got(frames.init())
    yield got({"type": "user", "uuid": f"prompt-{number}", "message": message, "session_id": "s"})


def question(number: int) -> dict[str, Any]:
    request = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": f"run {number}"}}
    return {"type": "control_request", "request_id": f"q{number}", "request": request}


def allowed(number: int) -> dict[str, Any]:
    response = {"subtype": "success", "request_id": f"q{number}", "response": {"behavior": "allow"}}
    return {"type": "control_response", "response": response}


@pytest.fixture
def two(file: Path) -> Path:
    """A session with two prompts, closed by us."""
    lines = [HEADER, *handshake()]
    for number, text in enumerate(("first", "second"), 1):
        lines += [*prompt(text, number), got(frames.delta(text)), got(frames.assistant(text)), got(frames.result())]
    return write(file, *lines, {"at": 1.0, "closed": True})


async def test_another_prompt_than_recorded(two: Path) -> None:
    async with Talker(transport=replaying(two)).session(nowhere()) as session:
        messages, error = await drain(session.query("first"))
        assert error is None
        assert extract_all_text(messages) == "first"
        _, error = await drain(session.query("something else"))
    told = config_error(error)
    assert (told.path, told.line) == (str(two), 10)
    assert f"{two}:10" in str(told)
    assert "expected the prompt 'second', got the prompt 'something else'" in str(error)


async def test_another_prompt_of_a_single_run(two: Path) -> None:
    result = await Talker(transport=replaying(two)).run("something else", nowhere())
    assert not result.success
    assert "expected the prompt 'first', got the prompt 'something else'" in str(result.errors[0])


async def test_more_prompts_than_recorded(two: Path) -> None:
    async with Talker(transport=replaying(two)).session(nowhere()) as session:
        for text in ("first", "second"):
            _, error = await drain(session.query(text))
            assert error is None
        _, error = await drain(session.query("third"))
    assert "expected nothing more to be sent, got the prompt 'third'" in str(config_error(error))


async def test_fewer_prompts_than_recorded_are_no_mistake(two: Path) -> None:
    async with Talker(transport=replaying(two)).session(nowhere()) as session:
        _, error = await drain(session.query("first"))
        assert error is None


async def test_a_request_that_was_not_recorded(two: Path) -> None:
    async with Talker(transport=replaying(two)).session(nowhere()) as session:
        await drain(session.query("first"))
        with pytest.raises(AgentError, match="got the request") as caught:
            await session.set_model("another")
    assert config_error(caught.value).line == 10


@pytest.fixture
def questions(file: Path) -> Path:
    """Two questions at once, answered in the order of their numbers."""
    asked = [got(question(1)), got(question(2)), sent(allowed(1)), sent(allowed(2))]
    return write(file, HEADER, *handshake(), *prompt("go"), *asked, got(frames.result()), {"at": 1.0, "closed": True})


async def test_questions_may_be_answered_in_another_order(questions: Path) -> None:
    second = asyncio.Event()

    async def ask(_name: str, arguments: dict[str, Any], _context: object) -> PermissionResultAllow:
        if arguments["command"] == "run 2":
            second.set()
        await second.wait()
        return PermissionResultAllow()

    async with Worker(transport=replaying(questions)).session(nowhere(), can_use_tool=ask) as session:
        messages, error = await drain(session.query("go"))
    assert error is None
    assert isinstance(messages[-1], ResultMessage)


async def test_another_answer_than_recorded(questions: Path) -> None:
    async def ask(_name: str, _arguments: dict[str, Any], _context: object) -> PermissionResultDeny:
        return PermissionResultDeny(message="no")

    async with Worker(transport=replaying(questions)).session(nowhere(), can_use_tool=ask) as session:
        _, error = await drain(session.query("go"))
    assert "expected the answer 'allow' to a question, got the answer 'deny'" in str(config_error(error))


async def test_nobody_to_answer_the_question(questions: Path) -> None:
    async with Worker(transport=replaying(questions)).session(nowhere()) as session:
        _, error = await drain(session.query("go"))
    assert "expected the answer 'allow' to a question, got the answer 'canUseTool callback" in str(config_error(error))


@pytest.mark.parametrize(
    ("lines", "line", "what"),
    [
        ([], 1, "is not a cassette"),
        (["what is this?"], 1, "is not a cassette"),
        ([{"type": "system"}], 1, "is not a cassette"),
        ([[1]], 1, "is not a cassette"),
        ([{"maverick_cassette": 99}], 1, "format 99"),
        ([HEADER, "{", *handshake()], 2, "is not JSON"),
        ([HEADER, *handshake(), "[" * 100_000, *handshake()], 4, "is not JSON"),
        ([HEADER, *handshake(), {"at": 1}], 4, "is not an entry"),
        ([HEADER, {"at": 1, "got": "text"}, *handshake()], 2, "is not an entry"),
        ([HEADER, {"got": {}}, *handshake()], 2, "is not an entry"),
        ([HEADER, 7, *handshake()], 2, "is not an entry"),
    ],
)
def test_a_file_that_is_no_cassette(lines: list[Any], line: int, what: str, file: Path) -> None:
    with pytest.raises(ConfigError, match=what) as caught:
        replaying(write(file, *lines))
    assert (caught.value.path, caught.value.line) == (str(file), line)


def test_a_file_that_is_not_there(file: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        replaying(file)
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        replaying(file.parent.parent)


def test_binary_is_refused_with_its_line(file: Path) -> None:
    write(file, HEADER, *handshake())
    file.write_bytes(file.read_bytes() + b'{"at": 1, "got": {"x": "\xff\xfe"}}\n{}\n')
    with pytest.raises(ConfigError, match="is not JSON") as caught:
        replaying(file)
    assert caught.value.line == 4


async def test_what_a_foreign_file_says_does_not_crash_us(file: Path) -> None:
    odd = [sent({"type": "control_response", "response": 7}), sent({}), {"at": 0, "end": {"error": {"fields": 1}}}]
    write(file, HEADER, *odd)
    _, error = await drain(Talker(transport=replaying(file)).query("go"))
    assert isinstance(error, AgentError)


@pytest.mark.parametrize("cut", [1, 30])
async def test_a_recording_that_was_cut_off(two: Path, cut: int) -> None:
    text = two.read_text()
    end = text.index('"type": "result"')
    two.write_text(text[: end + cut])
    messages, error = await drain(Talker(transport=replaying(two)).query("first"))
    assert extract_all_text(messages) == "first"
    assert isinstance(error, StreamingError)
    assert isinstance(error.__cause__, ProcessError)
    assert "ended without a result" in str(error)


@pytest.mark.explore
async def test_a_long_cassette(file: Path) -> None:
    deltas = [got(frames.delta(f"{number} ")) for number in range(5_000)]
    text = "".join(f"{number} " for number in range(5_000))
    tail = [got(frames.assistant(text)), got(frames.result()), {"at": 9.0, "end": {"exit_code": 0, "error": None}}]
    write(file, HEADER, *handshake(), *prompt("count"), *deltas, *tail)
    messages, error = await drain(Talker(transport=replaying(file)).query("count"))
    assert error is None
    assert sum(isinstance(message, StreamEvent) for message in messages) == 5_000
    assert extract_all_text(messages) == text


async def test_the_recorded_time(file: Path) -> None:
    deltas = [got(frames.delta("a"), 5.0), got(frames.delta("b"), 5.2), got(frames.assistant("ab"), 5.2)]
    lines = [*prompt("go"), *deltas, got(frames.result(), 5.2), {"at": 5.2, "end": {"exit_code": 0, "error": None}}]
    write(file, HEADER, *handshake(), *({**line, "at": max(line["at"], 5.0)} for line in lines))
    clock = asyncio.get_running_loop().time
    start = clock()
    _, error = await drain(Talker(transport=replaying(file, speed=1.0)).query("go"))
    assert error is None
    assert clock() - start >= 0.2, "the time between two frames is kept"
    for wrong in (0, -1.0):
        with pytest.raises(ConfigError, match="speed"):
            replaying(file, speed=wrong)


async def test_a_mistake_is_told_at_once_even_while_time_passes(file: Path) -> None:
    write(file, HEADER, *handshake(), *prompt("go"), got(frames.delta("a"), 3600.0))
    async with Talker(transport=replaying(file, speed=1.0)).session(nowhere()) as session:
        task = asyncio.create_task(drain(session.query("go")))
        await asyncio.sleep(0.05)
        with pytest.raises(AgentError, match="expected nothing more"):
            await session.set_model("other")
        _, error = await task
    assert "expected nothing more" in str(config_error(error))
