"""Comments of several windows on the changes of one run, and what was not said yet when a window went."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Static

from maverick_tui.journal.folders import journal_of
from maverick_tui.review.comments import Comment
from maverick_tui.ui.changes import comments as ui_comments
from maverick_tui.ui.changes import screen as changes_screen
from maverick_tui.ui.changes.comments import Comments, Noted
from maverick_tui.ui.unsent import Unsent
from maverick_tui.ui.widgets.prompt import Prompt
from tests.history.kept import keep_run
from tests.support.sampling import sampled
from tests.ui.changes.looking import at_file, reviewing, screen_of
from tests.ui.changes.told_review import shop
from tests.ui.full_disk import FullDisk
from tests.ui.running import FedApp
from tests.ui.waiting import until

RUN = "7f3a00c0ffee"


async def test_each_of_two_windows_keeps_its_own_comments() -> None:
    folder = keep_run(RUN).parent
    windows = [Unsent() for _ in range(4)]
    first, second, third, fourth = (Comments(RUN, window, print) for window in windows)
    ours, theirs = (
        Noted(Comment("a.py", line, line, ("x = 1",), words), "+", line, "x = 1")
        for line, words in ((1, "ours"), (2, "theirs"))
    )
    for comments, noted in ((first, ours), (second, theirs)):
        await comments.bring_back()
        assert comments.items == [], "what is another's is not sent twice"
        comments.put(noted)
        await comments.keep()
    second.items.clear()
    await second.keep()
    windows[0].let_go()
    await third.bring_back()
    assert third.items == [ours], "neither writing nor sending has taken it away"
    await fourth.bring_back()
    assert fourth.items == [], "it is in one window"
    third.put(theirs)
    await third.keep()
    windows[2].let_go()
    await fourth.bring_back()
    assert fourth.items == [ours, theirs]
    fourth.items.clear()
    await fourth.keep()
    assert [file.name for file in folder.iterdir()] == [journal_of(RUN).name]


@pytest.mark.explore
@pytest.mark.parametrize(("code", "after_typing"), [(129, 60.0), (0, 60.0), (None, 0.01)])
@pytest.mark.parametrize("key", sampled(["c", "x"], 2, ids=["a comment", "a reason"]))
async def test_what_is_being_written_about_changes_when_the_window_goes_is_there_again(
    monkeypatch: pytest.MonkeyPatch, code: int | None, after_typing: float, key: str
) -> None:
    monkeypatch.setattr(changes_screen, "AFTER_TYPING", after_typing)

    def on_disk(run_id: str) -> list[str]:
        lists = [json.loads(file.read_bytes()) for file in journal_of(run_id).parent.glob("comments.*")]
        return [one["text"] for items in lists for one in items]

    async with reviewing(shop(), monkeypatch) as (app, pilot):
        run_id = app.run_model.run_id
        journal_of(run_id).parent.mkdir(parents=True)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("n", key)
        await until(pilot, lambda: app.screen.query(Prompt) and app.screen.is_mounted, "what is to be said")
        await pilot.press(*"half a thou")
        if code is None:  # it is killed
            await until(pilot, lambda: on_disk(run_id) == ["half a thou"], "it is kept meanwhile")
            return
        app._leaving.end_now(code)
        await until(pilot, lambda: app._exit, "it has ended")
    assert on_disk(run_id) == (["half a thou"] if code else []), "whoever quits has agreed that it is lost"

    comments = Comments(run_id, Unsent(), print)
    await comments.bring_back()
    assert list(comments.unsaid.values()) == (["half a thou"] if code else [])


@pytest.mark.explore
@pytest.mark.parametrize("key", ["c", "x"], ids=["a comment", "a reason"])
async def test_what_was_pasted_into_words_that_are_left_is_there_again(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    pasted = "\n".join(f"line {number}" for number in range(60))
    async with reviewing(shop(), monkeypatch) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        comments = screen_of(app).looking.comments
        await pilot.press("n", key)
        await until(pilot, lambda: app.screen.query(Prompt) and app.screen.is_mounted, "what is to be said")
        app.post_message(Paste(pasted))
        await until(pilot, lambda: "pasted" in app.screen.query_one(Prompt).text)
        await until(pilot, lambda: pasted in comments.unsaid.values(), "all of it is kept")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "ChangesScreen" and comments.writing is None)
        assert pasted in comments.unsaid.values()


async def to_comment(app: FedApp, pilot: Pilot[Any]) -> None:
    """Down to the first comment."""
    for _ in range(30):
        if screen_of(app).diff.comment_at is not None:
            return
        await pilot.press("down")
    raise AssertionError("There is none.")


@pytest.mark.explore
async def test_what_is_typed_into_a_comment_that_is_there_is_kept_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with reviewing(shop(), monkeypatch) as (app, pilot):
        run_id = app.run_model.run_id
        journal_of(run_id).parent.mkdir(parents=True)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("c", *"first", "enter", "c", *"a second one", "escape")
        await to_comment(app, pilot)
        await pilot.press("c", *" and more", "escape", "c")
        assert app.screen.query_one(Prompt).text == "first", "whoever leaves it has it as it was"
        await pilot.press(*" and much more")
        app._leaving.end_now(129)
        await until(pilot, lambda: app._exit, "it has ended")

    left = Comments(run_id, Unsent(), print)
    await left.bring_back()
    assert [noted.comment.text for noted in left.items] == ["first"]
    async with reviewing(shop(), monkeypatch) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        screen = screen_of(app)
        screen.looking.comments.items += left.items
        screen.looking.comments.unsaid |= left.unsaid
        screen.comments_changed()
        await pilot.press("c")
        assert app.screen.query_one(Prompt).text == "a second one"
        await pilot.press("escape")
        await to_comment(app, pilot)
        await pilot.press("c")
        assert app.screen.query_one(Prompt).text == "first and much more"

    left.items.clear()
    await left.keep()
    again = Comments(run_id, Unsent(), print)
    left._unsent.let_go()
    await again.bring_back()
    assert [*again.unsaid.values()] == ["a second one"], "what was to become of a comment goes with it"


async def test_what_was_begun_with_an_earlier_version_is_there_again() -> None:
    keep_run(RUN)
    told = [{"unsaid": ["a.py", 1, 2], "text": "half a thou"}]
    journal_of(RUN).with_name("comments.json").write_text(json.dumps(told))
    comments = Comments(RUN, Unsent(), print)
    await comments.bring_back()
    assert comments.unsaid == {("a.py", 1, 2, ""): "half a thou"}


async def test_what_may_be_the_beginning_of_a_secret_waits_and_with_a_secret_nothing_is_kept() -> None:
    folder, told = keep_run(RUN).parent, list[str]()
    comments = Comments(RUN, Unsent(), told.append)
    comments.unsaid["a.py", 1, 1, ""] = "use sk-ant"
    await comments.keep()
    (file,) = folder.glob("comments.*")
    assert [one["text"] for one in json.loads(file.read_bytes())] == ["use "]
    comments.unsaid["a.py", 1, 1, ""] = f"use sk-ant-api03-{'a1B2' * 20}"
    await comments.keep()
    assert not file.exists()
    assert len(told) == 1


async def test_comments_that_the_disk_did_not_take_are_kept_once_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ui_comments, "TRY_AGAIN", 0.01)
    folder, told, disk = keep_run(RUN).parent, list[str](), FullDisk(monkeypatch)
    comments = Comments(RUN, Unsent(), told.append)
    comments.unsaid["a.py", 1, 1, ""] = "half a thought"
    await comments.keep()
    while disk.refused < 3:
        await asyncio.sleep(0.01)
    disk.is_full = False
    while not [*folder.glob("comments.*")]:
        await asyncio.sleep(0.01)
    (why,) = told
    assert "No space left on device" in why


async def test_what_was_left_a_moment_before_the_window_goes_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes_screen, "AFTER_TYPING", 60.0)
    async with reviewing(shop(), monkeypatch) as (app, pilot):
        run_id = app.run_model.run_id
        journal_of(run_id).parent.mkdir(parents=True)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("x")
        await until(pilot, lambda: app.screen.query(Prompt) and app.screen.is_mounted, "what is to be said")
        await pilot.press(*"half a thought", "escape")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).looking.comments.writing is None)
        app._leaving.end_now(129)
        await until(pilot, lambda: app._exit, "it has ended")
    comments = Comments(run_id, Unsent(), print)
    await comments.bring_back()
    assert list(comments.unsaid.values()) == ["half a thought"]


@pytest.mark.explore
async def test_words_below_the_help_are_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    async with reviewing(shop(), monkeypatch) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("c", *"half a thou", "f1")
        await until(pilot, lambda: app.top != "WordsScreen", "the help lies over it")
        await pilot.press("ctrl+q")
        await until(pilot, lambda: app.top == "ConfirmScreen")
        assert "half a thou" in str(app.screen.query_one(".dialog--text", Static).render())
