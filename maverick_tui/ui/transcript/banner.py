"""The banner of a failure: what failed, why, and what one key does about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from maverick_tui.inert import one_line
from maverick_tui.runs.entries import FailureEntry
from maverick_tui.runs.failure_words import title
from maverick_tui.runs.failures import RAW
from maverick_tui.runs.moments import moment, until
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.wrap import Styled, clean, wrap_words
from maverick_tui.ui.transcript.layout import Look, choice_lines, line_row

if TYPE_CHECKING:
    from maverick_tui.events.kinds import Failure

_ACTIONS = (
    ("continue", "continue from here"),
    ("retry", "retry the prompt"),
    ("wait", ""),
    ("copy", "copy"),
    ("details", "details"),
)


def body(failure: Failure, now: float, details_key: str = "", due: float | None = None) -> list[str]:
    """Why it failed, and what to do next; with the key that shows what is only told of here.

    `due` is when the run goes on by itself.
    """
    hint = "" if due is not None or _has_reset(failure, now) else failure.hint
    if details_key and failure.raw_response:
        hint = hint.replace(RAW, f"{RAW} ({details_key})")
    cause = failure.causes[0].partition(": ")[2] if failure.causes else ""
    if failure.error == "StreamingError" and cause:  # how much came stands in the title already
        hint = hint.removesuffix("What came before is kept.")
        lines = [f"{cause} Nothing above is lost.", _next_time(failure, now, due), hint]
        return [one_line(line) for line in lines if line.strip()]
    lines = [failure.message]
    if failure.causes and not failure.message.rstrip(".").endswith(failure.causes[0].partition(": ")[2].rstrip(".")):
        lines.append(failure.causes[0].partition(": ")[2] or failure.causes[0])
    lines.append(_next_time(failure, now, due))
    if failure.error == "StreamingError":
        lines.append("Nothing above is lost.")
    lines.append(hint)
    return [one_line(line) for line in lines if line.strip()]


def _has_reset(failure: Failure, now: float) -> bool:
    """Whether the time is over that had to be waited for."""
    return failure.retry_at is not None and failure.retry_at <= now


def _next_time(failure: Failure, now: float, due: float | None) -> str:
    """When it can go on, or does."""
    if due is not None:
        return f"It goes on by itself at {moment(due, now)}."
    if failure.retry_at is None:
        return ""
    if _has_reset(failure, now):
        return f"It should have reset at {moment(failure.retry_at, now)}. Try again."
    return f"Wait {until(failure.retry_at, now)}, then try again."


def rows(entry: FailureEntry, look: Look, now: float) -> list[Row]:
    """The banner in a frame; its keys only while they act."""
    p = look.palette
    frame, base = p.error, p.base
    left = min(look.gutter, max(0, look.width - 40))
    width = look.width - left - 1
    lead: list[Styled] = [(" " * left, base)] if left else []
    heading = f" ✘ {title(entry.failure, entry.characters)} "
    heading = heading[: max(0, width - 2)]
    rest = "─" * (width - 2 - len(heading))
    out = [_framed(lead, [("╭", frame), (heading, frame + Style(bold=True)), (f"{rest}╮", frame)], heading, look)]
    details_key = look.keys.get("banner.details", "") if entry.is_current else ""
    then, due = (now, entry.due) if entry.is_current else (entry.at, None)
    for text in body(entry.failure, then, details_key, due):
        lines = wrap_words(clean(text), max(8, width - 4))
        out += [_inside(lead, [(line, base)], width, look, continues=bool(at)) for at, line in enumerate(lines)]
    if entry.is_current:
        choices = choice_lines(_actions(entry, look, now), max(4, width - 4), p.accent, base)
        out += [_inside(lead, spans, width, look) for spans in choices]
    out.append(_framed(lead, [("╰", frame), ("─" * (width - 2), frame), ("╯", frame)], "", look))
    return out


def _actions(entry: FailureEntry, look: Look, now: float) -> Iterator[tuple[str, str, str]]:
    """What can be done about it, its key, and its words."""
    for action, words in _ACTIONS:
        if action == "continue" and entry.failure.error != "StreamingError":
            continue
        if action == "wait" and not entry.may_wait(now):
            continue
        if not (key := look.keys.get(f"banner.{action}", "?")):  # the run cannot go on
            continue
        does = "connect again" if action == "retry" and not entry.turn else words or _waiting(entry, now)
        yield f"screen.banner_{action}", key, does
    if not entry.turn:  # perhaps it never runs: there is a way to one that does
        yield "app.new_run", look.keys.get("run.new", "?"), "another agent"


def _waiting(entry: FailureEntry, now: float) -> str:
    """What the key does that lets the run go on by itself, or not."""
    if entry.due is not None:
        return "cancel that"
    assert entry.failure.retry_at is not None
    return f"go on by itself at {moment(entry.failure.retry_at, now)}"


def _inside(lead: list[Styled], spans: list[Styled], width: int, look: Look, *, continues: bool = False) -> Row:
    p = look.palette
    text = "".join(text for text, _ in spans)
    inner = line_row([], spans, [], max(4, width - 4), p.base)
    segments = [Segment(text, style) for text, style in lead]
    segments += [Segment("│ ", p.error), *inner, Segment(" │", p.error)]
    return _filled(segments, lead, text, look, continues=continues)


def _framed(lead: list[Styled], spans: list[Styled], text: str, look: Look) -> Row:
    return _filled([Segment(text, style) for text, style in (*lead, *spans)], lead, text, look)


def _filled(segments: list[Segment], lead: list[Styled], text: str, look: Look, *, continues: bool = False) -> Row:
    """A row of the banner, of which only the text is copied: it stands behind the frame, or in it behind its corner."""
    indent = sum(cell_len(one) for one, _ in lead) + 1 + (1 if text else 0)
    end = min(indent + cell_len(text.strip()), look.width)
    filled = Segment.adjust_line_length(segments, look.width, look.palette.base)
    return Row(filled, look.width, indent=min(indent, end), text_end=end, continues=continues, glue=" " * continues)
