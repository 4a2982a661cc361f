"""The screen of what a run has changed: looked at, commented on, taken back; and the way to a call and back."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import ModalScreen
from textual.widget import Widget

from maverick_tui.events import kinds as ev
from maverick_tui.journal.folders import journal_of
from maverick_tui.review import committed
from maverick_tui.review.kinds import START, ChangedFile, Scope
from maverick_tui.review.run_review import RunReview
from maverick_tui.runs.card import card_of
from maverick_tui.runs.commands import SendPrompt
from maverick_tui.snapshots.undoing import Undone
from maverick_tui.ui.board.screen import BoardScreen
from maverick_tui.ui.changes import committing, visiting
from maverick_tui.ui.changes import screen as changes_screen
from maverick_tui.ui.changes.comments import COMMIT_MESSAGE
from maverick_tui.ui.changes.diff_view import DiffView
from maverick_tui.ui.changes.looking import mark_of
from maverick_tui.ui.changes.screen import ChangesScreen
from maverick_tui.ui.dialogs.choice_list import ChoiceList
from maverick_tui.ui.run.screen import RunScreen
from maverick_tui.ui.widgets.prompt import Prompt
from tests.review.played import PlayedRun
from tests.snapshots.folders import git, project, project_with_committer
from tests.support.runs import BEGAN, Tape
from tests.ui.changes.looking import at_file, edited, is_seen, reviewing, screen_of
from tests.ui.changes.told_review import ToldReview, shop
from tests.ui.running import FedApp, watching
from tests.ui.waiting import PATIENCE, on_screen, until


async def give_back(app: FedApp, pilot: Pilot[Any]) -> None:
    """Have back what was taken back last, and say that it is meant."""
    await pilot.press("U")
    await until(pilot, lambda: app.top == "ConfirmScreen" and app.screen.is_mounted, "it asks")
    await pilot.press("y")


def snapshot(at: float = BEGAN) -> ev.SnapshotTaken:
    return ev.SnapshotTaken(at, "0" * 40, "/nowhere/shop", 1, "done", 1)


async def test_files_diffs_parts_and_two_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    async with reviewing(review, monkeypatch, size=(100, 24)) as (app, pilot):
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        assert [file.path for file in screen.files.files] == [
            "shop/cart.py", "shop/invoice.py", "shop/logo.png", "tests/test_cart.py",
        ]  # fmt: skip
        text = screen.diff.text
        assert "Edit shop/cart.py  turn 1 “Round the total once, at the end”" in text
        assert "a Edit" in text
        assert "b Bash ruff format shop" in text
        assert "c you" in text
        # Each line has its number and its sign, whatever the colours are.
        assert "15 +         return round(sum(line.price" in text
        await pilot.press("v")
        assert screen.diff.is_split
        assert "│15 +         return round(" in screen.diff.text
        await pilot.press("v", "n", "n")
        await at_file(pilot, app, "shop/invoice.py")
        assert getattr(screen.diff.row, "kind", "") == "heading"
        await pilot.press("right_square_bracket")
        await at_file(pilot, app, "shop/logo.png")
        assert "binary, 6 bytes → 12 bytes" in screen.diff.text
        await pilot.press("c", "x")
        assert "There is no hunk here. u takes the file back." in screen.hints.notice
        # The mouse does the same: files, lines, the wheel.
        await pilot.click("#files", offset=(6, 0))
        await at_file(pilot, app, "shop/cart.py")
        await pilot.click("#diff", offset=(6, 3))
        assert screen.diff.line is not None
        assert screen.diff.line.new == 13
        screen.diff.post_message(_wheel(screen.diff))
        assert screen.diff.last_top
        await until(pilot, lambda: screen.diff.top == min(3, screen.diff.last_top), "the wheel moves it")
        await pilot.click("#files", offset=(6, 2))
        await at_file(pilot, app, "shop/logo.png")
        # What others have changed is not shown unless it is wanted.
        await pilot.press("a")
        await until(pilot, lambda: len(screen.files.files) == 5, "the file of another run is there")
        assert screen.files.file is not None
        assert screen.files.file.path == "shop/logo.png", "and the chosen one stays chosen"
        # Parts of the run: by keys, and by a list with prompts.
        await pilot.press("right_curly_bracket")
        await until(pilot, lambda: review.asked[-1] == Scope("turn", 1), "the first turn")
        await pilot.press("s")
        await until(pilot, lambda: review.asked[-1] == Scope("since", 1), "all since it")
        await pilot.press("right_parenthesis")
        await until(pilot, lambda: review.asked[-1] == Scope("call", 1, "call-1"), "its call")
        await pilot.press("t")
        await until(pilot, lambda: app.top == "ScopeScreen" and app.screen.is_mounted, "the list")
        await pilot.pause()
        await pilot.press("up", "up", "enter")  # from the call to its turn, and to the call of the turn above
        await until(pilot, lambda: review.asked[-1] == Scope("call", 2, "call-2"), "another call")
        await pilot.press("0")
        await until(pilot, lambda: review.asked[-1] == START, "everything")


async def test_a_hunk_that_one_goes_to_is_in_view_as_far_as_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [f"line {number}" for number in range(120)]
    after = list(before)
    for first, count in ((3, 5), (30, 5), (60, 30)):
        after[first : first + count] = [f"LINE {number}" for number in range(first, first + count)]
    texts = ("\n".join(lines).encode() for lines in (before, after))
    review = ToldReview({"a.txt": (next(texts), next(texts))}, {})
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "a.txt")
        view = screen_of(app).diff
        await pilot.press("n")  # its heading is in view already, and little else of it
        seen = _in_view(view)
        assert "LINE 30" in seen
        assert "line 37" in seen, "all of it, for it fits"
        assert "line 10" in seen, "with what is above it"
        await pilot.press("n")
        assert len(view.diff.hunks if view.diff else ()) == 3
        assert "Edit shop/cart.py" in _in_view(view).splitlines()[0], (
            "of one that does not fit, as much as there can be"
        )
        await pilot.press("p", "p")
        assert "LINE 3\n" in _in_view(view)


def _in_view(view: DiffView) -> str:
    return "\n".join(view.text.splitlines()[view.top : view.top + view.page])


def _wheel(widget: Widget) -> events.MouseScrollDown:
    return events.MouseScrollDown(widget, 6, 3, 0, 1, 0, False, False, False)


async def test_news_take_nothing_from_whoever_reads_or_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press(*["down"] * 6)
        line, top = screen.diff.line, screen.diff.top
        assert line is not None
        assert line.text.strip().startswith("return round(sum")
        await pilot.press("c", *"Hm")
        before, after = review.contents["shop/cart.py"]
        assert after is not None
        review.contents["shop/cart.py"] = (before, b"# new\n# lines\n" + after)
        app.board.receive(app.run_model, snapshot())
        await until(pilot, lambda: screen.files.files[0].added == 7, "the new lines are counted")
        assert app.top == "WordsScreen", "the comment is still being written"
        await pilot.press("enter")
        assert screen.diff.line is not None
        assert (screen.diff.line.text, screen.diff.line.new) == (line.text, line.new + 2)
        assert [noted.comment.text for noted in screen.looking.comments.items] == ["Hm"]
        rows = screen.diff.text.split("\n")
        at = next(at for at, row in enumerate(rows) if "✎ Hm" in row)
        assert "return round(sum" in rows[at - 2], "below its line, which takes two rows"
        assert screen.diff.top >= top
        assert "needs you" not in screen._about.text
        app.board.receive(app.run_model, ev.PermissionAsked(9.0, "q", "w", "Write", {"file_path": "x"}))
        assert "⚑ needs you" in screen._about.text
        app.board.receive(app.run_model, ev.PermissionSettled(9.5, "q", "w", "deny"))
        assert "needs you" not in screen._about.text
        # While a call is at work it is looked at only now and then.
        review.asked.clear()
        app.run_model.store.phase = "tool"
        monkeypatch.setattr(type(app.run_model.store), "is_running", property(lambda _store: True))
        for _ in range(5):
            app.board.receive(app.run_model, snapshot())
        await pilot.pause(0.1)
        assert review.asked == []


async def test_what_tools_make_anew_is_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        before = screen_of(app)._about.text
        assert before.endswith("4 files +10 -4")
        review.contents |= {f"shop/__pycache__/{name}.pyc": (None, b"x\n") for name in "ab"}
        app.board.receive(app.run_model, snapshot())
        await until(pilot, lambda: len(screen_of(app).files.files) == 6, "they are listed")
        assert screen_of(app)._about.text == f"{before}, 2 in caches"


async def test_comments_are_changed_dropped_kept_and_sent_as_one_prompt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes_screen, "AFTER_TYPING", 60.0)  # not what is still being written
    async with reviewing(shop(), monkeypatch) as (app, pilot):
        journal = journal_of(app.run_model.run_id)
        journal.parent.mkdir(parents=True)
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("c", *"All of", "ctrl+q")  # on the heading: the hunk
        await until(pilot, lambda: app.top == "ConfirmScreen" and app.screen.is_mounted, "it would be lost")

        def on_disk() -> list[str]:
            lists = [json.loads(file.read_bytes()) for file in journal.parent.glob("comments.*")]
            return [one["comment"]["text"] for items in lists for one in items]

        app.run_model.is_read_only = True
        await pilot.press("n", "escape", "c", *" it", "enter")
        assert screen.looking.comments.items
        keeping = [worker for worker in app.workers if worker.group == "comments"]
        assert not keeping, "who only watches a run does not know what is secret there"
        assert not on_disk()
        app.run_model.is_read_only = False
        await pilot.press(*["down"] * 4, "c", *"This", "enter", "down", "c", *" line", "enter")
        assert [noted.comment.text for noted in screen.looking.comments.items] == ["All of it", "This line"]
        assert "✎2 S send" in screen._count.text
        await until(pilot, lambda: on_disk() == ["All of it", "This line"], "they are on the disk")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "the run")
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).diff.diff is not None, "back")
        screen = screen_of(app)
        assert "✎ All of it" in screen.diff.text, "they survive leaving"
        app.kept.take()
        await pilot.press("S")
        await until(pilot, lambda: app.top == "SendScreen" and app.screen.is_mounted, "all of them")
        await pilot.press("x")
        (left,) = screen.looking.comments.items
        screen.looking.comments.put(left._replace(comment=left.comment._replace(text="A reason that has come since")))
        await pilot.press("enter")
        await until(
            pilot, lambda: "A reason that has come since" in app.screen.query_one(ChoiceList).text, "it is shown"
        )
        assert (app.top, app.kept.take()) == ("SendScreen", []), "before it is sent"
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "ChangesScreen", "sent")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt)
        assert "`shop/cart.py`, line 14:" in sent.text
        assert "return sum(round(line.price" in sent.text
        assert "This line" in sent.text
        assert "All of it" not in sent.text, "it was dropped"
        assert not screen.looking.comments.items
        await until(pilot, lambda: not on_disk(), "and nothing is kept")


async def test_the_reason_of_a_rejection_that_is_refused_is_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("x")
        await until(pilot, lambda: app.top == "WordsScreen" and app.screen.is_mounted, "why")
        await pilot.press(*"No rounding")
        review.refused = {"shop/cart.py": "it has changed since"}
        await pilot.press("enter")
        await until(pilot, lambda: "Nothing was taken back. Left as it is: " in screen.hints.notice, "why not")
        (noted,) = screen.looking.comments.items
        assert (noted.comment.is_rejected, noted.comment.text, noted.rejected_at) == (False, "No rounding", "")
        assert "✎ No rounding" in screen.diff.text
        assert not any(screen.looking.comments.unsaid.values()), "it is said once"


@pytest.mark.explore
async def test_the_reason_of_a_rejection_that_fails_is_there_again(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()

    def fail(*_asked: object) -> Undone:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(review, "reject", fail)
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("x")
        await until(pilot, lambda: app.top == "WordsScreen" and app.screen.is_mounted, "why")
        await pilot.press(*"No rounding", "enter")
        await until(pilot, lambda: any("No space" in note.message for note in app._notifications), "it fails")
        await pilot.press("x")
        await until(pilot, lambda: app.top == "WordsScreen" and app.screen.is_mounted, "once more")
        assert app.screen.query_one(Prompt).text == "No rounding"


async def test_a_hunk_is_rejected_all_is_undone_and_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    review.refused = {"shop/invoice.py": "you have changed it, too \x1b]0;x\x07"}
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("x")
        await until(pilot, lambda: app.top == "WordsScreen" and app.screen.is_mounted, "why")
        await pilot.press(*"No rounding", "enter")
        await until(pilot, lambda: len(screen.files.files) == 3, "it is gone from the files")
        (noted,) = screen.looking.comments.items
        assert (noted.comment.is_rejected, noted.comment.text) == (True, "No rounding")
        assert "1 path taken back. U gives it back." in screen.hints.notice
        await pilot.press("U")
        await until(pilot, lambda: app.top == "ConfirmScreen" and app.screen.is_mounted, "it asks")
        assert "shop/cart.py" in str(app.screen.query_one(".dialog--text").render())
        await pilot.press("n")
        await until(pilot, lambda: app.top == "ChangesScreen", "it stays taken back")
        assert len(screen.files.files) == 3
        review.refused["shop/cart.py"] = "there is something else now"
        await pilot.press("U")
        refused = "Nothing can be given back. Left as it is: shop/cart.py, there is something else now."
        await until(pilot, lambda: refused in screen.hints.notice, "it asks nothing")
        del review.refused["shop/cart.py"]
        shown = review.plan_redo()
        await give_back(app, pilot)
        await until(pilot, lambda: len(screen.files.files) == 4, "it is back")
        assert review.redone == shown
        (noted,) = screen.looking.comments.items
        assert (noted.comment.is_rejected, noted.comment.text) == (False, "No rounding"), (
            "nobody is told that it is gone"
        )
        await at_file(pilot, app, "shop/invoice.py")  # which had its place
        await pilot.press("x")
        await until(pilot, lambda: "Nothing can be taken back. Left as it is: " in screen.hints.notice, "why not")
        assert app.top == "ChangesScreen", "nobody is asked for a reason first"
        await pilot.press("u")
        await until(pilot, lambda: app.top == "UndoScreen" and "shop" in _choices(app) and is_seen(app), "the plan")
        plan = _choices(app)
        assert "✘ shop/invoice.py" in plan
        assert "you have changed it, too ␛]0;x␇" in plan
        assert "is deleted, as it was not there" in plan, "tests/test_cart.py"
        assert await click_on(pilot, "y take it back")
        await until(pilot, lambda: len(screen.files.files) == 1, "all but the one that is refused")
        assert "Left as it is: shop/invoice.py" in screen.hints.notice
        review.refused = dict.fromkeys(review.contents, "you have changed it, too")
        await pilot.press("u")
        await until(pilot, lambda: app.top == "UndoScreen" and "✘ shop/cart.py" in _choices(app), "nothing is left")
        assert "y take it back" not in on_screen(pilot)
        assert "Esc leave all as it is" in on_screen(pilot)
        assert await click_on(pilot, "Esc leave all as it is")
        await until(pilot, lambda: app.top == "ChangesScreen", "the click leaves it")


async def click_on(pilot: Pilot[Any], words: str) -> bool:
    await until(pilot, lambda: words in on_screen(pilot), words)
    await pilot.pause()  # it may have been laid out anew meanwhile
    rows = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
    y = next(number for number, row in enumerate(rows) if words in row)
    return await pilot.click(offset=(rows[y].index(words) + 1, y))


def _choices(app: FedApp) -> str:
    """What a dialog has to choose from; nothing while it comes up."""

    return app.screen.query_one(ChoiceList).text if app.screen.is_mounted else ""


async def test_chosen_hunks_are_committed_or_git_says_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.review import committing as by_git

    asked: list[Any] = []

    def commit(root: Path, chosen: Any, message: str, *_: Any) -> by_git.Committed:
        asked.append((root, [(one.path, one.part and len(review.parts[one.path])) for one in chosen], message))
        if len(asked) == 1:
            raise ConfigError("The hook pre-commit says no:\nline \x1b[2J too long", hint="Mend it.")
        return by_git.Committed("abcdef0123456789", "")

    committed: set[str] = set()

    def uncommitted(root: Path, paths: Any) -> set[str]:
        return set(paths) - committed

    monkeypatch.setattr(by_git, "commit", commit)
    monkeypatch.setattr(by_git, "uncommitted", uncommitted)
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("n", "space", "tab", "down", "space")
        await pilot.press("C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "what is to be committed")
        assert "shop/cart.py  1 hunk" in _choices(app)
        await pilot.press(*"Why not")
        unsaid = screen.looking.comments.unsaid
        await until(pilot, lambda: unsaid.get(COMMIT_MESSAGE) == "Why not", "it is kept as comments are")
        await pilot.press("enter")
        await until(pilot, lambda: app.top == "SaidScreen" and app.screen.is_mounted, "what git has said")
        assert isinstance(app.screen, committing.SaidScreen)
        assert "line ␛[2J too long" in app.screen.view.text
        await pilot.press("escape", "C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "once more")
        await pilot.pause()
        await pilot.press("enter")  # the message is still there
        await until(pilot, lambda: "Committed abcdef012345" in screen.hints.notice, "it is committed")
        chosen = [("shop/cart.py", 1), ("shop/invoice.py", None)]
        assert asked == [(review.root, chosen, "Why not")] * 2
        assert not screen.looking.marks
        assert not unsaid[COMMIT_MESSAGE]
        app.kept.take()
        committed.add("tests/test_cart.py")
        await pilot.press("C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "all other files")
        assert "tests/test_cart.py" not in _choices(app)
        await pilot.press("alt+m")
        await until(pilot, lambda: app.top == "ChangesScreen", "the agent is asked")
        (sent,) = app.kept.take()
        assert isinstance(sent, SendPrompt)
        assert "shop/cart.py, shop/invoice.py, shop/logo.png" in sent.text
        committed |= set(review.contents)
        await pilot.press("C")
        await until(pilot, lambda: "All of this is committed already." in screen.hints.notice, "nothing is left")


async def test_a_hunk_that_is_not_shown_whole_is_only_committed_or_taken_back_with_its_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    review = shop()
    review.cut.add("shop/cart.py")
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        assert screen.diff.diff is not None
        *whole, cut = screen.diff.diff.hunks
        assert whole
        for hunk in range(len(whole)):
            screen.diff.go_to_hunk(hunk)
            await pilot.press("space")
        assert screen.looking.marks == {"shop/cart.py": frozenset(map(mark_of, whole))}
        screen.diff.go_to_hunk(len(whole))
        for key in ("space", "x"):
            await pilot.press(key)
            await until(pilot, lambda: "Not all of this hunk is shown" in screen.hints.notice, "why not")
            screen.hints.notice = ""
        screen.looking.marks["shop/cart.py"] = None  # the whole file
        screen.diff.go_to_hunk(0)
        await pilot.press("space")
        assert mark_of(cut) not in (screen.looking.marks.get("shop/cart.py", ()) or ())


async def test_a_hunk_that_has_changed_since_it_was_chosen_is_not_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    from maverick_tui.review import committing as by_git

    asked: list[str] = []
    monkeypatch.setattr(by_git, "commit", lambda _root, _chosen, message, *_: asked.append(message))
    monkeypatch.setattr(by_git, "uncommitted", lambda _root, paths: set(paths))
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("n", "space", "C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "what is to be committed")
        before, after = review.contents["shop/cart.py"]
        assert after is not None
        review.contents["shop/cart.py"] = before, after.upper()  # the agent is at work
        await pilot.press(*"Why not", "enter")
        await until(pilot, lambda: app.top == "SaidScreen" and app.screen.is_mounted, "why nothing was committed")
        assert isinstance(app.screen, committing.SaidScreen)
        assert "what you have chosen of shop/cart.py has changed since" in app.screen.view.text.replace("\n", " ")
        assert not asked
        await pilot.press("escape")
        assert not screen_of(app).looking.marks, "what is not there cannot be chosen"


async def test_of_two_hunks_with_the_same_lines_one_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    from maverick_tui.review import committing as by_git

    monkeypatch.setattr(by_git, "commit", lambda *_: by_git.Committed("abcdef0123456789", ""))
    monkeypatch.setattr(by_git, "uncommitted", lambda _root, paths: set(paths))
    block = b"a\nb\nc\ndebug: false\nd\ne\nf\n"
    review = ToldReview({"twice.yml": (block * 2, block.replace(b"false", b"true") * 2)}, {})
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "twice.yml")
        await pilot.press("n", "space", "C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "what is to be committed")
        assert "twice.yml  1 hunk" in _choices(app)
        await pilot.press(*"Why not", "enter")
        await until(pilot, lambda: "Committed" in screen_of(app).hints.notice, "it is committed")
        assert [one.hunk.old_start for one in review.parts["twice.yml"]] == [1]


async def test_a_commit_that_takes_its_time_holds_up_no_question_and_can_be_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from maverick_tui.exceptions import ConfigError
    from maverick_tui.review import committing as by_git

    begun = threading.Event()

    def commit(_root: Path, _chosen: Any, _message: str, _shown: Any, stop: threading.Event) -> by_git.Committed:
        begun.set()
        assert stop.wait(PATIENCE)
        raise ConfigError("git commit was ended")

    monkeypatch.setattr(by_git, "commit", commit)
    monkeypatch.setattr(by_git, "uncommitted", lambda _root, paths: set(paths))
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "what is to be committed")
        await pilot.press(*"Why")
        await pilot.pause()
        await pilot.press("enter")
        await until(pilot, begun.is_set, "it is being made")
        await pilot.press("right_square_bracket")
        await at_file(pilot, app, "shop/invoice.py")
        await pilot.press("u")
        await until(pilot, lambda: "C ends it." in screen_of(app).hints.notice, "nothing is taken back meanwhile")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen", "somebody leaves")
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).is_mounted, "and comes back")
        await until(pilot, lambda: "C ends it." in screen_of(app).hints.notice, "it is told of")
        await pilot.press("C")
        await until(pilot, lambda: app.top == "ConfirmScreen" and is_seen(app), "whether to end it")
        await pilot.press("y")
        await until(pilot, lambda: app.top == "SaidScreen" and app.screen.is_mounted, "what was said")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "ChangesScreen", "back to the changes")
        assert "Nothing was committed." in screen_of(app).hints.notice
        assert screen_of(app).looking.comments.unsaid[COMMIT_MESSAGE] == "Why"


async def test_all_files_that_would_be_committed_can_be_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    from maverick_tui.review import committing as by_git
    from maverick_tui.ui.dialogs.choice_list import ChoiceList

    monkeypatch.setattr(by_git, "uncommitted", lambda _root, paths: set(paths))
    review = shop()
    review.contents |= {f"many/{number:02}.txt": (None, b"x\n") for number in range(20)}
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "many/00.txt")
        await pilot.press("C")
        await until(pilot, lambda: app.top == "CommitScreen" and app.screen.is_mounted, "what is to be committed")
        rows = app.screen.query_one(ChoiceList)
        await until(pilot, lambda: rows.room > 0 and rows.top == 0 and rows.line_count == 24, "the first ones")
        await pilot.press("pagedown", "pagedown", "pagedown", *"Why")
        await until(pilot, lambda: (rows.at, rows.top) == (23, 16), "the last ones")


async def test_from_a_hunk_to_its_call_and_from_a_call_to_its_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "the transcript")
        run_screen = app.run_screen
        await until(pilot, lambda: run_screen.focused is run_screen.transcript, "its keys act")
        assert "Edit  shop/cart.py" in app.shown()
        assert getattr(run_screen.transcript.chosen, "call", "") == "call-1"
        await pilot.press("d")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).diff.diff is not None, "its changes")
        assert review.asked[-1] == Scope("call", 1, "call-1")
        assert [file.path for file in screen_of(app).files.files] == ["shop/cart.py"]
        # A hunk of nobody's call leads nowhere.
        review.authors["shop/cart.py"] = ()
        await pilot.press("0", "escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen), "back")
        await pilot.press("tab", *"/changes", "enter")
        await until(pilot, lambda: app.top == "ChangesScreen", "by a command, too")
        await pilot.press("escape", "ctrl+s")
        await until(
            pilot, lambda: isinstance(app.screen, BoardScreen) and app.screen.rows.card is not None, "the board"
        )
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).diff.diff is not None, "from there")
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "BoardScreen", "and back to it")


async def test_why_there_is_nothing_to_see(monkeypatch: pytest.MonkeyPatch) -> None:
    review = ToldReview({}, {})
    review.root, review.untracked = Path(), "the folder is your home\x1b[2J"
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        assert screen.diff.text == "Changes are not tracked here, because the folder is your home␛[2J"
        review.untracked = ""
        app.board.receive(app.run_model, snapshot())
        await until(pilot, lambda: "There is no snapshot" in screen.diff.text, "no snapshot yet")
        review.root = Path("/nowhere/shop")
        app.board.receive(app.run_model, snapshot())
        await until(pilot, lambda: "Nothing is here that a call of this run has changed" in screen.diff.text, "nothing")
        await pilot.press("u", "c", "x", "C", "enter", "S", "U", "space", "y", "tab", "n", "v")
        assert app.top == "ChangesScreen", "there is nothing to act on"
        assert "Side by side needs 100 columns; there are 80." in screen.hints.notice


NAMES = ("a\x1b]0;owned\x07.py", "b\n\u202egnp.exe", "[red]c[/red].py", "d\udcff.txt", "e" * 300)
TEXT = "\x1b[2J\x9b31m\u202edesrever\x07 [bold]x[/] {percent} \u200b\ttab\r and \x00"


async def test_hostile_names_and_contents_are_inert(monkeypatch: pytest.MonkeyPatch) -> None:
    from maverick_tui.review import committing as by_git

    monkeypatch.setattr(by_git, "uncommitted", lambda _root, paths: set(paths))
    review = ToldReview({name: (b"plain\n", TEXT.replace("\0", "").encode() * 3) for name in NAMES}, {})
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        for _ in NAMES:
            seen = "\n".join(row.text for row in app.screen._compositor.render_strips())
            assert not any(sign in seen for sign in "\x1b\x9b\x07\u202e\u200b\t\r")
            await pilot.press("v", "right_square_bracket", "c", *"Hm", "enter")
        assert "[bold]x[/]" in screen.diff.text
        assert screen.looking.comments.items
        for key, top in (("t", "ScopeScreen"), ("u", "UndoScreen"), ("S", "SendScreen"), ("C", "CommitScreen")):
            await pilot.press(key)
            await until(pilot, lambda top=top: app.top == top and app.screen.is_mounted, top)  # type: ignore[misc]
            await pilot.pause()
            seen = "\n".join(row.text for row in app.screen._compositor.render_strips())
            assert not any(sign in seen for sign in "\x1b\x9b\x07\u202e\u200b\t\r")
            await pilot.press("escape")


def _counted_in_german(folder: Path, monkeypatch: pytest.MonkeyPatch) -> PlayedRun:
    """A run with real snapshots, which the screen of changes then shows."""
    run = PlayedRun(folder, "7f3a00c0ffee", "Count in German")
    run.edit("a.txt", "two", "zwei")
    run.end_turn()
    monkeypatch.setattr(visiting, "open_review", lambda _run_id: RunReview("7f3a00c0ffee"))
    return run


async def test_a_kept_run_and_real_snapshots(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project(tmp_path / "project")
    run = _counted_in_german(folder, monkeypatch)
    async with watching(edited(), size=(80, 24)) as (app, pilot):
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).diff.diff is not None, "the diff")
        screen = screen_of(app)
        assert "2 + zwei" in screen.diff.text
        await pilot.press("x")
        await until(pilot, lambda: app.top == "WordsScreen" and app.screen.is_mounted, "why")
        await pilot.press("enter")
        await until(pilot, lambda: (folder / "a.txt").read_text() == "one\ntwo\nthree\n", "it is as before")
        await until(pilot, lambda: "gives it back" in screen.hints.notice, "that is said")
        await give_back(app, pilot)
        await until(pilot, lambda: "zwei" in (folder / "a.txt").read_text(), "it is back")
        (folder / "a.txt").write_text("one\nzwei\ndrei\n")
        await until(pilot, lambda: "given back" in screen.hints.notice, "that is said")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "3 + drei" in screen.diff.text, "what I have written is there")
        assert "you" in screen.diff.text
    run.close()


@pytest.mark.explore
async def test_the_status_line_and_the_board_follow_what_is_taken_back_and_given_back(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path / "project")
    run = _counted_in_german(folder, monkeypatch)
    figure = "+1 -1 in 1 file"
    tape = edited().put(replace(snapshot(), files=1, added=1, deleted=1))
    async with watching(tape, size=(80, 24)) as (app, pilot):
        await until(pilot, lambda: figure in on_screen(pilot), "what the run has told")

        async def looked_at() -> ChangesScreen:
            await pilot.press("alt+c")
            await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).is_mounted, "its changes")
            return screen_of(app)

        screen = await looked_at()
        await until(pilot, lambda: screen.diff.diff is not None, "the diff")
        await pilot.press("x")
        await until(pilot, lambda: app.top == "WordsScreen" and app.screen.is_mounted, "why")
        await pilot.press("enter")
        await until(pilot, lambda: "gives it back" in screen.hints.notice, "it is taken back")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen" and "in 1 file" not in on_screen(pilot), "nothing stands")
        assert card_of(app.run_model).files == 0
        screen = await looked_at()
        await give_back(app, pilot)
        await until(pilot, lambda: "given back" in screen.hints.notice, "it is given back")
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen" and figure in on_screen(pilot), "it stands again")
        assert (card_of(app.run_model).files, card_of(app.run_model).added) == (1, 1)
        RunReview("7f3a00c0ffee").undo()  # somewhere else
        await looked_at()
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "RunScreen" and "in 1 file" not in on_screen(pilot), "it is known here")
        app.tell(Tape().put(replace(snapshot(), files=2)))
        await until(pilot, lambda: "2 files (Alt+c)" in on_screen(pilot), "what it tells")
    run.close()


async def test_what_a_run_tells_while_its_changes_are_counted_is_what_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    review = shop()
    async with reviewing(review, monkeypatch, edited().put(snapshot())) as (app, pilot):
        await at_file(pilot, app, "shop/cart.py")
        is_asked, may_answer, files = threading.Event(), threading.Event(), review.files

        def slow_files(*args: Any, **more: Any) -> list[ChangedFile]:
            is_asked.set()
            assert may_answer.wait(PATIENCE)
            return files(*args, **more)

        monkeypatch.setattr(review, "files", slow_files)
        await pilot.press("escape")
        await until(pilot, is_asked.is_set, "it is counted")
        told = replace(snapshot(), files=7)
        app.tell(Tape().put(told))
        await until(pilot, lambda: app.run_model.store.snapshot == told, "the run has told more")
        may_answer.set()
        counting = [one for one in app.workers if one.group == f"changes-{app.run_model.run_id}"]
        assert counting
        await app.workers.wait_for_complete(counting)
        assert app.run_model.store.snapshot == told


def _shouted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> PlayedRun:
    """A run that has changed two places of a file, which the screen of changes then shows."""
    (folder / "a.txt").write_text("".join(f"{number}\n" for number in range(30)))
    run = PlayedRun(folder, "7f3a00c0ffee", "Shout")
    run.edit("a.txt", "2\n", "2!\n")
    run.edit("a.txt", "\n25\n", "\n25!\n")
    monkeypatch.setattr(visiting, "open_review", lambda _run_id: RunReview("7f3a00c0ffee"))
    return run


@pytest.mark.explore
async def test_what_is_committed_is_marked(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project_with_committer(tmp_path / "project")
    (folder / "a.txt").write_text("".join(f"{number}\n" for number in range(30)))
    git(folder, "commit", "--quiet", "--all", "-m", "numbers")
    run = _shouted(folder, monkeypatch)
    async with watching(edited(), size=(80, 24)) as (app, pilot):
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).diff.diff is not None, "the diff")
        screen = screen_of(app)
        await pilot.press("space", "C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "what is to be committed")
        await pilot.press(*"One", "enter")
        await until(pilot, lambda: "✓ committed 1-6" in screen.diff.text, "the one is")
        assert screen.diff.text.count("✓") == 1, "the other one is not"
        assert "✓" not in screen.files.draw_line(0, 80).text
        git(folder, "commit", "--quiet", "--all", "-m", "by hand")
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "✓ committed 23-29" in screen.diff.text, "both are")
        row = screen.files.draw_line
        await until(pilot, lambda: row(0, 80).text.rstrip().endswith("✓ +2 -2"), "and so is the file")
    run.close()


async def test_git_is_asked_once_at_a_time_what_is_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    may_answer = threading.Event()

    def slowly(_root: Path, files: Sequence[ChangedFile]) -> frozenset[str]:
        asked.append(len(files))
        assert may_answer.wait(PATIENCE)
        return frozenset({"shop/cart.py"})

    monkeypatch.setattr(committed, "committed_files", slowly)
    review = shop()
    async with reviewing(review, monkeypatch) as (app, pilot):
        screen = screen_of(app)
        await at_file(pilot, app, "shop/cart.py")
        await until(pilot, lambda: asked == [4], "git is asked")
        await pilot.press("a")
        await until(pilot, lambda: len(screen.files.files) == 5, "more is shown")
        assert asked == [4], "and nothing more is asked meanwhile"
        may_answer.set()
        await until(pilot, lambda: "✓" in screen.files.draw_line(1, 80).text, "what it has said is marked")
        await until(pilot, lambda: asked == [4, 5], "then it is asked about what is shown by now")


@pytest.mark.explore
async def test_what_is_rejected_says_so_until_it_is_given_back_whatever_else_is(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path / "project")
    run = _shouted(folder, monkeypatch)
    async with watching(edited(), size=(80, 24)) as (app, pilot):
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).diff.diff is not None, "the diff")
        screen = screen_of(app)
        await pilot.press("x")
        await until(pilot, lambda: app.top == "WordsScreen" and app.screen.is_mounted, "why")
        await pilot.press(*"Too loud", "enter")
        await until(pilot, lambda: "taken back: Too loud" in screen.diff.text, "the one is taken back")
        await pilot.press("u")
        await until(pilot, lambda: app.top == "UndoScreen" and "a.txt" in _choices(app), "the plan")
        while app.top == "UndoScreen":  # until its last frame is drawn, it wants to be read once more
            await until(pilot, lambda: is_seen(app), "it can be read")
            await pilot.press("y")
        await until(pilot, lambda: "!" not in (folder / "a.txt").read_text(), "and so is the other")
        await until(pilot, lambda: "gives it back" in screen.hints.notice, "that is said")
        await give_back(app, pilot)
        await until(pilot, lambda: "25!" in (folder / "a.txt").read_text(), "it is given back")
        await until(pilot, lambda: "given back" in screen.hints.notice, "that is said")
        assert "2!\n3" not in (folder / "a.txt").read_text()
        await until(pilot, lambda: "25!" in screen.diff.text, "it is seen again")
        assert "taken back: Too loud" in screen.diff.text, "and the other is still gone"
        await give_back(app, pilot)
        await until(pilot, lambda: "✎ Too loud" in screen.diff.text, "until that is given back, too")
    run.close()


@pytest.mark.explore
async def test_what_a_commit_would_have_and_run_is_told_before(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path / "project")
    mine = "".join(f"mine {number}\n" for number in range(45)).encode()
    (folder / "a.txt").write_bytes(mine + (folder / "a.txt").read_bytes())
    (folder / ".git" / "hooks").mkdir(exist_ok=True)
    (folder / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (folder / ".git" / "hooks" / "pre-commit").chmod(0o755)
    run = _counted_in_german(folder, monkeypatch)
    async with watching(edited(), size=(100, 24)) as (app, pilot):
        await pilot.press("alt+c")
        await until(pilot, lambda: app.top == "ChangesScreen" and screen_of(app).diff.diff is not None, "the diff")
        await pilot.press("n", "space", "C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "what is to be committed")
        assert "M a.txt  1 hunk" in _choices(app), "the only hunk is not the whole file"
        assert "Git will run what this repository names:" in on_screen(pilot)
        assert "• .git/hooks/pre-commit " in on_screen(pilot)
        hook = folder / ".git" / "hooks" / "commit-msg"
        hook.write_text("#!/bin/sh\ntouch RAN\n")
        hook.chmod(0o755)
        await pilot.press(*"It", "enter")
        await until(pilot, lambda: app.top == "SaidScreen" and app.screen.is_mounted, "why nothing was committed")
        assert isinstance(app.screen, committing.SaidScreen)
        told = app.screen.view.text.replace("\n", " ")
        assert "git would run .git/hooks/pre-commit, .git/hooks/commit-msg by now" in told
        assert not (folder / "RAN").exists()
        hook.unlink()
        await pilot.press("escape")
        await until(pilot, lambda: app.top == "ChangesScreen", "back")
        await pilot.press("space", "C")
        await until(pilot, lambda: app.top == "CommitScreen" and is_seen(app), "all that is not committed")
        await until(pilot, lambda: "with 45 lines that are not shown here" in _choices(app), "what else there is")
        assert "+46 -1" in _choices(app)
        with (folder / "a.txt").open("a") as file:
            file.write("never shown\n")  # by an agent at work
        await pilot.press(*"All of it", "enter")
        await until(pilot, lambda: app.top == "SaidScreen" and app.screen.is_mounted, "why nothing was committed")
        assert isinstance(app.screen, committing.SaidScreen)
        assert "a.txt has changed since this was shown" in app.screen.view.text.replace("\n", " ")
    run.close()


async def test_a_hunk_is_copied_as_it_is_seen_for_a_shell_obeys_what_ends_a_paste(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    review = ToldReview({"run.sh": (b"ls\r\n", "ls\r\n\x1b[201~\rmake\u202e \u00e9\r\n".encode())}, {})
    async with reviewing(review, monkeypatch) as (app, pilot):
        await at_file(pilot, app, "run.sh")
        await pilot.press("n", "y")
        await until(pilot, lambda: bool(app.clipboard))
        assert app.clipboard == " ls\n+␛[201~␍make\ufffd \u00e9"


async def test_it_has_the_layout_of_a_size_that_it_was_given_below_another_screen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with reviewing(shop(), monkeypatch, size=(120, 40)) as (app, pilot):
        screen = screen_of(app)
        for size, is_wide in (((80, 24), False), ((120, 40), True)):
            await app.push_screen(ModalScreen())
            await pilot.resize_terminal(*size)
            _ = app.pop_screen()
            await until(pilot, lambda: screen.has_class("-wide") is is_wide)  # noqa: B023
