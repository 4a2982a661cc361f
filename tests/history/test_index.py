"""The index is what the journals say, however it came about: at once, in parts, by two processes, or anew."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event
from maverick_tui.exceptions import ConfigError
from maverick_tui.history import database, updating
from maverick_tui.history.database import index_file
from maverick_tui.history.filters import parse_filter
from maverick_tui.history.index import RunIndex
from maverick_tui.history.labels import name_run, tag_run
from maverick_tui.history.listed import ListedRun
from maverick_tui.history.scanning import Scan
from maverick_tui.journal.folders import delete_run, journal_of
from maverick_tui.journal.reading import read_journal
from maverick_tui.journal.writing import Journal
from maverick_tui.runs.store import RunStore
from tests.cli.agent_files import environment
from tests.history.kept import AT, begun, ended, keep, keep_run, lines, turn
from tests.masking.examples import RANDOM
from tests.runs.test_store import EVERYTHING

RUN = "7f3a00c0ffee"
STORY: list[Event] = [
    *begun(),
    *turn(1, "Fix the login test", f"The password: {RANDOM} was wrong."),
    ev.TurnStarted(AT + 4, 2, "Go on"),
    ev.BlockStarted(AT + 4, 7, "thinking"),
    ev.BlockStarted(AT + 4, 8, "text", "c1"),
    *(ev.BlockGrew(AT + 4, 7 + at % 2, word) for at, word in enumerate("an open pass word: tok en = x".split())),
    ev.BlockEnded(AT + 5, 7),
    ev.ToolCalled(AT + 5, "e", "Edit", {"file_path": "/shop/cart.py", "old_string": "tax", "new_string": "vat"}),
    ev.ToolFinished(AT + 6, "e", "ok"),
    ev.ToolCalled(AT + 5, "w", "Write", {"file_path": "/etc/passwd", "content": "x"}),
    ev.ToolFinished(AT + 6, "w", "refused", is_error=True),
    ev.UsageReported(AT + 6, "m1", 10, 20, 0, 0, cost_usd=0.5),
    ev.UsageReported(AT + 7, "m1", 10, 30, 0, 0, cost_usd=0.75),
]  # fmt: skip


def found(text: str) -> list[tuple[str, int, str]]:
    with RunIndex() as index:
        return [(hit.run_id, hit.number, hit.kind) for hit in index.search(parse_filter(text))]


def listed(text: str = "") -> list[str]:
    with RunIndex() as index:
        return [run.run_id for run in index.runs(parse_filter(text))]


def one() -> ListedRun:
    with RunIndex() as index:
        return index.run(RUN)


def content() -> dict[str, list[Any]]:
    """All that the index says, without when and how it has learned it."""
    with RunIndex() as index:
        ask = index._connection.execute
        row = "texts.rowid & 0x3ffffffffff, text, kind FROM texts JOIN journals ON run = texts.rowid >> 42"
        texts = ask(f"SELECT run_id, {row}").fetchall()
        tables = {
            table: ask(f"SELECT run_id, {table}.* FROM {table} JOIN journals USING (run)").fetchall()
            for table in ("runs", "turns", "places", "files")
        }
    return {
        "texts": sorted(texts),
        **{name: sorted((row[0], *row[2:]) for row in rows) for name, rows in tables.items()},
    }


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maverick_tui.history.scanning.PLACE_EVERY", 4)


# -- what it says ------------------------------------------------------------------------------------------------------


def test_a_run_that_is_closed_long_after_its_last_turn_stands_where_it_was_at_work() -> None:
    worked = [*begun(), *turn(1, "Look", "Seen.")]
    keep(RUN, [*worked, ev.RunEnded(worked[-1].at + 3_600)])
    with RunIndex() as index:
        (run,) = index.runs()
    assert (run.about.last_at, run.about.ended_at) == (worked[-1].at, worked[-1].at + 3_600)


def test_a_run_is_summed_up() -> None:
    keep(RUN, STORY)
    with RunIndex() as index:
        (run,) = index.runs()
        turns = index.turns(RUN)
    about = run.about
    assert (run.run_id, run.state, run.title, run.files) == (RUN, "interrupted", "Fix the login test", ("cart.py",))
    assert (about.agent, about.folder, about.repository, about.branch) == ("reviewer", "/shop", "/shop", "main")
    assert (about.model, about.engine, about.turns, about.events) == ("sonnet", "claude-code", 2, len(STORY))
    assert (about.started_at, about.last_at, about.ended_at) == (AT, AT + 7, None)
    assert (about.input_tokens, about.output_tokens, about.cost_usd) == (20, 35, 1.0)
    assert [(one.turn, one.prompt, one.answer, one.outcome, one.calls) for one in turns] == [
        (1, "Fix the login test", "The password: [secret] was wrong.", "done", 0),
        (2, "Go on", "", "", 2),
    ]


@pytest.mark.parametrize("count", range(len(EVERYTHING) - 12, len(EVERYTHING) + 1))
def test_it_counts_as_the_screen_does(count: int) -> None:
    store = RunStore()
    for event in EVERYTHING[:count]:
        store.apply(event)
    keep(RUN, EVERYTHING[:count])
    with RunIndex() as index:
        about, name = index.run(RUN).about, index.run(RUN).name
    used = store.figures.usage
    assert (about.input_tokens, about.output_tokens) == (used.input_tokens, used.output_tokens)
    assert (about.cache_read_tokens, about.cost_usd) == (used.cache_read_tokens, used.cost_usd)
    assert (name, about.first_prompt, about.model) == (store.name, store.first_prompt, store.model)


def test_a_run_on_the_prompt_of_its_author_is_called_by_that() -> None:
    own = [ev.TurnStarted(AT, 1, ""), ev.PromptSent(AT, 1, "Show me around."), ev.TurnEnded(AT, 1, "done", ev.Usage())]
    told: list[Event] = [*begun(), *own]
    keep(RUN, told)
    store = RunStore()
    for event in told:
        store.apply(event)
    assert one().heading == store.first_prompt == "Show me around."
    keep(RUN, [*begun(), own[0]])
    assert one().heading == "(the agent's own prompt)"
    keep(RUN, begun())
    assert one().heading == "(nothing was asked)"


def states() -> Iterator[tuple[list[Event], str]]:
    failure = ev.Failure("NetworkError", "network", "gone")
    yield [*begun(), *turn(), *ended()], "done"
    yield [*begun(), *turn(), *turn(2, outcome="failed", failure=failure), *ended()], "failed"
    yield [*begun(), *turn(outcome="interrupted"), *ended()], "interrupted"
    yield [*begun(), *ended()], "ended"
    yield [*begun(), *turn(), *ended(reason="ValueError: no")], "failed"
    yield [*begun(), ev.ConnectFailed(AT, failure), *ended()], "failed"
    yield [*begun(), *turn(), ev.ConnectFailed(AT, failure), ev.Connected(AT), *ended()], "done"
    yield [*begun(), *turn()], "interrupted"


@pytest.mark.parametrize(("events", "state"), list(states()))
def test_a_state_is_what_the_run_came_to(events: list[Event], state: str) -> None:
    keep(RUN, events)
    with RunIndex() as index:
        assert index.run(RUN).state == state


def test_a_run_that_lives_is_on_top_and_interrupted_once_its_process_is_gone() -> None:
    keep_run("000000000001", AT + 99)
    keep_run("000000000002", AT + 100)
    journal = Journal(journal_of(RUN), print)
    journal.write(0, begun())
    with RunIndex() as index:
        assert [(run.run_id, run.state) for run in index.runs(limit=2)] == [(RUN, "running"), ("000000000002", "done")]
        journal.close()
        index.refresh()
        assert [run.run_id for run in index.runs()] == ["000000000002", "000000000001", RUN]
        assert index.run(RUN).state == "interrupted"


def test_every_text_is_found_at_its_event() -> None:
    keep(RUN, EVERYTHING)
    with RunIndex() as index:
        for words, kind in (("really", "prompt"), ("shall", "answer"), ("hm so", "thinking"), ("I will", "answer")):
            (hit, *_) = index.search(parse_filter(f'"{words}"'))
            assert hit.kind == kind
            assert hit.turn == 1
            assert isinstance(EVERYTHING[hit.number], ev.BlockStarted | ev.PromptSent)
            assert words.lower() in "".join(hit.snippet).lower()


def test_what_was_open_when_its_process_was_killed_is_found() -> None:
    keep(RUN, [*begun(), ev.TurnStarted(1, 1, "Go"), ev.BlockStarted(2, 1, "text"), ev.BlockGrew(3, 1, "half an ")])
    assert found("half") == [(RUN, 4, "answer")]


@pytest.mark.parametrize("is_told", [True, False])
def test_a_prompt_that_was_never_sent_is_found_until_it_is(is_told: bool) -> None:
    queued = [ev.PromptQueued(AT + 5, "p1", "my precious"), ev.PromptQueued(AT + 5, "p2", "and another")]
    dropped = [ev.PromptDropped(AT + 6, "p1"), ev.PromptDropped(AT + 6, "p2"), ev.RunEnded(AT + 6)] if is_told else []
    killed = [*begun(), *turn(), *queued, *dropped]
    keep(RUN, killed, 1)
    number = len(begun()) + len(turn())
    assert found("precious") == [(RUN, number, "prompt")]
    assert one().waiting == ["my precious", "and another"]
    sent = ev.TurnStarted(AT + 8, 2, "my precious", prompt_id="p1")
    keep(RUN, [*killed, ev.RunReopened(AT + 7), sent, ev.TurnEnded(AT + 9, 2, "done", ev.Usage())], 1)
    again = found("precious")
    assert [kind for _, _, kind in again] == ["prompt"], "once"
    assert again[0][1] > number
    assert one().waiting == ["and another"]


def test_a_long_output_is_found_to_its_end_and_a_snippet_shows_the_place() -> None:
    output = "\n".join(f"line {number} of many" for number in range(20_000)) + "\nneedle"
    keep(RUN, [*begun(), ev.TurnStarted(1, 1, "Go"), ev.ToolFinished(2, "c", output)])
    with RunIndex() as index:
        (hit,) = index.search(parse_filter("needle"))
    assert hit.number == 4
    assert hit.snippet[1] == "needle"
    assert hit.snippet[0].endswith("line 19999 of many ")
    assert found('"line 12345"') == [(RUN, 4, "output")]


def test_a_word_that_is_everywhere_is_found_in_the_best_of_the_latest_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maverick_tui.history.index._RANKED", 3)
    for number in range(5):
        keep_run(f"00000000000{number}", AT + number, answer="cart " + "and more " * (9 - number))
        os.utime(journal_of(f"00000000000{number}"), (AT + number, AT + number))
    with RunIndex() as index:
        hits = index.search(parse_filter("cart"), limit=2)
    assert [hit.run_id for hit in hits] == ["000000000004", "000000000003"]


def test_nothing_in_a_snippet_steers_a_terminal() -> None:
    keep_run(answer="\x1b[31mred\x02 alert\x1b]0;title\x07 \u202e and\r\nmore")
    with RunIndex() as index:
        (hit,) = index.search(parse_filter("alert"))
    text = "".join(hit.snippet)
    assert not {"\x1b", "\x07", "\u202e", "\r", "\n", "\x02"} & set(text)
    assert hit.snippet[1].strip() == "alert"


@pytest.mark.parametrize("text", ["\ud800 half", "nul \0 byte", "日本語", "a" * 20_000])
def test_any_text_can_be_indexed(text: str) -> None:
    keep_run(prompt=text, answer=text + " findme", agent=text[:9] or "x", cwd=text[:9])
    assert listed() == [RUN]
    assert [kind for _, _, kind in found("findme")] == ["answer"]


# -- by increments -----------------------------------------------------------------------------------------------------


@pytest.mark.explore
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 10_000), max_size=6))
def test_an_index_made_in_parts_is_the_one_made_at_once(small_steps: None, cuts: list[int]) -> None:
    path = keep(RUN, STORY)
    index_file().unlink(missing_ok=True)
    whole, at_once = path.read_bytes(), content()
    path.write_bytes(b"")
    index_file().unlink()
    with path.open("ab") as file:
        for start, end in zip((0, *sorted(cuts)), (*sorted(cuts), len(whole)), strict=True):
            file.write(whole[start:end])
            file.flush()
            listed()
    assert content() == at_once


def test_a_large_journal_is_taken_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    keep(RUN, EVERYTHING)
    at_once = content()
    monkeypatch.setattr(updating, "_LINES", 3)
    with RunIndex(is_new=True):
        pass
    assert content() == at_once


def test_a_journal_that_has_not_changed_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_run()
    assert listed() == [RUN]
    monkeypatch.setattr(Path, "open", None)
    assert listed() == [RUN]


def test_only_what_was_added_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    path = keep(RUN, [*begun(), *turn()])
    listed()
    read: list[bytes] = []
    take = Scan.take

    def watched(scan: Scan, part: Iterable[bytes]) -> None:
        taken = list(part)
        read.extend(taken)
        take(scan, taken)

    monkeypatch.setattr(Scan, "take", watched)
    added = lines([*begun(), *turn(), *ended()])[path.stat().st_size :]
    with path.open("ab") as file:
        file.write(added)
    listed()
    assert b"".join(read) == added


@pytest.mark.parametrize("way", ["other", "shorter", "same size", "gone and back"])
def test_a_journal_that_is_another_one_is_read_anew(way: str) -> None:
    path = keep_run(prompt="Before")
    listed()
    size = path.stat().st_size
    if way == "gone and back":
        path.unlink()
    keep_run(prompt={"shorter": "Aft", "same size": "Behind"}.get(way, "Afterwards, and long"))
    assert (path.stat().st_size == size) == (way == "same size")
    os.utime(path, (1, 1))
    assert found("before") == []
    with RunIndex() as index:
        assert index.run(RUN).about.turns == 1


def test_a_run_that_is_deleted_is_found_nowhere() -> None:
    keep_run(answer="hidden words")
    keep_run("000000000001", answer="other words")
    assert len(found("words")) == 2
    delete_run(RUN)
    assert found("words") == [("000000000001", 4, "answer")]
    assert listed() == ["000000000001"]


def test_no_word_of_a_run_that_is_deleted_stays_in_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def connect_as_many_do(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **named)
        connection.execute("PRAGMA secure_delete = OFF")  # Debian's SQLite begins with ON
        return connection

    def kept_words() -> set[bytes]:
        content = b"".join(file.read_bytes() for file in index_file().parent.glob("index.db*"))
        return {word for word in (b"zebrafish", b"quokka", b"Quokka", b"other") if word in content}

    monkeypatch.setattr(sqlite3, "connect", connect_as_many_do)
    keep_run("000000000001", answer="other words")
    with RunIndex() as of_another_process:
        keep_run(prompt="Quokka, please", answer="zebrafish " * 2_000)
        with RunIndex() as index:
            assert kept_words() == {b"zebrafish", b"quokka", b"Quokka", b"other"}
            delete_run(RUN)
            index.refresh()
            index.let_go_of_words()
        assert kept_words() == {b"other"}
        assert [hit.run_id for hit in of_another_process.search(parse_filter("words"))] == ["000000000001"]


def test_words_go_a_few_at_a_time_and_what_was_cut_short_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updating, "_PAGES", 20)
    keep_run("000000000001", answer=" ".join(f"kept{number}" for number in range(20_000)))
    keep_run(answer=" ".join(f"zebrafish{number}" for number in range(20_000)))
    steps = 0

    def out_of_time() -> float:
        nonlocal steps
        steps += 1
        return float(steps)

    with RunIndex() as index:
        delete_run(RUN)
        monkeypatch.setattr(updating, "monotonic", out_of_time)
        monkeypatch.setattr(updating, "_WORDS_SECONDS", 2.5)  # of these: two steps
        index.refresh()
        assert b"zebrafish" in index_file().read_bytes() + Path(f"{index_file()}-wal").read_bytes()
    for _ in range(200):
        with RunIndex() as index:  # whoever comes next goes on
            if index._connection.execute("PRAGMA application_id").fetchone() == (0,):
                break
    assert b"zebrafish" not in index_file().read_bytes()
    assert found("kept7")


def test_damage_and_a_newer_schema_are_told_and_what_came_before_is_there() -> None:
    path = keep(RUN, [*begun(), *turn(), *ended()])
    path.write_bytes(path.read_bytes() + b'{"seq": 99}\n')
    newer = journal_of("0000000000aa")
    newer.parent.mkdir()
    newer.write_text('{"seq":0,"type":"run_started","at":1,"run_id":"r","agent":"a","schema":99}\n')
    with RunIndex() as index:
        assert "damaged after 9 events" in index.run(RUN).about.problem
        assert index.run(RUN).about.turns == 1
        assert "schema 99" in index.run("0000000000aa").about.problem


@pytest.mark.parametrize(
    "usage", [ev.Usage(10**400), ev.Usage(2**63), ev.Usage(5, cost_usd=inf), ev.Usage(5, duration_ms=10**400)]
)
def test_figures_that_nobody_can_add_hide_neither_their_run_nor_others(usage: ev.Usage) -> None:
    reported = ev.UsageReported(AT + 1, "m1", *usage.tokens, cost_usd=usage.cost_usd)
    first = [*begun(), ev.TurnStarted(AT, 1, "Look"), reported, ev.TurnEnded(AT + 2, 1, "done", usage)]
    path = keep(RUN, first, 1)
    keep_run("0000000000aa")
    assert sorted(listed()) == ["0000000000aa", RUN]
    whole = [*first, *turn(2, "And then?"), *ended()]
    path.write_bytes(path.read_bytes() + lines(whole, 1).split(b"\n", len(first))[-1])
    assert sorted(listed()) == ["0000000000aa", RUN]
    about = one().about
    assert (about.outcome, about.turns, about.cost_usd) == ("done", 2, 0.25)
    assert about.input_tokens in (10, 15), "what can be read of it counts"
    assert "left out" in about.problem


def test_a_run_that_cannot_be_gone_on_with_hides_no_other() -> None:
    path = keep(RUN, [*begun(), ev.TurnStarted(AT, 1, "Look"), ev.BlockStarted(AT, "x", "text")], 1)  # type: ignore[arg-type]
    assert listed() == [RUN]
    path.write_bytes(path.read_bytes() + b"{}\n")
    keep_run("0000000000aa")
    assert sorted(listed()) == ["0000000000aa", RUN]
    assert "cannot be read" in one().about.problem


def test_what_comes_after_a_line_that_cannot_be_read_is_there_too() -> None:
    path = keep(RUN, [*begun(), *turn(), *turn(2, "And then?", "Then that.", at=AT + 4), *ended()], 1)
    lines = path.read_bytes().splitlines(keepends=True)
    number = next(at for at, line in enumerate(lines) if b"Then that." in line)
    path.write_bytes(b"".join(b"{broken\n" if at == 4 else line for at, line in enumerate(lines)))
    assert [where for _, where, _ in found("that")] == [number - 1], "the block's first event"
    assert (one().about.turns, one().state) == (2, "done")
    assert "1 line left out" in one().about.problem
    assert one().about.problem == one().about.problem
    path.write_bytes(path.read_bytes() + b"[]\n")
    assert "2 lines left out" in one().about.problem


@pytest.mark.parametrize("number", [b"NaN", b"-Infinity", b"1e999", b"1e308"])
def test_a_number_that_is_none_spoils_its_own_line_alone(number: bytes) -> None:
    keep("000000000001", [*begun(), *turn(), *ended()])
    path = keep(RUN, [*begun(), *turn(), *turn(2, at=AT + 4), *ended()])
    path.write_bytes(path.read_bytes().replace(b'"cost_usd":', b'"cost_usd":%b,"cost_was":' % number))
    assert number in path.read_bytes()
    assert len(listed()) == 2
    with RunIndex() as index:
        assert "left out" in index.run(RUN).about.problem


ODD_LINES = [
    b"[]",
    b"null",
    b"{}",
    b"\xff",
    b'{"seq":"x"}',
    b'{"seq":3,"type":7,"at":"x"}',
    b'{"seq":3,"type":"turn_started","at":1e400,"turn":[],"text":{}}',
    b'{"seq":3,"type":"usage_reported","at":1,"message":"m","input_tokens":1e30}',
    b'{"seq":3,"type":"x","at":1,"deep":' + b"[" * 9_000 + b"]" * 9_000 + b"}",
    b'{"seq":3,"type":"agent_loaded","at":1,"agent":["x"],"cwd":{}}',
]


@pytest.mark.parametrize("line", ODD_LINES)
def test_no_line_can_break_the_index(line: bytes) -> None:
    path = keep(RUN, begun())
    path.write_bytes(path.read_bytes() + line + b"\n")
    assert listed() == [RUN]
    assert listed() == [RUN]


# -- the file ----------------------------------------------------------------------------------------------------------


def _garbage(file: Path) -> None:
    file.write_bytes(b"no database at all " * 500)


def _cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _holes(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    file.write_bytes(data)


def _newer(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 999")
        connection.execute("CREATE TABLE other (x)")
    connection.close()


def _tables_gone(file: Path) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TABLE places")
    connection.close()


def _emptied(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("harm", [_garbage, _cut, _holes, _newer, _tables_gone, _emptied])
def test_an_index_that_makes_no_sense_is_made_anew(harm: Any) -> None:
    keep_run()
    tag_run(RUN, ["kept"])
    before = content()
    harm(index_file())
    assert found("see") == [(RUN, 4, "answer")]
    assert content() == before
    assert listed("tag:kept") == [RUN]


def test_where_no_index_can_be_written_runs_are_listed_and_searched_all_the_same() -> None:
    keep_run()
    index_file().mkdir()
    with RunIndex() as index:
        assert index.is_in_memory
        assert [run.run_id for run in index.runs()] == [RUN]
        assert len(index.search(parse_filter("see"))) == 1


READER = """
import fcntl, os  # nothing can be imported by somebody who may read nothing else
from maverick_tui.history.index import RunIndex
if os.geteuid() == 0:  # to whom nothing is read-only
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with RunIndex() as index:
    print(index.is_in_memory, *(run.run_id for run in index.runs()))
