"""load_agent: an agent by its name, wherever it is from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maverick_tui.agent.base import MaverickAgent


def load_agent(name: str, cwd: Path | str = ".") -> type[MaverickAgent]:
    """The class of the agent that `maverick agents list` shows in that folder.

    Raises `AgentNotFoundError` for an unknown name, and `ConfigError` for a file that is wrong or not trusted.
    """
    from maverick_tui.agent.catalog.discovery import discover
    from maverick_tui.agent.catalog.loading import load
    from maverick_tui.agent.catalog.trust import TrustStore

    return load(discover(Path(cwd).absolute()).get(name), TrustStore())
