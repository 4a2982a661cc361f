"""A scripted model for programs that a test starts."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from maverick_tui.offline.script import Scene, Script
from maverick_tui.offline.server import OfflineServer
from tests.support.pty_program import PATIENCE


@contextmanager
def serving(script: Script) -> Iterator[OfflineServer]:
    """A scripted model in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = OfflineServer(script)
    try:
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(PATIENCE)
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@contextmanager
def served(scenes: Sequence[Any]) -> Iterator[str]:
    """Such a model of these scenes; the URL."""
    with serving(Script(scenes=tuple(map(Scene.model_validate, scenes)))) as server:
        yield server.url