"""


@pytest.mark.explore
@pytest.mark.parametrize("has_index", [True, False])
def test_a_state_folder_that_is_read_only_is_listed(has_index: bool) -> None:
    journal, folder = keep_run(), index_file().parent
    if has_index:
        listed()
    for path, mode in ((journal, 0o644), (journal.parent, 0o755), (folder / "runs", 0o755), (folder, 0o555)):
        path.chmod(mode)
    try:
        ran = subprocess.run(
            [sys.executable, "-c", READER],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,  # the folders above are closed to others
            env=environment(MAVERICK_STATE_DIR="."),
        )
    finally:
        folder.chmod(0o700)
    assert (ran.stdout, ran.stderr) == (f"True {RUN}\n", "")


def test_the_index_is_for_its_user_alone() -> None:
    keep_run()
    with RunIndex():
        for file in index_file().parent.glob("index.db*"):
            assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_who_finds_the_index_locked_lists_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.01)
    keep_run()
    listed()
    keep_run("000000000001")
    other = sqlite3.connect(index_file(), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert listed() == [RUN]
    other.rollback()
    other.close()
    assert len(listed()) == 2


def test_what_another_process_was_quicker_to_write_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    keep(RUN, STORY)
    write = updating.write_scan
    late: list[None] = []

    def second(*arguments: Any, **options: Any) -> bool:
        if not late:
            late.append(None)
            listed()
        return write(*arguments, **options)

    path = journal_of(RUN)
    whole = path.read_bytes()
    path.write_bytes(whole[:900])
    listed()
    with path.open("ab") as file:
        file.write(whole[900:])
    monkeypatch.setattr(updating, "write_scan", second)
    listed()
    assert late
    once = content()
    with RunIndex(is_new=True):
        pass
    assert content() == once


WRITER = """
import sys
from maverick_tui.history.index import RunIndex
from tests.history.kept import keep_run
for number in range(15):
    keep_run(f"{sys.argv[1]}{number:010}", answer="word " * number)
    with RunIndex() as index:
        index.runs()
