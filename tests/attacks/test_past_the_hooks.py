"""What the CLI would run by itself, or without asking a hook, and so past our judge: it does not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.agent.engine.claude import options
from maverick_tui.events.kinds import PermissionAsked, ToolFinished, TurnEnded
from maverick_tui.runs.commands import SetMode
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene


class Skilled(Talker):
    name = "skilled"
    allowed_tools = ["Read", "Skill", "Bash(ls:*)"]


class Remover(Talker):
    name = "remover"
    allowed_tools = ["Bash"]


def skill(name: str, line: str) -> None:
    folder = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        f"---\nname: {name}\ndescription: Looks.\nallowed-tools: Bash\n---\nLook: !`{line}`\n"
    )


def trapped(folder: Path) -> Path:
    """A repository of which git runs a program as soon as it looks; the file that this program leaves."""
    left, trap = folder / "ran", folder / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {left}\n")
    trap.chmod(0o755)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    for words in (
        ("init", "-q"),
        (*author, "commit", "-q", "--allow-empty", "-m", "one"),
        ("update-ref", "refs/remotes/origin/HEAD", "HEAD"),
        ("config", "core.fsmonitor", str(trap)),
        ("config", "diff.external", str(trap)),
    ):
        subprocess.run(["git", *words], cwd=folder, check=True)
    left.unlink(missing_ok=True)
    return left


@pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])  # shows that it could fail
async def test_no_skill_runs_commands_by_itself(
    is_open: bool, serve: ServeModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(options, "NO_BUNDLED_SKILLS", {})
        monkeypatch.setattr(options, "FIXED_SETTINGS", {})
    left = trapped(Path.cwd())
    mine = tmp_path / "mine"
    scenes = [
        scene(call("Skill", skill="security-review"), say("Done."), prompt="one"),
        scene(call("Skill", skill="mine"), say("Done."), prompt="two"),
        scene(say("Done.")),  # to the text of a skill
    ]
    async with serve(scenes):
        skill("mine", f"touch {mine}")
        config = MaverickConfig.load().model_copy(update={"setting_sources": ("user",)})
        async with watch(Skilled, config=config) as run:
            run.allows_everything = True
            for prompt in ("one", "two"):
                await run.ask(prompt)
    assert len([event for event in run.events if isinstance(event, ToolFinished)]) == 2, "each was called"
    assert left.exists() == is_open
    assert mine.exists() == is_open


@pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])  # shows that it could fail
async def test_no_variable_of_the_persons_takes_the_hooks_away(
    is_open: bool, serve: ServeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(options, "WITH_HOOKS", {})
        monkeypatch.setattr(options, "FIXED_SETTINGS", {})
    victim = Path("victim.txt")
    victim.touch()
    async with serve([scene(bash("rm victim.txt"), say("Done."), prompt="go")]):
        monkeypatch.setenv("CLAUDE_CODE_SIMPLE", "1")
        async with watch(Remover) as run:
            run.run.send(SetMode("acceptEdits"))
            run.prompt("go")
            await run.until(TurnEnded if is_open else PermissionAsked)
            assert victim.exists() != is_open
