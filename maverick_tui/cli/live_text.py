"""How `maverick ps` lays out runs for a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len

from maverick_tui.cli.layout import WIDEST_TITLE, Paper, can_show, count, cut, pad, terminal_width
from maverick_tui.events.background import behind_names, behind_of
from maverick_tui.history.days import time_text
from maverick_tui.host.live import GLYPHS, OTHER_GLYPH, LiveRun
from maverick_tui.inert import one_line
from maverick_tui.masking.redact import redact
from maverick_tui.runs.card import DOES_NOTHING, commands_words
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.runs.tool_text import describe

_MARKS = {
    "asks": ("!", "yellow"),
    "failed": ("x", "red"),
    "working": ("*", "cyan"),
    "waits": ("~", "yellow"),
    "queued": ("~", "dim"),
    "done": ("+", "green"),
    "interrupted": ("#", "yellow"),
}
"""Letters for terminals without other signs, and colours."""
_OTHER = ("o", "dim")
_SILENT = ("?", "red")
_ID = 8
_WIDEST_AGENT = 14
_WIDEST_WORDS = 24
_LEAST_TITLE = 24
"""Columns of its prompt by which a run is known from others."""
_DROPPED_FIRST = (5, 4, 6, 2)
"""Columns that make room for that: memory, worktree, readers, since when."""


def print_live(runs: Sequence[LiveRun]) -> None:
    """The runs, each on one line."""
    paper = Paper(sys.stdout, terminal_width())
    if not runs:
        paper.line("No run is alive.", ("  `maverick runs list` has those that are kept.", "dim"))
        return
    is_plain = not can_show("".join((*GLYPHS.values(), OTHER_GLYPH)))
    cells, ids = [_cells(run) for run in runs], [_id(run) for run in runs]
    id_width = max(map(cell_len, ids))
    widths = _widths(cells, paper.width - id_width - 4)
    for run, run_id, (words, *facts) in zip(runs, ids, cells, strict=True):
        plain, style = _SILENT if run.is_silent else _MARKS.get(run.phase, _OTHER)
        paper.line(
            (plain if is_plain else run.glyph, style),
            f" {pad(words, widths[0])}  {pad(run_id, id_width)}",
            *((f"  {pad(fact, width)}" if width else "", "dim") for fact, width in zip(facts, widths[1:], strict=True)),
            "  ",
            cut(one_line(redact(run.title)), WIDEST_TITLE) or "(nothing was asked)",
        )


def _widths(cells: Sequence[tuple[str, ...]], room: int) -> list[int]:
    """The widths of the columns; those that have to go so that something of the prompts is seen have none."""
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for dropped in _DROPPED_FIRST:
        if sum(width + 2 for width in widths if width) + _LEAST_TITLE <= room:
            break
        widths[dropped] = 0
    return widths


def _id(run: LiveRun) -> str:
    """As it is written for a command."""
    return one_line(f"{run.machine}:{run.run_id[:_ID]}" if run.machine else run.run_id[:_ID])


def _cells(run: LiveRun) -> tuple[str, ...]:
    cost = run.state.get("cost_usd")
    return (
        cut(_words(run), _WIDEST_WORDS),
        cut(one_line(str(run.state.get("agent", ""))), _WIDEST_AGENT),
        _since(run.started_at),
        f"{one_line(str(run.state.get('cost_sign', '')))}{dollars(cost)}" if cost else "",
        "worktree" if run.state.get("project") else "",
        f"{run.memory / 1e6:,.0f} MB" if run.memory is not None else "",
        _readers(run),
    )


def _readers(run: LiveRun) -> str:
    if not run.has_host:
        return "no host"
    return count(run.host.readers, "reader") if run.host is not None and run.host.readers else ""


def _words(run: LiveRun) -> str:
    if run.is_silent:
        return "does not answer"
    if run.phase == "asks" and (asked := run.state.get("asks")):
        return f"asks: {one_line(describe(str(asked[0])))}"
    since = run.state.get("silent_since")
    if run.phase == "working" and isinstance(since, int | float):
        return f"silent for {clock(time.time() - since)}"
    commands = run.state.get("commands") if run.phase in DOES_NOTHING else None
    behind = behind_names(behind_of(run.state.get("background")))
    if commands or behind:
        goes_on = (commands_words(commands or ()), f"runs {behind}" if behind else "")
        return one_line(", ".join(filter(None, (run.phase, *goes_on))))
    return "waits for its turn" if run.phase == "queued" else one_line(run.phase)


def _since(at: float | None) -> str:
    if at is None:
        return ""
    today = time_text(datetime.now().timestamp(), "%Y-%m-%d")  # noqa: DTZ005 - as clocks here show it
    return time_text(at, "%H:%M" if time_text(at, "%Y-%m-%d") == today else "%Y-%m-%d")
