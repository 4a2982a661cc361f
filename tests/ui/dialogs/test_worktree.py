"""What becomes of a worktree, asked in a window that is too low for all of its files."""

from __future__ import annotations

from maverick_tui.ui.dialogs.worktree import Left, WorktreeScreen
from tests.ui.changes.looking import is_seen
from tests.ui.dialogs.host import PENDING, asked
from tests.ui.waiting import until


async def test_all_files_of_a_worktree_have_been_on_the_screen_before_it_is_merged() -> None:
    files = tuple(f"{'long/' * 20}file{number:02}" for number in range(9))
    dialog = WorktreeScreen(Left("smith", "maverick/smith-1", "main", files))
    dialog.armed_after = 0
    async with asked(dialog) as (app, pilot):
        await until(pilot, lambda: dialog.is_armed and "file00" in app.text, "it is drawn")
        shown = app.text
        assert files[-1][-6:] not in shown
        await pilot.press("m")
        assert app.answer is PENDING
        shown += app.text
        while not is_seen(app):
            await pilot.press("pagedown")
            await pilot.pause()
            shown += app.text
        assert [file[-6:] for file in files if file[-6:] not in shown] == []
        await until(pilot, lambda: dialog.is_armed, "it takes an answer")
        await pilot.press("m")
        await until(pilot, lambda: app.answer == "merge", "it is merged")
