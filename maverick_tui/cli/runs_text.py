"""How `maverick runs` lays out runs, turns and places for a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import PurePath

from rich.cells import cell_len

from maverick_tui.cli.layout import Paper, count, cut, display_path, pad, terminal_width
from maverick_tui.history.index import Hit, ListedRun
from maverick_tui.history.scanning import Turn
from maverick_tui.inert import one_line
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock

_GLYPHS = {
    "running": ("●", "cyan"),
    "done": ("✔", "green"),
    "failed": ("✘", "red"),
    "interrupted": ("■", "yellow"),
    "ended": ("○", "dim"),
}
_PATIENCE = 0.5
"""Seconds after which it is told what takes so long."""
_ID = 8
_WIDEST_AGENT = 14
_WIDEST_PLACE = 12
_LABEL = 9
_UNKNOWN = ("?", "dim")


def progress() -> Callable[[int, int], None] | None:
    """Tells a terminal how many of how many runs have been read, if that takes long; None without one."""
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    began = time.monotonic()
    width = 0

    def tell(done: int, total: int) -> None:
        nonlocal width
        if width or time.monotonic() - began > _PATIENCE:
            text = f"Reading runs: {done:,} of {total:,}" if done < total else ""
            sys.stderr.write("\r" + text.ljust(width) + ("" if text else "\r"))
            sys.stderr.flush()
            width = len(text)

    return tell


def print_list(runs: Sequence[ListedRun], total: int, *, is_filtered: bool) -> None:
    """The runs by day, each on one line."""
    paper = _paper()
    if not runs:
        hint = "" if is_filtered else " They will be as soon as an agent has worked: maverick"
        paper.line("No run matches." if is_filtered else "No runs are kept yet.", (hint, "dim"))
        return
    today = datetime.now().astimezone()
    agents = min(max(cell_len(one_line(run.about.agent)) for run in runs), _WIDEST_AGENT)
    places = {_place(run) for run in runs}
    width = min(max(map(cell_len, places)), _WIDEST_PLACE) if len(places) > 1 else 0
    costs = max(len(_cost(run)) for run in runs)
    for number, (day, group) in enumerate(groupby(runs, lambda run: _day(run, today))):
        members = list(group)
        if number:
            paper.line()
        spent = sum(run.about.cost_usd or 0.0 for run in members)
        paper.line((day, "bold"), (f"  {count(len(members), 'run')}", "dim"), (_money(spent, before="  "), "dim"))
        for run in members:
            glyph, style = _GLYPHS.get(run.state, _UNKNOWN)
            paper.line(
                (glyph, style),
                f" {run.run_id[:_ID]}  ",
                (_time(run.about.last_at, "%H:%M"), "dim"),
                "  " + pad(cut(one_line(run.about.agent), agents), agents),
                (f"  {_cost(run):>{costs}}" if costs else "", "dim"),
                ("  " + pad(cut(_place(run), width), width) if width else "", "dim"),
                "  ",
                ("".join(f"#{one_line(tag)} " for tag in run.tags), "blue"),
                one_line(run.title) or "(nothing was asked)",
                (f"  {one_line(run.about.problem)}" if run.about.problem else "", "red"),
            )
    if total > len(runs):
        paper.line()
        paper.line((f"{total - len(runs):,} more: --limit 0 lists all, filters choose among them.", "dim"))


def print_run(run: ListedRun, turns: Sequence[Turn]) -> None:
    """What a run was, and its turns in short."""
    paper, about = _paper(), run.about
    glyph, style = _GLYPHS.get(run.state, _UNKNOWN)
    paper.line((glyph, style), " ", (one_line(run.title) or "(nothing was asked)", "bold"))
    tokens = about.input_tokens + about.output_tokens + about.cache_read_tokens + about.cache_write_tokens
    took = clock(about.last_at - about.started_at)
    figures = [run.state, _time(about.started_at, "%Y-%m-%d %H:%M"), took, count(about.turns, "turn")]
    figures += [f"{tokens:,} tokens"] * bool(tokens) + [_cost(run)] * bool(_cost(run))
    paper.line(("  " + " · ".join(figures), "dim"))
    paper.line()
    branch = f" ({one_line(about.branch)})" if about.branch else ""
    rows = {
        "run": run.run_id,
        "agent": one_line(about.agent),
        "model": " on ".join(filter(None, (one_line(about.model), one_line(about.engine)))),
        "folder": display_path(about.folder) + branch if about.folder else "",
        "tags": " ".join(f"#{one_line(tag)}" for tag in run.tags),
        "files": ", ".join(one_line(path) for path in run.files),
        "events": f"{about.events:,}",
        "problem": one_line(about.problem),
    }
    for label, value in rows.items():
        if value:
            paper.line((pad(label, _LABEL), "dim"), value)
    for turn in turns:
        paper.line()
        _print_turn(paper, turn)


def _print_turn(paper: Paper, turn: Turn) -> None:
    glyph, style = _GLYPHS.get(turn.outcome or "interrupted", _UNKNOWN)
    paper.line((f"{turn.turn:>3}  ", "dim"), (one_line(turn.prompt) or "(by itself)", "bold"))
    facts = [turn.outcome or "broke off", *([count(turn.calls, "call")] if turn.calls else [])]
    if turn.ended_at is not None:
        facts.insert(1, clock(turn.ended_at - turn.started_at))
    facts += [dollars(turn.cost_usd)] if turn.cost_usd is not None else []
    paper.line("     ", (glyph, style), (f" {_time(turn.started_at, '%H:%M')}  {' · '.join(facts)}", "dim"))
    for text, look in ((turn.answer, ()), (turn.failure, ("red",))):
        if text:
            paper.line("     ", (one_line(text), *look))


def print_hits(hits: Iterable[Hit], runs: Mapping[str, ListedRun]) -> None:
    """The places, those of one run together."""
    paper = _paper()
    by_run: dict[str, list[Hit]] = {}
    for hit in hits:
        by_run.setdefault(hit.run_id, []).append(hit)
    if not by_run:
        paper.line("Nothing was found.")
    for number, (run_id, places) in enumerate(by_run.items()):
        if number:
            paper.line()
        run = runs[run_id]
        glyph, style = _GLYPHS.get(run.state, _UNKNOWN)
        head = f" {run_id[:_ID]}  {_time(run.about.last_at, '%Y-%m-%d %H:%M')}  {one_line(run.about.agent)}  "
        paper.line((glyph, style), (head, "dim"), (one_line(run.title), "bold"))
        for hit in places:
            place = f"turn {hit.turn}" if hit.turn is not None else "before"
            head = f"  {place:<8} {hit.kind:<8} "
            before, *rest = hit.snippet
            shown = (_end(before, (paper.width - len(head)) // 3), *rest)  # the match is to be in view
            paper.line(
                (head, "dim"),
                *((part, "yellow", "bold") if index % 2 else part for index, part in enumerate(shown)),
            )


def _end(text: str, width: int) -> str:
    """The text, or as many of its last words as fit."""
    if cell_len(text) <= width:
        return text
    while text and cell_len(text) > width - 1:
        text = text.partition(" ")[2]
    return f"…{text}"


def _paper() -> Paper:
    return Paper(sys.stdout, terminal_width())


def _place(run: ListedRun) -> str:
    return one_line(PurePath(run.about.repository or run.about.folder).name)


def _cost(run: ListedRun) -> str:
    is_guess = run.about.is_estimate or run.is_live
    return _money(run.about.cost_usd, before="~" if is_guess else "")


def _money(usd: float | None, *, before: str) -> str:
    return f"{before}{dollars(usd)}" if usd else ""


def _day(run: ListedRun, today: datetime) -> str:
    if run.is_live:
        return "Live"
    try:
        day = datetime.fromtimestamp(run.about.last_at).astimezone().date()
    except (OverflowError, ValueError, OSError):
        return "At no time that is known"
    if day == today.date():
        return "Today"
    if day == today.date() - timedelta(days=1):
        return "Yesterday"
    this_week = timedelta() < today.date() - day < timedelta(days=7)
    return f"{day:%A}" if this_week else f"{day:%A}, {day:%Y-%m-%d}"


def _time(at: float, form: str) -> str:
    try:
        return datetime.fromtimestamp(at).astimezone().strftime(form)
    except (OverflowError, ValueError, OSError):
        return "--:--"
