"""What a run would lose if it were closed: then the person is asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from maverick_tui.ui.board import RunModel
    from maverick_tui.ui.dialogs.confirm import ConfirmScreen


def before_closing(run: RunModel, draft: str, *, is_at_work: bool) -> ConfirmScreen | None:
    """The question whether to close a run that has `draft` in its prompt; None if nothing would be missed."""
    is_answered = any(entry.kind in ("text", "tool") for entry in run.store.entries)
    has_draft = bool(draft.strip()) and draft != run.suggestion
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
