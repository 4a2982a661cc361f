"""The benchmark of the executor in small: everybody does all of the work, and the floor sends what we send."""

from __future__ import annotations

import json
from typing import Any

import pytest

from maverick_tui.offline.server import OfflineServer
from tests.bench.executor import bare_client, ours
from tests.bench.executor.benchmarks import (
    BARE,
    OURS,
    beyond,
    child,
    measured,
)
from tests.bench.executor.parallel import blocks, together, waits
from tests.bench.executor.work import DONE, Job, arguments, check, script

# The floor imports the official SDK, which takes seconds, and `make bench` measures the same.
pytestmark = [pytest.mark.explore, pytest.mark.usefixtures("mark")]

OWN_TIME_MS = 100.0
SESSION_MB = 500.0


@pytest.mark.req("003-NFR1-overhead")
async def test_a_turn_takes_less_than_the_document_allows() -> None:
    found = await measured([OURS], Job(50), 1)
    assert 0 < found[OURS]["cpu_ms"][0] < OWN_TIME_MS


async def test_the_floor_sends_what_we_send() -> None:
    job = Job(3)
    async with OfflineServer(script(job)) as server:
        there = Job(job.turns, server.url)
        async with ours.contender(there) as run:
            await run()
        sent = _without_ids(server.app.requests[1:])  # the first one opens the connection
        server.app.requests.clear()
        async with bare_client.contender(there) as run:
            await run()
        assert _without_ids(server.app.requests[1:]) == sent
    assert len(sent) == job.requests


def _without_ids(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The requests with the ids of calls, which the model chooses, replaced by their order."""
    text = json.dumps(requests)
    ids = {block["id"] for one in _assistant_blocks(requests) for block in one if block["type"] == "tool_use"}
    for number, found in enumerate(sorted(ids, key=text.index)):
        text = text.replace(f'"{found}"', f'"id-{number}"')
    plain: list[dict[str, Any]] = json.loads(text)
    return plain


def _assistant_blocks(requests: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    return [one["content"] for request in requests for one in request["messages"] if one["role"] == "assistant"]


def test_work_that_was_left_out_is_noticed() -> None:
    job = Job(2)
    done = [arguments(turn)["item"] for turn in range(2)]
    check(job, done, DONE)
    for weighed, answer in ((done[:1], DONE), (done, "I could not.")):
        with pytest.raises(RuntimeError, match="calls were made"):
            check(job, weighed, answer)


async def test_a_process_that_fails_ends_the_benchmark() -> None:
    with pytest.raises(RuntimeError, match=r"No module named 'tests\.bench\.executor\.nobody'"):
        await measured(["nobody:contender"], Job(1), 1)


@pytest.mark.parametrize("called", [waits, blocks], ids=["async", "blocking"])
async def test_calls_of_a_turn_run_side_by_side(called: Any) -> None:
    assert await together(called, 40) < 40 * 0.05, "one after the other they take two seconds"


@pytest.mark.req("003-NFR1-memory")
async def test_a_long_session_stays_within_what_the_document_allows() -> None:
    sizes = await child("memory", "--turns", "100", "--size", "10000")
    assert 0 < sizes["before_mb"] <= sizes["after_mb"] <= sizes["peak_mb"] < SESSION_MB


def test_what_is_beyond_the_floor_is_told_by_pairs() -> None:
    """A machine that was busy during one pair does not change the others."""
    found = {OURS: {"wall_ms": [3.0, 13.0, 4.0]}, BARE: {"wall_ms": [2.0, 12.0, 2.0]}}
    assert beyond(found, "wall_ms") == 1.0
