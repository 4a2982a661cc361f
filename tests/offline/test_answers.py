"""Whom the server answers what: scenes, faults that pass, and scripts that must be played as written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import SystemMessage

from maverick_tui import AgentError, extract_all_text
from maverick_tui.offline.server import OfflineServer
from tests.offline.scripts import EVERYTHING, assemble, real_cli, scenes, script, without_ids
from tests.offline.wire import ask, called, question
from tests.support.agents import Talker, Worker, drain
from tests.support.sampling import sampled

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
            question("<local-command-caveat>x</local-command-caveat>\n<command-name>/model</command-name>\nfix this"),
            "",
            "fix this",
        ),
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


PIRATE = {"name": "other", "system_prompt": "You are a pirate."}


# Those without the headers ask in most tests of the CLI.
@pytest.mark.explore  # the demo's scenes know it so
@pytest.mark.parametrize(
    ("agent", "headers", "prompt", "expected"),
    sampled([({"name": "coder"}, "x-team: blue", "please fix", "coder fixes"), (PIRATE, "", "hello", "arr")], 2),
)
async def test_the_agent_is_known_through_the_real_cli_also_if_the_user_sends_headers(
    agent: dict[str, Any],
    headers: str,
    prompt: str,
    expected: str,
    tmp_path: Path,
    mark: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with real_cli(BY_ALL, tmp_path) as (_, context):
        if headers:
            monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", headers)
        outcome = await Talker(**agent).run(prompt, context)
    assert outcome.output == expected


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


@pytest.mark.explore  # most scripts of sessions elsewhere have turns
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
        first = [without_ids(assemble((await ask(server.url, question())).events)) for _ in range(3)]
    assert first[0] == first[1] == first[2]


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


@pytest.mark.explore  # retries of the CLI are in the table of failures
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


@pytest.mark.explore  # the demo is strict in `test_demo.py`
async def test_strict_through_the_real_cli(tmp_path: Path, mark: str) -> None:
    with pytest.raises(AgentError, match="not in the script"):
        async with real_cli(scenes({"when": {"prompt": "x"}, "answers": ["one"]}, strict=True), tmp_path) as (
            _,
            context,
        ):
            outcome = await Talker().run("hello", context)
    assert not outcome.success
    assert "no answer for prompt 1" in outcome.errors[0].message
