"""What the scripted model costs: how fast it can speak, how soon it listens, and its share of a run's work."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from maverick_tui import AgentContext, MaverickConfig
from maverick_tui.offline.loading import parse_script
from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.script import Answer, Pace, Scene, Script, ScriptedUsage, TextStep
from maverick_tui.offline.server import OfflineServer
from tests.bench.measure import Figure, median
from tests.support.agents import Talker

DELTAS = 50_000
PACED_DELTAS = 600
TOKENS_PER_SECOND = 100.0

READER = """
import socket, sys
host, port = sys.argv[1].removeprefix("http://").split(":")
body = b'{"model": "m", "stream": true, "messages": [{"role": "user", "content": "go"}]}'
head = b"POST /v1/messages HTTP/1.1\\r\\nhost: x\\r\\nx-api-key: k\\r\\nanthropic-version: 1\\r\\n"
head += b"connection: close\\r\\n"
with socket.create_connection((host, int(port))) as connection:
    connection.sendall(head + b"content-length: %d\\r\\n\\r\\n" % len(body) + body)
    parts = []
    while data := connection.recv(1 << 20):
        parts.append(data)
print(b"".join(parts).count(b"event: content_block_delta"))
"""
"""A client that only reads, in a process of its own: its work is not the server's."""

SERVE = """
import asyncio, resource, sys
from maverick_tui.offline.loading import load_script
from maverick_tui.offline.server import OfflineServer

async def main():
    async with OfflineServer(load_script(sys.argv[1])) as server:
        before = resource.getrusage(resource.RUSAGE_SELF)
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)
        after = resource.getrusage(resource.RUSAGE_SELF)
    print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

asyncio.run(main())
"""


def _words(count: int, pace: Pace) -> Script:
    """An answer of so many deltas."""
    answer = Answer(steps=(TextStep(text="word " * (count - 1) + "end"),), usage=ScriptedUsage(input=10, output=count))
    return Script(pace=pace, scenes=(Scene(answers=(answer,)),))


def offline_speed() -> Iterable[Figure]:
    """A client in another process that only reads, as fast as the server can send; and the same while it is paced."""

    async def read(pace: Pace) -> float:
        async with OfflineServer(_words(DELTAS, pace)) as server:
            began = time.perf_counter()
            client = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-c", READER, server.url), stdout=asyncio.subprocess.PIPE
            )
            out, _ = await client.communicate()
            took = time.perf_counter() - began
        assert int(out) == DELTAS, out
        return took

    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "import socket"], check=True)
    start = time.perf_counter() - began
    each = 1e6 / DELTAS
    full = median([asyncio.run(read(Pace())) for _ in range(5)]) - start
    paced = median([asyncio.run(read(Pace(tokens_per_second=10_000_000))) for _ in range(3)]) - start
    yield Figure("one delta of the offline model", full * each, "us", gate=200, note=f"{1e6 / (full * each):,.0f}/s")
    yield Figure("the same, each sent by itself", paced * each, "us", gate=200, note=f"{1e6 / (paced * each):,.0f}/s")


def offline_start() -> Iterable[Figure]:
    """From nothing to a server that listens, and to the end of it; what it imports is there already."""

    async def once() -> tuple[float, float]:
        began = time.perf_counter()
        server = OfflineServer(_words(10, Pace()))
        await server.start()
        started = time.perf_counter()
        await server.stop()
        return started - began, time.perf_counter() - started

    async def measure() -> list[tuple[float, float]]:
        await once()
        return [await once() for _ in range(11)]

    took = asyncio.run(measure())
    yield Figure("start the offline model", 1000 * median(start for start, _ in took), "ms", gate=100)
    yield Figure("stop the offline model", 1000 * median(stop for _, stop in took), "ms")


def offline_load() -> Iterable[Figure]:
    """A script of a megabyte."""
    text = "scenes:\n- answers:\n" + '  - - text: "some words of an answer that go on for a while"\n' * 17_500
    began = time.perf_counter()
    parse_script(text)
    yield Figure(f"load a script of {len(text) / 1e6:.1f} MB", 1000 * (time.perf_counter() - began), "ms", gate=5_000)


def offline_share() -> Iterable[Figure]:
    """The server's part of the CPU time of a paced run with the real CLI, in this process and in one of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ.update({"HOME": folder})
        return asyncio.run(_share(Path(folder)))


async def _share(folder: Path) -> list[Figure]:
    script = _words(PACED_DELTAS, Pace(tokens_per_second=TOKENS_PER_SECOND))
    file = folder / "script.yaml"
    file.write_text(script.model_dump_json(), encoding="utf-8")  # JSON is YAML

    async with OfflineServer(script) as server:
        together, _ = await _cpu_of_run(server.url, folder)

    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE, str(file)), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().strip()
    assert url.startswith("http://127.0.0.1:"), "the server did not start"
    apart, whole = await _cpu_of_run(url, folder)
    out, _ = await process.communicate(b"")  # closes its input, which ends it
    server_cpu = float(out)
    total = apart + whole + server_cpu
    note = f"{1000 * server_cpu:.0f} of {1000 * total:.0f} ms, {PACED_DELTAS} deltas at {TOKENS_PER_SECOND:g}/s"
    return [
        Figure("the server's share of a paced run, apart", 100 * server_cpu / total, "%", note=note),
        Figure(
            "this process's CPU, server inside",
            1000 * together,
            "ms",
            floor=1000 * apart,
            note="floor: server in a process of its own",
        ),
    ]


async def _cpu_of_run(url: str, folder: Path) -> tuple[float, float]:
    """CPU seconds of this process, and of the CLI and its keeper, for one run."""
    config = MaverickConfig(env=offline_environment(url, folder))
    began, children = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN)
    outcome = await Talker().run("go", AgentContext(cwd=folder, branch="main", config=config))
    took, after = time.process_time() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert outcome.success, outcome
    return took, after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime


BENCHMARKS = (offline_speed, offline_start, offline_load, offline_share)
