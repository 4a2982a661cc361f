"""A model behind our own protocol, definitions in a few words, and what must hold for every execution."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from maverick_tui.executor import (
    Activity,
    AgentDefinition,
    AgentExecutor,
    CancelToken,
    ErrorOccurred,
    ExecutionResult,
    Message,
    PromptConfig,
    Request,
    Response,
    StopReason,
    ToolCall,
    ToolCallFinished,
    ToolCallStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from maverick_tui.executor.model.messages import Delta
from maverick_tui.executor.model.wire import message_blocks

Step = Response | Exception | Callable[[Request], Awaitable[Response]]

QUICK = {"base_delay": 0.0, "jitter": 0.0}
"""A retry policy for tests that do not want to wait."""


class Model:
    """Answers what it was told to, one after the other; `requests` is what it was asked."""

    model = "claude-sonnet-4-5"

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self.requests: list[Request] = []

    async def run(self, request: Request) -> Response:
        self.requests.append(request)
        step = self._steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Response) else await step(request)


def says(text: str, *, usage: tuple[int, int] = (10, 5), **more: Any) -> Response:
    """An answer in words."""
    return Response(text, usage=Usage(*usage), **more)


def calls(*wanted: ToolCall, text: str = "", usage: tuple[int, int] = (10, 5)) -> Response:
    """An answer that calls tools."""
    return Response(text, wanted, Usage(*usage), StopReason.TOOL_USE)


def call(tool: str, call_id: str = "", **arguments: Any) -> ToolCall:
    return ToolCall(call_id or f"id-{tool}", tool, arguments)


def streaming(response: Response, *pieces: str, hold: asyncio.Event | None = None) -> Step:
    """The answer told piece by piece; it does not end before `hold` is set."""

    async def run(request: Request) -> Response:
        assert request.listen is not None
        request.listen(Delta("start", usage=Usage(response.usage.input_tokens, 1)))
        for piece in pieces or (response.content,):
            request.listen(Delta("text", piece))
            await asyncio.sleep(0)
        if hold is not None:
            await hold.wait()
        return response

    return run


def define(query: str = "Do it.", **fields: Any) -> AgentDefinition:
    """An agent that is asked this."""
    prompt = fields.pop("prompt", PromptConfig(query=query))
    return AgentDefinition.checked({"name": "worker", "prompt": prompt, **fields})


class Watched:
    """An execution with its events."""

    def __init__(self, result: ExecutionResult[Any], events: list[Activity]) -> None:
        self.result = result
        self.events = events

    @property
    def kinds(self) -> list[str]:
        return [event.type for event in self.events]


async def watch(
    model: Any, definition: AgentDefinition | None = None, tools: Iterable[Any] = (), **options: Any
) -> Watched:
    """Execute, and check what must hold for every execution."""
    events: list[Activity] = []
    agents, approve = options.pop("agents", None), options.pop("approve", None)
    executor = AgentExecutor(model, tools, agents=agents, approve=approve)
    async with asyncio.timeout(120):
        result = await executor.execute(definition or define(), on_activity=events.append, **options)
    check_events(events)
    check_history(result.messages)
    check_usage(events, result)
    return Watched(result, events)


async def cancel_when(condition: Callable[[], bool], cancel: CancelToken) -> None:
    """Cancel as soon as it is so."""
    while not condition():
        await asyncio.sleep(0.001)
    cancel.cancel()


# -- what must hold ----------------------------------------------------------------------------------------------------


def check_events(events: Sequence[Activity]) -> None:
    """What begins ends once, in its own turn; of an agent and of each subagent."""
    for parent in {event.parent for event in events}:
        _check_agent([event for event in events if event.parent == parent])
    spans: dict[str, list[int]] = {}
    for number, event in enumerate(events):
        if isinstance(event, ToolCallStarted):
            spans[event.tool_call.id] = [number, number]
        elif isinstance(event, ToolCallFinished):
            spans[event.tool_call_id][1] = number
    for number, event in enumerate(events):
        if event.parent:
            start, end = spans[event.parent]
            assert start < number < end, "a subagent speaks while its call is open, and never else"


def _check_agent(events: Sequence[Activity]) -> None:
    turn, open_calls, done, turns = 0, set[str](), set[str](), 0
    for number, event in enumerate(events):
        if isinstance(event, TurnStarted):
            assert not turn, "one turn at a time"
            turns += 1
            turn = turns
            assert event.turn_number == turn
        elif isinstance(event, TurnEnded):
            assert turn == event.turn_number
            assert not open_calls, "every call ends in its turn"
            turn = 0
        elif isinstance(event, ToolCallStarted):
            assert turn
            assert event.tool_call.id not in open_calls | done, "a call begins once"
            open_calls.add(event.tool_call.id)
        elif isinstance(event, ToolCallFinished):
            open_calls.remove(event.tool_call_id)
            done.add(event.tool_call_id)
        elif isinstance(event, ErrorOccurred):
            if event.retry_in is None:
                assert all(isinstance(later, TurnEnded) for later in events[number + 1 :]), "the end is the end"
        else:
            assert turn, "words belong to a turn"
    assert not turn
    assert not open_calls


def check_history(messages: Sequence[Message]) -> None:
    """The conversation as the API takes it."""
    sent = message_blocks(messages, cache=True)
    assert sent
    assert [one["role"] for one in sent] == [("user", "assistant")[i % 2] for i in range(len(sent))]
    seen: set[str] = set()
    waiting: list[str] = []
    marks = 0
    for one in sent:
        blocks = one["content"]
        assert blocks
        answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert answered == waiting, "each call is answered in the next message, and nothing else is"
        assert all(block["type"] == "tool_result" for block in blocks[: len(answered)]), "answers come first"
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        assert not seen.intersection(waiting)
        assert len(set(waiting)) == len(waiting)
        seen.update(waiting)
        for block in blocks:
            marks += "cache_control" in block
            text = {"text": block.get("text"), "tool_result": block.get("content")}.get(block["type"], "-")
            assert text
            assert text.strip(), "no text is empty"
            text.encode()
        kinds = [block["type"] for block in blocks]
        assert set(kinds) - {"thinking", "redacted_thinking"}, "thoughts do not stand alone"
    assert not waiting
    assert marks <= 3, "four is the limit, and the system prompt has one"


def check_usage(events: Sequence[Activity], result: ExecutionResult[Any]) -> None:
    """What the turns have told is what the result says."""
    told = Usage()
    for event in events:
        if isinstance(event, TurnEnded):
            told += event.usage
    assert told == result.metrics.usage
    assert result.turn_count == sum(1 for event in events if isinstance(event, TurnStarted) and not event.parent)


# -- what is left behind -----------------------------------------------------------------------------------------------


def _sockets() -> set[str]:
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


def _threads() -> set[int]:
    """All threads of the process, without those of the event loop's pool, which looks up addresses and ends with it."""
    pool = {thread.native_id for thread in threading.enumerate() if thread.name.startswith("asyncio_")}
    return {int(entry.name) for entry in Path("/proc/self/task").iterdir()} - pool


@asynccontextmanager
async def nothing_left() -> AsyncIterator[None]:
    """Whatever happens inside leaves no task, no socket and no thread."""
    tasks, sockets, threads = asyncio.all_tasks(), _sockets(), _threads()
    yield
    until = asyncio.get_running_loop().time() + 2
    while any(left := (asyncio.all_tasks() - tasks, _sockets() - sockets, _threads() - threads)):
        assert asyncio.get_running_loop().time() < until, f"left behind: {left}"
        await asyncio.sleep(0.005)


T = TypeVar("T")
MOST_ATTEMPTS = 40


async def within(limit: float, attempt: Callable[[], Awaitable[tuple[T, float]]]) -> list[T]:
    """What comes of trying until one has taken less than the limit: on a busy machine others have their turn first."""
    found, took = [], list[float]()
    while not took or (min(took) >= limit and len(took) < MOST_ATTEMPTS):
        one, seconds = await attempt()
        found.append(one)
        took.append(seconds)
    assert min(took) < limit, took
    return found
