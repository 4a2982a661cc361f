"""Prints an agent's messages as plain text, one by one, as they come."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    StreamEvent,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from rich.cells import cell_len

from maverick_tui.agent.engine.claude.scheduling import SCHEDULING_TOOLS
from maverick_tui.agent.engine.outputs import result_text
from maverick_tui.agent.record import Record
from maverick_tui.cli.layout import Flow, Paper, pad
from maverick_tui.events.background import BY_ITSELF
from maverick_tui.exceptions import AgentError, MaverickError
from maverick_tui.inert import one_line
from maverick_tui.runs.failure_words import title as failure_title
from maverick_tui.runs.failures import failure_of
from maverick_tui.runs.tool_text import describe, key_argument, shown_changes, summary, todo_lines

if TYPE_CHECKING:
    from pathlib import Path

    from maverick_tui.agent.result import AgentUsage

_TODOS = {"completed": ("☑ ", "green"), "in_progress": ("▸ ", "bold")}
_CHANGES = {"+": "green", "-": "red"}
_MOST_RAW = 500
"""Characters of an answer that cannot be read."""


@dataclass(slots=True)
class _Call:
    """A tool call, and its result once that is there."""

    block: ToolUseBlock
    result: ToolResultBlock | None = None
    is_shown: bool = False


@dataclass(slots=True, eq=False)
class _Lane:
    """Whose messages they are: the agent's own, or those of a subagent, which are indented."""

    prefix: str = ""
    title: str = ""
    calls: list[_Call] = field(default_factory=list)
    """Calls whose results have not been shown; the first has been, the others wait for their turn."""


