"""Whatever the model answers, whatever fails and whenever it is stopped: events and history are well-formed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.exceptions import AgentError, MalformedResponseError, NetworkError
from maverick_tui.executor import (
    AgentExecutor,
    CancelToken,
    ErrorOccurred,
    ExecutionResult,
    Message,
    Request,
    Response,
    StopReason,
    TerminateReason,
    ToolCall,
    Usage,
    tool,
)
from maverick_tui.executor.model.messages import Delta, Thought
from tests.executor.support import QUICK, check_events, check_history, check_usage, define
from tests.support.sampling import examples

WORDS = st.sampled_from(["", " ", "\n", "Well.", "Let me see. ", "half \ud800", '{"a": 1}'])
TOOLS = ["good", "nothing", "bad", "slow", "hangs", "deaf", "ends", "helper", "unknown"]
FAILURES: dict[str, Callable[[], Exception]] = {
    "network": lambda: NetworkError("It is down."),
    "rate": lambda: NetworkError("Too many.", kind="rate_limit"),
    "malformed": lambda: MalformedResponseError("It is broken."),
    "timeout": lambda: AgentError("It was too slow.", kind="timeout"),
    "mistake": lambda: KeyError("x"),
}


@dataclass(frozen=True)
class Said:
    """One call of the model: what it streams, and how it ends."""

    pieces: tuple[str, ...]
    thoughts: int
    calls: tuple[tuple[str, str], ...]
    """Tool and id; ids come twice, and may be missing."""
    ending: str
    waits: int


ANSWERS = st.builds(
    Said,
    pieces=st.lists(WORDS, max_size=3).map(tuple),
    thoughts=st.integers(0, 2),
    calls=st.lists(st.tuples(st.sampled_from(TOOLS), st.sampled_from(["", "a", "b", "c"])), max_size=4).map(tuple),
    ending=st.sampled_from(["whole"] * 9 + ["cut", "hangs", "deaf", *FAILURES]),
    waits=st.integers(0, 3),
)


class Player:
    """Plays answers, for an agent and its helpers alike."""

    model = "claude-sonnet-4-5"

    def __init__(self, answers: list[Said], is_streaming: bool) -> None:
        self._answers = iter(answers)
        self._is_streaming = is_streaming

    async def run(self, request: Request) -> Response:
        check_history(request.messages)
        said = next(self._answers, Said(("The end.",), 0, (), "whole", 0))
        assert request.listen is not None
        if self._is_streaming:
            request.listen(Delta("start", usage=Usage(7, 1)))
            for number in range(said.thoughts):
                request.listen(Delta("thinking", f"thought {number}"))
            for piece in said.pieces:
                request.listen(Delta("text", piece))
                await asyncio.sleep(0)
        for _ in range(said.waits):
            await asyncio.sleep(0)
        if said.ending == "hangs":
            await asyncio.Event().wait()
        if said.ending == "deaf":
            await deafly()
            request.listen(Delta("text", "Nobody hears this."))
        if said.ending in FAILURES:
            raise FAILURES[said.ending]()
        return Response(
            "".join(said.pieces),
            tuple(ToolCall(call_id, name, _arguments(name)) for name, call_id in said.calls),
            Usage(10, 5, 2, 1),
            StopReason.MAX_TOKENS if said.ending == "cut" else StopReason.COMPLETE,
            tuple(Thought(f"thought {number}", "signed") for number in range(said.thoughts)),
        )


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> Iterator[None]:
    """Mistakes are logged, and here they are many."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def _arguments(name: str) -> dict[str, Any]:
    return {"prompt": "Help."} if name == "helper" else {"too": "many"} if name == "nothing" else {}


async def deafly() -> None:
    """Goes on a while after it was told to stop."""
    with_patience = 60
    while with_patience:
        try:
            await asyncio.sleep(0.001)
        except asyncio.CancelledError:
            continue
        with_patience -= 1


@tool
async def good() -> dict[str, int]:
    """Works."""
    return {"a": 1}


@tool
async def nothing() -> None:
    """Says nothing, or refuses what it is given."""


@tool
async def bad() -> str:
    """Fails."""
    raise OSError("\ud800" * 3)


@tool
async def slow() -> str:
    """Takes a few rounds."""
    for _ in range(5):
        await asyncio.sleep(0)
    return " "


