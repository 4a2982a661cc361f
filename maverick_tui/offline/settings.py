"""Settings that lead to a scripted model in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from maverick_tui.config import MaverickConfig
from maverick_tui.folder_locks import remove_abandoned, scratch_folder


@asynccontextmanager
async def settings_for(script: Path | None) -> AsyncIterator[MaverickConfig]:
    """The settings; with a script, they lead to a model of our own while the context is open."""
    if script is None:
        yield MaverickConfig.load()
        return
    from maverick_tui.offline.loading import load_script
    from maverick_tui.offline.processes import offline_environment
    from maverick_tui.offline.server import OfflineServer

    loaded = load_script(script)
    remove_abandoned()
    with scratch_folder("offline") as home:
        async with OfflineServer(loaded) as server:
            yield MaverickConfig.load(env=offline_environment(server.url, home))
