"""Chooses the answer to a request, and keeps count of what was asked and what was not."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from maverick_tui.exceptions import AgentError
from maverick_tui.offline.asked_prompt import AskedPrompt
from maverick_tui.offline.script import Answer, AnyFault, Scene, Script, TextStep, When

PROBE = Answer(steps=(TextStep(text="ok"),))
"""The answer to a request that only wants to know whether a model is there."""


@dataclass(frozen=True, slots=True)
class Choice:
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

    def choose(self, asked: AskedPrompt) -> Choice | None:
        """The answer, or None if the script has none."""
        if asked.is_probe:
            return Choice(PROBE)
        for number, scene in enumerate(self.script.scenes):
            if _fits(scene.when, asked):
                if asked.step < len(scene.answers):
                    return self._use(number, asked.step, scene)
                break  # the first that fits a prompt answers it, or nobody does
        self.unexpected.append(
            f"agent {asked.agent or '?'}, prompt {asked.turn} ({asked.prompt[:80]!r}), answer {asked.step + 1}"
        )
        return None

    def _use(self, number: int, step: int, scene: Scene) -> Choice:
        answer, key = scene.answers[step], (number, step)
        self._used.add(key)
        fault = answer.fault
        if fault is None or (fault.times is not None and self._struck[key] >= fault.times):
            return Choice(answer)
        self._struck[key] += 1
        return Choice(answer, fault)

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
