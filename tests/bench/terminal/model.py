"""The scripted model in a process of its own that tells when it sent what; run as a program it is that process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

TIMEOUT = 10.0
DELTA = b'"text_delta"'
"""What is in each; the arguments of calls come in others."""


class Model:
    """The process, as those see it that started it."""

    def __init__(self, script: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        self.first = threading.Event()
        self.last = threading.Event()
        """Set when the first and the last delta of the script have been sent."""
        self.sent: list[tuple[float, int]] = []
        """After `close`: when deltas were sent, and how many at once."""
        self._listener = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listener.start()

    def _listen(self, lines: Iterable[str]) -> None:
        for line in lines:
            match line.strip():
                case "first":
                    self.first.set()
                case "last":
                    self.last.set()
                case notes:
                    self.sent = [(moment, count) for moment, count in json.loads(notes)]

    def close(self) -> None:
        """End it, and take what it has noted."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._listener.join(TIMEOUT)
        self._process.stdout.close()


@contextlib.contextmanager
def model(script: Path) -> Iterator[Model]:
    """A process that serves the script while the context is open."""
    served = Model(script)
    try:
        yield served
    finally:
        served.close()


class Tap:
    """Stands before the model's application and notes when deltas leave it."""

    def __init__(self, app: Any, total: int) -> None:
        self._app = app
        self._total = total
        self._count = 0
        self.sent: list[tuple[float, int]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""

        async def noted(message: Any) -> None:
            count = message.get("body", b"").count(DELTA)
            moment = time.monotonic()
            await send(message)
            if count:
                self.sent.append((moment, count))
                if not self._count:
                    print("first", flush=True)
                self._count += count
                if self._count == self._total:
                    print("last", flush=True)

        await self._app(scope, receive, noted)

    async def close(self) -> None:
        """End the answers that are under way."""
        await self._app.close()


async def _serve(path: Path) -> None:
    from maverick_tui.offline.loading import load_script
    from maverick_tui.offline.script import TextStep
    from maverick_tui.offline.server import OfflineServer
    from tests.bench.terminal.corpus import deltas

    script = load_script(path)
    steps = [step for scene in script.scenes for answer in scene.answers for step in answer.steps]
    server = OfflineServer(script)
    tap = Tap(server.app, sum(deltas(step.text) for step in steps if isinstance(step, TextStep)))
    server.app = tap  # type: ignore[assignment]
    async with server:
        print(server.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)
    print(json.dumps(tap.sent), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    asyncio.run(_serve(Path(sys.argv[1])))
