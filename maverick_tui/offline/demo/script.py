"""The demo's script, made ready for one repository."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from maverick_tui.offline.loading import load_script
from maverick_tui.offline.script import Pace, PaceStep, PauseStep, Script, with_texts
from maverick_tui.programs import find_program

SCRIPT = Path(__file__).resolve().parent / "script.yaml"


def load_demo_script(project: Path, *, fast: bool = False) -> Script:
    """The script with the repository's folder in it; `fast` plays it without pauses."""

    def filled(text: str) -> str:
        return text.replace("@PROJECT@", str(project)).replace("@PYTHON@", python)

    python = _python()
    # Replaced after parsing, so that a folder's name can hold what YAML would read as its own.
    script = Script.model_validate(with_texts(load_script(SCRIPT).model_dump(), filled))
    return _without_pauses(script) if fast else script


def _python() -> str:
    """What a reader would type, or our own interpreter where that is not there."""
    return "python3" if find_program("python3") else shlex.quote(sys.executable)


def _without_pauses(script: Script) -> Script:
    scenes = []
    for scene in script.scenes:
        answers = [
            answer.model_copy(
                update={
                    "pace": None,
                    "steps": tuple(step for step in answer.steps if not isinstance(step, PauseStep | PaceStep)),
                }
            )
            for answer in scene.answers
        ]
        scenes.append(scene.model_copy(update={"answers": tuple(answers)}))
    return script.model_copy(update={"pace": Pace(), "scenes": tuple(scenes)})
