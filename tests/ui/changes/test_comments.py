"""Comments of several windows on the changes of one run."""

from __future__ import annotations

from maverick_tui.journal.folders import journal_of
from maverick_tui.review.comments import Comment
from maverick_tui.ui.changes.comments import Comments, Noted
from maverick_tui.ui.unsent import Unsent
from tests.history.kept import keep_run

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
