"""The server: its events, its figures, its pace, whom it answers what, and that it leaves nothing behind."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import SystemMessage
from hypothesis import given, settings
from hypothesis import strategies as st

from maverick_tui import AgentContext, AgentError, ConfigError, MaverickConfig, extract_all_text
from maverick_tui.offline.conversation import Conversation
from maverick_tui.offline.environment import offline_environment
from maverick_tui.offline.loading import parse_script
from maverick_tui.offline.script import Answer, Pace, Script
from maverick_tui.offline.server import OfflineServer
from maverick_tui.offline.stream import Reply, prepare
from tests.offline.fault_matrix import Wiretap
from tests.offline.wire import Connection, ask, called, connect, parse_events, question
from tests.support.agents import Talker, Worker, drain
from tests.support.sampling import sampled

BOUND = 10.0
"""Seconds for what should be at once."""


def script(*answers: Any, **fields: Any) -> Script:
    """One scene with these answers."""
    return Script.model_validate({"scenes": [{"answers": list(answers)}], **fields})


def scenes(*found: dict[str, Any], **fields: Any) -> Script:
    return Script.model_validate({"scenes": list(found), **fields})


def reply_to(answer: Any, results: dict[str, str] | None = None, pace: Pace | None = None) -> Reply:
    """The answer made ready for a request."""
    conversation = Conversation(agent="", system="", prompt="go away", turn=1, step=0, results=results or {}, size=40)
    return prepare(Answer.model_validate(answer), conversation, "some-model", pace or Pace())


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


# -- the grammar -------------------------------------------------------------------------------------------------------

DELTAS = {
    "text": {"text_delta": "text"},
    "thinking": {"thinking_delta": "thinking", "signature_delta": "signature"},
    "tool_use": {"input_json_delta": "partial_json"},
}


def assemble(events: list[dict[str, Any]]) -> dict[str, Any]:
    """Reads a stream as strictly as its grammar is; gives the message that it makes."""
    rest = iter(events)
    start = next(rest)
    assert start["type"] == "message_start"
    message: dict[str, Any] = start["message"]
    assert message["content"] == []
    assert message["stop_reason"] is None
    assert next(rest) == {"type": "ping"}
    event = next(rest)
    while event["type"] == "content_block_start":
        assert event["index"] == len(message["content"])
        block = event["content_block"]
        parts: dict[str, list[str]] = {}
        while (event := next(rest))["type"] == "content_block_delta":
            assert event["index"] == len(message["content"])
            parts.setdefault(DELTAS[block["type"]][event["delta"]["type"]], []).append(
                event["delta"][DELTAS[block["type"]][event["delta"]["type"]]]
            )
        assert event == {"type": "content_block_stop", "index": len(message["content"])}
        for name, pieces in parts.items():
            assert all(pieces), "no delta is empty"
            if name == "partial_json":
                assert block["input"] == {}
                block["input"] = json.loads("".join(pieces))
            else:
                assert block[name] == ""
                block[name] = "".join(pieces)
        message["content"].append(block)
        event = next(rest)
    assert event["type"] == "message_delta"
    message |= event["delta"]
    message["usage"] |= event["usage"]
    assert list(rest) == [{"type": "message_stop"}]
    return message


EVERYTHING: dict[str, Any] = {
    "steps": [
        {"thinking": "I could, or I could not."},
        "Hello there, naïve 🙂 world.\n\n  Indented\ttext, and averyveryverylongword. ",
        "",
        {"tool": "Read", "id": "look", "input": {"file_path": "ä.txt", "limit": 3, "deep": [{"a": None}]}},
        {"tool": "Bash"},
        {"thinking": ""},
        "Bye.",
    ],
    "usage": {"input": 11, "output": 22, "cache_read": 33, "cache_write": 44},
}


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
    assert _without_ids(whole.json()) == _without_ids(message)


def _without_ids(message: dict[str, Any]) -> dict[str, Any]:
    content = [{name: value for name, value in block.items() if name != "id"} for block in message["content"]]
    return {**message, "id": "", "content": content}


TEXTS = st.one_of(st.text(max_size=40), st.text(alphabet=" \n\ta🙂\u0301\u2028\x85\r", max_size=20))
INPUTS = st.dictionaries(
    TEXTS,
    st.recursive(st.one_of(TEXTS, st.integers(), st.booleans(), st.none()), lambda v: st.lists(v, max_size=3)),
    max_size=3,
)


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
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


# -- what it reports to have used --------------------------------------------------------------------------------------


def test_estimates_count_all_that_is_written() -> None:
    def output(step: Any) -> int:
        return reply_to([step]).usage["output_tokens"]

    words = "words " * 100
    assert output(words) == pytest.approx(150, rel=0.1)
    assert output({"thinking": words}) == pytest.approx(150, rel=0.1)
    assert output({"tool": "Write", "input": {"content": words}}) == pytest.approx(150, rel=0.1)


async def test_estimates_count_all_that_was_asked() -> None:
    words = "words " * 1_000
    async with OfflineServer(script("hi")) as server:

        async def count(request: dict[str, Any]) -> int:
            response = await ask(server.url, request, path="/v1/messages/count_tokens")
            return int(response.json()["input_tokens"])

        nothing = await count(question(""))
        assert nothing < 100
        for request in (
            question(words),
            question("", system=words),
            question("", system=[{"type": "text", "text": words}]),
            question("", *called("a", words)),
        ):
            assert await count(request) - nothing == pytest.approx(1_500, rel=0.1)
            message = (await ask(server.url, request | {"stream": False})).json()
            assert message["usage"]["input_tokens"] == pytest.approx(await count(request), rel=0.01)


@asynccontextmanager
async def real_cli(played: Script, folder: Path, **settings: Any) -> AsyncIterator[tuple[OfflineServer, AgentContext]]:
    """The script, and a context whose agents talk to it through the real CLI."""
    async with OfflineServer(played) as server:
        config = MaverickConfig(env=offline_environment(server.url, folder), **settings)
        yield server, AgentContext(cwd=folder, branch="main", config=config)


USAGES = [
    {"input": 1_000, "output": 200, "cache_read": 30, "cache_write": 4},
    {"input": 5_000_000, "output": 60_001, "cache_read": 7, "cache_write": 0},
    {"input": 1, "output": 1, "cache_read": 0, "cache_write": 900},
]


async def test_usage_adds_up_to_the_token_and_references_hold_through_the_real_cli(tmp_path: Path, mark: str) -> None:
    (tmp_path / "a.txt").write_text("next: b.txt\n")
    (tmp_path / "b.txt").write_text("the end\n")
    first = {"tool": "Read", "id": "a", "input": {"file_path": "a.txt"}}
    second = {"tool": "Read", "id": "b", "input": {"file_path": "${a|next: (\\S+)}"}}
    answers = [
        {"steps": [{"thinking": "hm"}, "Once.", first], "usage": USAGES[0]},
        {"steps": [second, {"tool": "Read", "input": {"file_path": "a.txt"}}], "usage": USAGES[1]},
        {"steps": ["It says: ${b|the \\w+}"], "usage": USAGES[2]},
    ]
    async with real_cli(script(*answers, strict=True), tmp_path) as (_, context):
        outcome = await Worker().run("go", context)
    assert outcome.success, outcome
    assert outcome.output == "Once.\n\nIt says: the end"
    usage = outcome.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens) == (
        *(sum(used[name] for used in USAGES) for name in ("input", "output", "cache_read", "cache_write")),
    )


async def test_estimated_usage_adds_up_to_the_token(tmp_path: Path, mark: str) -> None:
    (tmp_path / "a.txt").write_text("hi")
    server = OfflineServer(script([{"tool": "Read", "input": {"file_path": "a.txt"}}], "It says hi. " * 50))
    wire = Wiretap(server.app)
    server.app = wire  # type: ignore[assignment]
    async with server:
        config = MaverickConfig(env=offline_environment(server.url, tmp_path))
        outcome = await Worker().run("go", AgentContext(cwd=tmp_path, branch="main", config=config))
    messages = [assemble(parse_events(bytes(body))) for body in wire.bodies]
    assert len(messages) == 2
    assert outcome.usage.input_tokens == sum(message["usage"]["input_tokens"] for message in messages)
    assert outcome.usage.output_tokens == sum(message["usage"]["output_tokens"] for message in messages)


@pytest.mark.explore
async def test_usage_of_nothing_is_nothing(tmp_path: Path, mark: str) -> None:
    async with real_cli(script({"steps": ["hi"], "usage": {"input": 0, "output": 0}}), tmp_path) as (_, context):
        outcome = await Talker().run("go", context)
    assert outcome.success, outcome
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (0, 0)


# -- its pace ----------------------------------------------------------------------------------------------------------


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
    assert _without_ids(assemble(one.events)) == _without_ids(two.json())


# -- references --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
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
    assert reply_to([text], results).blocks[0]["text"] == expected
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


# -- whom it answers what ----------------------------------------------------------------------------------------------

BY_ALL = scenes(
    {"when": {"agent": "coder", "prompt": "fix"}, "answers": ["coder fixes"]},
    {"when": {"agent": "coder"}, "answers": ["coder", "coder, after a tool"]},
    {"when": {"turn": 2}, "answers": ["second"]},
    {"when": {"prompt": "^fix (?i:THIS)$"}, "answers": ["fix this"]},
    {"when": {"system": "pirate"}, "answers": ["arr"]},
    {"answers": ["anything"]},
)


@pytest.mark.parametrize(
    ("request_", "agent", "expected"),
    [
        (question("please fix"), "coder", "coder fixes"),
        (question("hello"), "coder", "coder"),
        (question("hello", *called("a", "x")), "coder", "coder, after a tool"),
        (question("hello"), "Coder", "anything"),
        (question("fix this"), "", "fix this"),
        (question("fix this now"), "", "anything"),
        (question("hello", system="you are a pirate"), "", "arr"),
        (question("hello", system=[{"type": "text", "text": "a"}, {"type": "text", "text": "pirate"}]), "", "arr"),
        (
            question("fix this", {"role": "assistant", "content": "ok"}, {"role": "user", "content": "and"}),
            "",
            "second",
        ),
        (question("<system-reminder>\nfix this\n</system-reminder>hello"), "", "anything"),
        (question("hello<system-reminder>fix this</system-reminder>"), "", "anything"),
        (
            question(
                [{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": "fix this"}]
            ),
            "",
            "fix this",
        ),
    ],
)
async def test_the_first_scene_that_fits(request_: dict[str, Any], agent: str, expected: str) -> None:
    async with OfflineServer(BY_ALL) as server:
        headers = {"x-api-key": "k", "anthropic-version": "1", "X-Maverick-Agent": agent}
        assert (await ask(server.url, request_, headers=headers)).text == expected


async def test_the_agent_is_known_through_the_real_cli_also_if_the_user_sends_headers(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with real_cli(BY_ALL, tmp_path) as (_, context):
        pirate = await Talker(name="other", system_prompt="You are a pirate.").run("hello", context)
        monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-team: blue")
        coder = await Talker(name="coder").run("please fix", context)
    assert (pirate.output, coder.output) == ("arr", "coder fixes")


NOWHERE = "http://127.0.0.1:9"
ELSEWHERE = {
    "providers": {
        **{
            f"CLAUDE_CODE_USE_{name}": "1"
            for name in ("BEDROCK", "VERTEX", "FOUNDRY", "MANTLE", "ANTHROPIC_AWS", "ANTHROPIC_GOOGLE_CLOUD", "GATEWAY")
        },
        **{
            f"ANTHROPIC_{name}_BASE_URL": NOWHERE
            for name in ("BEDROCK", "VERTEX", "FOUNDRY", "BEDROCK_MANTLE", "AWS", "GOOGLE_CLOUD")
        },
    },
    "proxies": {
        name: NOWHERE
        for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "CLAUDE_CODE_HTTP_PROXY", "CLAUDE_CODE_PROXY_URL")
        for name in (upper, upper.lower())
    },
    "another endpoint": {
        "ANTHROPIC_BASE_URL": NOWHERE,
        "ANTHROPIC_API_KEY": "",
        "ANTHROPIC_AUTH_TOKEN": "theirs",
        "CLAUDE_CODE_OAUTH_TOKEN": "theirs",
    },
    "a socket": {"ANTHROPIC_UNIX_SOCKET": "/no/such/socket"},
}


@pytest.mark.parametrize("what", sampled(list(ELSEWHERE), 4))
async def test_what_the_user_has_set_leads_nowhere_else(
    what: str, tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ELSEWHERE[what].items():
        monkeypatch.setenv(name, value)
    async with real_cli(script("here", strict=True), tmp_path) as (_, context):
        outcome = await Talker().run("hello", context)
    assert outcome.output == "here", outcome


async def test_turns_of_a_session(tmp_path: Path, mark: str) -> None:
    played = scenes(
        {"when": {"turn": 1}, "answers": [[{"tool": "Bash", "input": {"command": "true"}}], "one"]},
        {"when": {"turn": 2}, "answers": ["two"]},
        {"when": {"turn": 3, "prompt": "third"}, "answers": ["three"]},
        strict=True,
    )
    async with real_cli(played, tmp_path) as (_, context), Worker().session(context) as session:
        said = [
            extract_all_text((await drain(session.query(f"the {word}")))[0]) for word in ("first", "second", "third")
        ]
    assert said == ["one", "two", "three"]


async def test_a_repeated_request_gets_the_same_answer() -> None:
    async with OfflineServer(script(EVERYTHING, "two", "three")) as server:
        request = question("hello", *called("a", "x"))
        assert [(await ask(server.url, request)).text for _ in range(3)] == ["two"] * 3
        first = [_without_ids(assemble((await ask(server.url, question())).events)) for _ in range(3)]
    assert first[0] == first[1] == first[2]


# -- faults that pass --------------------------------------------------------------------------------------------------

ONCE = {"steps": ["back again"], "fault": {"kind": "http", "status": 429, "headers": {"retry-after": "1"}, "times": 1}}


async def test_a_fault_strikes_so_many_times() -> None:
    fault = {"kind": "http", "status": 529, "message": "later", "times": 2}
    async with OfflineServer(script({"steps": ["now"], "fault": fault}, {"steps": ["x"], "fault": fault})) as server:
        got = [await ask(server.url, question()) for _ in range(4)]
        other = await ask(server.url, question("hello", *called("a", "x")))
    assert [response.status for response in got] == [529, 529, 200, 200]
    assert got[0].json() == {"type": "error", "error": {"type": "overloaded_error", "message": "later"}}
    assert got[3].text == "now"
    assert other.status == 529, "each answer counts its own"


async def test_a_limit_that_passes_and_a_stream_that_breaks_once_are_asked_for_again_by_the_cli(
    tmp_path: Path, mark: str
) -> None:
    broken = {"steps": ["whole at last"], "fault": {"kind": "drop", "at": "text", "times": 1}}
    played = scenes({"when": {"turn": 1}, "answers": [ONCE]}, {"when": {"turn": 2}, "answers": [broken]}, strict=True)
    async with real_cli(played, tmp_path, api_retries=1) as (server, context), Talker().session(context) as session:
        got, error = await drain(session.query("hello"))
        assert len(server.app.requests) == 2
        more, trouble = await drain(session.query("and more"))
    assert (error, trouble) == (None, None)
    assert extract_all_text(got) == "back again"
    assert extract_all_text(more).endswith("whole at last")
    retries = [m.data for m in got if isinstance(m, SystemMessage) and m.subtype == "api_retry"]
    assert [(retry["error_status"], retry["retry_delay_ms"]) for retry in retries] == [(429, 1000)]


# -- strict ------------------------------------------------------------------------------------------------------------


async def test_strict_and_played_as_written() -> None:
    async with OfflineServer(script("one", "two", strict=True)) as server:
        assert (await ask(server.url, question("hello", *called("a", "x")))).text == "two"
        assert (await ask(server.url, question())).text == "one"


async def test_strict_and_not_all_was_asked_for() -> None:
    played = scenes({"name": "greet", "answers": ["one", "two"]}, {"answers": ["three"]}, strict=True)
    with pytest.raises(AgentError, match="answer 2 of scene greet; not used: answer 1 of scene 2") as raised:
        async with OfflineServer(played) as server:
            await ask(server.url, question())
    assert raised.value.kind == "invalid"


async def test_strict_and_asked_for_more() -> None:
    server = OfflineServer(scenes({"when": {"prompt": "hello"}, "answers": ["one"]}, strict=True))
    await server.start()
    assert (await ask(server.url, question())).status == 200
    refused = await ask(server.url, question("goodbye"))
    again = await ask(server.url, question("hello", *called("a", "x")))
    with pytest.raises(AgentError, match=r"not in the script: .*'goodbye'.*; not in the script: .*answer 2"):
        await server.__aexit__(None, None, None)
    assert (refused.status, again.status) == (400, 400)
    assert "no answer for prompt 1" in refused.json()["error"]["message"]


async def test_strict_does_not_hide_another_error() -> None:
    with pytest.raises(KeyError):
        async with OfflineServer(script("one", strict=True)):
            raise KeyError


async def test_not_strict_says_what_is_missing() -> None:
    async with OfflineServer(scenes({"when": {"prompt": "hello"}, "answers": ["one"]})) as server:
        response = await ask(server.url, question("goodbye"))
    assert response.status == 200
    assert response.text == "The script has no answer for prompt 1, step 1."


async def test_strict_through_the_real_cli(tmp_path: Path, mark: str) -> None:
    with pytest.raises(AgentError, match="not in the script"):
        async with real_cli(scenes({"when": {"prompt": "x"}, "answers": ["one"]}, strict=True), tmp_path) as (
            _,
            context,
        ):
            outcome = await Talker().run("hello", context)
    assert not outcome.success
    assert "no answer for prompt 1" in outcome.errors[0].message


# -- many at once, and those who leave ---------------------------------------------------------------------------------


async def test_twenty_clients_at_once() -> None:
    found = [{"when": {"prompt": f"^client {n}$"}, "answers": [f"{n} " * 50, f"{n}: ${{look}}"]} for n in range(20)]
    async with OfflineServer(scenes(*found, pace={"tokens_per_second": 500}, strict=True)) as server:

        async def client(number: int) -> tuple[str, str]:
            async with connect(server.url) as connection:
                first = await connection.ask(question(f"client {number}"))
                second = await connection.ask(question(f"client {number}", *called("look", f"saw {number}")))
            return first.text, second.text

        got = await asyncio.gather(*map(client, range(20)))
    assert got == [(f"{n} " * 50, f"{n}: saw {n}") for n in range(20)]


async def under_way() -> int:
    """Answers that the server is giving."""
    return sum("run_asgi" in repr(task.get_coro()) for task in asyncio.all_tasks())


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(BOUND):
        while await condition():
            await asyncio.sleep(0.01)


SLOW: dict[str, tuple[Script, bool]] = {
    "a paced stream": (script("word " * 10_000, pace={"tokens_per_second": 100}), True),
    "a pause": (script(["word " * 10, {"pause": 3600}, "more"]), True),
    "a first token": (script("word", pace={"first_token": 3600}), True),
    "a stall": (script({"steps": ["word " * 10], "fault": {"kind": "stall"}}), True),
    "slow headers": (script({"steps": ["word"], "fault": {"kind": "slow_headers", "seconds": 3600}}), True),
    "an answer in one piece": (script("word " * 10, pace={"first_token": 3600}), False),
    "a stall of one piece": (script({"steps": ["word"], "fault": {"kind": "stall"}}), False),
}


async def begin(connection: Connection, name: str) -> None:
    """Ask, and read until the answer is under way."""
    await connection.send(question(stream=SLOW[name][1]))
    if name in ("a paced stream", "a pause", "a stall"):
        await connection.reader.readuntil(b"text_delta")
    await asyncio.sleep(0.05)
    assert await under_way() == 1


@pytest.mark.parametrize("name", SLOW)
async def test_a_client_that_goes_away_frees_the_server(name: str) -> None:
    async with OfflineServer(SLOW[name][0]) as server:
        async with connect(server.url) as connection:
            await begin(connection, name)
        await until(under_way)


async def test_a_client_that_does_not_read_and_goes_away() -> None:
    async with OfflineServer(script("word " * 400_000)) as server:
        async with connect(server.url) as connection:
            await connection.send(question())
            await connection.head()
            await asyncio.sleep(0.3)
            assert await under_way() == 1, "it waits for the client"
        await until(under_way)


async def test_a_client_that_goes_away_in_its_request() -> None:
    async with OfflineServer(script("hello", strict=True)) as server:
        async with connect(server.url) as connection:
            connection.writer.write(b"POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{")
            await connection.writer.drain()
            await asyncio.sleep(0.05)
        await until(under_way)
        assert server.app.requests == []
        assert (await ask(server.url, question())).text == "hello"


async def test_several_requests_on_one_connection() -> None:
    async with OfflineServer(script("one", "two")) as server, connect(server.url) as connection:
        assert (await connection.ask(question())).text == "one"
        assert (await connection.ask(question("hello", *called("a", "x")))).text == "two"
        assert (await connection.ask(None, method="GET", path="/")).json() == {"status": "offline model"}
        assert (await connection.ask(b"nonsense")).status == 400
        assert (await connection.ask(question(stream=False))).json()["content"] == [{"type": "text", "text": "one"}]


# -- beginning and end -------------------------------------------------------------------------------------------------


def sockets() -> set[str]:
    """The sockets that this process holds."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = str(entry.readlink())
        except OSError:
            continue
        if target.startswith("socket:"):
            found.add(target)
    return found


