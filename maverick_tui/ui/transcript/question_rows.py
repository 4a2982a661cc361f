"""What stands below the line of a call that waits for a person: all of the call, why it asks, and which keys answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from rich.cells import cell_len, set_cell_size
from rich.style import Style

from maverick_tui.events.marks import OUTSIDE
from maverick_tui.inert import whole_line
from maverick_tui.runs.entries import ToolEntry
from maverick_tui.runs.own_questions import is_own
from maverick_tui.ui.open_questions import SCOPES, by_scope, is_wanted_twice
from maverick_tui.ui.rendering.markdown import Renderer
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.rendering.wrap import Styled, cut
from maverick_tui.ui.transcript import tool_rows
from maverick_tui.ui.transcript.layout import Look, RowLayout, choice_lines

_ANSWERS = {
    "": {"allow_once": "once", "deny": "deny", "deny_reason": "deny with a reason", "edit_call": "change it first"},
    "AskUserQuestion": {"deny": "do not answer"},
    "ExitPlanMode": {"allow_once": "go ahead", "deny": "no", "deny_reason": "no, and what to change"},
}
_OWN = {"deny": "stop"}
"""What the run itself asks, at its fuse."""
_LONGEST_SCOPE = 44
_NARROWEST_CHOICES = 30
"""Columns below which what stands before the choices has a row of its own."""


_MOST_PARTS, _LONGEST_PART = 6, 40
"""Marked parts that are told of below the call, and the columns of one: the call itself is shown above."""
_MOST_BLANK = 2
"""Blank rows that code has between its parts."""
_BRAILLE_BLANK = "\u2800"


def rows(entry: ToolEntry, layout: RowLayout) -> list[Row]:
    """The rows of a question: none of them is left out, for its keys act once they have all been seen."""
    p, question = layout.look.palette, entry.question
    assert question is not None
    renderer = layout.renderer(entry.depth, marked=True)
    choice = layout.look.choice if entry.number == layout.look.asking else None
    body = [*tool_rows.place(entry, renderer, p), *tool_rows.call(entry, renderer, p, choice)]
    told = _without_blank_runs(body, renderer)
    told += _legend(entry, renderer)
    told += renderer.plain(whole_line(question.reason), p.warning) if question.reason else []
    if question.tool == "AskUserQuestion":
        told += renderer.plain(_how_to_answer(entry, layout.look), p.strong)
    mark, style = _mark(entry, layout.look)
    out = layout.dress(told, None, mark, style, depth=entry.depth)
    answers = _OWN if is_own(question.call) else _ANSWERS.get(question.tool, _ANSWERS[""])
    out += _choices(entry, layout, answers)
    scopes = {action: _scope(action, question.grants[place]) for action, place in by_scope(question.grants).items()}
    out += _choices(entry, layout, scopes, "for this run  ") if scopes else []
    return out + (_choices(entry, layout, {"allow_always": "by a rule"}, "always        ") if question.rules else [])


def _legend(entry: ToolEntry, renderer: Renderer) -> list[Row]:
    """What is marked in the call, by why it is, unless the reason below says so already."""
    p, rows = renderer.palette, list[Row]()
    for why, parts in _reasons(entry).items():
        shown = [(f"{cut(part, _LONGEST_PART)}", p.base + p.overlays["marked"]) for part in parts[:_MOST_PARTS]]
        more = f" and {len(parts) - len(shown)} more" if len(parts) > len(shown) else ""
        spans = [span for part in shown for span in (part, (" ", p.base))]
        rows += renderer.spans([*spans[:-1], (f"{more}  {why}", p.dim)])
    return rows


def _reasons(entry: ToolEntry) -> dict[str, list[str]]:
    """The marked parts by the reason for which they are, each of them once."""
    told = entry.question.reason if entry.question is not None else ""
    found: dict[str, list[str]] = {}
    for mark in tool_rows.marks(entry):
        is_told = mark.why in told or (mark.why == OUTSIDE and f"{mark.text} is outside of" in told)
        part = whole_line(mark.text)
        if not is_told and part not in (parts := found.setdefault(whole_line(mark.why), [])):
            parts.append(part)
    return found


def _mark(entry: ToolEntry, look: Look) -> tuple[str, Style]:
    """What stands beside all of the question that keys answer, and beside no other."""
    return ("┃ ", look.palette.warning) if entry.number == look.asking else ("  ", look.palette.base)


def _scope(action: str, text: str) -> str:
    """What is allowed, in full; the exact call is shown above anyway."""
    shown = whole_line(text)
    if action != SCOPES[0]:
        return shown
    return shown if cell_len(shown) <= _LONGEST_SCOPE else f"{set_cell_size(shown, _LONGEST_SCOPE - 1)}…"


def _how_to_answer(entry: ToolEntry, look: Look) -> str:
    choice = look.choice
    if entry.number != look.asking or choice is None or choice.is_complete:
        return "Answer the question before it first."
    key = look.keys.get("prompt.send", "Enter")
    if entry.question is not None and is_own(entry.question.call):
        return f"Click an option, or type its number, or +5 for 5 more; then {key}."
    if choice.parts[choice.at].takes_several:
        return f"Click the options or type their numbers (1, 2), or your own words; then press {key}."
    return f"Click an option, or type its number or your own words and press {key}."


def _key(action: str, tool: str, look: Look) -> str:
    """The key, and how often it is to be pressed."""
    key = look.keys.get(f"approval.{action}", "?")
    return f"{key} twice" if is_wanted_twice(action, tool) else key


def _choices(entry: ToolEntry, layout: RowLayout, answers: Mapping[str, str], before: str = "") -> list[Row]:
    """Keys and what they do, each a click away; those of questions that are not the first have no key."""
    look = layout.look
    p, is_first = look.palette, entry.number == look.asking
    choices = (
        (f"answer('{action}', {entry.number})", _key(action, entry.name, look) if is_first else "•", words)
        for action, words in answers.items()
    )
    room = look.width - look.gutter - 2 * entry.depth - 2
    above: list[list[Styled]] = []
    if room - len(before) < _NARROWEST_CHOICES and before:
        above, before = [[(before.rstrip(), p.dim)]], ""
    lines = choice_lines(choices, room - len(before), p.accent, p.base)
    leads = [before, *(" " * len(before) for _ in lines[1:])]
    below = [[(lead, p.dim), *spans] for lead, spans in zip(leads, lines, strict=True)]
    return [layout.line([_mark(entry, look), *spans], [], depth=entry.depth) for spans in [*above, *below]]


def _without_blank_runs(rows: Sequence[Row], renderer: Renderer) -> list[Row]:
    """The rows, but of a long run of blank ones only their number: it must not push the rest off the screen."""
    out: list[Row] = []
    for sign, group in groupby(rows, _blank):
        run = list(group)
        if sign is None or len(run) <= _MOST_BLANK:
            out += run
        else:
            word = "rows" if any(row.continues for row in run) else "lines"
            out += renderer.plain(f"{sign}⋯ {len(run):,} blank {word}", renderer.palette.warning)
    return out


def _blank(row: Row) -> str | None:
    """None if there is something on it; else its sign in a diff, for lines that come and lines that go differ."""
    if row.copied().replace(_BRAILLE_BLANK, "").strip():
        return None
    sign = row.text[row.gutter : row.indent].strip()[-1:]
    return f"{sign} " if sign in ("+", "-") else ""
