"""Settings that lead to a scripted model in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from maverick_tui.config import MaverickConfig
from maverick_tui.folder_locks import held, remove_abandoned, scratch_folder

HOME = "home"
"""Where in the folder that its runs share the CLI keeps its files."""


@asynccontextmanager
async def settings_for(script: Path | None) -> AsyncIterator[MaverickConfig]:
    """The settings; with a script, they lead to a model of our own while the context is open."""
    if script is None:
        yield MaverickConfig.load()
        return
    remove_abandoned()
    with scratch_folder("offline") as folder:
        async with _scripted(script, folder) as env:
            yield MaverickConfig.load(env=env)


def settings_again(config: MaverickConfig, script: Path | None, *, is_demo: bool) -> MaverickConfig:
    """The settings as they are by now; what leads to a model of our own stays."""
    if is_demo:
        return config
    return MaverickConfig.load() if script is None else MaverickConfig.load(env=config.env)


@asynccontextmanager
async def settings_in(folder: Path, script: Path, *, is_demo: bool) -> AsyncIterator[MaverickConfig]:
    """The same for a run of a script that several runs share, with a folder that stays as long as any of them."""
    with held(folder):
        async with _scripted(script, folder / HOME) as env:
            if is_demo:
                from maverick_tui.offline.demo.project import demo_config, git_environment

                yield demo_config(env | git_environment())
            else:
                yield MaverickConfig.load(env=env)


@asynccontextmanager
async def _scripted(script: Path, home: Path) -> AsyncIterator[dict[str, str]]:
    """What leads the CLI to a model in this process."""
    from maverick_tui.offline.loading import load_script
    from maverick_tui.offline.processes import offline_environment
    from maverick_tui.offline.server import OfflineServer

    async with OfflineServer(load_script(script)) as server:
        yield offline_environment(server.url, home)
