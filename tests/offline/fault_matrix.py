"""Every fault at every place, through the real CLI: what each comes to, and the table in the docs that says so.

`python tests/offline/fault_matrix.py` runs all of it and writes docs/offline-faults.md; test_faults.py runs it cell by
cell and compares.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from claude_agent_sdk import Message, StreamEvent  # noqa: E402

from maverick_tui import (  # noqa: E402
    AgentError,
    MalformedResponseError,
    MaverickConfig,
    NetworkError,
    StreamingError,
    TimeoutError,
)
from maverick_tui.agent.base import DEFAULT_MODEL  # noqa: E402
from maverick_tui.offline.app import MessagesApp, Receive, Scope, Send  # noqa: E402
from maverick_tui.offline.player import AskedPrompt  # noqa: E402
from maverick_tui.offline.processes import offline_environment  # noqa: E402
from maverick_tui.offline.script import Answer, Pace, Scene, Script  # noqa: E402
from maverick_tui.offline.server import OfflineServer  # noqa: E402
from maverick_tui.offline.stream import prepare  # noqa: E402
from tests.support.agents import Worker, drain  # noqa: E402

TABLE = ROOT / "docs" / "offline-faults.md"

Where = Literal["before any content", "inside thinking", "inside text", "inside tool JSON", "between turns"]
WHERES: tuple[Where, ...] = (
    "before any content",
    "inside thinking",
    "inside text",
    "inside tool JSON",
    "between turns",
)

THOUGHT = "The file may say it. I could guess, but reading it is better than guessing."
SENTENCE = "Let me look into the file — it says what is wanted, naïve as that sounds 🙂."
FILE = "what-is-wanted-and-has-a-rather-long-name.txt"
BLOCKS: dict[str, Any] = {
    "inside thinking": {"thinking": THOUGHT},
    "inside text": SENTENCE,
    "inside tool JSON": {"tool": "Read", "id": "look", "input": {"file_path": FILE, "limit": 100}},
}
USAGE = {"input": 100, "output": 50}

CONTENT = ("message_start", "content_block_start", "content_block_delta")

BOUND = 30.0
"""Seconds that no cell may take, on a machine that is busy with other things."""
SILENCE = 4.0
"""Our own timeout where the fault is silence: longer than the CLI takes to start."""


@dataclass(frozen=True)
class Row:
    """A fault: how a script asks for it at a place, and the error that it has to come to."""

    name: str
    fault: Callable[[Where], dict[str, Any] | None]
    cause: type[AgentError]
    kind: str
    timeout: float = BOUND
    env: dict[str, str] = field(default_factory=dict)
    empty: tuple[type[AgentError], str] | None = None
    """The error and its kind where the answer has no event at all, if that is another."""

    def expected(self, where: Where) -> str:
        """The cell: the error itself if nothing has come before, else a StreamingError with it as the cause."""
        is_empty = where in ("before any content", "between turns")
        cause, kind = self.empty if self.empty and is_empty else (self.cause, self.kind)
        wrapped = "" if where == "before any content" else "StreamingError <- "
        return f"{wrapped}{cause.__name__} ({kind})"


def _head(**fault: Any) -> Callable[[Where], dict[str, Any] | None]:
    """A fault of the response's head, which is over before any of its content comes."""
    return lambda where: fault if where in ("before any content", "between turns") else None


def _stream(**fault: Any) -> Callable[[Where], dict[str, Any] | None]:
    """A fault of the stream, `at` the place."""
    names = {"inside thinking": "thinking", "inside text": "text", "inside tool JSON": "tool"}
    return lambda where: {**fault, "at": names.get(where, "start")}


def _after_bytes(**fault: Any) -> Callable[[Where], dict[str, Any] | None]:
    return lambda where: {**fault, "after_bytes": _position(where)[1]}


def _after_events(**fault: Any) -> Callable[[Where], dict[str, Any] | None]:
    return lambda where: {**fault, "after_events": _position(where)[0]}


def steps(where: Where) -> list[Any]:
    """An answer that has everything. The block that the fault strikes comes first: once a block is whole, the CLI asks
    the model by itself to go on."""
    return sorted(BLOCKS.values(), key=lambda step: step != BLOCKS.get(where))


