"""A journal is read while it grows: each event once, when it is whole, whatever is at its end for now."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.journal.following import Follower
from maverick_tui.journal.reading import read_journal
from maverick_tui.journal.writing import Journal

RUN = "7f3a00c0ffee"
BEGUN = [ev.RunStarted(1, RUN, "explorer"), ev.TurnStarted(2, 1, "Go"), ev.BlockStarted(3, 1, "text")]
SECRET = "sk-ant-api03-" + "a1B2" * 24


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / RUN / "events.jsonl"


def test_each_event_comes_once_and_a_torn_line_when_it_is_whole(path: Path) -> None:
    journal, follower = Journal(path, print), Follower(path)
    journal.write(0, BEGUN)
    assert follower.more() == BEGUN
    assert follower.is_alive
    assert follower.more() == []
    journal.write(3, [ev.RunEnded(4, "closed")])
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    assert follower.more() == []
    path.write_bytes(whole)
    journal.close()
    assert follower.more() == [ev.RunEnded(4, "closed")]
    assert not follower.is_alive


def test_what_may_be_a_secret_comes_when_it_is_known_and_without_it(path: Path) -> None:
    journal, follower = Journal(path, print), Follower(path)
    journal.write(0, [*BEGUN, ev.BlockGrew(4, 1, f"It is {SECRET[:30]}")])
    assert follower.more() == BEGUN
    journal.write(4, [ev.BlockGrew(5, 1, SECRET[30:]), ev.BlockEnded(6, 1)])
    more = follower.more()
    journal.close()
    assert [*BEGUN, *more] == read_journal(path).events
    assert SECRET[:30] not in "".join(event.text for event in more if isinstance(event, ev.BlockGrew))


def test_what_a_killed_process_has_left_open_holds_nothing_up_when_the_run_goes_on(path: Path) -> None:
    killed = Journal(path, print)
    killed.write(0, [*BEGUN, ev.BlockGrew(4, 1, f"It is {SECRET[:30]}")])
    killed.close()
    journal, follower = Journal(path, print, size=path.stat().st_size), Follower(path)
    journal.write(4, [ev.RunReopened(7)])
    told = follower.more()
    assert told[-1] == ev.RunReopened(7)
    journal.write(5, [ev.RunEnded(8)])
    assert follower.more() == [ev.RunEnded(8)]
    journal.close()


def test_what_is_before_a_damage_is_read_and_one_of_the_future_is_refused(path: Path) -> None:
    journal, follower = Journal(path, print), Follower(path)
    journal.write(0, BEGUN)
    journal.close()
    path.write_bytes(path.read_bytes() + b"rubbish\n")
    assert follower.more() == BEGUN
    assert "is damaged after 3 events" in follower.problem
    path.write_bytes(path.read_bytes().replace(b'"schema":1', b'"schema":9'))
    with pytest.raises(ConfigError, match="schema 9"):
        Follower(path).more()
    with pytest.raises(ConfigError, match="cannot be read"):
        Follower(path.with_name("none")).more()
