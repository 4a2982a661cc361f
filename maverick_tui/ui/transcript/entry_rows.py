"""Draws the entries of a transcript as rows, all but the text that is still open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rich.segment import Segment
from rich.style import Style

from maverick_tui.inert import one_line
from maverick_tui.runs.choosing import Choice
from maverick_tui.runs.entries import (
    EndEntry,
    Entry,
    FailureEntry,
    NoticeEntry,
    PromptEntry,
    TextEntry,
    ToolEntry,
)
from maverick_tui.runs.jobs import BY_ITSELF
from maverick_tui.runs.status import clock
from maverick_tui.runs.tool_text import todo_lines
from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.palette import Palette
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.transcript import banner, question_rows, tool_rows
from maverick_tui.ui.transcript.line import Span, line_row

MOST_ROWS = 400
"""Rows of one expanded tool call; the rest is a key away, in the editor."""


@dataclass(slots=True)
class Look:
    """How a transcript is drawn: its width and colours, and what its keys are called at the moment."""

    width: int
    palette: Palette
    folder: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    """The key of an action by its name: `banner.retry` -> `F5`."""
    asking: int = 0
    """The number of the entry whose question keys answer."""
    choice: Choice | None = None
    """How far its question is answered, if it is one of the agent's own."""

    @property
    def gutter(self) -> int:
        """Columns on the left for time, duration and cost."""
        return 11 if self.width >= 90 else 8 if self.width >= 50 else 1