class _Kept:
    """Stands in for a flow, and only keeps the text."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._parts: list[str] = []

    def feed(self, text: str) -> None:
        self._parts.append(text)

    def end(self) -> None:
        self._texts.append("".join(self._parts))


class Printer:
    """Takes the messages of one prompt with `show`; `finish`, `fail` or `close` ends it."""

    def __init__(self, stream: TextIO, width: int, *, cwd: Path | None = None, keeps_answer: bool = False) -> None:
        """Write on the stream in so many columns; paths are told from `cwd`.

        With `keeps_answer` what the agent says is written once something follows it: the rest is for `take_answer`.
        """
        self.paper = Paper(stream, width)
        self._keeps_answer = keeps_answer
        self._kept: list[str] = []
        self._folder = "" if cwd is None else str(cwd)
        self._record = Record()
        self._main = _Lane()
        self._lanes: dict[str | None, _Lane] = {None: self._main}
        self._owners: dict[str, tuple[_Lane, _Call]] = {}
        self._flow: Flow | _Kept | None = None
        self._streamed: list[str] = []
        """Blocks of this answer that have been shown as they came, and not been told as a whole yet."""
        self._held: list[Message] = []
        self._last: tuple[str, _Lane] | None = None
        self._last_call: _Call | None = None

    @property
    def usage(self) -> AgentUsage:
        """What it has used until now."""
        return self._record.usage

    def prompt(self, text: str) -> None:
        """Show what the agent is asked."""
        self._begin("prompt", self._main)
        self._say("> ", text, "bold")

    def show(self, message: Message) -> None:
        """Show the next message; one that has nothing to show is passed over."""
        self._record.add(message)
        self._show(message)

    @property
    def text(self) -> str:
        """All that the agent has said."""
        return self._record.text

    @property
    def answer(self) -> str:
        """What is kept: what the agent has said after its last call."""
        return "\n\n".join(text.strip("\n") for text in self._kept if text.strip())

    def take_answer(self) -> str:
        """What the agent said last; it is not written here any more."""
        self._close_flow()
        answer, self._kept = self.answer, []
        return answer

    def say(self, text: str) -> None:
        """Show what the agent itself says, which no message has brought."""
        if text.strip():
            self._show_text("text", text, self._main)

    def finish(self) -> None:
        """End with what it has used."""
        self.close()
        self._begin("usage", self._main)
        self.paper.line((_usage_text(self.usage), "dim"))

    def fail(self, error: AgentError) -> None:
        """End with what has failed, why, and what to do next; the text that came stays as it is."""
        self.close()
        self._begin("banner", self._main)
        for line in _banner(error, self.paper.frame):
            self.paper.line((line, "red"))
        self.paper.line((_usage_text(self.usage), "dim"))

    def close(self) -> None:
        """Leave no line and no call open, for whoever stops before the end."""
        self._close_flow()
        for lane in self._lanes.values():
            for call in lane.calls:
                self._show_call(lane, call)
                self._show_outcome(lane, call, "✘ ", "red", "no result")
            lane.calls.clear()

    # -- messages -------------------------------------------------------------------------------------------------

    def _show(self, message: Message) -> None:
        if isinstance(message, StreamEvent):
            self._show_event(message)
        elif isinstance(message, AssistantMessage) and (message.parent_tool_use_id is None or self._flow is None):
            self._show_answer(message)
        elif isinstance(message, UserMessage) and self._flow is None:
            self._show_results(message)
        elif isinstance(message, AssistantMessage | UserMessage):
            self._held.append(message)  # neither a subagent nor a result interrupts a sentence

    def _show_event(self, message: StreamEvent) -> None:
        if message.parent_tool_use_id is not None:
            return  # it comes once more, in one piece
        event = message.event
        kind = event.get("type")
        if kind == "message_start":
            self._streamed.clear()
            if self._flow is not None:
                self._close_flow()
                self.paper.line(("(the answer broke off; it begins anew)", "dim"))
        elif kind == "content_block_start":
            self._streamed.append("")
            self._open_flow(str((event.get("content_block") or {}).get("type")), self._main)
        elif kind == "content_block_delta" and self._flow is not None:
            delta = event.get("delta") or {}
            text = str(delta.get("text") or delta.get("thinking") or "")
            self._streamed[-1] += text
            self._flow.feed(text)
        elif kind == "content_block_stop":
            self._close_flow()

    def _show_answer(self, message: AssistantMessage) -> None:
        if message.error is not None:
            return  # the CLI's own notice of a failure, which `fail` tells
        lane = self._lane(message.parent_tool_use_id)
        for block in message.content:
            if isinstance(block, TextBlock):
                self._show_text("text", block.text, lane)
            elif isinstance(block, ThinkingBlock):
                self._show_text("thinking", block.thinking, lane)
            elif isinstance(block, ToolUseBlock):
                call = _Call(block)
                lane.calls.append(call)
                self._owners[block.id] = (lane, call)
                self._catch_up(lane)

    def _show_results(self, message: UserMessage) -> None:
        lane = self._lane(message.parent_tool_use_id)
        for block in message.content if isinstance(message.content, list) else []:
            if isinstance(block, ToolResultBlock) and block.tool_use_id in self._owners:
                owner, call = self._owners[block.tool_use_id]
                call.result = block
                self._catch_up(owner)
            elif isinstance(block, TextBlock) and lane is not self._main:
                self._begin("prompt", lane)
                self._say(f"{lane.prefix}> ", block.text, "dim")

    def _lane(self, parent: str | None) -> _Lane:
        """The lane of the call that started the subagent; that call is shown now, if it was waiting."""
        if parent not in self._lanes:
            lane = _Lane("  │ ")
            if parent in self._owners:
                owner, call = self._owners[parent]
                self._show_call(owner, call)
                lane.prefix = f"{owner.prefix}  │ "
                lane.title = key_argument(call.block.name, call.block.input, self._folder)
            self._lanes[parent] = lane
        return self._lanes[parent]

    # -- text -----------------------------------------------------------------------------------------------------

    def _show_text(self, kind: str, text: str, lane: _Lane) -> None:
        """Show a whole block, unless it has been streamed; the engine `api` tells blocks when all of them have come."""
        streamed = [one for one in self._streamed if one.strip() == text.strip()]
        if lane is self._main and streamed:
            self._close_flow()
            self._streamed.remove(streamed[0])
            return
        self._open_flow(kind, lane)
        if self._flow is not None:
            self._flow.feed(text)
        self._close_flow()

    def _open_flow(self, kind: str, lane: _Lane) -> None:
        self._close_flow()
        if kind == "text" and lane is self._main and self._keeps_answer:
            self._flow = _Kept(self._kept)
        elif kind in ("text", "thinking"):
            self._begin(kind, lane)
            is_thought = kind == "thinking"
            prefix = f"{lane.prefix}┊ " if is_thought else lane.prefix
            self._flow = Flow(self.paper, prefix=prefix, styles=("dim",) if is_thought else ())

    def _close_flow(self) -> None:
        if self._flow is None:
            return
        self._flow.end()
        self._flow = None
        held, self._held = self._held, []
        for message in held:
            self._show(message)

    def _say(self, mark: str, text: str, style: str) -> None:
        lines = textwrap.wrap(one_line(text), self.paper.width - cell_len(mark), break_on_hyphens=False)
        for number, line in enumerate(lines):
            self.paper.line((mark if number == 0 else mark.replace(">", " "), "dim"), (line, style))

    def _begin(self, kind: str, lane: _Lane) -> None:
        """Begin something else; what was kept is written before a call, for the answer is what follows the last one."""
        is_after = lane is self._main and kind != "thinking"
        kept, self._kept = (self._kept, []) if is_after else ([], self._kept)
        for text in kept:
            self._space("text", self._main)
            flow = Flow(self.paper)
            flow.feed(text)
            flow.end()
        self._space(kind, lane)

    def _space(self, kind: str, lane: _Lane) -> None:
        """Put space between things that are not of a kind; say whose it is where several work at once."""
        last_kind, last_lane = self._last or (kind, lane)
        is_new = kind != last_kind or kind in ("text", "thinking")
        if lane is self._main and self._last is not None and (is_new or last_lane is not lane):
            self.paper.line()
        elif lane is not last_lane and len(self._lanes) > 2:
            self.paper.line((f"{lane.prefix}{lane.title}", "dim"))
        self._last = (kind, lane)
        self._last_call = None

    # -- tools ----------------------------------------------------------------------------------------------------

    def _catch_up(self, lane: _Lane) -> None:
        """Show calls and results in the order of the calls, however they have come."""
        while lane.calls:
            call = lane.calls[0]
            self._show_call(lane, call)
            if call.result is None:
                return
            del lane.calls[0]
            self._show_result(lane, call, call.result)

    def _show_call(self, lane: _Lane, call: _Call) -> None:
        if call.is_shown:
            return
        call.is_shown = True
        self._begin("tool", lane)
        self._last_call = call
        block = call.block
        is_list = block.name == "TodoWrite"
        about = "" if is_list else f"  {key_argument(block.name, block.input, self._folder)}"
        self.paper.line((lane.prefix, "dim"), ("● ", "blue"), (describe(block.name), "bold"), about)
        for state, text in todo_lines(block.input) if is_list else ():
            self.paper.line((f"{lane.prefix}  ", "dim"), _TODOS.get(state, ("☐ ",)), text)

    def _show_result(self, lane: _Lane, call: _Call, result: ToolResultBlock) -> None:
        block, failed = call.block, bool(result.is_error)
        text = result_text(result.content)
        if block.name == "TodoWrite" and not failed:
            return
        what, size = summary(block.name, block.input, text, failed=failed)
        self._show_outcome(lane, call, *(("✘ ", "red") if failed else ("✔ ", "green")), what, size)
        if block.name in SCHEDULING_TOOLS and not failed and (later := one_line(str(block.input.get("prompt") or ""))):
            self.paper.line(
                (f"{lane.prefix}  ", "dim"), (BY_ITSELF, "yellow"), f"  {later}", ("  (it ends with this run)", "dim")
            )
        for line in shown_changes(block.input) if block.name == "Edit" and not failed else ():
            self.paper.line((f"{lane.prefix}    ", "dim"), (line, _CHANGES.get(line[0], "dim")))

    def _show_outcome(self, lane: _Lane, call: _Call, mark: str, style: str, what: str, size: str = "") -> None:
        """One line below the call; where something else stands in between, it says whose it is."""
        whose = "" if self._last_call is call else f"{describe(call.block.name)}: "
        self._last = ("tool", lane)
        self.paper.line(
            (f"{lane.prefix}  ", "dim"), (mark, style), f"{whose}{what}", (f"  ({size})" if size else "", "dim")
        )


def _usage_text(usage: AgentUsage) -> str:
    cached = usage.cache_read_tokens + usage.cache_write_tokens
    parts = [f"{usage.input_tokens:,} tokens in{f' ({cached:,} more cached)' if cached else ''}"]
    parts.append(f"{usage.output_tokens:,} out")
    if usage.total_cost_usd is not None:
        parts.append(f"${usage.total_cost_usd:.4f}")
    parts.append(f"{usage.duration_ms / 1000:.1f} s")
    return " · ".join(parts)


def _banner(error: AgentError, width: int) -> Iterator[str]:
    """What, why and what next, in a frame."""
    what, cause = error.message, error.cause
    rows = []
    if isinstance(cause, MaverickError):
        what = what.removesuffix(cause.message).rstrip(" :.") + "."
        rows.append(("why", cause.message))
    failure = failure_of(error)
    if failure.raw_response:  # the hint speaks of it, and there is no key here that shows it
        rows.append(("raw", failure.raw_response[:_MOST_RAW]))
    rows = [("what", what), *rows, ("next", error.hint)]
    title = f" {failure_title(failure).upper()} "
    inner = width - 4
    yield f"╭─{title}{'─' * (width - cell_len(title) - 3)}╮"
    for label, text in rows:
        lines = textwrap.wrap(one_line(text), inner - 6, break_on_hyphens=False)
        for number, line in enumerate(lines):
            yield f"│ {'' if number else label:<6}{pad(line, inner - 6)} │"
    yield f"╰{'─' * (width - 2)}╯"
