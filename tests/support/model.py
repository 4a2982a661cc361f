"""Scripts in a few words, for tests that drive the real CLI against the offline model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maverick_tui.offline.player import read_prompt
from maverick_tui.offline.script import (
    Answer,
    AnyFault,
    DropFault,
    HttpFault,
    Scene,
    Script,
    ScriptedUsage,
    StallFault,
    TextStep,
    ToolStep,
    When,
)

FOR_EVER = 20
"""How often a single answer is repeated: more often than any test asks."""


def say(text: str, *, usage: tuple[int, int] = (10, 5), **more: Any) -> Answer:
    """The model says this; `more` are other fields of the answer."""
    return Answer(steps=(TextStep(text=text),), usage=ScriptedUsage(input=usage[0], output=usage[1]), **more)


def call(tool: str, *, first: str = "", fault: AnyFault | None = None, **arguments: Any) -> Answer:
    """The model calls a tool, after a few words or without."""
    words = (TextStep(text=first),) if first else ()
    return Answer(
        steps=(*words, ToolStep(tool=tool, input=arguments)), usage=ScriptedUsage(input=10, output=5), fault=fault
    )


def bash(command: str, *, fault: AnyFault | None = None) -> Answer:
    """The model runs a command."""
    return call("Bash", first="Running.", fault=fault, command=command, description="a test")


def fail(status: int, kind: str = "", message: str = "scripted", **more: Any) -> Answer:
    """The endpoint refuses."""
    return say("never said", fault=HttpFault(kind="http", status=status, type=kind, message=message, **more))


def drop(**where: Any) -> DropFault:
    """The connection ends."""
    return DropFault(kind="drop", **where)


def stall(**where: Any) -> StallFault:
    """Nothing comes any more."""
    return StallFault(kind="stall", **where)


def scene(*answers: Answer, **when: Any) -> Scene:
    """These answers, one after each round of tools, to prompts of this kind."""
    return Scene(when=When(**when), answers=answers)


def turns(*answers: Answer) -> list[Scene]:
    """One answer to each prompt of a conversation."""
    return [scene(answer, turn=number) for number, answer in enumerate(answers, start=1)]


def as_script(source: Script | Answer | Sequence[Answer | Scene]) -> Script:
    """One answer for ever, the answers of one prompt, or scenes."""
    if isinstance(source, Script):
        return source
    if isinstance(source, Answer):
        return Script(scenes=(Scene(answers=(source,) * FOR_EVER),))
    scenes = [item for item in source if isinstance(item, Scene)]
    answers = [item for item in source if isinstance(item, Answer)]
    return Script(scenes=(*scenes, *([Scene(answers=tuple(answers))] if answers else [])))


def last_prompt(request: dict[str, Any]) -> str:
    """What was asked last, without what the CLI adds to it."""
    return read_prompt(request, {}).prompt
