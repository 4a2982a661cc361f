"""Kept runs as they were: the whole of one, and the part of it that is looked at first."""

from __future__ import annotations

import fcntl
import sqlite3
from contextlib import closing

import pytest

from maverick_tui.events import kinds as ev
from maverick_tui.exceptions import ConfigError
from maverick_tui.history import database, labels, opening
from maverick_tui.history.index import RunIndex
from maverick_tui.history.opening import OpenedRun, open_part, open_run
from maverick_tui.runs.entries import EndEntry, FailureEntry, PromptEntry, TextEntry, ToolEntry
from maverick_tui.runs.status import headline
from tests.history.kept import AT, begun, ended, keep, keep_run, turn

RUN = "7f3a00c0ffee"
FAILURE = ev.Failure("NetworkError", "network", "The line is dead.")


def long_run(turns: int = 40) -> list[ev.Event]:
    told = [event for number in range(1, turns + 1) for event in turn(number, f"Ask {number}", f"Answer {number}")]
    return [*begun(), *told, *ended()]


@pytest.fixture
def everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_SMALL", 0)
    monkeypatch.setattr(opening, "_BEYOND", 9)
    monkeypatch.setattr("maverick_tui.history.scanning.PLACE_EVERY", 5)
    monkeypatch.setattr("maverick_tui.history.index.RunIndex.end_of.__defaults__", (12,))


def texts(opened: OpenedRun) -> list[str]:
    return [entry.text for entry in opened.store.entries if isinstance(entry, TextEntry | PromptEntry)]


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (3, PromptEntry, "Look"),
        (4, TextEntry, "I see."),
        (5, TextEntry, "I see."),
        (7, ToolEntry, ""),
        (8, ToolEntry, ""),
        (9, ToolEntry, ""),
        (10, FailureEntry, ""),
        (99, EndEntry, ""),
    ],
)
def test_an_event_is_found_as_the_entry_that_it_belongs_to(number: int, kind: type, text: str) -> None:
    events = [
        *begun(),
        ev.TurnStarted(AT, 1, "Look"),
        *ev.whole_block(1, "text", "I see.", AT),
        ev.ToolCalled(AT, "c1", "Bash", {"command": "ls"}),
        ev.ToolFinished(AT, "c1", "files"),
        ev.UsageReported(AT, "m1", 1, 2, 3, 4),
        ev.TurnEnded(AT, 1, "failed", ev.Usage(), failure=FAILURE),
    ]
    keep(RUN, events)
    opened = open_run(RUN, number)
    assert isinstance(opened.entry, kind)
    assert getattr(opened.entry, "text", "") == text


def test_the_last_name_counts_wherever_it_was_given() -> None:
    keep(RUN, [*begun(), ev.RunNamed(AT, "told"), *turn(), *ended()])
    assert open_run(RUN).store.name == "told"
    labels.name_run(RUN, "given later")
    assert open_run(RUN).store.name == "given later"
    keep(RUN, [*begun(), *turn(), ev.RunNamed(9e9, "told last"), *ended()])
    assert open_run(RUN).store.name == "told last"


def test_a_run_without_an_end_is_interrupted_with_all_that_had_come() -> None:
    keep(RUN, [*begun(), ev.TurnStarted(AT, 1, "Look"), ev.BlockStarted(AT, 1, "text"), ev.BlockGrew(AT, 1, "I s")])
    opened = open_run(RUN)
    assert headline(opened.store).word == "interrupted"
    assert texts(opened) == ["Look", "I s"]
    assert not opened.is_alive


def test_a_run_that_is_alive_elsewhere_is_told_so_and_asks_nothing_here() -> None:
    asked = ev.PermissionAsked(AT, "q1", "c1", "Bash", {"command": "ls"})
    path = keep(RUN, [*begun(), ev.TurnStarted(AT, 1, "Look"), ev.ToolCalled(AT, "c1", "Bash", {}), asked])
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        opened = open_run(RUN)
    assert opened.is_alive
    assert headline(opened.store).word == "running elsewhere"
    assert not opened.store.needs_person
    (call,) = [entry for entry in opened.store.entries if isinstance(entry, ToolEntry)]
    assert (call.state, call.question) == ("waiting", None)


def test_a_journal_without_events_cannot_be_opened() -> None:
    keep(RUN, [])
    with pytest.raises(ConfigError, match="holds no events"):
        open_run(RUN)


# -- a part of it ------------------------------------------------------------------------------------------------------


def test_a_short_run_has_no_part() -> None:
    keep_run(RUN)
    assert open_part(RUN) is None


def test_the_end_of_a_long_run_has_the_figures_of_all_of_it(everything_is_long: None) -> None:
    keep(RUN, long_run())
    part, whole = open_part(RUN), open_run(RUN)
    assert part is not None
    assert 2 <= len(texts(part)) < 10
    assert texts(part) == texts(whole)[-len(texts(part)) :]
    assert part.store.figures.usage.tokens == whole.store.figures.usage.tokens
    assert part.store.figures.usage.cost_usd == pytest.approx(whole.store.figures.usage.cost_usd)
    assert part.store.figures.turns == whole.store.figures.turns == 40
    assert part.events == whole.events
    assert (part.agent, part.store.first_prompt) == ("reviewer", "Ask 1")
    assert headline(part.store) == headline(whole.store)


@pytest.mark.parametrize("end", [ended(), []], ids=["ended", "interrupted"])
def test_what_is_around_an_event_ends_as_the_run_does(everything_is_long: None, end: list[ev.Event]) -> None:
    events = [*long_run()[:-1], *end]
    keep(RUN, events)
    number = next(at for at, event in enumerate(events) if isinstance(event, ev.TurnStarted) and event.turn == 20)
    part, whole = open_part(RUN, number), open_run(RUN, number)
    assert part is not None
    assert "Answer 20" in texts(part)
    assert "Answer 40" not in texts(part)
    assert headline(part.store) == headline(whole.store)
    assert part.store.ended == whole.store.ended or part.store.ended == ev.RunEnded(AT + 9)


@pytest.mark.parametrize("number", [None, 100, 110])
def test_what_was_looked_at_is_found_again_in_the_whole(everything_is_long: None, number: int | None) -> None:
    keep(RUN, long_run())
    part, whole = open_part(RUN, number), open_run(RUN, number)
    assert part is not None
    before = {entry.number: getattr(entry, "text", "") for entry in part.store.entries if entry.kind != "end"}
    store = part.store
    assert part.entry is not None
    assert whole.entry is not None
    store.become(whole.store, part.entry.number - whole.entry.number)
    after = {entry.number: getattr(entry, "text", "") for entry in store.entries}
    assert len(after) > len(before)
    assert {number: after[number] for number in before} == before
    assert min(after) > 0
    changed, _ = store.changes().take()
    assert [entry.number for entry in changed] == sorted(after)
    store.apply(ev.RunReopened(AT + 10))
    store.apply(ev.TurnStarted(AT + 11, 41, "More"))
    assert store.entries[-1].number == max(after) + 1


def test_a_long_run_that_a_busy_index_does_not_know_is_read_as_a_whole(
    everything_is_long: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    RunIndex().close()
    keep(RUN, long_run())
    with closing(sqlite3.connect(database.index_file(), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert open_part(RUN) is None
        assert len(texts(open_run(RUN))) == 80
    assert open_part(RUN) is not None, "later it knows"
