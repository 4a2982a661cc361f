"""What a race shows, as lines: a row for each of those that race, and the answer or the diff of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from maverick_tui.inert import inert, one_line
from maverick_tui.masking.redact import redact
from maverick_tui.runs.figures import dollars
from maverick_tui.runs.status import clock
from maverick_tui.ui.lines import Line
from maverick_tui.ui.rendering.wrap import TAB, cut, pad, wrap_words

if TYPE_CHECKING:
    from maverick_tui.host.racing import Entrant, Result

_SIGNS = {
    "done": ("✔", "success"),
    "working": ("●", "accent"),
    "asks": ("⚑", "warning"),
    "queued": ("◌", "muted"),
    "failed": ("✘", "error"),
    "interrupted": ("■", "warning"),
}
_OTHER = ("○", "muted")
_MOST_LINES = 4_000
_HEADS = ("diff ", "index ", "--- ", "+++ ", "new file", "deleted file", "similarity", "rename")
"""What the lines begin with that say which file it is."""


class Lane(NamedTuple):
    """One of those that race, as far as it has come."""

    entrant: Entrant
    phase: str = "starting"
    cost_usd: float | None = None
    seconds: float = 0.0
    result: Result | None = None

    @property
    def word(self) -> str:
        """What it is about: one that has settled is finished once it was committed and tested."""
        if self.result is not None:
            return self.result.word
        return "finishing" if self.phase in ("done", "failed", "interrupted", "ended") else self.phase


def lane_rows(lanes: list[Lane], chosen: int, width: int, *, has_test: bool) -> list[Line]:
    """A row for each of them."""
    cells = [_cells(lane, has_test=has_test) for lane in lanes]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)] if cells else []
    return [
        _row(lane, row, widths, width, is_chosen=at == chosen)
        for at, (lane, row) in enumerate(zip(lanes, cells, strict=True))
    ]


def _row(lane: Lane, cells: list[str], widths: list[int], width: int, *, is_chosen: bool) -> Line:
    sign, role = _SIGNS.get(lane.word, _OTHER)
    label, *facts = (pad(cell, wide) for cell, wide in zip(cells, widths, strict=True))
    text = f" {lane.entrant.number} "
    rest = cut("  " + "  ".join(facts), max(width - len(text) - len(label) - 2, 1))
    if is_chosen:
        row = f"{text}{sign} {label}{rest}"
        return ((pad(cut(row, width), width), "highlight"),)
    return (text, "muted"), (f"{sign} ", role), (label, "strong"), (rest, "muted")


def _cells(lane: Lane, *, has_test: bool) -> list[str]:
    result = lane.result
    cost = result.cost_usd if result is not None else lane.cost_usd
    seconds = result.seconds if result is not None else lane.seconds
    cells = [
        one_line(lane.entrant.label),
        lane.word,
        result.changed.words if result is not None else "",
        dollars(cost) if cost else "",
        clock(seconds),
    ]
    return [*cells, _test(result)] if has_test else cells


def _test(result: Result | None) -> str:
    if result is None or result.test is None:
        return ""
    return "✔ test" if result.test.is_fine else f"✘ test: {result.test.why or f'code {result.test.code}'}"


def lane_text(lane: Lane, width: int, *, shows_diff: bool) -> list[Line]:
    """The answer of one of them, or what it has changed."""
    heading = f"{lane.entrant.number} {one_line(lane.entrant.label)}"
    lines: list[Line] = [((cut(heading, width), "accent"),)]
    result = lane.result
    if result is None:
        words = f"maverick attach {lane.entrant.run_id}" if lane.word == "asks" else "It has not settled yet."
        return [*lines, ((words, "muted"),)]
    if result.problem:
        lines += (((part, "warning"),) for part in wrap_words(one_line(redact(result.problem)), width))
    if shows_diff:
        return [*lines, *_diff(result, width)]
    for line in inert(redact(result.answer)).expandtabs(TAB).split("\n")[:_MOST_LINES]:
        lines += (((part, "text"),) for part in wrap_words(line, width))
    if result.test is not None and not result.test.is_fine and result.test.output.strip():
        lines += [(), (("TEST", "caption"),)]
        for line in result.test.output.strip("\n").expandtabs(TAB).split("\n")[-20:]:
            lines += (((part, "error"),) for part in wrap_words(line, width))
    return lines


def _diff(result: Result, width: int) -> list[Line]:
    if not result.diff.strip():
        return [(("It has changed nothing.", "muted"),)]
    roles = {"+": "success", "-": "error", "@": "accent"}
    lines: list[Line] = []
    told = inert(redact(result.diff)).expandtabs(TAB).rstrip("\n").split("\n")
    for line in told[:_MOST_LINES]:
        is_head = line.startswith(_HEADS)
        lines.append(((cut(line, width), "muted" if is_head else roles.get(line[:1], "text")),))
    if more := result.diff_more + len(told[_MOST_LINES:]):
        words = f"{more:,} more lines: maverick runs diff {result.entrant.run_id}"
        lines += (((part, "warning"),) for part in wrap_words(words, width))
    return lines
