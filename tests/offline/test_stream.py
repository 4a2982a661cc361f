"""Answers as streams of events: their grammar, their pace, and references to results of tools."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui.offline.script import Pace
from maverick_tui.offline.server import OfflineServer
from tests.offline.scripts import EVERYTHING, assemble, reply_to, script, without_ids
from tests.offline.wire import ask, called, parse_events, question
from tests.support.cases import each
from tests.support.sampling import examples


async def test_a_stream_keeps_to_the_grammar() -> None:
    async with OfflineServer(script(EVERYTHING)) as server:
        response = await ask(server.url, question())
        whole = await ask(server.url, question(stream=False))
    assert response.status == whole.status == 200
    assert response.is_whole
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    message = assemble(response.events)
    assert [block["type"] for block in message["content"]] == [
        *("thinking", "text", "text", "tool_use", "tool_use", "thinking", "text")
    ]
    assert message["content"][1]["text"] == EVERYTHING["steps"][1]
    assert message["content"][3]["input"] == EVERYTHING["steps"][3]["input"]
    assert message["content"][3]["name"] == "Read"
    assert message["content"][4]["input"] == {}
    assert message["model"] == "some-model"
    assert message["role"] == "assistant"
    assert message["stop_reason"] == "tool_use"
    assert message["usage"] == {
        "input_tokens": 11,
        "output_tokens": 22,
        "cache_read_input_tokens": 33,
        "cache_creation_input_tokens": 44,
    }
    assert response.events[0]["message"]["usage"]["input_tokens"] == 11
    assert without_ids(whole.json()) == without_ids(message)


TEXTS = st.one_of(st.text(max_size=40), st.text(alphabet=" \n\ta🙂\u0301\u2028\x85\r", max_size=20))


INPUTS = st.dictionaries(
    TEXTS,
    st.recursive(st.one_of(TEXTS, st.integers(), st.booleans(), st.none()), lambda v: st.lists(v, max_size=3)),
    max_size=3,
)


@settings(max_examples=examples(40, 200))
@given(
    st.lists(
        st.one_of(
            TEXTS.map(lambda text: {"text": text}),
            TEXTS.map(lambda text: {"thinking": text}),
            INPUTS.map(lambda values: {"tool": "X", "input": values}),
            st.just({"pause": 1.0}),
            st.just({"pace": {"burst": 2, "tokens_per_second": 5}}),
        ),
        max_size=6,
    )
)
def test_every_answer_keeps_to_the_grammar(steps: list[dict[str, Any]]) -> None:
    reply = reply_to({"steps": steps})
    message = assemble(parse_events(b"".join(event.data for event in reply.events())))
    assert message == reply.message()
    said = [step for step in steps if not step.keys() & {"pause", "pace"}]
    assert [block.get("text", block.get("thinking", block.get("input"))) for block in message["content"]] == [
        step.get("text", step.get("thinking", step.get("input"))) for step in said
    ]
    assert all(event.wait >= 0 for event in reply.events())


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("hello", "end_turn"),
        ([], "end_turn"),
        ([{"tool": "Read"}], "tool_use"),
        ({"steps": ["hello"], "stop_reason": "max_tokens"}, "max_tokens"),
        ({"steps": [{"tool": "Read"}], "stop_reason": "refusal"}, "refusal"),
    ],
)
def test_why_an_answer_stops(answer: Any, reason: str) -> None:
    assert reply_to(answer).message()["stop_reason"] == reason


async def test_ids_are_unique() -> None:
    async with OfflineServer(script([{"tool": "A"}, {"tool": "B", "id": "b"}])) as server:
        messages = [assemble((await ask(server.url, question())).events) for _ in range(20)]
    ids = [message["id"] for message in messages] + [block["id"] for m in messages for block in m["content"]]
    assert len(set(ids)) == 60
    assert all(message["id"].startswith("msg_") for message in messages)
    assert all(block["id"].startswith("toolu_") for message in messages for block in message["content"])


def waits(answer: Any, pace: Pace | None = None) -> list[tuple[str, float]]:
    """The events that wait, and how long."""
    found = []
    for event in reply_to(answer, pace=pace).events():
        name = event.data.split(b"\n")[0].decode().removeprefix("event: ")
        if event.wait:
            found.append((name, round(event.wait, 6)))
    return found


TEN = " ".join(["word"] * 10)
"""Ten deltas."""


DELTA = "content_block_delta"


def test_without_a_pace_nothing_waits() -> None:
    assert waits([TEN, {"thinking": TEN}, {"tool": "Read", "input": {"a": TEN}}]) == []


def test_tokens_per_second() -> None:
    assert waits(TEN, Pace(tokens_per_second=20)) == [(DELTA, 0.05)] * 10


def test_bursts_keep_the_average() -> None:
    assert waits(TEN, Pace(tokens_per_second=20, burst=4)) == [(DELTA, 0.2)] * 3
    assert waits([TEN, TEN, TEN, TEN], Pace(tokens_per_second=20, burst=4)) == [(DELTA, 0.2)] * 10
    deltas = [
        e.wait for e in reply_to(TEN, pace=Pace(tokens_per_second=20, burst=4)).events() if DELTA.encode() in e.data
    ]
    assert [bool(wait) for wait in deltas] == [True, False, False, False, True, False, False, False, True, False]


def test_the_first_token() -> None:
    assert waits(TEN, Pace(first_token=3)) == [("message_start", 3)]
    assert waits({"steps": [TEN], "pace": {"first_token": 2}}, Pace(first_token=3)) == [("message_start", 2)]


def test_a_pause_is_before_what_follows_it() -> None:
    assert waits([{"pause": 2}, TEN]) == [("content_block_start", 2)]
    assert waits([TEN, {"pause": 2}, {"pause": 1}, TEN]) == [("content_block_start", 3)]
    assert waits([TEN, {"pause": 2}]) == [("message_delta", 2)]
    assert waits([{"pause": 2}]) == [("message_delta", 2)]


def test_a_pace_of_what_follows() -> None:
    slow = {"pace": {"tokens_per_second": 1}}
    fast: dict[str, Any] = {"pace": {}}
    assert waits(["a b", slow, "a b c", fast, "a b"], Pace(tokens_per_second=10)) == [
        *[(DELTA, 0.1)] * 2,
        *[(DELTA, 1.0)] * 3,
    ]
    assert waits(["a", {"pace": {"first_token": 5}}, "a"]) == [("content_block_start", 5)]


def test_a_pause_before_a_pace_is_kept() -> None:
    assert waits([{"pause": 2}, {"pace": {"first_token": 1}}, TEN]) == [("content_block_start", 3)]
    assert waits([TEN, {"pause": 2}, {"pace": {}}]) == [("message_delta", 2)]


def test_an_answers_pace_counts_more_than_the_scripts() -> None:
    assert waits({"steps": ["a"], "pace": {"tokens_per_second": 4}}, Pace(tokens_per_second=1)) == [(DELTA, 0.25)]
    assert waits({"steps": ["a"], "pace": {}}, Pace(tokens_per_second=1)) == []


async def test_a_paced_stream_says_the_same() -> None:
    paced = script(EVERYTHING, pace={"tokens_per_second": 2_000, "first_token": 0.01, "burst": 3})
    async with OfflineServer(paced) as server:
        one, two = await ask(server.url, question()), await ask(server.url, question(stream=False))
    assert without_ids(assemble(one.events)) == without_ids(two.json())


@each(
    ("text", "expected"),
    [
        ("It says ${look}.", "It says line one\nport 8080 open."),
        ("${look|[0-9]+}", "8080"),
        ("${look|port (\\d)(\\d)}", "8"),
        ("${look|nothing}", ""),
        ("${look|(nothing)|(port)}", "port"),
        ("${look|}", "line one\nport 8080 open"),
        ("${look|one$}", ""),
        ("${look|(?m)one$}", "one"),
        ("${look|[0-9]{4}}", "8080"),
        ("${other}", "${other}"),
        ("$look ${} ${look ${1}", "$look ${} ${look ${1}"),
        ("${look|\\d+}/${look|\\w+}", "8080/line"),
        ("${prompt|go (.+)}", "away"),
    ],
)
def test_a_reference(text: str, expected: str) -> None:
    results = {"look": "line one\nport 8080 open"}
    assert reply_to([text], results).blocks[0]["text"] == (expected or "(nothing)"), "a sentence needs a word"
    assert reply_to([{"thinking": text}], results).blocks[0]["thinking"] == expected
    tool = {"tool": "Bash", "input": {"a": [text, {"b": text}], "n": 1}}
    assert reply_to([tool], results).blocks[0]["input"] == {"a": [expected, {"b": expected}], "n": 1}


def test_what_a_result_says_is_not_a_reference() -> None:
    assert reply_to(["${a}"], {"a": "${b}", "b": "secret"}).blocks[0]["text"] == "${b}"


@pytest.mark.parametrize(
    "result",
    [
        "found it",
        [{"type": "text", "text": "found it"}],
        [{"type": "text", "text": "found"}, {"type": "image", "source": {}}, {"type": "text", "text": "it"}],
        "found it\n\n<system-reminder>\nnot part of it\n</system-reminder>",
    ],
)
async def test_results_are_found_in_the_request(result: Any) -> None:
    async with OfflineServer(script([{"tool": "Read", "id": "look"}], "It is: ${look|found\\sit}")) as server:
        first = assemble((await ask(server.url, question())).events)
        call = first["content"][0]["id"]
        answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": result}]}
        more = ({"role": "assistant", "content": first["content"]}, answer)
        assert (await ask(server.url, question("hello", *more))).text.replace("\n", " ") == "It is: found it"


async def test_the_last_result_of_a_name_counts() -> None:
    async with OfflineServer(script("", "", "${look}")) as server:
        more = (*called("look", "old"), *called("look", "new", 2))
        assert (await ask(server.url, question("hello", *more))).text == "new"
