"""Sessions of Claude Code stand in the list of runs, and are found in a search, without being there twice."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from itertools import count
from types import SimpleNamespace

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.history import database
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.going_on import to_go_on
from maverick_tui.history.index import RunIndex
from maverick_tui.history.labels import name_run, tag_run
from maverick_tui.history.listed import ListedRun
from maverick_tui.history.money import unread_of
from maverick_tui.history.sessions import taking_in
from maverick_tui.history.sessions.taking_in import READ_AGAIN
from maverick_tui.journal.folders import delete_run, find_run, journal_of
from maverick_tui.journal.writing import Journal
from tests.history.kept import begun, ended, keep, keep_run, turn
from tests.history.sessions.stored import AT, ID, OTHER, Session, call, plain
from tests.masking.examples import RANDOM

RUN = "7f3a00c0ffee"


def listed(text: str = "", seconds: float | None = 0) -> list[ListedRun]:
    with RunIndex() as index:
        index.read_sessions(seconds)
        return index.runs(parse_filter(text))


def ids(text: str = "", seconds: float | None = 0) -> list[str]:
    return [run.run_id for run in listed(text, seconds)]


def test_they_are_listed_among_runs_by_their_beginnings_and_then_as_a_whole() -> None:
    plain().write(AT + 5)
    plain(OTHER, f"The password: {RANDOM}").write(AT - 5)
    keep_run(RUN, AT - 7)
    first, _, last = listed()
    assert (first.run_id, first.source, first.title, first.state) == (ID, "claude", "Fix the login test", "unread")
    assert (first.about.agent, first.about.folder, first.about.branch) == ("Claude Code", "/shop", "main")
    assert (first.about.last_at, first.about.turns) == (AT + 5, 0)
    assert (last.run_id, last.title, last.source) == (OTHER, "The password: [secret]", "claude")
    with RunIndex() as index:
        assert index.totals().unread == 2
        assert [run.run_id for run in index.runs(parse_filter("state:unread"))] == [ID, OTHER]
        assert unread_of(index.runs()) == "2 not read yet"
    first, *_ = listed(seconds=None)
    assert (first.state, first.about.turns, first.about.model) == ("done", 1, "claude-sonnet-4-5")
    assert first.about.cost_usd
    assert first.to_json()["source"] == "claude"
    assert first.to_json()["journal"] == first.file == str(plain().file)


def test_filters_choose_among_them() -> None:
    plain().write()
    keep_run(RUN, AT)
    assert ids("source:claude") == ids("agent:claude") == ids("login repo:shop agent:code") == [ID]
    assert ids("source:maverick") == [RUN]
    with pytest.raises(ConfigError, match="not a source of runs"):
        parse_filter("source:codex")


def test_what_was_said_and_done_is_found_at_its_event_and_without_secrets() -> None:
    session = Session().ask("Go").answer("Looking.", call("c", "Edit", file_path="/shop/cart.py"), stop="tool_use")
    session.result("c", f"needle and password: {RANDOM}").answer("Done.").write()
    keep_run(RUN, answer="a needle, too")
    with RunIndex() as index:
        index.read_sessions()
        (hit,) = index.search(parse_filter("needle source:claude"))
        assert (hit.run_id, hit.turn, hit.kind) == (ID, 1, "output")
        assert isinstance(index.around(ID, hit.number).events[hit.number], ev.ToolFinished)
        assert isinstance(index.end_of(ID).events[-1], ev.RunEnded)
        assert index.run(ID).files == ("cart.py",)
        assert not index.search(parse_filter(RANDOM))
        assert [one.prompt for one in index.turns(ID)] == ["Go"]
        assert len(index.search(parse_filter("needle"))) == 2


def test_turns_of_one_that_was_not_read_yet_are_read_when_they_are_wanted() -> None:
    plain().write()
    with RunIndex() as index:
        assert index.unread_sessions == 1
        assert [one.answer for one in index.turns(ID)] == ["The session expires."]
        assert index.unread_sessions == 0


def test_while_the_index_is_busy_a_session_has_no_turns_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    plain().write()
    with RunIndex() as index, closing(sqlite3.connect(database.index_file(), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert index.turns(ID) == []
        other.rollback()
        assert len(index.turns(ID)) == 1


def test_a_session_of_a_run_is_not_listed_beside_it() -> None:
    plain().write()
    assert ids(seconds=None) == [ID]
    keep(RUN, [*begun(RUN), ev.ModelNamed(AT, "sonnet", ID), *turn(), *ended()])
    assert ids() == [RUN]
    delete_run(RUN)
    assert ids() == [ID]


def test_what_a_program_has_asked_is_none_of_the_persons_own_sessions() -> None:
    Session(entrypoint="sdk-py").ask("Go").answer("Yes").write()
    assert ids(seconds=None) == []
    late = Session(f"4{ID[1:]}", entrypoint="sdk-py").put({"type": "x", "much": "x" * 100_000})
    late.ask("Beyond a glance").answer("Yes").write()
    assert ids(seconds=None) == []
    Session(OTHER, entrypoint="sdk-cli").ask("Go").answer("Yes").write()
    assert ids(seconds=None) == [OTHER]


def test_one_that_has_grown_is_read_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    session = plain()
    session.write()
    assert ids("", None) == [ID]
    session.ask("And the needle?").answer("Here.").write(AT + 60)
    assert listed("", None)[0].about.last_at == AT + 60
    with RunIndex() as index:
        index.read_sessions()
        assert not index.search(parse_filter("needle")), "it may still go on"
    later = time.time() + READ_AGAIN + 1
    monkeypatch.setattr(taking_in, "time", SimpleNamespace(time=lambda: later, monotonic=time.monotonic))
    with RunIndex() as index:
        index.read_sessions()
        assert len(index.search(parse_filter("needle"))) == 1
        assert index.run(ID).about.turns == 2
    session.file.unlink()
    assert ids() == []


def test_reading_stops_when_the_time_is_up_and_begins_with_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        plain(f"{number}{ID[1:]}", answer="needle").write(AT + number)
    seconds = count()
    monkeypatch.setattr(taking_in, "time", SimpleNamespace(time=time.time, monotonic=lambda: next(seconds)))
    with RunIndex() as index:
        index.read_sessions(2)
        assert index.unread_sessions == 3
        assert [hit.run_id[0] for hit in index.search(parse_filter("needle"))] == ["3"]
        assert len(index.runs()) == 4
        index.read_sessions(2)
        assert index.unread_sessions == 2


def test_more_than_can_be_searched_is_still_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    size = plain().write(AT).stat().st_size
    plain(OTHER).write(AT + 1)
    monkeypatch.setattr(taking_in, "SEARCHED", size + 10)
    with RunIndex() as index:
        index.read_sessions()
        assert [(run.run_id, run.about.turns) for run in index.runs()] == [(OTHER, 1), (ID, 0)]
        assert index.unread_sessions == 0


def test_of_two_files_of_one_session_the_later_counts() -> None:
    plain(prompt="The older").write(AT)
    newer = plain(prompt="The newer")
    other = newer.file.parent.parent / "-elsewhere" / newer.file.name
    other.parent.mkdir()
    other.write_bytes(b"".join(newer.lines))
    os.utime(other, (AT + 1, AT + 1))
    assert [run.title for run in listed()] == [run.title for run in listed("", None)] == ["The newer"]


def test_names_and_tags_are_kept_by_us_and_the_session_is_left_as_it_is() -> None:
    path = plain().put({"type": "ai-title", "aiTitle": "Theirs", "sessionId": ID}).write()
    before = path.read_bytes(), path.stat().st_mtime_ns
    assert listed("", None)[0].title == "Theirs"
    name_run(find_run(ID[:6]), "Ours")
    tag_run(ID, ["kept"])
    assert [(run.title, run.tags) for run in listed("tag:kept")] == [("Ours", ("kept",))]
    with pytest.raises(ConfigError, match="a session of Claude Code"):
        delete_run(ID)
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert listed("tag:kept", None)[0].about.turns == 1


def test_one_that_goes_on_has_all_its_past_in_a_journal_of_its_own() -> None:
    plain().write()
    tag_run(ID, ["kept"])
    assert ids("", None) == [ID]
    going = to_go_on(ID)
    assert (going.agent, str(going.folder), going.size, going.past.kept) == ("Claude Code", "/shop", None, 0)
    journal = Journal(journal_of(ID), print)
    journal.write(0, [*going.past.events, ev.RunReopened(AT + 99)])
    journal.close()
    (run,) = listed("", None)
    assert (run.run_id, run.source, run.tags, run.about.turns) == (ID, "maverick", ("kept",), 1)
    assert to_go_on(ID).size == journal_of(ID).stat().st_size
    delete_run(ID)
    assert [(run.source, run.tags) for run in listed()] == [("claude", ())]
