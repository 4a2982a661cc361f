"""Draws the entries of a transcript as rows, all but the text that is still open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maverick_tui.events.background import BY_ITSELF
from maverick_tui.inert import one_line
from maverick_tui.runs.entries import (
    EndEntry,
    Entry,
    FailureEntry,
    NoticeEntry,
    PromptEntry,
    StallEntry,
    TextEntry,
    ToolEntry,
)
from maverick_tui.runs.status import clock
from maverick_tui.runs.tool_text import todo_lines
from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.wrap import Styled
from maverick_tui.ui.transcript import banner, question_rows, tool_rows
from maverick_tui.ui.transcript.layout import Look, RowLayout, choice_lines

MOST_ROWS = 400
"""Rows of one expanded tool call; the rest is a key away, in the editor."""
MOST_OF_OWN = 10
"""Rows of what a command of the person's own has said that are seen without being asked for."""
LONGEST_OPEN_THOUGHT = 4_000
"""Characters of a thought that goes on; it is drawn anew with each of its words."""


class EntryRows:
    """Draws entries with one look; a new look is a new object."""

    def __init__(self, look: Look, now: Callable[[], float]) -> None:
        self.layout = RowLayout(look)
        self._now = now

    @property
    def look(self) -> Look:
        """The look of the rows."""
        return self.layout.look

    def rows(self, entry: Entry, *, is_expanded: bool) -> list[Row]:
        """The rows of an entry that is not open text."""
        if isinstance(entry, PromptEntry):
            return self._prompt(entry, is_expanded=is_expanded)
        if isinstance(entry, TextEntry) and entry.kind == "thinking":
            return self._thinking(entry, is_expanded=is_expanded)
        if isinstance(entry, TextEntry):
            return self.text(entry, self.layout.renderer(entry.depth).markdown(entry.text))
        if isinstance(entry, ToolEntry):
            return self._tool(entry, is_expanded=is_expanded)
        if isinstance(entry, EndEntry):
            return self._end(entry)
        if isinstance(entry, FailureEntry):
            return banner.rows(entry, self.look, self._now())
        if isinstance(entry, StallEntry) and entry.is_current:
            return self._stall(entry)
        assert isinstance(entry, NoticeEntry)
        told = self.layout.renderer(entry.depth, marked=True).plain(entry.text, self.look.palette.dim)
        more = self.layout.dress(told[1:], None, "  ", depth=entry.depth)
        return [*self.layout.dress(told[:1], entry, "· "), *more]

    def text(self, entry: TextEntry, rows: list[Row]) -> list[Row]:
        """Rows of text, with the time beside the first, and a mark below the last if it broke off."""
        out = self.layout.dress(rows, entry, "")
        if entry.state == "partial":
            out.append(self.layout.line([], [("╌╌ partial, cut here ", self.look.palette.warning)], depth=entry.depth))
        return out

    # -- entries ------------------------------------------------------------------------------------------------------

    def _prompt(self, entry: PromptEntry, *, is_expanded: bool) -> list[Row]:
        p = self.look.palette
        renderer = self.layout.renderer(marked=True)
        text = entry.text or "(started as its author wrote it)"
        if entry.origin == "background":
            rows = self.layout.dress(renderer.plain(f"{BY_ITSELF}  {text}", p.dim), entry, "▏ ", p.accent)
        elif entry.origin == "agent":
            rows = self.layout.dress(renderer.plain(text, p.dim), entry, "▏ ", p.accent)
        else:
            rows = self.layout.dress(renderer.plain(text, p.prompt), entry, "▌ ", p.accent)
        if entry.sent and is_expanded:
            rows.append(self.layout.line([("▾ ", p.dim), ("the agent sent:", p.dim)], []))
            rows += self.layout.dress(renderer.plain(entry.sent, p.dim), None, "▏ ", p.dim)
        elif entry.sent:
            rows.append(self.layout.line([("▸ ", p.dim), (f"the agent sent: {one_line(entry.sent)}", p.dim)], []))
        return rows

    def _thinking(self, entry: TextEntry, *, is_expanded: bool) -> list[Row]:
        """A thought: one line, and expanded all of it; of one that goes on, the end."""
        p, text = self.look.palette, entry.text.strip()
        seconds = entry.seconds if entry.seconds is not None else max(0.0, self._now() - entry.at)
        word = "thinking" if entry.is_open else "thought"
        last = text.rpartition("\n")[2] if entry.is_open else text.partition("\n")[0]
        about = f"  {one_line(last)}" if text and not is_expanded else ""
        fold = "▾" if is_expanded else "▸"
        head = [(f"{fold} ", p.dim), (f"{word} for {clock(seconds)}", p.thinking), (about, p.thinking)]
        row = self.layout.line(head, [], entry=entry)
        if not is_expanded:
            return [row]
        shown = entry.text[-LONGEST_OPEN_THOUGHT:].strip() if entry.is_open else text
        rows = self.layout.renderer(entry.depth, marked=True).plain(shown, p.thinking)
        return [row, *self.layout.dress(rows, None, "┊ ", depth=entry.depth)]

    def own_command(self, entry: ToolEntry) -> list[Row]:
        """A command of the person's own that has ended, with the first rows of what it has said."""
        p = self.look.palette
        output = tool_rows.output(entry, self.layout.renderer(entry.depth, marked=True), p)
        summary = tool_rows.summary(entry, p)
        if entry.state == "done" and output:
            summary = []
        elif entry.state == "failed" and output and (code := output[0].text.strip()).startswith("Exit code "):
            summary, output = [(code.lower(), p.error)], output[1:]
        first, rest = output[:MOST_OF_OWN], len(output) - MOST_OF_OWN
        rows = [self._tool_line(entry, summary), *self.layout.dress(first, None, "  ", depth=entry.depth)]
        if rest > 0:
            rows.append(self.layout.line([("▸ ", p.dim), (f"{rest:,} more rows", p.dim)], [], depth=entry.depth))
        return rows

    def _tool_line(self, entry: ToolEntry, summary: list[Styled]) -> Row:
        """The line of a call; `summary` is what has come of it."""
        head = tool_rows.head(entry, self.look.folder, self.look.palette)
        seconds = entry.seconds if entry.seconds is not None else max(0.0, self._now() - entry.at)
        shows_time = entry.state in ("running", "done", "failed") or (entry.has_run and not entry.is_open)
        note = self.layout.in_gutter(tool_rows.gutter_time(seconds)) if shows_time else " " * self.look.gutter
        return self.layout.line(head, summary, entry=entry, note=note)

    def _tool(self, entry: ToolEntry, *, is_expanded: bool) -> list[Row]:
        p = self.look.palette
        is_asking = entry.state == "asking" and entry.question is not None
        room = tool_rows.summary(entry, p)
        if is_asking and entry.number != self.look.asking:
            room = [("asks after the one that is marked", p.dim)]
        rows = [self._tool_line(entry, room)]
        if is_asking:
            return [*rows, *question_rows.rows(entry, self.layout)]
        if entry.name == "TodoWrite":
            rows += self._todos(entry.arguments, entry.depth)
        if is_expanded:
            renderer = self.layout.renderer(entry.depth, marked=True)
            body = tool_rows.call(entry, renderer, p)
            output = tool_rows.output(entry, renderer, p)
            rows += self.layout.dress(self._capped(body, renderer), None, "  ", depth=entry.depth)
            rows += self.layout.dress(
                self._capped(output, renderer), None, "⎿ " if not body else "  ", depth=entry.depth
            )
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
            rows.append(
                self.layout.line([("  ", p.base), marks.get(state, ("○ ", p.dim)), (text, style)], [], depth=depth)
            )
        return rows

    def _stall(self, entry: StallEntry) -> list[Row]:
        """What is wrong, and the keys that do something about it."""
        p, keys = self.look.palette, self.look.keys
        head = self.layout.line([("◌ ", p.warning), (entry.text, p.warning)], [], entry=entry)
        actions = (
            ("screen.banner_wait", keys.get("banner.wait", "?"), "wait"),
            ("screen.escape", keys.get("run.interrupt", "?"), "interrupt"),
            ("screen.banner_retry", keys.get("banner.retry", "?"), "ask again"),
        )
        choices = choice_lines(actions, max(4, self.look.width - self.look.gutter - 4), p.accent, p.base)
        return [head, *(self.layout.line([("  ", p.base), *spans], []) for spans in choices)]

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
        tokens = "" if entry.is_inherited else f"{usage.all_input:,} in  {usage.output_tokens:,} out"
        left: list[Styled] = [
            words[result.outcome],
            (f" in {clock(usage.duration_ms / 1000)}  ", p.dim),
            (tokens, p.dim),
        ]
        if len(cost) > self.look.gutter - 3:  # in the gutter it would touch the edge of the terminal
            left.append((f"  {cost}", p.dim))
            cost = ""
        return [self.layout.line(left, [], entry=entry, note=self.layout.in_gutter(cost))]
