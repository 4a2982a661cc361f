"""At the start: what was being restored when somebody was killed is brought to an end; old snapshots and scratch go,
and processes that nobody has ended.

What an editor has kept that was open then is told, and what was saved of the settings.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textual.app import App

from maverick_tui.inert import inert, one_line
from maverick_tui.threads import in_thread
from maverick_tui.ui.told_work import work_told

TITLE = "Undo"
_EDITOR = "Editor"


def tidy_snapshots(app: App[Any]) -> None:
    """Do it in a thread; what cannot be brought to an end is told."""
    work_told(app, _tidy(app), group="snapshots", title=TITLE)
    work_told(app, _tell_unsaved(app), group="unsaved", title=_EDITOR)


async def _tell_unsaved(app: App[Any]) -> None:
    for text in await in_thread(_left_by_editors):
        app.notify(inert(text), title=_EDITOR, severity="warning", timeout=30, markup=False)


def _left_by_editors() -> list[str]:
    from maverick_tui.settings_left import left_edits
    from maverick_tui.ui.unsaved import left_by_editors

    return [*left_edits(), *left_by_editors()]


async def _tidy(app: App[Any]) -> None:
    for folder, why in (await in_thread(_tidied)).items():
        text = f"What was being restored in {folder} could not be brought to an end: {why}"
        app.notify(one_line(text), title=TITLE, severity="warning", timeout=30, markup=False)
    await in_thread(_end_survivors)


def _end_survivors() -> None:
    from maverick_tui.host.survivors import end_survivors

    end_survivors()


def _tidied() -> dict[Path, str]:
    from maverick_tui.folder_locks import remove_abandoned
    from maverick_tui.paths import user_state

    remove_abandoned()
    if not (user_state() / "snapshots").exists():
        return {}
    from maverick_tui.review.removing import tidy_snapshots

    return tidy_snapshots()