class EntryRows:
    """Draws entries with one look; a new look is a new object."""

    def __init__(self, look: Look, now: Callable[[], float]) -> None:
        self.look = look
        self._now = now
        self._renderers: dict[tuple[int, bool], Renderer] = {}
        self._blanks: dict[int, Row] = {}
        p = look.palette
        self._blank_gutter = Segment(" " * look.gutter, p.base) if look.gutter else None

    # -- what the view asks -----------------------------------------------------------------------------------------

    def renderer(self, depth: int = 0, *, marked: bool = False) -> Renderer:
        """The renderer of text at a depth; `marked` leaves two more columns for a mark beside the text."""
        key = (depth, marked)
        if key not in self._renderers:
            gutter = self.look.gutter + 2 * depth + 2 * marked
            gutter = min(gutter, max(0, self.look.width - 20))
            self._renderers[key] = Renderer(self.look.width, self.look.palette, gutter=gutter)
        return self._renderers[key]

    def blank(self, guides: int = 0) -> Row:
        """An empty row; below a subagent's call with its guides, and the same object each time."""
        if guides not in self._blanks:
            self._blanks[guides] = self.line([], [], depth=guides)
        return self._blanks[guides]

    def rows(self, entry: Entry, *, is_expanded: bool) -> list[Row]:
        """The rows of an entry that is not open text."""
        if isinstance(entry, PromptEntry):
            return self._prompt(entry, is_expanded=is_expanded)
        if isinstance(entry, TextEntry):
            return self.text(entry, self.renderer(entry.depth).markdown(entry.text))
        if isinstance(entry, ToolEntry):
            return self._tool(entry, is_expanded=is_expanded)
        if isinstance(entry, EndEntry):
            return self._end(entry)
        if isinstance(entry, FailureEntry):
            return banner.rows(entry, self.look)
        assert isinstance(entry, NoticeEntry)
        return self.dress(self.renderer(entry.depth, marked=True).plain(entry.text, self.look.palette.dim), entry, "· ")

    def text(self, entry: TextEntry, rows: list[Row]) -> list[Row]:
        """Rows of text, with the time beside the first, and a mark below the last if it broke off."""
        out = self.dress(rows, entry, "")
        if entry.state == "partial":
            out.append(self.line([], [("╌╌ partial, cut here ", self.look.palette.warning)], depth=entry.depth))
        return out

    def thinking(self, entry: TextEntry, rows: list[Row] | None) -> list[Row]:
        """A thought: one line, or with `rows` all of it."""
        p = self.look.palette
        seconds = entry.seconds if entry.seconds is not None else max(0.0, self._now() - entry.at)
        word = "thinking" if entry.is_open else "thought"
        last = entry.text.strip().rpartition("\n")[2] if entry.is_open else entry.text.strip().partition("\n")[0]
        fold = "▾" if rows is not None else "▸"
        about = "" if rows is not None else f"  {one_line(last)}"
        if not entry.text.strip():
            about = ""
        row = self.line(
            [(f"{fold} ", p.dim), (f"{word} for {clock(seconds)}", p.thinking), (about, p.thinking)], [], entry=entry
        )
        return [row, *self.dress(rows, None, "┊ ", depth=entry.depth)] if rows is not None else [row]

    # -- dressing ---------------------------------------------------------------------------------------------------

    def stamp(self, at: float) -> str:
        """The time for the gutter."""
        if self.look.gutter == 1:
            return " "
        try:
            shown = datetime.fromtimestamp(at).astimezone()
        except (OverflowError, ValueError, OSError):  # no calendar has it
            return " " * self.look.gutter
        return f" {shown:%H:%M:%S}  " if self.look.gutter == 11 else f" {shown:%H:%M}  "

    def in_gutter(self, text: str) -> str:
        """A figure, right-aligned in the gutter."""
        return f"{text:>{self.look.gutter - 2}}".ljust(self.look.gutter) if self.look.gutter > 1 else " "

    def dress(
        self, rows: list[Row], entry: Entry | None, mark: str, style: Style | None = None, *, depth: int | None = None
    ) -> list[Row]:
        """Put the time beside the first row, guides for the depth, and a mark beside all of them."""
        if depth is None:
            depth = entry.depth if entry is not None else 0
        if not self.look.gutter and not depth and not mark:
            return rows
        p, out = self.look.palette, []
        guides = Segment("│ " * depth, p.rule) if depth else None
        marking = Segment(mark, style or p.dim) if mark else None
        stamp = Segment(self.stamp(entry.at), p.dim) if entry is not None and self.look.gutter else self._blank_gutter
        if rows and guides is None and marking is None and stamp is not None:
            return [rows[0].with_lead([stamp]), *rows[1:]]
        cells = self.look.gutter + 2 * depth + len(mark)
        for row in rows:
            segments = [part for part in (stamp, guides, marking) if part is not None]
            stamp = self._blank_gutter
            if row.gutter < cells:  # so narrow that the text needs some of it
                segments = Segment.adjust_line_length(segments, row.gutter)
            out.append(row.with_lead(segments))
        return out

    def line(
        self,
        left: list[Span],
        right: list[Span],
        *,
        entry: Entry | None = None,
        depth: int | None = None,
        note: str = "",
    ) -> Row:
        """One row: what matters on the left, cut if need be, and what is secondary on the right."""
        p = self.look.palette
        if depth is None:
            depth = entry.depth if entry is not None else 0
        lead: list[Span] = []
        if self.look.gutter:
            text = note or (self.stamp(entry.at) if entry is not None else " " * self.look.gutter)
            lead.append((text, p.dim))
        if depth:
            lead.append(("│ " * depth, p.rule))
        return line_row(lead, left, right, self.look.width, p.base)

    # -- entries ------------------------------------------------------------------------------------------------------

    def _prompt(self, entry: PromptEntry, *, is_expanded: bool) -> list[Row]:
        p = self.look.palette
        renderer = self.renderer(marked=True)
        text = entry.text or "(started as its author wrote it)"
        if entry.origin == "background":
            rows = self.dress(renderer.plain(f"{BY_ITSELF}  {text}", p.dim), entry, "▏ ", p.accent)
        elif entry.origin == "agent":
            rows = self.dress(renderer.plain(text, p.dim), entry, "▏ ", p.accent)
        else:
            rows = self.dress(renderer.plain(text, p.prompt), entry, "▌ ", p.accent)
        if entry.sent and is_expanded:
            rows.append(self.line([("▾ ", p.dim), ("the agent sent:", p.dim)], []))
            rows += self.dress(renderer.plain(entry.sent, p.dim), None, "▏ ", p.dim)
        elif entry.sent:
            rows.append(self.line([("▸ ", p.dim), (f"the agent sent: {one_line(entry.sent)}", p.dim)], []))
        return rows

    def _tool(self, entry: ToolEntry, *, is_expanded: bool) -> list[Row]:
        p = self.look.palette
        head = tool_rows.head(entry, self.look.folder, p)
        seconds = entry.seconds if entry.seconds is not None else max(0.0, self._now() - entry.at)
        shows_time = entry.state in ("running", "done", "failed") or (entry.has_run and not entry.is_open)
        note = self.in_gutter(tool_rows.short(seconds)) if shows_time else " " * self.look.gutter
        is_asking = entry.state == "asking" and entry.question is not None
        room = tool_rows.summary(entry, p)
        if is_asking and entry.number != self.look.asking:
            room = [("asks after the one that is marked", p.dim)]
        rows = [self.line(head, room, entry=entry, note=note)]
        if is_asking:
            return [*rows, *question_rows.rows(entry, self)]
        if entry.name == "TodoWrite":
            rows += self._todos(entry.arguments, entry.depth)
        if is_expanded:
            renderer = self.renderer(entry.depth, marked=True)
            body = tool_rows.call(entry, renderer, p)
            output = tool_rows.output(entry, renderer, p)
            rows += self.dress(self._capped(body, renderer), None, "  ", depth=entry.depth)
            rows += self.dress(self._capped(output, renderer), None, "⎿ " if not body else "  ", depth=entry.depth)
        return rows

    def _capped(self, rows: list[Row], renderer: Renderer) -> list[Row]:
        if len(rows) <= MOST_ROWS:
            return rows
        key = self.look.keys.get("transcript.editor", "e")
        words = f"… {len(rows) - MOST_ROWS:,} more rows: {key} opens all of it in your editor"
        return [*rows[:MOST_ROWS], *renderer.plain(words, self.look.palette.dim)]

    def _todos(self, arguments: dict[str, Any], depth: int) -> list[Row]:
        p = self.look.palette
        marks = {"completed": ("✔ ", p.success), "in_progress": ("● ", p.accent)}
        rows = []
        for state, text in todo_lines(arguments):
            style = p.dim if state == "completed" else p.base
            rows.append(self.line([("  ", p.base), marks.get(state, ("○ ", p.dim)), (text, style)], [], depth=depth))
        return rows

    def _end(self, entry: EndEntry) -> list[Row]:
        p, result = self.look.palette, entry.result
        usage = result.usage
        mark = "~$" if result.is_estimate else "$"
        prices = ["" if usage.cost_usd is None else f"{mark}{usage.cost_usd:.{places}f}" for places in (3, 2, 1, 0)]
        cost = next((price for price in prices if len(price) < max(7, self.look.gutter - 1)), prices[-1])
        words = {
            "done": ("✔ done", p.success),
            "interrupted": ("■ interrupted", p.warning),
            "failed": ("✘ failed", p.error),
        }
        asked = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        tokens = f"{asked:,} in  {usage.output_tokens:,} out"
        left: list[Span] = [words[result.outcome], (f" in {clock(usage.duration_ms / 1000)}  ", p.dim), (tokens, p.dim)]
        if len(cost) > self.look.gutter - 3:  # in the gutter it would touch the edge of the terminal
            left.append((f"  {cost}", p.dim))
            cost = ""
        return [self.line(left, [], entry=entry, note=self.in_gutter(cost))]
