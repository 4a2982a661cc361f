"""The server: many clients at once, those who leave, and that it leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import ConfigError
from maverick_tui.offline.loading import parse_script
from maverick_tui.offline.script import Script
from maverick_tui.offline.server import OfflineServer
from tests.offline.scripts import BOUND, scenes, script
from tests.offline.wire import Connection, ask, called, connect, question
from tests.support.sampling import sampled


async def test_twenty_clients_at_once() -> None:
    found = [{"when": {"prompt": f"^client {n}$"}, "answers": [f"{n} " * 50, f"{n}: ${{look}}"]} for n in range(20)]
    async with OfflineServer(scenes(*found, pace={"tokens_per_second": 500}, strict=True)) as server:

        async def client(number: int) -> tuple[str, str]:
            async with connect(server.url) as connection:
                first = await connection.ask(question(f"client {number}"))
                second = await connection.ask(question(f"client {number}", *called("look", f"saw {number}")))
            return first.text, second.text

        got = await asyncio.gather(*map(client, range(20)))
    assert got == [(f"{n} " * 50, f"{n}: saw {n}") for n in range(20)]


async def under_way() -> int:
    """Answers that the server is giving."""
    return sum("run_asgi" in repr(task.get_coro()) for task in asyncio.all_tasks())


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(BOUND):
        while await condition():
            await asyncio.sleep(0.01)


SLOW: dict[str, tuple[Script, bool]] = {
    "a paced stream": (script("word " * 10_000, pace={"tokens_per_second": 100}), True),
    "a pause": (script(["word " * 10, {"pause": 3600}, "more"]), True),
    "a first token": (script("word", pace={"first_token": 3600}), True),
    "a stall": (script({"steps": ["word " * 10], "fault": {"kind": "stall"}}), True),
    "slow headers": (script({"steps": ["word"], "fault": {"kind": "slow_headers", "seconds": 3600}}), True),
    "an answer in one piece": (script("word " * 10, pace={"first_token": 3600}), False),
    "a stall of one piece": (script({"steps": ["word"], "fault": {"kind": "stall"}}), False),
}


async def begin(connection: Connection, name: str) -> None:
    """Ask, and read until the answer is under way."""
    await connection.send(question(stream=SLOW[name][1]))
    if name in ("a paced stream", "a pause", "a stall"):
        await connection.reader.readuntil(b"text_delta")
    await asyncio.sleep(0.05)
    assert await under_way() == 1


@pytest.mark.parametrize("name", SLOW)
async def test_a_client_that_goes_away_frees_the_server(name: str) -> None:
    async with OfflineServer(SLOW[name][0]) as server:
        async with connect(server.url) as connection:
            await begin(connection, name)
        await until(under_way)


async def test_a_client_that_does_not_read_and_goes_away() -> None:
    async with OfflineServer(script("word " * 400_000)) as server:
        async with connect(server.url) as connection:
            await connection.send(question())
            await connection.head()
            await asyncio.sleep(0.3)
            assert await under_way() == 1, "it waits for the client"
        await until(under_way)


async def test_a_client_that_goes_away_in_its_request() -> None:
    async with OfflineServer(script("hello", strict=True)) as server:
        async with connect(server.url) as connection:
            connection.writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
            await connection.writer.drain()
            await asyncio.sleep(0.05)
        await until(under_way)
        assert server.app.requests == []
        assert (await ask(server.url, question())).text == "hello"


async def test_several_requests_on_one_connection() -> None:
    async with OfflineServer(script("one", "two")) as server, connect(server.url) as connection:
        assert (await connection.ask(question())).text == "one"
        assert (await connection.ask(question("hello", *called("a", "x")))).text == "two"
        assert (await connection.ask(None, method="GET", path="/")).json() == {"status": "offline model"}
        assert (await connection.ask(b"nonsense")).status == 400
        assert (await connection.ask(question(stream=False))).json()["content"] == [{"type": "text", "text": "one"}]


def sockets() -> set[str]:
    """The sockets that this process holds."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


