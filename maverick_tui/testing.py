"""A pytest plugin for authors of agents: run an agent against a script, with the real CLI and no model.

```python
def test_it_runs_the_tests(offline):
    run = offline.run(
        Fixer(),
        \"\"\"
        scenes:
          - answers:
              - - I will run the tests.
                - {tool: Bash, input: {command: pytest -q}}
              - They pass.
        \"\"\",
    )
    assert run.result.success
    assert run.tools == ["Bash"]
```

In an asynchronous test: `async with offline.serve(script) as model:`, then use `model.context` with the agent.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from maverick_tui.git import making

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent
    from maverick_tui.agent.context import AgentContext
    from maverick_tui.agent.result import AgentResult
    from maverick_tui.offline.script import Script
    from maverick_tui.offline.server import OfflineServer


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """A scripted model that is being served, and a context whose agents talk to it."""

    server: OfflineServer
    context: AgentContext

    @property
    def url(self) -> str:
        """Where it listens."""
        return self.server.url

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What it was asked."""
        return self.server.app.requests


@dataclass(frozen=True, slots=True)
class OfflineRun:
    """What came of an agent's execution, and what the model was asked meanwhile."""

    result: AgentResult
    requests: list[dict[str, Any]]

    @property
    def tools(self) -> list[str]:
        """The tools that were called, in order."""
        last = self.requests[-1]["messages"] if self.requests else []
        return [
            block["name"]
            for message in last
            if message.get("role") == "assistant" and isinstance(message.get("content"), list)
            for block in message["content"]
            if block.get("type") == "tool_use"
        ]


class Offline:
    """The `offline` fixture. A script is YAML text, a path to a file of it, or a `Script`."""

    def __init__(self, folder: Path) -> None:
        from maverick_tui.agent.catalog.started_commands import take_for_ours

        self.cwd = folder / "project"
        """Where agents work: a git repository with one empty commit."""
        self._home = folder / "cli"
        self.cwd.mkdir(parents=True, exist_ok=True)
        making.init(self.cwd, "main")
        making.commit_all(self.cwd, "Begin", name="offline", email="offline@example.org")
        take_for_ours(self.cwd)  # nobody has put anything there that hooks or servers of an agent could run

    def run(
        self,
        agent: MaverickAgent,
        script: str | Path | Script,
        *,
        extra: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> OfflineRun:
        """Execute the agent and wait for it; `settings` are those of MaverickConfig."""
        import asyncio

        return asyncio.run(self.run_async(agent, script, extra=extra, **settings))

    async def run_async(
        self,
        agent: MaverickAgent,
        script: str | Path | Script,
        *,
        extra: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> OfflineRun:
        """The same in an asynchronous test."""
        async with self.serve(script, extra=extra, **settings) as model:
            return OfflineRun(await agent.execute(model.context), model.requests)

    @asynccontextmanager
    async def serve(
        self, script: str | Path | Script, *, extra: Mapping[str, Any] | None = None, **settings: Any
    ) -> AsyncIterator[OfflineModel]:
        """Serve the script; strict ones raise at the end if they were not played as they are written.

        Meanwhile the environment leads nowhere else: what an agent's code asks without the context, be it another
        agent or `self.query`, is asked of the script as well.
        """
        from maverick_tui.agent.context import AgentContext
        from maverick_tui.config import MaverickConfig
        from maverick_tui.offline.processes import offline_environment
        from maverick_tui.offline.server import OfflineServer

        async with OfflineServer(_script(script)) as server:
            env = {**offline_environment(server.url, self._home), **settings.pop("env", {})}
            config = MaverickConfig.load(env=env, **settings)
            with _environment(env):
                yield OfflineModel(server, AgentContext(self.cwd, "main", config, dict(extra or {})))


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _script(source: str | Path | Script) -> Script:
    from maverick_tui.offline.loading import load_script, parse_script

    if isinstance(source, Path):
        return load_script(source)
    return parse_script(textwrap.dedent(source)) if isinstance(source, str) else source


@pytest.fixture
def offline(tmp_path: Path) -> Offline:
    """Runs agents against scripts: the real SDK and CLI, a scripted model on loopback, no key and no network."""
    return Offline(tmp_path)
