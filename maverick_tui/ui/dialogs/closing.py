"""What would be lost if a run were closed, or the application left: then the person is asked first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from maverick_tui.inert import one_line
from maverick_tui.runs.entries import PromptEntry
from maverick_tui.ui.lines.wrapping import cut

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel
    from maverick_tui.ui.dialogs.confirm import ConfirmScreen

_QUOTED = 40
"""Columns of a quotation, enough to recognize the text."""
_MOST = 3


def before_closing(run: RunModel, draft: str, *, is_at_work: bool) -> ConfirmScreen | None:
    """The question whether to close a run that has `draft` in its prompt; None if nothing would be missed."""
    is_answered = any(entry.kind in ("text", "tool") for entry in run.store.entries)
    has_draft = _is_typed(run, draft)
    if not (is_at_work or is_answered or has_draft):
        return None
    from maverick_tui.ui.dialogs.confirm import ConfirmScreen

    lost = [
        *(["Closing interrupts it, and drops what is queued."] if is_at_work else []),
        *(["What is on its screen goes with it."] if is_at_work or is_answered else []),
        *(["What you have typed and not sent is lost."] if has_draft else []),
    ]
    title = f"Close {run.title} while it is at work?" if is_at_work else f"Close {run.title}?"
    return ConfirmScreen(title, " ".join(lost), yes="Close", no="Keep")


def before_quitting(drafts: Mapping[RunModel, str]) -> ConfirmScreen | None:
    """The question whether to leave all runs, each with what stands in its prompt; None if nothing would be missed."""
    busy = [run for run in drafts if run.is_busy]
    unsent = [
        *(f"{_quoted(text)} ({run.title}, queued)" for run in drafts for text in run.store.queue.values()),
        *(f"{_quoted(draft)} ({run.title}, typed)" for run, draft in drafts.items() if _is_typed(run, draft)),
    ]
    if not busy and not unsent:
        return None
    from maverick_tui.ui.dialogs.confirm import ConfirmScreen

    lost = []
    if busy:
        names = ", ".join(run.title for run in busy)
        lost.append(
            f"{names} {'is' if len(busy) == 1 else 'are'} still running. Quitting interrupts, and what is on the "
            "screen is lost; what Claude Code keeps in its own session files stays there."
        )
    if unsent:
        more = [f"and {len(unsent) - _MOST} more"] if len(unsent) > _MOST else []
        lost.append("\n".join(["Not sent, and lost:", *unsent[:_MOST], *more]))
    title = "Quit while an agent is at work?" if busy else "Quit without sending this?"
    return ConfirmScreen(title, "\n\n".join(lost), yes="Quit", no="Stay")


def _is_typed(run: RunModel, draft: str) -> bool:
    """Whether it would be lost: we did not put it there, and it is not a prompt of the run brought back."""
    sent = (entry.text for entry in run.store.entries if isinstance(entry, PromptEntry))
    return bool(draft.strip()) and draft != run.suggestion and draft.strip() not in map(str.strip, sent)


def _quoted(text: str) -> str:
    return f'"{cut(one_line(text), _QUOTED)}"'
