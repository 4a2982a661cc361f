"""Runs that do anything a run can do, and people who do anything to what is shown of it; for property tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from tests.support.runs import BEGAN, STREAM_BROKE

FRAGMENTS = (
    "Two things stand out. ",
    "# A heading\n\n",
    "\n\n",
    "- an item\n- another one that is so long that it has to be wrapped on every screen of this test\n",
    "```python\ndef total(lines):\n",
    "    return 1\n```\n",
    "| a | b |\n|---|---|\n",
    "| 1 | 日本語 |\n",
    "**bold",
    "** and `code` ",
    "界" * 30,
    "x" * 90,
    " ",
    "\x1b[31mred\u202e",
)
TOOLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Bash", {"command": "pytest -q\necho done", "description": "Run the tests"}),
    ("Read", {"file_path": "/work/shop/cart.py"}),
    ("Edit", {"file_path": "/work/shop/cart.py", "old_string": "a\nb\nc", "new_string": "a\nx\nc"}),
    ("Agent", {"description": "look around", "prompt": "Look"}),
    ("TodoWrite", {"todos": [{"status": "completed", "content": "one"}, {"status": "pending", "content": "two"}]}),
    ("mcp__server__tool", {"anything": ["1", {"x": None}]}),
)
OUTPUTS = ("", "one line", "\n".join(f"line {number} of an output" for number in range(12)), "diff --git a b\n+x\n-y")


class AnyRun:
    """Makes events that a run could send; each draw decides what happens next."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw
        self._turn = self._block = self._call = 0
        self._is_open = False
        self._blocks: list[int] = []
        self._calls: list[str] = []
        self._agents: list[str] = []
        self._questions: list[tuple[str, str]] = []
        self.at = BEGAN

    def begin(self) -> list[Event]:
        return [ev.AgentLoaded(self.at, "reviewer", "/work/shop"), ev.Connected(self.at)]

    def next(self) -> list[Event]:
        """One or a few events."""
        self.at += 1.0
        if not self._is_open:
            return self._prompt()
        makes = [self._text, self._text, self._tool, self._notice, self._end]
        if self._blocks:
            makes += [self._grow] * 6 + [self._end_block, self._restart]
        if self._calls:
            makes += [self._finish] * 2 + [self._ask, self._progress]
        if self._questions:
            makes += [self._settle]
        made: list[Event] = self._pick(makes)()
        return made

    def _pick(self, choices: Any) -> Any:
        return self._draw(st.sampled_from(choices))

    def _prompt(self) -> list[Event]:
        self._turn += 1
        self._is_open = True
        origin = self._pick(["person", "person", "agent", "background"])
        text = self._pick(["", "Look at it", "Two\nlines", "A prompt that is too long for one line " * 4])
        events: list[Event] = [ev.TurnStarted(self.at, self._turn, text, f"p{self._turn}", origin)]
        if self._pick([False, True]):
            events.append(ev.PromptSent(self.at, self._turn, "You are asked:\n" + text))
        return events

    def _parent(self) -> str:
        return self._pick(["", "", *self._agents])  # type: ignore[no-any-return]

    def _text(self) -> list[Event]:
        self._block += 1
        self._blocks.append(self._block)
        kind = self._pick(["text", "text", "thinking", "tool"])
        return [ev.BlockStarted(self.at, self._block, kind, self._parent(), "Bash" if kind == "tool" else "")]

    def _grow(self) -> list[Event]:
        block = self._pick(self._blocks)
        return [ev.BlockGrew(self.at, block, text) for text in self._draw(st.lists(st.sampled_from(FRAGMENTS)))]

    def _end_block(self) -> list[Event]:
        block = self._pick(self._blocks)
        self._blocks.remove(block)
        return [ev.BlockEnded(self.at, block)]

    def _restart(self) -> list[Event]:
        self._blocks.clear()
        return [ev.ReplyRestarted(self.at)]

    def _tool(self) -> list[Event]:
        self._call += 1
        call = f"call-{self._call}"
        name, arguments = self._pick(TOOLS)
        parent = self._parent()
        self._calls.append(call)
        if name == "Agent":
            self._agents.append(call)
        return [ev.ToolCalled(self.at, call, name, arguments, parent)]

    def _finish(self) -> list[Event]:
        call = self._pick(self._calls)
        self._calls.remove(call)
        return [ev.ToolFinished(self.at, call, self._pick(OUTPUTS), self._pick([False, False, True]))]

    def _progress(self) -> list[Event]:
        state = self._pick(["running", "completed"])
        return [ev.TaskProgressed(self.at, self._pick(self._calls), state, tokens=1_000, tool_uses=2)]

    def _ask(self) -> list[Event]:
        call = self._pick(self._calls)
        request = f"ask-{len(self._questions)}-{self.at}"
        self._questions.append((request, call))
        name, arguments = self._pick(TOOLS)
        return [
            ev.PermissionAsked(self.at, request, call, name, arguments, "reviewer", "because", ("Bash(git diff:*)",))
        ]

    def _settle(self) -> list[Event]:
        request, call = self._pick(self._questions)
        self._questions.remove((request, call))
        return [ev.PermissionSettled(self.at, request, call, self._pick(["once", "run", "deny", "withdrawn"]))]

    def _notice(self) -> list[Event]:
        return [ev.Noticed(self.at, "compacted", "The context was compacted.", self._parent())]

    def _end(self) -> list[Event]:
        self._is_open = False
        self._blocks.clear()
        outcome = self._pick(["done", "done", "interrupted", "failed"])
        failure = STREAM_BROKE if outcome == "failed" else None
        return [ev.TurnEnded(self.at, self._turn, outcome, ev.Usage(1, 2, 3, 4, 0.5, 1_000), failure=failure)]
