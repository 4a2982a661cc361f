"""What a cassette holds: no secrets, and nothing of the machine and its user."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from claude_agent_sdk import ClaudeAgentOptions

from maverick_tui import extract_all_text
from maverick_tui.masking.redact import MASK
from maverick_tui.offline.cassette import recording, replaying
from maverick_tui.offline.cassette_file import Tape, load_cassette
from maverick_tui.offline.cassette_scrubber import Scrubber
from tests.conftest import ServeModel
from tests.support import replay as frames
from tests.support.agents import Worker, drain
from tests.support.cases import each
from tests.support.model import bash, say

KEY = "sk-ant-api03-Zm9vYmFyYmF6cXV4-0123456789"


def streamed(path: Path) -> str:
    """All pieces of all streams, put together."""
    found = ""
    for entry in load_cassette(path).entries:
        if entry.kind == "got" and entry.value["type"] == "stream_event":
            delta = entry.value["event"].get("delta", {})
            found += delta.get("text", "") + delta.get("partial_json", "")
    return found


async def test_no_secret_reaches_the_file(
    serve: ServeModel, file: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "correct horse 'battery' staple"
    monkeypatch.setenv("LOGNAME", "ada.lovelace")
    monkeypatch.setenv("DATABASE_PASSWORD", password)
    command = f'echo "$ANTHROPIC_API_KEY"; echo "$DATABASE_PASSWORD"; pwd; echo {home}/x ada.lovelace; echo {KEY} >&2'
    text = f"The key is {KEY}, the password {password}, and you are ada.lovelace in {Path.cwd()}."
    async with serve([bash(command), say(text)]):
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        before, error = await drain(Worker(transport=recording(file)).query(f"use {KEY}"))
    assert error is None
    assert KEY in str(before)
    assert password in str(before)
    everything = file.read_text() + streamed(file)
    for secret in (KEY, password, "battery", "horse", str(Path.cwd()), str(home), "ada.lovelace"):
        assert secret not in everything
    assert f"The key is {MASK}, the password {MASK}, and you are user in /project." in streamed(file)

    # Whoever replays it has other secrets.
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another-key-than-before")
    after, error = await drain(Worker(transport=replaying(file)).query("use another-key-than-before"))
    assert error is None
    assert len(before) == len(after)
    assert extract_all_text(after).endswith(f"The key is {MASK}, the password {MASK}, and you are user in /project.")


@each(
    ("frame", "hidden"),
    [
        ({"apiKeySource": "user"}, {"apiKeySource": MASK}),
        ({"account": {"id": "a", "plans": ["x"], "ok": True}}, {"account": {"id": MASK, "plans": [MASK], "ok": True}}),
        ({"env": {"HOST": "h"}, "headers": {"x": "y"}}, {"env": {"HOST": MASK}, "headers": {"x": MASK}}),
        ({"env": "test", "input_tokens": 12, "maxTokens": 5}, {"env": "test", "input_tokens": 12, "maxTokens": 5}),
        ({"a": [{"access_token": 123, "password": "x"}]}, {"a": [{"access_token": MASK, "password": MASK}]}),
        ({"passwords": ["x"], "max_tokens": 5}, {"passwords": [MASK], "max_tokens": 5}),
        ("Authorization: Bearer abcdefgh.1234", f"Authorization: Bearer {MASK}"),
        ("git clone https://me:pass@example.org/x", f"git clone https://{MASK}@example.org/x"),
        ("ghp_0123456789abcdefghij and AKIA0123456789ABCDEF", f"{MASK} and {MASK}"),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n", f"{MASK}\n"),
        ("the task-management of https://example.org/a:b", "the task-management of https://example.org/a:b"),
        ("MCP_VALUE-77 production", f"{MASK} production"),
        ("header-1234567", MASK),
        ("DB_PASSWORD=hunter-22-hunter\nTOKEN=$OTHER_ONE", f"DB_PASSWORD={MASK}\nTOKEN=$OTHER_ONE"),
        ('{"db_password" : "x y", "tokens": "three"}', f'{{"db_password" : "{MASK}", "tokens": "three"}}'),
        ('{"content": "{\\"token\\": \\"abc\\"}"}', f'{{"content": "{{\\"token\\": \\"{MASK}\\"}}"}}'),
    ],
)  # fmt: skip
def test_what_is_hidden(frame: Any, hidden: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "x-agent: talker\nx-api-key: header-1234567")
    server = {"type": "stdio", "command": "x", "env": {"A": "MCP_VALUE-77", "MODE": "production"}}
    scrubber = Scrubber(ClaudeAgentOptions(mcp_servers={"s": server}))  # type: ignore[dict-item]
    assert scrubber.clean(frame) == hidden


@pytest.mark.parametrize("before", ["", "u:", "me:"])
def test_what_a_variable_holds_is_hidden_in_pieces_as_base64_and_in_urls(before: str, file: Path) -> None:
    secret = "open sesame/of the house"
    coded, quoted = b64encode(f"{before}{secret}".encode()).decode(), quote(secret, "")
    tape = Tape(file, Scrubber(ClaudeAgentOptions(env={"HOUSE_PASSWORD": secret})))
    for piece in (coded[:9], coded[9:], " ", quoted[:9], quoted[9:], "."):
        tape.note("got", frames.delta(piece))
    tape.close()
    text = streamed(file)
    assert coded[5:-4] not in text
    assert quoted not in text
    assert text.count(MASK) == 2


def test_places_are_replaced_only_where_they_are_meant() -> None:
    scrubber = Scrubber(ClaudeAgentOptions(cwd="/srv/app", env={"CLAUDE_CONFIG_DIR": "/etc/claude"}))
    assert scrubber.text("in /srv/app, /srv/app/x.py; file:///srv/app/y") == (
        "in /project, /project/x.py; file:///project/y"
    )
    assert scrubber.text("/etc/claude/projects/-srv-app/1.jsonl") == "~/.claude/projects/-project/1.jsonl"
    for other in ("/srv/application", "/srv/app.py", "web/srv/app", "my-srv-app"):
        assert scrubber.text(other) == other


@pytest.mark.parametrize("size", [1, 3, 7, 50])
def test_a_secret_in_pieces(size: int, file: Path) -> None:
    quoted = '{"password": "open sesame", "content": "A_KEY=open-sesame\\n{\\"token\\":\\"sesame\\"}"}'
    text = f"Not sk-an, but {KEY} and see https://example.org/x for skates. {quoted} {KEY}"
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    for number, piece in enumerate(pieces):
        tape.note("got", frames.delta(piece))
        if number % 5 == 0:
            tape.note("got", frames.stream_event(frames.delta("sk-ant-")["event"], parent="other"))
    tape.note("got", frames.stream_event({"type": "content_block_stop", "index": 0}))
    tape.close()
    got = [entry.value for entry in load_cassette(file).entries if entry.kind == "got"]
    own = [
        frame["event"]["delta"]["text"]
        for frame in got
        if frame["parent_tool_use_id"] is None and "delta" in frame["event"]
    ]
    assert "".join(own) == Scrubber(ClaudeAgentOptions()).text(text)
    assert "sesame" not in "".join(own)
    assert KEY not in "".join(own)
    assert len(own) == len(pieces)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 50])
def test_a_secret_in_pieces_that_begins_before_what_tells_it(size: int, file: Path) -> None:
    line = "MHcCAQEEIObtUQz0wZ8hvVn7y1mWkUe9oAoGCCqGSM49AwEHoUQDQgAEd1Vl4fRx"
    text = (
        f"A bot, 1234567890:AA{'x' * 33}, and machine here login me password open-sesame-1\n"
        f"Private-Lines: 2\n{line}\n{line}\nPrivate-MAC: 0\n\n"
        f"{line}\n{line}\n-----END EC PRIVATE KEY-----\nThat was it."
    )
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    for at in range(0, len(text), size):
        tape.note("got", frames.delta(text[at : at + size]))
    tape.note("got", frames.stream_event({"type": "content_block_stop", "index": 0}))
    tape.close()
    got = [entry.value for entry in load_cassette(file).entries if entry.kind == "got"]
    told = "".join(frame["event"]["delta"]["text"] for frame in got if "delta" in frame["event"])
    assert told == Scrubber(ClaudeAgentOptions()).text(text)
    assert not any(secret in told for secret in (line, "x" * 33, "sesame"))
    assert told.endswith("That was it.")


@pytest.mark.explore
def test_a_key_that_is_too_long_to_be_held_back_is_hidden_to_its_end(file: Path) -> None:
    lines = [f"{number:04}QUJDRA+/" * 5 for number in range(500)]
    marks = "-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "-----END PGP PRIVATE KEY BLOCK-----\nThat was it."
    text = f"Look:\n{marks[0]}" + "\n".join(lines) + f"\n{marks[1]}"
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    for at in range(0, len(text), 90):
        tape.note("got", frames.delta(text[at : at + 90]))
    tape.note("got", frames.stream_event({"type": "content_block_stop", "index": 0}))
    tape.close()
    got = [entry.value for entry in load_cassette(file).entries if entry.kind == "got"]
    told = "".join(frame["event"]["delta"]["text"] for frame in got if "delta" in frame["event"])
    assert "QUJDRA" not in file.read_text()
    assert told == f"Look:\n{MASK}\nThat was it."


def test_what_waits_is_written_as_soon_as_it_is_known_to_be_harmless(file: Path) -> None:
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))

    def lines() -> int:
        return file.read_text().count("\n")

    tape.note("got", frames.delta("hello!"))
    assert lines() == 2
    tape.note("got", frames.delta(" sk"))
    tape.note("sent", {"type": "user"})
    assert lines() == 2
    tape.note("got", frames.delta("ater!"))
    assert lines() == 5
    tape.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_recording_and_nothing_else(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    tape = Tape(file, Scrubber(ClaudeAgentOptions()))
    assert tape._file is not None
    tape._file.close()
    tape._file = open("/dev/full", "w", encoding="ascii")  # noqa: PTH123, SIM115
    tape.note("got", frames.init())
    tape.note("got", frames.result())
    tape.close()
    assert "stops here" in caplog.text
    assert len(caplog.records) == 1
