"""The demo made ready: the model on loopback, and agents that work in the demo's repository."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from maverick_tui.agent.base import MaverickAgent
from maverick_tui.agent.catalog.discovery import discover
from maverick_tui.agent.catalog.loading import load
from maverick_tui.agent.catalog.trust import TrustStore
from maverick_tui.config import MaverickConfig
from maverick_tui.exceptions import AgentNotFoundError
from maverick_tui.offline.demo.project import demo_config, git_environment
from maverick_tui.offline.player import Player
from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.script import Script
from maverick_tui.offline.server import OfflineServer


@dataclass(frozen=True, slots=True)
class RunningDemo:
    """A repository, settings that lead to the scripted model, and what that is asked."""

    project: Path
    config: MaverickConfig
    player: Player

    def agent(self, name: str) -> MaverickAgent:
        """An agent that is shipped or that the repository brings along, whatever the user has of the same name."""
        catalog = discover(self.project)
        ours = [agent for agent in (*catalog.agents, *catalog.shadowed) if agent.source in ("project", "shipped")]
        for listing in ours:
            if listing.name == name:
                # What is in this repository we wrote ourselves, whatever else has its name.
                return load(replace(listing, stands_in_for=None), TrustStore())(config=self.config)
        raise AgentNotFoundError(name, (agent.name for agent in ours))


@asynccontextmanager
async def running_demo(project: Path, script: Script, home: Path) -> AsyncIterator[RunningDemo]:
    """Serve the script while the context is open; the CLI keeps its files below `home`."""
    async with OfflineServer(script) as server:
        config = demo_config(env=offline_environment(server.url, home) | git_environment())
        yield RunningDemo(project, config, server.player)