def _position(where: Where) -> tuple[int, int]:
    """So many events, and so many bytes, come before the fault; the bytes end inside an event."""
    nothing = AskedPrompt(agent="", system="", prompt="", turn=1, step=0, results={}, size=0)
    answer = Answer.model_validate({"steps": steps(where), "usage": USAGE})
    sizes = [len(event.data) for event in prepare(answer, nothing, DEFAULT_MODEL, Pace()).events()]
    if where in ("before any content", "between turns"):
        return 2, sizes[0] // 2  # message_start and ping have come; half of message_start
    return 6, sum(sizes[:6]) + sizes[6] // 2  # these two, the block's start and three of its deltas


def _http(status: int, **more: Any) -> Callable[[Where], dict[str, Any] | None]:
    return _head(kind="http", status=status, **more)


ROWS: tuple[Row, ...] = (
    Row("HTTP 429, retry-after", _http(429, headers={"retry-after": "1"}), NetworkError, "rate_limit"),
    Row("HTTP 529", _http(529), NetworkError, "network"),
    Row("HTTP 500", _http(500), NetworkError, "network"),
    Row("HTTP 401", _http(401), AgentError, "invalid"),
    Row("HTTP 403", _http(403), AgentError, "invalid"),
    Row("HTTP 413", _http(413), AgentError, "invalid"),
    Row("dropped after N bytes, FIN", _after_bytes(kind="drop", how="fin"), NetworkError, "network"),
    Row("dropped after N bytes, RST", _after_bytes(kind="drop", how="rst"), NetworkError, "network"),
    Row("dropped after N events, FIN", _after_events(kind="drop", how="fin"), NetworkError, "network"),
    Row("dropped after N events, RST", _after_events(kind="drop", how="rst"), NetworkError, "network"),
    Row("stall", _stream(kind="stall"), TimeoutError, "timeout", timeout=SILENCE),
    Row("malformed JSON", _stream(kind="malformed"), MalformedResponseError, "agent"),
    Row(
        "missing message_stop",
        _stream(kind="missing_stop"),
        NetworkError,
        "network",
        empty=(MalformedResponseError, "agent"),  # the CLI takes it for something that is no stream
    ),
    Row("SSE error event", _stream(kind="error_event"), NetworkError, "network"),
    Row("wrong content type", _head(kind="content_type"), MalformedResponseError, "agent"),
    Row(
        "slow headers",
        _head(kind="slow_headers", seconds=600),
        TimeoutError,
        "timeout",
        env={"API_TIMEOUT_MS": "1000"},
    ),
)

CELLS = [(row, where) for row in ROWS for where in WHERES if row.fault(where) is not None]


# -- one cell ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What the server sent, what the agent yielded, and how it ended."""

    sent: list[dict[str, Any]]
    got: list[Message]
    error: AgentError | None
    requests: int
    seconds: float

    @property
    def yielded(self) -> list[dict[str, Any]]:
        """The content that reached the reader; the CLI itself closes what was cut off."""
        return [m.event for m in self.got if isinstance(m, StreamEvent) and m.event["type"] in CONTENT]

    @property
    def cell(self) -> str:
        """The end, as the table says it."""
        if self.error is None:
            return "no error"
        name = type(self.error).__name__
        if isinstance(self.error, StreamingError):
            name += f" <- {type(self.error.__cause__).__name__}"
        return f"{name} ({self.error.kind})"


def script_of(row: Row, where: Where) -> Script:
    """A model that reads a file and says what is in it, if the fault lets it."""
    fault = row.fault(where)
    first: dict[str, Any] = {"steps": steps(where), "usage": USAGE}
    second: dict[str, Any] = {"steps": ["It says: ${look}"], "usage": USAGE}
    (second if where == "between turns" else first)["fault"] = fault
    return Script(scenes=(Scene.model_validate({"answers": [first, second]}),))


