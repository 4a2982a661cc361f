"""Limits are hard: what a request reads is counted before, refused if it cannot fit, and told if it went over."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from maverick_tui.agent.engine.api.telling import Telling
from maverick_tui.agent.sdk_messages import SdkListener
from maverick_tui.executor import (
    AgentConfig,
    AgentExecutor,
    LimitError,
    Message,
    Request,
    RequestConfig,
    Response,
    Role,
    TerminateReason,
    ToolCall,
    Usage,
    create_agent,
    tool,
)
from maverick_tui.executor.model.pricing import price_of
from maverick_tui.executor.model.tokens import size_of, size_of_messages
from maverick_tui.offline.server import OfflineServer
from tests.executor.support import Model, Watched, call, calls, define, says, watch
from tests.support.model import as_script, say

LONG = "All work and no play makes Jack a dull boy. " * 5_700
"""A quarter of a million characters, some 60,000 tokens."""


@tool
async def look() -> str:
    """Looks."""
    return LONG[:40_000]


@tool
async def step() -> str:
    """One more."""
    return "ok"


def check_refused(watched: Watched, limit: str) -> LimitError:
    """It ended by this limit; the error says what it would have needed."""
    result = watched.result
    assert (result.success, result.terminate_reason) == (False, TerminateReason.BUDGET)
    error = result.error
    assert isinstance(error, LimitError)
    assert error.limit == limit
    assert error.needed > error.left
    assert limit in error.message
    assert limit in error.hint
    return error


@pytest.mark.parametrize(
    ("limit", "run"),
    [
        ("max_total_tokens", {"max_total_tokens": 100}),
        ("max_input_tokens", {"max_input_tokens": 10_000}),
        ("max_cost_usd", {"max_cost_usd": 0.01}),
        ("per_request.max_input_tokens", {"per_request": {"max_input_tokens": 100}}),
        ("per_request.max_cost_usd", {"per_request": {"max_cost_usd": 0.01}}),
    ],
)
async def test_a_prompt_that_cannot_fit_is_not_sent(limit: str, run: dict[str, Any]) -> None:
    model = Model(says("never"))
    error = check_refused(await watch(model, define(LONG, run=run)), limit)
    assert model.requests == []
    assert error.needed >= (0.18 if "cost" in limit else 60_000), "what it would take, so that it can be raised"


@pytest.mark.parametrize("where", ["system", "history", "tools", "a subagent"])
async def test_whatever_is_read_counts(where: str) -> None:
    @tool(description=LONG)
    async def wordy() -> None: ...

    history = [Message.user(LONG), Message(Role.ASSISTANT, "Well.")] if where == "history" else []
    prompt = {"system": LONG if where == "system" else "", "query": "Go."}
    if where == "a subagent":
        asked = Model(calls(call("helper", prompt=LONG), usage=(50, 5)), says("It could not."))
        agents = {"helper": define(name="helper", prompt={})}
        watched = await watch(asked, define(tools={"agents": ["helper"]}, run={"max_total_tokens": 900}), agents=agents)
        assert "max_total_tokens" in watched.result.messages[-2].content, "the caller's limit is the helper's, too"
        assert [request.parent for request in asked.requests] == ["", ""]
        return
    tools = [wordy] if where == "tools" else []
    definition = define(prompt=prompt, run={"max_input_tokens": 10_000})
    check_refused(await watch(Model(), definition, tools, history=history), "max_input_tokens")


async def test_what_a_tool_returned_is_counted_before_it_is_sent() -> None:
    model = Model(calls(call("look"), usage=(50, 5)), says("never", usage=(40_000, 5)))
    watched = await watch(model, define(run={"max_input_tokens": 150}), [look])
    assert check_refused(watched, "max_input_tokens").needed > 10_000
    assert len(model.requests) == 1
    assert watched.result.metrics.total_input_tokens == 50


async def test_what_is_known_is_not_reckoned_again() -> None:
    """An estimate errs upward; after an answer most of the next request has been counted for real."""
    model = Model(calls(call("step"), usage=(400, 5)), says("Done.", usage=(420, 5)))
    query = "x = 17 * 4; " * 100
    assert size_of_messages([Message.user(query)]).likely > 500
    watched = await watch(model, define(query, run={"max_input_tokens": 1_000}), [step])
    assert watched.result.success


async def test_the_next_input_is_not_priced_as_if_it_came_from_the_cache() -> None:
    sonnet = price_of("claude-sonnet-4-5")
    assert sonnet is not None
    read = Usage(cache_read_tokens=20_000, output_tokens=5)
    model = Model(Response("", (call("step"),), read), says("never"))
    spent = sonnet.of(read)
    limit = spent + sonnet.of(Usage(15_000))
    watched = await watch(model, define(run={"max_cost_usd": limit}), [step])
    assert check_refused(watched, "max_cost_usd").needed >= sonnet.of(Usage(20_000))
    assert watched.result.metrics.cost_usd == pytest.approx(spent)


@pytest.mark.parametrize(
    ("limit", "run"),
    [
        ("max_input_tokens", {"max_input_tokens": 500}),
        ("max_output_tokens", {"max_output_tokens": 50}),
        ("max_total_tokens", {"max_total_tokens": 500}),
        ("max_cost_usd", {"max_cost_usd": 0.01}),
        ("per_request.max_input_tokens", {"per_request": {"max_input_tokens": 500}}),
        ("per_request.max_output_tokens", {"per_request": {"max_output_tokens": 50}}),
        ("per_request.max_cost_usd", {"per_request": {"max_cost_usd": 0.01}}),
    ],
)
async def test_an_answer_that_went_over_is_kept_and_told(limit: str, run: dict[str, Any]) -> None:
    """An endpoint may count otherwise than we do, or not keep to the length that it was given."""
    watched = await watch(Model(says("All of it.", usage=(9_000, 900))), define(run=run))
    error = check_refused(watched, limit)
    assert error.left == (run.get("per_request") or run)[limit.removeprefix("per_request.")]
    assert (watched.result.output, watched.result.raw_content) == ("All of it.", "All of it.")
    done: list[str] = []

    @tool
    async def act() -> None:
        """Acts."""
        done.append("acted")

    watched = await watch(Model(calls(call("act"), usage=(9_000, 900)), says("never")), define(run=run), [act])
    check_refused(watched, limit)
    assert done == [], "nothing more is done once the limit was passed"


# -- the endpoint that counts ------------------------------------------------------------------------------------------


class Counting(Model):
    """Says how much it would read."""

    max_tokens = 100

    def __init__(self, count: int | None, *steps: Any) -> None:
        super().__init__(*steps)
        self.counted: list[Request] = []
        self._count = count

    async def count_tokens(self, request: Request) -> int | None:
        self.counted.append(request)
        return self._count


async def test_the_endpoint_is_asked_where_the_limits_might_not_do() -> None:
    roomy = {"max_total_tokens": 10**6, "max_cost_usd": 10.0}
    model = Counting(5, says("Done."))
    assert (await watch(model, define(LONG, run=roomy))).result.success
    assert model.counted == [], "it fits, however it is counted"
    model = Counting(55_000, says("Done."))
    watched = await watch(
        model, define(LONG, prompt={"query": LONG, "system": "Be."}, run={"max_input_tokens": 60_000})
    )
    assert watched.result.success, "by an estimate it would not have fitted"
    assert (len(model.counted), model.counted[0].system) == (1, "Be.")
    model = Counting(61_000, says("never"))
    assert (
        check_refused(await watch(model, define(LONG, run={"max_input_tokens": 60_000})), "max_input_tokens").needed
        == 61_000
    )
    assert model.requests == []
    model = Counting(None, says("never"))
    check_refused(await watch(model, define(LONG, run={"max_input_tokens": 60_000})), "max_input_tokens")
    model = Counting(900, says("Done."))
    await watch(model, define("word " * 300, run={"max_total_tokens": 1_000}))
    assert model.requests[0].config.most_tokens == 100, "what is left for the answer is counted, too"


@asynccontextmanager
async def endpoint(
    *, counts: int = 200, count: bytes = b""
) -> AsyncIterator[tuple[Any, list[str], list[dict[str, Any]]]]:
    """An agent of ours with an endpoint; the paths that were asked, and what was sent to be answered."""
    server = OfflineServer(as_script(say("Hello.")))
    inner, paths = server.app, list[str]()

    class Door:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            paths.append(scope["path"])
            if "count_tokens" not in scope["path"] or (counts == 200 and not count):
                await inner(scope, receive, send)
                return
            await send({"type": "http.response.start", "status": counts, "headers": []})
            await send({"type": "http.response.body", "body": count or b"{}"})

    server.app = Door()  # type: ignore[assignment]
    async with server, create_agent(AgentConfig.checked(base_url=server.url, api_key="k")) as agent:  # type: ignore[attr-defined]
        yield agent, paths, inner.requests


async def test_the_messages_api_counts_and_nothing_is_sent_that_does_not_fit() -> None:
    async with endpoint() as (agent, paths, sent):
        told = Telling(agent, SdkListener())
        for asked in (agent, told):
            result = await AgentExecutor(asked, [step]).execute(define(LONG, run={"max_input_tokens": 2_000}))
            assert result.terminate_reason is TerminateReason.BUDGET
            assert isinstance(result.error, LimitError)
            assert result.error.needed == pytest.approx(len(LONG) / 4, rel=0.1), "as the endpoint counts"
            assert paths.pop() == "/v1/messages/count_tokens"
        assert sent == []
        result = await AgentExecutor(agent, [step]).execute(define("Go.", run={"max_input_tokens": 2_000}))
        assert result.success
        assert paths == ["/v1/messages"], "a request that fits in any case is not counted first"


@pytest.mark.parametrize(("status", "asked"), [(404, 1), (500, 2)])
async def test_an_endpoint_that_does_not_count_is_reckoned_with(status: int, asked: int) -> None:
    async with endpoint(counts=status) as (agent, paths, sent):
        for _ in range(2):
            result = await AgentExecutor(agent).execute(define(LONG, run={"max_input_tokens": 2_000}))
            assert result.terminate_reason is TerminateReason.BUDGET
        assert (len(paths), sent) == (asked, []), "one that has no such thing is not asked again"


@pytest.mark.parametrize("count", ["1e400", "-7", "true", '"5"', "[5]", str(10**400), str(2**63), "9" * 5_000])
async def test_a_count_that_is_none_is_reckoned_instead(count: str) -> None:
    async with endpoint(count=b'{"input_tokens": %s}' % count.encode()) as (agent, paths, _sent):
        assert await agent.count_tokens(Request((Message.user("Hi."),), config=RequestConfig())) is None
        assert paths == ["/v1/messages/count_tokens"]


async def test_a_model_that_there_is_not_leaves_the_others_counted() -> None:
    async with endpoint(counts=404) as (agent, paths, _sent):
        for model in ("claude-misspelt", "claude-misspelt", "claude-sonnet-4-5"):
            await agent.count_tokens(Request((Message.user("Hi."),), config=RequestConfig(model=model)))
        assert paths == ["/v1/messages/count_tokens"] * 2


def test_an_estimate_errs_upward() -> None:
    """Two letters to a token, everything else a byte: text has three or four letters, and few tokenisers do worse."""
    for text, least in [
        ("the quick brown fox", 19 / 2),
        ("d41d8cd98f00b204e9800998ecf8427e", 32 * 0.8),
        ("TWF2ZXJpY2sgaXMgbWlzc2lvbg==", 28 * 0.8),
        ("3.14159265358979", 16),
        ("人工知能", 4 * 3),
        ("\ud800", 1),
    ]:
        size = size_of_messages([Message.user(text)])
        assert least <= size.likely <= size.most
    arguments = Message(Role.ASSISTANT, tool_calls=(ToolCall("c", "look", {"path": LONG}),))
    assert size_of(Request([arguments])).likely > 60_000
