"""Cassettes: recorded from the real CLI, replayed with nothing but the file, and without secrets."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    Message,
    PermissionResultAllow,
    PermissionResultDeny,
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
    MaverickConfig,
    ProcessError,
    StreamingError,
    extract_all_text,
)
from maverick_tui.agent.engine.protocol import Session
from maverick_tui.offline.cassette import recording, replaying
from maverick_tui.offline.cassette_file import Tape, load_cassette
from maverick_tui.offline.cassette_secrets import Scrubber
from maverick_tui.redact import MASK
from tests.conftest import ServeModel
from tests.support import replay as frames
from tests.support.agents import Talker, Worker, context, drain
from tests.support.model import bash, call, drop, say, scene, stall, turns
from tests.support.processes import marked, until_running, wait_until_gone

KEY = "sk-ant-api03-Zm9vYmFyYmF6cXV4-0123456789"
LONG_COMMAND = f"{sys.executable} -c 'import time; time.sleep(300)'"
SAMPLE = Path(__file__).parent / "cassettes" / "two-prompts.jsonl"

Opening = Callable[[ClaudeAgentOptions], Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tapes" / "session.jsonl"


def nowhere() -> AgentContext:
    """A context in which no CLI could be started."""
    return AgentContext(cwd=Path.cwd(), branch="main", config=MaverickConfig.load(cli_path=Path("/nowhere/claude")))


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


def assert_same_error(before: AgentError | None, after: AgentError | None) -> None:
    assert before is not None
    assert type(before) is type(after)
    assert str(before) == str(after)
    assert type(before.__cause__) is type(after.__cause__)
    if isinstance(before.__cause__, AgentError):
        assert isinstance(after.__cause__, AgentError)
        assert vars(before.__cause__) == vars(after.__cause__)


def config_error(error: BaseException | None) -> ConfigError:
    """The error of the cassette, however deep it is wrapped."""
    while error is not None and not isinstance(error, ConfigError):
        error = error.__cause__
    assert error is not None
    return error


# -- recorded and replayed ---------------------------------------------------------------------------------------------


@pytest.mark.explore
async def test_a_run_with_a_tool(serve: ServeModel, mark: str, file: Path) -> None:
    Path("notes.txt").write_text("remember")
    async with serve([bash("cat notes.txt; pwd"), say("It says: remember.")]):
        before, error = await drain(Worker(transport=recording(file)).query("read"))
    assert error is None
    assert "remember" in str(before)
    assert wait_until_gone(mark, 1.0) == {}

    seen: list[dict[int, str]] = []
    after: list[Message] = []
    async for message in Worker(config=nowhere().config, transport=replaying(file)).query("read"):
        after.append(message)
        seen.append(marked(mark))
    assert not any(seen)
    assert_same(before, after)
    assert sum(old == new for old, new in zip(before, after, strict=True)) > len(before) * 0.8


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
async def asking(opening: Opening, where: AgentContext, asked: Asked) -> AsyncIterator[Session]:
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
            usage = await session.context_usage()
        return first, second, asked, usage

    scenes = [scene(bash("touch made.txt && touch too.txt"), say("Made."), turn=1), scene(say("Again."), turn=2)]
    async with serve(scenes):
        before = await play(recording(file), context(permission_mode="default"))
    assert Path("made.txt").exists()
    Path("made.txt").unlink()
    wait_until_gone(mark, 1.0)

    after = await play(replaying(file), nowhere())
    assert marked(mark) == {}
    assert not Path("made.txt").exists()
    assert_same(before[0], after[0])
    assert_same(before[1], after[1])
    assert extract_all_text(after[1]) == "Again."
    assert len(before[2]) == 1
    assert before[2:] == after[2:]


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


async def test_a_stream_that_breaks(serve: ServeModel, file: Path) -> None:
    async with serve(say("word " * 50, fault=drop(after_events=12))):
        before, error = await drain(Talker(transport=recording(file)).query("talk"))
    assert isinstance(error, StreamingError)
    after, again = await drain(Talker(config=nowhere().config, transport=replaying(file)).query("talk"))
    assert_same(before, after)
    assert_same_error(error, again)


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


# -- secrets -----------------------------------------------------------------------------------------------------------


def streamed(path: Path) -> str:
    """All pieces of all streams, put together."""
    found = ""
    for entry in load_cassette(path).entries:
        if entry.kind == "got" and entry.value["type"] == "stream_event":
            delta = entry.value["event"].get("delta", {})
            found += delta.get("text", "") + delta.get("partial_json", "")
    return found


async def test_no_secret_reaches_the_file(
    serve: ServeModel, file: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "correct horse 'battery' staple"
    monkeypatch.setenv("LOGNAME", "ada.lovelace")
    monkeypatch.setenv("DATABASE_PASSWORD", password)
    command = f'echo "$ANTHROPIC_API_KEY"; echo "$DATABASE_PASSWORD"; pwd; echo {home}/x ada.lovelace; echo {KEY} >&2'
    text = f"The key is {KEY}, the password {password}, and you are ada.lovelace in {Path.cwd()}."
    async with serve([bash(command), say(text)]):
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        before, error = await drain(Worker(transport=recording(file)).query(f"use {KEY}"))
    assert error is None
    assert KEY in str(before)
    assert password in str(before)
    everything = file.read_text() + streamed(file)
    for secret in (KEY, password, "battery", "horse", str(Path.cwd()), str(home), "ada.lovelace"):
        assert secret not in everything
    assert f"The key is {MASK}, the password {MASK}, and you are user in /project." in streamed(file)

    # Whoever replays it has other secrets.
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another-key-than-before")
    after, error = await drain(Worker(transport=replaying(file)).query("use another-key-than-before"))
    assert error is None
    assert len(before) == len(after)
    assert extract_all_text(after).endswith(f"The key is {MASK}, the password {MASK}, and you are user in /project.")


@pytest.mark.parametrize(
    ("frame", "hidden"),
    [
        ({"apiKeySource": "user"}, {"apiKeySource": MASK}),
        ({"account": {"id": "a", "plans": ["x"], "ok": True}}, {"account": {"id": MASK, "plans": [MASK], "ok": True}}),
        ({"env": {"HOST": "h"}, "headers": {"x": "y"}}, {"env": {"HOST": MASK}, "headers": {"x": MASK}}),
        ({"env": "test", "input_tokens": 12, "maxTokens": 5}, {"env": "test", "input_tokens": 12, "maxTokens": 5}),
        ({"a": [{"access_token": 123, "password": "x"}]}, {"a": [{"access_token": MASK, "password": MASK}]}),
        ({"passwords": ["x"], "max_tokens": 5}, {"passwords": [MASK], "max_tokens": 5}),
        ("Authorization: Bearer abcdefgh.1234", f"Authorization: Bearer {MASK}"),
        ("git clone https://me:pass@example.org/x", f"git clone https://{MASK}@example.org/x"),
        ("ghp_0123456789abcdefghij and AKIA0123456789ABCDEF", f"{MASK} and {MASK}"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n", f"{MASK}\n"),
        ("the task-management of https://example.org/a:b", "the task-management of https://example.org/a:b"),
        ("MCP_VALUE-77 production", f"{MASK} production"),
        ("header-1234567", MASK),
        ("DB_PASSWORD=hunter-22-hunter\nTOKEN=$OTHER_ONE", f"DB_PASSWORD={MASK}\nTOKEN=$OTHER_ONE"),
        ('{"db_password" : "x y", "tokens": "three"}', f'{{"db_password" : "{MASK}", "tokens": "three"}}'),
        ('{"content": "{\\"token\\": \\"abc\\"}"}', f'{{"content": "{{\\"token\\": \\"{MASK}\\"}}"}}'),
    ],
)  # fmt: skip
def test_what_is_hidden(frame: Any, hidden: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-agent: talker\nx-api-key: header-1234567")
    server = {"type": "stdio", "command": "x", "env": {"A": "MCP_VALUE-77", "MODE": "production"}}
    scrubber = Scrubber(ClaudeAgentOptions(mcp_servers={"s": server}))  # type: ignore[dict-item]
    assert scrubber.clean(frame) == hidden


@pytest.mark.parametrize("before", ["", "u:", "me:"])
def test_what_a_variable_holds_is_hidden_in_pieces_as_base64_and_in_urls(before: str, file: Path) -> None:
    secret = "open sesame/of the house"
    coded, quoted = b64encode(f"{before}{secret}".encode()).decode(), quote(secret, "")
    tape = Tape(file, Scrubber(ClaudeAgentOptions(env={"HOUSE_PASSWORD": secret})))
    for piece in (coded[:9], coded[9:], " ", quoted[:9], quoted[9:], "."):
        tape.note("got", frames.delta(piece))
    tape.close()
    text = streamed(file)
    assert coded[5:-4] not in text
    assert quoted not in text
    assert text.count(MASK) == 2


def test_places_are_replaced_only_where_they_are_meant() -> None:
    scrubber = Scrubber(ClaudeAgentOptions(cwd="/srv/app", env={"CLAUDE_CONFIG_DIR": "/etc/claude"}))
    assert scrubber.text("in /srv/app, /srv/app/x.py; file:///srv/app/y") == (
        "in /project, /project/x.py; file:///project/y"
    )
    assert scrubber.text("/etc/claude/projects/-srv-app/1.jsonl") == "~/.claude/projects/-project/1.jsonl"
    for other in ("/srv/application", "/srv/app.py", "web/srv/app", "my-srv-app"):
        assert scrubber.text(other) == other


@pytest.mark.parametrize("size", [1, 3, 7, 50])
def test_a_secret_in_pieces(size: int, file: Path) -> None:
    quoted = '{"password": "open sesame", "content": "A_KEY=open-sesame\\n{\\"token\\":\\"sesame\\"}"}'
    text = f"Not sk-an, but {KEY} and see https://example.org/x for skates. {quoted} {KEY}"
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    for number, piece in enumerate(pieces):
        tape.note("got", frames.delta(piece))
        if number % 5 == 0:
            tape.note("got", frames.stream_event(frames.delta("sk-ant-")["event"], parent="other"))
    tape.note("got", frames.stream_event({"type": "content_block_stop", "index": 0}))
    tape.close()
    got = [entry.value for entry in load_cassette(file).entries if entry.kind == "got"]
    own = [
        frame["event"]["delta"]["text"]
        for frame in got
        if frame["parent_tool_use_id"] is None and "delta" in frame["event"]
    ]
    assert "".join(own) == Scrubber(ClaudeAgentOptions()).text(text)
    assert "sesame" not in "".join(own)
    assert KEY not in "".join(own)
    assert len(own) == len(pieces)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 50])
def test_a_secret_in_pieces_that_begins_before_what_tells_it(size: int, file: Path) -> None:
    line = "MHcCAQEEIObtUQz0wZ8hvVn7y1mWkUe9oAoGCCqGSM49AwEHoUQDQgAEd1Vl4fRx"
    text = (
        f"A bot, 1234567890:AA{'x' * 33}, and machine here login me password open-sesame-1\n"
        f"Private-Lines: 2\n{line}\n{line}\nPrivate-MAC: 0\n\n"
        f"{line}\n{line}\n-----END EC PRIVATE KEY-----\nThat was it."
    )
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    for at in range(0, len(text), size):
        tape.note("got", frames.delta(text[at : at + size]))
    tape.note("got", frames.stream_event({"type": "content_block_stop", "index": 0}))
    tape.close()
    got = [entry.value for entry in load_cassette(file).entries if entry.kind == "got"]
    told = "".join(frame["event"]["delta"]["text"] for frame in got if "delta" in frame["event"])
    assert told == Scrubber(ClaudeAgentOptions()).text(text)
    assert not any(secret in told for secret in (line, "x" * 33, "sesame"))
    assert told.endswith("That was it.")


def test_what_waits_is_written_as_soon_as_it_is_known_to_be_harmless(file: Path) -> None:
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))

    def lines() -> int:
        return file.read_text().count("\n")

    tape.note("got", frames.delta("hello!"))
    assert lines() == 2
    tape.note("got", frames.delta(" sk"))
    tape.note("sent", {"type": "user"})
    assert lines() == 2
    tape.note("got", frames.delta("ater!"))
    assert lines() == 5
    tape.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_recording_and_nothing_else(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    assert tape._file is not None
    tape._file.close()
    tape._file = open("/dev/full", "w", encoding="ascii")  # noqa: PTH123, SIM115
    tape.note("got", frames.init())
    tape.note("got", frames.result())
    tape.close()
    assert "stops here" in caplog.text
    assert len(caplog.records) == 1


# -- what does not fit -------------------------------------------------------------------------------------------------

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
        ([HEADER, *handshake(), {"at": 1}], 4, "is no entry"),
        ([HEADER, {"at": 1, "got": "text"}, *handshake()], 2, "is no entry"),
        ([HEADER, {"got": {}}, *handshake()], 2, "is no entry"),
        ([HEADER, 7, *handshake()], 2, "is no entry"),
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


# -- how it is played --------------------------------------------------------------------------------------------------


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
