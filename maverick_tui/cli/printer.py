"""Prints the events of a run as plain text, one by one, as they come."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TextIO

from rich.cells import cell_len

from maverick_tui.agent.tools import SCHEDULING_TOOLS
from maverick_tui.cli.layout import Flow, Paper, pad
from maverick_tui.events import kinds as ev
from maverick_tui.events.background import BY_ITSELF
from maverick_tui.inert import one_line
from maverick_tui.runs.failure_words import title as failure_title
from maverick_tui.runs.tool_text import describe, key_argument, shown_changes, summary, todo_lines
from maverick_tui.usage import Usage

if TYPE_CHECKING:
    from pathlib import Path

_TODOS = {"completed": ("☑ ", "green"), "in_progress": ("▸ ", "bold")}
_CHANGES = {"+": "green", "-": "red"}
_MOST_RAW = 500
"""Characters of an answer that cannot be read."""


@dataclass(slots=True, eq=False)
class _Call:
    """A tool call, and its result once that is there."""

    told: ev.ToolCalled
    result: ev.ToolFinished | None = None
    is_shown: bool = False


@dataclass(slots=True, eq=False)
class _Lane:
    """Whose events they are: the agent's own, or those of a subagent, which are indented."""

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
    """Takes the events of one prompt; `finish`, `fail` or `close` ends it."""

    def __init__(
        self,
        stream: TextIO,
        width: int,
        *,
        cwd: Path | None = None,
        keeps_answer: bool = False,
        is_recorded: bool = False,
    ) -> None:
        """Write on the stream in so many columns; paths are told from `cwd`.

        With `keeps_answer` what the agent says is written once something follows it, but for what `leave_out` is told.
        """
        self.paper = Paper(stream, width, is_recorded=is_recorded)
        self._keeps_answer = keeps_answer
        self._kept: list[str] = []
        self._folder = "" if cwd is None else str(cwd)
        self._used = Usage()
        self._main = _Lane()
        self._lanes: dict[str, _Lane] = {"": self._main}
        self._owners: dict[str, tuple[_Lane, _Call]] = {}
        self._flow: Flow | _Kept | None = None
        self._block: int | None = None
        """The agent's own block that flows."""
        self._beside: dict[int, tuple[ev.BlockStarted, list[str]]] = {}
        """Blocks of subagents, and of what is asked at the same time: they are shown when they are complete."""
        self._held: list[Callable[[], None]] = []
        """What is shown once the sentence has ended."""
        self._last: tuple[str, _Lane] | None = None
        self._last_call: _Call | None = None

    def prompt(self, text: str) -> None:
        """Show what the agent is asked."""
        self._begin("prompt", self._main)
        self._say("> ", text, "bold")

    def note(self, text: str, *styles: str) -> None:
        """Show a text of its own, once the sentence has ended."""
        self._when_free(partial(self._note, text, styles))

    def _note(self, text: str, styles: tuple[str, ...]) -> None:
        self._begin("note", self._main)
        for line in textwrap.wrap(one_line(text), self.paper.width, break_on_hyphens=False):
            self.paper.line((line, *styles))

    def leave_out(self, answer: str) -> None:
        """Do not write what is kept, as far as it is part of the answer: that is written elsewhere."""
        self._close_flow()
        words = answer.split()
        while self._kept:
            said = self._kept[-1].split()
            if said != words[max(0, len(words) - len(said)) :]:
                return
            del self._kept[-1], words[len(words) - len(said) :]

    def finish(self) -> None:
        """End with what it has used."""
        self.close()
        self._begin("usage", self._main)
        self.paper.line((_usage_text(self._used), "dim"))

    def fail(self, failure: ev.Failure) -> None:
        """End with what has failed, why, and what to do next; the text that came stays as it is."""
        self.close()
        self._begin("banner", self._main)
        for line in _banner(failure, self.paper.frame):
            self.paper.line((line, "red"))
        self.paper.line((_usage_text(self._used), "dim"))

    def pause(self) -> None:
        """Leave no line open, for whoever stops looking; calls go on."""
        self._close_flow()

    def close(self) -> None:
        """Leave no line and no call open, for whoever stops before the end."""
        self._close_flow()
        for lane in self._lanes.values():
            for call in lane.calls:
                self._show_call(lane, call)
                self._show_outcome(lane, call, "✘ ", "red", "no result")
            lane.calls.clear()

    # -- events ---------------------------------------------------------------------------------------------------

    def take(self, event: ev.Event) -> None:
        """Show the next event; one that has nothing to show is passed over."""
        match event:
            case ev.BlockGrew():
                self._grow(event)
            case ev.BlockStarted():
                self._start(event)
            case ev.BlockEnded():
                self._end(event)
            case ev.ReplyRestarted():
                self._restart()
            case ev.ToolCalled():
                self._when_free(partial(self._take_call, event))
            case ev.ToolFinished():
                self._when_free(partial(self._take_result, event))
            case ev.AgentLoaded():
                self._folder = event.cwd
            case ev.TurnEnded():
                self._end_open()
                self._used += event.usage

    def _when_free(self, show: Callable[[], None]) -> None:
        """Neither a subagent nor a result interrupts a sentence."""
        if self._flow is not None:
            self._held.append(show)
        else:
            show()

    def _start(self, event: ev.BlockStarted) -> None:
        if event.kind == "tool":
            return  # it is shown when it is called
        if event.parent or self._flow is not None:
            self._beside[event.block] = event, []
        else:
            self._open_flow(event.kind, self._main)
            self._block = event.block

    def _grow(self, event: ev.BlockGrew) -> None:
        if event.block == self._block and self._flow is not None:
            self._flow.feed(event.text)
        elif event.block in self._beside:
            self._beside[event.block][1].append(event.text)

    def _end(self, event: ev.BlockEnded) -> None:
        if event.block == self._block:
            self._close_flow()
        elif event.block in self._beside:
            started, parts = self._beside.pop(event.block)
            self._when_free(partial(self._show_text, started, "".join(parts)))

    def _end_open(self) -> None:
        """What breaks off has no end of its own."""
        self._close_flow()
        for block in list(self._beside):
            self._end(ev.BlockEnded(0, block))

    def _restart(self) -> None:
        self._end_open()
        self._write_kept()
        self.paper.line(("(the answer broke off; it begins anew)", "dim"))

    def _take_call(self, event: ev.ToolCalled) -> None:
        lane, call = self._lane(event.parent), _Call(event)
        lane.calls.append(call)
        self._owners[event.call] = (lane, call)
        self._catch_up(lane)

    def _take_result(self, event: ev.ToolFinished) -> None:
        if event.call in self._owners:
            owner, call = self._owners[event.call]
            call.result = event
            self._catch_up(owner)

    def _lane(self, parent: str) -> _Lane:
        """The lane of the call that started the subagent; that call is shown now, if it was waiting, and its prompt."""
        if parent in self._lanes:
            return self._lanes[parent]
        lane = self._lanes[parent] = _Lane("  │ ")
        if parent in self._owners:
            owner, call = self._owners[parent]
            self._show_call(owner, call)
            lane.prefix = f"{owner.prefix}  │ "
            lane.title = key_argument(call.told.name, call.told.arguments, self._folder)
            if prompt := call.told.arguments.get("prompt"):
                self._begin("prompt", lane)
                self._say(f"{lane.prefix}> ", str(prompt), "dim")
        return lane

    # -- text -----------------------------------------------------------------------------------------------------

    def _show_text(self, started: ev.BlockStarted, text: str) -> None:
        self._open_flow(started.kind, self._lane(started.parent))
        assert self._flow is not None
        self._flow.feed(text)
        self._close_flow()

    def _open_flow(self, kind: str, lane: _Lane) -> None:
        if kind == "text" and lane is self._main and self._keeps_answer:
            self._flow = _Kept(self._kept)
        else:
            self._begin(kind, lane)
            is_thought = kind == "thinking"
            prefix = f"{lane.prefix}┊ " if is_thought else lane.prefix
            self._flow = Flow(self.paper, prefix=prefix, styles=("dim",) if is_thought else ())

    def _close_flow(self) -> None:
        if self._flow is None:
            return
        self._flow.end()
        self._flow = self._block = None
        held, self._held = self._held, []
        for show in held:
            show()

    def _say(self, mark: str, text: str, style: str) -> None:
        lines = textwrap.wrap(one_line(text), self.paper.width - cell_len(mark), break_on_hyphens=False)
        for number, line in enumerate(lines):
            self.paper.line((mark if number == 0 else mark.replace(">", " "), "dim"), (line, style))

    def _begin(self, kind: str, lane: _Lane) -> None:
        """Begin something else; what was kept is written before a call, for the answer is what follows the last one."""
        if lane is self._main and kind != "thinking":
            self._write_kept()
        self._space(kind, lane)

    def _write_kept(self) -> None:
        kept, self._kept = self._kept, []
        for text in kept:
            self._space("text", self._main)
            flow = Flow(self.paper)
            flow.feed(text)
            flow.end()

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
        name, arguments = call.told.name, call.told.arguments
        is_list = name == "TodoWrite"
        about = "" if is_list else f"  {key_argument(name, arguments, self._folder)}"
        self.paper.line((lane.prefix, "dim"), ("● ", "blue"), (describe(name), "bold"), about)
        for state, text in todo_lines(arguments) if is_list else ():
            self.paper.line((f"{lane.prefix}  ", "dim"), _TODOS.get(state, ("☐ ",)), text)

    def _show_result(self, lane: _Lane, call: _Call, result: ev.ToolFinished) -> None:
        name, arguments, failed = call.told.name, call.told.arguments, result.is_error
        if name == "TodoWrite" and not failed:
            return
        what, size = summary(name, arguments, result.output, failed=failed)
        self._show_outcome(lane, call, *(("✘ ", "red") if failed else ("✔ ", "green")), what, size)
        if name in SCHEDULING_TOOLS and not failed and (later := one_line(str(arguments.get("prompt") or ""))):
            self.paper.line(
                (f"{lane.prefix}  ", "dim"), (BY_ITSELF, "yellow"), f"  {later}", ("  (it ends with this run)", "dim")
            )
        for line in shown_changes(arguments) if name == "Edit" and not failed else ():
            self.paper.line((f"{lane.prefix}    ", "dim"), (line, _CHANGES.get(line[0], "dim")))

    def _show_outcome(self, lane: _Lane, call: _Call, mark: str, style: str, what: str, size: str = "") -> None:
        """One line below the call; where something else stands in between, it says whose it is."""
        whose = "" if self._last_call is call else f"{describe(call.told.name)}: "
        self._last = ("tool", lane)
        self.paper.line(
            (f"{lane.prefix}  ", "dim"), (mark, style), f"{whose}{what}", (f"  ({size})" if size else "", "dim")
        )


