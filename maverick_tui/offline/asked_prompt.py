"""What a request to the Messages API is about: whose it is, which prompt, and how far its answer has come."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

AGENT_HEADER = "x-maverick-agent"
"""Names the agent; our agents send it to a server on loopback."""

TOOL_ID = re.compile(r"^toolu_(?P<label>[A-Za-z][A-Za-z0-9-]*)_[0-9a-f]+$")
_NOTES = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")


@dataclass(frozen=True, slots=True)
class AskedPrompt:
    """Everything that a scene can be chosen by; it follows from the request alone, also when that is repeated."""

    agent: str
    system: str
    prompt: str
    turn: int
    step: int
    """How many answers this prompt has had."""
    results: Mapping[str, str]
    """What the tools have said, by the label of the call."""
    size: int
    """Bytes of the whole request, from which its tokens are estimated."""

    @property
    def is_probe(self) -> bool:
        """Whether the request only asks whether there is a model at all."""
        return self.turn == 0


def read_prompt(request: Mapping[str, Any], headers: Mapping[str, str], size: int = 0) -> AskedPrompt:
    """Make sense of a request of so many bytes; unexpected entries are skipped."""
    messages = [m for m in request.get("messages") or [] if isinstance(m, dict)]
    prompt, turn, step = "", 0, 0
    results: dict[str, str] = {}
    for message in messages:
        if message.get("role") == "assistant":
            step += 1
        elif message.get("role") == "user":
            for block in _blocks(message):
                if block.get("type") == "tool_result" and (label := TOOL_ID.match(str(block.get("tool_use_id")))):
                    results[label["label"]] = _NOTES.sub("", text_of(block)).strip()
            if said := _said(message):
                prompt, turn, step = said, turn + 1, 0
    return AskedPrompt(
        agent=headers.get(AGENT_HEADER, ""),
        system=text_of({"content": request.get("system")}),
        prompt=prompt,
        turn=turn,
        step=step,
        results=results,
        size=size,
    )


def text_of(message: Mapping[str, Any]) -> str:
    """All text of a message or of a tool's result."""
    return "\n".join(str(block.get("text", "")) for block in _blocks(message) if block.get("type") == "text")


def _said(message: Mapping[str, Any]) -> str:
    """What a person wrote, without the notes that the CLI adds."""
    text = _NOTES.sub("", text_of(message))
    return _INTERRUPTED.sub("", text).strip()


def _blocks(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    content = message.get("content")
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for block in content:
            if isinstance(block, dict):
                yield block