@pytest.mark.parametrize("name", sampled(list(SLOW), 3))
async def test_stop_while_an_answer_is_under_way(name: str) -> None:
    tasks, held = asyncio.all_tasks(), sockets()
    server = OfflineServer(SLOW[name][0])
    await server.start()
    async with connect(server.url) as connection:
        await begin(connection, name)
        async with asyncio.timeout(BOUND):
            await server.stop()
            assert asyncio.all_tasks() == tasks, "no task is left"
            await connection.reader.read()  # the connection has ended
    await asyncio.sleep(0.01)
    assert sockets() == held
    gc.collect()  # what was not closed would warn, and warnings are errors


async def test_stop_while_a_client_does_not_read() -> None:
    tasks = asyncio.all_tasks()
    server = OfflineServer(script("word " * 400_000))
    await server.start()
    async with connect(server.url) as connection:
        await connection.send(question())
        await connection.head()
        await asyncio.sleep(0.2)
        held = sockets()
        async with asyncio.timeout(BOUND):
            await server.stop()
        assert asyncio.all_tasks() == tasks
        await asyncio.sleep(0.01)
        assert len(held - sockets()) == 2, "neither the listener is left nor the connection"


async def test_stop_ends_idle_connections() -> None:
    tasks, held = asyncio.all_tasks(), sockets()
    async with OfflineServer(script("hello")) as server, connect(server.url) as connection:
        await connection.ask(question())
        await server.stop()
        assert await connection.reader.read() == b""
    await asyncio.sleep(0.01)
    assert asyncio.all_tasks() == tasks
    assert sockets() == held