@pytest.mark.parametrize("name", sampled(list(SLOW), 3))
async def test_stop_while_an_answer_is_under_way(name: str) -> None:
    tasks, held = asyncio.all_tasks(), sockets()
    server = OfflineServer(SLOW[name][0])
    await server.start()
    async with connect(server.url) as connection:
        await begin(connection, name)
        async with asyncio.timeout(BOUND):
            await server.stop()
            assert asyncio.all_tasks() == tasks, "no task is left"
            await connection.reader.read()  # the connection has ended
    await asyncio.sleep(0.01)
    assert sockets() == held
    gc.collect()  # what was not closed would warn, and warnings are errors


@pytest.mark.explore
async def test_stop_while_a_client_does_not_read() -> None:
    tasks = asyncio.all_tasks()
    server = OfflineServer(script("word " * 400_000))
    await server.start()
    async with connect(server.url) as connection:
        await connection.send(question())
        await connection.head()
        await asyncio.sleep(0.2)
        held = sockets()
        async with asyncio.timeout(BOUND):
            await server.stop()
        assert asyncio.all_tasks() == tasks
        await asyncio.sleep(0.01)
        assert len(held - sockets()) == 2, "neither the listener is left nor the connection"


async def test_stop_ends_idle_connections() -> None:
    tasks, held = asyncio.all_tasks(), sockets()
    async with OfflineServer(script("hello")) as server, connect(server.url) as connection:
        await connection.ask(question())
        await server.stop()
        assert await connection.reader.read() == b""
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == tasks
    assert sockets() == held


async def test_stop_without_start_and_twice() -> None:
    server = OfflineServer(script("hello"))
    await server.stop()
    await server.start()
    await server.stop()
    await server.stop()


async def test_a_start_that_is_cancelled_leaves_nothing() -> None:
    tasks, held = asyncio.all_tasks(), sockets()
    starting = asyncio.create_task(OfflineServer(script("hello")).start())
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait({starting})
    await asyncio.sleep(0.3)
    assert asyncio.all_tasks() == tasks
    assert sockets() == held


async def test_it_can_be_started_again_at_the_same_port() -> None:
    async with OfflineServer(script("one")) as server:
        assert (await ask(server.url, question())).text == "one"
    port = int(server.url.rsplit(":", 1)[1])
    async with OfflineServer(script("two"), port=port) as again:
        assert again.url == server.url
        assert (await ask(again.url, question())).text == "two"


def listening(port: int) -> list[str]:
    """Where somebody listens on this port, as the kernel writes it."""
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state = line.split()[:4]
            address, number = local.split(":")
            if state == "0A" and int(number, 16) == port:
                found.append(address)
    return found


async def test_it_listens_on_loopback_only() -> None:
    async with OfflineServer(script("hello")) as server:
        host, port = server.url.removeprefix("http://").split(":")
        assert host == "127.0.0.1"
        assert listening(int(port)) == ["0100007F"]
    assert listening(int(port)) == []


async def test_the_system_chooses_the_port() -> None:
    async with OfflineServer(script("one")) as one, OfflineServer(script("two")) as two:
        assert one.url != two.url
        assert (await ask(one.url, question())).text == "one"
        assert (await ask(two.url, question())).text == "two"


async def test_a_port_that_is_taken() -> None:
    held = sockets()
    async with OfflineServer(script("hello")) as server:
        port = int(server.url.rsplit(":", 1)[1])
        with pytest.raises(ConfigError, match=f"{port}.*in use") as raised:
            await OfflineServer(script("hello"), port=port).start()
        assert "0 for a free one" in raised.value.hint
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        with pytest.raises(ConfigError):
            await OfflineServer(script("hello"), port=other.getsockname()[1]).start()
    await asyncio.sleep(0.01)
    assert sockets() == held


async def test_a_port_that_there_is_not() -> None:
    held = sockets()
    for port in (-1, 65_536, 10**20):
        with pytest.raises(ConfigError, match=str(port)):
            await OfflineServer(script("hello"), port=port).start()
    gc.collect()
    assert sockets() == held


def test_a_server_for_each_event_loop() -> None:
    for _ in range(3):

        async def once() -> str:
            async with OfflineServer(parse_script("scenes: [{answers: [hi]}]")) as server:
                return (await ask(server.url, question())).text

        assert asyncio.run(once()) == "hi"
