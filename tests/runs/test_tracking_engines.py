"""Runs on the real engines keep what is in their folder, and each snapshot names the calls that were at work."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from maverick_tui import registry
from maverick_tui.events import kinds as ev
from maverick_tui.executor import tool
from maverick_tui.offline.script import Answer, ToolStep
from tests.conftest import ServeModel
from tests.runs.tracked import RUN, taken, touched, tracked
from tests.runs.watching import watch
from tests.snapshots.folders import project
from tests.support.agents import Direct, Talker
from tests.support.model import bash, call, say, scene


class Editor(Talker):
    """Writes by the CLI."""

    allowed_tools = ("Read", "Edit", "Write", "Bash", "Task")


def both(*commands: str, **more: Any) -> Answer:
    """The model runs several commands at once."""
    steps = [ToolStep(tool="Bash", input={"command": one, "description": "d", **more}) for one in commands]
    return Answer(steps=tuple(steps))


# Calls of the CLI are named in `test_tracking_many_calls.py`, a command in the background in
# `review/test_left_alone.py`, and subagents without the CLI below.
@pytest.mark.explore
@pytest.mark.parametrize("delegates", [False, True])
async def test_a_session_of_the_cli_names_the_right_call_for_each_interval(
    delegates: bool, serve: ServeModel, tmp_path: Path
) -> None:
    top = project(tmp_path / "project")
    a, behind = str(top / "a.txt"), "while [ ! -e go ]; do sleep 0.05; done; echo b > behind"
    task: dict[str, Any] = {"description": "d", "subagent_type": "general-purpose", "run_in_background": False}
    tasks = [ToolStep(tool="Agent", input={**task, "prompt": name}) for name in ("BELOW-1", "BELOW-2")]
    script = [
        *(scene(bash(f"echo {n} > sub{n}"), say("below"), prompt=f"BELOW-{n}") for n in (1, 2)),
        scene(
            call("Read", file_path=a),
            call("Edit", file_path=a, old_string="two", new_string="2"),
            call("Write", file_path=str(top / "new"), content="new\n"),
            bash("sed -i s/one/1/ a.txt"),
            both("echo x > x", "echo y > y"),
            bash("ls"),
            *([Answer(steps=tuple(tasks))] if delegates else []),
            call("Bash", command=behind, description="d", run_in_background=True),
            say("done"),
            turn=1,
        ),
        scene(bash("echo late > late"), say("done"), turn=2),
    ]
    changed = 10 if delegates else 8
    async with serve(script), watch(Editor, cwd=top, config=tracked(), run_id=RUN) as run:
        run.allows_everything = True
        await run.ask("go")
        await run.until(ev.SnapshotTaken, where=lambda event: event.when == "end")
        (top / "b.txt").write_text("by the person\n")
        await run.ask("again")
        await run.until(ev.SnapshotTaken, where=lambda event: (event.when, event.turn) == ("end", 2))
        (top / "go").touch()
        ended = await run.until(ev.SnapshotTaken, where=lambda event: event.files == changed)
        by = touched(run, top)
        subs = [by.pop(f"sub{number}") for number in (1, 2) if delegates]
        assert by == {
            "a.txt": [["Edit"], ["sed -i s/one/1/ a.txt"]],
            "b.txt": [[behind]],  # it was at work when the person was, and writes what it likes
            "behind": [[behind]],
            "go": [[behind]],
            "late": [[behind, "echo late > late"]],
            "new": [["Write"]],
            "x": [["echo x > x"]],
            "y": [["echo y > y"]],
        }
        for number, (sub,) in enumerate(subs, 1):
            assert f"echo {number} > sub{number}" in sub, "subagents work at the same time"
        assert (ended.added, ended.deleted) == (changed, 3)
        told = taken(run)
        assert told[:2] == [("start", 0, []), ("turn", 1, [])]
        assert [one[:2] for one in told if one[0] in ("turn", "end")][:4] == [
            ("turn", 1),
            ("end", 1),
            ("turn", 2),
            ("end", 2),
        ]
        assert not any("ls" in calls or "Read" in calls or "Agent" in calls for _, _, calls in told)
        numbers = [event.number for event in run.all(ev.SnapshotTaken)]
        assert numbers == sorted(numbers)


async def test_a_session_without_the_cli(serve: ServeModel, tmp_path: Path) -> None:
    top = project(tmp_path / "project")
    is_met, is_known = asyncio.Barrier(2), asyncio.Event()

    @tool
    async def write(name: str) -> str:
        """Write a file."""
        (top / name).write_text("x\n")
        return "written"

    @tool
    async def meet(name: str) -> str:
        """Write a file, at the same time as another."""
        await is_met.wait()
        (top / name).write_text("x\n")
        await is_met.wait()
        return "met"

    @tool(is_read_only=True)
    async def look() -> str:
        """Look at it, while the person works."""
        await is_known.wait()
        (top / "b.txt").write_text("by the person\n")
        return "seen"

    class Helper(Direct):
        name, description, own_tools = "helper", "Helps.", (write,)

    class Boss(Direct):
        name, subagents, own_tools = "boss", ("helper",), (write, meet, look)

    registry.register("helper", Helper)
    at_once = tuple(ToolStep(tool="meet", input={"name": name}) for name in ("m1", "m2"))
    script = [
        scene(call("write", name="below"), say("below"), prompt="^below$"),
        scene(
            call("write", name="w"),
            call("look"),
            Answer(steps=at_once),
            call("helper", prompt="below"),
            say("done"),
            prompt="^go$",
        ),
    ]
    try:
        async with serve(script), watch(Boss, cwd=top, config=tracked(), run_id=RUN) as run:
            run.allows_everything = True
            run.prompt("go")
            await run.until(ev.SnapshotTaken, where=lambda event: event.files == 1)
            is_known.set()  # what is changed before that may be of a call that has just ended
            ended = await run.until(ev.SnapshotTaken, where=lambda event: event.when == "end")
            assert touched(run, top) == {
                "b.txt": [["you"]],
                "below": [["write"]],
                "m1": [["meet", "meet"]],
                "m2": [["meet", "meet"]],
                "w": [["write"]],
            }
            assert (ended.files, ended.added, ended.deleted) == (4, 4, 0)
    finally:
        registry.unregister("helper")
