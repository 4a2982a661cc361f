"""What is written down: JSON lines with a trace id and without secrets, and spans for OpenTelemetry."""

from __future__ import annotations

import asyncio
import json
import logging
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import maverick_tui.executor
from maverick_tui.exceptions import ConfigError, NetworkError
from maverick_tui.executor import AgentExecutor, CancelToken, PartialOutput, Request, Response, tracing
from maverick_tui.executor.journal import log, record_activity, write_log
from maverick_tui.executor.mcp.servers import ToolServers
from maverick_tui.executor.tools import tool
from tests.executor.support import QUICK, Model, call, calls, define, says, streaming, watch

SECRET = 'pass"word\\of the house'


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Path]:
    path, level = tmp_path / "logs" / "executor.jsonl", log.level
    handler = write_log(path, logging.DEBUG)
    yield path
    log.removeHandler(handler)
    log.setLevel(level)
    handler.close()


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@tool
async def look(at: str) -> str:
    """Looks."""
    return f"seen {at}"


@pytest.mark.req("003-NFR3-log", "003-NFR3-trace")
async def test_every_event_is_a_line_with_the_trace_id(journal: Path) -> None:
    model = Model(NetworkError("It is down."), calls(call("look", at="it")), streaming(says("Done."), "Do", "ne."))
    watched = await watch(model, define(run={"retry": QUICK}), [look])
    lines = records(journal)
    assert [line["event"] for line in lines] == ["execution_start", *watched.kinds, "execution_end"]
    assert {line["trace_id"] for line in lines} == {watched.result.trace_id}
    assert {line["agent"] for line in lines} == {"worker"}
    assert all(line["time"] and line["level"] in ("INFO", "DEBUG") for line in lines)
    [error] = [line for line in lines if line["event"] == "error"]
    assert (error["kind"], error["retry_in"], error["attempt"]) == ("network", 0.0, 1)
    end = lines[-1]
    assert (end["reason"], end["turns"], end["input_tokens"], end["output_tokens"]) == ("complete", 2, 20, 10)
    assert end["duration_ms"] > 0
    assert stat.S_IMODE(journal.stat().st_mode) == 0o600


@pytest.mark.req("003-NFR2-log")
async def test_a_tool_is_written_down_before_it_runs_and_afterwards(journal: Path) -> None:
    seen: list[list[dict[str, Any]]] = []

    @tool
    async def check() -> str:
        """Reads the log."""
        seen.append(records(journal))
        return "ok"

    await watch(Model(calls(call("check")), says("Done.")), tools=[check])
    assert seen[0][-1]["event"] == "tool_call_start"
    assert (seen[0][-1]["tool"], seen[0][-1]["call"]) == ("check", "id-check")
    ends = [line for line in records(journal) if line["event"] == "tool_call_end"]
    assert [(line["call"], line["result"], line["is_error"]) for line in ends] == [("id-check", "ok", False)]


