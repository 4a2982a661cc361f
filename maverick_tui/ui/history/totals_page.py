"""The totals as a page: sums of the last days, a bar for each day, and the shares of agents and models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from itertools import zip_longest

from rich.cells import cell_len

from maverick_tui.history.totals import Figures, Totals
from maverick_tui.inert import one_line
from maverick_tui.runs.figures import dollars
from maverick_tui.ui.history.charts import lying, standing
from maverick_tui.ui.history.rows import counted
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import pad
from maverick_tui.ui.short_names import short_model

MEASURES = ("cost", "tokens", "runs")
_LEAST_DAYS, _MOST_DAYS = 30, 60
_WIDEST_STEP = 4
_LEAST_HEIGHT, _MOST_HEIGHT = 4, 12
_OTHER_LINES = 13
"""Lines of the page beside the bars, with a few agents and models."""
_SIDE_BY_SIDE = 64
"""Columns from which agents and models stand side by side."""
_WIDEST_NAME, _SHARE = 16, 5
_MOST_ROWS = 12
_OTHERS = "all others"


def totals_lines(totals: Totals, measure: str, today: date, width: int, height: int) -> list[Line]:
    """The page for a width, with bars as high as fit."""
    parts = _side_by_side if width >= _SIDE_BY_SIDE else _one_above_the_other
    lines = [_sums(totals, measure, today, width), ()]
    lines += _days(totals, measure, today, width, min(max(height - _OTHER_LINES, _LEAST_HEIGHT), _MOST_HEIGHT))
    return [*lines, (), *parts(totals, measure, width)]


def measured(totals: Totals, measure: str) -> str:
    """What there is to be added up: where nothing has cost anything, tokens are told instead."""
    return "tokens" if measure == "cost" and not totals.whole.cost_usd else measure


def _of(figures: Figures, measure: str) -> float:
    return {"cost": figures.cost_usd, "tokens": figures.tokens, "runs": figures.runs}[measure]


def _shown(value: float, measure: str) -> str:
    if measure == "cost":
        return dollars(value)
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if value >= size:
            scaled = value / (1e3 if letter == "k" else size)
            return f"{scaled:.{0 if scaled >= 100 else 1}f} {letter}"
    return f"{value:,.0f}"


def _told(figures: Figures, measure: str) -> str:
    """A figure, with a tilde before dollars that are an estimate."""
    sign = "~" if measure == "cost" and figures.is_estimate else ""
    return f"{sign}{_shown(_of(figures, measure), measure)}"


def _sums(totals: Totals, measure: str, today: date, width: int) -> Line:
    """What was used today, in the last week and month, and ever."""

    def since(days: int) -> Figures:
        first = today - timedelta(days=days - 1)
        return Figures.sum_of(figures for day, figures in totals.days.items() if day >= first)

    parts = {"all": totals.whole, "today": since(1), "7 days": since(7), "30 days": since(30)}
    if measure == "runs":  # one that was at work on several days is one run
        parts = {"all": totals.whole, "today": since(1)}
    sums = {name: f"{name} {_told(figures, measure)}   " for name, figures in parts.items()}
    while len(sums) > 1 and sum(map(len, sums.values())) > width:
        sums.popitem()
    line = [span for name, text in sums.items() for span in _sum(name, text)]
    rest = [counted(totals.whole.runs, "run")] if measure != "runs" else []
    rest += [f"{_shown(totals.whole.tokens, 'tokens')} tokens"] if measure != "tokens" else []
    about = " · ".join(rest)
    used = sum(cell_len(text) for text, _ in line)
    return (*line, (about, "muted")) if used + cell_len(about) <= width else tuple(line)


def _sum(name: str, text: str) -> Line:
    return (name, "muted"), (text.removeprefix(name), "strong")


def _days(totals: Totals, measure: str, today: date, width: int, height: int) -> list[Line]:
    """A bar for each of the last days, today's at the right."""
    first = min(totals.days, default=today)
    most = max((_of(figures, measure) for figures in totals.days.values()), default=0.0)
    axis = max(cell_len(_shown(value, measure)) for value in (most, most / 2))
    room = max(width - axis - 2, 2)
    count = min(max((today - first).days + 1, _LEAST_DAYS), _MOST_DAYS, room // 2)
    step = min(room // count, _WIDEST_STEP)
    days = [today - timedelta(days=count - 1 - at) for at in range(count)]
    values = [_of(totals.days.get(day, Figures()), measure) for day in days]
    most = max(values, default=0.0)
    lines: list[Line] = []
    for level, row in enumerate(standing(values, most, height)):
        label = most if level == 0 else most / 2 if level == height // 2 else None
        mark = f"{'' if label is None or not most else _shown(label, measure):>{axis}} "
        bars = "".join(block * (step - 1) + " " for block in row)
        lines.append(((mark, "muted"), ("┤" if mark.strip() else "│", "faint"), (bars, "accent")))
    lines.append(((" " * (axis + 1), "muted"), (f"└{'─' * (count * step)}", "faint")))
    lines.append(((" " * (axis + 2), "muted"), (_day_labels(days, step), "muted")))
    return lines


def _day_labels(days: list[date], step: int) -> str:
    """The last day, and as many Mondays as there is room for."""
    width = len(days) * step
    text = [" "] * width
    last = "today"
    text[width - len(last) :] = last
    for at, day in enumerate(days):
        label = f"{day.day} {day:%b}"
        start = at * step
        is_free = not "".join(text[max(start - 2, 0) : start + len(label) + 2]).strip()
        if day.weekday() == 0 and is_free and start + len(label) < width - len(last):
            text[start : start + len(label)] = label
    return "".join(text)


def _side_by_side(totals: Totals, measure: str, width: int) -> list[Line]:
    half = (width - 3) // 2
    left, right = _agents(totals, measure, half), _models(totals, measure, half)
    return [
        (*(line or ()), (" " * (half + 3 - sum(cell_len(text) for text, _ in line or ())), "text"), *(other or ()))
        for line, other in zip_longest(left, right)
    ]


def _one_above_the_other(totals: Totals, measure: str, width: int) -> list[Line]:
    return [*_agents(totals, measure, width), (), *_models(totals, measure, width)]


def _agents(totals: Totals, measure: str, width: int) -> list[Line]:
    return _shares("AGENTS", totals.agents, one_line, measure, width)


def _models(totals: Totals, measure: str, width: int) -> list[Line]:
    return _shares("MODELS", totals.models, lambda model: short_model(model) or "unknown", measure, width)


def _shares(
    title: str, figures: Mapping[str, Figures], name: Callable[[str], str], measure: str, width: int
) -> list[Line]:
    """A heading, and a bar for each, the longest first; those of one name are one."""
    parts: dict[str, Figures] = {}
    for key, one in figures.items():
        parts[name(key)] = Figures.sum_of([parts.get(name(key), Figures()), one])
    ranked = sorted(parts.items(), key=lambda item: (-_of(item[1], measure), item[0]))
    if len(ranked) > _MOST_ROWS:
        rest = Figures.sum_of(part for _, part in ranked[_MOST_ROWS - 1 :])
        ranked = [*ranked[: _MOST_ROWS - 1], (_OTHERS, rest)]
    values = [_of(part, measure) for part in parts.values()]
    most, whole = max(values, default=0.0), sum(values)
    shown = {label: _told(part, measure) for label, part in ranked}
    names = min(max(map(cell_len, shown), default=0), _WIDEST_NAME)
    figures_width = max(map(len, shown.values()), default=0)
    room = max(width - names - figures_width - _SHARE - 2, 4)
    lines: list[Line] = [((title, "caption"),)]
    for label, part in ranked:
        value = _of(part, measure)
        share = f"{value / whole:>{_SHARE}.0%}" if whole else ""
        bar = pad(lying(value, most, room), room)
        figure = f" {shown[label]:>{figures_width}}"
        lines.append(((f"{pad(label, names)} ", "text"), (bar, "accent"), (figure, "strong"), (share, "muted")))
    return lines
