"""Names and tags of runs, asked for in the history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual.app import App

from maverick_tui.history.labels import Labels, name_run, tag_run
from maverick_tui.history.listed import ListedRun
from maverick_tui.inert import one_line
from maverick_tui.threads import in_thread
from maverick_tui.ui.dialogs.short_questions import NameScreen

if TYPE_CHECKING:
    from maverick_tui.runs.board import RunModel

_LONGEST = 200
"""Characters of all tags together."""


async def ask_name(app: App[Any], run: ListedRun, shown: RunModel | None) -> bool:
    """Ask what a run is to be called; whether it is called otherwise then. One that is open here hears it itself."""
    name = await app.push_screen_wait(NameScreen(one_line(run.name)))
    if name is None or name == run.name:
        return False
    if shown is not None:
        shown.name(name)
    else:
        await in_thread(name_run, run.run_id, name)
    return True


async def ask_tags(app: App[Any], run: ListedRun) -> bool:
    """Ask for the tags of a run; whether it has others then. ConfigError if one cannot be a tag."""
    return await asked_tags(app, run.run_id, run.tags) is not None


async def asked_tags(app: App[Any], run_id: str, tags_now: Sequence[str]) -> Labels | None:
    """Ask for the tags of a run; its labels, if it has others then."""
    now = " ".join(map(one_line, tags_now))
    asked = NameScreen(
        now,
        title="Tags of this run",
        placeholder="words, separated by spaces",
        verb="tag it",
        longest=_LONGEST,
    )
    answer = await app.push_screen_wait(asked)
    if answer is None or answer == now:
        return None
    tags = {tag.strip("#") for tag in answer.replace(",", " ").split()} - {""}
    return await in_thread(tag_run, run_id, tags - {*tags_now}, {*tags_now} - tags)