async def test_stop_without_start_and_twice() -> None:
    server = OfflineServer(script("hello"))
    await server.stop()
    await server.start()
    await server.stop()
    await server.stop()


async def test_a_start_that_is_cancelled_leaves_nothing() -> None:
    tasks, held = asyncio.all_tasks(), sockets()
    starting = asyncio.create_task(OfflineServer(script("hello")).start())
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait({starting})
    await asyncio.sleep(0.3)
    assert asyncio.all_tasks() == tasks
    assert sockets() == held


async def test_it_can_be_started_again_at_the_same_port() -> None:
    async with OfflineServer(script("one")) as server:
        assert (await ask(server.url, question())).text == "one"
    port = int(server.url.rsplit(":", 1)[1])
    async with OfflineServer(script("two"), port=port) as again:
        assert again.url == server.url
        assert (await ask(again.url, question())).text == "two"


def listening(port: int) -> list[str]:
    """Where somebody listens on this port, as the kernel writes it."""
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            _, local, _, state = line.split()[:4]
            address, number = local.split(":")
            if state == "0A" and int(number, 16) == port:
                found.append(address)
    return found


async def test_it_listens_on_loopback_only() -> None:
    async with OfflineServer(script("hello")) as server:
        host, port = server.url.removeprefix("http://").split(":")
        assert host == "127.0.0.1"
        assert listening(int(port)) == ["0100007F"]
    assert listening(int(port)) == []