async def test_no_secret_is_written_down(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_PASSWORD", SECRET)
    key = "sk-ant-0123456789abcdef"

    @tool
    async def leak(where: dict[str, list[str]]) -> str:
        """Says too much."""
        raise ValueError(f"{SECRET} {key}")

    wanted = call("leak", where={SECRET: [SECRET, key], "passwords": ["hunter2"]}, token=12345678)
    pieces = ("It is ", SECRET[:6], SECRET[6:], " or ", key[:9], key[9:], ".")
    await watch(Model(calls(wanted), streaming(says("".join(pieces)), *pieces)), tools=[leak])
    text = journal.read_text(encoding="utf-8")
    hidden = (key, key[9:], "word\\\\of", "0123456789abcdef", "of the house", "hunter2", "12345678")
    for secret in (SECRET, json.dumps(SECRET)[1:-1], *hidden):
        assert secret not in text
    assert text.count("[secret]") >= 5
    told = [line["characters"] for line in records(journal) if line["event"] == "content_chunk"]
    assert sum(told) == len("".join(pieces))


def test_half_an_output_is_written_down_as_its_length(journal: Path) -> None:
    record_activity(PartialOutput({"said": "sk-ant-01"}, parent="p"), "trace", "worker")
    [line] = records(journal)
    assert "sk-ant" not in str(line)
    assert (line["event"], line["characters"], line["parent"]) == ("partial_output", 21, "p")


async def test_a_cancelled_task_has_its_end_written_down(journal: Path) -> None:
    async def hang(_request: Request) -> Response:
        await asyncio.sleep(30)
        raise AssertionError

    model = Model(hang)
    run = asyncio.create_task(AgentExecutor(model).execute(define()))
    while not model.requests:
        await asyncio.sleep(0)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert [line["event"] for line in records(journal)] == [
        *("execution_start", "turn_start", "turn_end", "execution_end")
    ]


async def test_what_is_logged_as_text_becomes_a_line_with_the_trace_id_too(journal: Path) -> None:
    watched = await watch(Model(KeyError("oh no")))
    [line] = [line for line in records(journal) if line["event"] == "log"]
    assert line["trace_id"] == watched.result.trace_id
    assert line["level"] == "ERROR"
    assert "KeyError: 'oh no'" in line["exception"]
    logging.getLogger("maverick_tui.executor.elsewhere").info("5")
    assert records(journal)[-1]["message"] == "5"


def test_a_log_that_was_there_before_is_for_its_owner_alone_too(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_text("before\n")
    path.chmod(0o644)
    level, handler = log.level, maverick_tui.executor.write_log(path)
    log.removeHandler(handler)
    log.setLevel(level)
    handler.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text() == "before\n"


async def test_no_field_is_long_and_no_secret_is_cut_in_half(journal: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSE_PASSWORD", SECRET)

    @tool
    async def echo(text: str, more: list[str]) -> str:
        """Says it again."""
        return text

    text = "a" * 1_990 + SECRET + "b" * 100_000
    failure = NetworkError(text)
    model = Model(failure, calls(call("echo", text=text, more=[text] * 10)), streaming(says(text)))
    await watch(model, define(run={"retry": QUICK}), [echo])
    lines = journal.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 10
    assert max(map(len, lines)) < 5_000
    assert SECRET[:10] not in json.dumps(records(journal), ensure_ascii=False).replace("\\", "")
    [started] = [line for line in records(journal) if line["event"] == "tool_call_start"]
    assert started["arguments"].startswith('{"text": "aaa')
    assert "characters are left out]" in started["arguments"]


async def test_secrets_that_only_a_server_or_an_agent_knows_are_not_written_down(journal: Path) -> None:
    settings = {
        "command": "there-is-no-such-program",
        "env": {"X_TOKEN": "server-word-1"},
        "args": ["--key=arg-word-2"],
    }
    with pytest.raises(ConfigError):
        await ToolServers({"s": settings}, wanted=["mcp__s__*"]).open()
    with pytest.raises(ConfigError):
        await ToolServers({"s": {"command": "x", "env": ["no map"]}}, wanted=["mcp__s__*"]).open()
    await watch(Model(calls(call("look", at="server-word-1 arg-word-2")), says("Done.")), tools=[look])
    logging.getLogger("maverick_tui.executor.elsewhere").info("server-word-1")
    text = journal.read_text(encoding="utf-8")
    assert "word-" not in text
    assert text.count("[secret]") == 5


async def test_halves_of_characters_do_not_stop_the_log(journal: Path) -> None:
    await watch(Model(calls(call("look", at="\udcff")), says("Done.")), tools=[look])
    assert records(journal)[-1]["event"] == "execution_end"


async def test_without_a_log_nothing_is_made_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "level", logging.WARNING)
    log.manager._clear_cache()  # type: ignore[attr-defined]
    monkeypatch.setattr("maverick_tui.executor.journal._plain", None)
    assert (await watch(Model(says("Done.")))).result.success
    log.manager._clear_cache()  # type: ignore[attr-defined]


# -- spans -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    monkeypatch.setattr(tracing, "_tracer", lambda: tracer)
    yield exporter
    provider.shutdown()


def named(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


async def test_spans_follow_the_conventions(spans: InMemorySpanExporter) -> None:
    answer = calls(call("look", at="it"), usage=(100, 10))
    watched = await watch(Model(answer, says("Done.", usage=(200, 20), model="claude-x", id="msg_1")), tools=[look])
    found = named(spans)
    assert set(found) == {"invoke_agent worker", "chat claude-sonnet-4-5", "execute_tool look"}
    agent, chat, used = found["invoke_agent worker"], found["chat claude-sonnet-4-5"], found["execute_tool look"]
    assert agent.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "worker",
        "gen_ai.usage.input_tokens": 300,
        "gen_ai.usage.output_tokens": 30,
    }
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "claude-sonnet-4-5",
        "gen_ai.response.model": "claude-x",
        "gen_ai.response.id": "msg_1",
        "gen_ai.response.finish_reasons": ("complete",),
        "gen_ai.usage.input_tokens": 200,
        "gen_ai.usage.output_tokens": 20,
    }
    assert used.attributes == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look",
        "gen_ai.tool.call.id": "id-look",
    }
    assert (agent.kind.name, chat.kind.name, used.kind.name) == ("INTERNAL", "CLIENT", "INTERNAL")
    assert agent.context is not None
    for below in (chat, used):
        assert below.parent is not None
        assert below.parent.span_id == agent.context.span_id
    assert watched.result.trace_id == f"{agent.context.trace_id:032x}", "logs and spans have the same id"


async def test_what_fails_is_marked(spans: InMemorySpanExporter) -> None:
    @tool
    async def fail() -> str:
        """Fails."""
        raise ValueError("no")

    down = NetworkError("It is down.", kind="rate_limit")
    await watch(Model(calls(call("fail")), down), define(run={"retry": {"max_retries": 0}}), [fail])
    failed = {
        span.name: (span.attributes or {})["error.type"] for span in spans.get_finished_spans() if not span.status.is_ok
    }
    assert failed == {
        "execute_tool fail": "ValueError",
        "chat claude-sonnet-4-5": "rate_limit",
        "invoke_agent worker": "rate_limit",
    }


async def test_a_cancelled_execution_ends_its_spans(spans: InMemorySpanExporter) -> None:
    async def hang(_request: Request) -> Response:
        cancel.cancel()
        await asyncio.sleep(30)
        raise AssertionError

    cancel = CancelToken()
    await watch(Model(hang), cancel=cancel)
    assert set(named(spans)) == {"invoke_agent worker", "chat claude-sonnet-4-5"}


async def test_without_the_package_there_are_no_spans_but_a_trace_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    tracing._tracer.cache_clear()
    try:
        assert tracing._tracer() is None
        with tracing.span("x", {"operation.name": "chat"}) as span:
            assert span is tracing.NO_SPAN
        ids = {(await watch(Model(says("ok")))).result.trace_id for _ in range(2)}
        assert [len(one) for one in ids] == [32, 32]
    finally:
        tracing._tracer.cache_clear()
