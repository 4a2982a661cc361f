"""The stage that runs play on: the folder they work in, their settings, and the model they talk to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from maverick_tui.scratch import remove_abandoned, scratch_folder
from maverick_tui.ui.launch import Launch

if TYPE_CHECKING:
    from maverick_tui.config import MaverickConfig

DEMO_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Stage:
    """What a run needs besides its agent."""

    cwd: Path
    config: MaverickConfig
    prompts: Mapping[str, str] = field(default_factory=dict)
    """What to ask an agent, by its name: the demo has an answer to these."""


@asynccontextmanager
async def open_stage(launch: Launch) -> AsyncIterator[Stage]:
    """Make it ready, without holding up the event loop; a model of our own ends with the context."""
    if not launch.is_demo and launch.script is None:
        yield Stage(launch.cwd, await asyncio.to_thread(_settings))
        return
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(_folder())
        # A thread cannot be cancelled, and would go on making files in a folder that has been removed.
        making = asyncio.ensure_future(asyncio.to_thread(_offline, launch, folder))
        stack.push_async_callback(asyncio.wait, [making])
        stage, script = await asyncio.shield(making)
        yield await _serve(stack, stage, script, folder)


def _folder() -> AbstractContextManager[Path]:
    return scratch_folder("offline")


def _settings() -> MaverickConfig:
    from maverick_tui.config import MaverickConfig

    return MaverickConfig.load()


async def _serve(stack: AsyncExitStack, stage: Stage, script: Path, folder: Path) -> Stage:
    """The model is a process of its own, so that its work is not done on our event loop."""
    from maverick_tui.offline.demo.project import git_environment
    from maverick_tui.offline.environment import offline_environment
    from maverick_tui.offline.process import offline_process

    url = await stack.enter_async_context(offline_process(script))
    env = offline_environment(url, folder / "home") | (git_environment() if stage.prompts else {})
    return Stage(stage.cwd, stage.config.model_copy(update={"env": env}), stage.prompts)


def _offline(launch: Launch, folder: Path) -> tuple[Stage, Path]:
    from maverick_tui.config import MaverickConfig

    remove_abandoned()
    if launch.script is not None:
        return Stage(launch.cwd, MaverickConfig.load()), launch.script
    from maverick_tui.offline.demo.project import make_project
    from maverick_tui.offline.demo.script import load_demo_script
    from maverick_tui.offline.demo.tour import TOUR

    project = make_project(folder / "shop")
    script = folder / "script.json"
    script.write_text(load_demo_script(project, fast=launch.is_fast).model_dump_json(by_alias=True), encoding="utf-8")
    # What the user has set for real runs must not change what the script expects.
    config = MaverickConfig.load(
        model=None,
        permission_mode=None,
        max_budget_usd=None,
        api_retries=0,
        setting_sources=(),
        timeout=DEMO_TIMEOUT,
    )
    return Stage(project, config, {stop.agent: stop.prompt for stop in TOUR}), script