"""


@pytest.mark.explore
def test_two_processes_write_at_once() -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, name], env=environment()) for name in ("aa", "bb")]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len(listed()) == 30
    once = content()
    with RunIndex(is_new=True):
        pass
    assert content() == once


# -- places ------------------------------------------------------------------------------------------------------------


def test_the_end_of_a_run_is_read_without_its_beginning(small_steps: None) -> None:
    events = [*begun(), *(event for number in range(1, 30) for event in turn(number)), *ended()]
    keep(RUN, events)
    with RunIndex() as index:
        for least in (1, 7, 40, 500):
            last = index.end_of(RUN, least).events
            assert last == events[-len(last) :]
            assert min(least, len(events)) <= len(last) <= least + 5
        reading = index.around(RUN, 33)
        assert events[33] in reading.events
        assert reading.events == events[-len(reading.events) :]
        short = index.around(RUN, 33, beyond=4)
        assert short.first == reading.first <= 33
        assert short.events == events[short.first : short.first + len(short.events)]
        assert 37 <= short.first + len(short.events) <= 40, "whole lines, and no further"


def test_a_turn_that_goes_on_for_long_has_places_in_it(small_steps: None) -> None:
    blocks = [event for number in range(40) for event in ev.whole_block(number, "text", "word", AT)]
    keep(RUN, [*begun(), ev.TurnStarted(AT, 1, "Go"), *blocks], at_once=7)
    with RunIndex() as index:
        last = index.end_of(RUN, 10).events
    assert last == read_journal(journal_of(RUN)).events[-len(last) :]
    assert 10 <= len(last) < 20


# -- choosing ----------------------------------------------------------------------------------------------------------


def test_filters_choose() -> None:
    keep_run("000000000001", AT, agent="reviewer", prompt="Fix 100% of it", repository="/home/me/shop")
    keep_run("000000000002", AT + 86_400, agent="planner", outcome="failed", repository="", cwd="/tmp/parser_x")
    keep_run("000000000003", AT + 2 * 86_400, agent="Überprüfer", branch="feature/login")
    tag_run("000000000003", ["flaky", "ci"])
    name_run("000000000002", "The big plan")
    for text, ids in (
        ("", "321"),
        ("agent:REVIEW", "1"),
        ("agent:reviewer state:done", "1"),
        ("repo:shop", "31"),
        ("repo:parser_", "2"),
        ("state:failed", "2"),
        ("state:running", ""),
        ("tag:ci", "3"),
        ("tag:c", ""),
        ("100%", "1"),
        ("0%0", ""),
        ("big plan", "2"),
        ('"plan big"', ""),
        ("login", "3"),
        (f"since:{datetime.fromtimestamp(AT + 80_000).astimezone().isoformat()}", "32"),
        ("\ud800", ""),
    ):
        assert "".join(run_id[-1] for run_id in listed(text)) == ids, text
    with RunIndex() as index:
        assert index.count(parse_filter("repo:shop")) == 2
        assert [run.run_id[-1] for run in index.runs(limit=1, skip=1)] == ["2"]
        assert [hit.run_id[-1] for hit in index.search(parse_filter("see agent:planner"))] == ["2"]
        with pytest.raises(ConfigError, match="no run"):
            index.run("0000000000ff")


def test_a_name_is_the_last_one_that_was_given() -> None:
    keep(RUN, [*begun(), ev.RunNamed(AT, "In its screen"), *turn()])
    with RunIndex() as index:
        assert index.run(RUN).title == "In its screen"
        name_run(RUN, "From outside")
        index.refresh()
        assert index.run(RUN).title == "From outside"
    keep(RUN, [*begun(), ev.RunNamed(4e9, "Once more in its screen"), *turn()])
    with RunIndex() as index:
        assert index.run(RUN).title == "Once more in its screen"
