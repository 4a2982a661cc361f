"""Events of runs in a few words: for stores, screens and histories of any length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event

BEGAN = 1_763_200_000.0
"""A moment that every scripted run begins at, so that what is drawn is the same each time."""


class Tape:
    """Writes events one after the other, with a clock of its own."""

    def __init__(self, agent: str = "reviewer", cwd: str = "/work/shop", at: float = BEGAN, **started: Any) -> None:
        self.events: list[Event] = []
        self.agent = agent
        self.cwd = cwd
        self.at = at
        self._block = 0
        self._turn = 0
        self._call = 0
        self._message = 0
        values = {"branch": "main", "model": "claude-sonnet-4-5", "permission_mode": "acceptEdits", **started}
        self.put(ev.RunStarted(self.at, "run-1", agent))
        self.put(ev.AgentLoaded(self.at, agent, cwd, **values))

    def put(self, event: Event) -> Tape:
        """Any event."""
        self.events.append(event)
        return self

    def wait(self, seconds: float) -> Tape:
        """Time goes by."""
        self.at += seconds
        return self

    def connect(self) -> Tape:
        self.put(ev.Connecting(self.at))
        return self.wait(0.4).put(ev.Connected(self.at))

    def prompt(self, text: str, **more: Any) -> Tape:
        """A turn begins."""
        self._turn += 1
        self.put(ev.TurnStarted(self.at, self._turn, text, f"prompt-{self._turn}", **more))
        self.wait(0.05).put(ev.RequestStarted(self.at))
        self.put(ev.UsageReported(self.at, f"message-{self._turn}", 1_200, 1, 8_000, 400))
        return self.wait(0.3)

    def say(
        self, text: str, *, kind: ev.BlockKind = "text", chunk: int = 6, parent: str = "", is_open: bool = False
    ) -> Tape:
        """A block of text, delta by delta."""
        self._block += 1
        self.put(ev.BlockStarted(self.at, self._block, kind, parent))
        for start in range(0, len(text), chunk):
            self.wait(0.01).put(ev.BlockGrew(self.at, self._block, text[start : start + chunk]))
        if not is_open:
            self.put(ev.BlockEnded(self.at, self._block))
        return self

    def think(self, text: str, **more: Any) -> Tape:
        return self.say(text, kind="thinking", **more)

    def call(
        self, name: str, arguments: dict[str, Any], *, parent: str = "", seconds: float = 0.0, is_running: bool = True
    ) -> str:
        """A tool is called, and runs at once unless it has to wait; its id."""
        self._call += 1
        call = f"call-{self._call}"
        self.wait(0.1).put(ev.ToolCalled(self.at, call, name, arguments, parent))
        if is_running:
            self.put(ev.ToolBegan(self.at, call))
        self.wait(seconds)
        return call

    def answer(self, call: str, output: str = "", *, is_error: bool = False, detail: Any = None) -> Tape:
        return self.wait(0.4).put(ev.ToolFinished(self.at, call, output, is_error, detail))

    def tool(self, name: str, arguments: dict[str, Any], output: str = "", **more: Any) -> Tape:
        """A call and its result."""
        parent = more.pop("parent", "")
        return self.answer(self.call(name, arguments, parent=parent), output, **more)

    def ask(self, name: str, arguments: dict[str, Any], **more: Any) -> Tape:
        """A call that waits for a person."""
        call = self.call(name, arguments, is_running=False)
        return self.put(ev.PermissionAsked(self.at, f"ask-{call}", call, name, arguments, agent=self.agent, **more))

    def decide(self, decision: ev.Decision, reason: str = "") -> Tape:
        """The person answers what was asked last."""
        call = f"call-{self._call}"
        return self.wait(2).put(ev.PermissionSettled(self.at, f"ask-{call}", call, decision, reason))

    def prepare(self, name: str, arguments: str, chunk: int = 40) -> Tape:
        """A call of which only a part of the arguments has come."""
        self._block += 1
        self.put(ev.BlockStarted(self.at, self._block, "tool", name=name))
        for start in range(0, len(arguments), chunk):
            self.wait(0.01).put(ev.BlockGrew(self.at, self._block, arguments[start : start + chunk]))
        return self

    def progress(self, call: str, state: str, *, tokens: int = 0, tool_uses: int = 0) -> Tape:
        """A subagent has come further."""
        return self.put(ev.TaskProgressed(self.at, call, state, tokens=tokens, tool_uses=tool_uses))

    def use(self, read: int, written: int, cached: int = 0, size: int | None = 200_000) -> Tape:
        """The model has used tokens, and says how much it can hold."""
        self._message += 1
        self.put(ev.ModelNamed(self.at, "claude-sonnet-4-5-20250929", context_size=size))
        return self.put(ev.UsageReported(self.at, f"answer-{self._message}", read, written, cached, 1_100))

    def done(self, outcome: ev.Outcome = "done", *, failure: ev.Failure | None = None, **usage: Any) -> Tape:
        """The turn ends."""
        figures = {"input_tokens": 1_200, "output_tokens": 480, "cache_read_tokens": 8_000, "cost_usd": 0.0214}
        used = ev.Usage(**{**figures, "duration_ms": 4_200, **usage})
        self.put(ev.UsageReported(self.at, f"message-{self._turn}", 1_200, used.output_tokens, 8_000, 400))
        return self.put(ev.TurnEnded(self.at, self._turn, outcome, used, 3_100, 2, failure=failure)).wait(1)


STREAM_BROKE = ev.Failure(
    error="StreamingError",
    kind="network",
    message="The stream broke after 24 messages: Connection closed by the endpoint (127.0.0.1:8123).",
    hint="What came before is kept: continue from there, or run the prompt again.",
    causes=("NetworkError: Connection closed by the endpoint (127.0.0.1:8123) in the middle of a sentence.",),
    is_retryable=True,
)

PARAGRAPH = (
    "The invoice rounds **once** at the end, the cart rounds per line. For three lines of `0.333` the difference is "
    "one cent, and the sum that the customer sees is not the sum that is booked.\n\n"
)


def history(turns: int, size: int = 2_000) -> Iterator[Event]:
    """A long run that is already over: each turn an answer of `size` characters of Markdown."""
    tape = Tape().connect()
    yield from tape.events
    parts = [
        "## What stands out\n\n",
        PARAGRAPH,
        "- `Cart.total()` rounds per line\n- `Invoice.total()` rounds once\n- nothing tests it\n\n",
        "```python\ndef total(lines: Lines) -> Money:\n    return sum(round(line.price, 2) for line in lines)\n```\n\n",
        "| amount | rounded |\n|---|---|\n| line | yes |\n| total | no |\n\n",
    ]
    for turn in range(turns):
        tape.events.clear()
        tape.prompt(f"Question number {turn + 1}: what about the next module?")
        text = ""
        while len(text) < size:
            text += parts[(turn + len(text)) % len(parts)]
        tape.say(text[:size], chunk=size).done()
        yield from tape.events
