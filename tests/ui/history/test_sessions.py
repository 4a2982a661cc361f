"""Sessions of Claude Code in the application: in the history at once, found in time, opened, and gone on with."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from maverick_tui.history.database import index_file, open_database
from maverick_tui.history.index import RunIndex
from maverick_tui.ui.history import pane, questions
from tests.history.sessions.stored import AT, ID, OTHER, Session, plain
from tests.ui.history.host import keep_some, opened
from tests.ui.kept_app import opened as opened_run
from tests.ui.kept_app import send
from tests.ui.waiting import until


async def test_they_are_listed_at_once_and_what_was_said_is_found_as_soon_as_it_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pane, "TICK", 0.02)
    monkeypatch.setattr(pane, "REFRESH_EVERY", 0.02)
    monkeypatch.setattr(questions, "_A_MOMENT", 0.0)
    plain().write(AT)
    plain(OTHER, "Another", "needle").write(AT + 1)
    async with opened() as (app, pilot):
        assert app.titles == ["Another", "Fix the login test"]
        await pilot.press("tab", *"needle")
        await until(pilot, lambda: "2 sessions to be read" in app.text, "it says that it does not know all yet")
        monkeypatch.setattr(questions, "_A_MOMENT", 60.0)
        await until(pilot, lambda: app.snippets == ["|needle|"], "it is found")
        assert "to be read" not in app.text


async def test_they_cannot_be_deleted() -> None:
    path = plain().write(AT + 100)
    keep_some(1)
    async with opened() as (app, pilot):
        await pilot.press("delete")
        await until(pilot, lambda: "a session of Claude Code" in app.notice, "it says why")
        await pilot.press("escape")
    assert path.exists()
    assert RunIndex().count() == 2


async def test_what_is_deleted_is_found_no_longer_where_the_index_has_still_to_list_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    keep_some(1)
    async with opened() as (app, pilot):
        await pilot.press("delete")
        await until(pilot, lambda: "1 run will be deleted" in app.notice, "it is marked")
        plain().write(AT)
        await pilot.press("f3")
        await until(pilot, lambda: not app.history.is_attached, "it was left")
    with contextlib.closing(open_database(index_file())) as kept:
        assert kept.execute("SELECT run_id FROM journals").fetchall() == [(ID,)]
    assert not caplog.records


async def test_one_is_opened_to_be_read_and_goes_on_with_what_is_sent(tmp_path: Path) -> None:
    path = Session(cwd=str(tmp_path)).ask("Fix it").answer("It is fixed.").write()
    before = path.read_bytes()
    async with opened_run(ID) as (app, pilot):
        assert "It is fixed." in app.shown()
        assert app.board.runs[ID].agent == "Claude Code"
        await send(pilot, "Go on")
        await until(pilot, lambda: app.gone_on, "it goes on")
        (going,) = app.gone_on
        assert (going.agent, going.folder, going.size, going.past.kept) == ("Claude Code", tmp_path, None, 0)
    assert path.read_bytes() == before
