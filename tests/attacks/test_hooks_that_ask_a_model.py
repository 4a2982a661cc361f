"""Hooks of type `agent` have a model look into things, by calls of its own: these go by the run's mode, and what it
finds counts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.events.kinds import PermissionAsked, ToolFinished, TurnEnded, UsageReported
from maverick_tui.offline.script import Answer, ScriptedUsage
from maverick_tui.runs.commands import AnswerPermission
from tests.conftest import ServeModel
from tests.runs.test_questions import until
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


@pytest.mark.explore
@pytest.mark.parametrize("kind", ["prompt", pytest.param("agent", marks=pytest.mark.explore)])  # which takes long
async def test_at_a_fuse_each_asks_once_and_counts_when_the_turn_has_ended(serve: ServeModel, kind: str) -> None:
    """No hook of ours comes before it: this is what SECURITY.md says that a fuse does not hold."""

    class Guarded(Talker):
        allowed_tools = ("Read",)
        hooks = {"PreToolUse": [{"matcher": "Read", "hooks": [{"type": kind, "prompt": "VERIFY it"}]}]}

    def with_usage(answer: Answer, tokens: int) -> Answer:
        return answer.model_copy(update={"usage": ScriptedUsage(input=tokens)})

    Path("known.txt").write_text("hello\n")
    look, fine = call("Read", file_path=str(Path("known.txt").absolute())), say('{"ok": true, "reason": "Fine."}')
    verdicts = [look, call("StructuredOutput", ok=True, reason="Fine.")] if kind == "agent" else [fine]
    scenes = [
        scene(*(with_usage(one, 50_000) for one in verdicts), prompt="VERIFY"),
        scene(with_usage(look, 100_000), with_usage(say("Done."), 10), prompt="^Go"),
    ]
    config = MaverickConfig.load(fuses={"run": {"tokens": 90_000}})
    async with serve(scenes) as server, watch(Guarded, config=config) as run:
        run.prompt("Go")
        question = await run.until(PermissionAsked)
        await until(lambda: len(server.requests) > 1)
        assert run.all(PermissionAsked) == [question], "it is held, and the hook has asked all the same"
        run.send(AnswerPermission(question.request, "once", answers={"": "+900000"}))
        ended = await run.until(TurnEnded)
        assert ended.usage is not None
        assert len(server.requests) == 2 + len(verdicts)
        told = {event.message: event.usage.input_tokens for event in run.all(UsageReported)}
        assert sum(told.values()) < 110_000
        assert ended.usage.input_tokens > 100_000 + 50_000 * len(verdicts)
