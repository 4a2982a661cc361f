"""What every test stands on: folders of its own, no live endpoint, and nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import itertools
import os
import re
import signal
import subprocess
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings

from maverick_tui.masking import redact
from maverick_tui.offline.app import MessagesApp
from maverick_tui.offline.script import Answer, Scene, Script
from maverick_tui.offline.server import OfflineServer
from tests.support.model import as_script
from tests.support.processes import MARK, wait_until_gone

# The same examples every time, so that a change is judged by what it changed. `make explore` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=20)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

# It also tries values that stand in our code, for which it reads all of the code: seconds in each process, and other
# examples for each change of any file. What it calls these values is private; where that is gone it does as ever.
with suppress(ImportError):
    from hypothesis.internal.conjecture import providers
    from hypothesis.internal.constants_ast import Constants

    if settings.get_current_profile_name() == "steady" and hasattr(providers, "_get_local_constants"):
        vars(providers)["_get_local_constants"] = Constants

# A shell has what it starts in the background ignore these, nohup one more; the programs of the tests would, too.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


# The CLI lives for a second or two in a test: to compile its code well, and to collect its garbage before there are
# 200 MB of it, takes longer than that saves.
os.environ["BUN_JSC_useDFGJIT"] = "0"  # noqa: SIM112 - its own spelling
os.environ["BUN_JSC_gcMaxHeapSize"] = "200000000"  # noqa: SIM112
os.environ["BUN_GC_TIMER_DISABLE"] = "1"

# Every test stays in memory until the end: to look through them for garbage again and again takes seconds.
gc.disable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Among several processes the files are mixed: those of one folder all compute, or all wait for other programs, and
    side by side they would leave the machine too much to do, and then too little.
    """
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: hashlib.sha256(item.nodeid.partition("::")[0].encode()).digest())


def pytest_collection_finish() -> None:
    """What there is now is there to stay; what comes is looked through less often than Python would."""
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)
    gc.enable()


TURNED_OFF = ("MAVERICK_HOSTED_RUNS", "MAVERICK_TRACK_CHANGES")
"""Settings that cost time in every test: a process for each run of the application, which the tests of hosts and those
in a terminal have, and snapshots of its folder, which only tests of these have."""
_numbers = itertools.count()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """As pytest's own, which looks through all folders of the tests before for a number that is free."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    folder = tmp_path_factory.getbasetemp() / f"{next(_numbers)}-{name}"
    folder.mkdir(mode=0o700)
    return folder.resolve()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, settings and a working directory that are this test's alone; no key and no endpoint of the developer."""
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE_", "MAVERICK_", "XDG_", "GIT_")) or name == "CLAUDECODE":
            monkeypatch.delenv(name)
    folder = tmp_path / "home"
    work = tmp_path / "work"
    for path in (folder, work):
        path.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    # Beside the test's own folder, whose name is too long for sockets; it is made if there are any.
    runtime = tmp_path_factory.getbasetemp() / f"r{tmp_path.name.partition('-')[0]}"
    monkeypatch.setenv("MAVERICK_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    # A test that forgets its model gets a refused connection, never a live one.
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    for name in TURNED_OFF:
        monkeypatch.setenv(name, "false")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(work)
    monkeypatch.setattr(redact, "_concealed", {})
    return folder


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte, where we may make one."""
    place = tmp_path / "small"
    place.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(line, capture_output=True, check=False).returncode:
        pytest.skip("only root may make a disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


ENDING = ("maverick-pump", "maverick-closer")


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A mark that all processes of the test inherit; none of them may be alive when it is over."""
    value = uuid.uuid4().hex
    monkeypatch.setenv(MARK, value)
    yield value
    assert wait_until_gone(value) == {}


class ServeModel(Protocol):
    """The `serve` fixture: `async with serve(answers) as model`."""

    def __call__(
        self, source: Script | Answer | Sequence[Answer | Scene]
    ) -> AbstractAsyncContextManager[MessagesApp]: ...


@pytest.fixture
def serve(mark: str, monkeypatch: pytest.MonkeyPatch, home: Path) -> ServeModel:
    """A scripted model that the real CLI will talk to, and the environment that makes it do so."""
    for name, value in {
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_TMPDIR": str(home / "tmp"),
        "ANTHROPIC_API_KEY": "not-a-real-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }.items():
        monkeypatch.setenv(name, value)

    @asynccontextmanager
    async def start(source: Script | Answer | Sequence[Answer | Scene]) -> AsyncIterator[MessagesApp]:
        async with OfflineServer(as_script(source)) as server:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            yield server.app
            # What is cancelled tidies up by itself; the end of the event loop would cut it off.
            if tidying := [task for task in asyncio.all_tasks() if task.get_name() in ENDING]:
                await asyncio.wait(tidying, timeout=60)

    return start