@tool
async def hangs() -> str:
    """Does not end by itself."""
    await asyncio.Event().wait()
    return "never"


@tool
async def deaf() -> str:
    """Does not end when it is told to."""
    await deafly()
    return "Nobody hears this."


@tool(completes=True)
async def ends() -> str:
    """Ends the work."""
    return "The end."


KIT = [good, nothing, bad, slow, hangs, deaf, ends]
LIMITS = st.fixed_dictionaries(
    {},
    optional={
        "max_turns": st.integers(1, 4),
        "max_tool_calls": st.integers(0, 5),
        "max_total_tokens": st.integers(1, 200),
        "max_output_tokens": st.integers(1, 40),
        "max_cost_usd": st.sampled_from([0.00001, 0.0005, 1.0]),
    },
)


@dataclass(frozen=True)
class Stop:
    """When it is stopped, in rounds of the event loop, and how."""

    rounds: int
    how: str


STOPS = st.builds(Stop, st.integers(0, 80), st.sampled_from(["token", "token", "task", "both"]))


async def play(answers: list[Said], limits: dict[str, Any], stop: Stop, is_streaming: bool, has_output: bool) -> None:
    events: list[Any] = []
    cancel = CancelToken()
    helper = define(name="helper", prompt={"system": "helper"}, tools={"agents": ["helper"], "max_depth": 2})
    more: dict[str, Any] = {"output": {"schema": {"type": "object"}}} if has_output else {}
    definition = define(
        run={"retry": QUICK, **limits},
        tools={"agents": ["helper"], "max_depth": 2, "max_parallel": 2},
        **more,
    )
    executor = AgentExecutor(Player(answers, is_streaming), KIT, agents={"helper": helper})
    before = asyncio.all_tasks()
    run = asyncio.create_task(executor.execute(definition, cancel=cancel, on_activity=events.append))
    for _ in range(stop.rounds):
        await asyncio.sleep(0)
    is_stopped = not run.done()
    if stop.how in ("token", "both"):
        cancel.cancel()
    if stop.how in ("task", "both"):
        run.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait({run})
    told = len(events)
    check_events(events)
    if not run.cancelled():
        check_result(run.result(), events, is_stopped=is_stopped)
    async with asyncio.timeout(5):
        while asyncio.all_tasks() - before:
            await asyncio.sleep(0.001)
    assert len(events) == told, "nothing comes after the end"


def check_result(result: ExecutionResult[Any], events: list[Any], *, is_stopped: bool) -> None:
    check_history(result.messages)
    check_history([*result.messages, Message.user("Go on.")])
    check_usage(events, result)
    final = [e for e in events if isinstance(e, ErrorOccurred) and e.retry_in is None and not e.parent]
    assert [event.error for event in final] == ([] if result.error is None else [result.error])
    assert (result.terminate_reason is TerminateReason.COMPLETE) == (result.error is None)
    assert not result.success or result.error is None
    assert is_stopped or result.terminate_reason is not TerminateReason.CANCELLED
    assert all("Nobody hears" not in message.content for message in result.messages) or not is_stopped


@pytest.mark.req("003-FR3-order", "003-FR3-pairs", "003-FR2-messages")
@given(
    answers=st.lists(ANSWERS, max_size=6),
    limits=LIMITS,
    stop=STOPS,
    is_streaming=st.booleans(),
    has_output=st.booleans(),
)
@settings(max_examples=examples(20, 100))
def test_any_run_is_well_formed(
    answers: list[Said], limits: dict[str, Any], stop: Stop, is_streaming: bool, has_output: bool
) -> None:
    asyncio.run(play(answers, limits, stop, is_streaming, has_output))


QUIET = ANSWERS.filter(
    lambda said: said.ending not in ("hangs", "deaf") and not {"hangs", "deaf"} & {name for name, _ in said.calls}
)


@given(answers=st.lists(QUIET, max_size=8), limits=LIMITS, is_streaming=st.booleans())
@settings(max_examples=examples(20, 100))
def test_a_run_that_nobody_stops_ends_by_itself(
    answers: list[Said], limits: dict[str, Any], is_streaming: bool
) -> None:
    asyncio.run(play(answers, limits, Stop(3_000, "token"), is_streaming, has_output=False))
