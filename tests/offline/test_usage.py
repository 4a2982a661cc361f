"""What the server reports to have used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from maverick_tui import AgentContext, MaverickConfig
from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.server import OfflineServer
from tests.offline.fault_matrix import Wiretap
from tests.offline.scripts import assemble, real_cli, reply_to, script
from tests.offline.wire import ask, called, parse_events, question
from tests.support.agents import Talker, Worker


def test_estimates_count_all_that_is_written() -> None:
    def output(step: Any) -> int:
        return reply_to([step]).usage["output_tokens"]

    words = "words " * 100
    assert output(words) == pytest.approx(150, rel=0.1)
    assert output({"thinking": words}) == pytest.approx(150, rel=0.1)
    assert output({"tool": "Write", "input": {"content": words}}) == pytest.approx(150, rel=0.1)


async def test_estimates_count_all_that_was_asked() -> None:
    words = "words " * 1_000
    async with OfflineServer(script("hi")) as server:

        async def count(request: dict[str, Any]) -> int:
            response = await ask(server.url, request, path="/v1/messages/count_tokens")
            return int(response.json()["input_tokens"])

        nothing = await count(question(""))
        assert nothing < 100
        for request in (
            question(words),
            question("", system=words),
            question("", system=[{"type": "text", "text": words}]),
            question("", *called("a", words)),
        ):
            assert await count(request) - nothing == pytest.approx(1_500, rel=0.1)
            message = (await ask(server.url, request | {"stream": False})).json()
            assert message["usage"]["input_tokens"] == pytest.approx(await count(request), rel=0.01)


USAGES = [
    {"input": 1_000, "output": 200, "cache_read": 30, "cache_write": 4},
    {"input": 5_000_000, "output": 60_001, "cache_read": 7, "cache_write": 0},
    {"input": 1, "output": 1, "cache_read": 0, "cache_write": 900},
]


@pytest.mark.explore  # `runs/test_local.py` adds up, and the demo has references
async def test_usage_adds_up_to_the_token_and_references_hold_through_the_real_cli(tmp_path: Path, mark: str) -> None:
    (tmp_path / "a.txt").write_text("next: b.txt\n")
    (tmp_path / "b.txt").write_text("the end\n")
    first = {"tool": "Read", "id": "a", "input": {"file_path": "a.txt"}}
    second = {"tool": "Read", "id": "b", "input": {"file_path": "${a|next: (\\S+)}"}}
    answers = [
        {"steps": [{"thinking": "hm"}, "Once.", first], "usage": USAGES[0]},
        {"steps": [second, {"tool": "Read", "input": {"file_path": "a.txt"}}], "usage": USAGES[1]},
        {"steps": ["It says: ${b|the \\w+}"], "usage": USAGES[2]},
    ]
    async with real_cli(script(*answers, strict=True), tmp_path) as (_, context):
        outcome = await Worker().run("go", context)
    assert outcome.success, outcome
    assert outcome.output == "Once.\n\nIt says: the end"
    usage = outcome.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (
        *(sum(used[name] for used in USAGES) for name in ("input", "output", "cache_read", "cache_write")),
    )


@pytest.mark.explore
async def test_estimated_usage_adds_up_to_the_token(tmp_path: Path, mark: str) -> None:
    (tmp_path / "a.txt").write_text("hi")
    server = OfflineServer(script([{"tool": "Read", "input": {"file_path": "a.txt"}}], "It says hi. " * 50))
    wire = Wiretap(server.app)
    server.app = wire  # type: ignore[assignment]
    async with server:
        config = MaverickConfig(env=offline_environment(server.url, tmp_path))
        outcome = await Worker().run("go", AgentContext(cwd=tmp_path, branch="main", config=config))
    messages = [assemble(parse_events(bytes(body))) for body in wire.bodies]
    assert len(messages) == 2
    assert outcome.usage.input_tokens == sum(message["usage"]["input_tokens"] for message in messages)
    assert outcome.usage.output_tokens == sum(message["usage"]["output_tokens"] for message in messages)


@pytest.mark.explore
async def test_usage_of_nothing_is_nothing(tmp_path: Path, mark: str) -> None:
    async with real_cli(script({"steps": ["hi"], "usage": {"input": 0, "output": 0}}), tmp_path) as (_, context):
        outcome = await Talker().run("go", context)
    assert outcome.success, outcome
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (0, 0)
