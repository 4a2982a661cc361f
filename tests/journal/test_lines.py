"""What is read from a journal is what was told, whatever it was, however it was cut, and without secrets."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.events import kinds as ev
from maverick_tui.events.kinds import Event, NewerSchemaError
from maverick_tui.history.scanning import Scan
from maverick_tui.journal.following import Follower
from maverick_tui.journal.lines import Decoder, Encoder
from maverick_tui.journal.masked_events import MaskedEvents
from maverick_tui.journal.reading import read_journal
from maverick_tui.masking.redact import MASK, conceal
from tests.masking.examples import FIELDS, RANDOM
from tests.masking.keys import a_key, told_of
from tests.runs.test_store import EVERYTHING
from tests.support.cases import each
from tests.support.sampling import examples


def kept(events: list[Event], *ends: int) -> bytes:
    """The lines of these events, written in parts that end there."""
    encoder = Encoder()
    places = sorted({0, *(end for end in ends if end < len(events)), len(events)})
    return b"".join(encoder.lines(start, events[start:end]) for start, end in pairwise(places))


def read(lines: bytes) -> list[Event]:
    decoder = Decoder()
    decoder.add(lines.splitlines())
    return decoder.events


@given(st.lists(st.integers(1, len(EVERYTHING) - 1), max_size=9))
@settings(max_examples=examples(20, 100))
def test_every_kind_of_event_comes_back_as_it_was(ends: list[int]) -> None:
    assert read(kept(EVERYTHING, *ends)) == EVERYTHING


def test_numbers_that_no_line_may_have_are_written_as_text() -> None:
    given = {
        "offset": 1e308,
        "more": [-1.5e301, {"a": 9.9e300, "b": math.inf, "c": 1e-308, "d": 10**400}],
        "said": "1e+308",
    }
    told = {
        "offset": "1e+308",
        "more": ["-1.5e+301", {"a": 9.9e300, "b": "inf", "c": 1e-308, "d": 10**400}],
        "said": "1e+308",
    }
    events = [ev.ToolCalled(1.0, "c", "Read", given), ev.ToolFinished(2.0, "c", "1e+308", detail=given)]
    assert read(kept(events)) == [
        ev.ToolCalled(1.0, "c", "Read", told),
        ev.ToolFinished(2.0, "c", "1e+308", detail=told),
    ]
    lines = MaskedEvents().add(0, events)
    assert [type(event) for event in lines] == [ev.ToolCalled, ev.ToolFinished]


def test_what_is_concealed_is_masked_from_the_very_next_line_on() -> None:
    encoder = Encoder()
    encoder.lines(0, [ev.BlockStarted(1.0, 1, "text"), ev.BlockGrew(1.0, 1, "Hello. ")])
    conceal(["only-a-server-knows"])
    written = encoder.lines(2, [ev.BlockGrew(1.1, 1, "only-a-server-knows "), ev.BlockEnded(1.2, 1)])
    written += encoder.lines(4, [ev.Noticed(1.3, "told", "only-a-server-knows")])
    assert b"only-a-server-knows" not in written


WORDS = st.sampled_from(["a", "token", ": ", " ", "\n", "cafe", "\ud800", "ü", "\u2028", '"'])
TEXTS = st.lists(WORDS, max_size=4).map("".join)


@given(st.lists(st.tuples(st.integers(1, 3), TEXTS), max_size=30), st.lists(st.integers(1, 30), max_size=6))
def test_blocks_that_grow_side_by_side_come_back_as_they_were(grown: list[tuple[int, str]], ends: list[int]) -> None:
    events: list[Event] = [
        *(ev.BlockStarted(1.5, block, "text") for block in (1, 2, 3)),
        *(ev.BlockGrew(2 + number / 1000, block, text) for number, (block, text) in enumerate(grown)),
        ev.BlockEnded(9, 1),
        ev.TurnEnded(10, 1, "done", ev.Usage()),
    ]
    assert read(kept(events, *ends)) == events


def test_a_batch_is_one_line() -> None:
    events: list[Event] = [ev.BlockGrew(5 + number / 100, 1, f"word {number}, ") for number in range(20)]
    lines = kept(events).splitlines()
    assert len(lines) == 1
    assert len(lines[0]) < 20 * 20


def test_what_is_torn_off_is_not_missed_before() -> None:
    events: list[Event] = [
        ev.BlockStarted(1, 1, "text"),
        ev.BlockGrew(2, 1, "Then password: hun"),
        ev.Noticed(3, "x", ""),
    ]
    assert read(kept(events)) == [events[0], ev.BlockGrew(2, 1, "Then "), events[2]]
    whole: list[Event] = [*events, ev.BlockGrew(4, 1, "ter and go"), ev.BlockEnded(5, 1)]
    assert read(kept(whole, 2, 3, 4)) == whole


def test_secrets_are_masked_in_every_field() -> None:
    events: list[Event] = [
        ev.TurnStarted(1, 1, f"password: {RANDOM}"),
        ev.ToolCalled(2, "c", "Bash", {"command": f"curl -u me:{RANDOM} host", "api_key": RANDOM}),
        ev.ToolFinished(3, "c", f"token={RANDOM}", detail={"stdout": f"password = '{RANDOM}'"}),
        ev.TurnEnded(
            4, 1, "failed", ev.Usage(), failure=ev.Failure("E", "k", f"API_KEY={RANDOM}", causes=(f"token={RANDOM}",))
        ),
    ]
    lines = kept(events)
    assert RANDOM.encode() not in lines
    assert lines.count(MASK.encode()) >= 6


def streamed(kind: ev.BlockKind, text: str, *cuts: int) -> str:
    """What a block says that came in these pieces, as it is read."""
    events: list[Event] = [
        ev.BlockStarted(1, 1, kind),
        *(ev.BlockGrew(2, 1, text[start:end]) for start, end in pairwise((0, *cuts, len(text)))),
        ev.BlockEnded(3, 1),
    ]
    return "".join(event.text for event in read(kept(events, *range(len(events)))) if isinstance(event, ev.BlockGrew))


@each(
    ("secret", "data"),
    [*FIELDS, ('hunter2"', {"a": [{"db_pwd": 'hunter2"\\'}, "x"]}), ("hunter2", {"api key": ["hunter2"]})],
)
def test_what_arguments_hold_under_the_name_of_a_secret_is_masked_while_they_come(secret: str, data: object) -> None:
    text, parts = json.dumps({"before": 1, "data": data, "after": "}"}), (secret[:4], secret[4:])
    told = [streamed("tool", text, at) for at in range(1, len(text))]
    told.append(streamed("tool", text, *range(1, len(text))))
    for one in told:
        assert MASK in one
        assert not any(part in one for part in parts), one
        assert one.endswith(', "after": "}"}')


def test_other_arguments_are_told_as_they_come_and_so_is_json_in_an_answer() -> None:
    text = json.dumps(
        {"max_tokens": 5, "is_secret": True, "token": "", "keys": [], "a": {"b": 'x"y\\'}, "pw": None, "pin_key": 0}
    )
    assert streamed("tool", text, *range(1, len(text), 3)) == text
    text = json.dumps({"db_pwd": "hunter2"})
    assert streamed("text", text, 15) == text


def test_the_lines_of_a_key_are_masked_in_the_patch_of_a_file_and_what_the_tool_says_beside_it() -> None:
    key = a_key("RSA", "indented", 4, 64, is_cut=False)
    lines = key.text.split("\n")
    hunk = {"oldStart": 3, "newStart": 3, "lines": [*(f"-{line}" for line in lines), *(f"+  {line}" for line in lines)]}
    detail = {"oldString": key.text, "structuredPatch": [hunk]}
    said = "\n".join(f"{number:>6}\u2192{line.strip()}" for number, line in enumerate(key.body[2:4], 5))
    (finished,) = read(kept([ev.ToolFinished(1, "c", said, detail=detail)]))
    assert isinstance(finished, ev.ToolFinished)
    assert told_of(key, f"{finished}") == []
    (patch,) = finished.detail["structuredPatch"]
    assert [line[0] for line in patch["lines"]] == [line[0] for line in hunk["lines"]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("odd", [math.nan, math.inf, 1e308, -1e301, {1, 2}, b"bytes", object()])
def test_what_json_has_no_word_for_is_kept_as_text(odd: object) -> None:
    (event,) = read(kept([ev.ToolFinished(1, "c", "", detail={"odd": [odd]})]))
    assert isinstance(event, ev.ToolFinished)
    assert isinstance(event.detail["odd"][0], str)


def test_what_json_has_no_word_for_tells_no_secret() -> None:
    lines = kept([ev.ToolFinished(1, "c", "", detail={"odd": {f"token={RANDOM}"}})])
    assert RANDOM.encode() not in lines


@pytest.mark.parametrize("depth", [70, 900, 5_000])
def test_what_is_nested_too_deeply_ends_nothing(depth: int) -> None:
    deep: dict[str, Any] = {"password": RANDOM}
    for _ in range(depth):
        deep = {"in": deep}
    lines = kept([ev.ToolCalled(1, "c", "Bash", {"first": "kept", **deep})])
    assert RANDOM.encode() not in lines
    (event,) = read(lines)
    assert isinstance(event, ev.ToolCalled)
    assert event.arguments["first"] == "kept"


def test_what_a_newer_version_tells_beside_is_passed_over_and_counted() -> None:
    lines = [{"seq": 0, "type": "run_started", "at": 1, "run_id": "r", "agent": "a", "schema": 1, "colour": "red"},
             {"seq": 1, "type": "star_seen", "at": 2}, {"seq": 2, "type": "run_ended", "at": 3}]  # fmt: skip
    events = read("\n".join(map(json.dumps, lines)).encode())
    assert events[0] == ev.RunStarted(1, "r", "a")
    assert isinstance(events[1], ev.Noticed)
    assert "star_seen" in events[1].text
    assert events[2] == ev.RunEnded(3)


def test_a_value_that_a_newer_version_knows_is_told_as_such_and_is_no_damage(tmp_path: Path) -> None:
    """A value may be added as a kind may, without being another schema."""
    lines = [{"seq": 0, "type": "run_started", "at": 1, "run_id": "r", "agent": "a", "schema": 1},
             {"seq": 1, "type": "turn_ended", "at": 2, "turn": 1, "outcome": "postponed", "usage": {}},
             {"seq": 2, "type": "run_ended", "at": 3}]  # fmt: skip
    journal = tmp_path / "events.jsonl"
    journal.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    reading = read_journal(journal)
    assert (reading.problem, reading.is_cut) == ("", False)
    why = "turn_ended is not known to this version: outcome is not one of done, interrupted, failed."
    assert reading.events == [ev.RunStarted(1, "r", "a"), ev.Noticed(2, "unknown", why), ev.RunEnded(3)]
    follower = Follower(journal)
    assert (follower.more(), follower.problem) == (reading.events, "")
    scan = Scan()
    scan.take(journal.read_bytes().splitlines(keepends=True))
    assert (scan.number, scan.summary.problem) == (3, "")


@pytest.mark.parametrize("change", [{"outcome": 1}, {"outcome": None}, {"turn": "first"}, {"usage": []}])
def test_a_field_that_no_version_has_like_that_is_damage(change: dict[str, Any]) -> None:
    good = {"seq": 0, "type": "turn_ended", "at": 2, "turn": 1, "outcome": "done", "usage": {}}
    assert read(json.dumps(good).encode())
    with pytest.raises(ValueError, match=next(iter(change))):
        read(json.dumps({**good, **change}).encode())


@pytest.mark.parametrize("more", [
    {"type": "run_started", "run_id": "r", "agent": "a"}, {"type": "run_started", "run_id": 7, "agents": ["a"]},
    {"type": "run_reopened"}, {"type": "run_reopened", "schema": 2.0},
], ids=["as today", "otherwise", "gone on with", "as a float"])  # fmt: skip
def test_another_schema_is_said_to_be_newer(more: dict[str, Any]) -> None:
    """Whatever else has changed in it: the number is looked at first. A run may go on in a newer one than it began."""
    line = json.dumps({"seq": 0, "at": 1, "schema": 2, **more}).encode() + b"\n"
    with pytest.raises(NewerSchemaError, match="schema 2; 1 can be read"):
        read(line)
    scan = Scan()
    scan.take([line])
    assert scan.is_newer
    assert "schema 2; 1 can be read" in scan.summary.problem


@pytest.mark.parametrize(
    "line",
    ["[]", "{", '{"seq":1,"type":"run_ended","at":1}', '{"type":"block_text","seqs":[0],"text":["x"]}', '{"seq":0}'],
)
def test_what_no_journal_has_is_refused(line: str) -> None:
    with pytest.raises((ValueError, LookupError)):
        read(line.encode())
