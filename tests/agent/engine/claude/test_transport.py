"""The pipes to the CLI: what is left in them when nobody reads any more."""

from __future__ import annotations

import asyncio
import gc
import sys
from pathlib import Path

import pytest
from claude_agent_sdk import ClaudeAgentOptions

from maverick_tui.agent.engine.claude.transport import CliTransport

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


def test_the_cli_is_told_the_one_name_of_its_folder(tmp_path: Path) -> None:
    """Its git holds settings against $PWD, which the SDK takes from there; the judge has seen those of the folder."""
    (tmp_path / "link").symlink_to(".")
    assert CliTransport(ClaudeAgentOptions(cwd=tmp_path / "link"))._cwd == str(tmp_path)