def _usage_text(usage: Usage) -> str:
    cached = f" ({usage.cache_read_tokens:,} from the cache)" if usage.cache_read_tokens else ""
    parts = [f"{usage.all_input:,} tokens in{cached}"]
    parts.append(f"{usage.output_tokens:,} out")
    if usage.cost_usd is not None:
        parts.append(f"${usage.cost_usd:.4f}")
    parts.append(f"{usage.duration_ms / 1000:.1f} s")
    return " · ".join(parts)


def _banner(failure: ev.Failure, width: int) -> Iterator[str]:
    """What, why and what next, in a frame."""
    what, rows = failure.message, list[tuple[str, str]]()
    why = failure.causes[0].partition(": ")[2] if failure.causes else ""
    if why and what != why and what.endswith(why):
        what = what.removesuffix(why).rstrip(" :.") + "."
        rows.append(("why", why))
    if failure.raw_response:  # the hint speaks of it, and there is no key here that shows it
        rows.append(("raw", failure.raw_response[:_MOST_RAW]))
    rows = [("what", what), *rows, ("next", failure.hint)]
    title = f" {failure_title(failure).upper()} "
    inner = width - 4
    yield f"╭─{title}{'─' * (width - cell_len(title) - 3)}╮"
    for label, text in rows:
        lines = textwrap.wrap(one_line(text), inner - 6, break_on_hyphens=False)
        for number, line in enumerate(lines):
            yield f"│ {'' if number else label:<6}{pad(line, inner - 6)} │"
    yield f"╰{'─' * (width - 2)}╯"
