"""A subagent's own file may say in which mode it works: none that is wider than the run's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from maverick_tui import MaverickConfig
from maverick_tui.events.kinds import BlockGrew, PermissionAsked
from tests.conftest import ServeModel
from tests.runs.watching import watch
from tests.support.agents import Talker
from tests.support.model import call, say, scene

CASES = [
    pytest.param("default", "acceptEdits", "project", True),
    *(
        pytest.param(mode, own, source, is_attended, marks=pytest.mark.explore)
        for mode in ("plan", "default", "dontAsk")
        for own in ("acceptEdits", "bypassPermissions")
        for source in ("user", "project")
        for is_attended in (True, False)
    ),
]


@pytest.mark.parametrize(("mode", "own", "source", "is_attended"), CASES)
async def test_none_does_what_the_run_itself_would_not_do_unasked(
    serve: ServeModel, home: Path, mode: str, own: str, source: str, *, is_attended: bool
) -> None:
    class Careful(Talker):
        allowed_tools = ("Read", "Edit", "Write", "Agent", "Bash(touch:*)")
        permission_mode = mode

    folder = Path(os.environ["CLAUDE_CONFIG_DIR"] if source == "user" else ".claude") / "agents"
    folder.mkdir(parents=True)
    (folder / "fixer.md").write_text(
        f"---\nname: fixer\ndescription: Fixes things.\npermissionMode: {own}\n---\nYou fix.\n"
    )
    known, new, made = (Path(name).absolute() for name in ("known.txt", "new.txt", "made"))
    fixes = (
        call("Read", file_path=str(known)),
        call("Edit", file_path=str(known), old_string="hello", new_string="changed"),
        call("Write", file_path=str(new), content="new"),
        call("Bash", command="touch made", description="Touch"),
        say("Fixed."),
    )
    begins = call("Agent", description="Fix", subagent_type="fixer", prompt="FIX it", run_in_background=False)
    config = MaverickConfig.load().model_copy(update={"setting_sources": (source,)})
    found = []
    for scenes in ([scene(*fixes)], [scene(*fixes, prompt="FIX"), scene(begins, say("All is done."), prompt="^Go")]):
        known.write_text("hello\n")
        for path in (new, made):
            path.unlink(missing_ok=True)
        async with serve(scenes), watch(Careful, config=config, is_attended=is_attended) as run:
            run.denies_everything = True
            await run.ask("Go")
            assert any(isinstance(event, BlockGrew) and event.text == "Fixed." for event in run.events), "it was there"
            asked = [event.tool for event in run.all(PermissionAsked)]
        found.append((known.read_text(), new.exists(), made.exists(), asked))
    assert found[1] == found[0]
