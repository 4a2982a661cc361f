"""What stands below a call that waits for a person: why it asks, and what can be answered by which key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from maverick_tui.inert import one_line, revealed
from maverick_tui.runs.entries import ToolEntry
from maverick_tui.ui.rendering.row import Row
from maverick_tui.ui.scopes import by_scope
from maverick_tui.ui.transcript.line import choice_lines

if TYPE_CHECKING:
    from maverick_tui.ui.transcript.entry_rows import EntryRows, Look

_ANSWERS = {
    "": {"allow_once": "once", "deny": "deny", "deny_reason": "deny with a reason"},
    "AskUserQuestion": {"deny": "do not answer"},
    "ExitPlanMode": {"allow_once": "go ahead", "deny": "no", "deny_reason": "no, and what to change"},
}
_LONGEST_SCOPE = 44


def rows(entry: ToolEntry, draw: EntryRows) -> list[Row]:
    """The rows of a question."""
    p, question = draw.look.palette, entry.question
    assert question is not None
    renderer = draw.renderer(entry.depth, marked=True)
    told = renderer.plain(one_line(question.reason), p.warning) if question.reason else []
    if question.tool == "AskUserQuestion":
        told += renderer.plain(_how_to_answer(entry, draw.look), p.strong)
    out = draw.dress(told, None, "  ", depth=entry.depth)
    out += _choices(entry, draw, _ANSWERS.get(question.tool, _ANSWERS[""]))
    scopes = {action: _scope(question.grants[place]) for action, place in by_scope(question.grants).items()}
    return out + (_choices(entry, draw, scopes, "for this run  ") if scopes else [])


def _scope(text: str) -> str:
    shown = one_line(revealed(text))
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
    room = look.width - look.gutter - 2 * entry.depth - 2 - len(before)
    lines = choice_lines(choices, room, p.accent, p.base)
    leads = [before, *(" " * len(before) for _ in lines[1:])]
    return [
        draw.line([("  ", p.base), (lead, p.dim), *spans], [], depth=entry.depth)
        for lead, spans in zip(leads, lines, strict=True)
    ]
