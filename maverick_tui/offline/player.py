"""Reads what a request asks for, chooses the answer to it, and keeps count of what was asked and what was not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from maverick_tui.exceptions import AgentError
from maverick_tui.offline.script import Answer, AnyFault, Scene, Script, TextStep, When

AGENT_HEADER = "x-maverick-agent"
"""Names the agent; our agents send it to a server on loopback."""

TOOL_ID = re.compile(r"^toolu_(?P<label>[A-Za-z][A-Za-z0-9-]*)_[0-9a-f]+$")
_NOTES = re.compile(
    r"<(system-reminder|local-command-caveat|local-command-stdout|command-(?:name|message|args))>.*?</\1>", re.DOTALL
)
"""What the CLI adds by itself, also of commands such as /model before a prompt."""
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]*\]")

PROBE = Answer(steps=(TextStep(text="ok"),))
"""The answer to a request that only wants to know whether a model is there."""


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


@dataclass(frozen=True, slots=True)
class ChosenAnswer:
    """The answer to one request, and the fault that strikes it this time."""

    answer: Answer
    fault: AnyFault | None = None


class Player:
    """Plays a script. An answer follows from the request alone; only faults that strike `times` are counted."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.unexpected: list[str] = []
        """What was asked and is not in the script."""
        self._used: set[tuple[int, int]] = set()
        self._struck: Counter[tuple[int, int]] = Counter()

    def choose(self, asked: AskedPrompt) -> ChosenAnswer | None:
        """The answer, or None if the script has none."""
        if asked.is_probe:
            return ChosenAnswer(PROBE)
        for number, scene in enumerate(self.script.scenes):
            if _fits(scene.when, asked):
                if asked.step < len(scene.answers):
                    return self._use(number, asked.step, scene)
                break  # the first that fits a prompt answers it, or nobody does
        self.unexpected.append(
            f"agent {asked.agent or '?'}, prompt {asked.turn} ({asked.prompt[:80]!r}), answer {asked.step + 1}"
        )
        return None

    def _use(self, number: int, step: int, scene: Scene) -> ChosenAnswer:
        answer, key = scene.answers[step], (number, step)
        self._used.add(key)
        fault = answer.fault
        if fault is None or (fault.times is not None and self._struck[key] >= fault.times):
            return ChosenAnswer(answer)
        self._struck[key] += 1
        return ChosenAnswer(answer, fault)

    @property
    def unused(self) -> list[str]:
        """The answers that nobody has asked for."""
        return [
            f"answer {step + 1} of scene {scene.name or number + 1}"
            for number, scene in enumerate(self.script.scenes)
            for step in range(len(scene.answers))
            if (number, step) not in self._used
        ]

    def check(self) -> None:
        """Raise if something was asked that is not in the script, or something in it was not asked for."""
        wrong = [
            *(f"not in the script: {item}" for item in self.unexpected),
            *(f"not used: {item}" for item in self.unused),
        ]
        if wrong:
            raise AgentError(
                f"The script was not played as written: {'; '.join(wrong)}.",
                kind="invalid",
                hint="Correct the script, or set strict: false.",
            )


def _fits(when: When, asked: AskedPrompt) -> bool:
    return (
        (when.agent is None or when.agent == asked.agent)
        and (when.turn is None or when.turn == asked.turn)
        and (when.prompt is None or re.search(when.prompt, asked.prompt) is not None)
        and (when.system is None or re.search(when.system, asked.system) is not None)
    )
