"""How `maverick runs` lays out runs, turns and places for a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING

from rich.cells import cell_len

from maverick_tui.cli.layout import WIDEST_TITLE, Paper, count, cut, display_path, pad, terminal_width
from maverick_tui.history.days import day_name, time_text
from maverick_tui.history.listed import NOT_READ, Hit, ListedRun
from maverick_tui.history.money import cost_of, cost_of_all, unread_of
from maverick_tui.history.scanning import Turn
from maverick_tui.inert import one_line
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.runs.store import forked_words

if TYPE_CHECKING:
    from maverick_tui.review.files_of_run import FilesOfRun

_GLYPHS = {
    "asks": ("⚑", "yellow"),
    "running": ("●", "cyan"),
    "queued": ("‖", "dim"),
    "ready": ("○", "dim"),
    "done": ("✔", "green"),
    "failed": ("✘", "red"),
    "interrupted": ("■", "yellow"),
    "ended": ("○", "dim"),
    "unread": ("·", "dim"),
}
_AT_WORK = {"running": "at work", "asks": "asks you"}
"""What is said of the turn that a live run is at."""
_PATIENCE = 0.5
"""Seconds after which it is told what takes so long."""
_ID = 8
_WIDEST_AGENT = 14
_WIDEST_PLACE = 12
_LABEL = 9
_MOST_FILES = 100
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


def print_list(
    runs: Sequence[ListedRun],
    total: int,
    left_out: Sequence[ListedRun] = (),
    *,
    is_filtered: bool,
    doubt: str = "",
) -> None:
    """The runs by day, each on one line; `doubt` is said if there are none. A day also counts what is left out."""
    paper = _paper()
    if not runs:
        hint = f" {one_line(doubt)}" if is_filtered else " They will be as soon as an agent has worked: maverick"
        paper.line("No run matches." if is_filtered else "No runs are kept yet.", (hint, "dim"))
        return
    today = datetime.now().astimezone()
    agents = min(max(cell_len(one_line(run.about.agent)) for run in runs), _WIDEST_AGENT)
    places = {_place(run) for run in runs}
    width = min(max(map(cell_len, places)), _WIDEST_PLACE) if len(places) > 1 else 0
    costs = max(len(cost_of(run)) for run in runs)
    for number, (day, group) in enumerate(groupby(runs, lambda run: _day(run, today))):
        members = list(group)
        if number:
            paper.line()
        whole = [*members, *(run for run in left_out if _day(run, today) == day)]
        about = "  ".join(filter(None, (count(len(whole), "run"), cost_of_all(whole), unread_of(whole))))
        paper.line((day, "bold"), (f"  {about}", "dim"))
        for run in members:
            glyph, style = _GLYPHS.get(run.phase, _UNKNOWN)
            paper.line(
                (glyph, style),
                f" {run.run_id[:_ID]}  ",
                (time_text(run.about.last_at, "%H:%M"), "dim"),
                "  " + pad(cut(one_line(run.about.agent), agents), agents),
                (f"  {cost_of(run):>{costs}}" if costs else "", "dim"),
                ("  " + pad(cut(_place(run), width), width) if width else "", "dim"),
                "  ",
                ("".join(f"#{one_line(tag)} " for tag in run.tags), "blue"),
                cut(run.heading, WIDEST_TITLE),
                (f"  {one_line(run.about.problem)}" if run.about.problem else "", "red"),
            )
    if total > len(runs):
        paper.line()
        paper.line((f"{total - len(runs):,} more: --limit 0 lists all, filters choose among them.", "dim"))


def print_run(run: ListedRun, turns: Sequence[Turn], files: FilesOfRun) -> None:
    """What a run was, and its turns in short."""
    paper, about = _paper(), run.about
    glyph, style = _GLYPHS.get(run.phase, _UNKNOWN)
    paper.line((glyph, style), " ", (run.heading, "bold"))
    tokens = about.input_tokens + about.output_tokens + about.cache_read_tokens + about.cache_write_tokens
    took = clock(run.duration())
    known = [NOT_READ] if run.is_unread else [took, count(about.turns, "turn")]
    figures = [*([] if run.is_unread else [run.phase]), time_text(about.started_at, "%Y-%m-%d %H:%M"), *known]
    figures += [f"{tokens:,} tokens"] * bool(tokens) + [cost_of(run)] * bool(cost_of(run))
    paper.line(("  " + " · ".join(figures), "dim"))
    paper.line()
    branch = f" ({one_line(about.branch)})" if about.branch else ""
    rows = {
        "run": run.run_id,
        "agent": one_line(about.agent),
        "model": " on ".join(filter(None, (one_line(about.model), one_line(about.engine)))),
        "folder": display_path(about.folder) + branch if about.folder else "",
        "forked": forked_words(about.forked_from, about.forked_turn) if about.forked_from else "",
        "tags": " ".join(f"#{one_line(tag)}" for tag in run.tags),
        "files": ", ".join(_shown_files(files)),
        "events": f"{about.events:,}",
        "stopped": one_line(about.cut),
        "problem": one_line(about.problem),
    }
    for label, value in rows.items():
        if value:
            paper.line((pad(label, _LABEL), "dim"), value)
    for turn in turns:
        paper.line()
        _print_turn(paper, turn, run.phase if turn is turns[-1] and run.phase in _AT_WORK else "interrupted")
    for prompt in run.waiting:
        paper.line()
        paper.line("     ", (one_line(prompt), "bold"))
        words = "queued" if run.is_live else "never sent: it waits until the run goes on"
        paper.line("     ", (f"{_GLYPHS['ended'][0]} {words}", "dim"))


def _shown_files(files: FilesOfRun) -> Iterator[str]:
    yield from (one_line(path) for path in files.paths[:_MOST_FILES])
    if (more := len(files.paths) - _MOST_FILES) > 0:
        yield f"{more:,} more: maverick runs diff --stat"
    if files.more:
        yield f"and {count(files.more, 'more file')} by commands"


def _print_turn(paper: Paper, turn: Turn, not_ended: str) -> None:
    """A turn; `not_ended` is what one is that has come to no end."""
    glyph, style = _GLYPHS.get(turn.outcome or not_ended, _UNKNOWN)
    nobody = "(the agent's own prompt)" if turn.origin == "person" else "(by itself)"
    paper.line((f"{turn.turn:>3}  ", "dim"), (one_line(turn.prompt) or nobody, "bold"))
    facts = [turn.outcome or _AT_WORK.get(not_ended, "broke off"), *([count(turn.calls, "call")] if turn.calls else [])]
    if turn.ended_at is not None:
        facts.insert(1, clock(turn.ended_at - turn.started_at))
    facts += [] if turn.cost_usd is None else [f"{'~' if turn.is_estimate else ''}{dollars(turn.cost_usd)}"]
    paper.line("     ", (glyph, style), (f" {time_text(turn.started_at, '%H:%M')}  {' · '.join(facts)}", "dim"))
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
        glyph, style = _GLYPHS.get(run.phase, _UNKNOWN)
        head = f" {run_id[:_ID]}  {time_text(run.about.last_at, '%Y-%m-%d %H:%M')}  {one_line(run.about.agent)}  "
        paper.line((glyph, style), (head, "dim"), (one_line(run.title), "bold"))
        for hit in places:
            place = f"turn {hit.turn}" if hit.turn is not None else "before"
            head = f"  {place:<8} {hit.kind:<8} "
            parts = enumerate(hit.fitting(paper.width - len(head)))
            paper.line((head, "dim"), *((part, "yellow", "bold") if index % 2 else part for index, part in parts))


def _paper() -> Paper:
    return Paper(sys.stdout, terminal_width())


def _place(run: ListedRun) -> str:
    return one_line(PurePath(run.about.repository or run.about.folder).name)


def _day(run: ListedRun, today: datetime) -> str:
    return "Live" if run.is_live else day_name(run.about.last_at, today.date())
