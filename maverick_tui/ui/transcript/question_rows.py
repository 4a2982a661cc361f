"""What stands below the line of a call that waits for a person: all of it, why it asks, and which keys answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from rich.style import Style

from maverick_tui.inert import one_line, revealed
from maverick_tui.runs.entries import ToolEntry
from maverick_tui.ui.open_questions import SCOPES, by_scope
from maverick_tui.ui.rendering.blank_rows import without_blank_runs
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.transcript import tool_rows
from maverick_tui.ui.transcript.line import Span, choice_lines

if TYPE_CHECKING:
    from maverick_tui.ui.transcript.entry_rows import EntryRows, Look

_ANSWERS = {
    "": {"allow_once": "once", "deny": "deny", "deny_reason": "deny with a reason"},
    "AskUserQuestion": {"deny": "do not answer"},
    "ExitPlanMode": {"allow_once": "go ahead", "deny": "no", "deny_reason": "no, and what to change"},
}
_LONGEST_SCOPE = 44
_NARROWEST_CHOICES = 30
"""Columns below which what stands before the choices has a row of its own."""


def rows(entry: ToolEntry, draw: EntryRows) -> list[Row]:
    """The rows of a question: none of them is left out, for its keys act once they have all been seen."""
    p, question = draw.look.palette, entry.question
    assert question is not None
    renderer = draw.renderer(entry.depth, marked=True)
    choice = draw.look.choice if entry.number == draw.look.asking else None
    body = [*tool_rows.place(entry, renderer, p), *tool_rows.call(entry, renderer, p, choice)]
    told = without_blank_runs(body, renderer)
    told += renderer.plain(one_line(revealed(question.reason)), p.warning) if question.reason else []
    if question.tool == "AskUserQuestion":
        told += renderer.plain(_how_to_answer(entry, draw.look), p.strong)
    mark, style = _mark(entry, draw.look)
    out = draw.dress(told, None, mark, style, depth=entry.depth)
    out += _choices(entry, draw, _ANSWERS.get(question.tool, _ANSWERS[""]))
    scopes = {action: _scope(action, question.grants[place]) for action, place in by_scope(question.grants).items()}
    return out + (_choices(entry, draw, scopes, "for this run  ") if scopes else [])


def _mark(entry: ToolEntry, look: Look) -> tuple[str, Style]:
    """What stands beside all of the question that keys answer, and beside no other."""
    return ("┃ ", look.palette.warning) if entry.number == look.asking else ("  ", look.palette.base)


def _scope(action: str, text: str) -> str:
    """What is allowed, in whole; the very call stands above."""
    shown = one_line(revealed(text))
    if action != SCOPES[0]:
        return shown
    return shown if cell_len(shown) <= _LONGEST_SCOPE else f"{set_cell_size(shown, _LONGEST_SCOPE - 1)}…"


def _how_to_answer(entry: ToolEntry, look: Look) -> str:
    choice = look.choice
    if entry.number != look.asking or choice is None or choice.is_complete:
        return "Answer the question before it first."
    key = look.keys.get("prompt.send", "Enter")
    if choice.parts[choice.at].takes_several:
        return f"Click the options or type their numbers (1, 2), or your own words; then press {key}."
    return f"Click an option, or type its number or your own words and press {key}."


def _choices(entry: ToolEntry, draw: EntryRows, answers: Mapping[str, str], before: str = "") -> list[Row]:
    """Keys and what they do, each a click away; those of questions that are not the first have no key."""
    look = draw.look
    p, is_first = look.palette, entry.number == look.asking
    choices = (
        (f"screen.{action}({entry.number})", look.keys.get(f"approval.{action}", "?") if is_first else "•", words)
        for action, words in answers.items()
    )
    room = look.width - look.gutter - 2 * entry.depth - 2
    above: list[list[Span]] = []
    if room - len(before) < _NARROWEST_CHOICES and before:
        above, before = [[(before.rstrip(), p.dim)]], ""
    lines = choice_lines(choices, room - len(before), p.accent, p.base)
    leads = [before, *(" " * len(before) for _ in lines[1:])]
    below = [[(lead, p.dim), *spans] for lead, spans in zip(leads, lines, strict=True)]
    return [draw.line([_mark(entry, look), *spans], [], depth=entry.depth) for spans in [*above, *below]]
