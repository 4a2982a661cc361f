"""The wire: our messages as the API takes them, and its events as our answer, also where they make little sense."""

from __future__ import annotations

from typing import Any

import pytest

from maverick_tui.exceptions import MalformedResponseError
from maverick_tui.executor import (
    Message,
    Response,
    Role,
    StopReason,
)
from maverick_tui.executor.model.messages import Delta, Thought, distinct_id
from maverick_tui.executor.model.wire import AnswerReader, message_blocks
from maverick_tui.executor.strict_json import MOST_NESTED
from maverick_tui.usage import Usage
from tests.executor.support import check_history

HELLO = (Message.user("hello"),)
DEEP = '{"a": ' + "[" * MOST_NESTED + "]" * MOST_NESTED + "}"
"""Python reads it, and where it is called from deep enough it cannot write it again."""


async def test_redacted_thoughts_are_given_back_and_lone_ones_are_not() -> None:
    hidden = Message(Role.ASSISTANT, "Yes.", thoughts=(Thought(redacted="xyz"), Thought("a", "s")))
    alone = Message(Role.ASSISTANT, " ", thoughts=(Thought("a", "s"),))
    sent = message_blocks([*HELLO, hidden, Message.user("Go on."), alone, Message.user("Well?")], cache=False)
    assert sent[1]["content"][0] == {"type": "redacted_thinking", "data": "xyz"}
    assert sent[1]["content"][1] == {"type": "thinking", "thinking": "a", "signature": "s"}
    assert sent[2]["content"] == [{"type": "text", "text": "Go on."}, {"type": "text", "text": "Well?"}]


def feed(*events: dict[str, Any], **options: Any) -> Response:
    reader = AnswerReader(None, **options)
    for event in events:
        reader.feed(event)
    return reader.response


def use(arguments: str, call_id: str = "c1", index: int = 0) -> list[dict[str, Any]]:
    block = {"type": "tool_use", "id": call_id, "name": "t", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": arguments}
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        {"type": "content_block_delta", "index": index, "delta": delta},
    ]


@pytest.mark.parametrize("text", ["{oops", "[1]", "null", '{"a": NaN}', '{"a": -1e999}', "[" * 100_000, DEEP])
def test_arguments_that_are_no_json_object_are_kept_for_the_model_to_be_told(text: str) -> None:
    [wanted] = feed(*use(text)).tool_calls
    assert (wanted.arguments, wanted.invalid) == ({}, text)


def test_halves_of_characters_do_not_make_the_next_request_unsendable() -> None:
    [wanted] = feed(*use('{"a": ["\\ud83d\\ude00", "\\ud800"]}')).tool_calls
    assert wanted.arguments == {"a": ["😀", "\ufffd"]}
    check_history(
        [
            Message.user("x\ud800"),
            Message(Role.ASSISTANT, "y\udfff\ud83d\ude00", (wanted,)),
            Message.result(wanted.id, "\udcff.txt"),
        ]
    )


def test_ids_that_are_taken_are_replaced_as_they_come() -> None:
    heard: list[Delta] = []
    reader = AnswerReader(heard.append, {"c1"})
    for event in (*use("{}"), *use("{}", index=1)):
        reader.feed(event)
    assert [one.id for one in reader.response.tool_calls] == ["c1_2", "c1_3"]
    assert [delta.id for delta in heard if delta.kind == "tool"] == ["c1_2", "c1_3"]


def test_events_that_are_unknown_are_passed_over_and_broken_ones_are_not() -> None:
    assert feed({"type": "something_new", "x": 1}) == Response()
    window = {"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}, "usage": {}}
    assert feed(window).stop_reason is StopReason.MAX_TOKENS
    for broken in ({}, {"type": "content_block_stop"}, {"type": "content_block_delta", "index": 0, "delta": {}}):
        with pytest.raises(MalformedResponseError):
            feed(broken)


def starts_with(usage: Any) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": "m", "model": "x", "usage": usage}}


def test_counts_that_nobody_could_store_or_add_up_are_no_answer() -> None:
    for count in (10**12 + 1, 2**53, 2**63, 10**400):
        for name in ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"):
            delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {name: count}}
            for broken in (starts_with({name: count}), delta):
                with pytest.raises(MalformedResponseError, match="no number of tokens"):
                    feed(broken)
    assert feed(starts_with({"input_tokens": 10**12, "output_tokens": -5, "other": 10**400})).usage == Usage(10**12)


@pytest.mark.parametrize("block", [{"id": {"a": 1}, "name": "t"}, {"id": "c1", "name": ["t"]}, {"id": "c1", "name": 5}])
def test_a_call_whose_id_or_name_is_no_text_is_no_answer(block: dict[str, Any]) -> None:
    with pytest.raises(MalformedResponseError, match="not text"):
        feed({"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", **block, "input": {}}})


def test_an_answer_without_end_is_none() -> None:
    start = {"type": "content_block_start", "content_block": {"type": "text", "text": ""}}
    grew = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x" * 1_000_000}}
    with pytest.raises(MalformedResponseError, match="it has no end"):
        feed({**start, "index": 0}, *[grew] * 9)
    with pytest.raises(MalformedResponseError, match="blocks without end"):
        feed(*({**start, "index": index} for index in range(10_001)))
    with pytest.raises(MalformedResponseError, match="one index"):
        feed({**start, "index": 0}, {**start, "index": 0})


def test_an_id_that_is_used_again_gets_the_next_number_however_many_there_are() -> None:
    looked = 0

    class Taken(set[str]):
        def __contains__(self, name: object) -> bool:
            nonlocal looked
            looked += 1
            return super().__contains__(name)

    taken, given = Taken(), list[str]()
    for _ in range(1_000):
        given.append(distinct_id("c", taken))
        taken.add(given[-1])
    assert given == ["c", *(f"c_{number}" for number in range(2, 1_001))]
    assert looked < 30_000
    assert distinct_id("", {"call"}) == "call_2"