async def test_the_system_chooses_the_port() -> None:
    async with OfflineServer(script("one")) as one, OfflineServer(script("two")) as two:
        assert one.url != two.url
        assert (await ask(one.url, question())).text == "one"
        assert (await ask(two.url, question())).text == "two"


async def test_a_port_that_is_taken() -> None:
    held = sockets()
    async with OfflineServer(script("hello")) as server:
        port = int(server.url.rsplit(":", 1)[1])
        with pytest.raises(ConfigError, match=f"{port}.*in use") as raised:
            await OfflineServer(script("hello"), port=port).start()
        assert "0 for a free one" in raised.value.hint
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        with pytest.raises(ConfigError):
            await OfflineServer(script("hello"), port=other.getsockname()[1]).start()
    await asyncio.sleep(0.01)
    assert sockets() == held


async def test_a_port_that_there_is_not() -> None:
    held = sockets()
    for port in (-1, 65_536, 10**20):
        with pytest.raises(ConfigError, match=str(port)):
            await OfflineServer(script("hello"), port=port).start()
    gc.collect()
    assert sockets() == held


def test_a_server_for_each_event_loop() -> None:
    for _ in range(3):

        async def once() -> str:
            async with OfflineServer(parse_script("scenes: [{answers: [hi]}]")) as server:
                return (await ask(server.url, question())).text

        assert asyncio.run(once()) == "hi"
