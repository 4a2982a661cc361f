"""A client's life: what it needs to begin is nobody's time, and it ends with its event loop."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from maverick_tui.agent.engine.api.telling import Telling
from maverick_tui.agent.sdk_messages import SdkListener
from maverick_tui.executor import AgentConfig, CancelToken, Message, Request, TerminateReason, create_agent
from maverick_tui.offline.server import OfflineServer
from tests.executor.support import Model, define, nothing_left, says, watch
from tests.support.model import as_script, say

HELLO = Request((Message.user("hello"),))


@pytest.fixture
def url() -> Iterator[str]:
    """An endpoint that outlives the event loops of the test."""
    ready, over = threading.Event(), threading.Event()
    found: list[str] = []

    async def serve() -> None:
        async with OfflineServer(as_script(say("Hello."))) as server:
            found.append(server.url)
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait()
    yield found[0]
    over.set()
    thread.join()


@pytest.mark.parametrize("ends_well", [True, False], ids=["asyncio.run", "a loop that is just closed"])
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_an_agent_can_be_asked_in_one_event_loop_after_the_other(url: str, ends_well: bool) -> None:
    agent: Any = create_agent(AgentConfig.checked(base_url=url, api_key="not-a-real-key"))
    complaints: list[str] = []

    async def ask() -> str:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(str(context)))
        answer = await agent.run(HELLO)
        gc.collect()
        for _ in range(3):
            await asyncio.sleep(0)
        return str(answer.content)

    for _ in range(2):
        if ends_well:
            assert asyncio.run(ask()) == "Hello."
        else:
            loop = asyncio.new_event_loop()
            assert loop.run_until_complete(ask()) == "Hello."
            loop.close()
    assert complaints == []
    agent = None
    gc.collect()  # what such a loop has left complains now, and not in another test


def test_the_loop_that_ends_closes_the_connections(url: str, recwarn: pytest.WarningsRecorder) -> None:
    gc.collect()  # of what came before
    recwarn.clear()
    agent: Any = create_agent(AgentConfig.checked(base_url=url, api_key="not-a-real-key"))
    assert asyncio.run(agent.run(HELLO)).content == "Hello."
    del agent
    gc.collect()
    assert [str(one.message) for one in recwarn] == []


# -- time --------------------------------------------------------------------------------------------------------------


@pytest.fixture
async def pass_a_while(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Puts the clock of the event loop forward by 15 seconds."""
    loop, times = asyncio.get_running_loop(), list[int]()
    real = loop.time
    monkeypatch.setattr(loop, "time", lambda: real() + 15 * len(times))
    return lambda: times.append(1)


class Slow(Model):
    """Takes a while before it can be asked for the first time."""

    def __init__(self, work: Callable[[], None], *steps: Any) -> None:
        super().__init__(*steps)
        self._work = work
        self.is_ready = False

    async def get_ready(self) -> None:
        self._work()
        await asyncio.sleep(0)
        self.is_ready = True


async def test_what_the_client_needs_to_begin_is_not_the_runs_time(pass_a_while: Callable[[], None]) -> None:
    definition = define(run={"timeout_ms": 10_000})
    slow = Slow(pass_a_while, says("ok"), says("ok"))
    assert (await watch(slow, definition)).result.success
    assert (await watch(slow, definition)).result.success
    told = Telling(Slow(pass_a_while, says("ok")), SdkListener())
    assert (await watch(told, definition)).result.success


async def test_a_client_that_cannot_begin_says_so_when_it_is_asked() -> None:
    def fail() -> None:
        raise ImportError("It is not installed.")

    async with nothing_left():
        assert (await watch(Slow(fail, says("It can, after all.")))).result.success


async def test_a_run_can_be_stopped_before_its_client_is_ready() -> None:
    class Never(Slow):
        async def get_ready(self) -> None:
            cancel.cancel()
            await asyncio.Event().wait()

    cancel = CancelToken()
    async with nothing_left():
        watched = await watch(Never(lambda: None), cancel=cancel)
    assert watched.result.terminate_reason is TerminateReason.CANCELLED


async def test_the_time_of_a_request_begins_when_the_client_is_ready(pass_a_while: Callable[[], None]) -> None:
    async with OfflineServer(as_script(say("Hello."))) as server:
        agent: Any = create_agent(
            AgentConfig.checked(base_url=server.url, api_key="not-a-real-key", request_timeout=10)
        )
        opened = agent._opened

        async def slowly() -> Any:
            pass_a_while()
            return await opened()

        agent._opened = slowly
        async with agent:
            assert (await agent.run(HELLO)).content == "Hello."
