"""The pipes to the CLI: what is left in them when nobody reads any more."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from pathlib import Path

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ResultMessage
from claude_agent_sdk._internal.message_parser import parse_message

from maverick_tui.agent.engine.claude.meter import Meter
from maverick_tui.agent.engine.claude.transport import CliTransport
from maverick_tui.usage import MOST_TOKENS, Usage
from tests.support.replay import result

TALKS_ON = """#!{python}
import sys
for _ in range(20_000):
    print('{{"type": "system", "subtype": "words", "words": "{words}"}}')
sys.stdin.read()
"""


def test_a_cli_that_nobody_hears_out_leaves_no_pipe_to_a_closed_loop(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli = tmp_path / "claude"
    cli.write_text(TALKS_ON.format(python=sys.executable, words="x" * 200))
    cli.chmod(0o700)
    monkeypatch.setenv("CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK", "1")
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: told.append(one.exc_value))

    async def hear_one_word() -> None:
        transport = CliTransport(ClaudeAgentOptions(cli_path=cli, cwd=tmp_path))
        await transport.connect()
        messages = transport.read_messages()
        await anext(messages)
        transport.is_abandoned = True
        await transport.close()

    asyncio.run(hear_one_word())
    gc.collect()
    assert told == []


SAYS = """#!{python}
import sys
print(open({file!r}).read(), flush=True)
sys.stdin.read()
"""


async def test_figures_of_a_result_can_be_added_whatever_an_endpoint_has_counted(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = {"inputTokens": 10**400, "outputTokens": -3, "cacheReadInputTokens": float("nan"), "costUSD": 1e400}
    more = {"contextWindow": 200_000, "costBasis": "list"}
    told = result(
        total_cost_usd=float("inf"),
        duration_ms=10**400,
        duration_api_ms=None,
        num_turns=2**63,
        usage=[5],
        modelUsage={"m": {**figures, **more}, "n": 5},
    )
    (tmp_path / "said").write_text(json.dumps(told))
    cli = tmp_path / "claude"
    cli.write_text(SAYS.format(python=sys.executable, file=str(tmp_path / "said")))
    cli.chmod(0o700)
    monkeypatch.setenv("CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK", "1")
    transport = CliTransport(ClaudeAgentOptions(cli_path=cli, cwd=tmp_path))
    await transport.connect()
    message = parse_message(await anext(transport.read_messages()))
    transport.is_abandoned = True
    await transport.close()
    assert isinstance(message, ResultMessage)
    reading = Meter().read(message, ())
    assert reading.usage(()) == Usage(MOST_TOKENS)
    assert reading.is_estimate
    assert (reading.own.duration_ms, reading.own.duration_api_ms, reading.own.num_turns) == (
        MOST_TOKENS,
        0,
        MOST_TOKENS,
    )
    assert reading.own.usage is None
    most = {"inputTokens": MOST_TOKENS, "outputTokens": 0, "cacheReadInputTokens": 0, "costUSD": MOST_TOKENS}
    assert reading.own.model_usage == {"m": {**most, **more}}


def test_the_cli_is_told_the_one_name_of_its_folder(tmp_path: Path) -> None:
    """Its git holds settings against $PWD, which the SDK takes from there; the judge has seen those of the folder."""
    (tmp_path / "link").symlink_to(".")
    assert CliTransport(ClaudeAgentOptions(cwd=tmp_path / "link"))._cwd == str(tmp_path)