async def play(row: Row, where: Where, folder: Path) -> Outcome:
    """One cell: the real CLI in this folder, the fault, and everything that came of it."""
    (folder / FILE).write_text("forty-two\n")
    server = OfflineServer(script_of(row, where))
    wire = Wiretap(server.app)
    server.app = wire  # type: ignore[assignment]
    async with server:
        env = {**offline_environment(server.url, folder), **row.env}
        agent = Worker(config=MaverickConfig(env=env, timeout=row.timeout))
        began = time.perf_counter()
        got, error = await drain(agent.query("What does the file say?", cwd=folder))
        seconds = time.perf_counter() - began
    return Outcome(list(wire.events()), got, error, len(wire.bodies), seconds)


class Wiretap:
    """Stands between the application and its server, and keeps the bodies of all answers to /v1/messages."""

    def __init__(self, app: MessagesApp) -> None:
        self._app = app
        self.bodies: list[bytearray] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._app, name)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        tap = _Tap(send)
        if scope["path"] == "/v1/messages":
            self.bodies.append(tap.body)
        await self._app(scope, receive, tap.send)

    def events(self) -> Iterator[dict[str, Any]]:
        """The content of every event that was sent whole and that a client can read."""
        for body in self.bodies:
            *whole, _rest = bytes(body).split(b"\n\n")
            for event in whole:
                try:
                    parsed = json.loads(event.partition(b"\ndata: ")[2])
                except ValueError:
                    break
                if parsed["type"] in CONTENT:
                    yield parsed


class _Tap:
    def __init__(self, send: Send) -> None:
        self._send = send
        self.body = bytearray()
        self.transport = send.__self__.transport  # type: ignore[attr-defined]  # where the application drops it

    async def send(self, message: Any) -> None:
        self.body += message.get("body", b"")
        await self._send(message)


# -- the table ---------------------------------------------------------------------------------------------------------


def render(cells: Iterable[tuple[str, str, str]]) -> str:
    """The document, from (fault, place, what it came to)."""
    found = {(row, where): text for row, where, text in cells}
    lines = [
        "# What the faults of the offline model come to",
        "",
        "Made by `python tests/offline/fault_matrix.py` from a run of the real CLI against the offline model; the",
        "tests run every cell again and compare. `A <- B (kind)`: `query()` raises A, its cause is B, and `kind` says",
        "whether the same call may succeed later. All that was sent before the fault has been yielded before it.",
        "",
        "n/a: such a fault comes instead of an answer, so it cannot be inside one. *Between turns* is the request",
        "after a tool's result. The places *inside* are in the first block of an answer: once a block is whole, the",
        "CLI asks the model by itself to go on, up to three times, and reports the fault after that.",
        "",
        f"| Fault | {' | '.join(WHERES)} |",
        f"|---|{'---|' * len(WHERES)}",
    ]
    for row in ROWS:
        texts = [f"`{found[row.name, where]}`" if (row.name, where) in found else "n/a" for where in WHERES]
        lines.append(f"| {row.name} | {' | '.join(texts)} |")
    return "\n".join(lines) + "\n"


def read_table(text: str) -> dict[tuple[str, str], str]:
    """What a document says, by fault and place; n/a is left out."""
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    heads = rows[0][1:]
    return {
        (row[0], where): cell for row in rows[2:] for where, cell in zip(heads, row[1:], strict=True) if cell != "n/a"
    }


async def _run_all() -> list[tuple[str, str, str]]:
    gate = asyncio.Semaphore(2)

    async def run(row: Row, where: Where) -> tuple[str, str, str]:
        async with gate:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                outcome = await play(row, where, Path(folder))
        is_as_expected = outcome.cell == row.expected(where) and outcome.yielded == outcome.sent
        print(f"{'ok ' if is_as_expected else 'BAD'} {outcome.seconds:5.1f} s  {row.name}, {where}: {outcome.cell}")
        return row.name, where, outcome.cell

    return await asyncio.gather(*(run(row, where) for row, where in CELLS))


def main() -> int:
    """Run everything, write the table; 1 if a cell is not what it should be."""
    for name in list(os.environ):
        if name.startswith(("ANTHROPIC_", "CLAUDE", "MAVERICK_")):
            del os.environ[name]
    cells = asyncio.run(_run_all())
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(render(cells), encoding="utf-8")
    return 0 if all(text == row.expected(where) for (row, where), (_, _, text) in zip(CELLS, cells, strict=True)) else 1


if __name__ == "__main__":
    sys.exit(main())
