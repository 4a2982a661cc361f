"""What the CLI reads again by itself once it has summed a conversation up: nothing that may not be read now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from maverick_tui.agent.engine.claude.rereading import Rereading
from maverick_tui.agent.permissions.judge import Judge
from maverick_tui.agent.permissions.standing import Standing, StandingRule, user_file
from maverick_tui.events.kinds import Noticed, PermissionAsked, TurnEnded
from maverick_tui.runs.commands import AnswerPermission, SendPrompt
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import bash, call, say, scene

KEY = "KEYMARK9931"


class Reader(Talker):
    name = "reader"
    allowed_tools = ["Read", "Bash"]


@pytest.mark.parametrize("is_open", [False, pytest.param(True, marks=pytest.mark.explore)])  # shows that it could fail
async def test_no_key_and_no_denied_file_is_read_again(
    is_open: bool, serve: ServeModel, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_open:
        monkeypatch.setattr(Rereading, "note", lambda *_given: None)
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id_rsa").write_text(f"{KEY} of ssh")
    linked, denied, free = (Path(name).absolute() for name in ("linked.txt", "denied.txt", "free.txt"))
    for path in (linked, denied, free):
        path.write_text("nothing of weight")
    reads = [call("Read", file_path=str(path)) for path in (linked, denied, free)]
    scenes = [
        scene(*reads, bash("ln -sf ~/.ssh/id_rsa linked.txt"), say("Seen."), prompt="one"),
        scene(say("Two."), prompt="two"),
        scene(say("<summary>It was about files.</summary>")),
    ]
    async with serve(scenes) as model, watch(Reader) as run:
        run.prompt("one")
        asked = await run.until(PermissionAsked)
        run.send(AnswerPermission(asked.request, "once"))
        await run.until(TurnEnded)
        denied.write_text(f"{KEY} of a rule")
        free.write_text("FREEMARK")
        user_file().parent.mkdir(parents=True, exist_ok=True)
        user_file().write_text('deny = ["Read(denied.txt)"]')
        run.send(SendPrompt("sum up", "/compact", is_command=True))
        await run.until(TurnEnded, 2)
        await run.ask("two")
    assert "compact_boundary" in [event.kind for event in run.all(Noticed)]
    sent = json.dumps([str(request) for request in model.requests])
    assert "FREEMARK" in sent, "the CLI does read files again"
    assert (KEY in sent) is is_open


async def test_without_a_way_to_tell_the_cli_there_is_no_summary(tmp_path: Path) -> None:
    rule = StandingRule("deny", "Read(a.txt)", tmp_path / "rules.toml")
    rereading = Rereading(Judge(["Read"], tmp_path, person=True, standing=lambda: Standing((rule,))))
    rereading.note("Read", {"file_path": str(tmp_path / "b.txt")}, None)
    assert await rereading.before_summary({}, None, None) == {}
    rereading.note("Read", {"file_path": str(tmp_path / "a.txt")}, None)
    assert (await rereading.before_summary({}, None, None))["decision"] == "block"
