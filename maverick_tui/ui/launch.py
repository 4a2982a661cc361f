"""How the application is started, and what its runs get from that: a folder, settings, and a model to talk to."""

from __future__ import annotations

import importlib
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import asyncio

    from maverick_tui.config import MaverickConfig
    from maverick_tui.history.export.formats import PrinterFor
    from maverick_tui.history.going_on import GoingOn
    from maverick_tui.plain_settings import PlainSettings, SettingsReader
    from maverick_tui.ui.replay.recording import Recording

log = logging.getLogger(__name__)


class Launch(NamedTuple):
    """Where, with which agent and prompt, and on which model: a real one, a script's, or the demo's."""

    cwd: Path
    agent: str | None = None
    prompt: str | None = None
    is_demo: bool = False
    script: Path | None = None
    is_fast: bool = False
    """The demo without pauses."""
    resumes: str = ""
    """The id of a kept run that is to go on; `agent` is its agent."""
    forks: GoingOn | None = None
    """A fork that is to be opened; `agent` is its agent."""
    opens: str = ""
    """The id of a kept run that is to be read; its agent need not be known."""
    attaches: str = ""
    """The id of a run to show that lives in a process of its own."""
    machine: str = ""
    """The machine that this one is on, if it is another one: as the person's SSH knows it."""
    is_read_only: bool = False
    """Whether that one is only read."""
    opens_at: int | None = None
    """The number of the event to open it at."""
    fuse: Mapping[str, float] = MappingProxyType({})
    """What the first run may use before it holds and asks."""
    printer_for: PrinterFor | None = None
    """Makes what prints runs for recordings: the command line has it."""
    replays: Recording | None = None
    """A kept run that is to play again."""
    speed: float = 1.0
    """How many times as fast as it was."""
    worktree: bool = False
    """Whether the agent works in a git worktree of its own."""

    @property
    def folder(self) -> str:
        """What the screen calls the folder, if not by its path: that of the demo is a temporary one."""
        return "demo: shop" if self.is_demo else ""

    @property
    def badge(self) -> str:
        """What the screen says about the model."""
        return "OFFLINE DEMO" if self.is_demo else "OFFLINE" if self.script is not None else ""


@dataclass(frozen=True, slots=True)
class RunSetup:
    """What a run needs besides its agent."""

    cwd: Path
    config: PlainSettings
    script: Path | None = None
    """What a model of our own plays."""
    shared: Path | None = None
    """The folder that the runs of a script share."""
    is_demo: bool = False


class HeldSetup:
    """The setup of all runs, which may be waited for before it is there."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self._ready: asyncio.Future[RunSetup] | None = None

    @property
    def ready(self) -> asyncio.Future[RunSetup]:
        """The setup, or why there is none."""
        import asyncio  # the command line imports this module to decide whether there is anything to open

        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
        return self._ready

    def forget_failure(self) -> None:
        """What was wrong may have been put right: it can be opened again."""
        self._ready = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[RunSetup]:
        """Make it ready, and keep it so; whoever waits for it is told what went wrong."""
        from maverick_tui.exceptions import MaverickError

        ready = self.ready
        try:
            async with open_setup(self._launch) as setup:
                ready.set_result(setup)
                yield setup
        except Exception as error:
            if not isinstance(error, MaverickError | OSError | TimeoutError):
                log.exception("The setup of the runs has failed")
            if not ready.done():
                ready.set_exception(error)
                ready.exception()  # perhaps nobody waits
            raise

    @property
    def has_failed(self) -> bool:
        """Whether there is none."""
        return self.ready.done() and self.ready.exception() is not None

    @property
    def cwd(self) -> Path | None:
        """The folder of the runs, if it is known."""
        if self.ready.done() and not self.has_failed:
            return self.ready.result().cwd
        return None if self._launch.is_demo else self._launch.cwd


@asynccontextmanager
async def open_setup(launch: Launch) -> AsyncIterator[RunSetup]:
    """Make it ready, without holding up the event loop; what a script needs ends with the last run of it."""
    import asyncio

    if not launch.is_demo and launch.script is None:
        yield RunSetup(launch.cwd, await asyncio.to_thread(load_settings))
        return
    with _folder() as folder:
        # A thread cannot be cancelled, and would go on making files in a folder that has been removed.
        making = asyncio.ensure_future(asyncio.to_thread(_offline, launch, folder))
        try:
            yield await asyncio.shield(making)
        finally:
            while not making.done():  # whoever leaves may be told so more than once
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([making])


def _folder() -> AbstractContextManager[Path]:
    from maverick_tui.folder_locks import scratch_folder

    return scratch_folder("offline")


def load_settings() -> PlainSettings:
    """The person's own; in a thread, since a process may have to read them."""
    return _settings_reader().read()


@cache
def _settings_reader() -> SettingsReader:
    from maverick_tui.plain_settings import SettingsReader

    return SettingsReader()


@asynccontextmanager
async def settings_here(setup: RunSetup) -> AsyncIterator[MaverickConfig]:
    """The settings of a run in this process; a model of our own has one beside it, which ends with the context."""
    import asyncio

    from maverick_tui.config import MaverickConfig
    from maverick_tui.offline.demo.project import demo_config, git_environment

    config = await asyncio.to_thread(demo_config if setup.is_demo else MaverickConfig.load)
    if setup.script is None or setup.shared is None:
        yield config
        return
    from maverick_tui.offline.processes import offline_environment, offline_process
    from maverick_tui.offline.settings import HOME

    async with offline_process(setup.script) as url:
        env = offline_environment(url, setup.shared / HOME) | (git_environment() if setup.is_demo else {})
        yield config.model_copy(update={"env": env})


def _offline(launch: Launch, folder: Path) -> RunSetup:
    from maverick_tui.folder_locks import remove_abandoned

    remove_abandoned()
    if launch.script is not None:
        return RunSetup(launch.cwd, load_settings(), launch.script.absolute(), folder)
    from maverick_tui.offline.demo.project import demo_config, make_project
    from maverick_tui.offline.demo.script import load_demo_script
    from maverick_tui.plain_settings import plain

    project = make_project(folder / "shop")
    script = folder / "script.json"
    script.write_text(load_demo_script(project, fast=launch.is_fast).model_dump_json(by_alias=True), encoding="utf-8")
    return RunSetup(project, plain(demo_config()), script, folder, is_demo=True)


# -- loading what runs and their first answer need, in threads while the person is still choosing or typing ------------
#
# A thread that imports gives the interpreter up after `SWITCH_INTERVAL`: a key that is typed meanwhile must not wait.


def load_runs() -> None:
    """What a setup and a run are made of, as its reader has it: no engine, no SDK."""
    for module in ("events.kinds", "git.head"):
        importlib.import_module(f"maverick_tui.{module}")
    for module in ("commands", "digest", "failures"):
        importlib.import_module(f"maverick_tui.runs.{module}")
    for module in ("orders", "remote", "starting"):
        importlib.import_module(f"maverick_tui.host.{module}")
    for module in ("transcript.entry_rows", "rendering.live", "dialogs.before_run"):
        importlib.import_module(f"maverick_tui.ui.{module}")


def load_rest() -> None:
    """The parts of the renderer that are slow to load, and what else is needed sooner or later."""
    from maverick_tui.ui.rendering.markdown import preload

    preload()
    for module in ("run.screen", "alerts", "far_listing", "changes.acting", "rendering.diff_palette"):
        importlib.import_module(f"maverick_tui.ui.{module}")
    importlib.import_module("maverick_tui.review.run_review")
