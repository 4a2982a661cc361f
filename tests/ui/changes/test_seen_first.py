"""What is asked about changes is done only once all of it has been on the screen: what git runs, and every path."""

from __future__ import annotations

import asyncio

from maverick_tui.review.commit_preview import Preview, Whole
from maverick_tui.review.kinds import START, ChangedFile
from maverick_tui.snapshots.planning import Step
from maverick_tui.ui.changes.committing import CommitScreen, CommitWanted
from maverick_tui.ui.changes.undo_preview import Agreed, UndoScreen, Way
from maverick_tui.ui.widgets.prompt import Prompt
from tests.ui.changes.looking import SHOWN, is_seen
from tests.ui.dialogs.host import PENDING, asked
from tests.ui.waiting import until

LONG = f"filter.{'safe ' * 200}.clean"
RUNS = (LONG, ".git/hooks/pre-commit", "filter.evil.clean", "gpg.program", "hook.all.command")
WHY = CommitWanted("commit", "Why")


def dialog(files: int, *runs: str, message: str = "Why") -> CommitScreen:
    changed = [ChangedFile(f"shop/{at:02}.py", "changed", added=1) for at in range(files)]
    return CommitScreen(changed, {}, Preview({one.path: Whole(1) for one in changed}, runs, SHOWN), message)


async def test_all_that_git_runs_is_read_before_a_commit_and_no_name_hides_another() -> None:
    async with asked(dialog(8, *RUNS)) as (app, pilot):
        await until(pilot, lambda: "• filter.safe" in app.text, "the first ones")
        for words in ("Commit 8 files", "safe .clean", "• .git/hooks/pre-commit", "• filter.evil.clean", "▌ Why"):
            app.find(words)
        assert "gpg.program" not in app.text
        await pilot.press("enter")
        assert app.answer is PENDING
        assert app.screen.query_one(Prompt).text == "Why", "it stays"
        await until(pilot, lambda: is_seen(app), "the others were brought into view")
        app.find("• gpg.program")
        app.find("• hook.all.command")
        await pilot.press("enter")
        assert app.answer == WHY


async def test_a_change_of_mode_stands_beside_the_lines_that_have_changed() -> None:
    changed = [ChangedFile("run.sh", "changed", added=1)]
    whole = Whole(1, 0, unshown=2, mode="no longer executable")
    async with asked(CommitScreen(changed, {}, Preview({"run.sh": whole}, (), SHOWN), "Why"), (60, 24)) as (app, pilot):
        await until(pilot, lambda: "+1" in app.text, "its row")
        for words in ("M run.sh  no longer executable  with 2 lines", "not shown here  +1"):
            app.find(words)


async def test_what_has_room_is_committed_at_once() -> None:
    async with asked(dialog(8, *RUNS[:2])) as (app, pilot):
        await until(pilot, lambda: is_seen(app), "all of it")
        await pilot.press("enter")
        assert app.answer == WHY


async def test_in_a_low_window_what_git_runs_is_read_page_by_page_and_the_message_is_seen_as_it_is_typed() -> None:
    async with asked(dialog(8, *RUNS, message=""), (60, 12)) as (app, pilot):
        await until(pilot, lambda: "Commit 8 files" in app.text, "its beginning")
        shown = app.text
        await pilot.press(*"Why")
        await until(pilot, lambda: "▌ Why" in app.text, "what is typed")
        shown += app.text
        await pilot.press("enter")
        assert app.answer is PENDING
        while app.answer is PENDING:
            await pilot.pause()
            shown += app.text
            await pilot.press("enter")
        assert app.answer == WHY
        for words in ("shop/07.py", "• .git/hooks/pre-commit", "• filter.evil.clean", "• hook.all.command"):
            assert words in shown


async def test_in_another_size_what_git_runs_is_to_be_seen_anew() -> None:
    async with asked(dialog(8, *RUNS[:3]), (80, 50)) as (app, pilot):
        await until(pilot, lambda: is_seen(app), "all of it")
        await pilot.resize_terminal(60, 10)
        await until(pilot, lambda: app.screen.size.height == 10, "in a low window")
        await pilot.press("enter")
        assert app.answer is PENDING


async def test_nothing_is_taken_back_before_every_path_was_seen() -> None:
    steps = [Step(f"shop/{at:02}.py", "delete") for at in range(40)]

    async def plan(_way: Way) -> list[Step]:
        return steps

    way = Way("the whole run", START)
    async with asked(UndoScreen([way], plan, is_at_work=False)) as (app, pilot):
        await until(pilot, lambda: "shop/13.py" in app.text, "the first of them")
        await pilot.press("y")
        assert app.answer is PENDING
        while not is_seen(app):
            await pilot.press("pagedown")
            await pilot.pause()
        await pilot.press("y")
        assert app.answer == Agreed(way, steps)


async def test_what_is_typed_before_the_plan_came_takes_nothing_back() -> None:
    is_made, way, steps = asyncio.Event(), Way("the whole run", START), [Step("shop/cart.py", "delete")]

    async def plan(_way: Way) -> list[Step]:
        await is_made.wait()
        return steps

    undo = UndoScreen([way], plan, is_at_work=False)
    async with asked(undo) as (app, pilot):
        await until(pilot, lambda: undo.is_armed, "nothing is typed")
        undo.armed_after = 60
        is_made.set()
        await until(pilot, lambda: "shop/cart.py" in app.text, "the plan")
        await pilot.press("y")
        assert app.answer is PENDING


FAR = f"src/{'d' * 50}/{'e' * 50}"


async def test_rows_of_an_undo_say_which_paths_however_long_those_are() -> None:
    steps = [Step(f"{FAR}/{at:02}.txt", "delete") for at in range(12)]

    async def plan(_way: Way) -> list[Step]:
        return steps

    async with asked(UndoScreen([Way("the whole run", START)], plan, is_at_work=False)) as (app, pilot):
        await until(pilot, lambda: "00.txt" in app.text, "the first of them")
        shown = app.text
        while not is_seen(app):
            await pilot.press("pagedown")
            await pilot.pause()
            shown += app.text
        assert [step.path for step in steps if step.path[-7:] not in shown] == []


async def test_rows_of_a_commit_say_which_paths_however_long_those_are() -> None:
    changed = [ChangedFile(f"{FAR}/{at}.py", "changed", added=1) for at in "ab"]
    screen = CommitScreen(changed, {}, Preview({one.path: Whole(1) for one in changed}, (), SHOWN), "Why")
    async with asked(screen) as (app, pilot):
        await until(pilot, lambda: is_seen(app), "all of it")
        for name in ("/a.py", "/b.py"):
            app.find(name)
