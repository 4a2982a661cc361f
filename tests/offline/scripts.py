"""Scripts in a few words, and what is made of their answers."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from maverick_tui import AgentContext, MaverickConfig
from maverick_tui.offline.player import AskedPrompt
from maverick_tui.offline.processes import offline_environment
from maverick_tui.offline.script import Answer, Pace, Script
from maverick_tui.offline.server import OfflineServer
from maverick_tui.offline.stream import ScriptedReply, prepare

BOUND = 10.0
"""Seconds for what should be at once."""


def script(*answers: Any, **fields: Any) -> Script:
    """One scene with these answers."""
    return Script.model_validate({"scenes": [{"answers": list(answers)}], **fields})


def scenes(*found: dict[str, Any], **fields: Any) -> Script:
    return Script.model_validate({"scenes": list(found), **fields})


def reply_to(answer: Any, results: dict[str, str] | None = None, pace: Pace | None = None) -> ScriptedReply:
    """The answer made ready for a request."""
    asked = AskedPrompt(agent="", system="", prompt="go away", turn=1, step=0, results=results or {}, size=40)
    return prepare(Answer.model_validate(answer), asked, "some-model", pace or Pace())


def of(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


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


def without_ids(message: dict[str, Any]) -> dict[str, Any]:
    """The message as it is each time."""
    content = [{name: value for name, value in block.items() if name != "id"} for block in message["content"]]
    return {**message, "id": "", "content": content}


@asynccontextmanager
async def real_cli(played: Script, folder: Path, **settings: Any) -> AsyncIterator[tuple[OfflineServer, AgentContext]]:
    """The script, and a context whose agents talk to it through the real CLI."""
    async with OfflineServer(played) as server:
        config = MaverickConfig(env=offline_environment(server.url, folder), **settings)
        yield server, AgentContext(cwd=folder, branch="main", config=config)
