"""Hooks of type `agent` have a model look into things, by calls of its own: these go by the run's mode, and what it
finds counts.
"""

from __future__ import annotations

from pathlib import Path

from maverick_tui.events.kinds import ToolFinished
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene


async def test_they_do_in_mode_plan_what_that_lets_them_and_what_they_guard_does_not_run(serve: ServeModel) -> None:
    class Guarded(Talker):
        allowed_tools = ("Read", "Bash(touch:*)")
        permission_mode = "plan"
        hooks = {
            # It is asked before the run has called anything: its own mode is all that the CLI has told by then.
            "UserPromptSubmit": [{"hooks": [{"type": "agent", "prompt": "PREPARE it"}]}],
            "PreToolUse": [{"matcher": "Read", "hooks": [{"type": "agent", "prompt": "VERIFY it"}]}],
        }

    Path("known.txt").write_text("hello\n")
    scenes = [
        scene(bash("touch made"), call("StructuredOutput", ok=True, reason="Fine."), prompt="PREPARE"),
        scene(call("StructuredOutput", ok=False, reason="Not that one."), prompt="VERIFY"),
        scene(call("Read", file_path=str(Path("known.txt").absolute())), say("Done."), prompt="^Go"),
    ]
    async with serve(scenes), watch(Guarded, is_attended=False) as run:
        await run.ask("Go")
        (read,) = run.all(ToolFinished)
    assert not Path("made").exists()
    assert read.is_error
    assert "Not that one." in read.output
