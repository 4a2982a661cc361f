"""Tools of an agent's own that only read ask before they read keys, as Claude Code's do."""

from __future__ import annotations

from pathlib import Path

import pytest

from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.events.kinds import ModeChanged, PermissionAsked, ToolFinished, TurnEnded
from maverick_tui.executor import tool
from maverick_tui.runs.commands import AnswerPermission, SetMode
from tests.attacks.sandbox import Sandbox
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker, context
from tests.support.model import call, say, scene


@tool(is_read_only=True)
def show_file(path: str) -> str:
    """What a file says."""
    return Path(path).expanduser().read_text()


@tool(is_read_only=True)
def show_files(paths: list[str]) -> str:
    """What files say."""
    return "\n".join(Path(path).expanduser().read_text() for path in paths)


class Shower(Talker):
    """Shows files."""

    name = "shower"
    engine = "api"
    own_tools = (show_file, show_files)


def protected(sandbox: Sandbox) -> list[str]:
    (sandbox.project / "link").symlink_to(sandbox.home / ".netrc")
    return ["~/.netrc", str(sandbox.home / ".ssh/id_rsa"), "/proc/self/environ", "link", "../home/.aws/credentials"]


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan"])
async def test_with_a_person_they_ask_each_time(mode: str, sandbox: Sandbox, serve: ServeModel) -> None:
    (sandbox.project / "plain.txt").write_text("It is plain.")
    paths = protected(sandbox)
    calls = [call("show_file", path=path) for path in paths]
    scenes = [scene(call("show_file", path="plain.txt"), *calls, call("show_files", paths=paths), say("done"))]
    async with serve(scenes), watch(Shower) as run:
        run.run.send(SetMode(mode))
        if mode != "acceptEdits":
            await run.until(ModeChanged)
        run.prompt("go")
        for number in range(1, len(calls) + 2):
            asked = await run.until(PermissionAsked, number)
            assert asked.grants == (), "nothing can be allowed for the run"
            run.send(AnswerPermission(asked.request, "deny"))
        await run.until(TurnEnded)
    plain, *others = run.all(ToolFinished)
    assert plain.output == "It is plain.", "that runs unasked"
    assert all(other.is_error for other in others)


async def test_without_one_they_are_refused(sandbox: Sandbox, serve: ServeModel) -> None:
    paths = protected(sandbox)
    calls = [call("show_file", path=path) for path in paths]
    async with serve([scene(*calls, call("show_files", paths=paths), say("done"))]) as model:
        assert (await Shower().run("go", context())).success
    told = str(model.requests[-1]["messages"])
    assert told.count("'is_error': True") == len(calls) + 1
    assert "SECRET" not in told


HARMLESS = (
    "/", "~", ".", "//button[@id]", "/[a-z]+/g", "how does .ssh/config work", "Add .netrc support",
    "/proc is a filesystem", "src", "docs/a.md",
)  # fmt: skip


def test_what_they_are_to_look_for_is_no_place(sandbox: Sandbox) -> None:
    judge = Judge(["own:look"], sandbox.project, person=False, only_reads=lambda _tool: True)
    assert {text: why for text in HARMLESS if (why := judge.judge("own:look", {"text": text}).reason)} == {}
